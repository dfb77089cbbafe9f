// lower: FusionTable -> SamGraph. Walks back from the writers; what they do not need is not built.
#include <algorithm>

#include "compiler/fusion/fusion_table.h"

namespace heddle {

SamGraph lower(const FusionTable& table) {
  std::vector<bool> needed(table.ops.size(), false);
  std::vector<int> work = table.writers;
  while (!work.empty()) {
    const int op = work.back();
    work.pop_back();
    if (needed[static_cast<std::size_t>(op)]) continue;
    needed[static_cast<std::size_t>(op)] = true;
    for (const StreamRef in : table.ops[static_cast<std::size_t>(op)].inputs)
      if (in.op >= 0) work.push_back(in.op);
  }
  SamGraph graph;
  const NodeId root = graph.add_external("root");
  std::vector<NodeId> nodes(table.ops.size());
  for (std::size_t i = 0; i < table.ops.size(); ++i) {
    if (!needed[i]) continue;
    const StreamOp& op = table.ops[i];
    nodes[i] = graph.add(op.label, op.primitive, op.params, op.what);
    graph.node(nodes[i]).index = op.index;
    graph.node(nodes[i]).registers = op.registers;
    graph.node(nodes[i]).memories = op.memories;
    graph.node(nodes[i]).tensor = op.tensor;
    graph.node(nodes[i]).beside = op.beside;
  }
  for (std::size_t i = 0; i < table.ops.size(); ++i) {
    if (!needed[i]) continue;
    const StreamOp& op = table.ops[i];
    for (std::size_t in = 0; in < op.inputs.size(); ++in) {
      const StreamRef ref = op.inputs[in];
      const NodeId from = ref.op < 0 ? root : nodes[static_cast<std::size_t>(ref.op)];
      const ChannelId channel =
          graph.connect(from, ref.op < 0 ? 0 : ref.out, nodes[i], static_cast<int>(in), "");
      if (in + 1 == op.inputs.size()) graph.channel(channel).least = std::max(1, op.holds);
    }
  }
  return graph;
}

}  // namespace heddle
