#pragma once

#include "compiler/primitives/spec.h"

namespace heddle {

inline constexpr std::array<std::string_view, 2> kTypeNames{"f32", "i32"};  // ValueType
inline constexpr std::array<std::string_view, 10> kBinaryNames{"add", "sub", "mul", "div", "max",
                                                               "min", "lt",  "le",  "eq",  "ne"};
inline constexpr std::array<std::string_view, 3> kReduceNames{"sum", "max", "min"};

struct Alu {
  enum In { kA, kB };
  enum Out { kVal };
  enum Param { kOp, kType, kAbsent };
  enum Absent { kZero, kAny, kBoth, kLeft };
  struct State {};

  static constexpr std::array<std::string_view, 4> kAbsentNames{"zero", "any", "both", "left"};
  static constexpr std::array kParams{
      ParamSpec{"op", 0, 9, 0, kBinaryNames, "operation"},
      ParamSpec{"type", 0, 1, 0, kTypeNames, "type of the values"},
      ParamSpec{"absent", 0, 3, 0, kAbsentNames,
                "the result is N if: never, any operand is N, both are, the left one is; "
                "an operand N counts as zero otherwise"}};
  static constexpr std::array kPorts{PortSpec{"a", Dir::kIn, Payload::kVal, false, "left operand"},
                                     PortSpec{"b", Dir::kIn, Payload::kVal, false, "right operand"},
                                     PortSpec{"val", Dir::kOut, Payload::kVal, false, "a op b"}};
  static constexpr PrimitiveSpec kSpec{.name = "alu",
                                       .summary = "Combines two aligned value streams.",
                                       .params = kParams,
                                       .ports = kPorts};
  static constexpr int latency(const Params& p, int) {
    return heddle::latency(static_cast<BinaryOp>(p[kOp]), static_cast<ValueType>(p[kType]));
  }

  static constexpr bool absent(int mode, bool a, bool b) {
    return mode == kAny ? a || b : mode == kBoth ? a && b : mode == kLeft ? a : false;
  }

  template <class Nests>
  static void nest(Nests& n, const Params&) {
    n.give(n.in(kA), kVal);
  }

  template <class Firing>
  static bool step(State&, const Params& p, Firing& f) {
    const Token* a = f.head(kA);
    const Token* b = f.head(kB);
    if (a == nullptr || b == nullptr || !f.room(kVal)) return false;
    if (a->is_element() != b->is_element() || (a->is_control() && *a != *b))
      return f.fault(Fault::kMisaligned);
    Token out = *a;
    if (a->is_element())
      out = absent(p[kAbsent], a->is_empty(), b->is_empty())
                ? empty()
                : val(apply(static_cast<BinaryOp>(p[kOp]), static_cast<ValueType>(p[kType]),
                            a->is_val() ? a->bits : 0, b->is_val() ? b->bits : 0));
    f.push(kVal, out);
    f.pop(kA);
    f.pop(kB);
    return true;
  }
};

}  // namespace heddle
