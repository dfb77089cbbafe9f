#include "compiler/graph/nests.h"

#include <algorithm>

namespace heddle {

bool operator==(const Loop& a, const Loop& b) {
  const auto same = [](const Loop::Index& x, const Loop::Index& y) {
    return x.name == y.name && x.bits == y.bits;
  };
  return a.crd == b.crd &&
         std::equal(a.indices.begin(), a.indices.end(), b.indices.begin(), b.indices.end(), same);
}

namespace {

bool has(const Nest& nest, int loops) {
  return nest && nest->size() >= static_cast<std::size_t>(loops);
}

/// The loop at a depth of a nest that has it.
Loop& at(Nest& nest, int depth) {
  return (*nest)[nest->size() - 1 - static_cast<std::size_t>(depth)];
}

}  // namespace

Nest Nests::in(int port) const {
  const std::vector<ChannelId> inputs = graph_.inputs(node_);
  return all_[index(inputs[static_cast<std::size_t>(port)])];
}

void Nests::give_one(const Nest& nest, int out) {
  for (const ChannelId c : graph_.outputs(node_))
    if (graph_.channel(c).from_port == out) all_[index(c)] = nest;
}

ChannelId Nests::channel(int out) const {
  const std::vector<ChannelId> outputs = graph_.outputs(node_);
  const auto found = std::find_if(outputs.begin(), outputs.end(),
                                  [&](ChannelId c) { return graph_.channel(c).from_port == out; });
  // In the elastic form every output has a channel; before it, one that nobody reads has none, and
  // then no trace either.
  return found == outputs.end() ? ChannelId{~std::uint32_t{0}} : *found;
}

Nest Nests::enter(Nest nest, int crd) const {
  const std::string& name = graph_.node(node_).index;
  if (!nest || name.empty()) return std::nullopt;
  nest->push_back({{{name}}, channel(crd)});
  return nest;
}

Nest Nests::renew(Nest nest, int crd, int depth) const {
  if (!has(nest, depth + 1)) return std::nullopt;
  at(nest, depth).crd = channel(crd);
  return nest;
}

Nest Nests::fill(Nest nest, int depth) const {
  if (!has(nest, depth + 1)) return std::nullopt;
  at(nest, depth).crd.reset();
  return nest;
}

Nest Nests::leave(Nest nest, int depth) const {
  if (!has(nest, depth + 1)) return std::nullopt;
  nest->erase(nest->end() - 1 - depth);
  return nest;
}

Nest Nests::pack(Nest nest, int crd, int bits) const {
  if (!has(nest, 2)) return std::nullopt;
  Loop inner = std::move(nest->back());
  nest->pop_back();
  Loop& joined = nest->back();
  inner.indices.front().bits = bits;
  for (std::size_t i = 1; i < inner.indices.size(); ++i)
    inner.indices.front().bits -= inner.indices[i].bits;
  joined.indices.insert(joined.indices.end(), inner.indices.begin(), inner.indices.end());
  joined.crd = channel(crd);
  return nest;
}

Nest Nests::unpack_outer(Nest nest, int outer) const {
  if (!has(nest, 1) || nest->back().indices.size() < 2) return std::nullopt;
  Loop& loop = nest->back();
  loop.indices.resize(1);
  loop.crd = channel(outer);
  return nest;
}

Nest Nests::unpack(Nest nest, int outer, int inner) const {
  if (!has(nest, 1) || nest->back().indices.size() < 2) return std::nullopt;
  Loop loop = nest->back();
  loop.indices.erase(loop.indices.begin());
  loop.indices.front().bits = 32;
  loop.crd = channel(inner);
  nest = unpack_outer(std::move(nest), outer);
  nest->push_back(std::move(loop));
  return nest;
}

std::vector<Nest> find_nests(const SamGraph& graph) {
  std::vector<Nest> nests(graph.channel_count());
  // What comes from outside starts a tensor.
  for (const ChannelId c : graph.channels())
    if (graph.node(graph.source(c)).external()) nests[index(c)] = std::vector<Loop>{};
  const auto visit = [&](NodeId node) {
    Nests block(graph, node, nests);
    with_primitive(*graph.node(node).primitive, [&]<class P>() {
      if constexpr (requires { P::nest(block, graph.node(node).params); })
        P::nest(block, graph.node(node).params);
    });
  };
  // Blocks need not be in the order of the streams, so until nothing changes.
  for (std::vector<Nest> before; before != nests;) {
    before = nests;
    for (const NodeId node : graph.nodes())
      if (!graph.node(node).external()) visit(node);
  }
  return nests;
}

namespace {

/// How often loops and fibers ended before a token. A stop of level l ends a fiber of the loop at
/// depth l, and with it an element of the one around it.
struct Place {
  std::vector<std::size_t> passed;  // by depth: elements of the loop that are over
  std::vector<std::size_t> within;  // the same within the fiber

  explicit Place(std::size_t loops) : passed(loops), within(loops) {}
  /// False if the token does not fit the loops.
  bool pass(Token t) {
    if (t.is_done()) return false;
    const std::size_t depth = t.is_stop() ? t.bits + 1 : 0;
    if (depth > passed.size()) return false;
    std::fill(within.begin(), within.begin() + static_cast<std::ptrdiff_t>(depth), 0);
    if (depth == passed.size()) return true;
    ++passed[depth];
    ++within[depth];
    return true;
  }
};

std::optional<std::uint32_t> element_of(const Stream& stream, std::size_t n) {
  for (const Token t : stream)
    if (t.is_element() && n-- == 0) return t.is_val() ? std::optional(t.bits) : std::nullopt;
  return std::nullopt;
}

std::string text_of(const Loop& loop, std::uint32_t number) {
  std::string text;
  std::uint64_t rest = number;
  for (std::size_t i = loop.indices.size(); i-- > 0;) {
    const Loop::Index& part = loop.indices[i];
    const std::uint64_t places = std::uint64_t{1} << (i == 0 ? 32 : part.bits);
    text = fmt::format("{} = {}{}{}", part.name, rest % places, text.empty() ? "" : ", ", text);
    rest /= places;
  }
  return text;
}

}  // namespace

std::optional<std::string> coordinates_of(const std::vector<Loop>& nest,
                                          const std::vector<Stream>& streams, ChannelId channel,
                                          std::size_t n) {
  const Stream& stream = streams[index(channel)];
  if (n >= stream.size() || stream[n].is_done()) return std::nullopt;
  Place place(nest.size());
  for (std::size_t i = 0; i < n; ++i)
    if (!place.pass(stream[i])) return std::nullopt;
  const bool is_end = stream[n].is_stop();
  const std::size_t innermost = is_end ? stream[n].bits + 1 : 0;
  std::string text;
  for (std::size_t depth = nest.size(); depth-- > innermost;) {
    const Loop& loop = nest[nest.size() - 1 - depth];
    const std::optional<std::uint32_t> number =
        !loop.crd ? static_cast<std::uint32_t>(place.within[depth])
        : index(*loop.crd) < streams.size()
            ? element_of(streams[index(*loop.crd)], place.passed[depth])
            : std::nullopt;
    if (!number) return std::nullopt;
    text += (text.empty() ? "" : ", ") + text_of(loop, *number);
  }
  if (text.empty()) return std::nullopt;
  return (is_end ? "end of (" : "(") + text + ")";
}

}  // namespace heddle
