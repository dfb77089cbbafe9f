#include "compiler/tensor/number.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

namespace heddle {
namespace {

constexpr std::string_view kTooLarge = "is too large for ";
constexpr std::string_view kNotWhole = "is not a whole number, which i32 needs";

ParsedValue problem(std::string_view text) { return {0, std::string(text)}; }
ParsedValue too_large(ValueType type) { return {0, fmt::format("{}{}", kTooLarge, name(type))}; }

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Of a decimal number that is out of the range of its type: whether it is too small rather than
/// too large.
bool is_below_one(std::string_view word) {
  const std::size_t exponent_mark = std::min(word.find_first_of("eE"), word.size());
  const std::string_view mantissa = word.substr(0, exponent_mark);
  std::int64_t exponent = 0;
  if (exponent_mark < word.size()) {
    std::string_view digits = word.substr(exponent_mark + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto end = digits.data() + digits.size();
    if (std::from_chars(digits.data(), end, exponent).ec == std::errc::result_out_of_range) {
      return digits.starts_with('-');
    }
  }
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) return true;
  // The first digit that is not zero stands for 10^leading in the mantissa.
  const auto leading = first < point ? static_cast<std::int64_t>(point - first) - 1
                                     : -static_cast<std::int64_t>(first - point);
  return exponent < -leading;
}

ParsedValue parse_f32(std::string_view word) {
  float value = 0;
  const char* end = word.data() + word.size();
  const auto result = std::from_chars(word.data(), end, value);
  if (result.ptr != end || result.ec == std::errc::invalid_argument) {
    return problem("is not a number");
  }
  if (result.ec == std::errc::result_out_of_range) {
    if (!is_below_one(word)) return too_large(ValueType::kF32);
    value = word.starts_with('-') ? -0.0F : 0.0F;
  }
  return {arithmetic::from_float(value), {}};
}

ParsedValue parse_i32(std::string_view word) {
  const char* end = word.data() + word.size();
  std::int64_t whole = 0;
  const auto as_integer = std::from_chars(word.data(), end, whole);
  if (as_integer.ptr == end && as_integer.ec == std::errc{}) {
    return to_value(whole, ValueType::kI32);
  }
  double number = 0;
  const auto result = std::from_chars(word.data(), end, number);
  if (result.ptr != end || result.ec == std::errc::invalid_argument) {
    return problem("is not a number");
  }
  if (result.ec == std::errc::result_out_of_range) {
    return is_below_one(word) ? problem(kNotWhole) : too_large(ValueType::kI32);
  }
  return to_value(number, ValueType::kI32);
}

}  // namespace

ParsedValue parse_value(std::string_view word, ValueType type) {
  if (word.starts_with('+')) {  // from_chars knows no plus
    word.remove_prefix(1);
    if (word.starts_with('-')) return problem("is not a number");
  }
  return type == ValueType::kF32 ? parse_f32(word) : parse_i32(word);
}

ParsedValue to_value(double number, ValueType type) {
  if (type == ValueType::kI32) {
    if (!std::isfinite(number) || number != std::trunc(number)) return problem(kNotWhole);
    // Both limits are exact as doubles.
    if (number < std::numeric_limits<std::int32_t>::min() ||
        number > std::numeric_limits<std::int32_t>::max()) {
      return too_large(type);
    }
    return {static_cast<std::uint32_t>(static_cast<std::int32_t>(number)), {}};
  }
  if (!std::isfinite(number)) return {arithmetic::from_float(static_cast<float>(number)), {}};
  constexpr double kRoundsToInfinity = 0x1.ffffffp127;  // halfway to 2^128
  if (std::abs(number) >= kRoundsToInfinity) return too_large(type);
  return {arithmetic::from_float(static_cast<float>(number)), {}};
}

ParsedValue to_value(std::int64_t number, ValueType type) {
  if (type == ValueType::kF32) return {arithmetic::from_float(static_cast<float>(number)), {}};
  if (number < std::numeric_limits<std::int32_t>::min() ||
      number > std::numeric_limits<std::int32_t>::max()) {
    return too_large(type);
  }
  return {static_cast<std::uint32_t>(static_cast<std::int32_t>(number)), {}};
}

ParsedValue to_value(std::uint64_t number, ValueType type) {
  if (type == ValueType::kF32) return {arithmetic::from_float(static_cast<float>(number)), {}};
  if (number > std::numeric_limits<std::int32_t>::max()) return too_large(type);
  return {static_cast<std::uint32_t>(number), {}};
}

std::optional<std::uint64_t> parse_count(std::string_view word) {
  std::uint64_t count = 0;
  const char* end = word.data() + word.size();
  const auto result = std::from_chars(word.data(), end, count);
  if (result.ptr != end || result.ec != std::errc{}) return std::nullopt;
  return count;
}

bool is_integer(std::string_view word) {
  if (word.starts_with('+') || word.starts_with('-')) word.remove_prefix(1);
  return !word.empty() && std::ranges::all_of(word, is_digit);
}

}  // namespace heddle
