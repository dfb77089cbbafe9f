// NumPy's .npy, versions 1 to 3: magic, version, length of the header, the header (a Python
// dictionary of three keys, as text), values.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "compiler/support/check.h"
#include "compiler/tensor/line_reader.h"
#include "compiler/tensor/number.h"
#include "compiler/tensor/readers.h"
#include "compiler/tensor/tensor_io.h"

namespace heddle {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kPreambleV1 = 10;  // magic, version, 16-bit length

struct ElementType {
  char kind = 'f';  // f: float, i: signed, u: unsigned, b: boolean
  std::size_t bytes = 0;
  std::endian order = std::endian::little;
};

struct Header {
  std::string type_text;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

/// Reads the dictionary. After a failure `problem()` says what was expected and where.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  std::optional<Header> parse() {
    Header header;
    bool has_type = false;
    bool has_order = false;
    bool has_shape = false;
    if (!expect('{')) return std::nullopt;
    while (!accept('}')) {
      const auto key = parse_string();
      if (!key || !expect(':')) return std::nullopt;
      bool good = false;
      if (*key == "descr" && !std::exchange(has_type, true)) {
        good = parse_type(header);
      } else if (*key == "fortran_order" && !std::exchange(has_order, true)) {
        good = parse_bool(header.fortran_order);
      } else if (*key == "shape" && !std::exchange(has_shape, true)) {
        good = parse_shape(header.shape);
      } else {
        problem_ = fmt::format("key {} is unknown or repeated", in_quotes(*key));
      }
      if (!good) return std::nullopt;
      if (accept(',')) continue;
      if (!expect('}')) return std::nullopt;
      break;
    }
    skip_blanks();
    if (next_ != text_.size()) return fail("the end");
    if (!has_type || !has_order || !has_shape) {
      problem_ = "one of 'descr', 'fortran_order', 'shape' is missing";
      return std::nullopt;
    }
    return header;
  }

  const std::string& problem() const { return problem_; }

 private:
  std::nullopt_t fail(std::string_view expected) {
    if (problem_.empty()) {
      problem_ = fmt::format("expected {} at {}", expected,
                             in_quotes(next_ < text_.size() ? text_.substr(next_) : "the end"));
    }
    return std::nullopt;
  }

  void skip_blanks() { next_ = std::min(text_.find_first_not_of(" \t\r\n", next_), text_.size()); }

  bool accept(char c) {
    skip_blanks();
    if (next_ >= text_.size() || text_[next_] != c) return false;
    ++next_;
    return true;
  }

  bool expect(char c) {
    if (accept(c)) return true;
    fail(fmt::format("'{}'", c));
    return false;
  }

  bool accept_word(std::string_view word) {
    skip_blanks();
    if (!text_.substr(next_).starts_with(word)) return false;
    next_ += word.size();
    return true;
  }

  std::optional<std::string> parse_string() {
    skip_blanks();
    if (next_ >= text_.size() || (text_[next_] != '\'' && text_[next_] != '"')) {
      return fail("a string");
    }
    const std::size_t end = text_.find(text_[next_], next_ + 1);
    if (end == std::string_view::npos) return fail("a string that ends");
    std::string result(text_.substr(next_ + 1, end - next_ - 1));
    next_ = end + 1;
    return result;
  }

  bool parse_type(Header& header) {
    if (accept('[')) {  // records: their text is enough to refuse them by name
      const std::size_t end = std::min(text_.find(']', next_), text_.size());
      header.type_text = text_.substr(next_, end - next_);
      next_ = end;
      return expect(']');
    }
    const auto text = parse_string();
    if (!text) return false;
    header.type_text = *text;
    return true;
  }

  bool parse_bool(bool& value) {
    value = accept_word("True");
    if (value || accept_word("False")) return true;
    fail("True or False");
    return false;
  }

  bool parse_shape(std::vector<std::uint64_t>& shape) {
    if (!expect('(')) return false;
    while (!accept(')')) {
      skip_blanks();
      const std::size_t end = std::min(text_.find_first_not_of("0123456789", next_), text_.size());
      const auto size = parse_count(text_.substr(next_, end - next_));
      if (!size) {
        fail("a size");
        return false;
      }
      next_ = end;
      accept('L');  // Python 2 wrote long integers so
      shape.push_back(*size);
      if (accept(',')) continue;
      if (!expect(')')) return false;
      break;
    }
    return true;
  }

  std::string_view text_;
  std::size_t next_ = 0;
  std::string problem_;
};

