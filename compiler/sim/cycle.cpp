// The exact engine. The firing time of a rule is the maximum of its last firing + 1, the times at
// which the heads it examined became visible, and the times at which the rooms it examined became
// free. No clock is needed: a block runs until it lacks a token or room, then others have their
// turn (architecture.md, section 3).
#include <algorithm>
#include <deque>
#include <type_traits>
#include <utility>

#include "compiler/graph/passes.h"
#include "compiler/sim/machine.h"
#include "compiler/sim/ring.h"
#include "compiler/support/seconds.h"

namespace heddle {
namespace {

using sim::Ring;
using sim::Slot;

/// A Firing whose time is the maximum over what the rule examined. What a burst needs again and
/// again is in its own variables; Ins and Outs are ports whose number is known, so that the
/// compiler can give each of them registers.
template <std::size_t kIns, std::size_t kOuts, std::size_t kMemories>
class RunAhead final : public sim::Surroundings {
 public:
  RunAhead(sim::Storage& storage, sim::Events& events, NodeId node, Ring* const* in,
           Ring* const* out)
      : RunAhead(storage, events, node, in, out, std::make_index_sequence<kIns>(),
                 std::make_index_sequence<kOuts>(), std::make_index_sequence<kMemories>()) {}

  [[gnu::always_inline]] const Token* head(int i) {
    const Ring::TakingEnd& end = in_[static_cast<std::size_t>(i)];
    if (end.empty()) {
      lacks_ = i;
      return nullptr;
    }
    time_ = std::max(time_, end.visible());
    // A copy, as pushes would make the compiler load it again.
    return &(heads_[static_cast<std::size_t>(i)] = end.head());
  }
  [[gnu::always_inline]] bool room(int o) {
    const Ring::GivingEnd& end = out_[static_cast<std::size_t>(o)];
    if (end.full()) {
      lacks_ = ~o;
      return false;
    }
    time_ = std::max(time_, end.room_from());
    return true;
  }
  [[gnu::always_inline]] void pop(int i) { in_[static_cast<std::size_t>(i)].pop(time_); }
  [[gnu::always_inline]] void push(int o, Token token) {
    out_[static_cast<std::size_t>(o)].push(token, time_);
  }
  [[gnu::always_inline]] std::uint32_t read(int memory, std::uint32_t address) {
    const sim::Words words = words_[static_cast<std::size_t>(memory)];
    if (words.counted) ++words_read_;
    if (address >= words.size) [[unlikely]] {
      fault(Fault::kOutOfRange);
      return 0;
    }
    return words.data[address];
  }
  [[gnu::always_inline]] void write(int memory, std::uint32_t address, std::uint32_t word) {
    if (!store(memory, address, word)) [[unlikely]]
      fault(Fault::kOverflow);
  }
  /// The run is over; so is the burst, for want of tokens.
  bool fault(Fault fault) {
    for (Ring::TakingEnd& end : in_) end.close();
    return Surroundings::fault(fault);
  }

  void start(std::uint64_t earliest) { time_ = earliest; }
  std::uint64_t time() const { return time_; }

  /// The burst is over.
  void leave(Ring* const* in, Ring* const* out) {
    if constexpr (kMemories > 0) add_words_read(words_read_);
    for (std::size_t i = 0; i < kIns; ++i) in_[i].leave(*in[i]);
    for (std::size_t o = 0; o < kOuts; ++o) out_[o].leave(*out[o]);
  }
  /// What the block waits for: a token of an input i, or with ~o room in output o.
  int lacks() const { return lacks_; }

 private:
  template <std::size_t... I, std::size_t... O, std::size_t... M>
  RunAhead(sim::Storage& storage, sim::Events& events, NodeId node, Ring* const* in,
           Ring* const* out, std::index_sequence<I...>, std::index_sequence<O...>,
           std::index_sequence<M...>)
      : Surroundings(storage, events, node),
        in_{Ring::TakingEnd(*in[I])...},
        out_{Ring::GivingEnd(*out[O])...},
        words_{words_of(M)...} {}

