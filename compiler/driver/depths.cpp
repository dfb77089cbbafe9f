#include "compiler/driver/depths.h"

#include <algorithm>
#include <set>

namespace heddle {
namespace {

/// Gives room to channels that would deadlock on this data: those that are full in a cycle of
/// blocks that wait for each other. Deeper channels never delay anything, so this ends; a user's
/// own depth is left alone. Returns those channels.
std::set<ChannelId> deepen(CompiledRegion& region) {
  constexpr int kDeepest = 1 << 22;
  std::set<ChannelId> deepened;
  for (;;) {
    const RunResult run = run_cycle(region.graph, region.input, Detail::kCycles);
    if (run.outcome != Outcome::kDeadlock) break;
    bool any = false;
    for (const Wait& wait : blocked_cycle(region.graph, run.fill)) {
      ChannelInfo& channel = region.graph.channel(wait.channel);
      if (!wait.full || channel.depth >= kDeepest) continue;
      channel.depth *= 2;
      deepened.insert(wait.channel);
      any = true;
    }
    if (!any) break;
  }
  for (const ChannelId c : deepened)
    region.einsum.remarks.push_back(fmt::format(
        "channel '{}' has room for {} tokens: with less the graph would deadlock on this data",
        region.graph.channel(c).name, region.graph.channel(c).depth));
  return deepened;
}

/// Lets parts of a region of many statements overlap. An accumulator takes no new sums while it
/// hands out the last ones: where a slow reader makes that long, the whole group is given room in
/// the channels behind it. A channel that has to hold a fiber until its sum is known is given room
/// for the next fiber, too. Kept if it pays.
void decouple(CompiledRegion& region, const std::set<ChannelId>& holding) {
  constexpr int kDeepest = 1 << 14;
  SamGraph& graph = region.graph;
  std::vector<NodeId> accumulators;
  for (const NodeId id : graph.nodes())
    if (graph.node(id).is<Accumulate>()) accumulators.push_back(id);
  if ((accumulators.empty() && holding.empty()) || region.region.statements.size() < 2) return;

  const RunResult shallow = run_cycle(graph, region.input);
  if (shallow.outcome != Outcome::kFinished) return;
  const auto often = [&](std::uint64_t cycles) { return cycles > shallow.cycles / 20; };
  std::vector<std::pair<ChannelId, int>> before;
  const auto give = [&](ChannelId channel, int room) {
    int& depth = graph.channel(channel).depth;
    if (depth >= room) return;
    before.emplace_back(channel, depth);
    depth = room;
  };
  for (const NodeId id : accumulators) {
    const std::vector<ChannelId> outs = graph.outputs(id);
    if (std::none_of(outs.begin(), outs.end(),
                     [&](ChannelId c) { return often(shallow.counters[index(c)].stalled); }))
      continue;
    for (const ChannelId out : outs)
      give(out, std::min(1 << graph.node(id).params[Accumulate::kBits], kDeepest));
  }
  for (const ChannelId c : holding) give(c, std::min(2 * graph.channel(c).depth, kDeepest));
  if (before.empty()) return;
  const RunResult deep = run_cycle(graph, region.input, Detail::kCycles);
  const bool pays = deep.cycles < shallow.cycles && often(shallow.cycles - deep.cycles);
  for (const auto& [channel, depth] : before) {
    ChannelInfo& info = graph.channel(channel);
    if (pays)
      region.einsum.remarks.push_back(
          fmt::format("channel '{}' has room for {} tokens: with less the graph would be slower",
                      info.name, info.depth));
    else
      info.depth = depth;
  }
}

}  // namespace

void size_depths(CompiledRegion& region) { decouple(region, deepen(region)); }

}  // namespace heddle