std::uint64_t load(std::string_view bytes, std::endian order) {
  std::uint64_t bits = 0;
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    const std::size_t at = order == std::endian::little ? bytes.size() - 1 - n : n;
    bits = bits << 8 | static_cast<unsigned char>(bytes[at]);
  }
  return bits;
}

double half_to_double(std::uint16_t bits) {
  const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  const int exponent = (bits >> 10) & 0x1f;
  const int fraction = bits & 0x3ff;
  if (exponent == 0x1f) {
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  }
  const int scale = exponent == 0 ? 1 : exponent;  // value = significand * 2^(scale - 25)
  const int significand = exponent == 0 ? fraction : fraction | 0x400;
  return sign * significand * static_cast<double>(std::uint64_t{1} << scale) / 0x1p25;
}

double to_double(std::uint64_t bits, std::size_t bytes) {
  if (bytes == 2) return half_to_double(static_cast<std::uint16_t>(bits));
  if (bytes == 4) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  return std::bit_cast<double>(bits);
}

std::int64_t sign_extend(std::uint64_t bits, std::size_t bytes) {
  const std::size_t shift = 64 - 8 * bytes;
  return static_cast<std::int64_t>(bits << shift) >> shift;
}

ParsedValue element_value(std::uint64_t bits, const ElementType& element, ValueType type) {
  switch (element.kind) {
    case 'f':
      return to_value(to_double(bits, element.bytes), type);
    case 'i':
      return to_value(sign_extend(bits, element.bytes), type);
    case 'b':
      return to_value(std::uint64_t{bits != 0 ? 1U : 0U}, type);
    default:
      return to_value(bits, type);
  }
}

std::optional<ElementType> parse_element_type(std::string_view text) {
  if (text == "?") text = "|b1";
  if (text.size() != 3) return std::nullopt;
  ElementType element{.kind = text[1], .bytes = static_cast<std::size_t>(text[2] - '0')};
  const std::string_view sizes = element.kind == 'f'                          ? "248"
                                 : element.kind == 'i' || element.kind == 'u' ? "1248"
                                 : element.kind == 'b'                        ? "1"
                                                                              : "";
  if (sizes.find(text[2]) == std::string_view::npos) return std::nullopt;
  switch (text[0]) {
    case '<':
      element.order = std::endian::little;
      break;
    case '>':
      element.order = std::endian::big;
      break;
    case '=':
      element.order = std::endian::native;
      break;
    case '|':
      if (element.bytes == 1) break;
      return std::nullopt;
    default:
      return std::nullopt;
  }
  return element;
}

class NpyReader {
 public:
  NpyReader(const std::string& file, std::string_view bytes, ValueType type, Diagnostics& diag)
      : file_(file), rest_(bytes), type_(type), diag_(diag) {}

  std::optional<EntryList> read() {
    const auto text = read_header_text();
    if (!text) return std::nullopt;
    HeaderParser parser(*text);
    const auto header = parser.parse();
    if (!header) return error("data-header", "in the header: {}", parser.problem());
    const auto element = parse_element_type(header->type_text);
    if (!element) {
      return error("data-unsupported",
                   "values of type {} are not supported, expected f2, f4, f8, i1 to i8, u1 to u8 "
                   "or b1",
                   in_quotes(header->type_text));
    }
    if (!take_shape(header->shape) || !check_size(element->bytes)) return std::nullopt;
    if (!read_values(*element, header->fortran_order)) return std::nullopt;
    return std::move(list_);
  }

 private:
  template <typename... Args>
  std::nullopt_t error(std::string_view id, fmt::format_string<Args...> message, Args&&... args) {
    diag_.error(id, Place{.file = file_, .text = {}},
                fmt::format(message, std::forward<Args>(args)...));
    return std::nullopt;
  }

  /// The dictionary; what is left are the values.
  std::optional<std::string_view> read_header_text() {
    if (!rest_.starts_with(kMagic)) {
      return error("data-header", "the file does not begin with the magic bytes of .npy");
    }
    if (rest_.size() < kPreambleV1) return error("data-header", "the file ends in its header");
    const int version = static_cast<unsigned char>(rest_[kMagic.size()]);
    if (version < 1 || version > 3) {
      return error("data-unsupported", "version {} of .npy is not supported, expected 1 to 3",
                   version);
    }
    const std::size_t length_bytes = version == 1 ? 2 : 4;
    const std::size_t preamble = kMagic.size() + 2 + length_bytes;
    if (rest_.size() < preamble) return error("data-header", "the file ends in its header");
    const std::uint64_t length =
        load(rest_.substr(kMagic.size() + 2, length_bytes), std::endian::little);
    if (length > rest_.size() - preamble) {
      return error("data-header", "the header announces {} bytes, but {} follow", length,
                   rest_.size() - preamble);
    }
    const std::string_view text = rest_.substr(preamble, length);
    rest_.remove_prefix(preamble + length);
    return text;
  }

