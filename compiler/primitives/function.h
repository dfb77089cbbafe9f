#pragma once

#include "compiler/primitives/alu.h"

namespace heddle {

inline constexpr std::array<std::string_view, 11> kUnaryNames{
    "neg", "abs", "relu", "sqrt", "exp", "log", "rsqrt", "reciprocal", "tanh", "sigmoid", "gelu"};

struct Function {
  enum In { kIn };
  enum Out { kVal };
  enum Param { kOp, kType, kAbsent };
  struct State {};

  static constexpr std::array<std::string_view, 2> kAbsentNames{"empty", "zero"};
  static constexpr std::array kParams{
      ParamSpec{"op", 0, 10, 2, kUnaryNames, "function"},
      ParamSpec{"type", 0, 1, 0, kTypeNames, "type of the values"},
      ParamSpec{"absent", 0, 1, 0, kAbsentNames, "the function of N: N, or that of zero"}};
  static constexpr std::array kPorts{PortSpec{"in", Dir::kIn, Payload::kVal, false, "arguments"},
                                     PortSpec{"val", Dir::kOut, Payload::kVal, false, "results"}};
  static constexpr PrimitiveSpec kSpec{.name = "function",
                                       .summary = "Applies a function to each value.",
                                       .params = kParams,
                                       .ports = kPorts};
  static constexpr int latency(const Params& p, int) {
    return heddle::latency(static_cast<UnaryOp>(p[kOp]), static_cast<ValueType>(p[kType]));
  }

  template <class Nests>
  static void nest(Nests& n, const Params&) {
    n.give(n.in(kIn), kVal);
  }

  template <class Firing>
  static bool step(State&, const Params& p, Firing& f) {
    const Token* in = f.head(kIn);
    if (in == nullptr || !f.room(kVal)) return false;
    Token out = *in;
    if (in->is_val() || (in->is_empty() && p[kAbsent] == 1))
      out = val(apply(static_cast<UnaryOp>(p[kOp]), static_cast<ValueType>(p[kType]),
                      in->is_val() ? in->bits : 0));
    f.push(kVal, out);
    f.pop(kIn);
    return true;
  }
};

}  // namespace heddle
