// The exact engines. One block template serves both; they differ in what a Firing makes of time.
//
// run_cycle: the firing time of a rule is the maximum of its last firing + 1, the times at which
// the heads it examined became visible, and the times at which the rooms it examined became free.
// No clock is needed: a block runs until it lacks a token or room, then its neighbours are tried
// (architecture.md, section 3). run_stepped: a rule sees what is visible and free in the current
// cycle.
#include <algorithm>
#include <chrono>

#include "compiler/graph/passes.h"
#include "compiler/sim/channel.h"
#include "compiler/sim/machine.h"

namespace heddle {
namespace {

using sim::Channel;

/// Time as a maximum over what the rule examined.
struct RunAhead {
  std::uint64_t time = 0;
  [[gnu::always_inline]] bool sees(const Channel& c) {
    if (c.empty()) return false;
    time = std::max(time, c.visible());
    return true;
  }
  [[gnu::always_inline]] bool has_room(const Channel& c) {
    if (c.full()) return false;
    time = std::max(time, c.room_from());
    return true;
  }
};

/// Time as the current cycle.
struct AtClock {
  std::uint64_t time = 0;
  bool sees(const Channel& c) const { return !c.empty() && c.visible() <= time; }
  bool has_room(const Channel& c) const { return !c.full() && c.room_from() <= time; }
};

template <class Time>
class Firing final : public sim::Surroundings {
 public:
  Firing(sim::Storage& storage, sim::Events& events, NodeId node, Channel* const* in,
         Channel* const* out)
      : Surroundings(storage, events, node), in_(in), out_(out) {}

  [[gnu::always_inline]] const Token* head(int i) {
    return time_.sees(*in_[i]) ? &in_[i]->head() : nullptr;
  }
  [[gnu::always_inline]] bool room(int o) { return time_.has_room(*out_[o]); }
  [[gnu::always_inline]] void pop(int i) { in_[i]->pop(time_.time); }
  [[gnu::always_inline]] void push(int o, Token token) { out_[o]->push(token, time_.time); }

  void start(std::uint64_t earliest) { time_.time = earliest; }
  std::uint64_t time() const { return time_.time; }

 private:
  Channel* const* in_;
  Channel* const* out_;
  Time time_;
};

struct BlockBase {
  NodeId node{};
  std::vector<Channel*> in, out;
  std::vector<BlockBase*> neighbours;
  std::uint64_t next = 0;  // first cycle in which it may fire again
  std::uint64_t last = 0;  // cycle of the last firing
  std::uint64_t firings = 0;
  bool queued = false;
  bool must_end = false;
  bool ended = false;

  virtual ~BlockBase() = default;
  /// Fires as often as it can; whether it fired.
  virtual bool run_ahead() = 0;
  /// Fires at most once, in cycle `now`.
  virtual bool step(std::uint64_t now) = 0;
};

// Bursts are bounded, so that channels without bounds do not hold whole streams.
constexpr std::uint64_t kBurst = 4096;

template <class P>
struct Block : BlockBase {
  Params params;
  typename P::State state{};
  sim::Storage storage;
  sim::Events* events = nullptr;

  bool run_ahead() override {
    Firing<RunAhead> f(storage, *events, node, in.data(), out.data());
    const Params p = params;
    typename P::State s = state;
    std::uint64_t n = 0, earliest = next;
    for (f.start(earliest); P::step(s, p, f); f.start(earliest)) {
      earliest = f.time() + 1;
      ++n;
      if (f.faulted() || n == kBurst) break;
    }
    if (n == 0) return false;
    queued = n == kBurst;
    state = s;
    next = earliest;
    last = earliest - 1;
    firings += n;
    if (f.finished()) ended = true;
    return true;
  }
  bool step(std::uint64_t now) override {
    Firing<AtClock> f(storage, *events, node, in.data(), out.data());
    f.start(now);
    if (!P::step(state, params, f)) return false;
    last = now;
    next = now + 1;
    ++firings;
    if (f.finished()) ended = true;
    return true;
  }
};

/// An end outside the graph: offers a stream, or takes one, when its pattern allows.
struct SourceBlock : BlockBase {
  const Stream* stream = nullptr;
  Pattern pattern;
  std::size_t at = 0;

  bool offer(std::uint64_t earliest, bool exactly) {
    if (at == stream->size() || out[0]->full()) return false;
    std::uint64_t t = std::max(earliest, out[0]->room_from());
    const auto end = static_cast<std::uint32_t>(index(node));
    while (!pattern.allows(end, t)) ++t;
    if (exactly && t != earliest) return false;
    out[0]->push((*stream)[at++], t);
    last = t;
    next = t + 1;
    ++firings;
    ended = at == stream->size();
    return true;
  }
  bool run_ahead() override {
    bool any = false;
    while (offer(next, false)) any = true;
    return any;
  }
  bool step(std::uint64_t now) override { return offer(now, true); }
};

struct SinkBlock : BlockBase {
  Stream taken;
  Pattern pattern;

