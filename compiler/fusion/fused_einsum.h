// FusedEinsum: one region as expressions over unique index variables, one for each result, with the
// views of the tensors it reads, the loop order, and where each reduction stands in it.
//
// A reduction keeps its place (the iteration stays factored): its nest is the list of loops that
// its body runs in. That is the reduced index, the free indices of the body, and those outer loops
// which lie outside the last free index. The nest of the root is the list of result indices. Loops
// before the reduced index are shared with the nest around it (`shared` of them); loops after it
// are what the reduction must keep apart: none makes a scalar reduction, n an accumulator of order
// n.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/einsum/einsum_program.h"

namespace heddle {

/// A tensor as one access reads it.
struct View {
  std::string name;          // unique in the region: "A", "A_2"
  bool identity = false;     // no tensor: the identity matrix of two indices, from a repeated index
  bool whole_tiles = false;  // no tensor: a vector that is 1 for the tiles of an index that have
                             // all their places, 0 for the last one if it lacks some
  TensorId tensor{};
  std::vector<IndexId> indices;  // by mode of the tensor (identity: the two indices)
  TensorFormat format;           // as read: levels in loop order
  std::vector<int> tiles;        // by mode: places of a tile; empty: not read in tiles
  bool permuted = false;         // `format` differs from the tensor's own: a copy is made
  bool mask = false;             // only its pattern counts
  int kept =
      -1;  // the result of this region that is read, from on-chip memory; -1: a stored tensor
  SourceRange range;
  bool of_tensor() const { return !identity && !whole_tiles; }
  std::vector<IndexId> storage_order() const {
    std::vector<IndexId> order;
    for (const int mode : format.order) order.push_back(indices[static_cast<std::size_t>(mode)]);
    return order;
  }
};

struct FusedExpr {
  enum class Kind : std::uint8_t {
    kView,
    kConstant,
    kIndexSize,
    kUnary,
    kBinary,
    kSelect,
    kReduce,
    kMask,      // args[0] where view has an entry; operands that lack it count as zero
    kIdentity,  // args[0] where the two indices of the identity view are equal
    kPlaces,    // args[0] at all places of a tile of index, reduced; view: which tiles are whole
  };
  Kind kind = Kind::kConstant;
  int view = -1;
  double value = 0;
  UnaryOp unary{};
  BinaryOp binary{};
  ReduceOp reduce{};
  IndexId index{};
  bool missing_are_zeros = false;  // max, min: entries that are not there count as zeros
  std::vector<FusedExpr> args;
  std::string owner;  // the tensor whose statement this comes from, for names
  SourceRange range;

  std::vector<IndexId> nest;  // kReduce, once ordered: the loops of its body, outermost first
  int shared = 0;             // kReduce: how many of them it shares with the nest around it
};

struct FusedIndex {
  std::string name;
  std::string written;  // as the statement has it; copies of one index share it
  SizeId size{};
  std::uint32_t extent = 0;  // how far its loop goes: the bound size, or the number of tiles
  bool reduced = false;
  int kin =
      0;  // copies of one index, made by writing out a value several times, have the same number:
          // they take the same place in the order, so that equal work comes out as equal streams
  std::uint32_t length = 0;  // bound size
  int block = 1;             // places of a tile, side by side; 1: the index is not blocked
};

struct FusedResult {
  TensorId tensor{};
  std::string name;
  std::vector<IndexId> indices;        // by mode
  std::optional<TensorFormat> format;  // declared
  FusedExpr value;
  SourceRange range;
  bool stored = true;  // in memory, for others
  bool kept = false;   // on chip, for views of this region; comes before the results that read it
};

struct FusedEinsum {
  std::string name;
  ValueType type = ValueType::kF32;
  std::vector<FusedIndex> indices;
  std::vector<View> views;
  std::vector<FusedResult> results;  // what the region stores, in statement order
  std::vector<IndexId> order;        // all indices, outermost first
  std::vector<IndexId> skip;         // indices at which scanners that meet may leap
  std::map<IndexId, int> lanes;      // indices whose loops are dealt to several copies of the graph
  std::vector<std::string> remarks;  // copies made, orders moved: told to the user

  const FusedIndex& at(IndexId id) const { return indices[static_cast<std::size_t>(id)]; }
};

/// Statements as one region. The value of a tensor that the region defines takes the place of its
/// uses, with the use's indices for its own; `stored` are those it must also store. Those of `kept`
/// are results that its uses read. Index extents must be bound.
FusedEinsum fuse_statements(const EinsumProgram& program,
                            const std::vector<std::size_t>& statements,
                            const std::vector<TensorId>& stored,
                            const std::vector<TensorId>& kept = {});

/// Indices that are cut into tiles, by name as written.
struct BlockRule {
  std::string index;
  int places = 1;
  SourceRange range;
};
/// Cuts indices into tiles: their loops go over tiles from now on. Comes before the order is
/// chosen. Errors: `schedule-block`.
bool block_indices(FusedEinsum& einsum, const std::vector<BlockRule>& rules, Diagnostics& diag);
/// Lets reductions over blocked indices reduce the places of each tile first. Comes after the order
/// is chosen.
void combine_places(FusedEinsum& einsum);

/// The indices of an expression that no reduction inside it binds, by first use.
std::vector<IndexId> free_of(const FusedEinsum& einsum, const FusedExpr& e);

/// What ordering needs to know of a tensor.
struct TensorStatistics {
  TensorFormat format;
  std::uint64_t stored = 0;
};

/// Chooses the loop order: `wanted` (names as written, possibly not all of them) fixes the order of
/// those indices; among the orders left, the least predicted cost: elements visited, plus copies of
/// views that do not fit. Then sets the nests of reductions and the formats of views. False after
/// an error (unknown or repeated name).
bool choose_order(FusedEinsum& einsum, const std::vector<std::string>& wanted,
                  const std::vector<SourceRange>& wanted_ranges,
                  const std::vector<TensorStatistics>& statistics, SourceRange where,
                  Diagnostics& diag);

/// A loop order and what choose_order expects of it.
struct PredictedOrder {
  std::vector<std::string>
      names;  // one index of each kin, outermost first: what an `order` line would say
  double steps = 0;
  int copies = 0;  // views and declared results that it does not fit
};
/// All loop orders of a region, least predicted steps first; with more than a few thousand, those
/// found by moving single indices from the best one.
std::vector<PredictedOrder> predict_orders(const FusedEinsum& einsum,
                                           const std::vector<TensorStatistics>& statistics);

std::string to_text(const FusedEinsum& einsum, const EinsumProgram& program);

}  // namespace heddle
