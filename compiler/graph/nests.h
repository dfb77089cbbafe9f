// Nests: for each channel the loops around its elements, and where their coordinates can be read.
//
// Every row says how its outputs nest (`nest`, see compiler/primitives/spec.h), so the nests follow
// from the graph alone. A row that does not say leaves them unknown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/sam_graph.h"

namespace heddle {

/// One loop: an element of it stands for a coordinate of an index, or, packed into one number, of
/// several.
struct Loop {
  struct Index {
    std::string name;
    int bits = 32;  // of its coordinate within the number; the last index has the lowest
  };
  std::vector<Index> indices;
  /// A stream with a number for each element of the loop; none: elements are 0, 1, 2, ... in each
  /// fiber.
  std::optional<ChannelId> crd;
};
bool operator==(const Loop& a, const Loop& b);

/// Outermost loop first; nothing if not known.
using Nest = std::optional<std::vector<Loop>>;

/// By channel.
std::vector<Nest> find_nests(const SamGraph& graph);

/// The coordinates of token `n` of a stream, for a nest and what passed through all channels:
/// "(i = 3, k = 17)", for a stop "end of (i = 3)"; nothing if they cannot be told.
std::optional<std::string> coordinates_of(const std::vector<Loop>& nest,
                                          const std::vector<Stream>& streams, ChannelId channel,
                                          std::size_t n);

/// What the rows' `nest` works with: the inputs and outputs of one block. `depth` counts loops
/// from the innermost, which is 0.
class Nests {
 public:
  Nests(const SamGraph& graph, NodeId node, std::vector<Nest>& all)
      : graph_(graph), node_(node), all_(all) {}

  Nest in(int port) const;
  /// The outputs have this nest.
  template <class... Outs>
  void give(const Nest& nest, Outs... outs) {
    (give_one(nest, static_cast<int>(outs)), ...);
  }

  /// One more loop, over the index that the block scans, with coordinates from an output.
  Nest enter(Nest nest, int crd) const;
  /// A loop has other elements: those whose coordinates an output gives.
  Nest renew(Nest nest, int crd, int depth = 0) const;
  /// A loop has all elements, without a stream that names them.
  Nest fill(Nest nest, int depth) const;
  /// A loop is gone: its fibers are one, or one element.
  Nest leave(Nest nest, int depth = 0) const;
  /// The two innermost loops are one, whose numbers an output gives: the inner coordinate in the
  /// lowest bits.
  Nest pack(Nest nest, int crd, int bits) const;
  /// The loop of the outer coordinates of such numbers; and within it that of the inner ones.
  Nest unpack_outer(Nest nest, int outer) const;
  Nest unpack(Nest nest, int outer, int inner) const;

 private:
  void give_one(const Nest& nest, int out);
  ChannelId channel(int out) const;

  const SamGraph& graph_;
  NodeId node_;
  std::vector<Nest>& all_;
};

}  // namespace heddle
