#pragma once

#include "compiler/primitives/spec.h"

namespace heddle {

struct Fork {
  enum Param { kN };
  struct State {};

  static constexpr std::array kParams{ParamSpec{"n", 2, 64, 2, {}, "readers"}};
  static constexpr std::array kPorts{
      PortSpec{"in", Dir::kIn, Payload::kAny, false, "any stream"},
      PortSpec{"out", Dir::kOut, Payload::kAny, true, "the same stream for each reader"}};
  static constexpr PrimitiveSpec kSpec{
      .name = "fork",
      .summary = "Copies a stream to several readers, to all at once.",
      .params = kParams,
      .ports = kPorts};
  static constexpr int latency(const Params&, int) { return 1; }

  template <class Nests>
  static void nest(Nests& n, const Params& p) {
    for (int i = 0; i < p[kN]; ++i) n.give(n.in(0), i);
  }

  template <class Firing>
  static bool step(State&, const Params& p, Firing& f) {
    const Token* in = f.head(0);
    if (in == nullptr) return false;
    for (int o = 0; o < p[kN]; ++o)
      if (!f.room(o)) return false;
    for (int o = 0; o < p[kN]; ++o) f.push(o, *in);
    f.pop(0);
    return true;
  }
};

}  // namespace heddle
