#include "compiler/tensor/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "compiler/support/check.h"

namespace heddle {
namespace {

constexpr std::uint64_t kSaturated = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kMaxPositions = std::numeric_limits<std::uint32_t>::max();

std::uint64_t saturating_multiply(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > kSaturated / b ? kSaturated : a * b;
}

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  return a > kSaturated - b ? kSaturated : a + b;
}

std::vector<int> mode_order(int rank) {
  std::vector<int> order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

bool is_permutation_of_modes(std::vector<int> order) {
  std::ranges::sort(order);
  return order == mode_order(static_cast<int>(order.size()));
}

/// -1, 0, 1: entry `a` is before, at, after entry `b`, seen in `order`.
int compare(const EntryList& list, std::span<const int> order, std::size_t a, std::size_t b) {
  for (const int mode : order) {
    const auto m = static_cast<std::size_t>(mode);
    const std::uint32_t crd_a = list.crd[a * list.shape.size() + m];
    const std::uint32_t crd_b = list.crd[b * list.shape.size() + m];
    if (crd_a != crd_b) return crd_a < crd_b ? -1 : 1;
  }
  return 0;
}

bool is_strictly_sorted(const EntryList& list, std::span<const int> order) {
  for (std::size_t n = 1; n < list.size(); ++n) {
    if (compare(list, order, n - 1, n) >= 0) return false;
  }
  return true;
}

bool is_in_range(const EntryList& list) {
  for (std::size_t n = 0; n < list.size(); ++n) {
    const auto entry = list.entry(n);
    for (std::size_t m = 0; m < entry.size(); ++m) {
      if (entry[m] >= list.shape[m]) return false;
    }
  }
  return true;
}

void check_list(const EntryList& list) {
  HEDDLE_CHECK(list.rank() <= kMaxRank, "rank {} is more than {}", list.rank(), kMaxRank);
  HEDDLE_CHECK(list.crd.size() == list.vals.size() * list.shape.size(),
               "{} coordinates for {} entries of rank {}", list.crd.size(), list.size(),
               list.rank());
  HEDDLE_CHECK(list.size() <= kMaxPositions, "{} entries are more than 32 bits can count",
               list.size());
  HEDDLE_CHECK(is_in_range(list), "an entry is outside the shape");
}

/// Entry numbers in the order of their coordinates seen in `order`; equal entries stay as they
/// were.
std::vector<std::uint32_t> sorted_entries(const EntryList& list, std::span<const int> order) {
  std::vector<std::uint32_t> entries(list.size());
  std::iota(entries.begin(), entries.end(), 0U);
  if (is_strictly_sorted(list, order)) return entries;
  if (dense_size(list.shape) == kSaturated) {
    std::ranges::stable_sort(
        entries, [&](std::uint32_t a, std::uint32_t b) { return compare(list, order, a, b) < 0; });
    return entries;
  }
  // The positions of a dense tensor of this shape fit 64 bits: several times faster to compare.
  std::vector<std::pair<std::uint64_t, std::uint32_t>> keys(list.size());
  for (std::size_t n = 0; n < list.size(); ++n) {
    std::uint64_t key = 0;
    for (const int mode : order) {
      const auto m = static_cast<std::size_t>(mode);
      key = key * list.shape[m] + list.entry(n)[m];
    }
    keys[n] = {key, static_cast<std::uint32_t>(n)};
  }
  std::ranges::sort(keys);
  std::ranges::transform(keys, entries.begin(), [](const auto& key) { return key.second; });
  return entries;
}

/// Appends every entry below `position` of `level`; `entry` holds the coordinates above, by mode.
void append_entries(const Tensor& tensor, std::size_t level, std::uint64_t position,
                    std::array<std::uint32_t, kMaxRank>& entry, EntryList& list) {
  if (level == tensor.levels.size()) {
    list.crd.insert(list.crd.end(), entry.begin(), entry.begin() + tensor.rank());
    list.vals.push_back(tensor.vals[position]);
    return;
  }
  const Level& stored = tensor.levels[level];
  std::uint32_t& crd = entry[static_cast<std::size_t>(tensor.format.order[level])];
  if (stored.kind == LevelKind::kDense) {
    for (crd = 0; crd < stored.size; ++crd) {
      append_entries(tensor, level + 1, position * stored.size + crd, entry, list);
    }
    return;
  }
  for (std::uint64_t n = stored.seg[position]; n < stored.seg[position + 1]; ++n) {
    crd = stored.crd[n];
    append_entries(tensor, level + 1, n, entry, list);
  }
}

bool is_zero(std::uint32_t bits, ValueType type) {
  return bits == 0 || (type == ValueType::kF32 && bits == 0x80000000U);
}

void drop_zeros(EntryList& list, ValueType type) {
  const std::size_t rank = list.shape.size();
  std::size_t kept = 0;
  for (std::size_t n = 0; n < list.size(); ++n) {
    if (is_zero(list.vals[n], type)) continue;
    std::copy_n(list.crd.data() + n * rank, rank, list.crd.data() + kept * rank);
    list.vals[kept++] = list.vals[n];
  }
  list.crd.resize(kept * rank);
  list.vals.resize(kept);
}

/// The text of the first violation in one level with `parents` positions above it, or nothing.
std::optional<std::string> broken_level(const Level& level, std::uint64_t parents) {
  if (level.kind == LevelKind::kDense) {
    if (level.seg.empty() && level.crd.empty()) return std::nullopt;
    return "is dense but has segments or coordinates";
  }
  if (parents > kMaxPositions) return "is below more positions than 32 bits count";
  if (level.seg.size() != parents + 1) {
    return fmt::format("has {} segment words, expected {}", level.seg.size(), parents + 1);
  }
  if (level.seg.front() != 0) return fmt::format("starts at segment {}", level.seg.front());
  if (level.seg.back() != level.crd.size()) {
    return fmt::format("ends at segment {} but has {} coordinates", level.seg.back(),
                       level.crd.size());
  }
  if (!std::ranges::is_sorted(level.seg)) return "has segments that go back";
  for (std::size_t p = 0; p < parents; ++p) {
    for (std::uint32_t n = level.seg[p]; n < level.seg[p + 1]; ++n) {
      if (level.crd[n] >= level.size) {
        return fmt::format("has coordinate {} but size {}", level.crd[n], level.size);
      }
      if (n > level.seg[p] && level.crd[n - 1] >= level.crd[n]) {
        return fmt::format("has coordinate {} before {} in segment {}", level.crd[n - 1],
                           level.crd[n], p);
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::uint64_t dense_size(std::span<const std::uint32_t> shape) {
  if (std::ranges::count(shape, 0U) > 0) return 0;
  std::uint64_t size = 1;
  for (const std::uint32_t mode : shape) size = saturating_multiply(size, mode);
  return size;
}

std::uint64_t list_words(std::span<const std::uint32_t> shape, std::uint64_t entries) {
  return saturating_multiply(entries, shape.size() + 1);
}

std::uint64_t storage_words(std::span<const std::uint32_t> shape, std::uint64_t entries,
                            const TensorFormat& format) {
  std::uint64_t words = 0;
  std::uint64_t positions = 1;
  for (std::size_t l = 0; l < format.levels.size(); ++l) {
    const std::uint32_t size = shape[static_cast<std::size_t>(format.order[l])];
    const std::uint64_t below = saturating_multiply(positions, size);
    if (format.levels[l] == LevelKind::kDense) {
      positions = below;
      continue;
    }
    words = saturating_add(words, saturating_add(positions, 1));
    positions = std::min(below, entries);
    words = saturating_add(words, positions);
  }
  return saturating_add(words, positions);
}

void normalize(EntryList& list, ValueType type) {
  check_list(list);
  const std::vector<int> order = mode_order(list.rank());
  if (is_strictly_sorted(list, order)) return;
  EntryList sorted{.shape = list.shape, .crd = {}, .vals = {}};
  sorted.crd.reserve(list.crd.size());
  sorted.vals.reserve(list.vals.size());
  for (const std::uint32_t n : sorted_entries(list, order)) {
    const auto entry = list.entry(n);
    if (sorted.size() > 0 && std::ranges::equal(entry, sorted.entry(sorted.size() - 1))) {
      sorted.vals.back() = apply(BinaryOp::kAdd, type, sorted.vals.back(), list.vals[n]);
      continue;
    }
    sorted.crd.insert(sorted.crd.end(), entry.begin(), entry.end());
    sorted.vals.push_back(list.vals[n]);
  }
  list = std::move(sorted);
}

Tensor pack(const EntryList& list, ValueType type, const TensorFormat& format) {
  check_list(list);
  HEDDLE_CHECK(format.rank() == list.rank(), "a format of rank {} for entries of rank {}",
               format.rank(), list.rank());
  HEDDLE_CHECK(format.order.size() == format.levels.size() && is_permutation_of_modes(format.order),
               "the order of the format is no permutation of its modes");
  HEDDLE_CHECK(is_strictly_sorted(list, mode_order(list.rank())), "the entries are not normalized");

  Tensor tensor{.type = type, .shape = list.shape, .format = format, .levels = {}, .vals = {}};
  const std::vector<std::uint32_t> entries = sorted_entries(list, format.order);
  std::vector<std::uint64_t> position(list.size(), 0);  // of each entry, at the level being stored
  std::uint64_t positions = 1;
  for (std::size_t l = 0; l < format.levels.size(); ++l) {
    const auto mode = static_cast<std::size_t>(format.order[l]);
    Level level{.kind = format.levels[l], .size = list.shape[mode], .seg = {}, .crd = {}};
    const auto crd = [&](std::size_t n) { return list.entry(entries[n])[mode]; };
    if (level.kind == LevelKind::kDense) {
      positions = saturating_multiply(positions, level.size);
      HEDDLE_CHECK(positions <= kMaxPositions, "level {} has more positions than 32 bits count", l);
      for (std::size_t n = 0; n < list.size(); ++n) {
        position[n] = position[n] * level.size + crd(n);
      }
    } else {
      level.seg.assign(positions + 1, 0);
      std::uint64_t parent = kSaturated;  // of the entry before
      for (std::size_t n = 0; n < list.size(); ++n) {
        if (position[n] != parent || crd(n) != level.crd.back()) level.crd.push_back(crd(n));
        parent = std::exchange(position[n], level.crd.size() - 1);
        level.seg[parent + 1] = static_cast<std::uint32_t>(level.crd.size());
      }
      for (std::size_t p = 0; p < positions; ++p) {
        level.seg[p + 1] = std::max(level.seg[p], level.seg[p + 1]);
      }
      positions = level.crd.size();
    }
    tensor.levels.push_back(std::move(level));
  }
  tensor.vals.assign(positions, 0);
  for (std::size_t n = 0; n < list.size(); ++n) tensor.vals[position[n]] = list.vals[entries[n]];
  return tensor;
}

EntryList unpack(const Tensor& tensor) {
  EntryList list{.shape = tensor.shape, .crd = {}, .vals = {}};
  if (tensor.vals.empty()) return list;
  list.crd.reserve(tensor.vals.size() * tensor.shape.size());
  list.vals.reserve(tensor.vals.size());
  std::array<std::uint32_t, kMaxRank> entry{};
  append_entries(tensor, 0, 0, entry, list);
  normalize(list, tensor.type);
  return list;
}

Tensor convert(const Tensor& tensor, const TensorFormat& format) {
  if (format == tensor.format) return tensor;
  EntryList list = unpack(tensor);
  const bool fills = tensor.rank() > 0 && tensor.format.levels.back() == LevelKind::kDense;
  if (fills) drop_zeros(list, tensor.type);
  return pack(list, tensor.type, format);
}

std::optional<std::string> broken(const Tensor& tensor) {
  const TensorFormat& format = tensor.format;
  const std::size_t rank = format.levels.size();
  if (rank > kMaxRank) return fmt::format("rank {} is more than {}", rank, kMaxRank);
  if (tensor.shape.size() != rank || tensor.levels.size() != rank || format.order.size() != rank) {
    return fmt::format("{} sizes, {} levels and an order of {} for a format of rank {}",
                       tensor.shape.size(), tensor.levels.size(), format.order.size(), rank);
  }
  if (!is_permutation_of_modes(format.order)) return "the order is no permutation of the modes";
  std::uint64_t positions = 1;
  for (std::size_t l = 0; l < rank; ++l) {
    const Level& level = tensor.levels[l];
    if (level.kind != format.levels[l])
      return fmt::format("level {} is not of its format's kind", l);
    const std::uint32_t size = tensor.shape[static_cast<std::size_t>(format.order[l])];
    if (level.size != size) {
      return fmt::format("level {} has size {} but its mode has {}", l, level.size, size);
    }
    if (auto problem = broken_level(level, positions))
      return fmt::format("level {} {}", l, *problem);
    positions = level.kind == LevelKind::kDense ? saturating_multiply(positions, level.size)
                                                : level.crd.size();
  }
  if (tensor.vals.size() == positions) return std::nullopt;
  return fmt::format("{} values for {} positions", tensor.vals.size(), positions);
}

}  // namespace heddle