  std::array<Ring::TakingEnd, kIns> in_;
  std::array<Ring::GivingEnd, kOuts> out_;
  std::array<Token, kIns> heads_{};
  std::array<sim::Words, kMemories> words_;
  std::uint64_t time_ = 0;
  std::uint64_t words_read_ = 0;
  int lacks_ = 0;
};

/// The same for blocks with any number of ports, straight on the channels.
class RunAheadOpen final : public sim::Surroundings {
 public:
  RunAheadOpen(sim::Storage& storage, sim::Events& events, NodeId node, Ring* const* in,
               Ring* const* out)
      : Surroundings(storage, events, node), in_(in), out_(out) {}

  [[gnu::always_inline]] const Token* head(int i) {
    const Ring& c = *in_[i];
    if (c.empty() || faulted()) {
      lacks_ = i;
      return nullptr;
    }
    time_ = std::max(time_, c.visible());
    return &c.head();
  }
  [[gnu::always_inline]] bool room(int o) {
    const Ring& c = *out_[o];
    if (c.full()) {
      lacks_ = ~o;
      return false;
    }
    time_ = std::max(time_, c.room_from());
    return true;
  }
  [[gnu::always_inline]] void pop(int i) { in_[i]->pop(time_); }
  [[gnu::always_inline]] void push(int o, Token token) { out_[o]->push(token, time_); }

  void start(std::uint64_t earliest) { time_ = earliest; }
  std::uint64_t time() const { return time_; }
  void leave(Ring* const*, Ring* const*) {}
  int lacks() const { return lacks_; }

 private:
  Ring* const* in_;
  Ring* const* out_;
  std::uint64_t time_ = 0;
  int lacks_ = 0;
};

struct BlockBase {
  NodeId node{};
  std::vector<Ring*> in, out;
  const std::uint64_t* awaited = nullptr;  // it waits while the count there is this:
  std::uint64_t as_seen = 0;
  std::uint64_t next = 0;  // first cycle in which it may fire again: after that of the last firing
  std::uint64_t firings = 0;
  bool must_end = false;
  bool ended = false;

  virtual ~BlockBase() = default;
  bool waits() const { return awaited != nullptr && *awaited == as_seen; }
  void wait_for_token(const Ring& c) {
    awaited = c.pushes();
    as_seen = *awaited;
  }
  void wait_for_room(const Ring& c) {
    awaited = c.full() ? c.pops() : nullptr;  // if it is not full, its ring was
    as_seen = c.taken();
  }
  /// Fires as often as it can.
  virtual void run_ahead() = 0;
};

constexpr bool has_repeated_ports(const PrimitiveSpec& spec) {
  for (const PortSpec& port : spec.ports)
    if (port.repeated) return true;
  return false;
}

/// Parameters that are known when the loop of a block is compiled.
struct Known {
  unsigned mask = 0;  // bit i: parameter i
  Params values;

