#include "compiler/graph/passes.h"

#include <algorithm>
#include <boost/graph/strong_components.hpp>
#include <map>
#include <set>

namespace heddle {

namespace {

/// Forks one output to all of these readers; if they are too many for one fork, by forks of forks.
/// The channel that the readers share from now on.
ChannelId share(SamGraph& graph, NodeId from, int out, const std::string& name,
                const std::vector<ChannelId>& readers, bool in_step) {
  constexpr std::size_t kMost = 64;
  const std::string what = graph.channel(readers[0]).what;
  std::vector<ChannelId> outputs = readers;
  if (readers.size() > kMost) {
    outputs.clear();
    std::size_t group = kMost;
    while (group * kMost < readers.size()) group *= kMost;
    const std::size_t groups = (readers.size() + group - 1) / group;
    for (std::size_t g = 0; g < groups; ++g)
      outputs.push_back(
          share(graph, from, out, name + "_" + std::to_string(g),
                {readers.begin() + static_cast<std::ptrdiff_t>(readers.size() * g / groups),
                 readers.begin() + static_cast<std::ptrdiff_t>(readers.size() * (g + 1) / groups)},
                in_step));
  }
  const NodeId fork = graph.add<Fork>("fork_" + name, Params{{static_cast<int>(outputs.size())}});
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    graph.move_source(outputs[o], fork, static_cast<int>(o));
    graph.channel(outputs[o]).in_step = in_step;
  }
  return graph.connect(from, out, fork, 0, name, what);
}

/// Readers that work in step get a fork of their own: what they wait with is held once, before it.
std::vector<ChannelId> share_in_step(SamGraph& graph, NodeId from, int out, const std::string& name,
                                     const std::vector<ChannelId>& readers) {
  std::map<std::pair<int, int>, std::vector<ChannelId>> groups;
  for (const ChannelId c : readers)
    groups[{graph.node(graph.target(c)).beside, graph.channel(c).to_port}].push_back(c);
  std::vector<ChannelId> rest;
  for (const auto& [group, members] : groups) {
    if (group.first == 0 || members.size() == 1)
      rest.insert(rest.end(), members.begin(), members.end());
    else
      rest.push_back(
          share(graph, from, out, fmt::format("{}_{}", name, group.first), members, true));
  }
  std::sort(rest.begin(), rest.end());
  return rest;
}

}  // namespace

// insert_forks: gives every output port exactly one reader.
//   for each output port, in node order: no reader: add a sink; n > 1 readers: add fork(n) and move
//   the readers to its outputs in the order they were connected; those in step by one of their own
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
        const std::string name = node.name + port_text;
        const auto rest = share_in_step(graph, id, out, name, readers[port]);
        if (rest.size() > 1) share(graph, id, out, name, rest, false);
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

namespace {

/// What all channels from a fork to blocks in step have in common is held before the fork.
void hold_before_forks(const SamGraph& graph, const std::vector<int>& stage,
                       std::vector<int>& slack) {
  std::vector<NodeId> latest_first = graph.nodes();
  std::stable_sort(latest_first.begin(), latest_first.end(),
                   [&](NodeId a, NodeId b) { return stage[index(a)] > stage[index(b)]; });
  for (const NodeId id : latest_first) {
    const std::vector<ChannelId> outputs = graph.outputs(id);
    if (graph.inputs(id).size() != 1 || outputs.empty() ||
        !std::all_of(outputs.begin(), outputs.end(),
                     [&](ChannelId c) { return graph.channel(c).in_step; }))
      continue;
    int common = slack[index(outputs[0])];
    for (const ChannelId c : outputs) common = std::min(common, slack[index(c)]);
    for (const ChannelId c : outputs) slack[index(c)] -= common;
    slack[index(graph.inputs(id)[0])] += common;
  }
}

}  // namespace

void balance_depths(SamGraph& graph, int minimum) {
  const std::vector<int> stage = stages(graph);
  std::vector<int> slack;
  for (const ChannelId id : graph.channels())
    slack.push_back(std::max(0, stage[index(graph.target(id))] - stage[index(graph.source(id))] -
                                    graph.channel(id).latency));
  hold_before_forks(graph, stage, slack);
  for (const ChannelId id : graph.channels()) {
    ChannelInfo& c = graph.channel(id);
    c.depth = std::max({minimum, c.latency + 1 + slack[index(id)], c.least});
  }
}

}  // namespace heddle
