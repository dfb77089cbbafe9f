#pragma once

#include "compiler/primitives/spec.h"

namespace heddle {

struct Flags {
  enum Param { kN };
  struct State {};

  static constexpr std::array kParams{ParamSpec{"n", 1, 32, 2, {}, "streams of values"}};
  static constexpr std::array kPorts{
      PortSpec{"val", Dir::kIn, Payload::kVal, true, "aligned values"},
      PortSpec{"bits", Dir::kOut, Payload::kVal, false, "bit i is set where value i is not N"}};
  static constexpr PrimitiveSpec kSpec{
      .name = "flags",
      .summary = "Says which of several aligned values are not N, as the bits of a word.",
      .params = kParams,
      .ports = kPorts};
  static constexpr int latency(const Params&, int) { return 1; }

  template <class Nests>
  static void nest(Nests& n, const Params&) {
    n.give(n.in(0), 0);
  }

  template <class Firing>
  static bool step(State&, const Params& p, Firing& f) {
    for (int i = 0; i < p[kN]; ++i)
      if (f.head(i) == nullptr) return false;
    if (!f.room(0)) return false;
    const Token first = *f.head(0);
    std::uint32_t bits = 0;
    for (int i = 0; i < p[kN]; ++i) {
      const Token& in = *f.head(i);
      if (in.is_element() != first.is_element() || (in.is_control() && in != first))
        return f.fault(Fault::kMisaligned);
      if (in.is_val()) bits |= std::uint32_t{1} << i;
    }
    f.push(0, first.is_element() ? val(bits) : first);
    for (int i = 0; i < p[kN]; ++i) f.pop(i);
    return true;
  }
};

}  // namespace heddle