  bool take(std::uint64_t earliest, bool exactly) {
    if (in[0]->empty()) return false;
    std::uint64_t t = std::max(earliest, in[0]->visible());
    const auto end = static_cast<std::uint32_t>(index(node));
    while (!pattern.allows(end, t)) ++t;
    if (exactly && t != earliest) return false;
    taken.push_back(in[0]->head());
    in[0]->pop(t);
    last = t;
    next = t + 1;
    ++firings;
    if (taken.back().is_done()) ended = true;
    return true;
  }
  bool run_ahead() override {
    bool any = false;
    while (take(next, false)) any = true;
    return any;
  }
  bool step(std::uint64_t now) override { return take(now, true); }
};

class Machine {
 public:
  Machine(const SamGraph& graph, const RunInput& input, Detail detail)
      : graph_(graph), input_(input) {
    for (const ChannelId c : graph.channels())
      channels_.push_back(
          std::make_unique<Channel>(graph.channel(c).depth, graph.channel(c).latency, detail));
    for (const NodeId id : graph.nodes()) blocks_.push_back(make_block(id));
    sim::link_kept(graph, [&](NodeId id) -> sim::Storage& { return *storages_[index(id)]; });
    for (const ChannelId c : graph.channels()) {
      BlockBase* from = blocks_[index(graph.source(c))].get();
      BlockBase* to = blocks_[index(graph.target(c))].get();
      from->neighbours.push_back(to);
      to->neighbours.push_back(from);
    }
    const std::vector<int> stage = stages(graph);
    for (int b = 0; b < static_cast<int>(blocks_.size()); ++b) order_.push_back(b);
    std::stable_sort(order_.begin(), order_.end(), [&](int a, int b) {
      return stage[static_cast<std::size_t>(a)] < stage[static_cast<std::size_t>(b)];
    });
  }

  // Sweeps from the sources to the sinks, so that each block finds a whole burst where it looks.
  void run_ahead() {
    for (auto& block : blocks_) block->queued = true;
    bool any = true;
    while (any && events_.fault == Fault::kNone) {
      any = false;
      for (const int b : order_) {
        BlockBase& block = *blocks_[static_cast<std::size_t>(b)];
        if (!block.queued) continue;
        block.queued = false;
        if (!block.run_ahead()) continue;
        any = true;
        for (BlockBase* n : block.neighbours) n->queued = true;
        if (events_.fault != Fault::kNone) break;
      }
    }
  }

  bool all_ended() const {
    return std::all_of(blocks_.begin(), blocks_.end(),
                       [](const auto& b) { return !b->must_end || b->ended; });
  }
  bool faulted() const { return events_.fault != Fault::kNone; }
  std::vector<std::uint32_t> fill() const {
    std::vector<std::uint32_t> fill;
    for (const auto& channel : channels_)
      fill.push_back(static_cast<std::uint32_t>(channel->fill()));
    return fill;
  }
  void deepen(ChannelId channel, int depth) {
    channels_[index(channel)]->deepen(static_cast<std::uint64_t>(depth));
  }

  void run_stepped() {
    int horizon = 2;
    for (const ChannelId c : graph_.channels())
      horizon = std::max(horizon, graph_.channel(c).latency + 1);
    const bool patterned = input_.offer.percent < 100 || input_.take.percent < 100;
    if (patterned) horizon += 4096;  // the outside world may pause, for much less than this
    std::uint64_t now = 0, idle = 0;
    while (!all_ended() && idle <= static_cast<std::uint64_t>(horizon) &&
           events_.fault == Fault::kNone) {
      if (input_.max_cycles != 0 && now >= input_.max_cycles) {
        timed_out_ = true;
        return;
      }
      bool any = false;
      for (auto& block : blocks_) any |= block->step(now);
      idle = any ? 0 : idle + 1;
      ++now;
    }
  }

