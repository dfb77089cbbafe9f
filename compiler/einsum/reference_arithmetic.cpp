#include "compiler/einsum/reference_arithmetic.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/support/check.h"

namespace heddle {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kRoundoff = 0x1p-24;                 // of one f32 operation, relative
constexpr double kSumRoundoff = kRoundoff + 0x1p-41;  // and the loss of its two terms in a WideSum
constexpr double kFunctionError = 8 * kRoundoff;      // 4 ulp
constexpr double kUnderflow = 0x1p-149;               // of one f32 operation, absolute
constexpr double kLargest = 0x1.fffffep127;           // the largest f32
constexpr double kOverflow = 0x1p128;                 // certainly infinite in f32

/// A product of bounds and magnitudes, where zero times infinity is zero.
double times(double x, double y) { return x == 0 || y == 0 ? 0 : x * y; }

/// The value with the bound as it is, adjusted for the range of f32.
Cell in_range(double value, double bound) {
  if (std::isnan(bound)) bound = kInfinity;
  if (!std::isfinite(value)) return {value, std::isfinite(bound) ? 0 : kInfinity, true};
  const double magnitude = std::abs(value);
  if (magnitude - bound >= kOverflow) return {std::copysign(kInfinity, value), 0, true};
  if (magnitude + bound > kLargest) bound = kInfinity;
  return {value, bound, true};
}

/// The value after one rounding; `bound` is what the operands contribute.
Cell rounded(double value, double bound, double relative = kRoundoff) {
  if (value == 0 && bound == 0) return {value, 0, true};
  const double magnitude = std::isfinite(value) ? std::abs(value) : 0;
  return in_range(value, bound + relative * (magnitude + bound) + kUnderflow);
}

bool is_exact_zero(const Cell& x) { return x.value == 0 && x.bound == 0; }

// --- i32 ---

double wrapped(std::int64_t value) { return static_cast<std::int32_t>(value); }

double apply_integer(UnaryOp op, std::int64_t x) {
  switch (op) {
    case UnaryOp::kNeg:
      return wrapped(-x);
    case UnaryOp::kAbs:
      return wrapped(x < 0 ? -x : x);
    case UnaryOp::kRelu:
      return wrapped(x < 0 ? 0 : x);
    default:
      HEDDLE_CHECK(false, "'{}' does not exist for i32", name(op));
  }
}

double apply_integer(BinaryOp op, std::int64_t x, std::int64_t y) {
  switch (op) {
    case BinaryOp::kAdd:
      return wrapped(x + y);
    case BinaryOp::kSub:
      return wrapped(x - y);
    case BinaryOp::kMul:
      return wrapped(x * y);
    case BinaryOp::kDiv:  // as in RISC-V
      return y == 0 ? -1 : wrapped(x / y);
    case BinaryOp::kMax:
      return wrapped(std::max(x, y));
    case BinaryOp::kMin:
      return wrapped(std::min(x, y));
    case BinaryOp::kLt:
      return x < y ? 1 : 0;
    case BinaryOp::kLe:
      return x <= y ? 1 : 0;
    case BinaryOp::kEq:
      return x == y ? 1 : 0;
    case BinaryOp::kNe:
      return x != y ? 1 : 0;
  }
  HEDDLE_CHECK(false, "unknown operation");
}

// --- f32 functions ---

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double rsqrt(double x) { return 1 / std::sqrt(x); }
double gelu(double x) {
  if (std::isinf(x)) return x < 0 ? -0.0 : x;
  return x / 2 * std::erfc(-x / std::sqrt(2.0));
}

/// A monotone function: its values at the ends of the operand's interval bound what the operand
/// contributes.
template <typename Function>
Cell monotone(Function f, const Cell& x, double relative) {
  const double value = f(x.value);
  if (std::isinf(x.bound)) return {value, kInfinity, true};
  if (std::isnan(value)) return {value, 0, true};
  if (x.bound == 0) return rounded(value, 0, relative);
  const double low = f(x.value - x.bound);
  const double high = f(x.value + x.bound);
  const double spread = std::max(std::abs(value - low), std::abs(high - value));
  return rounded(value, spread, relative);
}

/// A function of positive numbers only; `at_zero`: zero is one of them.
template <typename Function>
Cell of_positive(Function f, const Cell& x, bool at_zero, double relative) {
  const double low = x.value - x.bound;
  if (x.bound == 0 || low > 0 || (at_zero && low == 0)) return monotone(f, x, relative);
  if (x.value + x.bound < 0) return {kNaN, 0, true};
  return {f(x.value), kInfinity, true};
}

Cell reciprocal(const Cell& x) {
  if (x.bound > 0 && !(std::abs(x.value) > x.bound)) return {1 / x.value, kInfinity, true};
  return monotone([](double v) { return 1 / v; }, x, kRoundoff);
}

Cell apply_f32(UnaryOp op, const Cell& x) {
  switch (op) {
    case UnaryOp::kNeg:
      return {-x.value, x.bound, true};
    case UnaryOp::kAbs:
      return {std::abs(x.value), x.bound, true};
    case UnaryOp::kRelu:
      return {std::isnan(x.value) || x.value > 0 ? x.value : 0, x.bound, true};
    case UnaryOp::kSqrt:
      return of_positive([](double v) { return std::sqrt(v); }, x, true, kRoundoff);
    case UnaryOp::kExp:
      return monotone([](double v) { return std::exp(v); }, x, kFunctionError);
    case UnaryOp::kLog:
      return of_positive([](double v) { return std::log(v); }, x, false, kFunctionError);
    case UnaryOp::kRsqrt:
      return of_positive(rsqrt, x, false, kFunctionError);
    case UnaryOp::kReciprocal:
      return reciprocal(x);
    case UnaryOp::kTanh:
      return monotone([](double v) { return std::tanh(v); }, x, kFunctionError);
    case UnaryOp::kSigmoid:
      return monotone(sigmoid, x, kFunctionError);
    case UnaryOp::kGelu:  // its slope is nowhere steeper than 1.13
      return rounded(gelu(x.value), 1.13 * x.bound, kFunctionError);
  }
  HEDDLE_CHECK(false, "unknown function");
}

bool keeps_zero(UnaryOp op) {
  switch (op) {
    case UnaryOp::kExp:
    case UnaryOp::kLog:
    case UnaryOp::kRsqrt:
    case UnaryOp::kReciprocal:
    case UnaryOp::kSigmoid:
      return false;
    default:
      return true;
  }
}

// --- f32 operations ---

Cell sum(const Cell& x, const Cell& y, double sign) {
  const double value = x.value + sign * y.value;
  const double bound = x.bound + y.bound;
  // Adding a zero rounds nothing.
  return is_exact_zero(x) || is_exact_zero(y) ? in_range(value, bound) : rounded(value, bound);
}

Cell product(const Cell& x, const Cell& y) {
  if (std::isinf(x.bound + y.bound)) return {x.value * y.value, kInfinity, true};
  const double bound = times(std::abs(x.value), y.bound) + times(std::abs(y.value), x.bound) +
                       times(x.bound, y.bound);
  return rounded(x.value * y.value, bound);
}

Cell quotient(const Cell& x, const Cell& y) {
  const double value = x.value / y.value;
  const double room = std::abs(y.value) - y.bound;
  if (y.bound > 0 && !(room > 0)) return {value, kInfinity, true};
  if (y.value == 0) {  // infinite or NaN, unless the sign of x is in doubt
    const bool doubt = x.bound > 0 && !(std::abs(x.value) > x.bound);
    return {value, doubt ? kInfinity : 0, true};
  }
  return rounded(value, (x.bound + times(std::abs(value), y.bound)) / room);
}

double larger(double x, double y) {
  if (std::isnan(x) || std::isnan(y)) return kNaN;
  if (x == y) return std::signbit(x) ? y : x;
  return x > y ? x : y;
}

/// 1 or 0, in doubt where the operands' intervals meet.
Cell comparison(BinaryOp op, const Cell& x, const Cell& y) {
  const double bound = x.bound + y.bound;
  const bool doubt = bound > 0 && !(std::abs(x.value - y.value) > bound);
  bool holds = false;
  switch (op) {
    case BinaryOp::kLt:
      holds = x.value < y.value;
      break;
    case BinaryOp::kLe:
      holds = x.value <= y.value;
      break;
    case BinaryOp::kEq:
      holds = x.value == y.value;
      break;
    default:
      holds = x.value != y.value;
  }
  return {holds ? 1.0 : 0.0, doubt ? 1.0 : 0.0, true};
}

Cell apply_f32(BinaryOp op, const Cell& x, const Cell& y) {
  switch (op) {
    case BinaryOp::kAdd:
      return sum(x, y, 1);
    case BinaryOp::kSub:
      return sum(x, y, -1);
    case BinaryOp::kMul:
      return product(x, y);
    case BinaryOp::kDiv:
      return quotient(x, y);
    case BinaryOp::kMax:
      return {larger(x.value, y.value), std::max(x.bound, y.bound), true};
    case BinaryOp::kMin:
      return {-larger(-x.value, -y.value), std::max(x.bound, y.bound), true};
    default:
      return comparison(op, x, y);
  }
}

bool is_present(BinaryOp op, const Cell& x, const Cell& y) {
  if (op == BinaryOp::kLe || op == BinaryOp::kEq) return true;  // of two zeros they are not zero
  if (op == BinaryOp::kMul) return x.present && y.present;
  if (op == BinaryOp::kDiv) return x.present;
  return x.present || y.present;
}

}  // namespace

