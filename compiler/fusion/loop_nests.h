// What a loop order makes of a region: the nest of each reduction and result, and the order in
// which each view is read there. Used to choose the order (order.cpp) and to set what follows from
// it.
#pragma once

#include <functional>
#include <vector>

#include "compiler/fusion/fused_einsum.h"

namespace heddle {

using Ids = std::vector<IndexId>;

bool contains(const Ids& ids, IndexId id);
/// The place of an index in a nest that has it.
std::size_t position(const Ids& nest, IndexId id);
/// The place of each index in an order of all, by IndexId.
std::vector<int> ranks(const Ids& order);

/// The nests of all reductions under `e`, which stands in the nest `around`.
void set_nests(const FusedEinsum& einsum, FusedExpr& e, const Ids& around,
               const std::vector<int>& rank, const std::vector<TensorStatistics>& statistics);
/// The loops of a result, outermost first.
Ids root_nest(const FusedResult& result, const std::vector<int>& rank);
/// Calls visit(view, nest) for each view with the nest it is read in.
void each_view(const FusedExpr& e, const Ids& nest,
               const std::function<void(int, const Ids&)>& visit);

/// The format in which a tensor must be stored so that its levels come in the order of the nest.
TensorFormat fitting(const TensorFormat& own, const Ids& indices, const Ids& nest);
/// How a kept result is stored: its rows in the order in which they are made.
TensorFormat kept_format(const FusedResult& result, const std::vector<int>& rank);
/// What a view's tensor is stored as.
TensorFormat own_format(const FusedEinsum& einsum, const View& view,
                        const std::vector<TensorStatistics>& statistics,
                        const std::vector<int>& rank);

}  // namespace heddle
