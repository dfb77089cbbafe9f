#include "compiler/einsum/reference_arithmetic.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace heddle {
namespace {

constexpr auto kF32 = ValueType::kF32;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

float f32(double x) { return static_cast<float>(x); }

double engine(UnaryOp op, double x) {
  return static_cast<double>(
      std::bit_cast<float>(apply(op, kF32, std::bit_cast<std::uint32_t>(f32(x)))));
}

double engine(BinaryOp op, double x, double y) {
  return static_cast<double>(std::bit_cast<float>(
      apply(op, kF32, std::bit_cast<std::uint32_t>(f32(x)), std::bit_cast<std::uint32_t>(f32(y)))));
}

bool agrees(const Cell& reference, double value) {
  if (reference.bound == kInfinity) return true;
  if (!std::isfinite(reference.value)) {
    return std::isnan(reference.value) ? std::isnan(value) : reference.value == value;
  }
  return std::abs(reference.value - value) <= reference.bound;
}

constexpr double kOperands[] = {0,      -0.0,   1,      -1,    0.3,  -0.7,      3.25,      100,
                                -100,   1e-30,  -1e-30, 1e-44, 1e20, -1e20,     3e38,      1e-5,
                                0.9999, 1.0001, 15.9,   -15.9, 88.7, kInfinity, -kInfinity};

TEST(ReferenceArithmetic, BoundsEveryFunctionOfExactOperands) {
  for (std::size_t n = 0; n < kUnaryOpNames.size(); ++n) {
    const auto op = static_cast<UnaryOp>(n);
    for (const double x : kOperands) {
      const double exact = f32(x);
      EXPECT_TRUE(agrees(apply_reference(op, kF32, {exact, 0, true}), engine(op, exact)))
          << name(op) << " " << x;
    }
  }
}

TEST(ReferenceArithmetic, BoundsEveryOperationOnExactOperands) {
  for (std::size_t n = 0; n < kBinaryOpNames.size(); ++n) {
    const auto op = static_cast<BinaryOp>(n);
    for (const double x : kOperands) {
      for (const double y : kOperands) {
        const Cell reference = apply_reference(op, kF32, {f32(x), 0, true}, {f32(y), 0, true});
        EXPECT_TRUE(agrees(reference, engine(op, x, y))) << name(op) << " " << x << " " << y;
      }
    }
  }
}

TEST(ReferenceArithmetic, BoundsOperandsThatAreOff) {
  for (std::size_t n = 0; n < kUnaryOpNames.size(); ++n) {
    const auto op = static_cast<UnaryOp>(n);
    for (const double x : kOperands) {
      if (std::isinf(x)) continue;
      const double off = 1e-3 * std::abs(x) + 1e-6;
      const Cell reference = apply_reference(op, kF32, {x, off, true});
      for (const double part : {-0.999, -0.5, 0.25, 0.999}) {
        EXPECT_TRUE(agrees(reference, engine(op, x + part * off)))
            << name(op) << " " << x << " " << part;
      }
    }
  }
  for (std::size_t n = 0; n < kBinaryOpNames.size(); ++n) {
    const auto op = static_cast<BinaryOp>(n);
    for (const double x : kOperands) {
      for (const double y : kOperands) {
        if (std::isinf(x) || std::isinf(y)) continue;
        if (y == 1e-44 || y == 0) continue;  // its f32 is far off, or of the other sign
        const double off_x = 1e-3 * std::abs(x) + 1e-6;
        const double off_y = 1e-2 * std::abs(y);
        const Cell reference = apply_reference(op, kF32, {x, off_x, true}, {y, off_y, true});
        for (const double part : {-0.999, 0.999}) {
          EXPECT_TRUE(agrees(reference, engine(op, x + part * off_x, y - part * off_y)))
              << name(op) << " " << x << " " << y;
        }
      }
    }
  }
}

TEST(ReferenceArithmetic, KnowsNothingAfterADivisorThatMayBeZero) {
  EXPECT_EQ(apply_reference(BinaryOp::kDiv, kF32, {1, 0, true}, {1e-9, 1e-8, true}).bound,
            kInfinity);
  EXPECT_EQ(apply_reference(UnaryOp::kRsqrt, kF32, {1e-9, 1e-8, true}).bound, kInfinity);
  EXPECT_EQ(apply_reference(UnaryOp::kLog, kF32, {1e-9, 1e-8, true}).bound, kInfinity);
  const Cell unknown{0, kInfinity, true};
  EXPECT_EQ(apply_reference(BinaryOp::kMul, kF32, unknown, {0, 0, true}).bound, kInfinity);
  EXPECT_EQ(apply_reference(UnaryOp::kTanh, kF32, unknown).bound, kInfinity);
}

TEST(ReferenceArithmetic, AddsNothingForZerosAndSingleTerms) {
  const Cell x{1.5, 0, true};
  EXPECT_EQ(apply_reference(BinaryOp::kAdd, kF32, x, Cell{}).bound, 0);
  SumCell sum;
  sum.add(x, kF32);
  EXPECT_EQ(sum.result(kF32).bound, 0);
  EXPECT_FALSE(SumCell().result(kF32).present);
}

TEST(ReferenceArithmetic, DoubtsConditionsCloseToZero) {
  const Cell one{1, 0, true};
  const Cell five{5, 0, true};
  EXPECT_EQ(select_reference({0.5, 0.1, true}, one, five).bound, 0);
  const Cell doubtful = select_reference({0.05, 0.1, true}, one, five);
  EXPECT_EQ(doubtful.value, 1);
  EXPECT_EQ(doubtful.bound, 4);
  EXPECT_EQ(apply_reference(BinaryOp::kLt, kF32, {1, 0.1, true}, {1.05, 0, true}).bound, 1);
}

}  // namespace
}  // namespace heddle
