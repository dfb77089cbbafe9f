// Passes from a dataflow graph to the elastic form.
#pragma once

#include "compiler/graph/sam_graph.h"

namespace heddle {

/// Gives every output exactly one reader: a fork where there are several, a sink where there is
/// none.
void insert_forks(SamGraph& graph);

/// Gives channels unique names (from the model, stable) and their latencies.
void name_channels(SamGraph& graph);

/// Longest distance of each node from the sources, in cycles of latency.
std::vector<int> stages(const SamGraph& graph);

/// Sets depths by latency balancing: a channel gets room for what its latency needs at one token a
/// cycle, plus the slack by which it is shorter than the longest path to its reader, so that a
/// bypass does not stall a pipeline that is as long as the graph says. `scale` multiplies the
/// slack.
void balance_depths(SamGraph& graph, int minimum = 4);
/// The same depth everywhere (at least 1).
void set_depths(SamGraph& graph, int depth);

}  // namespace heddle
