// Values that the reference reads, and loops over the positions at which those that have to be
// present are present: a join over sorted entries.
#pragma once

#include <array>
#include <span>
#include <utility>

#include "compiler/einsum/evaluate.h"
#include "compiler/einsum/reference_arithmetic.h"

namespace heddle::reference {

using Position = std::vector<std::uint32_t>;  // by IndexId; of the current iteration

/// Values that expressions read: dense ones, or the entries of a sparse input.
struct Store {
  std::vector<std::uint32_t> shape;
  const ReferenceTensor* dense = nullptr;
  EntryList entries;           // without `dense`
  std::vector<double> values;  // of the entries
  bool everywhere = false;     // every position is present
  const Store* stored =
      nullptr;  // as masks and what decides them see it, if the declared format stores more
};

/// A store and the indices that it is accessed with.
struct Operand {
  const Store* store = nullptr;
  std::vector<IndexId> indices;
};

inline std::size_t at(IndexId id) { return static_cast<std::size_t>(id); }

/// What an operand has at a position.
Cell read(const Operand& operand, const Position& position);

/// The present positions of an operand as rows of coordinates, one column per distinct index in the
/// order of the loops, sorted.
class Rows {
 public:
  Rows(const Operand& operand, const std::vector<IndexId>& loops);

  std::size_t width() const { return width_; }
  std::size_t count() const { return count_; }
  /// The loop that column `n` belongs to.
  std::size_t depth(std::size_t n) const { return depths_[n]; }
  std::uint32_t at(std::size_t row, std::size_t column) const {
    return data_[row * width_ + column];
  }

  /// The first row of [begin, end) whose `column` is not below `value`; the columns before are
  /// equal.
  std::size_t lower(std::size_t begin, std::size_t end, std::size_t column,
                    std::uint64_t value) const {
    while (begin < end) {
      const std::size_t middle = (begin + end) / 2;
      (at(middle, column) < value ? begin : end) = at(middle, column) < value ? middle + 1 : middle;
    }
    return begin;
  }

 private:
  void sort();

  std::size_t width_ = 0;
  std::size_t count_ = 0;
  std::vector<std::size_t> depths_;
  std::vector<std::uint32_t> data_;
};

/// Visits every position of `indices` at which all the restricting operands are present.
class Loops {
 public:
  Loops(const std::vector<IndexId>& indices, const std::vector<Operand>& operands,
        const std::vector<std::uint32_t>& sizes, Position& position);

  template <typename Visit>
  void run(const Visit& visit) {
    if (!empty_) level(0, visit);
  }

 private:
  struct Range {
    std::size_t begin;
    std::size_t end;
    std::size_t column;  // the next to restrict
  };

  template <typename Visit>
  void level(std::size_t depth, const Visit& visit) {
    if (depth == order_.size()) return visit();
    std::uint32_t& crd = position_[at(order_[depth])];
    const std::vector<std::size_t>& joined = joined_[depth];
    if (joined.empty()) {
      const std::uint32_t size = sizes_[at(order_[depth])];
      for (crd = 0; crd < size; ++crd) level(depth + 1, visit);
      return;
    }
    std::array<Range, kMaxJoined> saved;
    std::size_t driver = joined[0];
    for (std::size_t n = 0; n < joined.size(); ++n) {
      saved[n] = ranges_[joined[n]];
      const auto length = [&](std::size_t m) { return ranges_[m].end - ranges_[m].begin; };
      if (length(joined[n]) < length(driver)) driver = joined[n];
    }
    const Range all = ranges_[driver];
    std::size_t next = all.begin;
    while (next < all.end) {
      crd = rows_[driver].at(next, all.column);
      bool meet = true;
      for (std::size_t n = 0; n < joined.size() && meet; ++n) {
        meet = narrow(joined[n], saved[n], crd, joined[n] == driver ? next : saved[n].begin);
      }
      next = rows_[driver].lower(next, all.end, all.column, std::uint64_t{crd} + 1);
      if (meet) level(depth + 1, visit);
    }
    for (std::size_t n = 0; n < joined.size(); ++n) ranges_[joined[n]] = saved[n];
  }

  /// Restricts operand `n` to rows with this coordinate; false if there are none.
  bool narrow(std::size_t n, const Range& from, std::uint32_t crd, std::size_t begin) {
    const Rows& rows = rows_[n];
    Range& range = ranges_[n];
    range.begin = rows.lower(begin, from.end, from.column, crd);
    range.end = rows.lower(range.begin, from.end, from.column, std::uint64_t{crd} + 1);
    range.column = from.column + 1;
    return range.begin < range.end;
  }

  static constexpr std::size_t kMaxJoined = 16;

  const std::vector<std::uint32_t>& sizes_;
  Position& position_;
  std::vector<IndexId> order_;
  std::vector<Rows> rows_;
  std::vector<Range> ranges_;
  std::vector<std::vector<std::size_t>> joined_;  // by depth: operands that have the index
  bool empty_ = false;
};

}  // namespace heddle::reference
