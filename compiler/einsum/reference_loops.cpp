#include "compiler/einsum/reference_loops.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace heddle::reference {
namespace {

Cell read_dense(const Operand& operand, const Position& position) {
  const Store& store = *operand.store;
  std::size_t n = 0;
  for (std::size_t mode = 0; mode < store.shape.size(); ++mode) {
    n = n * store.shape[mode] + position[at(operand.indices[mode])];
  }
  if (!store.everywhere && !store.dense->present[n]) return {};
  const std::vector<double>& bound = store.dense->bound;
  return {store.dense->value[n], bound.empty() ? 0 : bound[n], true};
}

}  // namespace

Cell read(const Operand& operand, const Position& position) {
  const Store& store = *operand.store;
  if (store.dense != nullptr) return read_dense(operand, position);
  std::size_t low = 0;
  std::size_t high = store.values.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    const auto entry = store.entries.entry(middle);
    int order = 0;
    for (std::size_t mode = 0; mode < entry.size() && order == 0; ++mode) {
      const std::uint32_t wanted = position[at(operand.indices[mode])];
      order = entry[mode] < wanted ? -1 : entry[mode] > wanted ? 1 : 0;
    }
    if (order == 0) return {store.values[middle], 0, true};
    (order < 0 ? low : high) = order < 0 ? middle + 1 : middle;
  }
  return {};
}

namespace {

/// How many positions are present, as far as that is worth restricting loops to: nothing if most
/// are.
std::optional<std::size_t> restricting_count(const Store& store) {
  if (store.everywhere) return std::nullopt;
  if (store.dense == nullptr) return store.values.size();
  const auto& present = store.dense->present;
  const auto count = static_cast<std::size_t>(std::count(present.begin(), present.end(), true));
  if (count * 2 > present.size()) return std::nullopt;
  return count;
}

/// An index that occurs twice selects a diagonal.
bool agrees(const Operand& operand, std::span<const std::uint32_t> entry) {
  for (std::size_t n = 0; n < entry.size(); ++n) {
    const auto first = std::ranges::find(operand.indices, operand.indices[n]);
    if (entry[n] != entry[static_cast<std::size_t>(first - operand.indices.begin())]) return false;
  }
  return true;
}

template <typename Function>
void for_present(const Store& store, Function function) {
  if (store.dense == nullptr) {
    for (std::size_t n = 0; n < store.entries.size(); ++n) function(store.entries.entry(n));
    return;
  }
  std::vector<std::uint32_t> crd(store.shape.size(), 0);
  for (const bool present : store.dense->present) {
    if (present) function(std::span<const std::uint32_t>(crd));
    for (std::size_t mode = crd.size(); mode-- > 0;) {
      if (++crd[mode] < store.shape[mode]) break;
      crd[mode] = 0;
    }
  }
}

/// Indices in an order in which restrictions help early: those of the smallest operand first, then
/// operands that share an index with what is there, then what nothing restricts.
std::vector<IndexId> loop_order(const std::vector<IndexId>& indices,
                                const std::vector<std::pair<std::size_t, Operand>>& restrictions) {
  std::vector<IndexId> order;
  const auto placed = [&](IndexId id) { return std::ranges::find(order, id) != order.end(); };
  std::vector<bool> used(restrictions.size(), false);
  for (std::size_t round = 0; round < restrictions.size(); ++round) {
    std::size_t best = restrictions.size();
    bool best_joined = false;
    for (std::size_t n = 0; n < restrictions.size(); ++n) {
      if (used[n]) continue;
      const bool joined = std::ranges::any_of(restrictions[n].second.indices, placed);
      const bool better =
          best == restrictions.size() || (joined && !best_joined) ||
          (joined == best_joined && restrictions[n].first < restrictions[best].first);
      if (better) best = n, best_joined = joined;
    }
    used[best] = true;
    for (const IndexId id : restrictions[best].second.indices) {
      if (!placed(id)) order.push_back(id);
    }
  }
  for (const IndexId id : indices) {
    if (!placed(id)) order.push_back(id);
  }
  return order;
}

}  // namespace

Rows::Rows(const Operand& operand, const std::vector<IndexId>& loops) {
  std::vector<std::size_t> modes;  // the mode each column comes from
  for (std::size_t depth = 0; depth < loops.size(); ++depth) {
    const auto found = std::ranges::find(operand.indices, loops[depth]);
    if (found == operand.indices.end()) continue;
    modes.push_back(static_cast<std::size_t>(found - operand.indices.begin()));
    depths_.push_back(depth);
  }
  width_ = modes.size();
  for_present(*operand.store, [&](std::span<const std::uint32_t> entry) {
    if (!agrees(operand, entry)) return;
    for (const std::size_t mode : modes) data_.push_back(entry[mode]);
    ++count_;
  });
  if (!std::ranges::is_sorted(modes)) sort();
}

void Rows::sort() {
  std::vector<std::uint32_t> order(count_);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return std::lexicographical_compare(
        data_.begin() + static_cast<std::ptrdiff_t>(a * width_),
        data_.begin() + static_cast<std::ptrdiff_t>((a + 1) * width_),
        data_.begin() + static_cast<std::ptrdiff_t>(b * width_),
        data_.begin() + static_cast<std::ptrdiff_t>((b + 1) * width_));
  });
  std::vector<std::uint32_t> sorted;
  sorted.reserve(data_.size());
  for (const std::size_t row : order) {
    for (std::size_t n = 0; n < width_; ++n) sorted.push_back(data_[row * width_ + n]);
  }
  data_ = std::move(sorted);
}

Loops::Loops(const std::vector<IndexId>& indices, const std::vector<Operand>& operands,
             const std::vector<std::uint32_t>& sizes, Position& position)
    : sizes_(sizes), position_(position) {
  std::vector<std::pair<std::size_t, Operand>> restrictions;
  for (const Operand& operand : operands) {
    if (restrictions.size() == kMaxJoined) break;  // the others are looked at position by position
    if (const auto count = restricting_count(*operand.store)) {
      restrictions.emplace_back(*count, operand);
    }
  }
  order_ = loop_order(indices, restrictions);
  joined_.resize(order_.size());
  for (const auto& [count, operand] : restrictions) {
    const std::size_t n = rows_.size();
    rows_.emplace_back(operand, order_);
    ranges_.push_back({0, rows_.back().count(), 0});
    empty_ = empty_ || rows_.back().count() == 0;
    for (std::size_t column = 0; column < rows_.back().width(); ++column) {
      joined_[rows_.back().depth(column)].push_back(n);
    }
  }
}

}  // namespace heddle::reference
