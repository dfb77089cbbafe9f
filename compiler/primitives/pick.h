#pragma once

#include "compiler/primitives/spec.h"

namespace heddle {

struct Pick {
  enum In { kRef, kIn };
  enum Out { kOut };
  enum Param { kDepth };
  struct State {
    std::uint32_t next =
        0;  // ordinal of the element at the head, counted from the start of the run
  };

  static constexpr std::array kParams{
      ParamSpec{"depth", 0, 8, 1, {}, "an element is this many fibers deep; 0: a value"}};
  static constexpr std::array kPorts{PortSpec{"ref", Dir::kIn, Payload::kRef, false,
                                              "ascending ordinals of the elements to keep, or N"},
                                     PortSpec{"in", Dir::kIn, Payload::kAny, false,
                                              "the elements, numbered from 0 through the run"},
                                     PortSpec{"out", Dir::kOut, Payload::kAny, false,
                                              "the kept elements; N gives N, or an empty element"}};
  static constexpr PrimitiveSpec kSpec{
      .name = "pick",
      .summary = "Takes elements out of a stream by their ordinal, as a scanner does from storage.",
      .params = kParams,
      .ports = kPorts};
  static constexpr int latency(const Params&, int) { return 1; }

  template <class Nests>
  static void nest(Nests& n, const Params& p) {
    if (p[kDepth] == 0) n.give(n.in(kRef), kOut);
  }

  template <class Firing>
  static bool step(State& s, const Params& p, Firing& f) {
    const int depth = p[kDepth];
    const Token* ref = f.head(kRef);
    if (ref == nullptr) return false;
    if (ref->is_empty()) {
      if (!f.room(kOut)) return false;
      f.push(kOut, depth > 0 ? stop(static_cast<std::uint32_t>(depth - 1)) : empty());
      f.pop(kRef);
      return true;
    }
    const Token* in = f.head(kIn);
    if (in == nullptr) return false;
    const bool inside = in_element(*in, depth);
    const bool last = ends_element(*in, depth);
    if (inside && (!ref->is_val() || s.next < ref->bits)) {  // not wanted
      f.pop(kIn);
      if (last) ++s.next;
      return true;
    }
    if (!f.room(kOut)) return false;
    if (!inside && (ref->is_val() || *in != outward(*ref, depth)))
      return f.fault(Fault::kMisaligned);
    f.push(kOut, *in);
    f.pop(kIn);
    if (last) ++s.next;
    if (last || !inside) f.pop(kRef);
    if (in->is_done()) s = {};
    return true;
  }
};

}  // namespace heddle
