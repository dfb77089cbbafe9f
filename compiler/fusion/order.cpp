// choose_order: the loop order of a region, and what follows from it.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "compiler/fusion/loop_nests.h"
#include "compiler/fusion/order_cycle.h"
#include "compiler/support/check.h"

namespace heddle {
namespace {

// What choosing and exploring orders may cost (Search::best).
constexpr double kMostWork = 3e6, kMostWorkExploring = 1e8;
constexpr double kImpossible = 1e15;

class Cost {
 public:
  Cost(const FusedEinsum& einsum, const std::vector<TensorStatistics>& statistics)
      : einsum_(einsum), statistics_(statistics) {
    for (const FusedResult& result : einsum.results) {
      if (!result.kept) continue;
      double places = 1;
      for (const IndexId id : result.indices) places *= einsum.at(id).extent;
      statistics_[static_cast<std::size_t>(result.tensor)].stored =
          static_cast<std::uint64_t>(places * density(result.value, result.indices));
    }
  }

  /// Predicted elements visited, plus copies.
  double of(const Ids& order) {
    rank_ = ranks(order);
    double cost = 0;
    for (const FusedResult& result : einsum_.results) cost += of(result, rank_);
    return cost;
  }

  /// Views and declared results that do not fit the order: each is a permuted copy.
  int copies(const Ids& order) const {
    const std::vector<int> rank = ranks(order);
    int count = 0;
    for (const FusedResult& result : einsum_.results) {
      FusedExpr value = result.value;
      const Ids nest = root_nest(result, rank);
      set_nests(einsum_, value, nest, rank, statistics_);
      each_view(value, nest, [&](int v, const Ids& in) {
        const View& view = einsum_.views[static_cast<std::size_t>(v)];
        if (!view.of_tensor() || view.kept >= 0) return;
        const TensorFormat& own = statistics_[static_cast<std::size_t>(view.tensor)].format;
        count += fitting(own, view.indices, in).order != own.order ? 1 : 0;
      });
      if (result.format && fitting(*result.format, result.indices, nest) != *result.format) ++count;
    }
    return count;
  }

 private:
  double of(const FusedResult& result, const std::vector<int>& rank) {
    FusedExpr value = result.value;
    const Ids nest = root_nest(result, rank);
    set_nests(einsum_, value, nest, rank, statistics_);
    double cost = visits(value, nest, 0);
    each_view(value, nest, [&](int v, const Ids& n) {
      const View& view = einsum_.views[static_cast<std::size_t>(v)];
      if (!view.of_tensor()) return;
      const TensorFormat own = own_format(einsum_, view, statistics_, rank);
      if (fitting(own, view.indices, n) == own) return;
      const auto stored =
          static_cast<double>(statistics_[static_cast<std::size_t>(view.tensor)].stored);
      cost += view.kept >= 0 ? kImpossible : 8.0 * stored + 16;
    });
    if (result.kept) return cost;
    if (result.format && fitting(*result.format, result.indices, nest) != *result.format)
      cost += 16 + 8.0 * visits_of(value, nest, nest.size());
    // A result whose format is inferred is best kept as it is written down: whoever reads it
    // expects that.
    if (!result.format && nest != result.indices)
      cost += 16 + 3.0 * visits_of(value, nest, nest.size());
    return cost;
  }

  /// Expected number of elements at the first `depth` loops of a nest.
  double visits_of(const FusedExpr& body, const Ids& nest, std::size_t depth) {
    double full = 1;
    for (std::size_t i = 0; i < depth; ++i) full *= einsum_.at(nest[i]).extent;
    return full *
           density(body, Ids(nest.begin(), nest.begin() + static_cast<std::ptrdiff_t>(depth)));
  }

  /// Expected share of the points of `loops` at which e has something, operands taken as
  /// independent.
  double density(const FusedExpr& e, const Ids& loops) {
    switch (e.kind) {
      case FusedExpr::Kind::kView:
        return view_density(e.view, loops);
      case FusedExpr::Kind::kConstant:
      case FusedExpr::Kind::kIndexSize:
        return 1;
      case FusedExpr::Kind::kMask:
        return view_density(e.view, loops);
      case FusedExpr::Kind::kIdentity:
        return density(e.args[0], loops) * view_density(e.view, loops);
      case FusedExpr::Kind::kBinary:
        if (e.binary == BinaryOp::kMul)
          return density(e.args[0], loops) * density(e.args[1], loops);
        if (e.binary == BinaryOp::kDiv) return density(e.args[0], loops);
        break;
      case FusedExpr::Kind::kReduce: {
        // Something is there if any of the terms is.
        if (contains(loops, e.index)) return density(e.args[0], loops);
        Ids inside = loops;
        inside.push_back(e.index);
        const double term = density(e.args[0], inside);
        return term >= 1 ? 1
                         : 1 - std::pow(1 - term, std::max<double>(1, einsum_.at(e.index).extent));
      }
      default:
        break;
    }
    double absent = 1;
    for (const FusedExpr& arg : e.args) absent *= 1 - density(arg, loops);
    return 1 - absent;
  }

