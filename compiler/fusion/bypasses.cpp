#include "compiler/fusion/bypasses.h"

#include <algorithm>
#include <deque>
#include <optional>

namespace heddle {
namespace {

/// The fibers around an element of a stream, outermost first; a fiber may have the coordinates of
/// several indices as one, or of none (a single element).
using Level = std::vector<std::string>;
using Nesting = std::vector<Level>;
using Nestings = std::map<std::pair<NodeId, int>, Nesting>;  // by block and output

bool forms(const Node& node) {
  return !node.external() && (node.is<Reduce>() || node.is<Accumulate>());
}

/// How many levels a reduction or an accumulator takes together.
std::size_t formed_levels(const Node& node) {
  return node.is<Accumulate>() ? static_cast<std::size_t>(node.params[Accumulate::kLevel]) + 1 : 1;
}

void merge_levels(Nesting& nesting, std::size_t outer) {
  if (outer + 1 >= nesting.size()) return;
  nesting[outer].insert(nesting[outer].end(), nesting[outer + 1].begin(), nesting[outer + 1].end());
  nesting.erase(nesting.begin() + static_cast<std::ptrdiff_t>(outer) + 1);
}

/// The input that an output has the fibers of.
int model_input(const Node& node, int out) {
  if (node.is<Repeat>()) return Repeat::kCrd;
  if (node.is<Fill>()) return Fill::kIn;
  if (node.is<CrdDrop>()) return out == CrdDrop::kInner ? CrdDrop::kInnerIn : CrdDrop::kOuterIn;
  if (node.is<Pack>()) return Pack::kInner;
  return 0;
}

/// What a block makes of the fibers of that input.
void change(Nesting& nesting, const Node& node, int out, const Nesting* second) {
  if (node.is<ScanDense>() || node.is<ScanCompressed>() || node.is<ScanSkip>() ||
      node.is<Singleton>()) {
    nesting.push_back(node.is<Singleton>() ? Level{} : Level{node.index});
  } else if (node.is<Reduce>()) {
    if (!nesting.empty()) nesting.pop_back();
  } else if (node.is<Accumulate>()) {
    if (nesting.empty()) return;
    Level inner = nesting.back();
    // Of fibers that were joined before, the first index is the reduced one.
    if (node.params[Accumulate::kLevel] == 0 && inner.size() > 1) inner.erase(inner.begin());
    nesting.resize(nesting.size() - std::min(nesting.size(), formed_levels(node)));
    nesting.push_back(std::move(inner));
  } else if (node.is<Flatten>()) {
    const auto level = static_cast<std::size_t>(node.params[Flatten::kLevel]);
    if (nesting.size() >= level + 2) merge_levels(nesting, nesting.size() - level - 2);
  } else if (node.is<Pack>()) {
    if (nesting.size() >= 2) merge_levels(nesting, nesting.size() - 2);
  } else if (node.is<Unpack>() && !nesting.empty()) {
    Level& all = nesting.back();
    const Level rest(all.begin() + (all.empty() ? 0 : 1), all.end());
    if (!all.empty()) all.resize(1);
    if (out != Unpack::kOuter) nesting.push_back(rest);
  } else if (node.is<Pick>() && second != nullptr) {
    const auto depth = static_cast<std::size_t>(node.params[Pick::kDepth]);
    if (second->size() >= depth)
      nesting.insert(nesting.end(), second->end() - static_cast<std::ptrdiff_t>(depth),
                     second->end());
  }
}

Nestings nestings_of(const SamGraph& graph) {
  Nestings known;
  const auto nesting_at = [&](NodeId id, int input) -> const Nesting* {
    const ChannelId c = graph.inputs(id)[static_cast<std::size_t>(input)];
    const auto found = known.find({graph.source(c), graph.channel(c).from_port});
    return found == known.end() ? nullptr : &found->second;
  };
  for (bool any = true; any;) {
    any = false;
    for (const NodeId id : graph.nodes()) {
      const Node& node = graph.node(id);
      for (int out = 0; out < graph.output_ports(id); ++out) {
        if (known.count({id, out}) > 0) continue;
        Nesting nesting;
        if (!node.external()) {
          const Nesting* model = nesting_at(id, model_input(node, out));
          const Nesting* second = node.is<Pick>() ? nesting_at(id, Pick::kIn) : nullptr;
          if (model == nullptr || (node.is<Pick>() && second == nullptr)) continue;
          nesting = *model;
          change(nesting, node, out, second);
        }
        known[{id, out}] = std::move(nesting);
        any = true;
      }
    }
  }
  return known;
}

class Bypasses {
 public:
  Bypasses(const SamGraph& graph, const FusedEinsum& einsum)
      : graph_(graph), einsum_(einsum), nestings_(nestings_of(graph)) {}

  std::map<ChannelId, Bypass> run(const std::vector<ChannelId>& channels) {
    for (const ChannelId c : channels)
      if (graph_.inputs(graph_.target(c)).size() > 1) look_back(c);
    return std::move(found_);
  }

 private:
  /// A way back from a channel to a block that feeds it.
  struct Way {
    NodeId from{};
    std::vector<NodeId> blocks;     // between, without the ends
    std::size_t held = 0;           // places for tokens of this kind on the way, before the channel
    bool same = true;               // all of them so far were of this kind
    std::size_t formed = SIZE_MAX;  // levels outside what is formed on the way, at least
  };

