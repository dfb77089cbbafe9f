#include "compiler/graph/sam_graph.h"

#include <algorithm>

namespace heddle {

NodeId SamGraph::add(std::string name, PrimitiveId primitive, Params params, std::string comment) {
  Node node;
  node.name = std::move(name);
  node.primitive = primitive;
  node.params = params;
  node.comment = std::move(comment);
  const PrimitiveSpec& spec = spec_of(primitive);
  node.registers.resize(spec.registers.size());
  node.memories.resize(spec.memories.size());
  nodes_.push_back(std::move(node));
  ins_.emplace_back();
  outs_.emplace_back();
  return static_cast<NodeId>(nodes_.size() - 1);
}

NodeId SamGraph::add_external(std::string name) {
  Node node;
  node.name = std::move(name);
  nodes_.push_back(std::move(node));
  ins_.emplace_back();
  outs_.emplace_back();
  return static_cast<NodeId>(nodes_.size() - 1);
}

ChannelId SamGraph::connect(NodeId from, int out, NodeId to, int in, std::string name,
                            std::string what) {
  ChannelInfo info;
  info.name = std::move(name);
  info.what = std::move(what);
  info.from_port = out;
  info.to_port = in;
  channels_.push_back({from, to, std::move(info)});
  const auto made = static_cast<ChannelId>(channels_.size() - 1);
  outs_[index(from)].push_back(made);
  ins_[index(to)].push_back(made);
  return made;
}

void SamGraph::move_source(ChannelId channel, NodeId from, int out) {
  std::erase(outs_[index(source(channel))], channel);
  std::vector<ChannelId>& outs = outs_[index(from)];
  outs.insert(std::upper_bound(outs.begin(), outs.end(), channel), channel);
  channels_[index(channel)].from = from;
  channels_[index(channel)].info.from_port = out;
}

std::optional<SamGraph::MemoryOf> SamGraph::kept_writer(NodeId reader, std::size_t memory) const {
  const auto writes = [&](NodeId id, std::size_t m) {
    return spec_of(*node(id).primitive).memories[m].use == MemorySpec::Use::kWrite;
  };
  if (!on_chip(reader, memory) || writes(reader, memory)) return std::nullopt;
  for (const NodeId id : nodes())
    for (std::size_t m = 0; m < node(id).memories.size(); ++m) {
      const MemorySource& source = node(id).memories[m];
      if (source.kind != MemorySource::Kind::kInput && writes(id, m) &&
          source.same_array(node(reader).memories[memory]))
        return MemoryOf{id, m};
    }
  HEDDLE_CHECK(false, "'{}' reads an array that nothing keeps", node(reader).name);
  return std::nullopt;
}

SamGraph::Boost SamGraph::boost_graph() const {
  Boost graph(nodes_.size());
  for (const ChannelId c : channels())
    boost::add_edge(index(source(c)), index(target(c)), c, graph);
  return graph;
}

std::vector<ChannelId> SamGraph::channels() const {
  std::vector<ChannelId> all(channels_.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<ChannelId>(i);
  return all;
}

std::vector<NodeId> SamGraph::nodes() const {
  std::vector<NodeId> all(node_count());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<NodeId>(i);
  return all;
}

// Graphs have hundreds of channels at most, so a scan will do.
std::vector<ChannelId> SamGraph::inputs(NodeId id) const {
  std::vector<ChannelId> found = ins_[index(id)];
  std::stable_sort(found.begin(), found.end(), [&](ChannelId a, ChannelId b) {
    return channel(a).to_port < channel(b).to_port;
  });
  return found;
}

std::vector<ChannelId> SamGraph::outputs(NodeId id) const {
  std::vector<ChannelId> found = outs_[index(id)];
  std::stable_sort(found.begin(), found.end(), [&](ChannelId a, ChannelId b) {
    return channel(a).from_port < channel(b).from_port;
  });
  return found;
}

int SamGraph::input_ports(NodeId id) const {
  const Node& n = node(id);
  if (n.external()) return 1;
  return port_count(spec_of(*n.primitive), n.params, Dir::kIn);
}

int SamGraph::output_ports(NodeId id) const {
  const Node& n = node(id);
  if (n.external()) return 1;
  return port_count(spec_of(*n.primitive), n.params, Dir::kOut);
}

void verify(const SamGraph& graph, Form form) {
  for (const NodeId id : graph.nodes()) {
    const Node& node = graph.node(id);
    const auto in = graph.inputs(id);
    const auto out = graph.outputs(id);
    if (node.external()) {
      HEDDLE_CHECK(in.size() + out.size() == 1 || (in.empty() && form == Form::kDataflow),
                   "'{}' must end exactly one channel", node.name);
      continue;
    }
    const PrimitiveSpec& spec = spec_of(*node.primitive);
    for (std::size_t i = 0; i < spec.params.size(); ++i) {
      const int value = node.params[static_cast<int>(i)];
      HEDDLE_CHECK(value >= spec.params[i].min && value <= spec.params[i].max,
                   "'{}': parameter {} is {}, outside {} to {}", node.name, spec.params[i].name,
                   value, spec.params[i].min, spec.params[i].max);
    }
    HEDDLE_CHECK(static_cast<int>(in.size()) == graph.input_ports(id),
                 "'{}' has {} inputs connected of {}", node.name, in.size(), graph.input_ports(id));
    for (std::size_t i = 0; i < in.size(); ++i)
      HEDDLE_CHECK(graph.channel(in[i]).to_port == static_cast<int>(i),
                   "'{}': input {} is connected twice or not at all", node.name, i);
    for (const ChannelId c : out)
      HEDDLE_CHECK(graph.channel(c).from_port < graph.output_ports(id), "'{}' has no output {}",
                   node.name, graph.channel(c).from_port);
    if (form == Form::kDataflow) continue;
    HEDDLE_CHECK(static_cast<int>(out.size()) == graph.output_ports(id),
                 "'{}' has {} outputs connected of {}", node.name, out.size(),
                 graph.output_ports(id));
    for (std::size_t i = 0; i < out.size(); ++i) {
      const ChannelInfo& channel = graph.channel(out[i]);
      HEDDLE_CHECK(channel.from_port == static_cast<int>(i), "'{}': output {} has several readers",
                   node.name, i);
      HEDDLE_CHECK(channel.depth >= 1 && channel.latency >= 1, "channel '{}' has no room",
                   channel.name);
      HEDDLE_CHECK(channel.latency == latency_of(*node.primitive, node.params, static_cast<int>(i)),
                   "channel '{}' has another latency than its block", channel.name);
    }
  }
}

namespace {

std::string params_text(const Node& node) {
  std::string text;
  const PrimitiveSpec& spec = spec_of(*node.primitive);
  for (std::size_t i = 0; i < spec.params.size(); ++i) {
    const int value = node.params[static_cast<int>(i)];
    text += fmt::format("{}{}={}", i == 0 ? "" : " ", spec.params[i].name,
                        spec.params[i].names.empty()
                            ? std::to_string(value)
                            : std::string(spec.params[i].names[static_cast<std::size_t>(value)]));
  }
  return text;
}

std::string end_text(const SamGraph& graph, NodeId id, Dir dir, int port) {
  const Node& node = graph.node(id);
  if (node.external()) return node.name;
  return node.name + "." + port_name(spec_of(*node.primitive), node.params, dir, port);
}

}  // namespace

std::string to_text(const SamGraph& graph) {
  std::string text;
  for (const NodeId id : graph.nodes()) {
    const Node& node = graph.node(id);
    if (node.external()) {
      text += fmt::format("external {}\n", node.name);
      continue;
    }
    const std::string params = params_text(node);
    text += fmt::format("block {} = {}{}{}{}\n", node.name, spec_of(*node.primitive).name,
                        params.empty() ? "" : " ", params,
                        node.comment.empty() ? "" : "  # " + node.comment);
  }
  for (const ChannelId id : graph.channels()) {
    const ChannelInfo& c = graph.channel(id);
    text += fmt::format("channel {}: {} -> {} depth {} latency {}{}\n", c.name,
                        end_text(graph, graph.source(id), Dir::kOut, c.from_port),
                        end_text(graph, graph.target(id), Dir::kIn, c.to_port), c.depth, c.latency,
                        c.what.empty() ? "" : "  # " + c.what);
  }
  return text;
}

std::string to_dot(const SamGraph& graph, const std::string& title) {
  std::string text = fmt::format(
      "digraph \"{}\" {{\n  rankdir=TB;\n  node [shape=box, fontname=\"Helvetica\", fontsize=10];\n"
      "  edge [fontname=\"Helvetica\", fontsize=8];\n",
      title);
  for (const NodeId id : graph.nodes()) {
    const Node& node = graph.node(id);
    if (node.external()) {
      text += fmt::format("  n{} [label=\"{}\", shape=ellipse];\n", index(id), node.name);
      continue;
    }
    const std::string params = params_text(node);
    const bool stores = ends_stream(spec_of(*node.primitive));
    text += fmt::format("  n{} [label=\"{}\\n{}{}{}\"{}];\n", index(id), node.name,
                        spec_of(*node.primitive).name, params.empty() ? "" : "\\n", params,
                        stores ? ", style=filled, fillcolor=lightgrey" : "");
  }
  for (const ChannelId id : graph.channels()) {
    const ChannelInfo& c = graph.channel(id);
    text += fmt::format("  n{} -> n{} [label=\"{}\"];\n", index(graph.source(id)),
                        index(graph.target(id)), c.name);
  }
  return text + "}\n";
}

}  // namespace heddle
