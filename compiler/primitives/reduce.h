#pragma once

#include "compiler/primitives/alu.h"
#include "compiler/primitives/wide_sum.h"

namespace heddle {

/// The operation of a reduction as a binary one.
constexpr BinaryOp binary_of_reduction(int op) {
  return op == 0 ? BinaryOp::kAdd : op == 1 ? BinaryOp::kMax : BinaryOp::kMin;
}

/// Whether it is a WideSum; other reductions take a cycle for each operation.
constexpr bool is_wide_sum(int op, ValueType type) { return op == 0 && type == ValueType::kF32; }

/// What an empty reduction gives where it must give something: 0, the least or the greatest value.
constexpr std::uint32_t reduction_identity(int op, ValueType type) {
  if (op == 0) return 0;
  if (type == ValueType::kF32) return op == 1 ? 0xff800000u : 0x7f800000u;
  return op == 1 ? 0x80000000u : 0x7fffffffu;
}

/// Values are combined in the order in which they come; a sum of f32 is a WideSum and rounded once,
/// at the end of its fiber.
struct Reduce {
  enum In { kIn };
  enum Out { kVal };
  enum Param { kOp, kType, kEmpty, kZeros };
  enum Register { kSize };
  struct State {
    // Of the fiber so far, in the order of its elements.
    WideSum wide;             // a sum of f32
    std::uint32_t sum = 0;    // any other reduction
    std::uint32_t count = 0;  // elements, N not counted
  };

  static constexpr std::array<std::string_view, 2> kEmptyNames{"empty", "identity"};
  static constexpr std::array<std::string_view, 2> kZerosNames{"ignored", "counted"};
  static constexpr std::array kParams{
      ParamSpec{"op", 0, 2, 0, kReduceNames, "operation"},
      ParamSpec{"type", 0, 1, 0, kTypeNames, "type of the values"},
      ParamSpec{"empty", 0, 1, 0, kEmptyNames, "an empty fiber gives N, or the identity"},
      ParamSpec{"zeros", 0, 1, 0, kZerosNames,
                "whether a non-empty fiber with fewer than size elements also contains a zero"}};
  static constexpr std::array kPorts{
      PortSpec{"in", Dir::kIn, Payload::kVal, false, "fibers of values"},
      PortSpec{"val", Dir::kOut, Payload::kVal, false, "one value per fiber"}};
  static constexpr std::array kRegisters{
      RegisterSpec{"size", "elements of a full fiber (used when zeros are counted)"}};
  static constexpr PrimitiveSpec kSpec{.name = "reduce",
                                       .summary = "Reduces each innermost fiber to one value.",
                                       .params = kParams,
                                       .ports = kPorts,
                                       .registers = kRegisters};
  static constexpr int latency(const Params& p, int) {
    return is_wide_sum(p[kOp], static_cast<ValueType>(p[kType])) ? kWideSumLatency : 1;
  }

  template <class Nests>
  static void nest(Nests& n, const Params&) {
    n.give(n.leave(n.in(kIn)), kVal);
  }

  static void add(State& s, const Params& p, std::uint32_t bits) {
    const auto type = static_cast<ValueType>(p[kType]);
    if (is_wide_sum(p[kOp], type))
      s.wide.add(bits);
    else
      s.sum = s.count == 0 ? bits : apply(binary_of_reduction(p[kOp]), type, s.sum, bits);
    ++s.count;
  }

  template <class Firing>
  static bool step(State& s, const Params& p, Firing& f) {
    const Token* in = f.head(kIn);
    if (in == nullptr) return false;
    if (in->is_element()) {
      if (in->is_val()) add(s, p, in->bits);
      f.pop(kIn);
      return true;
    }
    if (!f.room(kVal)) return false;
    if (!in->is_stop(0)) {
      f.push(kVal, inward(*in));
      f.pop(kIn);
      return true;
    }
    const auto type = static_cast<ValueType>(p[kType]);
    Token out = p[kEmpty] == 0 ? empty() : val(reduction_identity(p[kOp], type));
    if (s.count != 0) {
      if (p[kZeros] == 1 && s.count < f.reg(kSize)) add(s, p, 0);
      out = val(is_wide_sum(p[kOp], type) ? s.wide.rounded() : s.sum);
    }
    f.push(kVal, out);
    f.pop(kIn);
    s = {};
    return true;
  }
};

}  // namespace heddle