  const Nesting* nesting(ChannelId c) const {
    const auto found = nestings_.find({graph_.source(c), graph_.channel(c).from_port});
    return found == nestings_.end() ? nullptr : &found->second;
  }
  /// Levels outside the fiber that a block forms a value of.
  std::size_t outside(NodeId former) const {
    const Nesting* in = nesting(graph_.inputs(former)[0]);
    if (in == nullptr) return SIZE_MAX;
    return in->size() - std::min(in->size(), formed_levels(graph_.node(former)));
  }

  // The shortest way to each block before; from there, the other ways to where the channel ends.
  void look_back(ChannelId channel) {
    const Nesting* own = nesting(channel);
    if (own == nullptr || own->empty()) return;
    std::vector<bool> reached(graph_.node_count(), false);
    std::deque<Way> ways{{graph_.source(channel), {}, 0, true, SIZE_MAX}};
    reached[index(graph_.target(channel))] = true;
    while (!ways.empty()) {
      const Way way = ways.front();
      ways.pop_front();
      if (reached[index(way.from)]) continue;
      reached[index(way.from)] = true;
      if (graph_.outputs(way.from).size() > 1) compare(channel, *own, way);
      if (graph_.node(way.from).external()) continue;
      for (const ChannelId c : graph_.inputs(way.from)) {
        Way longer = way;
        longer.from = graph_.source(c);
        longer.blocks.push_back(way.from);
        longer.same = way.same && nesting(c) != nullptr && *nesting(c) == *own;
        longer.held += longer.same ? 1 : 0;
        if (forms(graph_.node(way.from)))
          longer.formed = std::min(longer.formed, outside(way.from));
        ways.push_back(std::move(longer));
      }
    }
  }

  /// The blocks before or after `start` that do not lie on the direct way.
  std::vector<bool> reach(NodeId start, const std::vector<bool>& barred, bool forward) const {
    std::vector<bool> reached(graph_.node_count(), false);
    std::deque<NodeId> work{start};
    while (!work.empty()) {
      const NodeId id = work.front();
      work.pop_front();
      for (const ChannelId c : forward ? graph_.outputs(id) : graph_.inputs(id)) {
        const NodeId next = forward ? graph_.target(c) : graph_.source(c);
        if (reached[index(next)] || barred[index(next)]) continue;
        reached[index(next)] = true;
        work.push_back(next);
      }
    }
    return reached;
  }

  void compare(ChannelId channel, const Nesting& own, const Way& way) {
    std::vector<bool> barred(graph_.node_count(), false);
    for (const NodeId id : way.blocks) barred[index(id)] = true;
    const NodeId meet = graph_.target(channel);
    barred[index(meet)] = barred[index(way.from)] = true;
    const std::vector<bool> after = reach(way.from, barred, true);
    const std::vector<bool> before = reach(meet, barred, false);
    for (const NodeId id : graph_.nodes()) {
      if (!after[index(id)] || !before[index(id)] || !forms(graph_.node(id))) continue;
      const std::size_t levels = outside(id);
      // What is formed on the direct way itself, of as much or more, comes no sooner.
      if (levels < own.size() && levels < way.formed) note(channel, own, levels, way.held, id);
    }
  }

  void note(ChannelId channel, const Nesting& own, std::size_t outer, std::size_t held,
            NodeId former) {
    const Nesting fiber(own.begin() + static_cast<std::ptrdiff_t>(outer), own.end());
    const std::uint64_t tokens = count(fiber, 0) + 1;
    Bypass bypass{former, {}, {}, tokens - std::min<std::uint64_t>(held, tokens - 1)};
    Bypass& best = found_[channel];
    if (best.value >= bypass.value) return;
    const auto rest = static_cast<long>(held) - 1;
    bypass.bound = text(fiber, 0);
    if (rest != 0) bypass.bound += fmt::format(" {} {}", rest < 0 ? "+" : "-", std::abs(rest));
    std::string names;
    for (const Level& level : fiber)
      for (const std::string& index : level) names += (names.empty() ? "" : ", ") + index;
    bypass.fiber = (fiber.size() == 1 ? "a fiber of " : "all fibers of ") + names;
    best = std::move(bypass);
  }

  std::uint64_t extent(const Level& level) const {
    std::uint64_t n = 1;
    for (const std::string& index : level)
      for (const FusedIndex& i : einsum_.indices)
        if (i.name == index) n *= i.extent;
    return n;
  }
  std::string name(const Level& level) const {
    std::string text;
    for (const std::string& index : level) {
      text += text.empty() ? "" : " * ";
      for (const FusedIndex& i : einsum_.indices)
        if (i.name == index)
          text += i.block == 1 ? index : fmt::format("ceil({} / {})", index, i.block);
    }
    return text.empty() ? "1" : text;
  }

  /// Tokens of the fibers from `level` inwards, without the last stop.
  std::uint64_t count(const Nesting& fiber, std::size_t level) const {
    const std::uint64_t inner = level + 1 == fiber.size() ? 1 : count(fiber, level + 1) + 1;
    return extent(fiber[level]) * inner;
  }
  std::string text(const Nesting& fiber, std::size_t level) const {
    if (level + 1 == fiber.size()) return name(fiber[level]);
    return fmt::format("{} * ({} + 1)", name(fiber[level]), text(fiber, level + 1));
  }

  const SamGraph& graph_;
  const FusedEinsum& einsum_;
  Nestings nestings_;
  std::map<ChannelId, Bypass> found_;
};

}  // namespace

std::map<ChannelId, Bypass> find_bypasses(const SamGraph& graph, const FusedEinsum& einsum,
                                          const std::vector<ChannelId>& channels) {
  return Bypasses(graph, einsum).run(channels);
}

}  // namespace heddle