  double view_density(int v, const Ids& loops) {
    const View& view = einsum_.views[static_cast<std::size_t>(v)];
    double seen = 1, rest = 1;
    if (view.whole_tiles) return 1;
    for (const IndexId id : view.indices) {
      (contains(loops, id) ? seen : rest) *= std::max<double>(1, einsum_.at(id).extent);
      rest *= einsum_.at(id).block;
    }
    if (view.identity) return rest > 1 ? 1 : 1 / std::sqrt(seen);
    const double stored =
        static_cast<double>(statistics_[static_cast<std::size_t>(view.tensor)].stored);
    const double p = stored / (seen * rest);
    return p >= 1 ? 1 : 1 - std::pow(1 - p, rest);
  }

  /// Expected steps of the scans and joins of a nest: each fiber of each operand that is scanned,
  /// element by element.
  double visits(const FusedExpr& e, const Ids& nest, std::size_t shared) {
    double sum = 0;
    for (std::size_t d = shared; d < nest.size(); ++d) {
      const double fibers = visits_of(e, nest, d);
      const Ids outer(nest.begin(), nest.begin() + static_cast<std::ptrdiff_t>(d));
      double scanned = 0;
      bool any = false;
      each_view(e, nest, [&](int v, const Ids& in) {
        const View& view = einsum_.views[static_cast<std::size_t>(v)];
        if (!view.of_tensor() || !contains(view.indices, nest[d])) return;
        const TensorFormat format =
            fitting(own_format(einsum_, view, statistics_, rank_), view.indices, in);
        for (std::size_t l = 0; l < format.levels.size(); ++l) {
          if (view.indices[static_cast<std::size_t>(format.order[l])] != nest[d] ||
              format.levels[l] == LevelKind::kDense)
            continue;
          Ids with = outer;
          with.push_back(nest[d]);
          const double parent = view_density(v, outer);
          scanned += einsum_.at(nest[d]).extent * (parent > 0 ? view_density(v, with) / parent : 0);
          any = true;
        }
      });
      if (!any) scanned = einsum_.at(nest[d]).extent;
      sum += fibers * (scanned + 1);
    }
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
  std::vector<TensorStatistics> statistics_;  // also of kept results, as expected
  std::vector<int> rank_;
};

std::size_t size_of(const FusedExpr& e) {
  std::size_t n = 1;
  for (const FusedExpr& arg : e.args) n += size_of(arg);
  return n;
}

/// Orders of the kins of indices: an order of all indices lists each kin's members together.
class Search {
 public:
  Search(const FusedEinsum& einsum, const std::vector<TensorStatistics>& statistics,
         std::vector<int> fixed)
      : einsum_(einsum),
        statistics_(statistics),
        cost_(einsum, statistics),
        fixed_(std::move(fixed)) {
    for (const FusedIndex& index : einsum.indices)
      if (std::find(kins_.begin(), kins_.end(), index.kin) == kins_.end())
        kins_.push_back(index.kin);
  }

  int copies(const std::vector<int>& kins) const { return cost_.copies(indices(kins)); }

  /// Every order that was looked at, and its cost.
  const std::vector<std::pair<double, std::vector<int>>>& considered() const { return considered_; }

  /// All orders, if they cost at most so many visits of an expression and an index; else those that
  /// moving single indices leads to.
  Ids best(double most_work) {
    double work = 0;  // for one order
    for (const FusedResult& r : einsum_.results)
      work += static_cast<double>(size_of(r.value) * einsum_.indices.size());
    double orders = 1;
    for (std::size_t n = 2; n <= kins_.size(); ++n) orders *= static_cast<double>(n);
    if (work * orders <= most_work) {
      extend();
    } else {
      current_ = start();
      consider();
      climb(static_cast<int>(std::max(20.0, most_work / std::max(1.0, work))));
    }
    return indices(best_);
  }

