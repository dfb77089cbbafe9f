#include "compiler/tensor/number.h"

#include <gtest/gtest.h>

#include <clocale>
#include <limits>

#include "tests/unit/tensor/tensor_cases.h"

namespace heddle {
namespace {

constexpr const char* kNotANumber = "is not a number";

std::uint32_t f32_of(std::string_view word) {
  const ParsedValue value = parse_value(word, ValueType::kF32);
  EXPECT_EQ(value.problem, "") << word;
  return value.bits;
}

std::uint32_t i32_of(std::string_view word) {
  const ParsedValue value = parse_value(word, ValueType::kI32);
  EXPECT_EQ(value.problem, "") << word;
  return value.bits;
}

std::string f32_problem(std::string_view word) {
  return parse_value(word, ValueType::kF32).problem;
}
std::string i32_problem(std::string_view word) {
  return parse_value(word, ValueType::kI32).problem;
}

TEST(Number, ReadsDecimalNumbers) {
  EXPECT_EQ(f32_of("1.5"), f32(1.5F));
  EXPECT_EQ(f32_of("+1.5"), f32(1.5F));
  EXPECT_EQ(f32_of("-.5e1"), f32(-5));
  EXPECT_EQ(f32_of("7."), f32(7));
  EXPECT_EQ(f32_of("1.000000E+00"), f32(1));
  EXPECT_EQ(f32_of("-0"), 0x80000000U);
  EXPECT_EQ(f32_of("1e-45"), 1U);
}

TEST(Number, RoundsOnceToF32) {
  // Just above halfway between 1 and 1 + 2^-23; as a double it is halfway and would round to 1.
  EXPECT_EQ(f32_of("1.00000005960464477540"), 0x3f800001U);
  EXPECT_EQ(f32_of("16777217"), f32(16777216));
  EXPECT_EQ(to_value(std::int64_t{0x7fffffbfffffffff}, ValueType::kF32).bits, 0x5effffffU);
  EXPECT_EQ(to_value(std::numeric_limits<std::uint64_t>::max(), ValueType::kF32).bits,
            f32(0x1p64F));
}

TEST(Number, UnderflowIsAZeroOverflowAnError) {
  EXPECT_EQ(f32_of("1e-50"), 0U);
  EXPECT_EQ(f32_of("-1e-400"), 0x80000000U);
  EXPECT_EQ(f32_of("1e-99999999999999999999"), 0U);
  EXPECT_EQ(f32_of("0." + std::string(400, '0') + "1"), 0U);
  EXPECT_EQ(f32_of("12345e-400"), 0U);
  EXPECT_EQ(f32_of("0e999"), 0U);
  for (const std::string word :
       {"1e39", "-1e39", "1e400", "1e99999999999999999999", "0.001e300", "3.4028236e38"}) {
    EXPECT_EQ(f32_problem(word), "is too large for f32") << word;
  }
  EXPECT_EQ(f32_problem("1" + std::string(400, '0')), "is too large for f32");
  EXPECT_EQ(f32_of("3.4028235e38"), 0x7f7fffffU);
}

TEST(Number, ReadsInfinityAndNan) {
  EXPECT_EQ(f32_of("inf"), 0x7f800000U);
  EXPECT_EQ(f32_of("-Infinity"), 0xff800000U);
  EXPECT_EQ(f32_of("NaN"), 0x7fc00000U);
  EXPECT_EQ(f32_of("-nan"), 0x7fc00000U);
  EXPECT_EQ(i32_problem("nan"), "is not a whole number, which i32 needs");
}

TEST(Number, RefusesWhatIsNone) {
  for (const char* word : {"", "x", "1x", "1,5", "0x10", "--1", "+-1", "++1", "+", "-", ".", "e5",
                           "1e", "1 ", "1d0"}) {
    EXPECT_EQ(f32_problem(word), kNotANumber) << word;
    EXPECT_EQ(i32_problem(word), kNotANumber) << word;
  }
}

TEST(Number, I32NeedsWholeNumbersInRange) {
  EXPECT_EQ(i32_of("-7"), i32(-7));
  EXPECT_EQ(i32_of("+7"), i32(7));
  EXPECT_EQ(i32_of("3.0"), i32(3));
  EXPECT_EQ(i32_of("3e2"), i32(300));
  EXPECT_EQ(i32_of("2147483647"), 0x7fffffffU);
  EXPECT_EQ(i32_of("-2147483648"), 0x80000000U);
  EXPECT_EQ(i32_of("-2.147483648e9"), 0x80000000U);
  EXPECT_EQ(i32_problem("1.5"), "is not a whole number, which i32 needs");
  EXPECT_EQ(i32_problem("1e-400"), "is not a whole number, which i32 needs");
  for (const char* word : {"2147483648", "-2147483649", "99999999999999999999", "1e10", "1e400"}) {
    EXPECT_EQ(i32_problem(word), "is too large for i32") << word;
  }
}

TEST(Number, DoublesRoundAsIeeeSays) {
  EXPECT_EQ(to_value(0.1, ValueType::kF32).bits, f32(0.1F));
  EXPECT_EQ(to_value(1e-300, ValueType::kF32).bits, 0U);
  EXPECT_EQ(to_value(0x1.fffffefffffffp127, ValueType::kF32).bits, 0x7f7fffffU);
  EXPECT_EQ(to_value(0x1.ffffffp127, ValueType::kF32).problem, "is too large for f32");
  EXPECT_EQ(to_value(-std::numeric_limits<double>::infinity(), ValueType::kF32).bits, 0xff800000U);
  EXPECT_EQ(to_value(-2147483648.0, ValueType::kI32).bits, 0x80000000U);
  EXPECT_EQ(to_value(2147483648.0, ValueType::kI32).problem, "is too large for i32");
  EXPECT_EQ(to_value(std::uint64_t{2147483648}, ValueType::kI32).problem, "is too large for i32");
  EXPECT_EQ(to_value(std::int64_t{-2147483649}, ValueType::kI32).problem, "is too large for i32");
}

TEST(Number, IgnoresTheLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8"}) std::setlocale(LC_ALL, name);
  EXPECT_EQ(f32_of("1.5"), f32(1.5F));
  EXPECT_EQ(f32_problem("1,5"), kNotANumber);
  std::setlocale(LC_ALL, before.c_str());
}

TEST(Number, CountsAreDigitsOnly) {
  EXPECT_EQ(parse_count("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  for (const char* word : {"", "18446744073709551616", "-1", "+1", "1.0", "1 "}) {
    EXPECT_FALSE(parse_count(word)) << word;
  }
  EXPECT_TRUE(is_integer("-12"));
  EXPECT_FALSE(is_integer("-"));
  EXPECT_FALSE(is_integer("1.0"));
}

}  // namespace
}  // namespace heddle
