#pragma once

#include "compiler/primitives/spec.h"

namespace heddle {

struct ScanCompressed {
  enum In { kLo, kHi };
  enum Out { kCrd, kPos };
  enum Memory { kCrdArray };
  struct State {
    std::uint32_t next = 0;
    bool inside = false;
  };

  static constexpr std::array kPorts{
      PortSpec{"lo", Dir::kIn, Payload::kRef, false, "first position of each fiber"},
      PortSpec{"hi", Dir::kIn, Payload::kRef, false, "position after the last"},
      PortSpec{"crd", Dir::kOut, Payload::kCrd, false, "coordinates of each fiber"},
      PortSpec{"pos", Dir::kOut, Payload::kRef, false, "their positions"}};
  static constexpr std::array kMemories{
      MemorySpec{"crds", MemorySpec::Use::kRead, "coordinate array"}};
  static constexpr PrimitiveSpec kSpec{.name = "scan_compressed",
                                       .summary = "Enumerates the fibers of a compressed level.",
                                       .ports = kPorts,
                                       .memories = kMemories};
  static constexpr int latency(const Params&, int out) { return out == kCrd ? 2 : 1; }

  template <class Nests>
  static void nest(Nests& n, const Params&) {
    n.give(n.enter(n.in(kLo), kCrd), kCrd, kPos);
  }

  template <class Firing>
  static bool step(State& s, const Params&, Firing& f) {
    const Token* lo = f.head(kLo);
    const Token* hi = f.head(kHi);
    if (lo == nullptr || hi == nullptr || !f.room(kCrd) || !f.room(kPos)) return false;
    if (lo->kind != hi->kind) return f.fault(Fault::kMisaligned);
    const std::uint32_t at = s.inside ? s.next : lo->bits;
    if (lo->is_val() && at < hi->bits) {
      f.push(kCrd, val(f.read(kCrdArray, at)));
      f.push(kPos, val(at));
      s = {at + 1, true};
      return true;
    }
    const Token end = lo->is_val() ? stop(0) : outward(*lo);
    f.push(kCrd, end);
    f.push(kPos, end);
    f.pop(kLo);
    f.pop(kHi);
    s = {};
    return true;
  }
};

}  // namespace heddle
