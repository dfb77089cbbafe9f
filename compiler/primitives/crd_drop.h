#pragma once

#include "compiler/primitives/spec.h"

namespace heddle {

struct CrdDrop {
  enum In { kOuterIn, kInnerIn };
  enum Out { kOuter, kInner };
  enum Param { kDepth };
  struct State {
    bool kept = false;  // this fiber's outer coordinate is already passed on
  };

  static constexpr std::array kParams{
      ParamSpec{"depth",
                1,
                8,
                1,
                {},
                "an outer coordinate's part of the inner stream is this many fibers deep"}};
  static constexpr std::array kPorts{
      PortSpec{"outer_in", Dir::kIn, Payload::kCrd, false, "outer coordinates"},
      PortSpec{"inner_in", Dir::kIn, Payload::kAny, false, "an inner fiber for each"},
      PortSpec{"outer", Dir::kOut, Payload::kCrd, false,
               "outer coordinates whose fiber is not empty"},
      PortSpec{"inner", Dir::kOut, Payload::kAny, false, "the fibers that are not empty"}};
  static constexpr PrimitiveSpec kSpec{
      .name = "crd_drop",
      .summary = "Removes outer coordinates whose inner fiber is empty, with that fiber.",
      .params = kParams,
      .ports = kPorts};
  static constexpr int latency(const Params&, int) { return 1; }

  template <class Nests>
  static void nest(Nests& n, const Params& p) {
    n.give(n.renew(n.in(kOuterIn), kOuter), kOuter);
    n.give(n.renew(n.in(kInnerIn), kOuter, p[kDepth]), kInner);
  }

  template <class Firing>
  static bool step(State& s, const Params& p, Firing& f) {
    const Token* inner = f.head(kInnerIn);
    if (inner == nullptr) return false;
    const bool inside = in_element(*inner, p[kDepth]);
    const bool last = ends_element(*inner, p[kDepth]);
    if (s.kept) {  // inside a fiber that is kept, up to its stop
      if (!f.room(kInner)) return false;
      f.push(kInner, *inner);
      f.pop(kInnerIn);
      s.kept = !last;
      return true;
    }
    const Token* outer = f.head(kOuterIn);
    if (outer == nullptr) return false;
    if (inside ? !outer->is_element() : *inner != outward(*outer, p[kDepth]))
      return f.fault(Fault::kMisaligned);
    if (last) {
      f.pop(kOuterIn);
      f.pop(kInnerIn);
      return true;
    }
    if (!f.room(kOuter) || !f.room(kInner)) return false;
    f.push(kOuter, *outer);
    f.push(kInner, *inner);
    f.pop(kOuterIn);
    f.pop(kInnerIn);
    s.kept = inside;
    return true;
  }
};

}  // namespace heddle
