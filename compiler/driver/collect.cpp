// collect_result: a tensor from the memories that a region wrote.
//   each lane that stores a part of the result: its memories are a tensor of its own
//   their entries together, in order, are the result
#include <algorithm>

#include "compiler/driver/pipeline.h"

namespace heddle {
namespace {

using Result = FusionTable::Result;

/// Lanes of a result, by outermost loop, of the part that has the number.
std::vector<int> lanes_of_part(const Result& result, int part) {
  std::vector<int> lane(result.lanes.size());
  for (std::size_t l = lane.size(); l-- > 0; part /= result.lanes[l])
    lane[l] = part % result.lanes[l];
  return lane;
}

/// Whether a lane numbers its elements of a loop anew: those of a dense level, which stores no
/// coordinates.
bool renumbered(const Result& result, std::size_t level) {
  return level < result.lanes.size() && result.written.levels[level] == LevelKind::kDense;
}

/// A part without its data.
Tensor empty_part(const CompiledRegion& region, const Result& result,
                  const std::vector<int>& lane) {
  Tensor tensor;
  tensor.type = region.einsum.type;
  tensor.format = result.written;
  for (const IndexId id : result.indices) tensor.shape.push_back(region.einsum.at(id).extent);
  for (std::size_t l = 0; l < tensor.format.levels.size(); ++l) {
    std::uint32_t& size = tensor.shape[static_cast<std::size_t>(tensor.format.order[l])];
    if (renumbered(result, l)) {
      const auto first = static_cast<std::uint32_t>(lane[l]);
      const auto step = static_cast<std::uint32_t>(result.lanes[l]);
      size = size > first ? (size - first - 1) / step + 1 : 0;
    }
    tensor.levels.push_back({.kind = tensor.format.levels[l], .size = size, .seg = {}, .crd = {}});
  }
  return tensor;
}

/// The memories of one part.
Tensor collect_part(const CompiledRegion& region, const RunResult& run, std::size_t number,
                    int part) {
  const Result& result = region.table.results[number];
  Tensor tensor = empty_part(region, result, lanes_of_part(result, part));
  for (const NodeId id : region.graph.nodes()) {
    const Node& node = region.graph.node(id);
    for (std::size_t m = 0; m < node.memories.size(); ++m) {
      const MemorySource& source = node.memories[m];
      if (source.kind != MemorySource::Kind::kOutput || source.view != number ||
          source.lane != part)
        continue;
      const std::vector<std::uint32_t>& words = run.memories[index(id)][m];
      switch (source.array) {
        case MemorySource::Array::kSeg:
          tensor.levels[static_cast<std::size_t>(source.level)].seg = words;
          break;
        case MemorySource::Array::kCrd:
          tensor.levels[static_cast<std::size_t>(source.level)].crd = words;
          break;
        case MemorySource::Array::kVals:
          tensor.vals = words;
          break;
      }
    }
  }
  const auto wrong = broken(tensor);
  HEDDLE_CHECK(!wrong, "result {} of region '{}' is not a tensor: {}", number, region.region.name,
               *wrong);
  return tensor;
}

/// Adds the entries of a part to those of the whole result.
void append_part(const Result& result, const Tensor& tensor, const std::vector<int>& lane,
                 EntryList& whole) {
  EntryList list = unpack(tensor);
  const std::size_t rank = tensor.shape.size();
  for (std::size_t l = 0; l < lane.size(); ++l) {
    if (!renumbered(result, l)) continue;
    for (std::size_t at = static_cast<std::size_t>(result.written.order[l]); at < list.crd.size();
         at += rank)
      list.crd[at] = list.crd[at] * static_cast<std::uint32_t>(result.lanes[l]) +
                     static_cast<std::uint32_t>(lane[l]);
  }
  whole.crd.insert(whole.crd.end(), list.crd.begin(), list.crd.end());
  whole.vals.insert(whole.vals.end(), list.vals.begin(), list.vals.end());
}

}  // namespace

Tensor collect_result(const CompiledRegion& region, const RunResult& run, std::size_t number) {
  const Result& result = region.table.results[number];
  Tensor tensor;
  if (result.lanes.empty()) {
    tensor = collect_part(region, run, number, 0);
  } else {
    int parts = 1;
    for (const int lanes : result.lanes) parts *= lanes;
    EntryList whole;
    for (const IndexId id : result.indices) whole.shape.push_back(region.einsum.at(id).extent);
    for (int part = 0; part < parts; ++part)
      append_part(result, collect_part(region, run, number, part), lanes_of_part(result, part),
                  whole);
    normalize(whole, region.einsum.type);
    tensor = pack(whole, region.einsum.type, result.written);
  }
  if (tensor.format == result.stored) return tensor;
  return convert(tensor, result.stored);
}

}  // namespace heddle
