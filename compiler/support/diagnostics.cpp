#include "compiler/support/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "compiler/support/check.h"
#include "compiler/support/diagnostic_ids.h"

namespace heddle {
namespace {

constexpr std::size_t kMaxColumns = 160;  // of a source line as shown; longer ones are cut
constexpr std::string_view kEllipsis = "...";

/// Length in bytes of the valid UTF-8 character at the start of `text`, or 0.
std::size_t utf8_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  for (std::size_t n = 1; n < length; ++n) {
    if ((static_cast<unsigned char>(text[n]) & 0xc0) != 0x80) return 0;
  }
  return length;
}

/// One string per column as a terminal shows it: tabs are one space, what is not text is `?`.
std::vector<std::string> columns_of(std::string_view text) {
  std::vector<std::string> columns;
  while (!text.empty()) {
    std::size_t length = utf8_length(text);
    const bool control = length == 1 && (text.front() < ' ' || text.front() == '\x7f');
    if (text.front() == '\t') {
      columns.emplace_back(" ");
    } else if (length == 0 || control) {
      columns.emplace_back("?");
    } else {
      columns.emplace_back(text.substr(0, length));
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return columns;
}

/// Messages may quote input: nothing in them may steer the terminal.
std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto line_end = std::min(text.find('\n'), text.size());
    for (const std::string& column : columns_of(text.substr(0, line_end))) out += column;
    if (line_end < text.size()) out += '\n';
    text.remove_prefix(std::min(line_end + 1, text.size()));
  }
  return out;
}

std::string join(const std::vector<std::string>& columns, std::size_t begin, std::size_t end) {
  std::string out;
  for (std::size_t n = begin; n < end; ++n) out += columns[n];
  return out;
}

/// The line with the place in it underlined, two lines of text; nothing if the line is not known.
std::string excerpt(const Place& place) {
  if (place.text.empty()) return {};
  const std::vector<std::string> columns = columns_of(place.text);
  if (place.column < 1) return fmt::format("  {}\n", join(columns, 0, columns.size()));

  const std::string_view text = place.text;
  const auto byte = std::min(static_cast<std::size_t>(place.column) - 1, text.size());
  const auto wanted = static_cast<std::size_t>(std::max(place.length, 1));
  const std::size_t caret = columns_of(text.substr(0, byte)).size();
  const std::size_t length = std::max<std::size_t>(columns_of(text.substr(byte, wanted)).size(), 1);

  std::size_t begin = 0;
  std::size_t end = columns.size();
  if (columns.size() > kMaxColumns) {
    begin = caret > kMaxColumns / 2 ? caret - kMaxColumns / 2 : 0;
    end = std::min(begin + kMaxColumns, columns.size());
  }
  const std::string_view before = begin > 0 ? kEllipsis : "";
  const std::string_view after = end < columns.size() ? kEllipsis : "";
  const std::size_t shown = std::min(length, std::max<std::size_t>(end - caret, 1));
  return fmt::format("  {}{}{}\n  {}^{}\n", before, join(columns, begin, end), after,
                     std::string(before.size() + caret - begin, ' '), std::string(shown - 1, '~'));
}

std::string_view word(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      break;
  }
  return "note";
}

std::string render(const Diagnostic& diagnostic) {
  const Place& place = diagnostic.place;
  std::string out = printable(place.file);
  if (place.line > 0) out += fmt::format("{}{}", out.empty() ? "" : ":", place.line);
  if (place.line > 0 && place.column > 0) out += fmt::format(":{}", place.column);
  if (!out.empty()) out += ": ";
  out += fmt::format("{}: {}", word(diagnostic.severity), printable(diagnostic.message));
  if (!diagnostic.id.empty()) out += fmt::format(" [{}]", diagnostic.id);
  out += '\n';
  return out + excerpt(place);
}

void check_id(std::string_view id) {
  HEDDLE_CHECK(is_diagnostic_id(id), "diagnostic id '{}' is not listed in diagnostic_ids.h", id);
}

}  // namespace

Sources::Sources() : files_(1) {}

std::uint32_t Sources::add(std::string name, std::string text) {
  HEDDLE_CHECK(text.size() < std::numeric_limits<std::uint32_t>::max(),
               "source '{}' has {} bytes; offsets are 32 bits", name, text.size());
  files_.push_back({std::move(name), std::move(text)});
  return static_cast<std::uint32_t>(files_.size() - 1);
}

const std::string& Sources::name(std::uint32_t file) const {
  HEDDLE_CHECK(file < files_.size(), "no source {}", file);
  return files_[file].name;
}

const std::string& Sources::text(std::uint32_t file) const {
  HEDDLE_CHECK(file < files_.size(), "no source {}", file);
  return files_[file].text;
}

Place Sources::place(SourceRange range) const {
  const std::string_view text = this->text(range.file);
  if (range.file == 0) return {};
  HEDDLE_CHECK(range.begin <= range.end && range.end <= text.size(), "range {}..{} is outside '{}'",
               range.begin, range.end, name(range.file));
  std::size_t begin = range.begin;
  if (begin == text.size()) {  // the end of the file is shown behind its last line that has text
    const auto last = text.find_last_not_of(" \t\r\n");
    begin = last == std::string_view::npos ? 0 : last + 1;
  }
  const std::string_view head = text.substr(0, begin);
  const auto line_begin = head.find_last_of('\n') + 1;  // npos + 1 is 0
  auto line_end = std::min(text.find('\n', begin), text.size());
  if (line_end > begin && text[line_end - 1] == '\r') --line_end;
  const std::size_t end =
      std::clamp<std::size_t>(range.end, begin + 1, std::max(line_end, begin + 1));

  Place place;
  place.file = name(range.file);
  place.line = static_cast<int>(std::ranges::count(head, '\n')) + 1;
  place.column = static_cast<int>(begin - line_begin) + 1;
  place.length = static_cast<int>(end - begin);
  place.text = text.substr(line_begin, line_end - line_begin);
  return place;
}

void Diagnostics::error(std::string_view id, SourceRange range, std::string message) {
  error(id, sources_.place(range), std::move(message));
}

void Diagnostics::error(std::string_view id, Place place, std::string message) {
  check_id(id);
  all_.push_back({Severity::kError, std::string(id), std::move(place), std::move(message)});
  ++errors_;
}

void Diagnostics::warning(std::string_view id, SourceRange range, std::string message) {
  check_id(id);
  all_.push_back({Severity::kWarning, std::string(id), sources_.place(range), std::move(message)});
}

void Diagnostics::note(SourceRange range, std::string message) {
  note(sources_.place(range), std::move(message));
}

void Diagnostics::note(Place place, std::string message) {
  all_.push_back({Severity::kNote, {}, std::move(place), std::move(message)});
}

void Diagnostics::note(std::string message) { note(Place{}, std::move(message)); }

std::string Diagnostics::text() const {
  std::string out;
  for (const Diagnostic& diagnostic : all_) out += render(diagnostic);
  return out;
}

}  // namespace heddle
