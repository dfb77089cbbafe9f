#include "compiler/primitives/arithmetic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace heddle {
namespace {

constexpr std::uint32_t kNan = 0x7fc00000;
constexpr std::uint32_t kInf = 0x7f800000;
constexpr std::uint32_t kMinusInf = 0xff800000;
constexpr std::uint32_t kMinusZero = 0x80000000;
constexpr std::uint32_t kSignalingNan = 0xff800001;
constexpr std::uint32_t kIntMin = 0x80000000;
constexpr std::uint32_t kMinusOne = 0xffffffff;

std::uint32_t f(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

std::uint32_t f32(BinaryOp op, std::uint32_t a, std::uint32_t b) {
  return apply(op, ValueType::kF32, a, b);
}
std::uint32_t f32(UnaryOp op, std::uint32_t a) { return apply(op, ValueType::kF32, a); }
std::uint32_t i32(BinaryOp op, std::uint32_t a, std::uint32_t b) {
  return apply(op, ValueType::kI32, a, b);
}
std::uint32_t i32(UnaryOp op, std::uint32_t a) { return apply(op, ValueType::kI32, a); }

TEST(Arithmetic, NamesParseBack) {
  EXPECT_EQ(name(BinaryOp::kAdd), "add");
  EXPECT_EQ(name(BinaryOp::kNe), "ne");
  EXPECT_EQ(name(UnaryOp::kNeg), "neg");
  EXPECT_EQ(name(UnaryOp::kGelu), "gelu");
  EXPECT_EQ(name(ValueType::kI32), "i32");
  for (std::size_t i = 0; i < kBinaryOpNames.size(); ++i) {
    EXPECT_EQ(parse_binary_op(kBinaryOpNames[i]), static_cast<BinaryOp>(i));
  }
  for (std::size_t i = 0; i < kUnaryOpNames.size(); ++i) {
    EXPECT_EQ(parse_unary_op(kUnaryOpNames[i]), static_cast<UnaryOp>(i));
  }
  for (std::size_t i = 0; i < kValueTypeNames.size(); ++i) {
    EXPECT_EQ(parse_value_type(kValueTypeNames[i]), static_cast<ValueType>(i));
  }
  EXPECT_FALSE(parse_binary_op("plus").has_value());
  EXPECT_FALSE(parse_unary_op("").has_value());
  EXPECT_FALSE(parse_value_type("f64").has_value());
}

TEST(Arithmetic, SupportsFractionsForFloatsOnly) {
  static_assert(supports(UnaryOp::kExp, ValueType::kF32));
  static_assert(supports(UnaryOp::kRelu, ValueType::kI32));
  static_assert(!supports(UnaryOp::kSqrt, ValueType::kI32));
  static_assert(!supports(UnaryOp::kReciprocal, ValueType::kI32));
  static_assert(supports(BinaryOp::kDiv, ValueType::kI32));
}

TEST(Arithmetic, EveryLatencyIsAtLeastOne) {
  for (const ValueType type : {ValueType::kF32, ValueType::kI32}) {
    for (std::size_t i = 0; i < kBinaryOpNames.size(); ++i) {
      EXPECT_GE(latency(static_cast<BinaryOp>(i), type), 1) << kBinaryOpNames[i];
    }
    for (std::size_t i = 0; i < kUnaryOpNames.size(); ++i) {
      EXPECT_GE(latency(static_cast<UnaryOp>(i), type), 1) << kUnaryOpNames[i];
    }
  }
}

TEST(Arithmetic, IntegersWrap) {
  EXPECT_EQ(i32(BinaryOp::kAdd, 0x7fffffff, 1), kIntMin);
  EXPECT_EQ(i32(BinaryOp::kSub, kIntMin, 1), 0x7fffffffU);
  EXPECT_EQ(i32(BinaryOp::kMul, 0x10000, 0x10000), 0U);
  EXPECT_EQ(i32(BinaryOp::kMul, kMinusOne, kMinusOne), 1U);
  EXPECT_EQ(i32(UnaryOp::kNeg, kIntMin), kIntMin);
  EXPECT_EQ(i32(UnaryOp::kAbs, kIntMin), kIntMin);
  EXPECT_EQ(i32(UnaryOp::kAbs, kMinusOne), 1U);
  EXPECT_EQ(i32(UnaryOp::kRelu, kMinusOne), 0U);
  EXPECT_EQ(i32(UnaryOp::kRelu, 7), 7U);
}

TEST(Arithmetic, IntegerDivisionTruncatesAndNeverTraps) {
  EXPECT_EQ(i32(BinaryOp::kDiv, 7, 2), 3U);
  EXPECT_EQ(i32(BinaryOp::kDiv, static_cast<std::uint32_t>(-7), 2), static_cast<std::uint32_t>(-3));
  EXPECT_EQ(i32(BinaryOp::kDiv, 7, 0), kMinusOne);
  EXPECT_EQ(i32(BinaryOp::kDiv, static_cast<std::uint32_t>(-7), 0), kMinusOne);
  EXPECT_EQ(i32(BinaryOp::kDiv, kIntMin, kMinusOne), kIntMin);
}

TEST(Arithmetic, IntegersCompareSigned) {
  EXPECT_EQ(i32(BinaryOp::kLt, kMinusOne, 0), 1U);
  EXPECT_EQ(i32(BinaryOp::kLe, 0, kMinusOne), 0U);
  EXPECT_EQ(i32(BinaryOp::kEq, 5, 5), 1U);
  EXPECT_EQ(i32(BinaryOp::kNe, 5, 5), 0U);
  EXPECT_EQ(i32(BinaryOp::kMax, kMinusOne, 0), 0U);
  EXPECT_EQ(i32(BinaryOp::kMin, kMinusOne, 0), kMinusOne);
}

TEST(Arithmetic, EveryNanResultIsCanonical) {
  for (const std::uint32_t nan : {kSignalingNan, 0x7fffffffU, 0xffc00000U, 0x7f800001U}) {
    for (std::size_t i = 0; i < kUnaryOpNames.size(); ++i) {
      EXPECT_EQ(f32(static_cast<UnaryOp>(i), nan), kNan) << kUnaryOpNames[i];
    }
    for (const BinaryOp op : {BinaryOp::kAdd, BinaryOp::kSub, BinaryOp::kMul, BinaryOp::kDiv,
                              BinaryOp::kMax, BinaryOp::kMin}) {
      EXPECT_EQ(f32(op, nan, f(1)), kNan) << name(op);
      EXPECT_EQ(f32(op, f(1), nan), kNan) << name(op);
    }
  }
  EXPECT_EQ(f32(BinaryOp::kSub, kInf, kInf), kNan);
  EXPECT_EQ(f32(BinaryOp::kMul, 0, kMinusInf), kNan);
  EXPECT_EQ(f32(BinaryOp::kDiv, kMinusZero, 0), kNan);
  EXPECT_EQ(f32(UnaryOp::kSqrt, f(-1)), kNan);
}

TEST(Arithmetic, FloatsRoundToEvenAndKeepSubnormals) {
  EXPECT_EQ(f32(BinaryOp::kAdd, f(16777216), f(1)), f(16777216));
  EXPECT_EQ(f32(BinaryOp::kAdd, f(16777218), f(1)), f(16777220));
  EXPECT_EQ(f32(BinaryOp::kMul, 0x00800000, f(0.5F)), 0x00400000U);
  EXPECT_EQ(f32(BinaryOp::kMul, 1, f(0.5F)), 0U);
  EXPECT_EQ(f32(BinaryOp::kMul, 3, f(0.5F)), 2U);
  EXPECT_EQ(f32(BinaryOp::kSub, f(1), f(1)), 0U);
  EXPECT_EQ(f32(BinaryOp::kAdd, kMinusZero, kMinusZero), kMinusZero);
  EXPECT_EQ(f32(BinaryOp::kDiv, f(-1), 0), kMinusInf);
  EXPECT_EQ(f32(UnaryOp::kSqrt, kMinusZero), kMinusZero);
}

TEST(Arithmetic, MaxAndMinOrderTheZeros) {
  EXPECT_EQ(f32(BinaryOp::kMax, 0, kMinusZero), 0U);
  EXPECT_EQ(f32(BinaryOp::kMax, kMinusZero, 0), 0U);
  EXPECT_EQ(f32(BinaryOp::kMin, 0, kMinusZero), kMinusZero);
  EXPECT_EQ(f32(BinaryOp::kMin, kMinusZero, 0), kMinusZero);
  EXPECT_EQ(f32(BinaryOp::kMax, f(-2), f(-3)), f(-2));
  EXPECT_EQ(f32(BinaryOp::kMin, f(-2), kMinusInf), kMinusInf);
  EXPECT_EQ(f32(UnaryOp::kRelu, kMinusZero), 0U);
  EXPECT_EQ(f32(UnaryOp::kRelu, f(-3)), 0U);
  EXPECT_EQ(f32(UnaryOp::kRelu, kInf), kInf);
}

TEST(Arithmetic, NanComparesUnequalOnly) {
  for (const BinaryOp op : {BinaryOp::kLt, BinaryOp::kLe, BinaryOp::kEq}) {
    EXPECT_EQ(f32(op, kNan, kNan), 0U) << name(op);
    EXPECT_EQ(f32(op, f(1), kSignalingNan), 0U) << name(op);
  }
  EXPECT_EQ(f32(BinaryOp::kNe, kNan, kNan), f(1));
  EXPECT_EQ(f32(BinaryOp::kEq, 0, kMinusZero), f(1));
  EXPECT_EQ(f32(BinaryOp::kLt, kMinusZero, 0), 0U);
  EXPECT_EQ(f32(BinaryOp::kLe, kMinusZero, 0), f(1));
  EXPECT_EQ(f32(BinaryOp::kLt, f(-2), f(-1)), f(1));
}

TEST(Arithmetic, FunctionsMeetTheirSpecialValues) {
  EXPECT_EQ(f32(UnaryOp::kExp, kMinusInf), 0U);
  EXPECT_EQ(f32(UnaryOp::kExp, kInf), kInf);
  EXPECT_EQ(f32(UnaryOp::kExp, 0), f(1));
  EXPECT_EQ(f32(UnaryOp::kExp, f(89)), kInf);
  EXPECT_EQ(f32(UnaryOp::kExp, f(-100)), 27U);  // subnormal
  EXPECT_EQ(f32(UnaryOp::kExp, f(-104)), 0U);

  EXPECT_EQ(f32(UnaryOp::kLog, 0), kMinusInf);
  EXPECT_EQ(f32(UnaryOp::kLog, kMinusZero), kMinusInf);
  EXPECT_EQ(f32(UnaryOp::kLog, kInf), kInf);
  EXPECT_EQ(f32(UnaryOp::kLog, f(1)), 0U);
  EXPECT_EQ(f32(UnaryOp::kLog, f(-1)), kNan);
  EXPECT_EQ(f32(UnaryOp::kLog, kMinusInf), kNan);

  EXPECT_EQ(f32(UnaryOp::kRsqrt, 0), kInf);
  EXPECT_EQ(f32(UnaryOp::kRsqrt, kMinusZero), kMinusInf);
  EXPECT_EQ(f32(UnaryOp::kRsqrt, kInf), 0U);
  EXPECT_EQ(f32(UnaryOp::kRsqrt, f(-4)), kNan);
  EXPECT_EQ(f32(UnaryOp::kRsqrt, f(4)), f(0.5F));
  EXPECT_EQ(f32(UnaryOp::kRsqrt, f(1)), f(1));

  EXPECT_EQ(f32(UnaryOp::kReciprocal, 0), kInf);
  EXPECT_EQ(f32(UnaryOp::kReciprocal, kMinusZero), kMinusInf);
  EXPECT_EQ(f32(UnaryOp::kReciprocal, kMinusInf), kMinusZero);

  EXPECT_EQ(f32(UnaryOp::kTanh, kInf), f(1));
  EXPECT_EQ(f32(UnaryOp::kTanh, kMinusInf), f(-1));
  EXPECT_EQ(f32(UnaryOp::kTanh, kMinusZero), kMinusZero);
  EXPECT_EQ(f32(UnaryOp::kTanh, 1), 1U);

  EXPECT_EQ(f32(UnaryOp::kSigmoid, kInf), f(1));
  EXPECT_EQ(f32(UnaryOp::kSigmoid, kMinusInf), 0U);
  EXPECT_EQ(f32(UnaryOp::kSigmoid, 0), f(0.5F));
  EXPECT_EQ(f32(UnaryOp::kSigmoid, kMinusZero), f(0.5F));

  EXPECT_EQ(f32(UnaryOp::kGelu, kInf), kInf);
  EXPECT_EQ(f32(UnaryOp::kGelu, kMinusInf), kMinusZero);
  EXPECT_EQ(f32(UnaryOp::kGelu, 0), 0U);
  EXPECT_EQ(f32(UnaryOp::kGelu, kMinusZero), kMinusZero);
  EXPECT_EQ(f32(UnaryOp::kGelu, f(20)), f(20));
}

// The odd functions are odd to the bit, and sigmoid(x) + sigmoid(-x) is 1 up to rounding.
TEST(Arithmetic, FunctionsKeepTheirSymmetry) {
  for (std::uint32_t a = 1; a < kInf; a += 104729) {
    EXPECT_EQ(f32(UnaryOp::kTanh, a | kMinusZero), f32(UnaryOp::kTanh, a) | kMinusZero);
    EXPECT_EQ(f32(UnaryOp::kReciprocal, a | kMinusZero), f32(UnaryOp::kReciprocal, a) | kMinusZero);
    const double sum =
        static_cast<double>(arithmetic::to_float(f32(UnaryOp::kSigmoid, a))) +
        static_cast<double>(arithmetic::to_float(f32(UnaryOp::kSigmoid, a | kMinusZero)));
    EXPECT_NEAR(sum, 1, 1e-7);
  }
}

}  // namespace
}  // namespace heddle
