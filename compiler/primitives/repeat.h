#pragma once

#include "compiler/primitives/spec.h"

namespace heddle {

struct Repeat {
  enum In { kIn, kCrd };
  enum Out { kOut };
  struct State {};

  static constexpr std::array kPorts{
      PortSpec{"in", Dir::kIn, Payload::kAny, false, "references or values, one per fiber"},
      PortSpec{"crd", Dir::kIn, Payload::kAny, false, "fibers that say how often"},
      PortSpec{"out", Dir::kOut, Payload::kAny, false, "each input once per element of its fiber"}};
  static constexpr PrimitiveSpec kSpec{
      .name = "repeat",
      .summary = "Repeats a reference or value once per element of another stream's fiber.",
      .ports = kPorts};
  static constexpr int latency(const Params&, int) { return 1; }

  template <class Nests>
  static void nest(Nests& n, const Params&) {
    n.give(n.in(kCrd), kOut);
  }

  template <class Firing>
  static bool step(State&, const Params&, Firing& f) {
    const Token* in = f.head(kIn);
    const Token* crd = f.head(kCrd);
    if (in == nullptr || crd == nullptr || !f.room(kOut)) return false;
    const bool inside = crd->is_element() || crd->is_stop(0);
    if (inside ? in->is_control() : *crd != outward(*in)) return f.fault(Fault::kMisaligned);
    if (crd->is_element()) {
      f.push(kOut, *in);
    } else {
      f.push(kOut, *crd);
      f.pop(kIn);
    }
    f.pop(kCrd);
    return true;
  }
};

}  // namespace heddle
