#pragma once

#include "compiler/primitives/spec.h"

namespace heddle {

struct Constant {
  enum In { kIn };
  enum Out { kOut };
  enum Register { kValue };
  struct State {};

  static constexpr std::array kPorts{
      PortSpec{"in", Dir::kIn, Payload::kAny, false, "a stream of the wanted shape"},
      PortSpec{"out", Dir::kOut, Payload::kAny, false, "the constant in place of each element"}};
  static constexpr std::array kRegisters{RegisterSpec{"value", "the constant"}};
  static constexpr PrimitiveSpec kSpec{.name = "constant",
                                       .summary = "Replaces every element by a constant.",
                                       .ports = kPorts,
                                       .registers = kRegisters};
  static constexpr int latency(const Params&, int) { return 1; }

  template <class Nests>
  static void nest(Nests& n, const Params&) {
    n.give(n.in(kIn), kOut);
  }

  template <class Firing>
  static bool step(State&, const Params&, Firing& f) {
    const Token* in = f.head(kIn);
    if (in == nullptr || !f.room(kOut)) return false;
    f.push(kOut, in->is_element() ? val(f.reg(kValue)) : *in);
    f.pop(kIn);
    return true;
  }
};

}  // namespace heddle