  constexpr Known also(int param, int value) const {
    Known known = *this;
    known.mask |= 1u << param;
    known.values.value[static_cast<std::size_t>(param)] = value;
    return known;
  }
  constexpr Params with(Params params) const {
    for (int i = 0; i < kMaxParams; ++i)
      if ((mask >> i & 1) != 0) params.value[static_cast<std::size_t>(i)] = values[i];
    return params;
  }
  constexpr bool fits(const Params& params) const { return with(params) == params; }
};

/// The parameters with which a row occurs so often that it has loops of its own for them.
template <class P>
constexpr auto often() {
  if constexpr (std::is_same_v<P, Alu>) {
    const Known f32 = Known{}.also(Alu::kType, static_cast<int>(ValueType::kF32));
    return std::array{f32.also(Alu::kOp, static_cast<int>(BinaryOp::kMul)),
                      f32.also(Alu::kOp, static_cast<int>(BinaryOp::kAdd))};
  } else if constexpr (std::is_same_v<P, Accumulate> || std::is_same_v<P, Reduce>) {
    const Known f32 = Known{}.also(P::kType, static_cast<int>(ValueType::kF32));
    return std::array{f32.also(P::kOp, 0)};  // sum
  } else if constexpr (has_repeated_ports(P::kSpec)) {
    int n = 0;
    while (P::kSpec.params[static_cast<std::size_t>(n)].name != "n") ++n;
    return std::array{Known{}.also(n, 2), Known{}.also(n, 3)};
  } else {
    return std::array<Known, 0>{};
  }
}

/// The Firing of a row: with ports in variables, if their number is known.
template <class P, Known known>
consteval auto run_ahead_type() {
  if constexpr (has_repeated_ports(P::kSpec) && known.mask == 0) {
    return std::type_identity<RunAheadOpen>{};
  } else {
    constexpr Params params = known.with(default_params(P::kSpec));
    return std::type_identity<
        RunAhead<static_cast<std::size_t>(port_count(P::kSpec, params, Dir::kIn)),
                 static_cast<std::size_t>(port_count(P::kSpec, params, Dir::kOut)),
                 P::kSpec.memories.size()>>{};
  }
}

template <class P, Known known>
struct Block final : BlockBase {
  Params params;
  typename P::State state{};
  sim::Storage storage;
  sim::Events* events = nullptr;

  void run_ahead() override {
    typename decltype(run_ahead_type<P, known>())::type f(storage, *events, node, in.data(),
                                                          out.data());
    const Params p = known.with(params);
    typename P::State s = state;
    std::uint64_t n = 0, earliest = next;
    for (f.start(earliest); P::step(s, p, f); f.start(earliest)) {
      earliest = f.time() + 1;
      ++n;
    }
    f.leave(in.data(), out.data());
    const int lacks = f.lacks();
    if (lacks >= 0)
      wait_for_token(*in[static_cast<std::size_t>(lacks)]);
    else
      wait_for_room(*out[static_cast<std::size_t>(~lacks)]);
    state = s;
    next = earliest;
    firings += n;
    if (f.finished()) ended = true;
  }
};

/// An end outside the graph: offers a stream, or takes one, when its pattern allows.
struct SourceBlock final : BlockBase {
  const Stream* stream = nullptr;
  Pattern pattern;
  std::size_t at = 0;

  void run_ahead() override {
    while (at < stream->size() && !out[0]->full()) {
      std::uint64_t t = std::max(next, out[0]->room_from());
      while (!pattern.allows(static_cast<std::uint32_t>(index(node)), t)) ++t;
      out[0]->push((*stream)[at++], t);
      next = t + 1;
      ++firings;
    }
    ended = at == stream->size();
    if (ended)
      wait_for_token(*out[0]);  // of its own: for ever
    else
      wait_for_room(*out[0]);
  }
};

struct SinkBlock final : BlockBase {
  Stream taken;
  Pattern pattern;

  void run_ahead() override {
    while (!in[0]->empty()) {
      std::uint64_t t = std::max(next, in[0]->visible());
      while (!pattern.allows(static_cast<std::uint32_t>(index(node)), t)) ++t;
      taken.push_back(in[0]->head());
      in[0]->pop(t);
      next = t + 1;
      ++firings;
      if (taken.back().is_done()) ended = true;
    }
    wait_for_token(*in[0]);
  }
};

class Machine {
 public:
  Machine(const SamGraph& graph, const RunInput& input, Detail detail)
      : graph_(graph), input_(input) {
    std::size_t slots = 0;
    for (const ChannelId c : graph.channels()) slots += Ring::first_slots(graph.channel(c).depth);
    slots_.resize(slots);
    Slot* at = slots_.data();
    for (const ChannelId c : graph.channels()) {
      const ChannelInfo& info = graph.channel(c);
      channels_.emplace_back(info.depth, info.latency, detail, at);
      at += Ring::first_slots(info.depth);
    }
    for (const NodeId id : graph.nodes()) blocks_.push_back(make_block(id));
    sim::link_kept(graph, [&](NodeId id) -> sim::Storage& { return *storages_[index(id)]; });
    const std::vector<int> stage = stages(graph);
    for (const auto& block : blocks_) order_.push_back(block.get());
    std::stable_sort(order_.begin(), order_.end(), [&](const BlockBase* a, const BlockBase* b) {
      return stage[index(a->node)] < stage[index(b->node)];
    });
  }

