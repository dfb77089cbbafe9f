// SamGraph: blocks and the channels between them, by strong ids; Boost.Graph for algorithms.
//
// A dataflow graph may have outputs with any number of readers; the elastic form, which engines and
// netlists take, has exactly one producer and one consumer per channel, and a depth for each
// (passes.h).
#pragma once

#include <boost/graph/adjacency_list.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/primitives/registry.h"
#include "compiler/support/check.h"

namespace heddle {

enum class NodeId : std::uint32_t {};
enum class ChannelId : std::uint32_t {};
constexpr std::size_t index(NodeId id) { return static_cast<std::size_t>(id); }
constexpr std::size_t index(ChannelId id) { return static_cast<std::size_t>(id); }

/// Where the value of a register comes from when data is bound.
struct RegisterSource {
  enum class Kind : std::uint8_t { kUnused, kIndexSize, kConstant };
  Kind kind = Kind::kUnused;
  std::uint32_t value = 0;  // kIndexSize: an index of the region; kConstant: the word
};

/// Which array a memory holds. A kept array is written by one block and read by others of the same
/// graph; of one that is stored too, the writer's memory is an output.
struct MemorySource {
  enum class Kind : std::uint8_t { kScratch, kInput, kOutput, kKept };
  enum class Array : std::uint8_t {
    kSeg,
    kCrd,
    kVals,
    kBits,  // of tiles: which places have an entry
  };
  Kind kind = Kind::kScratch;
  std::uint32_t view = 0;  // of the region: an input view, or a result
  Array array{};
  int level = 0;  // of values in tiles: the place; of bits: which 32 places
  int lane = 0;   // kOutput: of a result of which each lane stores its part
  bool same_array(const MemorySource& o) const {
    return view == o.view && array == o.array && level == o.level && lane == o.lane;
  }
};

/// A block, or the end of a channel outside the graph (no primitive, one port).
struct Node {
  std::string name;
  std::optional<PrimitiveId> primitive;
  Params params;
  std::vector<RegisterSource> registers;  // in row order
  std::vector<MemorySource> memories;     // in row order
  std::string comment;                    // what it does in terms of the model
  std::string index;                      // whose coordinates it scans
  std::string tensor;                     // which it scans, loads, computes; may be empty
  int beside = 0;  // blocks of one number do the same side by side, in step; 0: it stands alone

  bool external() const { return !primitive.has_value(); }
  template <class P>
  bool is() const {
    return primitive == id_of<P>();
  }
};

struct ChannelInfo {
  std::string name;
  int from_port = 0;
  int to_port = 0;
  int latency = 1;       // cycles from push to visible
  int depth = 2;         // tokens
  int least = 1;         // no depth below this
  int nesting = 0;       // fibers around an element, where known
  bool in_step = false;  // from a fork to blocks side by side: the channel before it can hold more
  std::string what;      // what flows, in terms of the model: "crd j of A"
};

class SamGraph {
 public:
  NodeId add(std::string name, PrimitiveId primitive, Params params, std::string comment = {});
  template <class P>
  NodeId add(std::string name, Params params = default_params(P::kSpec), std::string comment = {}) {
    return add(std::move(name), id_of<P>(), params, std::move(comment));
  }
  NodeId add_external(std::string name);
  ChannelId connect(NodeId from, int out, NodeId to, int in, std::string name,
                    std::string what = {});
  /// Makes `channel` start at another output.
  void move_source(ChannelId channel, NodeId from, int out);

  std::size_t node_count() const { return nodes_.size(); }
  std::size_t channel_count() const { return channels_.size(); }
  const Node& node(NodeId id) const { return nodes_[index(id)]; }
  Node& node(NodeId id) { return nodes_[index(id)]; }
  const ChannelInfo& channel(ChannelId id) const { return channels_[index(id)].info; }
  ChannelInfo& channel(ChannelId id) { return channels_[index(id)].info; }
  NodeId source(ChannelId id) const { return channels_[index(id)].from; }
  NodeId target(ChannelId id) const { return channels_[index(id)].to; }
  /// Channels in port order; with several readers of one output, in the order they were connected.
  std::vector<ChannelId> inputs(NodeId id) const;
  std::vector<ChannelId> outputs(NodeId id) const;
  int input_ports(NodeId id) const;
  int output_ports(NodeId id) const;
  std::vector<NodeId> nodes() const;
  std::vector<ChannelId> channels() const;

  /// A memory of a block.
  struct MemoryOf {
    NodeId node{};
    std::size_t memory = 0;
  };
  /// The memory that a block reads while another one writes it; none if the host loads it.
  std::optional<MemoryOf> kept_writer(NodeId reader, std::size_t memory) const;
  /// Whether a memory is kept on chip, so that the host neither loads nor reads it.
  bool on_chip(NodeId id, std::size_t memory) const {
    const auto& sources = node(id).memories;
    return memory < sources.size() && sources[memory].kind == MemorySource::Kind::kKept;
  }

  /// The same graph for Boost's algorithms; a vertex is a node's number, an edge's property its
  /// channel.
  using Boost = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS,
                                      boost::no_property, ChannelId>;
  Boost boost_graph() const;

 private:
  struct Channel {
    NodeId from{}, to{};
    ChannelInfo info;
  };
  std::vector<Node> nodes_;
  std::vector<Channel> channels_;
  std::vector<std::vector<ChannelId>> ins_, outs_;  // by node, in the order of channels
};

enum class Form : std::uint8_t { kDataflow, kElastic };
/// Checks the invariants of a form; aborts naming the broken one (a broken graph is a bug).
void verify(const SamGraph& graph, Form form);

/// One line per node and channel, in a form made to be read and compared.
std::string to_text(const SamGraph& graph);
/// Graphviz text with channel names.
std::string to_dot(const SamGraph& graph, const std::string& title);

}  // namespace heddle