Cell constant_cell(double value, ValueType type) {
  return {type == ValueType::kF32 ? static_cast<double>(static_cast<float>(value)) : value, 0,
          true};
}

Cell apply_reference(UnaryOp op, ValueType type, const Cell& x) {
  if (!x.present && keeps_zero(op)) return {};
  if (type == ValueType::kF32) return apply_f32(op, x);
  return {apply_integer(op, static_cast<std::int64_t>(x.value)), 0, true};
}

Cell apply_reference(BinaryOp op, ValueType type, const Cell& x, const Cell& y) {
  if (!is_present(op, x, y)) return {};
  if (type == ValueType::kF32) return apply_f32(op, x, y);
  return {apply_integer(op, static_cast<std::int64_t>(x.value), static_cast<std::int64_t>(y.value)),
          0, true};
}

Cell select_reference(const Cell& condition, const Cell& x, const Cell& y) {
  Cell chosen = condition.value != 0 ? x : y;
  chosen.present = condition.present || x.present || y.present;
  const bool doubt = condition.bound > 0 && !(std::abs(condition.value) > condition.bound);
  if (!doubt) return chosen;
  for (const Cell& other : {x, y}) {
    const double off = std::abs(other.value - chosen.value) + other.bound;
    chosen.bound = std::isnan(off) ? kInfinity : std::max(chosen.bound, off);
  }
  return chosen;
}

void SumCell::add(const Cell& term, ValueType type) {
  ++terms_;
  if (type == ValueType::kI32) {
    value_ = apply_integer(BinaryOp::kAdd, static_cast<std::int64_t>(value_),
                           static_cast<std::int64_t>(term.value));
    return;
  }
  value_ += term.value;
  bound_ += term.bound;
  if (std::isfinite(term.value)) magnitude_ += std::abs(term.value) + term.bound;
}

Cell SumCell::result(ValueType type) const {
  if (terms_ == 0) return {};
  if (type == ValueType::kI32) return {value_, 0, true};
  const double roundings = static_cast<double>(terms_ - 1) * kSumRoundoff;
  // (1 + u)^(n - 1) - 1 <= r / (1 - r) with r = (n - 1) u
  const double growth = roundings < 1 ? roundings / (1 - roundings) : kInfinity;
  if (terms_ > 1 && magnitude_ * (1 + growth) > kLargest) return {value_, kInfinity, true};
  return in_range(value_, bound_ + times(growth, magnitude_));
}

}  // namespace heddle
