// The untimed engine: channels grow as needed, blocks fire whenever they can.
#include <deque>
#include <memory>

#include "compiler/sim/machine.h"
#include "compiler/support/seconds.h"

namespace heddle {
namespace {

/// A queue that grows; consumed tokens are reclaimed now and then.
class Queue {
 public:
  bool empty() const { return read_ == tokens_.size(); }
  const Token& head() const { return tokens_[read_]; }
  void push(Token token) { tokens_.push_back(token); }
  void pop() {
    ++read_;
    ++taken_;
    if (read_ == tokens_.size()) {
      tokens_.clear();
      read_ = 0;
    }
  }
  std::size_t fill() const { return tokens_.size() - read_; }
  std::uint64_t taken() const { return taken_; }

 private:
  Stream tokens_;
  std::size_t read_ = 0;
  std::uint64_t taken_ = 0;
};

class UntimedFiring : public sim::Surroundings {
 public:
  UntimedFiring(sim::Storage& storage, sim::Events& events, NodeId node, Queue* const* in,
                Queue* const* out)
      : Surroundings(storage, events, node), in_(in), out_(out) {}
  const Token* head(int i) const { return in_[i]->empty() ? nullptr : &in_[i]->head(); }
  bool room(int) const { return true; }
  void pop(int i) { in_[i]->pop(); }
  void push(int o, Token token) { out_[o]->push(token); }

 private:
  Queue* const* in_;
  Queue* const* out_;
};

struct UntimedBlock {
  std::vector<Queue*> in, out;
  sim::Storage storage;
  std::uint64_t firings = 0;
  bool must_end = false;
  bool ended = false;
  std::function<bool(UntimedBlock&, int)> run;  // fires at most so often; whether it fired
};

// Bursts are bounded so that queues stay short where consumers keep up.
constexpr int kBurst = 4096;

std::function<bool(UntimedBlock&, int)> make_run(const Node& node, NodeId id, sim::Events& events) {
  return with_primitive(*node.primitive, [&]<class P>() -> std::function<bool(UntimedBlock&, int)> {
    return [state = typename P::State{}, params = node.params, id, &events](UntimedBlock& b,
                                                                            int limit) mutable {
      int n = 0;
      UntimedFiring f(b.storage, events, id, b.in.data(), b.out.data());
      while (n < limit && P::step(state, params, f) && !f.faulted()) ++n;
      b.firings += static_cast<std::uint64_t>(n);
      if (f.finished()) b.ended = true;
      return n > 0;
    };
  });
}

void run_all(std::vector<UntimedBlock>& blocks, const std::vector<std::vector<int>>& consumers,
             const sim::Events& events) {
  std::deque<int> work;
  std::vector<bool> queued(blocks.size(), true);
  for (std::size_t b = 0; b < blocks.size(); ++b) work.push_back(static_cast<int>(b));
  const auto wake = [&](int b) {
    if (queued[static_cast<std::size_t>(b)]) return;
    queued[static_cast<std::size_t>(b)] = true;
    work.push_back(b);
  };
  while (!work.empty() && events.fault == Fault::kNone) {
    const int b = work.front();
    work.pop_front();
    queued[static_cast<std::size_t>(b)] = false;
    UntimedBlock& block = blocks[static_cast<std::size_t>(b)];
    if (!block.run(block, kBurst)) continue;
    for (const int n : consumers[static_cast<std::size_t>(b)]) wake(n);
    wake(b);
  }
}

}  // namespace

RunResult run_functional(const SamGraph& graph, const RunInput& input, Detail) {
  sim::Events events;
  std::vector<std::unique_ptr<Queue>> queues;
  for (std::size_t c = 0; c < graph.channel_count(); ++c)
    queues.push_back(std::make_unique<Queue>());
  std::vector<UntimedBlock> blocks(graph.node_count());
  std::vector<std::vector<int>> consumers(graph.node_count());
  RunResult result;
  result.streams.resize(graph.node_count());
  for (const NodeId id : graph.nodes()) {
    UntimedBlock& block = blocks[index(id)];
    const Node& node = graph.node(id);
    for (const ChannelId c : graph.inputs(id)) block.in.push_back(queues[index(c)].get());
    for (const ChannelId c : graph.outputs(id)) {
      block.out.push_back(queues[index(c)].get());
      consumers[index(id)].push_back(static_cast<int>(graph.target(c)));
    }
    if (!node.external()) {
      block.storage = sim::make_storage(graph, id, input.blocks[index(id)]);
      block.must_end = ends_stream(spec_of(*node.primitive));
      block.run = make_run(node, id, events);
    } else if (!block.out.empty()) {
      block.run = [&input, id, at = std::size_t{0}](UntimedBlock& b, int) mutable {
        const Stream& stream = input.streams[index(id)];
        const bool any = at < stream.size();
        for (; at < stream.size(); ++at, ++b.firings) b.out[0]->push(stream[at]);
        return any;
      };
    } else {
      block.must_end = true;
      block.run = [&result, id](UntimedBlock& b, int) {
        const bool any = !b.in[0]->empty();
        for (; !b.in[0]->empty(); b.in[0]->pop(), ++b.firings) {
          result.streams[index(id)].push_back(b.in[0]->head());
          if (b.in[0]->head().is_done()) b.ended = true;
        }
        return any;
      };
    }
  }

  sim::link_kept(graph, [&](NodeId id) -> sim::Storage& { return blocks[index(id)].storage; });

  result.seconds = seconds_of([&] { run_all(blocks, consumers, events); });

  bool all_ended = true;
  std::vector<std::uint32_t> fill;
  for (std::size_t c = 0; c < queues.size(); ++c) {
    fill.push_back(static_cast<std::uint32_t>(queues[c]->fill()));
    ChannelCounters counters;
    counters.tokens = queues[c]->taken();
    result.counters.push_back(counters);
  }
  for (UntimedBlock& block : blocks) {
    if (block.must_end && !block.ended) all_ended = false;
    result.firings.push_back(block.firings);
    result.memories.push_back(std::move(block.storage.memories));
    result.statuses.push_back(block.storage.statuses);
  }
  sim::report_outcome(result, graph, events, all_ended, false, fill);
  return result;
}

}  // namespace heddle
