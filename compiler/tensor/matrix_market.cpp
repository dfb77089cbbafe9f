// Matrix Market: https://math.nist.gov/MatrixMarket/formats.html, and what is found in the wild:
// words in any case, CRLF, blank lines, comments anywhere, array values several to a line.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

#include "compiler/support/check.h"
#include "compiler/tensor/line_reader.h"
#include "compiler/tensor/number.h"
#include "compiler/tensor/readers.h"
#include "compiler/tensor/tensor_io.h"

namespace heddle {
namespace {

constexpr std::string_view kBanner = "%%MatrixMarket";

enum class Layout : std::uint8_t { kCoordinate, kArray };
enum class Field : std::uint8_t { kReal, kInteger, kPattern };
enum class Symmetry : std::uint8_t { kGeneral, kSymmetric, kSkewSymmetric };

struct Header {
  Layout layout{};
  Field field{};
  Symmetry symmetry{};
};

template <typename Value>
struct Choice {
  std::string_view word;
  std::optional<Value> value;  // none: known, but not read
};

constexpr Choice<Layout> kObjects[] = {{"matrix", Layout::kCoordinate}, {"vector", {}}};
constexpr Choice<Layout> kLayouts[] = {{"coordinate", Layout::kCoordinate},
                                       {"array", Layout::kArray}};
constexpr Choice<Field> kFields[] = {
    {"real", Field::kReal},       {"double", Field::kReal},
    {"integer", Field::kInteger}, {"unsigned-integer", Field::kInteger},
    {"pattern", Field::kPattern}, {"complex", {}}};
constexpr Choice<Symmetry> kSymmetries[] = {{"general", Symmetry::kGeneral},
                                            {"symmetric", Symmetry::kSymmetric},
                                            {"skew-symmetric", Symmetry::kSkewSymmetric},
                                            {"hermitian", {}}};

std::string lower_case(std::string_view word) {
  std::string lower(word);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

template <typename Value, std::size_t N>
std::string expected_words(const Choice<Value> (&choices)[N]) {
  std::string text;
  for (const auto& choice : choices) {
    if (!choice.value) continue;
    text += fmt::format("{}'{}'", text.empty() ? "" : ", ", choice.word);
  }
  return text;
}

class MatrixMarketReader {
 public:
  MatrixMarketReader(const std::string& file, std::string_view text, ValueType type,
                     Diagnostics& diag)
      : lines_(file, text, '%'), type_(type), diag_(diag) {}

  std::optional<EntryList> read() {
    if (!read_header() || !read_sizes()) return std::nullopt;
    const bool good = header_.layout == Layout::kArray ? read_array() : read_entries();
    if (!good) return std::nullopt;
    return std::move(list_);
  }

 private:
  template <typename... Args>
  bool fail(std::string_view id, fmt::format_string<Args...> message, Args&&... args) {
    lines_.error(diag_, id, message, std::forward<Args>(args)...);
    return false;
  }

  template <typename Value, std::size_t N>
  std::optional<Value> read_choice(std::string_view what, const Choice<Value> (&choices)[N]) {
    const std::string_view word = lines_.next_word();
    if (word.empty()) {
      return lines_.error(diag_, "data-header", "the {} is missing, expected {}", what,
                          expected_words(choices));
    }
    const std::string lower = lower_case(word);
    const auto* choice = std::ranges::find(choices, lower, &Choice<Value>::word);
    if (choice == std::end(choices)) {
      return lines_.error(diag_, "data-header", "{} is no known {}, expected {}", in_quotes(word),
                          what, expected_words(choices));
    }
    if (!choice->value) {
      return lines_.error(diag_, "data-unsupported", "the {} '{}' is not supported, expected {}",
                          what, choice->word, expected_words(choices));
    }
    return choice->value;
  }

  bool read_header() {
    if (!lines_.next_raw_line()) {
      return fail("data-header", "the file is empty, its header must start with {}", kBanner);
    }
    const std::string_view banner = lines_.next_word();
    if (lower_case(banner) != lower_case(kBanner) || !lines_.line_text().starts_with('%')) {
      return fail("data-header", "found {}, but the header must start with {}", in_quotes(banner),
                  kBanner);
    }
    if (!read_choice("object", kObjects)) return false;
    const auto layout = read_choice("layout", kLayouts);
    if (!layout) return false;
    const auto field = read_choice("kind of values", kFields);
    if (!field) return false;
    const TextSpot field_spot = lines_.spot();
    const auto symmetry = read_choice("symmetry", kSymmetries);
    if (!symmetry) return false;
    const TextSpot symmetry_spot = lines_.spot();
    if (!lines_.next_word().empty()) {
      return fail("data-header", "surplus {} in the header", in_quotes(lines_.spot().word));
    }
    header_ = {*layout, *field, *symmetry};
    if (header_.field == Field::kPattern && header_.layout == Layout::kArray) {
      lines_.error_at(field_spot, diag_, "data-header", "an array cannot have the kind 'pattern'");
      return false;
    }
    if (header_.field == Field::kPattern && header_.symmetry == Symmetry::kSkewSymmetric) {
      lines_.error_at(symmetry_spot, diag_, "data-header",
                      "a pattern cannot be skew-symmetric: it has no signs");
      return false;
    }
    return true;
  }

  /// One number of the size line.
  std::optional<std::uint64_t> read_size(std::string_view what, std::uint64_t limit) {
    const std::string_view word = lines_.next_word();
    if (word.empty()) {
      return lines_.error(diag_, "data-header", "the {} is missing in the size line", what);
    }
    if (!is_integer(word) || word.starts_with('-') || word.starts_with('+')) {
      return lines_.error(diag_, "data-header", "{} is not a {}", in_quotes(word), what);
    }
    const auto size = parse_count(word);
    if (!size || *size > limit) {
      return lines_.error(diag_, "data-size", "the {} {} is larger than {}", what, in_quotes(word),
                          limit);
    }
    return size;
  }

  bool read_sizes() {
    constexpr std::uint64_t kMaxSize = std::numeric_limits<std::uint32_t>::max();
    if (!lines_.next_line()) {
      return fail("data-header", "the file ends before the line with the sizes");
    }
    const auto rows = read_size("number of rows", kMaxSize);
    if (!rows) return false;
    const auto cols = read_size("number of columns", kMaxSize);
    if (!cols) return false;
    list_.shape = {static_cast<std::uint32_t>(*rows), static_cast<std::uint32_t>(*cols)};
    size_spot_ = lines_.spot();
    if (header_.layout == Layout::kCoordinate) {
      const auto count = read_size("number of entries", std::numeric_limits<std::uint64_t>::max());
      if (!count) return false;
      expected_ = *count;
      size_spot_ = lines_.spot();
    } else {
      expected_ = array_size();
    }
    if (!lines_.next_word().empty()) {
      return fail("data-header", "surplus {} in the size line", in_quotes(lines_.spot().word));
    }
    if (header_.symmetry != Symmetry::kGeneral && *rows != *cols) {
      lines_.error_at(size_spot_, diag_, "data-symmetry",
                      fmt::format("a {} matrix must be square, but this is {} x {}",
                                  symmetry_word(), *rows, *cols));
      return false;
    }
    return reserve();
  }

  std::string_view symmetry_word() const {
    return header_.symmetry == Symmetry::kSymmetric ? "symmetric" : "skew-symmetric";
  }

  /// How many values an array file holds. The sizes are below 2^32, so this fits.
  std::uint64_t array_size() const {
    const std::uint64_t rows = list_.shape[0];
    if (header_.symmetry == Symmetry::kGeneral) return rows * list_.shape[1];
    const std::uint64_t below =
        rows == 0 ? 0 : (rows % 2 == 0 ? rows / 2 * (rows - 1) : (rows - 1) / 2 * rows);
    return header_.symmetry == Symmetry::kSymmetric ? below + rows : below;
  }

  /// Room for what the rest of the file can hold at most, whatever the header claims.
  bool reserve() {
    const std::uint64_t least_bytes = header_.layout == Layout::kArray   ? 2
                                      : header_.field == Field::kPattern ? 4
                                                                         : 6;
    const std::uint64_t count =
        std::min<std::uint64_t>(expected_, (lines_.remaining_bytes() + 1) / least_bytes);
    const std::uint64_t copies = header_.symmetry == Symmetry::kGeneral ? 1 : 2;
    if (list_words(list_.shape, count * copies) > kMaxWords) {
      lines_.error_at(size_spot_, diag_, "data-size",
                      fmt::format("{} entries are more than Heddle reads", expected_));
      return false;
    }
    list_.crd.reserve(2 * count * copies);
    list_.vals.reserve(count * copies);
    return true;
  }

  bool read_entries() {
    for (std::uint64_t n = 0; n < expected_; ++n) {
      if (!lines_.next_line()) return too_few("entries", n);
      if (!read_entry()) return false;
    }
    if (!lines_.next_line()) return true;
    lines_.next_word();
    return too_many("entry", "entries");
  }

  bool read_entry() {
    const auto row = read_index("row", list_.shape[0]);
    if (!row) return false;
    const auto col = read_index("column", list_.shape[1]);
    if (!col) return false;
    const TextSpot col_spot = lines_.spot();
    ParsedValue value = to_value(std::int64_t{1}, type_);
    if (header_.field != Field::kPattern) {
      if (lines_.next_word().empty()) return fail("data-line", "the value of the entry is missing");
      if (!read_value(value)) return false;
    }
    if (!lines_.next_word().empty()) {
      return fail("data-line", "surplus {} after the entry", in_quotes(lines_.spot().word));
    }
    if (header_.symmetry != Symmetry::kGeneral && *row < *col) {
      lines_.error_at(col_spot, diag_, "data-symmetry",
                      fmt::format("the entry ({}, {}) is above the diagonal, but a {} file holds "
                                  "the lower triangle only",
                                  *row + 1, *col + 1, symmetry_word()));
      return false;
    }
    if (header_.symmetry == Symmetry::kSkewSymmetric && *row == *col) {
      lines_.error_at(col_spot, diag_, "data-symmetry",
                      fmt::format("the entry ({}, {}) is on the diagonal, which a skew-symmetric "
                                  "file leaves out",
                                  *row + 1, *col + 1));
      return false;
    }
    add(*row, *col, value.bits);
    return true;
  }

  std::optional<std::uint32_t> read_index(std::string_view what, std::uint32_t size) {
    const std::string_view word = lines_.next_word();
    if (word.empty())
      return lines_.error(diag_, "data-line", "the {} of the entry is missing", what);
    if (!is_integer(word)) {
      return lines_.error(diag_, "data-number", "{} is not a {} number", in_quotes(word), what);
    }
    const auto index = parse_count(word);
    if (index == 0U) {
      return lines_.error(diag_, "data-index", "the {} is 0, but {}s are counted from 1", what,
                          what);
    }
    if (!index || *index > size) {
      return lines_.error(diag_, "data-index", "the {} {} is not in 1..{}", what, in_quotes(word),
                          size);
    }
    return static_cast<std::uint32_t>(*index - 1);
  }

  /// The word last read as a value.
  bool read_value(ParsedValue& value) {
    const std::string_view word = lines_.spot().word;
    if (header_.field == Field::kInteger && !is_integer(word)) {
      return fail("data-number", "{} is not an integer, which the header announces",
                  in_quotes(word));
    }
    value = parse_value(word, type_);
    if (value.problem.empty()) return true;
    return fail("data-number", "{} {}", in_quotes(word), value.problem);
  }

  /// Values column by column; of symmetric ones the lower triangle.
  bool read_array() {
    const std::uint32_t rows = list_.shape[0];
    const auto first_row = [&](std::uint32_t col) {
      return header_.symmetry == Symmetry::kGeneral     ? 0
             : header_.symmetry == Symmetry::kSymmetric ? col
                                                        : col + 1;
    };
    std::uint64_t count = 0;
    std::uint32_t col = 0;
    std::uint32_t row = first_row(0);
    while (lines_.next_line()) {
      while (!lines_.next_word().empty()) {
        if (count == expected_) return too_many("value", "values");
        ParsedValue value;
        if (!read_value(value)) return false;
        add(row, col, value.bits);
        ++count;
        if (++row >= rows) row = first_row(++col);
      }
    }
    if (count < expected_) return too_few("values", count);
    if (header_.symmetry == Symmetry::kSkewSymmetric) {  // an array stores every position
      for (std::uint32_t n = 0; n < rows; ++n) append(n, n, 0);
    }
    return true;
  }

  void append(std::uint32_t row, std::uint32_t col, std::uint32_t bits) {
    list_.crd.push_back(row);
    list_.crd.push_back(col);
    list_.vals.push_back(bits);
  }

  void add(std::uint32_t row, std::uint32_t col, std::uint32_t bits) {
    append(row, col, bits);
    if (header_.symmetry == Symmetry::kGeneral || row == col) return;
    const bool negate = header_.symmetry == Symmetry::kSkewSymmetric;
    append(col, row, negate ? apply(UnaryOp::kNeg, type_, bits) : bits);
  }

  bool too_few(std::string_view what, std::uint64_t count) {
    lines_.error_at(size_spot_, diag_, "data-count",
                    fmt::format("the sizes announce {} {}, but the file ends after {}", expected_,
                                what, count));
    return false;
  }

  bool too_many(std::string_view one, std::string_view many) {
    fail("data-count", "surplus {}: the sizes announce {} {}", one, expected_, many);
    lines_.note_at(size_spot_, diag_, "announced here");
    return false;
  }

  LineReader lines_;
  ValueType type_;
  Diagnostics& diag_;
  Header header_;
  std::uint64_t expected_ = 0;  // entries, or values of an array
  TextSpot size_spot_;
  EntryList list_;
};

}  // namespace

std::optional<EntryList> read_matrix_market(const std::string& file, std::string_view text,
                                            ValueType type, Diagnostics& diag) {
  return MatrixMarketReader(file, text, type, diag).read();
}

std::string to_matrix_market(const Tensor& tensor) {
  HEDDLE_CHECK(tensor.rank() <= 2, "a Matrix Market file cannot hold rank {}", tensor.rank());
  const EntryList list = unpack(tensor);
  std::array<std::uint32_t, 2> sizes = {1, 1};
  std::ranges::copy(list.shape, sizes.begin());
  std::string out = fmt::format("{} matrix coordinate {} general\n{} {} {}\n", kBanner,
                                tensor.type == ValueType::kF32 ? "real" : "integer", sizes[0],
                                sizes[1], list.size());
  for (std::size_t n = 0; n < list.size(); ++n) {
    std::array<std::uint32_t, 2> entry = {0, 0};
    std::ranges::copy(list.entry(n), entry.begin());
    fmt::format_to(std::back_inserter(out), "{} {} {}\n", std::uint64_t{entry[0]} + 1,
                   std::uint64_t{entry[1]} + 1, value_text(list.vals[n], tensor.type));
  }
  return out;
}

}  // namespace heddle