  // Sweeps from the sources to the sinks, so that each block finds a whole burst where it looks.
  void run_ahead() {
    for (auto& block : blocks_) block->awaited = nullptr;
    for (bool any = true; any && events_.fault == Fault::kNone;) {
      any = false;
      for (BlockBase* block : order_) {
        if (block->waits()) continue;
        block->run_ahead();
        any = true;
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
    for (const Ring& channel : channels_)
      fill.push_back(static_cast<std::uint32_t>(channel.fill()));
    return fill;
  }
  void deepen(ChannelId channel, int depth) {
    channels_[index(channel)].deepen(static_cast<std::uint64_t>(depth));
  }

  RunResult result() {
    RunResult r;
    for (const auto& block : blocks_) {
      if (block->firings > 0) r.cycles = std::max(r.cycles, block->next);
      r.firings.push_back(block->firings);
      r.active.push_back(block->next);
    }
    for (Ring& channel : channels_) {
      r.counters.push_back(channel.counters(r.cycles));
      r.hashes.push_back(channel.hash());
      r.most.push_back(channel.most());
      r.trace.push_back(std::move(channel.trace()));
    }
    r.streams.resize(graph_.node_count());
    for (const auto& block : blocks_)
      if (auto* sink = dynamic_cast<SinkBlock*>(block.get()))
        r.streams[index(block->node)] = std::move(sink->taken);
    sim::hand_over(r, storages_);
    sim::report_outcome(r, graph_, events_, all_ended(), false, fill());
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
        return make_primitive<P>(id);
      });
    }
    made->node = id;
    for (const ChannelId c : graph_.inputs(id)) made->in.push_back(&channels_[index(c)]);
    for (const ChannelId c : graph_.outputs(id)) made->out.push_back(&channels_[index(c)]);
    return made;
  }

  template <class P, std::size_t kChoice = 0>
  std::unique_ptr<BlockBase> make_primitive(NodeId id) {
    constexpr auto choices = often<P>();
    if constexpr (kChoice < choices.size()) {
      if (choices[kChoice].fits(graph_.node(id).params))
        return make_block_of<P, choices[kChoice]>(id);
      return make_primitive<P, kChoice + 1>(id);
    } else {
      return make_block_of<P, Known{}>(id);
    }
  }

  template <class P, Known known>
  std::unique_ptr<BlockBase> make_block_of(NodeId id) {
    auto block = std::make_unique<Block<P, known>>();
    block->params = graph_.node(id).params;
    block->storage = sim::make_storage(graph_, id, input_.blocks[index(id)]);
    block->events = &events_;
    block->must_end = ends_stream(P::kSpec);
    storages_.back() = &block->storage;
    return block;
  }

  const SamGraph& graph_;
  const RunInput& input_;
  sim::Events events_;
  std::vector<Slot> slots_;
  std::deque<Ring> channels_;
  std::vector<std::unique_ptr<BlockBase>> blocks_;
  std::vector<sim::Storage*> storages_;
  std::vector<BlockBase*> order_;  // from sources to sinks
};

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
  Machine machine(graph, input, detail);
  const double seconds = seconds_of([&] { machine.run_ahead(); });
  RunResult result = machine.result();
  result.seconds = seconds;
  return result;
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
