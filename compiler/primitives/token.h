// Tokens: what travels on a stream.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// The two-bit kind of a token. The numbers are the RTL's (rtl/sam_pkg.sv is generated from them).
enum class Kind : std::uint32_t { kVal = 0, kStop = 1, kEmpty = 2, kDone = 3 };

/// A value carries a coordinate, a reference or a number; a stop carries its level, 0 being the
/// innermost.
struct Token {
  Kind kind = Kind::kDone;
  std::uint32_t bits = 0;

  friend constexpr bool operator==(const Token&, const Token&) = default;

  constexpr bool is_val() const { return kind == Kind::kVal; }
  constexpr bool is_stop() const { return kind == Kind::kStop; }
  constexpr bool is_stop(std::uint32_t level) const { return is_stop() && bits == level; }
  constexpr bool is_empty() const { return kind == Kind::kEmpty; }
  constexpr bool is_done() const { return kind == Kind::kDone; }
  /// A stop or the end: what separates fibers rather than being an element of one.
  constexpr bool is_control() const { return is_stop() || is_done(); }
  constexpr bool is_element() const { return !is_control(); }
};

constexpr Token val(std::uint32_t bits) { return {Kind::kVal, bits}; }
constexpr Token stop(std::uint32_t level) { return {Kind::kStop, level}; }
constexpr Token empty() { return {Kind::kEmpty, 0}; }
constexpr Token done() { return {Kind::kDone, 0}; }

/// The control token one level further out or in: S1 -> S2, S1 -> S0; D stays.
constexpr Token outward(Token t, int levels = 1) {
  return t.is_stop() ? stop(t.bits + static_cast<std::uint32_t>(levels)) : t;
}
constexpr Token inward(Token t, int levels = 1) {
  return t.is_stop() ? stop(t.bits - static_cast<std::uint32_t>(levels)) : t;
}

/// Whether a token is part of an element that is `depth` fibers deep (0: a token), and whether it
/// is its last.
constexpr bool in_element(Token t, int depth) {
  return t.is_element() || (t.is_stop() && t.bits < static_cast<std::uint32_t>(depth));
}
constexpr bool ends_element(Token t, int depth) {
  return depth == 0 ? t.is_element() : t.is_stop(static_cast<std::uint32_t>(depth - 1));
}

using Stream = std::vector<Token>;

/// "1 3 S0 N S1 D"; values as unsigned decimals.
std::string to_text(Token token);
std::string to_text(const Stream& stream);
/// The reverse; values may be negative (two's complement). Nothing if the text is malformed.
std::optional<Stream> parse_stream(std::string_view text);
/// Whether `stream` is the flattening of `depth` nested levels, D last.
bool well_formed(const Stream& stream, int depth);
/// Our stops to the merged ones of published SAM traces: an Sn directly before S(n+1) is dropped.
Stream merge_stops(const Stream& stream);

}  // namespace heddle
