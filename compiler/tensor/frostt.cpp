// FROSTT: http://frostt.io/tensors/file-formats.html. A line is the coordinates of an entry,
// counted from 1, and its value; comments begin with #. There is no header: the first entry tells
// the rank.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "compiler/support/check.h"
#include "compiler/tensor/line_reader.h"
#include "compiler/tensor/number.h"
#include "compiler/tensor/readers.h"
#include "compiler/tensor/tensor_io.h"

namespace heddle {
namespace {

class FrosttReader {
 public:
  FrosttReader(const std::string& file, std::string_view text, ValueType type, int rank,
               const std::vector<std::uint32_t>& shape, Diagnostics& diag)
      : lines_(file, text, '#'), type_(type), rank_(static_cast<std::size_t>(rank)), diag_(diag) {
    declared_.assign(rank_, 0);
    if (shape.size() == rank_) declared_ = shape;
    list_.shape = declared_;
  }

  std::optional<EntryList> read() {
    while (lines_.next_line()) {
      if (!read_words() || !check_words() || !read_entry()) return std::nullopt;
      if (list_words(list_.shape, list_.size()) > kMaxWords) {
        return lines_.error(diag_, "data-size",
                            "the entries up to here are more than Heddle reads");
      }
    }
    return std::move(list_);
  }

 private:
  template <typename... Args>
  bool fail_at(const TextSpot& spot, std::string_view id, fmt::format_string<Args...> message,
               Args&&... args) {
    lines_.error_at(spot, diag_, id, fmt::format(message, std::forward<Args>(args)...));
    return false;
  }

  bool read_words() {
    spots_.clear();
    words_ = 0;
    for (; !lines_.next_word().empty(); ++words_) {
      if (spots_.size() < rank_ + 2) spots_.push_back(lines_.spot());
    }
    const bool first = list_.size() == 0;
    if (!first || !spots_[0].word.starts_with("%%")) return true;
    return fail_at(spots_[0], "data-header",
                   "{} begins a Matrix Market file, whose name should end in .mtx",
                   in_quotes(spots_[0].word));
  }

  /// Each line must have as many words as the first one, which must fit the rank.
  bool check_words() {
    const bool first = first_line_ == 0;
    if (first) first_line_ = lines_.line();
    if (words_ == rank_ + 1) return true;
    if (first) {
      return fail_at(spots_.back(), "data-rank",
                     "the file has rank {} (the first entry has {} words), but the tensor has "
                     "rank {}",
                     words_ - 1, words_, rank_);
    }
    return fail_at(spots_.back(), "data-line", "found {} words, but line {} has {}", words_,
                   first_line_, rank_ + 1);
  }

  bool read_entry() {
    for (std::size_t mode = 0; mode < rank_; ++mode) {
      if (!read_coordinate(mode)) return false;
    }
    const TextSpot& spot = spots_[rank_];
    const ParsedValue value = parse_value(spot.word, type_);
    if (!value.problem.empty()) {
      return fail_at(spot, "data-number", "{} {}", in_quotes(spot.word), value.problem);
    }
    list_.vals.push_back(value.bits);
    return true;
  }

  bool read_coordinate(std::size_t mode) {
    const TextSpot& spot = spots_[mode];
    if (!is_integer(spot.word)) {
      return fail_at(spot, "data-number", "{} is not a coordinate", in_quotes(spot.word));
    }
    const auto coordinate = parse_count(spot.word);
    if (coordinate == 0U) {
      return fail_at(spot, "data-index", "a coordinate is 0, but they are counted from 1");
    }
    const std::uint64_t limit =
        declared_[mode] > 0 ? declared_[mode] : std::numeric_limits<std::uint32_t>::max();
    if (!coordinate || *coordinate > limit) {
      return fail_at(spot, "data-index", "the coordinate {} of mode {} is not in 1..{}",
                     in_quotes(spot.word), mode, limit);
    }
    const auto size = static_cast<std::uint32_t>(*coordinate);
    list_.shape[mode] = std::max(list_.shape[mode], size);
    list_.crd.push_back(size - 1);
    return true;
  }

  LineReader lines_;
  ValueType type_;
  std::size_t rank_;
  Diagnostics& diag_;
  std::vector<std::uint32_t> declared_;  // 0: unknown
  std::size_t words_ = 0;                // in this line
  std::vector<TextSpot> spots_;          // the words of this line, up to the first surplus one
  int first_line_ = 0;
  EntryList list_;
};

}  // namespace

std::optional<EntryList> read_frostt(const std::string& file, std::string_view text, ValueType type,
                                     int rank, const std::vector<std::uint32_t>& shape,
                                     Diagnostics& diag) {
  return FrosttReader(file, text, type, rank, shape, diag).read();
}

std::string to_frostt(const Tensor& tensor) {
  const EntryList list = unpack(tensor);
  std::string out;
  for (std::size_t n = 0; n < list.size(); ++n) {
    for (const std::uint32_t crd : list.entry(n)) {
      fmt::format_to(std::back_inserter(out), "{} ", std::uint64_t{crd} + 1);
    }
    fmt::format_to(std::back_inserter(out), "{}\n", value_text(list.vals[n], tensor.type));
  }
  return out;
}

}  // namespace heddle
