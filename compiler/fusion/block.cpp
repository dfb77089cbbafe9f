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

bool refuse(const BlockRule& rule, const std::string& why, Diagnostics& diag) {
  diag.error("schedule-block", rule.range,
             fmt::format("'{}' cannot be cut into tiles: {}", rule.index, why));
  return false;
}

/// A kept tensor is read in the tiles in which it is made: they are stored place by place.
bool same_tiles(const FusedEinsum& einsum, const std::vector<BlockRule>& rules, const View& view,
                Diagnostics& diag) {
  const FusedResult& result = einsum.results[static_cast<std::size_t>(view.kept)];
  for (std::size_t m = 0; m < view.indices.size(); ++m) {
    const BlockRule* made = rule_of(einsum, rules, result.indices[m]);
    const BlockRule* read = rule_of(einsum, rules, view.indices[m]);
    const int made_by = made == nullptr ? 1 : made->places;
    const int read_by = read == nullptr ? 1 : read->places;
    if (made_by == read_by) continue;
    refuse(made != nullptr ? *made : *read,
           fmt::format("a kept tensor is read in the tiles in which it is made, but index {} of "
                       "this one is '{}' in tiles of {} there and '{}' in tiles of {} here",
                       m + 1, einsum.at(result.indices[m]).written, made_by,
                       einsum.at(view.indices[m]).written, read_by),
           diag);
    diag.note(result.range, "made here");
    diag.note(view.range, "read here");
    return false;
  }
  return true;
}

/// What has no tiles: repeated indices, kept tensors whose readers have others.
bool can_block(const FusedEinsum& einsum, const std::vector<BlockRule>& rules, Diagnostics& diag) {
  for (const View& view : einsum.views) {
    if (view.kept >= 0 && !same_tiles(einsum, rules, view, diag)) return false;
    const BlockRule* rule = first_rule(einsum, rules, view.indices);
    if (rule == nullptr || !view.identity) continue;
    refuse(*rule, "a repeated index selects the diagonal of a tensor, which tiles do not", diag);
    diag.note(view.range,
              "repeated here; block other indices, or give this statement a region of its own");
    return false;
  }
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
