// Bypasses: channels that hold a whole fiber, because a value that is formed from the fiber meets
// its elements again. Row softmax is the pattern: the sum of a row is known when the row is over,
// and only then can its first element be divided.
#pragma once

#include <map>
#include <string>

#include "compiler/fusion/fused_einsum.h"
#include "compiler/graph/sam_graph.h"

namespace heddle {

struct Bypass {
  NodeId former{};    // the block that has to see the fiber: reduce or accumulate
  std::string fiber;  // "a fiber of j", "all of i, j"
  std::string bound;  // places that are enough whatever the data, in terms of indices: "j + 1"
  std::uint64_t value = 0;  // for the sizes at hand
};

/// Those of `channels` of an elastic graph that have to hold more than one token until a block has
/// seen all of a fiber, if every other channel has room for one. On data without gaps less would
/// deadlock.
std::map<ChannelId, Bypass> find_bypasses(const SamGraph& graph, const FusedEinsum& einsum,
                                          const std::vector<ChannelId>& channels);

}  // namespace heddle
