#include "compiler/driver/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "compiler/graph/nests.h"

namespace heddle {

std::string compare_memories(const SamGraph& graph, const RunResult& a, const RunResult& b) {
  for (const NodeId id : graph.nodes()) {
    if (graph.node(id).external()) continue;
    const PrimitiveSpec& spec = spec_of(*graph.node(id).primitive);
    const std::size_t n = index(id);
    for (std::size_t s = 0; s < spec.statuses.size(); ++s)
      if (a.statuses[n][s] != b.statuses[n][s])
        return fmt::format("'{}' says {} = {}, expected {}", graph.node(id).name,
                           spec.statuses[s].name, b.statuses[n][s], a.statuses[n][s]);
    for (std::size_t m = 0; m < spec.memories.size(); ++m) {
      if (spec.memories[m].use != MemorySpec::Use::kWrite || graph.on_chip(id, m)) continue;
      const auto& x = a.memories[n][m];
      const auto& y = b.memories[n][m];
      for (std::size_t w = 0; w < std::max(x.size(), y.size()); ++w)
        if (w >= x.size() || w >= y.size() || x[w] != y[w])
          return fmt::format("'{}.{}' differs at word {}: {:#010x}, expected {:#010x}",
                             graph.node(id).name, spec.memories[m].name, w, w < y.size() ? y[w] : 0,
                             w < x.size() ? x[w] : 0);
    }
  }
  return {};
}

bool same_timing(const RunResult& a, const RunResult& b) {
  return a.cycles == b.cycles && a.counters == b.counters && a.hashes == b.hashes;
}

namespace {

/// Which element of its nest a token of a stream is: "2, 0, 5" by position within each level.
std::string position_of(const std::vector<TraceEvent>& trace, std::size_t n) {
  std::vector<std::size_t> at;
  for (std::size_t i = 0; i < n && i < trace.size(); ++i) {
    const Token t = trace[i].token;
    if (t.is_element()) {
      if (at.empty()) at.push_back(0);
      ++at[0];
    } else if (t.is_stop()) {
      while (at.size() <= t.bits + 1) at.push_back(0);
      for (std::size_t l = 0; l <= t.bits; ++l) at[l] = 0;
      ++at[t.bits + 1];
    }
  }
  std::string text;
  for (std::size_t l = at.size(); l-- > 0;)
    text += (text.empty() ? "" : ", ") + std::to_string(at[l]);
  return text.empty() ? "0" : text;
}

std::vector<Stream> streams_of(const RunResult& run) {
  std::vector<Stream> streams(run.trace.size());
  for (std::size_t c = 0; c < streams.size(); ++c)
    for (const TraceEvent& e : run.trace[c]) streams[c].push_back(e.token);
  return streams;
}

/// The coordinates of a token by the names of their indices; where the loops around it are not
/// known, its position.
std::string place_of(const SamGraph& graph, const RunResult& run, ChannelId channel,
                     std::size_t token) {
  const Nest nest = find_nests(graph)[index(channel)];
  std::optional<std::string> text;
  if (nest) text = coordinates_of(*nest, streams_of(run), channel, token);
  return text ? *text : fmt::format("element ({})", position_of(run.trace[index(channel)], token));
}

std::string event_text(const std::vector<TraceEvent>& trace, std::size_t n) {
  if (n >= trace.size()) return "nothing";
  return fmt::format("{} pushed in cycle {} and taken in cycle {}", to_text(trace[n].token),
                     trace[n].pushed, trace[n].popped);
}

}  // namespace

std::string first_difference(const SamGraph& graph, const char* a_name, const RunResult& a,
                             const char* b_name, const RunResult& b) {
  std::optional<ChannelId> where;
  std::size_t token = 0;
  std::uint64_t when = 0;
  for (const ChannelId c : graph.channels()) {
    if (a.trace.size() <= index(c) || b.trace.size() <= index(c)) continue;
    const auto& x = a.trace[index(c)];
    const auto& y = b.trace[index(c)];
    for (std::size_t n = 0; n < std::max(x.size(), y.size()); ++n) {
      if (n < x.size() && n < y.size() && x[n] == y[n]) continue;
      std::uint64_t t = ~std::uint64_t{0};
      if (n < x.size()) t = std::min(t, x[n].pushed);
      if (n < y.size()) t = std::min(t, y[n].pushed);
      if (!where || t < when) {
        where = c;
        token = n;
        when = t;
      }
      break;
    }
  }
  if (!where)
    return fmt::format("{} takes {} cycles, {} takes {}", a_name, a.cycles, b_name, b.cycles);
  const auto& x = a.trace[index(*where)];
  const auto& y = b.trace[index(*where)];
  return fmt::format(
      "first difference at channel '{}', token {}, {}, cycle {}: {} has {}; {} has {}",
      graph.channel(*where).name, token, place_of(graph, token < x.size() ? a : b, *where, token),
      when, a_name, event_text(x, token), b_name, event_text(y, token));
}

namespace {

double number(std::uint32_t bits, ValueType type) {
  if (type == ValueType::kI32) return static_cast<double>(static_cast<std::int32_t>(bits));
  float f;
  std::memcpy(&f, &bits, sizeof f);
  return static_cast<double>(f);
}

std::string position_text(const std::vector<std::uint32_t>& shape, std::size_t at) {
  std::vector<std::size_t> crd(shape.size());
  for (std::size_t m = shape.size(); m-- > 0;) {
    crd[m] = at % shape[m];
    at /= shape[m];
  }
  return fmt::format("[{}]", fmt::join(crd, ", "));
}

}  // namespace

OutputReport compare_output(const std::string& name, const Tensor& tensor,
                            const ReferenceTensor& reference, bool structure) {
  OutputReport report;
  report.name = name;
  const EntryList stored = unpack(tensor);
  report.stored = stored.size();
  const bool all_sparse = std::none_of(tensor.format.levels.begin(), tensor.format.levels.end(),
                                       [](LevelKind k) { return k == LevelKind::kDense; });
  std::vector<bool> seen(reference.value.size(), false);
  std::size_t worst = 0;
  const auto fail = [&](std::size_t at, const std::string& what) {
    report.within_bound = false;
    if (report.difference.empty())
      report.difference = fmt::format("{}{} {}", name, position_text(reference.shape, at), what);
  };
  const auto compare = [&](std::size_t at, double value) {
    const double want = reference.value[at];
    if (std::isnan(want) || std::isnan(value)) {
      if (std::isnan(want) != std::isnan(value))
        fail(at, fmt::format("is {}, the reference is {}", value, want));
      return;
    }
    if (value == want) return;
    const double error = std::isinf(value) || std::isinf(want)
                             ? std::numeric_limits<double>::infinity()
                             : std::abs(value - want);
    // A value beyond the range of f32 becomes infinite.
    const bool overflow = std::isinf(value) && std::abs(want) + reference.bound[at] > 3.4028234e38;
    if (overflow) return;
    if (error > report.max_abs_error) {
      report.max_abs_error = error;
      worst = at;
    }
    if (!(error <= reference.bound[at]))
      fail(at, fmt::format("is {:.9g}, the reference is {:.9g} within {:.3g}", value, want,
                           reference.bound[at]));
  };
  for (std::size_t n = 0; n < stored.size(); ++n) {
    std::size_t at = 0;
    for (std::size_t m = 0; m < stored.shape.size(); ++m)
      at = at * stored.shape[m] + stored.entry(n)[m];
    seen[at] = true;
    compare(at, number(stored.vals[n], tensor.type));
    if (structure && all_sparse && stored.rank() > 0 && !reference.present[at])
      fail(at, "is stored, but nothing contributes to it");
  }
  for (std::size_t at = 0; at < seen.size(); ++at) {
    if (seen[at]) continue;
    compare(at, 0.0);
    if (structure && !tensor.format.all_dense() && reference.present[at])
      fail(at, "is not stored, but something contributes to it");
  }
  if (!reference.bound.empty()) report.bound = reference.bound[worst];
  return report;
}

}  // namespace heddle
