// Blocked indices: `block i, j by 4` cuts i and j into tiles of 4. Loops go over tiles, and the
// places of a tile are side by side in the graph (TableBuilder makes a stream for each).
//
//   before the order is chosen   extents become numbers of tiles, views say how they are cut
//   once reductions have nests   a reduction over a blocked index reduces what comes of each tile:
//                                sum(k: x) becomes sum(k: tile(k: x))
#include <algorithm>
#include <functional>

#include "compiler/fusion/fused_einsum.h"
#include "compiler/support/check.h"

namespace heddle {
namespace {

const BlockRule* rule_of(const FusedEinsum& einsum, const std::vector<BlockRule>& rules,
                         IndexId id) {
  const auto found = std::find_if(rules.begin(), rules.end(), [&](const BlockRule& r) {
    return r.index == einsum.at(id).written && r.places > 1;
  });
  return found == rules.end() ? nullptr : &*found;
}

/// The rule of the first of these indices that has one.
const BlockRule* first_rule(const FusedEinsum& einsum, const std::vector<BlockRule>& rules,
                            const std::vector<IndexId>& indices) {
  for (const IndexId id : indices)
    if (const BlockRule* rule = rule_of(einsum, rules, id)) return rule;
  return nullptr;
}

/// What has no tiles: repeated indices, kept tensors.
bool can_block(const FusedEinsum& einsum, const std::vector<BlockRule>& rules, Diagnostics& diag) {
  const auto refuse = [&](const BlockRule& rule, const std::string& why, SourceRange where,
                          const std::string& note) {
    diag.error("schedule-block", rule.range,
               fmt::format("'{}' cannot be cut into tiles: {}", rule.index, why));
    diag.note(where, note);
    return false;
  };
  for (const View& view : einsum.views) {
    const BlockRule* rule = first_rule(einsum, rules, view.indices);
    if (rule == nullptr) continue;
    if (view.identity)
      return refuse(*rule, "a repeated index selects the diagonal of a tensor, which tiles do not",
                    view.range,
                    "repeated here; block other indices, or give this statement a "
                    "region of its own");
    if (view.kept >= 0)
      return refuse(*rule, "a kept tensor has no tiles", view.range,
                    "kept, and read here; leave out 'keep', or block other indices");
  }
  for (const FusedResult& result : einsum.results)
    if (const BlockRule* rule = first_rule(einsum, rules, result.indices);
        rule != nullptr && result.kept)
      return refuse(*rule, "a kept tensor has no tiles", result.range,
                    "kept, and made here; leave out 'keep', or block other indices");
  return true;
}

void combine(FusedEinsum& einsum, FusedExpr& e) {
  for (FusedExpr& arg : e.args) combine(einsum, arg);
  if (e.kind != FusedExpr::Kind::kReduce || einsum.at(e.index).block == 1) return;
  FusedExpr places;
  places.kind = FusedExpr::Kind::kPlaces;
  places.reduce = e.reduce;
  places.index = e.index;
  places.owner = e.owner;
  places.range = e.range;
  places.missing_are_zeros = e.missing_are_zeros && e.args[0].kind != FusedExpr::Kind::kMask;
  const FusedIndex& index = einsum.at(e.index);
  if (index.extent > 1 && index.length % static_cast<std::uint32_t>(index.block) != 0) {
    View whole;
    whole.whole_tiles = true;
    whole.name = "whole_" + index.name;
    whole.indices = {e.index};
    whole.format = TensorFormat::dense(1);
    whole.range = e.range;
    places.view = static_cast<int>(einsum.views.size());
    einsum.views.push_back(std::move(whole));
  }
  places.args.push_back(std::move(e.args[0]));
  e.missing_are_zeros = places.missing_are_zeros;
  e.args[0] = std::move(places);
}

}  // namespace

bool block_indices(FusedEinsum& einsum, const std::vector<BlockRule>& rules, Diagnostics& diag) {
  if (!can_block(einsum, rules, diag)) return false;
  for (std::size_t i = 0; i < einsum.indices.size(); ++i) {
    const BlockRule* rule = rule_of(einsum, rules, static_cast<IndexId>(i));
    if (rule == nullptr) continue;
    FusedIndex& index = einsum.indices[i];
    index.block = rule->places;
    const auto places = static_cast<std::uint32_t>(rule->places);
    index.extent = index.length / places + (index.length % places != 0 ? 1 : 0);
  }
  for (View& view : einsum.views) {
    if (first_rule(einsum, rules, view.indices) == nullptr) continue;
    for (const IndexId id : view.indices) view.tiles.push_back(einsum.at(id).block);
  }
  return true;
}

void combine_places(FusedEinsum& einsum) {
  for (FusedResult& result : einsum.results) combine(einsum, result.value);
}

}  // namespace heddle
