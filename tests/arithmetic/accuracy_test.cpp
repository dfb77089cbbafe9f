// The error of each function against the host's double or long double, in units in the last place
// of the exact result. The bounds are those that arithmetic.h states.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ostream>
#include <string>

#include "compiler/primitives/arithmetic.h"

namespace heddle {
namespace {

struct Function {
  UnaryOp op;
  double (*exact)(double);
  double bound;  // ulp
};

void PrintTo(const Function& function, std::ostream* out) { *out << name(function.op); }

const Function kFunctions[] = {
    {UnaryOp::kSqrt, [](double x) { return std::sqrt(x); }, 0.5},
    {UnaryOp::kExp, [](double x) { return std::exp(x); }, 0.52},
    {UnaryOp::kLog, [](double x) { return std::log(x); }, 0.54},
    {UnaryOp::kRsqrt, [](double x) { return 1 / std::sqrt(x); }, 0.57},
    {UnaryOp::kReciprocal, [](double x) { return 1 / x; }, 0.5},
    {UnaryOp::kTanh, [](double x) { return std::tanh(x); }, 0.63},
    {UnaryOp::kSigmoid,
     [](double x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); },
     0.75},
    {UnaryOp::kGelu,
     [](double x) {
       return std::isinf(x) && x < 0 ? -0.0 : x / 2 * std::erfc(-x * std::sqrt(0.5));
     },
     0.64},
};

struct Worst {
  double error = 0;
  std::uint32_t at = 0;
  std::uint64_t misplaced = 0;  // NaN, infinity or sign of zero where it does not belong
  std::uint32_t misplaced_at = 0;
};

// How many units in the last place, of a float as large as `exact`, make 1.
double ulps_in_one(double exact) {
  std::uint64_t bits;
  std::memcpy(&bits, &exact, sizeof bits);
  std::uint64_t biased = (bits >> 52) & 0x7ff;
  if (biased < 1023 - 126) biased = 1023 - 126;  // subnormal as a float
  bits = (2 * 1023 + 23 - biased) << 52;
  double scale;
  std::memcpy(&scale, &bits, sizeof scale);
  return scale;
}

// `step` = 1 visits all 2^32 values.
Worst sweep(const Function& function, std::uint64_t step) {
  Worst worst;
  for (std::uint64_t i = 0; i < (std::uint64_t{1} << 32); i += step) {
    const auto a = static_cast<std::uint32_t>(i);
    const std::uint32_t got = apply(function.op, ValueType::kF32, a);
    const double exact = function.exact(static_cast<double>(arithmetic::to_float(a)));
    const float nearest = static_cast<float>(exact);
    const float value = arithmetic::to_float(got);
    if (!std::isfinite(nearest) || !std::isfinite(value) || exact == 0) {
      if (got != arithmetic::from_float(nearest)) {
        ++worst.misplaced;
        worst.misplaced_at = a;
      }
      continue;
    }
    const double error = std::fabs(static_cast<double>(value) - exact) * ulps_in_one(exact);
    if (error > worst.error) {
      worst.error = error;
      worst.at = a;
    }
  }
  return worst;
}

void expect_accurate(const Function& function, std::uint64_t step) {
  const Worst worst = sweep(function, step);
  std::printf("%s: worst error %.4f ulp, at %08x\n", std::string(name(function.op)).c_str(),
              worst.error, worst.at);
  // Half an ulp is measured against a reference that itself carries a double's rounding.
  EXPECT_LE(worst.error, function.bound + 1e-6);
  EXPECT_EQ(worst.misplaced, 0U) << "last at " << std::hex << worst.misplaced_at;
}

class Accuracy : public testing::TestWithParam<Function> {};
class AccuracySweep : public testing::TestWithParam<Function> {};

TEST_P(Accuracy, HoldsOnASample) { expect_accurate(GetParam(), 1009); }
TEST_P(AccuracySweep, HoldsOnEveryValue) { expect_accurate(GetParam(), 1); }

std::string function_name(const testing::TestParamInfo<Function>& info) {
  return std::string(name(info.param.op));
}

INSTANTIATE_TEST_SUITE_P(Functions, Accuracy, testing::ValuesIn(kFunctions), function_name);
INSTANTIATE_TEST_SUITE_P(Functions, AccuracySweep, testing::ValuesIn(kFunctions), function_name);

}  // namespace
}  // namespace heddle
