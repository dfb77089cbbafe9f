#include "compiler/graph/passes.h"

#include <algorithm>
#include <boost/graph/strong_components.hpp>
#include <map>
#include <set>

namespace heddle {

namespace {

/// Forks one output to all of its readers; if they are too many for one fork, by a fork of forks.
void share(SamGraph& graph, NodeId from, int out, const std::string& name,
           const std::vector<ChannelId>& readers) {
  constexpr std::size_t kMost = 64;
  const std::string what = graph.channel(readers[0]).what;
  const auto add_fork = [&](NodeId source, int port, std::size_t n) {
    const NodeId fork = graph.add<Fork>("fork_" + name, Params{{static_cast<int>(n)}});
    graph.connect(source, port, fork, 0, name, what);
    return fork;
  };
  if (readers.size() <= kMost) {
    const NodeId fork = add_fork(from, out, readers.size());
    for (std::size_t r = 0; r < readers.size(); ++r)
      graph.move_source(readers[r], fork, static_cast<int>(r));
    return;
  }
  HEDDLE_CHECK(readers.size() <= kMost * kMost, "'{}' has {} readers", name, readers.size());
  const std::size_t groups = (readers.size() + kMost - 1) / kMost;
  const NodeId top = add_fork(from, out, groups);
  for (std::size_t g = 0; g < groups; ++g) {
    const std::size_t first = readers.size() * g / groups, last = readers.size() * (g + 1) / groups;
    share(graph, top, static_cast<int>(g), name + "_" + std::to_string(g),
          {readers.begin() + static_cast<std::ptrdiff_t>(first),
           readers.begin() + static_cast<std::ptrdiff_t>(last)});
  }
}

}  // namespace

// insert_forks: gives every output port exactly one reader.
//   for each output port, in node order: no reader: add a sink; n > 1 readers: add fork(n) and move
//   the readers to its outputs in the order they were connected
void insert_forks(SamGraph& graph) {
  for (const NodeId id : graph.nodes()) {
    const Node node = graph.node(id);
    if (node.external() && !graph.inputs(id).empty()) continue;
    std::vector<std::vector<ChannelId>> readers(static_cast<std::size_t>(graph.output_ports(id)));
    for (const ChannelId c : graph.outputs(id))
      readers[static_cast<std::size_t>(graph.channel(c).from_port)].push_back(c);
    for (std::size_t port = 0; port < readers.size(); ++port) {
      const int out = static_cast<int>(port);
      const std::string port_text =
          node.external() ? ""
                          : "_" + port_name(spec_of(*node.primitive), node.params, Dir::kOut, out);
      if (readers[port].empty()) {
        const NodeId sink = graph.add<Sink>("sink_" + node.name + port_text);
        graph.connect(id, out, sink, 0, node.name + port_text);
      } else if (readers[port].size() > 1) {
        share(graph, id, out, node.name + port_text, readers[port]);
      }
    }
  }
}

void name_channels(SamGraph& graph) {
  std::set<std::string> taken;
  for (const ChannelId id : graph.channels()) {
    ChannelInfo& c = graph.channel(id);
    const Node& from = graph.node(graph.source(id));
    const Node& to = graph.node(graph.target(id));
    const auto end = [](const Node& n, Dir dir, int port) {
      return n.external() ? (dir == Dir::kOut ? "from_" : "to_") + n.name
                          : n.name + "_" + port_name(spec_of(*n.primitive), n.params, dir, port);
    };
    // A fork's outputs are named after who reads them, everything else after who writes it.
    std::string name = from.external() || !from.is<Fork>() ? end(from, Dir::kOut, c.from_port)
                                                           : end(to, Dir::kIn, c.to_port);
    while (!taken.insert(name).second) name += "_x";
    c.name = name;
    c.latency = from.external() ? 1 : latency_of(*from.primitive, from.params, c.from_port);
  }
}

void set_depths(SamGraph& graph, int depth) {
  for (const ChannelId id : graph.channels())
    graph.channel(id).depth = std::max(depth, graph.channel(id).least);
}

/// Longest distance in cycles from the sources to each node. Of the edges inside a cycle of the
/// graph, those count that lead away from where the cycle is entered.
std::vector<int> stages(const SamGraph& graph) {
  const SamGraph::Boost boost_graph = graph.boost_graph();
  std::vector<int> component(graph.node_count());
  boost::strong_components(
      boost_graph,
      boost::make_iterator_property_map(component.begin(), get(boost::vertex_index, boost_graph)));
  std::vector<int> stage(graph.node_count(), 0);
  // Components are numbered in reverse topological order.
  std::vector<NodeId> order = graph.nodes();
  std::stable_sort(order.begin(), order.end(),
                   [&](NodeId a, NodeId b) { return component[index(a)] > component[index(b)]; });
  std::vector<int> hops(graph.node_count(), 0);  // fewest edges of its cycle from an entry
  const auto extend = [&](NodeId id, bool inside) {
    for (const ChannelId c : graph.inputs(id)) {
      const NodeId from = graph.source(c);
      const bool same = component[index(from)] == component[index(id)];
      if (same != inside || (inside && hops[index(from)] >= hops[index(id)])) continue;
      stage[index(id)] = std::max(stage[index(id)], stage[index(from)] + graph.channel(c).latency);
    }
  };
  for (auto first = order.begin(); first != order.end();) {
    const auto last = std::find_if(first, order.end(), [&](NodeId id) {
      return component[index(id)] != component[index(*first)];
    });
    std::vector<NodeId> reached;  // nearest first
    for (auto id = first; id != last; ++id) {
      extend(*id, false);
      const auto inputs = graph.inputs(*id);
      const bool entry =
          last - first == 1 || std::any_of(inputs.begin(), inputs.end(), [&](ChannelId c) {
            return component[index(graph.source(c))] != component[index(*id)];
          });
      if (entry)
        reached.push_back(*id);
      else
        hops[index(*id)] = -1;
    }
    for (std::size_t r = 0; r < reached.size(); ++r) {
      if (hops[index(reached[r])] > 0) extend(reached[r], true);
      for (const ChannelId c : graph.outputs(reached[r])) {
        const NodeId to = graph.target(c);
        if (component[index(to)] != component[index(reached[r])] || hops[index(to)] >= 0) continue;
        hops[index(to)] = hops[index(reached[r])] + 1;
        reached.push_back(to);
      }
    }
    first = last;
  }
  return stage;
}

void balance_depths(SamGraph& graph, int minimum) {
  const std::vector<int> stage = stages(graph);
  for (const ChannelId id : graph.channels()) {
    ChannelInfo& c = graph.channel(id);
    const int slack =
        std::max(0, stage[index(graph.target(id))] - stage[index(graph.source(id))] - c.latency);
    c.depth = std::max({minimum, c.latency + 1 + slack, c.least});
  }
}

}  // namespace heddle