 private:
  Ids indices(const std::vector<int>& kins) const {
    Ids order;
    for (const int kin : kins)
      for (std::size_t i = 0; i < einsum_.indices.size(); ++i)
        if (einsum_.indices[i].kin == kin) order.push_back(static_cast<IndexId>(i));
    return order;
  }
  static bool has(const std::vector<int>& list, int kin) {
    return std::find(list.begin(), list.end(), kin) != list.end();
  }

  /// Whether kin may come next: those that the user wants before it are there.
  bool allowed(const std::vector<int>& before, int kin) const {
    const auto at = std::find(fixed_.begin(), fixed_.end(), kin);
    if (at == fixed_.end()) return true;
    return std::all_of(fixed_.begin(), at, [&](int f) { return has(before, f); });
  }
  bool legal(const std::vector<int>& kins) const {
    std::vector<int> before;
    for (const int kin : kins) {
      if (!allowed(before, kin)) return false;
      before.push_back(kin);
    }
    return true;
  }

  void consider() {
    const double cost = cost_.of(indices(current_));
    considered_.emplace_back(cost, current_);
    if (!best_.empty() && cost >= best_cost_ * (1 - 1e-9)) return;
    best_ = current_;
    best_cost_ = cost;
  }

  /// All orders.
  void extend() {
    if (current_.size() == kins_.size()) return consider();
    for (const int kin : kins_) {
      if (has(current_, kin) || !allowed(current_, kin)) continue;
      current_.push_back(kin);
      extend();
      current_.pop_back();
    }
  }

  /// An order that fits the storage of all views, if there is one: the partial order of their
  /// levels, sorted; where it has a cycle the first index in line goes ahead, and the views that
  /// this does not fit will be copied.
  std::vector<int> start() const {
    std::vector<std::pair<int, int>> edges;
    const auto follow = [&](const Ids& indices, const std::vector<int>& modes) {
      const auto kin_at = [&](std::size_t level) {
        return einsum_.at(indices[static_cast<std::size_t>(modes[level])]).kin;
      };
      for (std::size_t l = 1; l < modes.size(); ++l) edges.emplace_back(kin_at(l - 1), kin_at(l));
    };
    const auto as_written = [](const Ids& indices) {
      std::vector<int> modes(indices.size());
      std::iota(modes.begin(), modes.end(), 0);
      return modes;
    };
    for (const FusedResult& result : einsum_.results)
      if (result.kept) follow(result.indices, as_written(result.indices));
    for (const View& view : einsum_.views)
      if (view.of_tensor())
        follow(view.indices, view.kept >= 0
                                 ? as_written(view.indices)
                                 : statistics_[static_cast<std::size_t>(view.tensor)].format.order);
    std::vector<int> order;
    while (order.size() < kins_.size()) {
      int next = -1;
      for (const int kin : kins_) {
        if (has(order, kin) || !allowed(order, kin)) continue;
        const bool free = std::none_of(edges.begin(), edges.end(), [&](const auto& e) {
          return e.second == kin && e.first != kin && !has(order, e.first);
        });
        if (next < 0) next = kin;
        if (!free) continue;
        next = kin;
        break;
      }
      order.push_back(next);
    }
    return order;
  }

  /// Moves single indices while that helps.
  void climb(int most) {
    for (bool better = true; better && most > 0;) {
      better = false;
      const std::vector<int> from = best_;
      for (std::size_t i = 0; i < from.size() && most > 0; ++i)
        for (std::size_t j = 0; j < from.size() && most > 0; ++j) {
          if (i == j) continue;
          current_ = from;
          current_.erase(current_.begin() + static_cast<std::ptrdiff_t>(i));
          current_.insert(current_.begin() + static_cast<std::ptrdiff_t>(j), from[i]);
          if (!legal(current_)) continue;
          --most;
          consider();
        }
      better = best_ != from;
    }
  }

