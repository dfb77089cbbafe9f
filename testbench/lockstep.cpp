#include "testbench/lockstep.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "compiler/graph/passes.h"
#include "systemc/run_systemc.h"

namespace heddle {
namespace {

constexpr std::uint64_t kMaxCycles = 20'000;  // far more than a trial takes

std::string params_text(PrimitiveId row, const Params& params) {
  const PrimitiveSpec& spec = spec_of(row);
  std::string text;
  for (std::size_t i = 0; i < spec.params.size(); ++i) {
    const int value = params[static_cast<int>(i)];
    const ParamSpec& p = spec.params[i];
    text += fmt::format(" {}={}", p.name,
                        p.names.empty() ? std::to_string(value)
                                        : std::string(p.names[static_cast<std::size_t>(value)]));
  }
  return text;
}

std::string trial_text(const Trial& trial) {
  return fmt::format("seed {}, {}", trial.seed, to_text(trial.traffic));
}

std::string event_text(const TraceEvent& e) {
  return fmt::format("{} pushed in cycle {}, taken in {}", to_text(e.token), e.pushed, e.popped);
}

std::string words_text(const std::vector<std::uint32_t>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

/// What differs, and when.
struct Difference {
  std::uint64_t cycle = std::numeric_limits<std::uint64_t>::max();
  std::string text;
  void offer(std::uint64_t at, std::string what) {
    if (!text.empty() && at >= cycle) return;
    cycle = at;
    text = std::move(what);
  }
};

}  // namespace

std::string_view to_text(Traffic traffic) {
  switch (traffic) {
    case Traffic::kSteady:
      return "no pauses";
    case Traffic::kGaps:
      return "gaps in the input";
    case Traffic::kBackPressure:
      return "back-pressure";
    case Traffic::kBoth:
      return "gaps and back-pressure";
  }
  return "";
}

std::vector<Trial> make_trials(std::uint64_t first, int count) {
  std::vector<Trial> trials;
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(count); ++seed)
    for (const Traffic traffic : kAllTraffic) trials.push_back({seed, traffic});
  return trials;
}

void Bench::add(PrimitiveId row, const Params& params, int depth) {
  const PrimitiveSpec& spec = spec_of(row);
  const StimulusRow* stimulus = find_stimulus(row);
  Island island{row, params, depth, {}, {}, {}};
  const std::string name = fmt::format("{}_{}", spec.name, islands_.size());
  island.node = graph_.add(name, row, params);
  const auto connect = [&](NodeId from, int out, NodeId to, int in) {
    island.channels.push_back(graph_.connect(from, out, to, in, ""));
  };
  for (int p = 0; p < port_count(spec, params, Dir::kIn); ++p) {
    const NodeId end = graph_.add_external(fmt::format("{}_in_{}", name, p));
    island.sources.push_back(end);
    if (stimulus == nullptr || stimulus->answers != port_at(spec, params, Dir::kIn, p).spec->name) {
      connect(end, 0, island.node, p);
      continue;
    }
    // An end that sees the answers too, so that the run is not over before they are.
    const NodeId fork = graph_.add<Fork>(fmt::format("{}_fork_{}", name, p));
    connect(end, 0, fork, 0);
    connect(fork, 0, island.node, p);
    connect(fork, 1, graph_.add_external(fmt::format("{}_seen_{}", name, p)), 0);
  }
  for (int p = 0; p < port_count(spec, params, Dir::kOut); ++p)
    connect(island.node, p, graph_.add_external(fmt::format("{}_out_{}", name, p)), 0);
  islands_.push_back(std::move(island));
  name_channels(graph_);
  balance_depths(graph_);
  for (const Island& i : islands_)
    for (const ChannelId c : i.channels)
      if (i.depth != 0) graph_.channel(c).depth = i.depth;
}

void Bench::add_all(PrimitiveId row, int depth) {
  const StimulusRow* stimulus = find_stimulus(row);
  if (stimulus == nullptr) return;
  for (const Params& params : stimulus->params) add(row, params, depth);
}

void Bench::add_all(int depth) {
  // Operations are all tried with channels as the compiler makes them, and shared out among the
  // other depths.
  constexpr std::size_t kFew = 5;
  for (int i = 0; i < kPrimitiveCount; ++i) {
    const auto row = static_cast<PrimitiveId>(i);
    const StimulusRow* stimulus = find_stimulus(row);
    if (stimulus == nullptr) continue;
    for (std::size_t p = 0; p < stimulus->params.size(); ++p)
      if (depth == 0 || stimulus->params.size() <= kFew ||
          p % 3 == static_cast<std::size_t>(depth) % 3)
        add(row, stimulus->params[p], depth);
  }
}

Netlist Bench::netlist() const {
  RunInput sizes;
  sizes.blocks.resize(graph_.node_count());
  for (const Island& island : islands_) {
    const std::size_t memories = spec_of(island.row).memories.size();
    RunInput::Block& block = sizes.blocks[index(island.node)];
    block.memories.assign(memories, std::vector<std::uint32_t>(kLoadedWords));
    block.capacity.assign(memories, kWrittenWords);
  }
  return make_netlist(graph_, sizes, "heddle_bench", "Blocks alone");
}

RunInput Bench::input(const Trial& trial) const {
  RunInput input;
  input.blocks.resize(graph_.node_count());
  input.streams.resize(graph_.node_count());
  input.max_cycles = kMaxCycles;
  const bool gaps = trial.traffic == Traffic::kGaps || trial.traffic == Traffic::kBoth;
  const bool pressure = trial.traffic == Traffic::kBackPressure || trial.traffic == Traffic::kBoth;
  // From rare pauses to rare transfers.
  const auto percent = [&](std::uint64_t of) { return static_cast<int>(30 + of % 4 * 20); };
  input.offer = {trial.seed, gaps ? percent(trial.seed) : 100};
  input.take = {trial.seed + 1, pressure ? percent(trial.seed + 1) : 100};
  for (const Island& island : islands_) {
    Stimulus s = make_stimulus(island.row, island.params, trial.seed);
    const PrimitiveSpec& spec = spec_of(island.row);
    RunInput::Block& block = input.blocks[index(island.node)];
    block.registers = std::move(s.registers);
    block.registers.resize(spec.registers.size());
    block.memories = std::move(s.memories);
    block.memories.resize(spec.memories.size());
    block.capacity.assign(spec.memories.size(), kWrittenWords);
    for (std::size_t p = 0; p < island.sources.size(); ++p)
      input.streams[index(island.sources[p])] = std::move(s.streams[p]);
  }
  return input;
}

std::string Bench::describe(const Island& island) const {
  return fmt::format("{}{}, depth {}", spec_of(island.row).name,
                     params_text(island.row, island.params),
                     graph_.channel(graph_.inputs(island.node)[0]).depth);
}

std::string find_difference(const Bench& bench, const Trial& trial, std::string_view name_a,
                            const RunResult& a, std::string_view name_b, const RunResult& b) {
  const SamGraph& graph = bench.graph();
  Difference first;
  const auto both = [&](const std::string& x, const std::string& y) {
    return fmt::format("\n  {}: {}\n  {}: {}", name_a, x, name_b, y);
  };
  for (const Island& island : bench.islands()) {
    const std::string where = fmt::format("{}, {}", bench.describe(island), trial_text(trial));
    for (const ChannelId id : island.channels) {
      const std::size_t c = index(id);
      if (c >= a.counters.size() || c >= b.counters.size()) continue;
      const auto& ta = a.trace[c];
      const auto& tb = b.trace[c];
      const std::size_t at = static_cast<std::size_t>(
          std::mismatch(ta.begin(), ta.end(), tb.begin(), tb.end()).first - ta.begin());
      const bool traced = ta.size() == a.counters[c].tokens && tb.size() == b.counters[c].tokens;
      if (traced && (at < ta.size() || at < tb.size())) {
        std::uint64_t cycle = std::numeric_limits<std::uint64_t>::max();
        const bool same_push = at < ta.size() && at < tb.size() && ta[at].pushed == tb[at].pushed &&
                               ta[at].token == tb[at].token;
        for (const auto* t : {&ta, &tb})
          if (at < t->size())
            cycle = std::min(cycle, same_push ? (*t)[at].popped : (*t)[at].pushed);
        first.offer(cycle,
                    fmt::format("{}: channel {}, token {}{}", where, graph.channel(id).name, at,
                                both(at < ta.size() ? event_text(ta[at]) : "nothing",
                                     at < tb.size() ? event_text(tb[at]) : "nothing")));
      } else if (!(a.counters[c] == b.counters[c]) || a.hashes[c] != b.hashes[c]) {
        const auto text = [](const ChannelCounters& n, std::uint64_t hash) {
          return fmt::format("tokens {}, busy {}, stalled {}, starved {}, hash {:016x}", n.tokens,
                             n.busy, n.stalled, n.starved, hash);
        };
        first.offer(
            std::numeric_limits<std::uint64_t>::max(),
            fmt::format("{}: counters of channel {}{}", where, graph.channel(id).name,
                        both(text(a.counters[c], a.hashes[c]), text(b.counters[c], b.hashes[c]))));
      }
    }
    const std::size_t n = index(island.node);
    const PrimitiveSpec& spec = spec_of(island.row);
    if (n >= a.statuses.size() || n >= b.statuses.size()) continue;
    if (a.statuses[n] != b.statuses[n])
      first.offer(std::numeric_limits<std::uint64_t>::max(),
                  fmt::format("{}: statuses{}", where,
                              both(words_text(a.statuses[n]), words_text(b.statuses[n]))));
    for (std::size_t m = 0; m < spec.memories.size(); ++m)
      if (spec.memories[m].use == MemorySpec::Use::kWrite && a.memories[n][m] != b.memories[n][m])
        first.offer(std::numeric_limits<std::uint64_t>::max(),
                    fmt::format("{}: memory {}{}", where, spec.memories[m].name,
                                both(words_text(a.memories[n][m]), words_text(b.memories[n][m]))));
  }
  if (a.outcome != b.outcome || a.fault != b.fault)
    first.offer(std::numeric_limits<std::uint64_t>::max(),
                fmt::format("{}: outcomes{}", trial_text(trial),
                            both(a.problem.empty() ? "finished" : a.problem,
                                 b.problem.empty() ? "finished" : b.problem)));
  if (a.cycles != b.cycles)
    first.offer(std::numeric_limits<std::uint64_t>::max(),
                fmt::format("{}: cycles{}", trial_text(trial),
                            both(std::to_string(a.cycles), std::to_string(b.cycles))));
  return first.text;
}

namespace {

/// The oracle's run; a run that does not finish is a difference of its own.
std::string run_oracle(const Bench& bench, const Trial& trial, const RunInput& input,
                       RunResult& result) {
  result = run_stepped(bench.graph(), input, Detail::kTrace);
  if (result.outcome == Outcome::kFinished) return {};
  return fmt::format("{}: {}", trial_text(trial), result.problem);
}

}  // namespace

std::string compare_engines(const Bench& bench, const std::vector<Trial>& trials, bool systemc) {
  for (const Trial& trial : trials) {
    const RunInput input = bench.input(trial);
    RunResult oracle;
    if (std::string d = run_oracle(bench, trial, input, oracle); !d.empty()) return d;
    const auto compare = [&](std::string_view name, const RunResult& other) {
      std::string d = find_difference(bench, trial, "stepped", oracle, name, other);
      if (d.empty() && oracle.firings != other.firings)
        d = trial_text(trial) + ": numbers of firings";
      if (d.empty() &&
          (oracle.words_read != other.words_read || oracle.words_written != other.words_written))
        d = trial_text(trial) + ": words read or written";
      return d;
    };
    if (std::string d = compare("cycle", run_cycle(bench.graph(), input, Detail::kTrace));
        !d.empty())
      return d;
    if (!systemc) continue;
    if (std::string d = compare("SystemC", run_systemc(bench.graph(), input, Detail::kTrace));
        !d.empty())
      return d;
  }
  return {};
}

std::string compare_rtl(const Bench& bench, const std::vector<Trial>& trials,
                        const RtlOptions& options) {
  const Netlist netlist = bench.netlist();
  std::string problem;
  const std::optional<RtlModel> model = build_rtl(netlist, options, problem);
  if (!model) return problem;
  std::vector<RunInput> inputs;
  for (const Trial& trial : trials) inputs.push_back(bench.input(trial));
  std::vector<RunResult> results = run_rtl(*model, netlist, inputs, options, Detail::kTrace);
  const auto died = [](const RunResult& r) { return r.counters.empty(); };
  // A model that loses count of its tokens may not survive their tracing; totals tell as much, but
  // not where.
  if (std::any_of(results.begin(), results.end(), died))
    results = run_rtl(*model, netlist, inputs, options, Detail::kTotals);
  for (std::size_t t = 0; t < trials.size(); ++t) {
    RunResult oracle;
    if (std::string d = run_oracle(bench, trials[t], inputs[t], oracle); !d.empty()) return d;
    if (std::string d = find_difference(bench, trials[t], "stepped", oracle, "RTL", results[t]);
        !d.empty())
      return d;
  }
  return {};
}

void add_firings(const Bench& bench, const RunResult& result, Firings& firings) {
  const SamGraph& graph = bench.graph();
  const auto kind_of = [](Token t) {
    return t.is_val() ? 'v' : t.is_empty() ? 'N' : t.is_done() ? 'D' : t.is_stop(0) ? 'S' : 'T';
  };
  for (const Island& island : bench.islands()) {
    const PrimitiveSpec& spec = spec_of(island.row);
    // Kinds that move at each port of the row, by cycle.
    std::map<std::uint64_t, std::vector<std::set<char>>> cycles;
    const auto note = [&](std::uint64_t cycle, Dir dir, int port, Token token) {
      auto& moves = cycles[cycle];
      moves.resize(spec.ports.size());
      const PortSpec* row = port_at(spec, island.params, dir, port).spec;
      moves[static_cast<std::size_t>(row - spec.ports.data())].insert(kind_of(token));
    };
    for (const ChannelId c : graph.inputs(island.node))
      for (const TraceEvent& e : result.trace[index(c)])
        note(e.popped, Dir::kIn, graph.channel(c).to_port, e.token);
    for (const ChannelId c : graph.outputs(island.node))
      for (const TraceEvent& e : result.trace[index(c)])
        note(e.pushed, Dir::kOut, graph.channel(c).from_port, e.token);
    auto& seen = firings[std::string(spec.name)];
    for (const auto& [cycle, moves] : cycles) {
      std::string in, out;
      for (std::size_t p = 0; p < moves.size(); ++p) {
        if (moves[p].empty()) continue;
        std::string& side = spec.ports[p].dir == Dir::kIn ? in : out;
        side += fmt::format("{}{}:{}", side.empty() ? "" : " ", spec.ports[p].name,
                            std::string(moves[p].begin(), moves[p].end()));
      }
      seen.insert(in + " > " + out);
    }
  }
}

}  // namespace heddle
