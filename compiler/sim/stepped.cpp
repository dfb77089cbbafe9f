// The plain engine: a clock, and every block in every cycle. Slow; the oracle for run_cycle.
#include <algorithm>

#include "compiler/sim/channel.h"
#include "compiler/sim/machine.h"
#include "compiler/support/seconds.h"

namespace heddle {
namespace {

using sim::Channel;

/// A Firing in the current cycle.
class FiringNow final : public sim::Surroundings {
 public:
  FiringNow(sim::Storage& storage, sim::Events& events, NodeId node, Channel* const* in,
            Channel* const* out, std::uint64_t now)
      : Surroundings(storage, events, node), in_(in), out_(out), now_(now) {}

  const Token* head(int i) const {
    const Channel& c = *in_[i];
    return !c.empty() && c.visible() <= now_ ? &c.head() : nullptr;
  }
  bool room(int o) const { return !out_[o]->full() && out_[o]->room_from() <= now_; }
  void pop(int i) { in_[i]->pop(now_); }
  void push(int o, Token token) { out_[o]->push(token, now_); }

 private:
  Channel* const* in_;
  Channel* const* out_;
  std::uint64_t now_;
};

struct BlockBase {
  NodeId node{};
  std::vector<Channel*> in, out;
  std::uint64_t last = 0;  // cycle of the last firing
  std::uint64_t firings = 0;
  bool must_end = false;
  bool ended = false;

  virtual ~BlockBase() = default;
  /// Fires at most once, in cycle `now`; whether it fired.
  virtual bool step(std::uint64_t now) = 0;

 protected:
  bool fired(std::uint64_t now, bool ends) {
    last = now;
    ++firings;
    if (ends) ended = true;
    return true;
  }
};

template <class P>
struct Block final : BlockBase {
  Params params;
  typename P::State state{};
  sim::Storage storage;
  sim::Events* events = nullptr;

  bool step(std::uint64_t now) override {
    FiringNow f(storage, *events, node, in.data(), out.data(), now);
    return P::step(state, params, f) && fired(now, f.finished());
  }
};

/// An end outside the graph: offers a stream, or takes one, when its pattern allows.
struct SourceBlock final : BlockBase {
  const Stream* stream = nullptr;
  Pattern pattern;
  std::size_t at = 0;

  bool step(std::uint64_t now) override {
    if (at == stream->size() || out[0]->full() || out[0]->room_from() > now) return false;
    if (!pattern.allows(static_cast<std::uint32_t>(index(node)), now)) return false;
    out[0]->push((*stream)[at++], now);
    return fired(now, at == stream->size());
  }
};

struct SinkBlock final : BlockBase {
  Stream taken;
  Pattern pattern;

  bool step(std::uint64_t now) override {
    if (in[0]->empty() || in[0]->visible() > now) return false;
    if (!pattern.allows(static_cast<std::uint32_t>(index(node)), now)) return false;
    taken.push_back(in[0]->head());
    in[0]->pop(now);
    return fired(now, taken.back().is_done());
  }
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
  }

  bool all_ended() const {
    return std::all_of(blocks_.begin(), blocks_.end(),
                       [](const auto& b) { return !b->must_end || b->ended; });
  }
  std::vector<std::uint32_t> fill() const {
    std::vector<std::uint32_t> fill;
    for (const auto& channel : channels_)
      fill.push_back(static_cast<std::uint32_t>(channel->fill()));
    return fill;
  }
  void run() {
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
      r.trace.push_back(std::move(channel->trace()));
    }
    r.streams.resize(graph.node_count());
    for (const auto& block : blocks_)
      if (auto* sink = dynamic_cast<SinkBlock*>(block.get()))
        r.streams[index(block->node)] = std::move(sink->taken);
    sim::hand_over(r, storages_);
    sim::report_outcome(r, graph, events_, all_ended(), timed_out_, fill());
    return r;
  }

 private:
  std::unique_ptr<BlockBase> make_block(NodeId id) {
    const Node& node = graph_.node(id);
    std::unique_ptr<BlockBase> made;
    storages_.push_back(nullptr);
    if (node.external()) {
      made = sim::make_end<BlockBase, SourceBlock, SinkBlock>(graph_, input_, id);
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
  bool timed_out_ = false;
};

}  // namespace

RunResult run_stepped(const SamGraph& graph, const RunInput& input, Detail detail) {
  Machine machine(graph, input, detail);
  const double seconds = seconds_of([&] { machine.run(); });
  RunResult result = machine.result(graph);
  result.seconds = seconds;
  return result;
}

}  // namespace heddle
