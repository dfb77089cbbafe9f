#pragma once

#include "compiler/primitives/spec.h"

namespace heddle {

struct Segment {
  enum In { kRef };
  enum Out { kLo, kHi };
  enum Memory { kSeg };
  struct State {};

  static constexpr std::array kPorts{
      PortSpec{"ref", Dir::kIn, Payload::kRef, false, "references to fibers"},
      PortSpec{"lo", Dir::kOut, Payload::kRef, false, "first position of each fiber"},
      PortSpec{"hi", Dir::kOut, Payload::kRef, false, "position after the last"}};
  static constexpr std::array kMemories{MemorySpec{"seg", MemorySpec::Use::kReadPair,
                                                   "segment array: fiber r is [seg[r], seg[r+1])"}};
  static constexpr PrimitiveSpec kSpec{
      .name = "segment",
      .summary = "Looks up where the fibers of a compressed level begin and end.",
      .ports = kPorts,
      .memories = kMemories};
  static constexpr int latency(const Params&, int) { return 2; }

  template <class Nests>
  static void nest(Nests& n, const Params&) {
    n.give(n.in(kRef), kLo, kHi);
  }

  template <class Firing>
  static bool step(State&, const Params&, Firing& f) {
    const Token* ref = f.head(kRef);
    if (ref == nullptr || !f.room(kLo) || !f.room(kHi)) return false;
    Token lo = *ref, hi = *ref;
    if (ref->is_val()) {
      lo = val(f.read(kSeg, ref->bits));
      hi = val(f.read(kSeg, ref->bits + 1));
    } else if (ref->is_empty()) {  // an absent fiber is an empty one
      lo = hi = val(0);
    }
    f.push(kLo, lo);
    f.push(kHi, hi);
    f.pop(kRef);
    return true;
  }
};

}  // namespace heddle