  const FusedEinsum& einsum_;
  const std::vector<TensorStatistics>& statistics_;
  Cost cost_;
  std::vector<int> fixed_, kins_, current_, best_;
  std::vector<std::pair<double, std::vector<int>>> considered_;
  double best_cost_ = 0;
};

std::string names_of(const FusedEinsum& einsum, const Ids& ids) {
  std::string names;
  for (const IndexId id : ids) names += (names.empty() ? "" : ", ") + einsum.at(id).name;
  return names;
}

/// Which views are copied, and what their order goes round in a circle with; what was moved.
void add_remarks(FusedEinsum& einsum, const std::vector<int>& wanted,
                 const std::vector<TensorStatistics>& statistics) {
  for (std::string& remark : moved_reductions(einsum, wanted))
    einsum.remarks.push_back(std::move(remark));
  std::vector<TensorFormat> stored;
  for (const TensorStatistics& s : statistics) stored.push_back(s.format);
  const std::vector<Precedence> all = precedences(einsum, wanted, stored);
  for (const View& view : einsum.views) {
    if (!view.permuted) continue;
    const TensorFormat& own = stored[static_cast<std::size_t>(view.tensor)];
    const std::string cycle = cycle_text(einsum, all, view, own);
    einsum.remarks.push_back(fmt::format(
        "'{}' is stored as {} but read in the order {}: a permuted copy is made; {}", view.name,
        to_text(own), names_of(einsum, view.storage_order()),
        cycle.empty() ? "no order is expected to take fewer steps" : "the cycle is " + cycle));
  }
}

/// `view` reads a kept tensor across its rows: `own` is how they are made.
void refuse_kept_order(const FusedEinsum& einsum, const View& view, const TensorFormat& own,
                       SourceRange where, Diagnostics& diag) {
  const FusedResult& result = einsum.results[static_cast<std::size_t>(view.kept)];
  diag.error("keep-order", where,
             fmt::format("a kept tensor is read in the order in which it is made, but the modes of "
                         "this one come in the order ({}) there and ({}) here",
                         fmt::join(own.order, ", "), fmt::join(view.format.order, ", ")));
  diag.note(result.range, "made here");
  diag.note(view.range, "read here");
}

}  // namespace

bool choose_order(FusedEinsum& einsum, const std::vector<std::string>& wanted,
                  const std::vector<SourceRange>& wanted_ranges,
                  const std::vector<TensorStatistics>& statistics, SourceRange where,
                  Diagnostics& diag) {
  std::vector<int> fixed;
  std::vector<std::string> seen;
  for (std::size_t w = 0; w < wanted.size(); ++w) {
    const SourceRange range = w < wanted_ranges.size() ? wanted_ranges[w] : where;
    const auto found = std::find_if(einsum.indices.begin(), einsum.indices.end(),
                                    [&](const FusedIndex& i) { return i.name == wanted[w]; });
    if (found == einsum.indices.end()) continue;  // an index of another region
    if (std::find(seen.begin(), seen.end(), wanted[w]) != seen.end()) {
      diag.error("order-repeats", range,
                 fmt::format("index '{}' stands twice in this order", wanted[w]));
      return false;
    }
    seen.push_back(wanted[w]);
    if (std::find(fixed.begin(), fixed.end(), found->kin) == fixed.end())
      fixed.push_back(found->kin);
  }
  einsum.order = Search(einsum, statistics, fixed).best(kMostWork);

  const std::vector<int> rank = ranks(einsum.order);
  bool good = true;
  for (FusedResult& result : einsum.results) {
    const Ids nest = root_nest(result, rank);
    set_nests(einsum, result.value, nest, rank, statistics);
    each_view(result.value, nest, [&](int v, const Ids& in) {
      View& view = einsum.views[static_cast<std::size_t>(v)];
      if (view.identity) {
        if (position(in, view.indices[0]) > position(in, view.indices[1]))
          std::swap(view.indices[0], view.indices[1]);
        return;
      }
      const TensorFormat own = own_format(einsum, view, statistics, rank);
      view.format = fitting(own, view.indices, in);
      view.permuted = view.format.order != own.order;
      view.format.coordinate_list = false;
      if (!view.permuted || view.kept < 0) return;
      if (good) refuse_kept_order(einsum, view, own, where, diag);
      good = false;
    });
  }
  if (good) add_remarks(einsum, fixed, statistics);
  return good;
}

std::vector<PredictedOrder> predict_orders(const FusedEinsum& einsum,
                                           const std::vector<TensorStatistics>& statistics) {
  Search search(einsum, statistics, {});
  search.best(kMostWorkExploring);
  auto considered = search.considered();
  std::stable_sort(considered.begin(), considered.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<PredictedOrder> orders;
  std::vector<std::vector<int>> seen;
  for (const auto& [steps, kins] : considered) {
    if (std::find(seen.begin(), seen.end(), kins) != seen.end()) continue;
    seen.push_back(kins);
    PredictedOrder order;
    order.steps = steps;
    order.copies = search.copies(kins);
    for (const int kin : kins)
      for (const FusedIndex& index : einsum.indices)
        if (index.kin == kin) {
          order.names.push_back(index.name);
          break;
        }
    orders.push_back(std::move(order));
  }
  return orders;
}

}  // namespace heddle
