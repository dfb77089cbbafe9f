#include "compiler/fusion/loop_nests.h"

#include <algorithm>
#include <numeric>

#include "compiler/support/check.h"

namespace heddle {

bool contains(const Ids& ids, IndexId id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

namespace {

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

}  // namespace

Ids free_of(const FusedEinsum& einsum, const FusedExpr& e) {
  Ids bound, out;
  collect_free(einsum, e, bound, out);
  return out;
}

namespace {

/// Whether e has a value at every coordinate of an index, as far as formats tell.
bool dense_at(const FusedEinsum& einsum, const FusedExpr& e, IndexId id,
              const std::vector<TensorStatistics>& statistics) {
  const auto has = [&](const FusedExpr& arg) { return contains(free_of(einsum, arg), id); };
  const auto dense = [&](const FusedExpr& arg) { return dense_at(einsum, arg, id, statistics); };
  switch (e.kind) {
    case FusedExpr::Kind::kView: {
      const View& view = einsum.views[static_cast<std::size_t>(e.view)];
      const TensorFormat* format = &statistics[static_cast<std::size_t>(view.tensor)].format;
      if (view.kept >= 0) {
        const auto& declared = einsum.results[static_cast<std::size_t>(view.kept)].format;
        if (!declared) return false;
        format = &*declared;
      }
      return format->all_dense();
    }
    case FusedExpr::Kind::kUnary:
    case FusedExpr::Kind::kMask:
      return dense(e.args[0]);
    case FusedExpr::Kind::kBinary:
      if (e.binary != BinaryOp::kMul) return false;
      return (!has(e.args[0]) || dense(e.args[0])) && (!has(e.args[1]) || dense(e.args[1]));
    default:
      return false;
  }
}

}  // namespace

void set_nests(const FusedEinsum& einsum, FusedExpr& e, const Ids& around,
               const std::vector<int>& rank, const std::vector<TensorStatistics>& statistics) {
  if (e.kind != FusedExpr::Kind::kReduce) {
    for (FusedExpr& arg : e.args) set_nests(einsum, arg, around, rank, statistics);
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
  // A loop that is not the reduction's own cannot be kept apart by it; and a maximum over missing
  // zeros must see its whole fiber at once: the reduced index moves inside.
  for (std::size_t i = at; i < kept.size(); ++i)
    if (!contains(free, kept[i])) at = i + 1;
  if (e.reduce != ReduceOp::kSum)
    for (std::size_t i = at; i < kept.size(); ++i)
      if (e.missing_are_zeros || !dense_at(einsum, e.args[0], kept[i], statistics)) at = i + 1;
  e.shared = static_cast<int>(at);
  e.nest = kept;
  e.nest.insert(e.nest.begin() + static_cast<std::ptrdiff_t>(at), e.index);
  for (FusedExpr& arg : e.args) set_nests(einsum, arg, e.nest, rank, statistics);
}

void each_view(const FusedExpr& e, const Ids& nest,
               const std::function<void(int, const Ids&)>& visit) {
  if (e.view >= 0) visit(e.view, nest);
  const Ids& inner = e.kind == FusedExpr::Kind::kReduce ? e.nest : nest;
  for (const FusedExpr& arg : e.args) each_view(arg, inner, visit);
}

std::size_t position(const Ids& nest, IndexId id) {
  const auto found = std::find(nest.begin(), nest.end(), id);
  HEDDLE_CHECK(found != nest.end(), "an index is read outside its nest");
  return static_cast<std::size_t>(found - nest.begin());
}

TensorFormat fitting(const TensorFormat& own, const Ids& indices, const Ids& nest) {
  TensorFormat format = own;
  std::stable_sort(format.order.begin(), format.order.end(), [&](int a, int b) {
    return position(nest, indices[static_cast<std::size_t>(a)]) <
           position(nest, indices[static_cast<std::size_t>(b)]);
  });
  // A dense level inside a compressed one stores whole fibers; in another order only single entries
  // say the same.
  const auto first = std::find(own.levels.begin(), own.levels.end(), LevelKind::kCompressed);
  if (format.order != own.order &&
      std::find(first, own.levels.end(), LevelKind::kDense) != own.levels.end())
    format.levels.assign(own.levels.size(), LevelKind::kCompressed);
  return format;
}

Ids root_nest(const FusedResult& result, const std::vector<int>& rank) {
  Ids nest = result.indices;
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

TensorFormat kept_format(const FusedResult& result, const std::vector<int>& rank) {
  TensorFormat format = fitting(TensorFormat::compressed(static_cast<int>(result.indices.size())),
                                result.indices, root_nest(result, rank));
  if (!format.levels.empty()) format.levels[0] = LevelKind::kDense;
  return format;
}

TensorFormat own_format(const FusedEinsum& einsum, const View& view,
                        const std::vector<TensorStatistics>& statistics,
                        const std::vector<int>& rank) {
  if (view.kept >= 0) return kept_format(einsum.results[static_cast<std::size_t>(view.kept)], rank);
  return statistics[static_cast<std::size_t>(view.tensor)].format;
}

}  // namespace heddle
