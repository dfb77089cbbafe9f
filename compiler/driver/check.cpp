// One schedule in the chosen engines, compared with each other and with the reference.
#include <algorithm>
#include <optional>

#include "compiler/driver/compare.h"
#include "compiler/driver/pipeline.h"
#include "compiler/graph/passes.h"
#include "compiler/netlist/netlist.h"
#include "systemc/run_systemc.h"
#include "testbench/run_rtl.h"

namespace heddle {

const char* name(Engine engine) {
  switch (engine) {
    case Engine::kFunctional:
      return "functional";
    case Engine::kCycle:
      return "cycle";
    case Engine::kSystemc:
      return "systemc";
    case Engine::kRtl:
      return "rtl";
  }
  return "";
}

namespace {

EngineRun run_verilated(const CompiledRegion& region, const RunInput& input, Detail detail) {
  EngineRun run;
  run.engine = Engine::kRtl;
  const Netlist netlist = make_netlist(region.graph, input, module_name(region.region.name),
                                       "Region " + region.region.name);
  std::string problem;
  const auto model = build_rtl(netlist, {}, problem);
  if (!model) {
    run.not_built = true;
    run.result.outcome = Outcome::kFault;
    run.result.problem = "the RTL could not be built: " + problem;
    return run;
  }
  run.build_seconds = model->build_seconds;
  run.result = run_rtl(*model, netlist, {input}, {}, detail)[0];
  return run;
}

/// The input for an engine that steps cycles, when another one needed so many; 0: not known.
RunInput stepped_input(const CompiledRegion& region, std::uint64_t cycles) {
  RunInput input = region.input;
  input.max_cycles = cycles == 0 ? 0 : cycles + 20000;
  return input;
}

EngineRun run_engine(Engine engine, const CompiledRegion& region, const RunResult& untimed,
                     std::uint64_t cycles, Detail detail) {
  switch (engine) {
    case Engine::kFunctional:
      return {engine, untimed};
    case Engine::kCycle:
      return {engine, region.timed && detail != Detail::kTrace
                          ? *region.timed
                          : run_cycle(region.graph, region.input, detail)};
    case Engine::kSystemc:
      return {engine, run_systemc(region.graph, stepped_input(region, cycles), detail)};
    case Engine::kRtl:
      break;
  }
  return run_verilated(region, stepped_input(region, cycles), detail);
}

/// Runs the engines. When the cycles are known, SystemC goes on beside those that come after it.
void run_engines(const RunOptions& options, const CompiledRegion& region, const RunResult& untimed,
                 RegionReport& r) {
  std::optional<SystemcRun> systemc;
  std::size_t systemc_at = 0;
  for (const Engine engine : options.engines) {
    if (options.progress) options.progress(fmt::format("{}: {}", r.name, name(engine)));
    if (engine == Engine::kSystemc && r.cycles != 0 && !systemc) {
      systemc.emplace(region.graph, stepped_input(region, r.cycles), Detail::kTotals);
      systemc_at = r.runs.size();
      r.runs.push_back({engine, {}});
      continue;
    }
    r.runs.push_back(run_engine(engine, region, untimed, r.cycles, Detail::kTotals));
    if (engine != Engine::kFunctional && r.cycles == 0) r.cycles = r.runs.back().result.cycles;
  }
  if (systemc) r.runs[systemc_at].result = systemc->result();
}

/// Compares one timed engine with the first one.
void compare_timed(const CompiledRegion& region, const RunResult& untimed, const EngineRun& first,
                   const EngineRun& run, RegionReport& r) {
  if (run.result.outcome != first.result.outcome) {
    r.cycles_equal = false;
    r.difference =
        fmt::format("{} ends differently from {}: {}", name(run.engine), name(first.engine),
                    run.result.problem.empty() ? first.result.problem : run.result.problem);
    return;
  }
  if (run.result.outcome != Outcome::kFinished) return;
  if (const std::string d = compare_memories(region.graph, untimed, run.result); !d.empty()) {
    r.values_equal = false;
    if (r.difference.empty()) r.difference = fmt::format("{}: {}", name(run.engine), d);
  }
  if (same_timing(first.result, run.result)) return;
  r.cycles_equal = false;
  if (!r.difference.empty()) return;
  const EngineRun a = run_engine(first.engine, region, untimed, r.cycles, Detail::kTrace);
  const EngineRun b = run_engine(run.engine, region, untimed, r.cycles, Detail::kTrace);
  r.difference =
      first_difference(region.graph, name(first.engine), a.result, name(run.engine), b.result);
}

/// The first timed engine, with which the others are compared; null if there is none.
const EngineRun* first_timed(const RegionReport& r) {
  for (const EngineRun& run : r.runs)
    if (run.timed()) return &run;
  return nullptr;
}

std::uint64_t count_flops(const SamGraph& graph, const RunResult& run) {
  // One operation for each element that an arithmetic block takes.
  std::uint64_t flops = 0;
  for (const NodeId id : graph.nodes()) {
    const Node& node = graph.node(id);
    if (node.external()) continue;
    if (node.is<Alu>() || node.is<Function>() || node.is<Reduce>() || node.is<Accumulate>())
      flops += run.counters[index(graph.inputs(id)[node.is<Accumulate>() ? 1 : 0])].tokens;
  }
  return flops;
}

/// What a run tells of a region.
void describe_run(const CompiledRegion& region, const RunResult& run, RegionReport& r) {
  r.flops = count_flops(region.graph, run);
  if (const auto busiest = busiest_block(region.graph, run)) {
    r.busiest = region.graph.node(*busiest).name;
    r.busiest_firings = run.firings[index(*busiest)];
  }
  r.limit = find_limit(region.graph, run, region.unbounded_cycles == r.cycles);
  for (const ChannelId c : region.graph.channels())
    if (run.counters.size() > index(c))
      r.counters.emplace_back(region.graph.channel(c).name, run.counters[index(c)]);
}

RegionReport check_region(const Model& model, const RunOptions& options,
                          const CompiledRegion& region, const RunResult& untimed) {
  RegionReport r;
  r.name = region.region.name;
  for (const std::size_t s : region.region.statements)
    r.statements.push_back(model.program.tensor(model.program.statements[s].target.tensor).name);
  r.remarks = region.einsum.remarks;
  r.deep = region.deep;
  r.unbounded_cycles = region.unbounded_cycles;
  r.blocks = region.graph.node_count() - 1;
  r.channels = region.graph.channel_count();
  r.area = estimate_area(region.graph, memory_sizes(region.graph, region.input));
  r.words_read = untimed.words_read;
  r.words_written = untimed.words_written;
  run_engines(options, region, untimed, r);
  const EngineRun* first = first_timed(r);
  for (const EngineRun& run : r.runs)
    if (run.timed()) compare_timed(region, untimed, *first, run, r);
  describe_run(region, first != nullptr ? first->result : untimed, r);
  return r;
}

/// Adds a region to the report of its schedule; whether the next one can run.
bool add_region(RegionReport region, ScheduleReport& report) {
  report.cycles += region.cycles;
  report.flops += region.flops;
  report.words_read += region.words_read;
  report.words_written += region.words_written;
  report.regions.push_back(std::move(region));
  const RegionReport& r = report.regions.back();
  for (const EngineRun& run : r.runs) {
    if (!run.not_built) continue;
    report.state = ScheduleState::kDisagree;
    report.problem = run.result.problem;
    return false;
  }
  const EngineRun* first = first_timed(r);
  if (first != nullptr && first->result.outcome != Outcome::kFinished) {
    const bool deadlock = first->result.outcome == Outcome::kDeadlock;
    report.state = deadlock && r.cycles_equal ? ScheduleState::kDeadlock : ScheduleState::kDisagree;
    report.problem = fmt::format("region '{}' {}: {}", r.name,
                                 deadlock ? "is deadlocked" : "failed", first->result.problem);
    return false;
  }
  if (!r.cycles_equal || !r.values_equal) report.state = ScheduleState::kDisagree;
  return true;
}

/// Whether the reference says which entries a result has, zeros or not: that of a single statement
/// whose mask, if it has one, lacks no index.
bool knows_entries(const EinsumProgram& program) {
  return program.statements.size() == 1 && !lacking_in_mask(program.statements[0]);
}

}  // namespace

ScheduleReport run_schedule(const Model& model, const Schedule& schedule, const RunOptions& options,
                            const std::map<TensorId, ReferenceTensor>* reference,
                            std::map<TensorId, Tensor>& outputs, Diagnostics& diag) {
  ScheduleReport report;
  report.name = schedule.name;
  std::map<TensorId, Tensor> tensors;
  const auto visit = [&](CompiledRegion& region, const RunResult& untimed) {
    return add_region(check_region(model, options, region, untimed), report);
  };
  std::string problem;
  if (!compile_schedule(model, schedule, options, visit, tensors, diag, problem)) {
    if (report.state == ScheduleState::kOk) {
      report.state = diag.has_errors() ? ScheduleState::kBadInput : ScheduleState::kDisagree;
      report.problem = problem;
    }
    return report;
  }
  for (const TensorId id : model.program.outputs) {
    outputs[id] = tensors.at(id);
    if (reference == nullptr) continue;
    report.outputs.push_back(compare_output(model.program.tensor(id).name, tensors.at(id),
                                            reference->at(id), knows_entries(model.program)));
    if (!report.outputs.back().within_bound) report.state = ScheduleState::kDisagree;
  }
  return report;
}

}  // namespace heddle
