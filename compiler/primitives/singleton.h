#pragma once

#include "compiler/primitives/spec.h"

namespace heddle {

struct Singleton {
  enum In { kIn };
  enum Out { kCrd };
  struct State {
    bool inside = false;
  };

  static constexpr std::array kPorts{
      PortSpec{"in", Dir::kIn, Payload::kCrd, false, "coordinates"},
      PortSpec{"crd", Dir::kOut, Payload::kCrd, false, "a fiber of one coordinate for each"}};
  static constexpr PrimitiveSpec kSpec{
      .name = "singleton",
      .summary = "Makes a fiber of each coordinate: the rows of an identity matrix.",
      .ports = kPorts};
  static constexpr int latency(const Params&, int) { return 1; }

  template <class Nests>
  static void nest(Nests& n, const Params&) {
    n.give(n.enter(n.in(kIn), kCrd), kCrd);
  }

  template <class Firing>
  static bool step(State& s, const Params&, Firing& f) {
    const Token* in = f.head(kIn);
    if (in == nullptr || !f.room(kCrd)) return false;
    if (in->is_val() && !s.inside) {  // N gives an empty fiber
      f.push(kCrd, *in);
      s.inside = true;
      return true;
    }
    f.push(kCrd, in->is_element() ? stop(0) : outward(*in));
    f.pop(kIn);
    s = {};
    return true;
  }
};

}  // namespace heddle
