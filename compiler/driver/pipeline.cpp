#include "compiler/driver/pipeline.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

#include "compiler/driver/compare.h"
#include "compiler/driver/depths.h"
#include "compiler/graph/passes.h"
#include "compiler/netlist/netlist.h"
#include "compiler/tensor/tiles.h"
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

std::optional<Model> load_model(const std::string& path, const DataOptions& options,
                                Diagnostics& diag) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    Place place;
    place.file = path;
    diag.error("model-open", place, "this model cannot be read");
    return std::nullopt;
  }
  std::stringstream text;
  text << file.rdbuf();
  auto program = parse_model(diag.sources().add(path, text.str()), diag);
  if (!program) return std::nullopt;
  auto inputs = bind_data(*program, options, diag);
  if (!inputs) return std::nullopt;
  return Model{std::move(*program), std::move(*inputs)};
}

namespace {

/// Tensors that statements read, stored as declared (dense if not).
std::map<TensorId, Tensor> pack_inputs(const Model& model) {
  std::map<TensorId, Tensor> tensors;
  for (const auto& [id, list] : model.inputs) {
    const TensorDecl& decl = model.program.tensor(id);
    TensorFormat format = decl.format.value_or(TensorFormat::dense(list.rank()));
    tensors[id] = pack(list, decl.type, format);
  }
  return tensors;
}

/// The arrays of a view. If it is cut into tiles, the tensor is that of its tiles.
struct ViewData {
  Tensor tensor;
  std::optional<Tiles> tiles;
};

/// What a memory of a view holds.
std::vector<std::uint32_t> array_of(const ViewData& data, const MemorySource& source) {
  const auto level = static_cast<std::size_t>(source.level);
  const Tensor& tensor = data.tensor;
  switch (source.array) {
    case MemorySource::Array::kSeg:
      return tensor.levels[level].seg;
    case MemorySource::Array::kCrd:
      return tensor.levels[level].crd;
    case MemorySource::Array::kVals:
      return data.tiles ? data.tiles->vals[level] : tensor.vals;
    case MemorySource::Array::kBits:
      return data.tiles->bits[level];
  }
  return {};
}

ViewData data_of(const View& view, const FusedEinsum& einsum,
                 const std::map<TensorId, Tensor>& tensors) {
  if (view.identity || view.kept >= 0) return {};
  if (view.whole_tiles) {  // all but the last
    ViewData data;
    data.tensor.vals.assign(einsum.at(view.indices[0]).extent, 1);
    data.tensor.vals.back() = 0;
    return data;
  }
  const Tensor& own = tensors.at(view.tensor);
  if (!view.tiles.empty()) {
    ViewData data;
    data.tiles = cut(own, view.tiles, view.format, data.tensor);
    return data;
  }
  // Every stored position counts, zeros too: what is stored is the pattern.
  return {view.format == own.format ? own : pack(unpack(own), own.type, view.format), {}};
}

RunInput bind_run(const SamGraph& graph, const FusedEinsum& einsum, const FusionTable& table,
                  const std::map<TensorId, Tensor>& tensors) {
  std::vector<ViewData> views;
  for (const View& view : table.views) views.push_back(data_of(view, einsum, tensors));
  RunInput input;
  input.blocks.resize(graph.node_count());
  input.streams.resize(graph.node_count());
  for (const NodeId id : graph.nodes()) {
    const Node& node = graph.node(id);
    if (node.external()) {
      input.streams[index(id)] = {val(0), done()};
      continue;
    }
    RunInput::Block& block = input.blocks[index(id)];
    for (const RegisterSource& r : node.registers)
      block.registers.push_back(r.kind == RegisterSource::Kind::kIndexSize
                                    ? einsum.at(static_cast<IndexId>(r.value)).extent
                                    : r.value);
    for (const MemorySource& m : node.memories) {
      block.capacity.push_back(0xffffffffu);
      block.memories.emplace_back();
      if (m.kind == MemorySource::Kind::kInput) block.memories.back() = array_of(views[m.view], m);
    }
  }
  return input;
}

/// Output memories get the room that this data needs.
void set_capacities(CompiledRegion& region, const RunResult& run) {
  for (const NodeId id : region.graph.nodes()) {
    const Node& node = region.graph.node(id);
    for (std::size_t m = 0; m < node.memories.size(); ++m) {
      if (spec_of(*node.primitive).memories[m].use != MemorySpec::Use::kWrite) continue;
      std::uint32_t size = 16;
      while (size < run.memories[index(id)][m].size()) size *= 2;
      region.input.blocks[index(id)].capacity[m] = size;
    }
  }
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

}  // namespace

std::vector<TensorStatistics> statistics_of(const Model& model,
                                            const std::map<TensorId, Tensor>& tensors) {
  std::vector<TensorStatistics> statistics(model.program.tensors.size());
  for (const auto& [id, tensor] : tensors)
    statistics[static_cast<std::size_t>(id)] = {tensor.format, tensor.vals.size()};
  return statistics;
}

namespace {

/// Which tensors the host cuts into tiles and puts together again.
void add_tile_remarks(const FusionTable& table, const EinsumProgram& program,
                      std::vector<std::string>& remarks) {
  const auto add = [&](const std::string& tensor, const std::vector<int>& tiles, const char* what) {
    if (!tiles.empty())
      remarks.push_back(
          fmt::format("'{}' is {} tiles of {}", tensor, what, fmt::join(tiles, " x ")));
  };
  for (const View& view : table.views)
    if (view.kept < 0) add(view.name, view.tiles, "read from a copy in");
  for (const FusionTable::Result& result : table.results)
    if (result.in_memory)
      add(program.tensor(result.tensor).name, result.tiles, "put together from");
}

}  // namespace

namespace {

/// Whether the places of all tiles of a view are few enough to be stored.
bool tiles_fit(const View& view, const FusedEinsum& einsum, const Tensor& tensor,
               Diagnostics& diag) {
  constexpr std::uint64_t kMostWords = std::uint64_t{1} << 28;
  if (view.tiles.empty()) return true;
  std::vector<std::uint32_t> shape;
  for (const IndexId id : view.indices) shape.push_back(einsum.at(id).extent);
  const std::uint64_t most = std::min<std::uint64_t>(dense_size(shape), tensor.vals.size());
  if (most <= kMostWords / place_count(view.tiles)) return true;
  diag.error("schedule-block", view.range,
             fmt::format("{} entries may be in as many tiles of {} places, more than 2^28 in all",
                         tensor.vals.size(), place_count(view.tiles)));
  diag.note("make the tiles smaller, or block fewer of these indices");
  return false;
}

}  // namespace

std::optional<CompiledRegion> compile_region(const Model& model, const Region& region,
                                             const std::map<TensorId, Tensor>& tensors,
                                             const RunOptions& options, Diagnostics& diag) {
  CompiledRegion compiled;
  compiled.region = region;
  FusedEinsum& einsum = compiled.einsum;
  einsum = fuse_statements(model.program, region.statements, stored_by(model.program, region),
                           region.keep);
  if (!block_indices(einsum, region.blocks, diag)) return std::nullopt;
  if (!choose_order(einsum, region.order, region.order_ranges, statistics_of(model, tensors),
                    region.range, diag))
    return std::nullopt;
  for (const auto& [name, lanes] : region.parallel)
    for (std::size_t i = 0; i < einsum.indices.size(); ++i)
      if (einsum.indices[i].written == name) einsum.lanes[static_cast<IndexId>(i)] = lanes;
  for (const std::string& name : region.skip)
    for (std::size_t i = 0; i < einsum.indices.size(); ++i)
      if (einsum.indices[i].name == name) einsum.skip.push_back(static_cast<IndexId>(i));
  for (const View& view : einsum.views)
    if (view.of_tensor() && view.kept < 0 &&
        !tiles_fit(view, einsum, tensors.at(view.tensor), diag))
      return std::nullopt;
  combine_places(einsum);
  auto table = build_table(einsum, model.program, diag);
  if (!table) return std::nullopt;
  compiled.table = std::move(*table);
  einsum.remarks.insert(einsum.remarks.end(), compiled.table.remarks.begin(),
                        compiled.table.remarks.end());
  add_tile_remarks(compiled.table, model.program, einsum.remarks);
  for (const FusionTable::Result& result : compiled.table.results)
    if (result.in_memory && result.written != result.stored && result.tiles.empty())
      einsum.remarks.push_back(
          fmt::format("'{}' is computed as {} and stored as {}: a permuted copy is made",
                      model.program.tensor(result.tensor).name, to_text(result.written),
                      to_text(result.stored)));
  compiled.graph = lower(compiled.table);
  verify(compiled.graph, Form::kDataflow);
  insert_forks(compiled.graph);
  name_channels(compiled.graph);
  if (options.depth) {
    compiled.region.depth = *options.depth;
    compiled.region.depth_of.clear();
  }
  give_depths(compiled);
  verify(compiled.graph, Form::kElastic);
  compiled.input = bind_run(compiled.graph, einsum, compiled.table, tensors);
  return compiled;
}

std::optional<RunResult> run_untimed(CompiledRegion& compiled, std::string& problem) {
  RunResult untimed = run_functional(compiled.graph, compiled.input);
  if (untimed.outcome != Outcome::kFinished) {
    problem = fmt::format("region '{}': {}", compiled.region.name, untimed.problem);
    return std::nullopt;
  }
  set_capacities(compiled, untimed);
  return untimed;
}

bool compile_schedule(const Model& model, const Schedule& schedule, const RunOptions& options,
                      const std::function<bool(CompiledRegion&, const RunResult&)>& visit,
                      std::map<TensorId, Tensor>& tensors, Diagnostics& diag,
                      std::string& problem) {
  const auto regions = plan_regions(model.program, schedule, diag);
  if (!regions) return false;
  tensors = pack_inputs(model);
  for (const Region& region : *regions) {
    auto compiled = compile_region(model, region, tensors, options, diag);
    if (!compiled) return false;
    if (options.inspect && !visit(*compiled, {})) return false;
    if (options.inspect && &region == &regions->back()) return true;  // nobody needs its results
    const auto untimed = run_untimed(*compiled, problem);
    if (!untimed) return false;
    size_depths(*compiled);
    for (std::size_t r = 0; r < compiled->table.results.size(); ++r)
      if (compiled->table.results[r].in_memory)
        tensors[compiled->table.results[r].tensor] = collect_result(*compiled, *untimed, r);
    if (!options.inspect && !visit(*compiled, *untimed)) return false;
  }
  return true;
}

namespace {

struct Failure {
  ScheduleState state = ScheduleState::kOk;
  std::string problem;
};

/// Runs one engine.
EngineRun run_engine(Engine engine, const CompiledRegion& region, const RunResult& untimed,
                     std::uint64_t expected, Detail detail, Failure& failure) {
  EngineRun run;
  run.engine = engine;
  switch (engine) {
    case Engine::kFunctional:
      run.result = untimed;
      break;
    case Engine::kCycle:
      run.result = region.timed && detail != Detail::kTrace
                       ? *region.timed
                       : run_cycle(region.graph, region.input, detail);
      break;
    case Engine::kSystemc: {
      RunInput input = region.input;
      input.max_cycles = expected == 0 ? 0 : expected + 20000;
      run.result = run_systemc(region.graph, input, detail);
      break;
    }
    case Engine::kRtl: {
      RunInput input = region.input;
      input.max_cycles = expected == 0 ? 0 : expected + 20000;
      const Netlist netlist = make_netlist(region.graph, input, module_name(region.region.name),
                                           "Region " + region.region.name);
      std::string problem;
      const auto model = build_rtl(netlist, {}, problem);
      if (!model) {
        failure = {ScheduleState::kDisagree, "the RTL could not be built: " + problem};
        run.result.outcome = Outcome::kFault;
        run.result.problem = failure.problem;
        return run;
      }
      run.build_seconds = model->build_seconds;
      run.result = run_rtl(*model, netlist, {input}, {}, detail)[0];
      break;
    }
  }
  return run;
}

}  // namespace

ScheduleReport run_schedule(const Model& model, const Schedule& schedule, const RunOptions& options,
                            const std::map<TensorId, ReferenceTensor>* reference,
                            std::map<TensorId, Tensor>& outputs, Diagnostics& diag) {
  ScheduleReport report;
  report.name = schedule.name;
  std::map<TensorId, Tensor> tensors;
  const auto visit = [&](CompiledRegion& region, const RunResult& untimed) {
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
    Failure failure;
    for (const Engine engine : options.engines) {
      if (options.progress) options.progress(fmt::format("{}: {}", r.name, name(engine)));
      r.runs.push_back(run_engine(engine, region, untimed, r.cycles, Detail::kTotals, failure));
      const EngineRun& run = r.runs.back();
      if (engine != Engine::kFunctional && r.cycles == 0) r.cycles = run.result.cycles;
    }
    // Everything is compared with the first timed engine, and results with the untimed one.
    const EngineRun* first = nullptr;
    for (const EngineRun& run : r.runs) {
      if (run.engine == Engine::kFunctional) continue;
      if (first == nullptr) first = &run;
      if (run.result.outcome != first->result.outcome) {
        r.cycles_equal = false;
        r.difference =
            fmt::format("{} ends differently from {}: {}", name(run.engine), name(first->engine),
                        run.result.problem.empty() ? first->result.problem : run.result.problem);
        continue;
      }
      if (run.result.outcome != Outcome::kFinished) continue;
      if (const std::string d = compare_memories(region.graph, untimed, run.result); !d.empty()) {
        r.values_equal = false;
        if (r.difference.empty()) r.difference = fmt::format("{}: {}", name(run.engine), d);
      }
      if (&run == first) continue;
      if (!same_timing(first->result, run.result)) {
        r.cycles_equal = false;
        if (!r.difference.empty()) continue;
        Failure ignored;
        const EngineRun a =
            run_engine(first->engine, region, untimed, r.cycles, Detail::kTrace, ignored);
        const EngineRun b =
            run_engine(run.engine, region, untimed, r.cycles, Detail::kTrace, ignored);
        r.difference = first_difference(region.graph, name(first->engine), a.result,
                                        name(run.engine), b.result);
      }
    }
    const RunResult& shown = first != nullptr ? first->result : untimed;
    r.flops = count_flops(region.graph, shown);
    r.words_read = untimed.words_read;
    r.words_written = untimed.words_written;
    if (const auto busiest = busiest_block(region.graph, shown)) {
      r.busiest = region.graph.node(*busiest).name;
      r.busiest_firings = shown.firings[index(*busiest)];
    }
    r.limit = find_limit(region.graph, shown, region.unbounded_cycles == r.cycles);
    for (const ChannelId c : region.graph.channels())
      if (shown.counters.size() > index(c))
        r.counters.emplace_back(region.graph.channel(c).name, shown.counters[index(c)]);
    report.cycles += r.cycles;
    report.flops += r.flops;
    report.words_read += r.words_read;
    report.words_written += r.words_written;
    report.regions.push_back(r);
    if (failure.state != ScheduleState::kOk) {
      report.state = failure.state;
      report.problem = failure.problem;
      return false;
    }
    if (first != nullptr && first->result.outcome != Outcome::kFinished) {
      report.state = first->result.outcome == Outcome::kDeadlock && r.cycles_equal
                         ? ScheduleState::kDeadlock
                         : ScheduleState::kDisagree;
      report.problem =
          fmt::format("region '{}' {}: {}", r.name,
                      first->result.outcome == Outcome::kDeadlock ? "is deadlocked" : "failed",
                      first->result.problem);
      return false;
    }
    if (!r.cycles_equal || !r.values_equal) report.state = ScheduleState::kDisagree;
    return true;
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
                                            reference->at(id),
                                            model.program.statements.size() == 1));
    if (!report.outputs.back().within_bound) report.state = ScheduleState::kDisagree;
  }
  return report;
}

}  // namespace heddle
