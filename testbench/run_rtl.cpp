#include "testbench/run_rtl.h"

#include <unistd.h>

#include <cstdlib>

#include "testbench/command.h"
#include "testbench/design/exchange.h"

namespace heddle {
namespace fs = std::filesystem;
namespace {

exchange::Run to_exchange(const Netlist& n, const RunInput& input, Detail detail) {
  exchange::Run run;
  for (std::size_t t = 0; t < n.loads.size(); ++t) {
    const LoadTarget& l = n.loads[t];
    const RunInput::Block& block = input.blocks[index(l.node)];
    const auto number = static_cast<std::size_t>(l.number);
    exchange::Load load;
    load.target = t;
    // What the host does not give is 0 or empty, as in the other engines.
    if (!l.is_memory)
      load.words.push_back(number < block.registers.size() ? block.registers[number] : 0);
    else if (number < block.memories.size())
      load.words.assign(block.memories[number].begin(), block.memories[number].end());
    run.loads.push_back(std::move(load));
  }
  for (const NodeId id : n.graph.nodes()) {
    if (!n.graph.node(id).external() || n.graph.outputs(id).empty()) continue;
    std::vector<std::uint64_t> tokens;
    for (const Token t : input.streams[index(id)])
      tokens.push_back(std::uint64_t{static_cast<std::uint32_t>(t.kind)} << 32 | t.bits);
    run.streams.push_back({index(id), std::move(tokens)});
  }
  run.offer_seed = input.offer.seed;
  run.offer_percent = static_cast<std::uint64_t>(input.offer.percent);
  run.take_seed = input.take.seed;
  run.take_percent = static_cast<std::uint64_t>(input.take.percent);
  run.max_cycles = input.max_cycles;
  run.trace = detail == Detail::kTrace;
  for (std::size_t t = 0; t < n.reads.size(); ++t)
    if (!n.reads[t].is_memory) run.statuses.push_back(t);
  for (std::size_t t = 0; t < n.reads.size(); ++t) {
    const ReadTarget& r = n.reads[t];
    if (!r.is_memory) continue;
    const PrimitiveSpec& spec = spec_of(*n.graph.node(r.node).primitive);
    const MemorySpec& memory = spec.memories[static_cast<std::size_t>(r.number)];
    std::uint64_t count_target = 0;
    for (std::size_t s = 0; s < n.reads.size(); ++s)
      if (n.reads[s].node == r.node && !n.reads[s].is_memory &&
          n.reads[s].number == memory.counted_by)
        count_target = s;
    run.memories.push_back({t, count_target, static_cast<std::uint64_t>(memory.and_more)});
  }
  return run;
}

Token token_of(std::uint64_t word) {
  return {static_cast<Kind>(static_cast<std::uint32_t>(word >> 32)),
          static_cast<std::uint32_t>(word)};
}

RunResult from_exchange(const Netlist& n, const exchange::Result& e) {
  RunResult r;
  r.cycles = e.cycles;
  r.seconds = static_cast<double>(e.nanoseconds) * 1e-9;
  std::vector<std::uint32_t> fill;
  for (const exchange::Result::Channel& c : e.channels) {
    ChannelCounters counters;
    counters.tokens = c.pops;
    counters.busy = c.busy;
    counters.stalled = c.busy - c.pops;
    r.counters.push_back(counters);
    r.hashes.push_back(c.hash);
    fill.push_back(static_cast<std::uint32_t>(c.pushes - c.pops));
    std::vector<TraceEvent> trace;
    for (std::size_t i = 0; i + 2 < c.trace.size(); i += 3)
      trace.push_back({c.trace[i], c.trace[i + 1], token_of(c.trace[i + 2])});
    r.trace.push_back(std::move(trace));
  }
  r.streams.resize(n.graph.node_count());
  for (const auto& [end, tokens] : e.taken)
    for (const std::uint64_t t : tokens) r.streams[end].push_back(token_of(t));
  r.memories.resize(n.graph.node_count());
  r.statuses.resize(n.graph.node_count());
  for (const NodeId id : n.graph.nodes()) {
    if (n.graph.node(id).external()) continue;
    const PrimitiveSpec& spec = spec_of(*n.graph.node(id).primitive);
    r.memories[index(id)].resize(spec.memories.size());
    r.statuses[index(id)].resize(spec.statuses.size());
  }
  std::size_t memory = 0, status = 0;
  for (const ReadTarget& read : n.reads) {
    const auto number = static_cast<std::size_t>(read.number);
    if (read.is_memory && memory < e.memories.size()) {
      const auto& words = e.memories[memory++];
      for (const std::uint64_t w : words)
        r.memories[index(read.node)][number].push_back(static_cast<std::uint32_t>(w));
    } else if (!read.is_memory && status < e.statuses.size()) {
      r.statuses[index(read.node)][number] = static_cast<std::uint32_t>(e.statuses[status++]);
    }
  }
  if (e.error != 0) {
    r.outcome = Outcome::kFault;
    r.fault = Fault::kOverflow;
    r.problem = std::string(to_text(Fault::kOverflow));
  } else if (e.end == exchange::End::kStopped) {
    r.outcome = Outcome::kDeadlock;
    r.problem = explain_deadlock(n.graph, fill);
  } else if (e.end == exchange::End::kLimit) {
    r.outcome = Outcome::kTimeout;
    r.problem = "the run did not end within its limit of cycles";
  }
  for (ChannelCounters& c : r.counters) c.starved = r.cycles - c.busy;
  return r;
}

}  // namespace

std::vector<RunResult> run_rtl(const RtlModel& model, const Netlist& netlist,
                               const std::vector<RunInput>& inputs, const RtlOptions& options,
                               Detail detail) {
  std::string pattern = (fs::temp_directory_path() / "heddle-rtl-XXXXXX").string();
  HEDDLE_CHECK(mkdtemp(pattern.data()) != nullptr, "cannot make a temporary folder");
  const fs::path folder = pattern;
  exchange::Words in, out;
  in.put(inputs.size());
  for (const RunInput& input : inputs) exchange::put(in, to_exchange(netlist, input, detail));
  in.save((folder / "input").string());
  const int status = run_command(
      {{model.program.string(), (folder / "input").string(), (folder / "output").string()},
       {},
       folder / "log",
       options.x_seed});
  std::vector<RunResult> results;
  if (status == 0 && out.load((folder / "output").string())) {
    const std::uint64_t n = out.get();
    for (std::uint64_t i = 0; i < n && !out.bad; ++i)
      results.push_back(from_exchange(netlist, exchange::get_result(out)));
  }
  std::string said = read_log(folder / "log").substr(0, 2000);
  while (results.size() < inputs.size()) {
    RunResult failed;
    failed.outcome = Outcome::kFault;
    failed.problem = fmt::format("the RTL model ended with status {}: {}", status, said);
    results.push_back(std::move(failed));
  }
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return results;
}

}  // namespace heddle