  RunResult result(const SamGraph& graph) {
    RunResult r;
    for (const auto& block : blocks_) {
      if (block->firings > 0) r.cycles = std::max(r.cycles, block->last + 1);
      r.firings.push_back(block->firings);
    }
    for (auto& channel : channels_) {
      r.counters.push_back(channel->counters(r.cycles));
      r.hashes.push_back(channel->hash());
      r.most.push_back(channel->most());
      r.trace.push_back(std::move(channel->trace()));
    }
    r.streams.resize(graph.node_count());
    r.memories.resize(graph.node_count());
    r.statuses.resize(graph.node_count());
    for (const auto& block : blocks_) {
      const std::size_t n = index(block->node);
      if (auto* sink = dynamic_cast<SinkBlock*>(block.get())) r.streams[n] = std::move(sink->taken);
      if (storages_[n] == nullptr) continue;
      r.memories[n] = std::move(storages_[n]->memories);
      r.statuses[n] = storages_[n]->statuses;
    }
    sim::report_outcome(r, graph, events_, all_ended(), timed_out_, fill());
    return r;
  }

 private:
  std::unique_ptr<BlockBase> make_block(NodeId id) {
    const Node& node = graph_.node(id);
    std::unique_ptr<BlockBase> made;
    storages_.push_back(nullptr);
    if (node.external()) {
      if (!graph_.outputs(id).empty()) {
        auto source = std::make_unique<SourceBlock>();
        source->stream = &input_.streams[index(id)];
        source->pattern = input_.offer;
        made = std::move(source);
      } else {
        auto sink = std::make_unique<SinkBlock>();
        sink->pattern = input_.take;
        sink->must_end = true;
        made = std::move(sink);
      }
    } else {
      made = with_primitive(*node.primitive, [&]<class P>() -> std::unique_ptr<BlockBase> {
        auto block = std::make_unique<Block<P>>();
        block->params = node.params;
        block->storage = sim::make_storage(graph_, id, input_.blocks[index(id)]);
        block->events = &events_;
        block->must_end = ends_stream(P::kSpec);
        storages_.back() = &block->storage;
        return block;
      });
    }
    made->node = id;
    for (const ChannelId c : graph_.inputs(id)) made->in.push_back(channels_[index(c)].get());
    for (const ChannelId c : graph_.outputs(id)) made->out.push_back(channels_[index(c)].get());
    return made;
  }

  const SamGraph& graph_;
  const RunInput& input_;
  sim::Events events_;
  std::vector<std::unique_ptr<Channel>> channels_;
  std::vector<std::unique_ptr<BlockBase>> blocks_;
  std::vector<sim::Storage*> storages_;
  std::vector<int> order_;  // from sources to sinks
  bool timed_out_ = false;
};

template <class Run>
RunResult timed(const SamGraph& graph, const RunInput& input, Detail detail, Run run) {
  const auto start = std::chrono::steady_clock::now();
  Machine machine(graph, input, detail);
  run(machine);
  RunResult result = machine.result(graph);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

/// Of the full channels in a blocked cycle, the one to get another place. Each row of full channels
/// is a path that has to hold tokens until something else is known; its last channel, the one that
/// ends where that is needed, holds them. Of several the deepest, so that few are deep.
std::optional<ChannelId> channel_to_grow(const SamGraph& graph, const std::vector<Wait>& cycle,
                                         const std::vector<bool>& channels) {
  std::optional<ChannelId> best;
  bool best_last = false;
  for (std::size_t w = 0; w < cycle.size(); ++w) {
    if (!cycle[w].full || !channels[index(cycle[w].channel)]) continue;
    const ChannelId c = cycle[w].channel;
    const bool last = !cycle[(w + 1) % cycle.size()].full;
    const bool deeper = !best || graph.channel(c).depth > graph.channel(*best).depth;
    if (!best || (last && !best_last) || (last == best_last && deeper)) {
      best = c;
      best_last = last;
    }
  }
  return best;
}

}  // namespace

RunResult run_cycle(const SamGraph& graph, const RunInput& input, Detail detail) {
  return timed(graph, input, detail, [](Machine& m) { m.run_ahead(); });
}

RunResult run_stepped(const SamGraph& graph, const RunInput& input, Detail detail) {
  return timed(graph, input, detail, [](Machine& m) { m.run_stepped(); });
}

// What a network of such blocks can do does not depend on when it does it, so a run that is stuck
// goes on with more room as one does that had it from the start.
std::optional<std::vector<int>> grow_depths(SamGraph graph, const RunInput& input,
                                            const std::vector<bool>& channels) {
  Machine machine(graph, input, Detail::kCycles);
  for (machine.run_ahead(); !machine.all_ended(); machine.run_ahead()) {
    if (machine.faulted()) return std::nullopt;
    const auto grown = channel_to_grow(graph, blocked_cycle(graph, machine.fill()), channels);
    if (!grown || graph.channel(*grown).depth >= kUnbounded) return std::nullopt;
    machine.deepen(*grown, ++graph.channel(*grown).depth);
  }
  std::vector<int> depths;
  for (const ChannelId c : graph.channels()) depths.push_back(graph.channel(c).depth);
  return depths;
}

}  // namespace heddle
