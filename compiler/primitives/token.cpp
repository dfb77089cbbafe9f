#include "compiler/primitives/token.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace heddle {

namespace {

/// The whole of `text` as a decimal number.
template <class Integer>
std::optional<Integer> parse_integer(std::string_view text) {
  Integer value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Token> parse_token(std::string_view word) {
  if (word == "N") return empty();
  if (word == "D") return done();
  if (word.starts_with('S')) {
    const auto level = parse_integer<std::uint32_t>(word.substr(1));
    return level ? std::optional(stop(*level)) : std::nullopt;
  }
  const auto number = parse_integer<std::int64_t>(word);
  if (!number || *number < std::numeric_limits<std::int32_t>::min() ||
      *number > std::numeric_limits<std::uint32_t>::max())
    return std::nullopt;
  return val(static_cast<std::uint32_t>(*number));
}

}  // namespace

std::string to_text(Token token) {
  switch (token.kind) {
    case Kind::kVal:
      return std::to_string(token.bits);
    case Kind::kStop:
      return "S" + std::to_string(token.bits);
    case Kind::kEmpty:
      return "N";
    case Kind::kDone:
      return "D";
  }
  return "?";
}

std::string to_text(const Stream& stream) {
  std::string text;
  for (const Token token : stream) {
    if (!text.empty()) text += ' ';
    text += to_text(token);
  }
  return text;
}

std::optional<Stream> parse_stream(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  Stream stream;
  while (true) {
    const std::size_t begin = text.find_first_not_of(kBlank);
    if (begin == std::string_view::npos) return stream;
    const std::size_t end = std::min(text.find_first_of(kBlank, begin), text.size());
    const auto token = parse_token(text.substr(begin, end - begin));
    if (!token) return std::nullopt;
    stream.push_back(*token);
    text.remove_prefix(end);
  }
}

bool well_formed(const Stream& stream, int depth) {
  if (stream.empty() || !stream.back().is_done()) return false;
  if (depth == 0) return stream.size() == 2 && stream.front().is_element();
  // The fibers of levels open .. depth - 1 are open: an element, or a stop of a lower level, opens
  // those below. All are over when `open` is `depth`.
  int open = depth - 1;
  for (std::size_t i = 0; i + 1 < stream.size(); ++i) {
    const Token token = stream[i];
    if (open == depth || token.is_done()) return false;
    if (token.is_element()) {
      open = 0;
    } else {
      if (token.bits > static_cast<std::uint32_t>(open)) return false;
      open = static_cast<int>(token.bits) + 1;
    }
  }
  return open == depth;
}

Stream merge_stops(const Stream& stream) {
  Stream merged;
  for (const Token token : stream) {
    if (token.is_stop() && !merged.empty() && merged.back().is_stop() &&
        merged.back().bits + 1 == token.bits)
      merged.pop_back();
    merged.push_back(token);
  }
  return merged;
}

}  // namespace heddle
