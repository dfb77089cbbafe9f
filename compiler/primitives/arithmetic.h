// The arithmetic of value streams, bit for bit.
//
// Values travel as 32 raw bits. `apply` defines what every operation makes of them; the modules in
// rtl/arithmetic/ compute the same bits, and tests/arithmetic/ compares the two.
//
// i32 is two's complement and wraps. Division truncates towards zero; x / 0 is -1 and
// INT_MIN / -1 is INT_MIN, as in RISC-V. Comparisons give 1 or 0.
//
// f32 is IEEE-754 binary32, rounded to nearest even, with subnormals. Every NaN result is 7fc00000,
// that of `neg` and `abs` too. `max` and `min` give NaN if either operand is NaN, and order -0
// below +0; relu(x) is max(x, +0). Comparisons give 1.0f or 0.0f; with a NaN only `ne` holds. The
// host's float does add, sub, mul, div and sqrt, so fast-math is refused.
//
// The other functions are defined by the integer algorithms below, without any host floating
// point. Each reduces its argument, takes a cubic from a table, and rounds once:
//
//   function    method                                           worst error, all 2^32 inputs
//   reciprocal  1 / x by the divider                             0.50 ulp
//   exp         2^n * 2^f, 2^f from 32 cubics                    0.52 ulp
//   log         e * ln 2 + (m - 1) * Q(m), Q from 32 cubics      0.54 ulp
//   rsqrt       64 cubics over [1, 4)                            0.57 ulp
//   tanh        x * Q(|x|), Q from 160 cubics over [0, 16)       0.63 ulp
//   sigmoid     E / (1 + E) or 1 / (1 + E) with E = exp(-|x|)    0.75 ulp
//   gelu        x * Phi(x), the exact (erf) form:                0.64 ulp
//               Phi(-u) = exp(-u^2 / 2) * M(u), M from 160 cubics
//
// Errors are in units in the last place of the exact result. Underflow is gradual everywhere.
// Special values: exp(-inf) = +0, exp(+inf) = +inf; log(+-0) = -inf, log(x < 0) = NaN;
// rsqrt(+-0) = +-inf, rsqrt(x < 0) = NaN, rsqrt(+inf) = +0; reciprocal(+-0) = +-inf;
// tanh(+-inf) = +-1; sigmoid(-inf) = +0, sigmoid(+inf) = 1; gelu(-inf) = -0, gelu(+inf) = +inf.
//
// This header and its tables need the standard library only, and C++17 is enough for them.
#pragma once

#include <array>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

#include "compiler/primitives/arithmetic_tables.h"

#if defined(__FAST_MATH__)
#error "compiler/primitives/arithmetic.h needs IEEE arithmetic: compile without -ffast-math"
#endif
static_assert(std::numeric_limits<float>::is_iec559 && FLT_EVAL_METHOD == 0,
              "the host's float must be IEEE-754 binary32, evaluated as such");

