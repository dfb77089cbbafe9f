// collect_result: a tensor from the memories that a region wrote.
//   each lane that stores a part of the result: its memories are a tensor of its own, or of tiles
//   their entries together, in order, are the result
#include <algorithm>

#include "compiler/driver/pipeline.h"
#include "compiler/tensor/tiles.h"

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

/// A part of a result: a tensor, or the pattern of tiles and their places.
struct Part {
  Tensor tensor;
  Tiles tiles;
};

void put(std::vector<std::vector<std::uint32_t>>& arrays, std::size_t at,
         const std::vector<std::uint32_t>& words) {
  if (arrays.size() <= at) arrays.resize(at + 1);
  arrays[at] = words;
}

void put(Part& part, const MemorySource& source, const std::vector<std::uint32_t>& words) {
  const auto level = static_cast<std::size_t>(source.level);
  switch (source.array) {
    case MemorySource::Array::kSeg:
      part.tensor.levels[level].seg = words;
      break;
    case MemorySource::Array::kCrd:
      part.tensor.levels[level].crd = words;
      break;
    case MemorySource::Array::kVals:
      put(part.tiles.vals, level, words);
      break;
    case MemorySource::Array::kBits:
      put(part.tiles.bits, level, words);
      break;
  }
}

/// The memories of one part.
Part collect_part(const CompiledRegion& region, const RunResult& run, std::size_t number,
                  int lane) {
  const Result& result = region.table.results[number];
  Part part{empty_part(region, result, lanes_of_part(result, lane)), {}};
  part.tiles.sizes = result.tiles;
  for (const NodeId id : region.graph.nodes()) {
    const Node& node = region.graph.node(id);
    for (std::size_t m = 0; m < node.memories.size(); ++m) {
      const MemorySource& source = node.memories[m];
      if (source.kind == MemorySource::Kind::kOutput && source.view == number &&
          source.lane == lane)
        put(part, source, run.memories[index(id)][m]);
    }
  }
  part.tensor.vals = part.tiles.vals.at(0);
  const auto wrong = broken(part.tensor);
  HEDDLE_CHECK(!wrong, "result {} of region '{}' is not a tensor: {}", number, region.region.name,
               *wrong);
  return part;
}

/// Adds the entries of a part to those of the whole result.
void append_part(const Result& result, const Part& part, const std::vector<int>& lane,
                 EntryList& whole) {
  EntryList list = result.tiles.empty() ? unpack(part.tensor) : numbered_tiles(part.tensor);
  const std::size_t rank = whole.shape.size();
  for (std::size_t l = 0; l < lane.size(); ++l) {
    if (!renumbered(result, l)) continue;
    for (std::size_t at = static_cast<std::size_t>(result.written.order[l]); at < list.crd.size();
         at += rank)
      list.crd[at] = list.crd[at] * static_cast<std::uint32_t>(result.lanes[l]) +
                     static_cast<std::uint32_t>(lane[l]);
  }
  if (!result.tiles.empty()) list = entries_of(part.tiles, list, whole.shape);
  whole.crd.insert(whole.crd.end(), list.crd.begin(), list.crd.end());
  whole.vals.insert(whole.vals.end(), list.vals.begin(), list.vals.end());
}

}  // namespace

Tensor collect_result(const CompiledRegion& region, const RunResult& run, std::size_t number) {
  const Result& result = region.table.results[number];
  Tensor tensor;
  if (result.lanes.empty() && result.tiles.empty()) {
    tensor = collect_part(region, run, number, 0).tensor;
  } else {
    int parts = 1;
    for (const int lanes : result.lanes) parts *= lanes;
    EntryList whole;
    for (const IndexId id : result.indices) whole.shape.push_back(region.einsum.at(id).length);
    for (int part = 0; part < parts; ++part)
      append_part(result, collect_part(region, run, number, part), lanes_of_part(result, part),
                  whole);
    normalize(whole, region.einsum.type);
    // Tiles say which places have an entry.
    tensor = pack(whole, region.einsum.type, result.tiles.empty() ? result.written : result.stored);
  }
  if (tensor.format == result.stored) return tensor;
  return convert(tensor, result.stored);
}

}  // namespace heddle
