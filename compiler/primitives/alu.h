#pragma once

#include "compiler/primitives/spec.h"

namespace heddle {

inline constexpr std::array<std::string_view, 2> kTypeNames{"f32", "i32"};  // ValueType
inline constexpr std::array<std::string_view, 10> kBinaryNames{"add", "sub", "mul", "div", "max",
                                                               "min", "lt",  "le",  "eq",  "ne"};
inline constexpr std::array<std::string_view, 3> kReduceNames{"sum", "max", "min"};

/// What changes nothing as an operand: of operations without such a value, zero.
constexpr std::uint32_t neutral(BinaryOp op, ValueType type) {
  const bool f32 = type == ValueType::kF32;
  switch (op) {
    case BinaryOp::kAdd:
      return f32 ? 0x80000000u : 0;  // x + -0 is x, for both zeros
    case BinaryOp::kMax:
      return f32 ? 0xff800000u : 0x80000000u;
    case BinaryOp::kMin:
      return f32 ? 0x7f800000u : 0x7fffffffu;
    default:
      return 0;
  }
}

struct Alu {
  enum In { kA, kB };
  enum Out { kVal };
  enum Param { kOp, kType, kAbsent };
  enum Absent { kZero, kAny, kBoth, kLeft, kNeutral };
  struct State {};

  static constexpr std::array<std::string_view, 5> kAbsentNames{"zero", "any", "both", "left",
                                                                "neutral"};
  static constexpr std::array kParams{
      ParamSpec{"op", 0, 9, 0, kBinaryNames, "operation"},
      ParamSpec{"type", 0, 1, 0, kTypeNames, "type of the values"},
      ParamSpec{
          "absent", 0, 4, 0, kAbsentNames,
          "the result is N if: never, any operand is N, both are, the left one is, both are; "
          "an operand N counts as zero otherwise (in the first case also beside an infinity), in "
          "the last case as what changes nothing"}};
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
    return mode == kAny                        ? a || b
           : mode == kBoth || mode == kNeutral ? a && b
           : mode == kLeft                     ? a
                                               : false;
  }

  /// A factor N makes a product zero, and a dividend N a quotient, whatever the other operand is:
  /// it may be infinite, or N too.
  static constexpr bool vanishes(const Params& p, bool a, bool b) {
    if (p[kAbsent] != kZero) return false;
    const auto op = static_cast<BinaryOp>(p[kOp]);
    return op == BinaryOp::kMul ? a || b : op == BinaryOp::kDiv && a;
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
    if (a->is_element()) {
      const auto op = static_cast<BinaryOp>(p[kOp]);
      const auto type = static_cast<ValueType>(p[kType]);
      const std::uint32_t nothing = p[kAbsent] == kNeutral ? neutral(op, type) : 0;
      out = absent(p[kAbsent], a->is_empty(), b->is_empty()) ? empty()
            : vanishes(p, a->is_empty(), b->is_empty())
                ? val(0)
                : val(apply(op, type, a->is_val() ? a->bits : nothing,
                            b->is_val() ? b->bits : nothing));
    }
    f.push(kVal, out);
    f.pop(kA);
    f.pop(kB);
    return true;
  }
};

}  // namespace heddle
