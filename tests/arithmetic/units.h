// Every arithmetic unit that a bench instantiates, in the order of its result words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/primitives/arithmetic.h"

namespace heddle {

struct Unit {
  bool binary;
  ValueType type;
  BinaryOp binary_op;
  UnaryOp unary_op;

  std::string label() const {
    return std::string(name(type)) + " " + std::string(binary ? name(binary_op) : name(unary_op));
  }
  std::string op() const { return std::string(binary ? name(binary_op) : name(unary_op)); }
  int stages() const { return (binary ? latency(binary_op, type) : latency(unary_op, type)) - 1; }
  std::uint32_t expect(std::uint32_t a, std::uint32_t b) const {
    return binary ? apply(binary_op, type, a, b) : apply(unary_op, type, a);
  }
};

inline std::vector<Unit> all_units() {
  std::vector<Unit> units;
  for (const ValueType type : {ValueType::kF32, ValueType::kI32}) {
    for (std::size_t i = 0; i < kBinaryOpNames.size(); ++i) {
      units.push_back({true, type, static_cast<BinaryOp>(i), UnaryOp::kNeg});
    }
    for (std::size_t i = 0; i < kUnaryOpNames.size(); ++i) {
      const auto op = static_cast<UnaryOp>(i);
      if (supports(op, type)) units.push_back({false, type, BinaryOp::kAdd, op});
    }
  }
  return units;
}

}  // namespace heddle
