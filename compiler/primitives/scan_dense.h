#pragma once

#include "compiler/primitives/spec.h"

namespace heddle {

/// Cycles from firing to a position, which is a product and a sum.
constexpr int kPositionLatency = 2;

struct ScanDense {
  enum In { kRef };
  enum Out { kCrd, kPos };
  enum Param { kFiber };
  enum Register { kSize };
  struct State {
    std::uint32_t next = 0;
  };

  static constexpr std::array<std::string_view, 2> kFiberNames{"any", "first"};
  // Without a product, the first is much smaller and faster in hardware.
  static constexpr std::array kParams{
      ParamSpec{"fiber", 0, 1, 0, kFiberNames, "whether all references are 0: an outermost level"}};
  static constexpr std::array kPorts{
      PortSpec{"ref", Dir::kIn, Payload::kRef, false, "references to fibers"},
      PortSpec{"crd", Dir::kOut, Payload::kCrd, false, "coordinates 0 .. size-1 of each fiber"},
      PortSpec{"pos", Dir::kOut, Payload::kRef, false, "positions ref * size + coordinate"}};
  static constexpr std::array kRegisters{RegisterSpec{"size", "coordinates per fiber"}};
  static constexpr PrimitiveSpec kSpec{.name = "scan_dense",
                                       .summary = "Enumerates the fibers of a dense level.",
                                       .params = kParams,
                                       .ports = kPorts,
                                       .registers = kRegisters};
  static constexpr int latency(const Params& p, int out) {
    return out == kPos && p[kFiber] == 0 ? kPositionLatency : 1;
  }

  template <class Nests>
  static void nest(Nests& n, const Params&) {
    n.give(n.enter(n.in(kRef), kCrd), kCrd, kPos);
  }

  template <class Firing>
  static bool step(State& s, const Params& p, Firing& f) {
    const Token* ref = f.head(kRef);
    if (ref == nullptr || !f.room(kCrd) || !f.room(kPos)) return false;
    const std::uint32_t size = f.reg(kSize);
    if (p[kFiber] != 0 && ref->is_val() && ref->bits != 0) return f.fault(Fault::kOutOfRange);
    if (ref->is_val() && s.next < size) {
      f.push(kCrd, val(s.next));
      f.push(kPos, val(ref->bits * size + s.next));
      ++s.next;
      return true;
    }
    // The fiber's own stop; an absent fiber is an empty one.
    const Token end = ref->is_element() ? stop(0) : outward(*ref);
    f.push(kCrd, end);
    f.push(kPos, end);
    f.pop(kRef);
    s.next = 0;
    return true;
  }
};

}  // namespace heddle
