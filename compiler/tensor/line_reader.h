// Lines and words of a text of numbers, with the place of each word for diagnostics.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "compiler/support/diagnostics.h"

namespace heddle {

/// A position of the text that a message may point to.
struct TextSpot {
  int line = 0;           // one-based; 0: the file as a whole
  std::string_view text;  // of the line
  std::string_view word;  // part of text; empty at its end
};

/// Walks over the lines that hold data: blank lines and lines that begin with `comment` are
/// skipped. Line ends may be LF or CRLF, words are parted by blanks. The text must outlive the
/// reader.
class LineReader {
 public:
  LineReader(std::string file, std::string_view text, char comment)
      : file_(std::move(file)), rest_(text), comment_(comment) {}

  /// Any line, comments and blank lines too; false at the end of the text.
  bool next_raw_line();
  /// The next line with data; false at the end of the text.
  bool next_line();
  /// The next word of this line; empty at its end.
  std::string_view next_word();

  /// The word last returned (at the end of a line: the place behind it).
  TextSpot spot() const { return {line_, text_, word_}; }
  std::string_view line_text() const { return text_; }
  int line() const { return line_; }
  std::size_t remaining_bytes() const { return rest_.size(); }

  template <typename... Args>
  std::nullopt_t error(Diagnostics& diag, std::string_view id, fmt::format_string<Args...> message,
                       Args&&... args) const {
    return error_at(spot(), diag, id, fmt::format(message, std::forward<Args>(args)...));
  }
  std::nullopt_t error_at(const TextSpot& spot, Diagnostics& diag, std::string_view id,
                          std::string message) const;
  void note_at(const TextSpot& spot, Diagnostics& diag, std::string message) const;

 private:
  Place place(const TextSpot& spot) const;

  std::string file_;
  std::string_view rest_;
  std::string_view text_;
  std::string_view word_;
  std::string_view words_;  // rest of the line
  int line_ = 0;
  char comment_;
};

/// A word of the input as part of a message: in quotes, and cut if it is long.
std::string in_quotes(std::string_view word);

}  // namespace heddle
