#include "compiler/driver/pipeline.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "compiler/driver/depths.h"
#include "compiler/graph/passes.h"
#include "compiler/tensor/tiles.h"

namespace heddle {

std::optional<Model> load_model(const std::string& path, const DataOptions& options,
                                Diagnostics& diag) {
  std::ifstream file(path, std::ios::binary);
  std::error_code unknown;
  if (!file || std::filesystem::is_directory(path, unknown)) {
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

}  // namespace heddle
