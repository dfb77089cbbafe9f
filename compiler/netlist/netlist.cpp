#include "compiler/netlist/netlist.h"

#include <algorithm>
#include <cctype>

namespace heddle {

std::string module_name(const std::string& text) {
  std::string name = "heddle_";
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_')
      name += c;
    else if (name.back() != '_')
      name += '_';
  }
  // Long names are legal but no tool likes them.
  constexpr std::size_t kLongest = 120;
  if (name.size() > kLongest) name.resize(kLongest);
  return name;
}

Netlist make_netlist(const SamGraph& graph, const RunInput& input, std::string name,
                     std::string title) {
  verify(graph, Form::kElastic);
  Netlist netlist;
  netlist.name = std::move(name);
  netlist.title = std::move(title);
  netlist.graph = graph;
  make_names_legal(netlist);
  netlist.capacity.resize(graph.node_count());
  for (const NodeId id : graph.nodes()) {
    const Node& node = graph.node(id);
    if (node.external()) continue;
    const PrimitiveSpec& spec = spec_of(*node.primitive);
    for (std::size_t r = 0; r < spec.registers.size(); ++r)
      netlist.loads.push_back({id, false, static_cast<int>(r)});
    for (std::size_t m = 0; m < spec.memories.size(); ++m) {
      std::uint32_t words = 0;
      switch (spec.memories[m].use) {
        case MemorySpec::Use::kScratch:
          break;
        case MemorySpec::Use::kWrite:
          words = input.blocks[index(id)].capacity[m];
          if (!graph.on_chip(id, m)) netlist.reads.push_back({id, true, static_cast<int>(m)});
          break;
        case MemorySpec::Use::kRead:
        case MemorySpec::Use::kReadPair:
          if (const auto writer = graph.kept_writer(id, m)) {
            words = input.blocks[index(writer->node)].capacity[writer->memory];
            break;
          }
          words = static_cast<std::uint32_t>(input.blocks[index(id)].memories[m].size());
          netlist.loads.push_back({id, true, static_cast<int>(m)});
          break;
      }
      std::uint32_t size = 64;
      while (size < words) size *= 2;
      netlist.capacity[index(id)].push_back(size);
    }
    for (std::size_t s = 0; s < spec.statuses.size(); ++s)
      netlist.reads.push_back({id, false, static_cast<int>(s)});
  }
  return netlist;
}

}  // namespace heddle
