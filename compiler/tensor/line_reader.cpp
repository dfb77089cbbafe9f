#include "compiler/tensor/line_reader.h"

#include <algorithm>

namespace heddle {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";
constexpr std::size_t kMaxQuoted = 40;
constexpr std::size_t kMaxLineShown = 4096;  // of a line that is kept for the caret

}  // namespace

bool LineReader::next_raw_line() {
  if (rest_.empty()) return false;
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
  text_ = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  if (text_.ends_with('\r')) text_.remove_suffix(1);
  words_ = text_;
  word_ = text_.substr(text_.size());
  ++line_;
  return true;
}

bool LineReader::next_line() {
  while (next_raw_line()) {
    const std::size_t begin = text_.find_first_not_of(kBlanks);
    if (begin != std::string_view::npos && text_[begin] != comment_) return true;
  }
  return false;
}

std::string_view LineReader::next_word() {
  const std::size_t begin = std::min(words_.find_first_not_of(kBlanks), words_.size());
  words_.remove_prefix(begin);
  const std::size_t end = std::min(words_.find_first_of(kBlanks), words_.size());
  word_ = words_.substr(0, end);
  words_.remove_prefix(end);
  if (word_.empty()) {  // point behind the last word, not behind trailing blanks
    const std::size_t last = text_.find_last_not_of(kBlanks);
    word_ = text_.substr(last == std::string_view::npos ? 0 : last + 1, 0);
  }
  return word_;
}

Place LineReader::place(const TextSpot& spot) const {
  Place place;
  place.file = file_;
  place.line = spot.line;
  if (spot.line == 0) return place;
  const auto begin = static_cast<std::size_t>(spot.word.data() - spot.text.data());
  place.column = static_cast<int>(begin) + 1;
  place.length = static_cast<int>(std::max<std::size_t>(spot.word.size(), 1));
  if (begin < kMaxLineShown) place.text = spot.text.substr(0, kMaxLineShown);
  return place;
}

std::nullopt_t LineReader::error_at(const TextSpot& spot, Diagnostics& diag, std::string_view id,
                                    std::string message) const {
  diag.error(id, place(spot), std::move(message));
  return std::nullopt;
}

void LineReader::note_at(const TextSpot& spot, Diagnostics& diag, std::string message) const {
  diag.note(place(spot), std::move(message));
}

std::string in_quotes(std::string_view word) {
  if (word.size() <= kMaxQuoted) return fmt::format("'{}'", word);
  return fmt::format("'{}...'", word.substr(0, kMaxQuoted));
}

}  // namespace heddle
