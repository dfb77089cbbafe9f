// Where two runs differ is said by tensor coordinates: those that follow from the data alone.
#include "compiler/driver/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "compiler/graph/nests.h"
#include "compiler/sim/run.h"

namespace heddle {
namespace {

const char* const kProduct =
    "size n = 7, m = 6, d = 5\n"
    "tensor A[n, m]: f32 csr = random(density: 0.4, seed: 1)\n"
    "tensor X[m, d]: f32 csr = random(density: 0.5, seed: 2)\n"
    "tensor Y[n, d]: f32 csr\n"
    "Y[i, f] = A[i, k] * X[k, f]\noutput Y\n";

/// A region with its run in the cycle engine.
struct Traced {
  CompiledRegion compiled;
  RunResult run;
  std::map<TensorId, std::string> tensors;
  std::map<std::string, EntryList> inputs;  // by tensor

  const SamGraph& graph() const { return compiled.graph; }
  ChannelId channel(const std::string& name) const {
    for (const ChannelId c : graph().channels())
      if (graph().channel(c).name == name) return c;
    ADD_FAILURE() << "no channel " << name;
    return {};
  }
  std::vector<Stream> streams() const {
    std::vector<Stream> all(run.trace.size());
    for (std::size_t c = 0; c < all.size(); ++c)
      for (const TraceEvent& e : run.trace[c]) all[c].push_back(e.token);
    return all;
  }
};

std::vector<Traced> trace(const std::string& text) {
  std::vector<Traced> all;
  Diagnostics diag;
  auto program = parse_model(diag.sources().add("model.ein", text), diag);
  auto inputs = program ? bind_data(*program, {}, diag) : std::nullopt;
  if (!inputs) {
    ADD_FAILURE() << diag.text();
    return all;
  }
  const Model model{std::move(*program), std::move(*inputs)};
  std::map<TensorId, std::string> names;
  std::map<std::string, EntryList> by_name;
  for (const auto& [id, list] : model.inputs) {
    names[id] = model.program.tensor(id).name;
    by_name[names[id]] = list;
  }
  std::map<TensorId, Tensor> tensors;
  std::string problem;
  const bool good = compile_schedule(
      model, model.program.schedules[0], {},
      [&](CompiledRegion& region, const RunResult&) {
        RunResult run = run_cycle(region.graph, region.input, Detail::kTrace);
        EXPECT_EQ(run.outcome, Outcome::kFinished) << run.problem;
        all.push_back({region, std::move(run), names, by_name});
        return true;
      },
      tensors, diag, problem);
  EXPECT_TRUE(good) << problem << diag.text();
  return all;
}

using Coordinates = std::vector<std::string>;

/// What is said when one token of a channel is another in the second run.
std::string message(const Traced& t, const std::string& channel, std::size_t token) {
  RunResult other = t.run;
  other.trace[index(t.channel(channel))][token].token.bits ^= 1;
  return first_difference(t.graph(), "cycle", t.run, "rtl", other);
}

/// Every element of the channel, and every innermost stop, is told by its coordinates.
void expect_places(const Traced& t, const std::string& channel, const Coordinates& elements,
                   const Coordinates& ends) {
  const auto& trace = t.run.trace[index(t.channel(channel))];
  std::size_t element = 0, end = 0;
  for (std::size_t n = 0; n < trace.size(); ++n) {
    const Token token = trace[n].token;
    std::string place;
    if (token.is_element() && element < elements.size()) place = "(" + elements[element] + ")";
    if (token.is_stop(0) && end < ends.size()) place = "end of (" + ends[end] + ")";
    element += token.is_element();
    end += token.is_stop(0);
    if (place.empty()) continue;
    const std::string wanted = fmt::format("channel '{}', token {}, {}, cycle {}: cycle has {} ",
                                           channel, n, place, trace[n].pushed, to_text(token));
    const std::string text = message(t, channel, n);
    EXPECT_NE(text.find(wanted), std::string::npos) << text << "\nlacks: " << wanted;
  }
  EXPECT_EQ(element, elements.size()) << channel;
  EXPECT_TRUE(ends.empty() || end == ends.size()) << channel << ": " << end;
}

/// Entries of a matrix as (row, column), in order of rows or of columns.
std::vector<std::pair<unsigned, unsigned>> positions(const EntryList& list, bool by_column) {
  std::vector<std::pair<unsigned, unsigned>> all;
  for (std::size_t n = 0; n < list.size(); ++n) all.push_back({list.entry(n)[0], list.entry(n)[1]});
  std::sort(all.begin(), all.end(), [&](auto a, auto b) {
    if (by_column) std::swap(a.first, a.second), std::swap(b.first, b.second);
    return a < b;
  });
  return all;
}

/// The loops of the product, from the entries alone.
struct Product {
  Coordinates rows, entries, products, results, of_columns;

