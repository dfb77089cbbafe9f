#include "compiler/driver/limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace heddle {
namespace {

/// What a block did until its last firing.
struct Account {
  std::optional<ChannelId> emptiest;  // of its inputs, in those cycles
  std::uint64_t lacking = 0;          // cycles without a token there
  std::uint64_t room = 0;             // cycles in which it had tokens, but did not fire
};

class Search {
 public:
  Search(const SamGraph& graph, const RunResult& run, bool roomy)
      : graph_(graph), run_(run), roomy_(roomy) {}

  Limit find(NodeId busiest) {
    const Account own = account(busiest);
    const std::uint64_t after = run_.cycles - run_.active[index(busiest)];
    Limit limit;
    limit.busiest = graph_.node(busiest).name;
    if (after >= std::max(own.lacking, own.room)) {
      limit.kind = Limit::Kind::kOthers;
      limit.block = graph_.node(busiest_after(run_.active[index(busiest)])).name;
      limit.cycles = after;
    } else {
      limit.cycles = std::max(own.lacking, own.room);
      follow(busiest, std::nullopt, limit);
    }
    return limit;
  }

 private:
  Account account(NodeId id) const {
    const std::uint64_t active = run_.active[index(id)];
    const std::uint64_t idle = active - std::min(active, run_.firings[index(id)]);
    Account account;
    for (const ChannelId c : graph_.inputs(id)) {
      const std::uint64_t after = run_.cycles - active;
      const std::uint64_t starved = run_.counters[index(c)].starved;
      const std::uint64_t lacking = std::min(idle, starved - std::min(starved, after));
      if (account.emptiest && lacking <= account.lacking) continue;
      account.emptiest = c;
      account.lacking = lacking;
    }
    account.room = idle - account.lacking;
    return account;
  }

  NodeId busiest_after(std::uint64_t cycle) const {
    NodeId best{};
    std::uint64_t most = 0;
    for (const NodeId id : graph_.nodes()) {
      if (run_.active[index(id)] <= cycle || run_.firings[index(id)] <= most) continue;
      best = id;
      most = run_.firings[index(id)];
    }
    return best;
  }

  /// Walks up from a block that waits. `towards`: the channel that it should have filled.
  void follow(NodeId id, std::optional<ChannelId> towards, Limit& limit) {
    const Account own = account(id);
    if ((!roomy_ && own.room > own.lacking) || !own.emptiest) {
      std::optional<ChannelId> fullest;
      for (const ChannelId c : graph_.outputs(id))
        if (c != towards &&
            (!fullest || run_.counters[index(c)].stalled > run_.counters[index(*fullest)].stalled))
          fullest = c;
      if (fullest) name(Limit::Kind::kRoom, *fullest, graph_.target(*fullest), limit);
      return;
    }
    // One that waits clearly less than those below it is slow itself: it fires more often than it
    // gives tokens.
    if (4 * own.lacking < 3 * limit.cycles) return;
    const NodeId from = graph_.source(*own.emptiest);
    name(Limit::Kind::kTokens, *own.emptiest, from, limit);
    if (!graph_.node(from).external() && seen_.insert(from).second)
      follow(from, own.emptiest, limit);
  }

  void name(Limit::Kind kind, ChannelId channel, NodeId block, Limit& limit) const {
    limit.kind = kind;
    limit.channel = graph_.channel(channel).name;
    limit.block = graph_.node(block).name;
  }

  const SamGraph& graph_;
  const RunResult& run_;
  bool roomy_;
  std::set<NodeId> seen_;
};

}  // namespace

std::optional<NodeId> busiest_block(const SamGraph& graph, const RunResult& run) {
  std::optional<NodeId> busiest;
  std::uint64_t most = 0;
  for (const NodeId id : graph.nodes()) {
    if (graph.node(id).external() || index(id) >= run.firings.size()) continue;
    if (run.firings[index(id)] <= most) continue;
    busiest = id;
    most = run.firings[index(id)];
  }
  return busiest;
}

std::optional<Limit> find_limit(const SamGraph& graph, const RunResult& run, bool roomy) {
  if (run.active.empty() || run.counters.empty() || run.outcome != Outcome::kFinished)
    return std::nullopt;
  const auto busiest = busiest_block(graph, run);
  if (!busiest || run.firings[index(*busiest)] == run.cycles) return std::nullopt;
  return Search(graph, run, roomy).find(*busiest);
}

std::string to_text(const Limit& limit) {
  switch (limit.kind) {
    case Limit::Kind::kTokens:
      return fmt::format("{} waits {} cycles for tokens of '{}' from {}", limit.busiest,
                         limit.cycles, limit.channel, limit.block);
    case Limit::Kind::kRoom:
      return fmt::format("{} waits {} cycles for room in '{}' before {}", limit.busiest,
                         limit.cycles, limit.channel, limit.block);
    case Limit::Kind::kOthers:
      return fmt::format("{} ends {} cycles before {}", limit.busiest, limit.cycles, limit.block);
  }
  return "";
}

}  // namespace heddle
