#pragma once

#include "compiler/primitives/spec.h"

namespace heddle {

struct Flatten {
  enum In { kIn };
  enum Out { kOut };
  enum Param { kLevel };
  struct State {};

  static constexpr std::array kParams{
      ParamSpec{"level", 0, 8, 0, {}, "level of the stops that go"}};
  static constexpr std::array kPorts{
      PortSpec{"in", Dir::kIn, Payload::kAny, false, "fibers of elements"},
      PortSpec{"out", Dir::kOut, Payload::kAny, false, "the same with one level less"}};
  static constexpr PrimitiveSpec kSpec{
      .name = "flatten",
      .summary = "Joins the fibers of one level: takes out their stops.",
      .params = kParams,
      .ports = kPorts};
  static constexpr int latency(const Params&, int) { return 1; }

  template <class Nests>
  static void nest(Nests& n, const Params& p) {
    n.give(n.leave(n.in(kIn), p[kLevel] + 1), kOut);
  }

  template <class Firing>
  static bool step(State&, const Params& p, Firing& f) {
    const Token* in = f.head(kIn);
    if (in == nullptr) return false;
    const auto level = static_cast<std::uint32_t>(p[kLevel]);
    if (!in->is_stop(level)) {
      if (!f.room(kOut)) return false;
      f.push(kOut, in->is_stop() && in->bits > level ? inward(*in) : *in);
    }
    f.pop(kIn);
    return true;
  }
};

}  // namespace heddle