  explicit Product(const Traced& t) {
    const auto& a = t.inputs.at("A");
    const auto& x = t.inputs.at("X");
    for (unsigned i = 0; i < a.shape[0]; ++i) rows.push_back(fmt::format("i = {}", i));
    std::set<std::pair<unsigned, unsigned>> seen;
    for (const auto& [i, k] : positions(a, false)) {
      entries.push_back(fmt::format("i = {}, k = {}", i, k));
      for (const auto& [row, f] : positions(x, false)) {
        if (row != k) continue;
        products.push_back(fmt::format("i = {}, k = {}, f = {}", i, k, f));
        seen.insert({i, f});
      }
    }
    for (const auto& [i, f] : seen) results.push_back(fmt::format("i = {}, f = {}", i, f));
    for (const auto& [i, k] : positions(a, true))
      for (const auto& [row, f] : positions(x, false))
        if (row == k) of_columns.push_back(fmt::format("i = {}, f = {}", i, f));
  }
};

TEST(FirstDifference, IsToldByCoordinatesOfRows) {
  const std::vector<Traced> regions = trace(std::string(kProduct) + "schedule s { order i, k, f }");
  ASSERT_EQ(regions.size(), 1u);
  const Traced& t = regions[0];
  const Product p(t);
  ASSERT_GT(p.products.size(), 20u);
  ASSERT_LT(p.results.size(), p.products.size());
  expect_places(t, "scan_A_i_crd", p.rows, {});
  expect_places(t, "segment_A_k_lo", p.rows, {});
  expect_places(t, "scan_A_k_crd", p.entries, p.rows);
  expect_places(t, "scan_A_k_pos", p.entries, p.rows);
  expect_places(t, "scan_X_f_crd", p.products, p.entries);
  expect_places(t, "repeat_A_f_out", p.products, p.entries);
  expect_places(t, "load_X_val", p.products, p.entries);
  expect_places(t, "mul_Y_val", p.products, p.entries);
  expect_places(t, "accumulate_Y_k_crd", p.results, p.rows);
  expect_places(t, "accumulate_Y_k_val", p.results, p.rows);
  expect_places(t, "drop_Y_f_val", p.results, p.rows);
}

TEST(FirstDifference, IsToldByCoordinatesOfColumns) {
  // The accumulator's coordinates are two in one number; k is not known where its fibers are one.
  const std::vector<Traced> regions = trace(std::string(kProduct) + "schedule s { order k, i, f }");
  ASSERT_EQ(regions.size(), 1u);
  const Traced& t = regions[0];
  const Product p(t);
  expect_places(t, "mul_Y_val", p.of_columns, {});
  expect_places(t, "pack_Y_k_i_crd", p.of_columns, {});
  expect_places(t, "accumulate_Y_k_crd", p.results, {});
  expect_places(t, "unpack_Y_k_i_val", p.results, {});
  expect_places(t, "fill_Y_i_out", p.results, p.rows);
}

TEST(FirstDifference, IsToldByPositionWhereThereAreNoLoops) {
  const std::vector<Traced> regions = trace(std::string(kProduct) + "schedule s { order i, k, f }");
  ASSERT_EQ(regions.size(), 1u);
  EXPECT_NE(message(regions[0], "from_root", 0).find("token 0, element (0), cycle"),
            std::string::npos);
  const std::size_t last = regions[0].run.trace[index(regions[0].channel("mul_Y_val"))].size() - 1;
  const std::string at_done = message(regions[0], "mul_Y_val", last);
  EXPECT_NE(at_done.find("element (1, 0, 0, 0), cycle"), std::string::npos) << at_done;
}

TEST(FirstDifference, NamesATokenThatOnlyTheSecondRunHas) {
  const std::vector<Traced> regions = trace(std::string(kProduct) + "schedule s { order i, k, f }");
  ASSERT_EQ(regions.size(), 1u);
  const Traced& t = regions[0];
  RunResult cut = t.run;
  auto& events = cut.trace[index(t.channel("scan_A_k_crd"))];
  while (!events.back().token.is_val()) events.pop_back();
  events.pop_back();
  const std::string text = first_difference(t.graph(), "cycle", cut, "rtl", t.run);
  const std::string wanted = "(" + Product(t).entries.back() + ")";
  EXPECT_NE(text.find(wanted), std::string::npos) << text << "\nlacks " << wanted;
  EXPECT_NE(text.find("cycle has nothing"), std::string::npos) << text;
}

/// "(i = 3, k = 17)" -> {i: 3, k: 17}
std::map<std::string, std::uint32_t> parse(const std::string& text) {
  std::map<std::string, std::uint32_t> values;
  std::size_t at = 1;
  while (at < text.size()) {
    const std::size_t equal = text.find(" = ", at);
    const std::size_t end = text.find_first_of(",)", equal);
    values[text.substr(at, equal - at)] =
        static_cast<std::uint32_t>(std::stoul(text.substr(equal + 3, end - equal - 3)));
    at = end + 2;
  }
  return values;
}

/// The values of a tensor's indices, under the names that they have where it is read; nothing if
/// one of them is not there.
std::vector<std::uint32_t> position(const Traced& t, TensorId tensor,
                                    const std::map<std::string, std::uint32_t>& values) {
  for (const View& view : t.compiled.einsum.views) {
    std::vector<std::uint32_t> at;
    for (const IndexId id : view.indices)
      if (const auto v = values.find(t.compiled.einsum.at(id).name); v != values.end())
        at.push_back(v->second);
    if (view.tensor == tensor && at.size() == view.indices.size()) return at;
  }
  return {};
}

/// Loads of input arrays: at its coordinates each value must be what the tensor has there. Returns
/// how many values were looked at.
std::size_t check_loads(const Traced& t) {
  const std::vector<Nest> nests = find_nests(t.graph());
  const std::vector<Stream> streams = t.streams();
  std::size_t checked = 0;
  for (const ChannelId c : t.graph().channels()) {
    const Node& node = t.graph().node(t.graph().source(c));
    if (!node.is<Array>() || !nests[index(c)]) continue;
    const View& view = t.compiled.table.views[node.memories[0].view];
    const auto tensor = t.tensors.find(view.tensor);
    if (tensor == t.tensors.end()) continue;
    std::map<std::vector<std::uint32_t>, std::uint32_t> entries;
    const EntryList& list = t.inputs.at(tensor->second);
    for (std::size_t n = 0; n < list.size(); ++n) {
      const auto at = list.entry(n);
      entries[{at.begin(), at.end()}] = list.vals[n];
    }
    const Stream& stream = streams[index(c)];
    for (std::size_t n = 0; n < stream.size(); ++n) {
      if (!stream[n].is_val()) continue;
      const auto text = coordinates_of(*nests[index(c)], streams, c, n);
      if (!text) {
        ADD_FAILURE() << t.graph().channel(c).name << ", token " << n << " is nowhere";
        return checked;
      }
      const std::vector<std::uint32_t> at = position(t, view.tensor, parse(*text));
      if (at.empty()) continue;  // an index whose fibers are joined
      const auto entry = entries.find(at);
      EXPECT_EQ(entry == entries.end() ? 0 : entry->second, stream[n].bits)
          << t.graph().channel(c).name << ", token " << n << ", " << *text;
      ++checked;
    }
  }
  return checked;
}

TEST(Coordinates, AreThoseOfTheValuesThatAreLoaded) {
  const std::string data =
      "size n = 6\n"
      "tensor A[n, n]: f32 csr = random(density: 0.4, seed: 1)\n"
      "tensor B[n, n]: f32 dcsr = random(density: 0.3, seed: 2)\n"
      "tensor C[n, n]: f32 csc = random(density: 0.5, seed: 3)\n"
      "tensor T[n, n, n]: f32 {compressed, compressed, compressed} = random(density: 0.2, seed: "
      "4)\n"
      "tensor D[n, n]: f32 dense = random(density: 1, seed: 5)\n"
      "tensor x[n]: f32 dense = random(density: 1, seed: 6)\n";
  struct Case {
    std::string statements;
    const char* schedule = "";
  };
  for (const auto& [statements, schedule] :
       {Case{"Y[i, j] = A[i, k] * B[k, j]"}, Case{"Y[i, j] = A[i, j] + B[i, j] + x[i]"},
        Case{"Y[i, j] = A[i, j] * (B[i, k] * C[k, j])"},
        Case{"Y[i, j] = T[i, k, l] * D[k, j] * C[l, j]"},
        Case{"Y[i] = max(j: A[i, j] * x[j]) + x[i]"},
        Case{"S[i] = A[i, j]\nY[i, j] = A[i, j] / S[i]", "schedule s { fuse S, Y }"},
        Case{"Y[j] = B[i, j] * x[i]"}, Case{"Y[i, j] = T[i, j, k] * B[j, k] + D[i, j]"},
        Case{"Y[i, j] = softmax(j: C[i, j])"},
        Case{"P[i, j] = A[i, k] * B[k, j]\nY[i, l] = P[i, j] * D[j, l]",
             "schedule s { fuse P, Y }"},
        Case{"P[i, j] = A[i, k] * B[k, j]\nY[i, l] = P[i, j] * D[j, l]",
             "schedule s { fuse P, Y keep P }"}}) {
    std::size_t checked = 0;
    std::string unused;
    for (const char* name : {"A", "B", "C", "T", "D", "x"})
      if (statements.find(std::string(name) + "[") == std::string::npos) unused += name;
    std::string text;
    std::istringstream lines(data);
    for (std::string line; std::getline(lines, line);)
      if (!line.starts_with("tensor ") || unused.find(line[7]) == std::string::npos)
        text += line + "\n";
    for (const Traced& t : trace(text + statements + "\noutput Y\n" + schedule))
      checked += check_loads(t);
    EXPECT_GT(checked, 5u) << statements;
  }
}

}  // namespace
}  // namespace heddle
