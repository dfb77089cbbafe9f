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

std::vector<std::vector<std::uint32_t>> memory_sizes(const SamGraph& graph, const RunInput& input) {
  std::vector<std::vector<std::uint32_t>> sizes(graph.node_count());
  for (const NodeId id : graph.nodes()) {
    const Node& node = graph.node(id);
    if (node.external()) continue;
    const RunInput::Block& block = input.blocks[index(id)];
    const PrimitiveSpec& spec = spec_of(*node.primitive);
    for (std::size_t m = 0; m < spec.memories.size(); ++m) {
      std::size_t words = 0;  // of a scratch: its row says
      const MemorySpec::Use use = spec.memories[m].use;
      if (use == MemorySpec::Use::kWrite)
        words = block.capacity[m];
      else if (use == MemorySpec::Use::kScratch)
        words = 0;
      else if (const auto writer = graph.kept_writer(id, m))
        words = input.blocks[index(writer->node)].capacity[writer->memory];
      else
        words = block.memories[m].size();
      std::uint32_t size = 64;
      while (size < words) size *= 2;
      sizes[index(id)].push_back(size);
    }
  }
  return sizes;
}

Netlist make_netlist(const SamGraph& graph, const RunInput& input, std::string name,
                     std::string title) {
  verify(graph, Form::kElastic);
  Netlist netlist;
  netlist.name = std::move(name);
  netlist.title = std::move(title);
  netlist.graph = graph;
  make_names_legal(netlist);
  netlist.capacity = memory_sizes(graph, input);
  for (const NodeId id : graph.nodes()) {
    const Node& node = graph.node(id);
    if (node.external()) continue;
    const PrimitiveSpec& spec = spec_of(*node.primitive);
    for (std::size_t r = 0; r < spec.registers.size(); ++r)
      netlist.loads.push_back({id, false, static_cast<int>(r)});
    for (std::size_t m = 0; m < spec.memories.size(); ++m) {
      switch (spec.memories[m].use) {
        case MemorySpec::Use::kScratch:
          break;
        case MemorySpec::Use::kWrite:
          if (!graph.on_chip(id, m)) netlist.reads.push_back({id, true, static_cast<int>(m)});
          break;
        case MemorySpec::Use::kRead:
        case MemorySpec::Use::kReadPair:
          if (!graph.kept_writer(id, m)) netlist.loads.push_back({id, true, static_cast<int>(m)});
          break;
      }
    }
    for (std::size_t s = 0; s < spec.statuses.size(); ++s)
      netlist.reads.push_back({id, false, static_cast<int>(s)});
  }
  return netlist;
}

}  // namespace heddle
