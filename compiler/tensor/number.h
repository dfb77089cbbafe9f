// Numbers of data files to values, rounded once. Independent of the locale.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/primitives/arithmetic.h"

namespace heddle {

/// The bits of a value, or what is wrong with the number (as the end of a message: "'x' is not
/// ...").
struct ParsedValue {
  std::uint32_t bits = 0;
  std::string problem;
};

/// Decimal numbers, `inf` and `nan`. For i32 the number must be whole and fit.
ParsedValue parse_value(std::string_view word, ValueType type);
/// Rounds to f32, or takes a whole number in range as i32.
ParsedValue to_value(double number, ValueType type);
ParsedValue to_value(std::int64_t number, ValueType type);
ParsedValue to_value(std::uint64_t number, ValueType type);

/// Digits only, at most 2^64 - 1.
std::optional<std::uint64_t> parse_count(std::string_view word);
/// An optional sign, then digits.
bool is_integer(std::string_view word);

}  // namespace heddle