  bool take_shape(const std::vector<std::uint64_t>& shape) {
    if (shape.size() > kMaxRank) {
      error("data-rank", "the file has rank {}, but at most {} is supported", shape.size(),
            kMaxRank);
      return false;
    }
    for (const std::uint64_t size : shape) {
      if (size > std::numeric_limits<std::uint32_t>::max()) {
        error("data-size", "the size {} is larger than {}", size,
              std::numeric_limits<std::uint32_t>::max());
        return false;
      }
      list_.shape.push_back(static_cast<std::uint32_t>(size));
    }
    return true;
  }

  /// The announced values must be there, all of them, before room is made for any.
  bool check_size(std::size_t element_bytes) {
    const std::uint64_t count = dense_size(list_.shape);
    if (count > rest_.size() / element_bytes || count * element_bytes != rest_.size()) {
      error("data-count", "the header announces {} values of {} bytes ({}), but {} bytes follow",
            count, element_bytes, shape_text(list_.shape), rest_.size());
      return false;
    }
    if (list_words(list_.shape, count) > kMaxWords) {
      error("data-size", "{} values are more than Heddle reads", count);
      return false;
    }
    return true;
  }

  bool read_values(const ElementType& element, bool fortran_order) {
    const std::size_t rank = list_.shape.size();
    const std::size_t count = rest_.size() / element.bytes;
    list_.crd.reserve(count * rank);
    list_.vals.reserve(count);
    std::array<std::uint32_t, kMaxRank> entry{};
    for (std::size_t n = 0; n < count; ++n) {
      const std::uint64_t bits =
          load(rest_.substr(n * element.bytes, element.bytes), element.order);
      const ParsedValue value = element_value(bits, element, type_);
      if (!value.problem.empty()) {
        error("data-number", "the value at [{}] {}",
              fmt::join(entry.data(), entry.data() + rank, ", "), value.problem);
        return false;
      }
      list_.crd.insert(list_.crd.end(), entry.data(), entry.data() + rank);
      list_.vals.push_back(value.bits);
      for (std::size_t k = 0; k < rank; ++k) {  // the next entry, in the order of the file
        const std::size_t mode = fortran_order ? k : rank - 1 - k;
        if (++entry[mode] < list_.shape[mode]) break;
        entry[mode] = 0;
      }
    }
    return true;
  }

  std::string file_;
  std::string_view rest_;
  ValueType type_;
  Diagnostics& diag_;
  EntryList list_;
};

void append_little_endian(std::string& out, std::uint32_t word, int bytes) {
  for (int n = 0; n < bytes; ++n) out += static_cast<char>(word >> (8 * n) & 0xff);
}

}  // namespace

std::optional<EntryList> read_npy(const std::string& file, std::string_view bytes, ValueType type,
                                  Diagnostics& diag) {
  return NpyReader(file, bytes, type, diag).read();
}

std::string to_npy(const Tensor& tensor) {
  constexpr std::size_t kAlignment = 64;
  const std::uint64_t size = dense_size(tensor.shape);
  HEDDLE_CHECK(size <= kMaxWords, "{} dense values are too many to write", size);
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                   tensor.type == ValueType::kF32 ? "<f4" : "<i4",
                                   fmt::join(tensor.shape, ", "), tensor.rank() == 1 ? "," : "");
  const std::size_t used = kPreambleV1 + header.size() + 1;
  header.append((kAlignment - used % kAlignment) % kAlignment, ' ');
  header += '\n';

  std::vector<std::uint32_t> vals(size, 0);
  const EntryList list = unpack(tensor);
  for (std::size_t n = 0; n < list.size(); ++n) {
    std::uint64_t position = 0;
    for (std::size_t m = 0; m < list.shape.size(); ++m) {
      position = position * list.shape[m] + list.entry(n)[m];
    }
    vals[position] = list.vals[n];
  }

  std::string out(kMagic);
  out += std::string_view("\x01\x00", 2);
  append_little_endian(out, static_cast<std::uint32_t>(header.size()), 2);
  out += header;
  out.reserve(out.size() + 4 * vals.size());
  for (const std::uint32_t word : vals) append_little_endian(out, word, 4);
  return out;
}

}  // namespace heddle
