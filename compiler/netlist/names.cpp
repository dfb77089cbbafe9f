// Names of a netlist: a block or channel keeps its name unless something made from it is taken.
#include <algorithm>
#include <cctype>
#include <set>

#include "compiler/graph/host_ports.h"
#include "compiler/graph/passes.h"
#include "compiler/netlist/netlist.h"

namespace heddle {
namespace {

constexpr std::size_t kLongest = 64;  // of a name; what is made from it is longer

std::string folded(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// Letters, digits and underscores, a letter first, the middle of a long one left out.
std::string legal(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool letter = std::isalpha(static_cast<unsigned char>(c)) != 0;
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (name.empty() && !letter) name = "n_";
    name += letter || digit ? c : '_';
  }
  if (name.empty()) return "unnamed";
  if (name.size() <= kLongest) return name;
  constexpr std::size_t kEnd = 24;  // tells more than the middle
  return name.substr(0, kLongest - kEnd - 1) + "_" + name.substr(name.size() - kEnd);
}

/// Identifiers that are in use. Case does not count: not every tool and file system keeps it apart.
class Taken {
 public:
  Taken() {
    // Ports and signals of the top module that do not come from the graph.
    used_.insert(kHostPorts.begin(), kHostPorts.end());
    for (const char* fixed :
         {"probe_push", "probe_pop", "probe_head", "probe_data", "finish", "finished_q", "starts",
          "error_q", "read_target_q", "unused_load", "unused_load_addr", "unused_read_addr"})
      used_.insert(fixed);
  }

  /// The name, or the first name_2, name_3, ... for which every identifier made from it is free.
  std::string claim(const std::string& wanted, const std::vector<std::string>& patterns) {
    for (int n = 1;; ++n) {
      const std::string name = n == 1 ? wanted : wanted + "_" + std::to_string(n);
      std::vector<std::string> made;
      for (const std::string& p : patterns) {
        const std::size_t at = p.find('*');
        made.push_back(folded(p.substr(0, at) + name + p.substr(at + 1)));
      }
      if (std::any_of(made.begin(), made.end(),
                      [&](const std::string& m) { return used_.contains(m); }))
        continue;
      used_.insert(made.begin(), made.end());
      return name;
    }
  }

 private:
  std::set<std::string> used_;
};

/// What the top module makes from the name of a block; * is the name.
std::vector<std::string> block_patterns(const Node& node) {
  if (node.external()) return {"*_data", "*_valid", "*_ready"};
  const PrimitiveSpec& spec = spec_of(*node.primitive);
  std::vector<std::string> all{"u_*", "*_finish", "*_overflow"};
  for (const RegisterSpec& r : spec.registers) all.push_back("*_" + std::string(r.name) + "_q");
  for (const RegisterSpec& s : spec.statuses) all.push_back("*_" + std::string(s.name));
  for (const MemorySpec& m : spec.memories) {
    const std::string memory = "*_" + std::string(m.name) + "_mem";
    all.push_back("u_" + memory);
    for (const char* signal : {"addr", "data", "data0", "data1", "we", "overflow", "read"})
      all.push_back(memory + "_" + signal);
  }
  return all;
}

}  // namespace

void make_names_legal(Netlist& netlist) {
  SamGraph& graph = netlist.graph;
  Taken taken;
  // Ports first: they keep their names.
  for (const bool external : {true, false})
    for (const NodeId id : graph.nodes()) {
      Node& node = graph.node(id);
      if (node.external() != external) continue;
      const std::string name = taken.claim(legal(node.name), block_patterns(node));
      if (name != node.name) netlist.renamed.emplace_back(node.name, name);
      node.name = name;
    }
  if (!netlist.renamed.empty()) name_channels(graph);
  for (const ChannelId id : graph.channels()) {
    ChannelInfo& channel = graph.channel(id);
    const std::string name = taken.claim(
        legal(channel.name),
        {"u_*", "*_put_data", "*_put_valid", "*_put_ready", "*_data", "*_valid", "*_ready"});
    if (name != channel.name) netlist.renamed.emplace_back(channel.name, name);
    channel.name = name;
  }
}

}  // namespace heddle
