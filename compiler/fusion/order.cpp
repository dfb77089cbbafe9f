// choose_order: the loop order of a region, and what follows from it.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "compiler/fusion/fused_einsum.h"
#include "compiler/support/check.h"

namespace heddle {
namespace {

using Ids = std::vector<IndexId>;

bool contains(const Ids& ids, IndexId id) { return std::find(ids.begin(), ids.end(), id) != ids.end(); }

void collect_free(const FusedEinsum& einsum, const FusedExpr& e, Ids& bound, Ids& out) {
  const auto use = [&](IndexId id) {
    if (!contains(bound, id) && !contains(out, id)) out.push_back(id);
  };
  if (e.view >= 0)
    for (const IndexId id : einsum.views[static_cast<std::size_t>(e.view)].indices) use(id);
  const bool reduces = e.kind == FusedExpr::Kind::kReduce;
  if (reduces) bound.push_back(e.index);
  for (const FusedExpr& arg : e.args) collect_free(einsum, arg, bound, out);
  if (reduces) bound.pop_back();
}

Ids free_of(const FusedEinsum& einsum, const FusedExpr& e) {
  Ids bound, out;
  collect_free(einsum, e, bound, out);
  return out;
}

/// The nests of all reductions under `e`, which stands in the nest `around`.
void set_nests(const FusedEinsum& einsum, FusedExpr& e, const Ids& around,
               const std::vector<int>& rank) {
  if (e.kind != FusedExpr::Kind::kReduce) {
    for (FusedExpr& arg : e.args) set_nests(einsum, arg, around, rank);
    return;
  }
  const Ids free = free_of(einsum, e);
  // Outer loops up to the last free index are shared or kept; later ones only repeat the result.
  std::size_t last = 0;
  for (std::size_t i = 0; i < around.size(); ++i)
    if (contains(free, around[i])) last = i + 1;
  Ids kept(around.begin(), around.begin() + static_cast<std::ptrdiff_t>(last));
  std::size_t at = 0;  // where the reduced index goes
  const auto r = static_cast<std::size_t>(e.index);
  while (at < kept.size() && rank[static_cast<std::size_t>(kept[at])] < rank[r]) ++at;
  // A loop that is not the reduction's own cannot be kept apart by it; and a maximum over missing zeros must see
  // its whole fiber at once: the reduced index moves inside.
  for (std::size_t i = at; i < kept.size(); ++i)
    if (!contains(free, kept[i])) at = i + 1;
  if (e.reduce != ReduceOp::kSum) at = kept.size();
  e.shared = static_cast<int>(at);
  e.nest = kept;
  e.nest.insert(e.nest.begin() + static_cast<std::ptrdiff_t>(at), e.index);
  for (FusedExpr& arg : e.args) set_nests(einsum, arg, e.nest, rank);
}

/// Calls visit(view, nest) for each view with the nest it is read in.
void each_view(const FusedExpr& e, const Ids& nest, const std::function<void(int, const Ids&)>& visit) {
  if (e.view >= 0) visit(e.view, nest);
  const Ids& inner = e.kind == FusedExpr::Kind::kReduce ? e.nest : nest;
  for (const FusedExpr& arg : e.args) each_view(arg, inner, visit);
}

std::size_t position(const Ids& nest, IndexId id) {
  const auto found = std::find(nest.begin(), nest.end(), id);
  HEDDLE_CHECK(found != nest.end(), "an index is read outside its nest");
  return static_cast<std::size_t>(found - nest.begin());
}

/// The format in which a tensor must be stored so that its levels come in the order of the nest.
TensorFormat fitting(const TensorFormat& own, const Ids& indices, const Ids& nest) {
  TensorFormat format = own;
  std::stable_sort(format.order.begin(), format.order.end(), [&](int a, int b) {
    return position(nest, indices[static_cast<std::size_t>(a)]) <
           position(nest, indices[static_cast<std::size_t>(b)]);
  });
  // A dense level inside a compressed one stores whole fibers; in another order only single entries say the same.
  const auto first = std::find(own.levels.begin(), own.levels.end(), LevelKind::kCompressed);
  if (format.order != own.order && std::find(first, own.levels.end(), LevelKind::kDense) != own.levels.end())
    format.levels.assign(own.levels.size(), LevelKind::kCompressed);
  return format;
}

Ids root_nest(const FusedEinsum& einsum, const std::vector<int>& rank) {
  Ids nest = einsum.result.indices;
  std::stable_sort(nest.begin(), nest.end(), [&](IndexId a, IndexId b) {
    return rank[static_cast<std::size_t>(a)] < rank[static_cast<std::size_t>(b)];
  });
  return nest;
}

std::vector<int> ranks(const Ids& order) {
  std::vector<int> rank(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    rank[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  return rank;
}

class Cost {
 public:
  Cost(const FusedEinsum& einsum, const std::vector<TensorStatistics>& statistics)
      : einsum_(einsum), statistics_(statistics) {}

  /// Predicted elements visited, plus copies.
  double of(const Ids& order) {
    const std::vector<int> rank = ranks(order);
    FusedExpr value = einsum_.result.value;
    const Ids nest = root_nest(einsum_, rank);
    set_nests(einsum_, value, nest, rank);
    double cost = visits(value, nest, 0);
    each_view(value, nest, [&](int v, const Ids& n) {
      const View& view = einsum_.views[static_cast<std::size_t>(v)];
      if (view.identity) return;
      const TensorStatistics& s = statistics_[static_cast<std::size_t>(view.tensor)];
      if (fitting(s.format, view.indices, n) != s.format) cost += 8.0 * static_cast<double>(s.stored) + 16;
    });
    if (einsum_.result.format &&
        fitting(*einsum_.result.format, einsum_.result.indices, nest) != *einsum_.result.format)
      cost += 16 + 8.0 * visits_of(value, nest, nest.size());
    return cost;
  }

 private:
  /// Expected number of elements at the first `depth` loops of a nest.
  double visits_of(const FusedExpr& body, const Ids& nest, std::size_t depth) {
    double full = 1;
    for (std::size_t i = 0; i < depth; ++i) full *= einsum_.at(nest[i]).extent;
    return full * density(body, Ids(nest.begin(), nest.begin() + static_cast<std::ptrdiff_t>(depth)));
  }

  /// Expected share of the points of `loops` at which e has something, operands taken as independent.
  double density(const FusedExpr& e, const Ids& loops) {
    switch (e.kind) {
      case FusedExpr::Kind::kView: return view_density(e.view, loops);
      case FusedExpr::Kind::kConstant:
      case FusedExpr::Kind::kIndexSize: return 1;
      case FusedExpr::Kind::kMask: return view_density(e.view, loops);
      case FusedExpr::Kind::kIdentity:
        return density(e.args[0], loops) * view_density(e.view, loops);
      case FusedExpr::Kind::kBinary:
        if (e.binary == BinaryOp::kMul) return density(e.args[0], loops) * density(e.args[1], loops);
        if (e.binary == BinaryOp::kDiv) return density(e.args[0], loops);
        break;
      default: break;
    }
    double absent = 1;
    for (const FusedExpr& arg : e.args) absent *= 1 - density(arg, loops);
    return 1 - absent;
  }

  double view_density(int v, const Ids& loops) {
    const View& view = einsum_.views[static_cast<std::size_t>(v)];
    double seen = 1, rest = 1;
    for (const IndexId id : view.indices)
      (contains(loops, id) ? seen : rest) *= std::max<double>(1, einsum_.at(id).extent);
    if (view.identity) return rest > 1 ? 1 : 1 / std::sqrt(seen);
    const double stored = static_cast<double>(statistics_[static_cast<std::size_t>(view.tensor)].stored);
    const double p = stored / (seen * rest);
    return p >= 1 ? 1 : 1 - std::pow(1 - p, rest);
  }

  double visits(const FusedExpr& e, const Ids& nest, std::size_t shared) {
    double sum = 0;
    for (std::size_t d = shared; d < nest.size(); ++d) sum += visits_of(e, nest, d + 1);
    return sum + inner(e);
  }
  double inner(const FusedExpr& e) {
    double sum = 0;
    for (const FusedExpr& arg : e.args) {
      if (e.kind == FusedExpr::Kind::kReduce) {
        const auto loops_after = e.nest.size() - 1 - position(e.nest, e.index);
        const double all = visits(arg, e.nest, static_cast<std::size_t>(e.shared));
        // An accumulator also emits, and wider ones need more storage.
        sum += all * (1 + 0.3 * static_cast<double>(loops_after));
      } else {
        sum += inner(arg);
      }
    }
    return sum;
  }

  const FusedEinsum& einsum_;
  const std::vector<TensorStatistics>& statistics_;
};

}  // namespace

bool choose_order(FusedEinsum& einsum, const std::vector<std::string>& wanted,
                  const std::vector<SourceRange>& wanted_ranges,
                  const std::vector<TensorStatistics>& statistics, SourceRange where,
                  Diagnostics& diag) {
  Ids fixed;
  bool good = true;
  for (std::size_t w = 0; w < wanted.size(); ++w) {
    const SourceRange range = w < wanted_ranges.size() ? wanted_ranges[w] : where;
    const auto found = std::find_if(einsum.indices.begin(), einsum.indices.end(),
                                    [&](const FusedIndex& i) { return i.name == wanted[w]; });
    if (found == einsum.indices.end()) continue;  // an index of another region
    const auto id = static_cast<IndexId>(found - einsum.indices.begin());
    if (contains(fixed, id)) {
      diag.error("order-repeats", range, fmt::format("index '{}' stands twice in this order", wanted[w]));
      good = false;
    } else {
      fixed.push_back(id);
    }
  }
  if (!good) return false;

  // Try all orders that keep the fixed ones in order; with many indices only those that start from the written order.
  Ids best, current;
  double best_cost = 0;
  Cost cost(einsum, statistics);
  const std::size_t n = einsum.indices.size();
  std::size_t tried = 0;
  constexpr std::size_t kMostOrders = 20000;
  const std::function<void()> extend = [&] {
    if (tried >= kMostOrders) return;
    if (current.size() == n) {
      ++tried;
      const double c = cost.of(current);
      if (best.empty() || c < best_cost * (1 - 1e-9)) {
        best = current;
        best_cost = c;
      }
      return;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const auto id = static_cast<IndexId>(i);
      if (contains(current, id)) continue;
      if (contains(fixed, id)) {
        const auto at = std::find(fixed.begin(), fixed.end(), id);
        if (std::any_of(fixed.begin(), at, [&](IndexId f) { return !contains(current, f); })) continue;
      }
      current.push_back(id);
      extend();
      current.pop_back();
    }
  };
  extend();
  einsum.order = best;

  const std::vector<int> rank = ranks(einsum.order);
  const Ids nest = root_nest(einsum, rank);
  set_nests(einsum, einsum.result.value, nest, rank);
  each_view(einsum.result.value, nest, [&](int v, const Ids& in) {
    View& view = einsum.views[static_cast<std::size_t>(v)];
    if (view.identity) {
      if (position(in, view.indices[0]) > position(in, view.indices[1]))
        std::swap(view.indices[0], view.indices[1]);
      return;
    }
    const TensorFormat& own = statistics[static_cast<std::size_t>(view.tensor)].format;
    view.format = fitting(own, view.indices, in);
    view.permuted = view.format.order != own.order;
    view.format.coordinate_list = false;
    if (!view.permuted) return;
    std::string wants;
    for (const IndexId id : view.storage_order()) wants += (wants.empty() ? "" : ", ") + einsum.at(id).name;
    einsum.remarks.push_back(fmt::format("'{}' is stored as {} but read in the order {}: a permuted copy is made",
                                         view.name, to_text(own), wants));
  });
  return true;
}

}  // namespace heddle
