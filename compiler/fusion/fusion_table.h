// FusionTable: every stream of a region, named before any block exists.
//
// Rows are the loops in order and the value row; columns are the views, the reductions and the
// result. A cell names the stream that carries a column at a row: how it is scanned, repeated,
// located, joined. Streams are expressions over streams and are kept once (equal ones, in every
// attribute, are the same), so that what is shared is built once. Lowering (lower.h) makes a block
// of each stream expression that the result needs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/fusion/fused_einsum.h"
#include "compiler/graph/sam_graph.h"

namespace heddle {

/// One output of a stream expression. Expression -1 is the root stream `0 D` that starts every
/// tensor.
struct StreamRef {
  int op = -1;
  int out = 0;
  friend auto operator<=>(const StreamRef&, const StreamRef&) = default;
};

/// A stream expression: a primitive applied to streams.
struct StreamOp {
  PrimitiveId primitive{};
  Params params;
  std::vector<StreamRef>
      inputs;  // earlier expressions, except for the skips that come back to a scan_skip
  std::vector<RegisterSource> registers;
  std::vector<MemorySource> memories;
  std::string label;   // the name of its block
  std::string what;    // for comments: "fibers j of A"
  std::string index;   // whose coordinates it scans
  int part = 0;        // what waits for a kept tensor shares no streams with what makes it
  int holds = 0;       // tokens that the channel to the last input must have room for
  std::string tensor;  // whose coordinates, positions or values it makes; may be empty
  int beside = 0;      // those of a number do the same at the places of a tile; 0: it stands alone
};

struct FusionTable {
  std::vector<std::string> rows;                     // "i", "j", ..., "value"
  std::vector<std::string> columns;                  // "A", "x", "sum_j", "y"
  std::map<std::pair<int, int>, std::string> cells;  // (row, column) -> text

  std::vector<StreamOp> ops;
  struct Result {
    TensorId tensor{};
    TensorFormat written;          // as written, levels in loop order
    TensorFormat stored;           // as the tensor is kept: declared, or as written if inferred
    std::vector<IndexId> indices;  // by mode
    bool in_memory = true;         // else kept on chip alone
    // Of its outermost loops, if they are dealt to lanes that store their parts: element n of a
    // fiber is in lane n mod lanes. The last loop's lanes count fastest.
    std::vector<int> lanes;
    std::vector<int> tiles;  // by mode: places of a tile; empty: not written in tiles
  };
  std::vector<Result> results;  // MemorySource::view of an output counts these
  std::vector<int> writers;  // ops that store results, of each outermost level first, values last
  std::vector<std::string> remarks;  // told to the user
  std::vector<View> views;           // after equal ones are merged; MemorySource::view counts these
};

/// Builds the table of an ordered region. Errors: `densifies`, `capacity`.
std::optional<FusionTable> build_table(const FusedEinsum& einsum, const EinsumProgram& program,
                                       Diagnostics& diag);

std::string to_text(const FusionTable& table);

/// The blocks of the streams that the result needs; dataflow form.
SamGraph lower(const FusionTable& table);

}  // namespace heddle