namespace heddle {

enum class ValueType : std::uint8_t { kF32, kI32 };

enum class BinaryOp : std::uint8_t { kAdd, kSub, kMul, kDiv, kMax, kMin, kLt, kLe, kEq, kNe };

enum class UnaryOp : std::uint8_t {
  kNeg,
  kAbs,
  kRelu,
  kSqrt,
  kExp,
  kLog,
  kRsqrt,
  kReciprocal,
  kTanh,
  kSigmoid,
  kGelu
};

// Names as they appear in programs, in netlists and as parameters of sam_binary and sam_unary; in
// the order of the enumerators.
inline constexpr std::array<std::string_view, 2> kValueTypeNames = {"f32", "i32"};
inline constexpr std::array<std::string_view, 10> kBinaryOpNames = {
    "add", "sub", "mul", "div", "max", "min", "lt", "le", "eq", "ne"};
inline constexpr std::array<std::string_view, 11> kUnaryOpNames = {
    "neg", "abs", "relu", "sqrt", "exp", "log", "rsqrt", "reciprocal", "tanh", "sigmoid", "gelu"};

constexpr std::string_view name(ValueType type) {
  return kValueTypeNames[static_cast<std::size_t>(type)];
}
constexpr std::string_view name(BinaryOp op) {
  return kBinaryOpNames[static_cast<std::size_t>(op)];
}
constexpr std::string_view name(UnaryOp op) { return kUnaryOpNames[static_cast<std::size_t>(op)]; }

namespace arithmetic {

template <typename Enum, std::size_t N>
constexpr std::optional<Enum> parse(const std::array<std::string_view, N>& names,
                                    std::string_view text) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == text) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace arithmetic

constexpr std::optional<ValueType> parse_value_type(std::string_view text) {
  return arithmetic::parse<ValueType>(kValueTypeNames, text);
}
constexpr std::optional<BinaryOp> parse_binary_op(std::string_view text) {
  return arithmetic::parse<BinaryOp>(kBinaryOpNames, text);
}
constexpr std::optional<UnaryOp> parse_unary_op(std::string_view text) {
  return arithmetic::parse<UnaryOp>(kUnaryOpNames, text);
}

// Whether the operation exists for the type: every binary one does, and for i32 the unary ones that
// need no fraction.
constexpr bool supports(BinaryOp /*op*/, ValueType /*type*/) { return true; }
constexpr bool supports(UnaryOp op, ValueType type) {
  return type == ValueType::kF32 || op == UnaryOp::kNeg || op == UnaryOp::kAbs ||
         op == UnaryOp::kRelu;
}

// Cycles from firing until the result is visible on the output channel. The module has one register
// stage less, because the channel itself takes a cycle.
constexpr int latency(BinaryOp op, ValueType type) {
  const bool f32 = type == ValueType::kF32;
  switch (op) {
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
      return f32 ? 6 : 1;
    case BinaryOp::kMul:
      return f32 ? 6 : 2;
    case BinaryOp::kDiv:
      return 18;
    case BinaryOp::kMax:
    case BinaryOp::kMin:
    case BinaryOp::kLt:
    case BinaryOp::kLe:
    case BinaryOp::kEq:
    case BinaryOp::kNe:
      break;
  }
  return 1;
}

constexpr int latency(UnaryOp op, ValueType /*type*/) {
  switch (op) {
    case UnaryOp::kSqrt:
      return 16;
    case UnaryOp::kExp:
      return 12;
    case UnaryOp::kLog:
      return 16;
    case UnaryOp::kRsqrt:
      return 10;
    case UnaryOp::kReciprocal:
      return latency(BinaryOp::kDiv, ValueType::kF32);
    case UnaryOp::kTanh:
      return 12;
    case UnaryOp::kSigmoid:
      return 24;
    case UnaryOp::kGelu:
      return 22;
    case UnaryOp::kNeg:
    case UnaryOp::kAbs:
    case UnaryOp::kRelu:
      break;
  }
  return 1;
}

namespace arithmetic {

inline constexpr std::uint32_t kNan = 0x7fc00000;
inline constexpr std::uint32_t kInf = 0x7f800000;
inline constexpr std::uint32_t kOne = 0x3f800000;
inline constexpr std::uint32_t kSign = 0x80000000;

inline float to_float(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

constexpr bool is_nan(std::uint32_t bits) { return (bits & ~kSign) > kInf; }

inline std::uint32_t from_float(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return is_nan(bits) ? kNan : bits;
}

// The integer whose order as a signed number is the order of the floats, -0 below +0.
constexpr std::int32_t order(std::uint32_t bits) {
  return static_cast<std::int32_t>((bits & kSign) != 0 ? bits ^ ~kSign : bits);
}

constexpr std::int64_t kLog2E = 49570624150;        // log2(e), in units of 2^-35
constexpr std::int64_t kLn2 = 12486629536330718;    // ln(2), in units of 2^-54
constexpr std::uint32_t kFractionMask = 0x3ffffff;  // t has 26 bits

constexpr std::int64_t cubic(const CubicRow& row, std::uint32_t t) {
  const std::int64_t x = t;
  const std::int64_t s2 = row.c2 + ((x * row.c3) >> 26);
  const std::int64_t s1 = row.c1 + ((x * s2) >> 26);
  return row.c0 + ((x * s1) >> 26);
}

// Rounds sig * 2^(exponent - 127 - 31), where exponent counts as in the format and the low bit of
// sig may stand for a lost remainder. sig has its top bit set unless the result is subnormal.
constexpr std::uint32_t round_f32(bool negative, int exponent, std::uint32_t sig) {
  const std::uint32_t sign = negative ? kSign : 0;
  if (exponent >= 255) return sign | kInf;
  if (exponent < 1) {
    const int shift = 1 - exponent;
    sig =
        shift > 31 ? (sig != 0 ? 1U : 0U) : (sig >> shift) | ((sig << (32 - shift)) != 0 ? 1U : 0U);
    exponent = 1;
  }
  // The leading one of sig adds one to the exponent; so does the carry of rounding.
  std::uint32_t bits = (static_cast<std::uint32_t>(exponent - 1) << 23) + (sig >> 8);
  const std::uint32_t rest = sig & 0xff;
  if (rest > 0x80 || (rest == 0x80 && (bits & 1) != 0)) ++bits;
  return sign | bits;
}

// A positive finite number, m * 2^(exponent - 150) with 2^23 <= m < 2^24.
struct Normal {
  int exponent;
  std::uint32_t m;
};

inline Normal normalize(std::uint32_t bits) {
  const int exponent = static_cast<int>((bits >> 23) & 0xff);
  const std::uint32_t fraction = bits & 0x7fffff;
  if (exponent != 0) return {exponent, fraction | 0x800000};
  const int shift = __builtin_clz(fraction | 1) - 8;
  return {1 - shift, fraction << shift};
}

// The same without the shift: m < 2^23 for a subnormal number.
constexpr Normal split(std::uint32_t bits) {
  const int exponent = static_cast<int>((bits >> 23) & 0xff);
  const std::uint32_t fraction = bits & 0x7fffff;
  return exponent != 0 ? Normal{exponent, fraction | 0x800000} : Normal{1, fraction};
}

constexpr std::uint64_t shift_right(std::uint64_t value, int shift) {
  return shift > 63 ? 0 : value >> shift;
}

// 2^z for z in units of 2^-31: mantissa * 2^(exponent - 34), 2^34 <= mantissa < 2^35.
struct Power {
  int exponent;
  std::uint64_t mantissa;
};

constexpr Power power_of_two(std::int64_t z) {
  const auto fraction = static_cast<std::uint32_t>(z & 0x7fffffff);
  return {static_cast<int>(z >> 31),
          static_cast<std::uint64_t>(cubic(kExp2Table[fraction >> 26], fraction & kFractionMask))};
}

// |x| * log2(e) in units of 2^-31, for |x| < 128.
constexpr std::int64_t times_log2e(Normal x) {
  return static_cast<std::int64_t>(shift_right(
      static_cast<std::uint64_t>(x.m) * static_cast<std::uint64_t>(kLog2E), 154 - x.exponent));
}

// The cubic at |x| < 16 of a table with 32 rows on [0, 1) and on each octave above.
constexpr std::int64_t octave_cubic(const CubicRow* table, Normal x) {
  std::uint32_t row = 0;
  std::uint32_t t = 0;
  if (x.exponent < 127) {
    const auto fixed = static_cast<std::uint32_t>(
        shift_right(static_cast<std::uint64_t>(x.m) << 7, 126 - x.exponent));
    row = fixed >> 26;
    t = fixed & kFractionMask;
  } else {
    row = (static_cast<std::uint32_t>(x.exponent - 126) << 5) | ((x.m >> 18) & 31);
    t = (x.m & 0x3ffff) << 8;
  }
  return cubic(table[row], t);
}

constexpr std::uint32_t exp_f32(std::uint32_t a) {
  if (is_nan(a)) return kNan;
  const bool negative = (a & kSign) != 0;
  const Normal x = split(a);
  if (x.exponent >= 134) return negative ? 0 : kInf;
  const std::int64_t z = times_log2e(x);
  const Power power = power_of_two(negative ? -z : z);
  return round_f32(false, power.exponent + 127, static_cast<std::uint32_t>(power.mantissa >> 3));
}

inline std::uint32_t log_f32(std::uint32_t a) {
  if ((a & ~kSign) == 0) return kSign | kInf;
  if (a > kInf) return kNan;
  if (a == kInf) return kInf;
  const Normal x = normalize(a);
  const std::uint32_t fraction = x.m & 0x7fffff;
  // Take the mantissa from [0.75, 1.5), so that the two terms never cancel.
  const bool upper = fraction >= 0x400000;
  const std::int64_t exponent = x.exponent - 127 + (upper ? 1 : 0);
  const std::int64_t distance =  // mantissa - 1, in units of 2^-24
      upper ? static_cast<std::int64_t>(x.m) - 0x1000000 : static_cast<std::int64_t>(fraction) << 1;
  const std::int64_t slope = cubic(kLogTable[fraction >> 18], (fraction & 0x3ffff) << 8) >> 4;
  const std::int64_t sum = exponent * kLn2 + distance * slope;
  if (sum == 0) return 0;
  const auto magnitude = static_cast<std::uint64_t>(sum < 0 ? -sum : sum);
  const int zeros = __builtin_clzll(magnitude);
  return round_f32(sum < 0, 136 - zeros, static_cast<std::uint32_t>((magnitude << zeros) >> 32));
}

inline std::uint32_t rsqrt_f32(std::uint32_t a) {
  if ((a & ~kSign) == 0) return a | kInf;
  if (a > kInf) return kNan;
  if (a == kInf) return 0;
  const Normal x = normalize(a);
  const bool odd = (x.exponent & 1) == 0;  // of the exponent without its bias
  const std::uint32_t row = (odd ? 32U : 0U) | ((x.m >> 18) & 31);
  const std::int64_t root = cubic(kRsqrtTable[row], (x.m & 0x3ffff) << 8);
  const int exponent = 127 - (x.exponent - 127 - (odd ? 1 : 0)) / 2;
  const bool one = root >= (std::int64_t{1} << 34);
  return round_f32(false, one ? exponent : exponent - 1,
                   static_cast<std::uint32_t>(one ? root >> 3 : root >> 2));
}

constexpr std::uint32_t tanh_f32(std::uint32_t a) {
  if (is_nan(a)) return kNan;
  const Normal x = split(a);
  if (x.exponent < 115) return a;  // |x| < 2^-12
  if (x.exponent >= 131) return (a & kSign) | kOne;
  const auto slope = static_cast<std::uint64_t>(octave_cubic(kTanhTable, x) >> 2);
  const int octave = x.exponent < 127 ? 0 : x.exponent - 127;
  const std::uint64_t product = (slope * x.m) << octave;  // 1.0 is 2^55
  const bool high = (product >> 55) != 0;
  return round_f32((a & kSign) != 0, x.exponent - octave - (high ? 0 : 1),
                   static_cast<std::uint32_t>(high ? product >> 24 : product >> 23));
}

constexpr std::uint32_t sigmoid_f32(std::uint32_t a) {
  if (is_nan(a)) return kNan;
  const bool negative = (a & kSign) != 0;
  const Normal x = split(a);
  if (x.exponent >= 134) return negative ? 0 : kOne;
  const Power power = power_of_two(-times_log2e(x));
  std::uint64_t e = shift_right(power.mantissa >> 3, -power.exponent);  // 1.0 is 2^31
  if (e > 0x7fffffff) e = 0x7fffffff;
  const auto reciprocal = static_cast<std::uint64_t>(
      cubic(kReciprocalTable[e >> 26], static_cast<std::uint32_t>(e) & kFractionMask) >> 3);
  const std::uint64_t numerator = negative ? power.mantissa >> 3 : 0x80000000;
  const std::uint64_t product = numerator * reciprocal;  // 1.0 is 2^62
  const bool high = (product >> 62) != 0;
  return round_f32(false, 127 + (negative ? power.exponent : 0) - (high ? 0 : 1),
                   static_cast<std::uint32_t>(high ? product >> 31 : product >> 30));
}

inline std::uint32_t gelu_f32(std::uint32_t a) {
  if (is_nan(a)) return kNan;
  const bool negative = (a & kSign) != 0;
  const Normal x = split(a);
  if (x.exponent >= 131) return negative ? kSign : a;  // |x| >= 16
  // x^2 / 2 * log2(e) in units of 2^-31; the product is split to fit 64 bits.
  const std::uint64_t square = (static_cast<std::uint64_t>(x.m) * x.m) >> 8;
  const std::uint64_t product = square * static_cast<std::uint64_t>(kLog2E >> 18) +
                                ((square * static_cast<std::uint64_t>(kLog2E & 0x3ffff)) >> 18);
  const Power power =
      power_of_two(-static_cast<std::int64_t>(shift_right(product, 279 - 2 * x.exponent)));
  // Phi(-|x|) = tail * 2^(power.exponent - 64)
  const std::uint64_t tail =
      (power.mantissa >> 4) * static_cast<std::uint64_t>(octave_cubic(kMillsTable, x));
  const int zeros = __builtin_clzll(tail);
  const int exponent = negative ? power.exponent - zeros : 0;
  const std::uint64_t phi =  // Phi(x) = phi * 2^(exponent - 34)
      negative ? (tail << zeros) >> 30
               : (std::uint64_t{1} << 34) - shift_right(tail >> 30, -power.exponent);
  const std::uint64_t result = phi * x.m;
  const bool high = (result >> 57) != 0;
  const std::uint64_t sig = high ? result >> 25 : result >> 24;
  const std::uint32_t sticky = (sig & 1) | ((result & 0xffffff) != 0 ? 1U : 0U);
  return round_f32(negative, x.exponent + exponent - (high ? 0 : 1),
                   static_cast<std::uint32_t>(sig >> 1) | sticky);
}

inline std::uint32_t apply_f32(BinaryOp op, std::uint32_t a, std::uint32_t b) {
  const float x = to_float(a);
  const float y = to_float(b);
  const bool nan = is_nan(a) || is_nan(b);
  switch (op) {
    case BinaryOp::kAdd:
      return from_float(x + y);
    case BinaryOp::kSub:
      return from_float(x - y);
    case BinaryOp::kMul:
      return from_float(x * y);
    case BinaryOp::kDiv:
      return from_float(x / y);
    case BinaryOp::kMax:
      return nan ? kNan : order(a) > order(b) ? a : b;
    case BinaryOp::kMin:
      return nan ? kNan : order(a) < order(b) ? a : b;
    case BinaryOp::kLt:
      return x < y ? kOne : 0;
    case BinaryOp::kLe:
      return x <= y ? kOne : 0;
    case BinaryOp::kEq:
      return x == y ? kOne : 0;
    case BinaryOp::kNe:
      return x != y ? kOne : 0;
  }
  return 0;
}

constexpr std::uint32_t apply_i32(BinaryOp op, std::uint32_t a, std::uint32_t b) {
  const auto x = static_cast<std::int32_t>(a);
  const auto y = static_cast<std::int32_t>(b);
  switch (op) {
    case BinaryOp::kAdd:
      return a + b;
    case BinaryOp::kSub:
      return a - b;
    case BinaryOp::kMul:
      return a * b;
    case BinaryOp::kDiv:
      if (y == 0) return ~std::uint32_t{0};
      if (y == -1) return 0 - a;
      return static_cast<std::uint32_t>(x / y);
    case BinaryOp::kMax:
      return x > y ? a : b;
    case BinaryOp::kMin:
      return x < y ? a : b;
    case BinaryOp::kLt:
      return x < y ? 1 : 0;
    case BinaryOp::kLe:
      return x <= y ? 1 : 0;
    case BinaryOp::kEq:
      return x == y ? 1 : 0;
    case BinaryOp::kNe:
      return x != y ? 1 : 0;
  }
  return 0;
}

inline std::uint32_t apply_f32(UnaryOp op, std::uint32_t a) {
  switch (op) {
    case UnaryOp::kNeg:
      return is_nan(a) ? kNan : a ^ kSign;
    case UnaryOp::kAbs:
      return is_nan(a) ? kNan : a & ~kSign;
    case UnaryOp::kRelu:
      return is_nan(a) ? kNan : (a & kSign) != 0 ? 0 : a;
    case UnaryOp::kSqrt:
      return from_float(std::sqrt(to_float(a)));
    case UnaryOp::kExp:
      return exp_f32(a);
    case UnaryOp::kLog:
      return log_f32(a);
    case UnaryOp::kRsqrt:
      return rsqrt_f32(a);
    case UnaryOp::kReciprocal:
      return from_float(1.0F / to_float(a));
    case UnaryOp::kTanh:
      return tanh_f32(a);
    case UnaryOp::kSigmoid:
      return sigmoid_f32(a);
    case UnaryOp::kGelu:
      return gelu_f32(a);
  }
  return 0;
}

constexpr std::uint32_t apply_i32(UnaryOp op, std::uint32_t a) {
  const bool negative = (a & kSign) != 0;
  switch (op) {
    case UnaryOp::kNeg:
      return 0 - a;
    case UnaryOp::kAbs:
      return negative ? 0 - a : a;
    case UnaryOp::kRelu:
      return negative ? 0 : a;
    default:
      return 0;  // not supported
  }
}

}  // namespace arithmetic

// The bits of `a op b`.
inline std::uint32_t apply(BinaryOp op, ValueType type, std::uint32_t a, std::uint32_t b) {
  return type == ValueType::kF32 ? arithmetic::apply_f32(op, a, b)
                                 : arithmetic::apply_i32(op, a, b);
}

// The bits of `op a`, where supports(op, type).
inline std::uint32_t apply(UnaryOp op, ValueType type, std::uint32_t a) {
  return type == ValueType::kF32 ? arithmetic::apply_f32(op, a) : arithmetic::apply_i32(op, a);
}

}  // namespace heddle
