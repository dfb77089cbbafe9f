#pragma once

#include "compiler/primitives/spec.h"

namespace heddle {

struct Gate {
  enum In { kIn, kBits };
  enum Out { kVal };
  enum Param { kBit };
  struct State {};

  static constexpr std::array kParams{
      ParamSpec{"bit", 0, 31, 0, {}, "the bit that says whether the value is there"}};
  static constexpr std::array kPorts{
      PortSpec{"in", Dir::kIn, Payload::kVal, false, "values"},
      PortSpec{"bits", Dir::kIn, Payload::kVal, false, "a word for each; N is no bits"},
      PortSpec{"val", Dir::kOut, Payload::kVal, false, "the values whose bit is set, else N"}};
  static constexpr PrimitiveSpec kSpec{
      .name = "gate",
      .summary = "Lets values pass where a bit of a word is set; the others become N.",
      .params = kParams,
      .ports = kPorts};
  static constexpr int latency(const Params&, int) { return 1; }

  template <class Nests>
  static void nest(Nests& n, const Params&) {
    n.give(n.in(kIn), kVal);
  }

  template <class Firing>
  static bool step(State&, const Params& p, Firing& f) {
    const Token* in = f.head(kIn);
    const Token* bits = f.head(kBits);
    if (in == nullptr || bits == nullptr || !f.room(kVal)) return false;
    if (in->is_element() != bits->is_element() || (in->is_control() && *in != *bits))
      return f.fault(Fault::kMisaligned);
    const bool there = bits->is_val() && (bits->bits >> p[kBit] & 1) != 0;
    f.push(kVal, in->is_element() && !there ? empty() : *in);
    f.pop(kIn);
    f.pop(kBits);
    return true;
  }
};

}  // namespace heddle
