#include "compiler/sim/machine.h"

#include <algorithm>

namespace heddle {

namespace {

using Waits = std::vector<std::vector<Wait>>;  // by NodeId

Waits all_waits(const SamGraph& graph, const std::vector<std::uint32_t>& fill) {
  Waits waits(graph.node_count());
  for (const ChannelId c : graph.channels()) {
    const auto depth = static_cast<std::uint32_t>(graph.channel(c).depth);
    if (fill[index(c)] >= depth)
      waits[index(graph.source(c))].push_back({graph.target(c), c, true});
    if (fill[index(c)] == 0) waits[index(graph.target(c))].push_back({graph.source(c), c, false});
  }
  return waits;
}

}  // namespace

// blocked_cycle: who waits for whom.
//   a block waits for the producer of an input that is empty, or for the consumer of an output that
//   is full; follow those edges until a block repeats: that is the cycle
std::vector<Wait> blocked_cycle(const SamGraph& graph, const std::vector<std::uint32_t>& fill) {
  const Waits waits = all_waits(graph, fill);
  std::vector<Wait> cycle;
  std::vector<NodeId> path;
  std::vector<Wait> path_waits;
  std::vector<int> state(graph.node_count(), 0);
  const std::function<bool(NodeId)> visit = [&](NodeId node) {
    state[index(node)] = 1;
    path.push_back(node);
    for (const Wait& wait : waits[index(node)]) {
      path_waits.push_back(wait);
      if (state[index(wait.on)] == 1) {
        const auto at = std::find(path.begin(), path.end(), wait.on) - path.begin();
        const std::vector<Wait> found(path_waits.begin() + at, path_waits.end());
        if (std::any_of(found.begin(), found.end(), [](const Wait& w) { return w.full; })) {
          cycle = found;
          return true;
        }
      }
      if (state[index(wait.on)] == 0 && visit(wait.on)) return true;
      path_waits.pop_back();
    }
    path.pop_back();
    state[index(node)] = 2;
    return false;
  };
  for (const NodeId node : graph.nodes())
    if (state[index(node)] == 0 && visit(node)) break;
  return cycle;
}

std::string explain_deadlock(const SamGraph& graph, const std::vector<std::uint32_t>& fill) {
  const std::vector<Wait> cycle = blocked_cycle(graph, fill);
  std::string text;
  const auto line = [&](const Wait& w) {
    const ChannelInfo& c = graph.channel(w.channel);
    const NodeId waiting = w.full ? graph.source(w.channel) : graph.target(w.channel);
    return fmt::format("  {} waits for {}: channel '{}' is {} ({} of {} tokens)\n",
                       graph.node(waiting).name, graph.node(w.on).name, c.name,
                       w.full ? "full" : "empty", fill[index(w.channel)], c.depth);
  };
  if (!cycle.empty()) {
    text = "cycle of blocked channels:\n";
    for (const Wait& w : cycle) text += line(w);
    return text;
  }
  text = "no cycle; full channels:\n";
  for (const std::vector<Wait>& list : all_waits(graph, fill))
    for (const Wait& w : list)
      if (w.full) text += line(w);
  return text;
}

namespace sim {

void hand_over(RunResult& result, const std::vector<Storage*>& storages) {
  result.memories.resize(storages.size());
  result.statuses.resize(storages.size());
  for (std::size_t n = 0; n < storages.size(); ++n) {
    if (storages[n] == nullptr) continue;
    result.memories[n] = std::move(storages[n]->memories);
    result.statuses[n] = std::move(storages[n]->statuses);
  }
}

void report_outcome(RunResult& result, const SamGraph& graph, const Events& events, bool all_ended,
                    bool timed_out, const std::vector<std::uint32_t>& fill) {
  result.words_read = events.words_read;
  result.words_written = events.words_written;
  if (events.fault != Fault::kNone) {
    result.outcome = Outcome::kFault;
    result.fault = events.fault;
    result.fault_node = events.fault_node;
    result.problem =
        fmt::format("block '{}': {}", graph.node(events.fault_node).name, to_text(events.fault));
  } else if (timed_out) {
    result.outcome = Outcome::kTimeout;
    result.problem = "the run did not end within its limit of cycles";
  } else if (!all_ended) {
    result.outcome = Outcome::kDeadlock;
    result.fill = fill;
    result.problem = explain_deadlock(graph, fill);
  }
}

}  // namespace sim
}  // namespace heddle
