// Depths of channels: what `depth auto`, `depth min` and given depths promise, on whole models.
#include "compiler/driver/depths.h"

#include <gtest/gtest.h>

#include "compiler/graph/passes.h"
#include "compiler/netlist/netlist.h"
#include "systemc/run_systemc.h"
#include "testbench/run_rtl.h"
#include "tests/models/random_models.h"

namespace heddle {
namespace {

std::optional<Model> model_of(const std::string& text, Diagnostics& diag) {
  auto program = parse_model(diag.sources().add("depths.ein", text), diag);
  if (!program) return std::nullopt;
  auto inputs = bind_data(*program, {}, diag);
  if (!inputs) return std::nullopt;
  return Model{std::move(*program), std::move(*inputs)};
}

/// The regions of the model's first schedule with their depths.
std::vector<CompiledRegion> regions_of(const std::string& text) {
  Diagnostics diag;
  std::vector<CompiledRegion> regions;
  const auto model = model_of(text, diag);
  EXPECT_TRUE(model) << text << diag.text();
  if (!model) return regions;
  std::map<TensorId, Tensor> tensors;
  std::string problem;
  const auto visit = [&](CompiledRegion& region, const RunResult&) {
    regions.push_back(region);
    return true;
  };
  const bool good =
      compile_schedule(*model, model->program.schedules[0], {}, visit, tensors, diag, problem);
  EXPECT_TRUE(good || diag.has_errors()) << text << problem;
  return regions;
}

RunResult run(const CompiledRegion& region) { return run_cycle(region.graph, region.input); }

RunResult run_with(CompiledRegion region, ChannelId channel, int depth) {
  region.graph.channel(channel).depth = depth;
  return run(region);
}

const char* const kSoftmax =
    "tensor X[n, d]: f32 <F> = random(density: <P>, seed: 1)\nsize n = 5, d = 23\n"
    "Y[i, j] = softmax(j: X[i, j])\noutput Y\n";
const char* const kNorm =
    "tensor X[n, d]: f32 <F> = random(density: <P>, seed: 1)\nsize n = 5, d = 23\n"
    "Y[i, j] = layernorm(j: X[i, j], 0.001)\noutput Y\n";
const char* const kLayers =
    "tensor A[n, n]: f32 <F> = random(density: <P>, seed: 1)\n"
    "tensor X[n, d]: f32 csr = random(density: 0.4, seed: 2)\n"
    "tensor W[d, h]: f32 dense = random(seed: 3)\ntensor b[h]: f32 dense = random(seed: 4)\n"
    "size n = 19, d = 7, h = 6\n"
    "T[i, f] = A[i, k] * X[k, f]\nH[i, u] = relu(T[i, f] * W[f, u] + b[u])\n"
    "S[i, u] = A[i, k] * H[k, u]\nY[i, u] = softmax(u: S[i, u])\noutput Y\n";

std::string filled(std::string text, const std::string& format, const std::string& density) {
  text.replace(text.find("<F>"), 3, format);
  return text.replace(text.find("<P>"), 3, density);
}

std::vector<std::string> models() {
  std::vector<std::string> list;
  for (const char* density : {"1", "0.4", "0"})
    for (const char* format : {"dense", "csr"}) {
      list.push_back(filled(kSoftmax, format, density));
      list.push_back(filled(kNorm, format, density));
      for (const char* schedule :
           {"{ <D> }", "{ <D> fuse T, H fuse S, Y }", "{ <D> fuse T, H, S, Y }",
            "{ <D> fuse T, H, S, Y keep H }", "{ <D> parallel i by 3 fuse T, H fuse S, Y }"})
        list.push_back(filled(kLayers, format, density) + "schedule s " + schedule + "\n");
    }
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const std::string text = RandomModel(seed).text();
    Diagnostics diag;
    if (model_of(text, diag)) list.push_back(text.substr(0, text.find("schedule")));
  }
  return list;
}

std::string with_depth(std::string text, const std::string& line) {
  const std::size_t at = text.find("<D>");
  if (at == std::string::npos) return text + "schedule s { " + line + " }\n";
  return text.replace(at, 3, line);
}

TEST(Depths, AsManyPlacesAsWereInUseDelayNothing) {
  for (const std::string& text : models())
    for (CompiledRegion& region : regions_of(with_depth(text, "depth auto"))) {
      set_depths(region.graph, kUnbounded);
      const RunResult unbounded = run(region);
      ASSERT_EQ(unbounded.outcome, Outcome::kFinished) << text;
      for (const ChannelId c : region.graph.channels())
        region.graph.channel(c).depth =
            std::max(region.graph.channel(c).least, static_cast<int>(unbounded.most[index(c)]));
      const RunResult bounded = run(region);
      ASSERT_EQ(bounded.hashes, unbounded.hashes) << text;
      ASSERT_EQ(bounded.counters, unbounded.counters) << text;
    }
}

TEST(Depths, AutoLosesNoCyclesAndSaysWhatLessWouldDo) {
  std::size_t deep = 0;
  for (const std::string& text : models())
    for (const CompiledRegion& region : regions_of(with_depth(text, "depth auto"))) {
      CompiledRegion unbounded = region;
      set_depths(unbounded.graph, kUnbounded);
      const RunResult sized = run(region);
      ASSERT_EQ(sized.outcome, Outcome::kFinished) << text << sized.problem;
      ASSERT_EQ(sized.cycles, run(unbounded).cycles) << text;
      ASSERT_EQ(region.unbounded_cycles, sized.cycles) << text;
      if (region.timed) {
        ASSERT_EQ(region.timed->hashes, sized.hashes) << text;
      }
      for (const DeepChannel& c : region.deep) {
        ++deep;
        ASSERT_EQ(region.graph.channel(c.channel).depth, c.depth) << text;
        ASSERT_TRUE(c.tried && c.deadlocks_with + c.loses_with > 0) << text << c.name;
        if (c.deadlocks_with > 0) {
          ASSERT_EQ(run_with(region, c.channel, c.deadlocks_with).outcome, Outcome::kDeadlock)
              << text << c.name;
        }
        if (c.loses_with > 0) {
          ASSERT_GT(run_with(region, c.channel, c.loses_with).cycles, sized.cycles)
              << text << c.name;
        }
      }
    }
  EXPECT_GT(deep, 20u);
}

TEST(Depths, MinCannotBeLessAnywhere) {
  std::size_t deep = 0;
  for (const std::string& text : models())
    for (const CompiledRegion& region : regions_of(with_depth(text, "depth min"))) {
      const RunResult sized = run(region);
      ASSERT_EQ(sized.outcome, Outcome::kFinished) << text << sized.problem;
      if (region.timed) {
        ASSERT_EQ(region.timed->hashes, sized.hashes) << text;
      }
      for (const ChannelId c : region.graph.channels()) {
        const int depth = region.graph.channel(c).depth;
        if (depth == region.graph.channel(c).least) continue;
        ++deep;
        const RunResult less = run_with(region, c, depth - 1);
        ASSERT_EQ(less.outcome, Outcome::kDeadlock) << text << region.graph.channel(c).name;
        CompiledRegion shallow = region;
        shallow.graph.channel(c).depth = depth - 1;
        bool named = false;  // the cycle of the deadlock has the channel
        for (const Wait& w : blocked_cycle(shallow.graph, less.fill))
          named = named || (w.channel == c && w.full);
        ASSERT_TRUE(named) << text << less.problem;
      }
    }
  EXPECT_GT(deep, 20u);
}

// The channels behind the blocks that scan, load, compute or write a tensor, forks or not.
TEST(Depths, OfATensorAreGiven) {
  const std::string text = filled(kLayers, "csr", "0.4");
  const auto count = [](const CompiledRegion& region, int depth) {
    std::map<std::string, int> found;
    for (const ChannelId c : region.graph.channels())
      if (region.graph.channel(c).depth == depth) ++found[region.graph.channel(c).name];
    return found;
  };
  const auto regions =
      regions_of(text + "schedule s { depth X 77 fuse T, H depth W 33 depth 5 }\n");
  ASSERT_EQ(regions.size(), 3u);
  const auto x = count(regions[0], 77), w = count(regions[0], 33);
  EXPECT_EQ(x.count("scan_X_f_crd"), 1u);
  EXPECT_EQ(x.count("load_X_val"), 1u);
  EXPECT_EQ(w.count("load_W_val"), 1u);
  EXPECT_EQ(x.size() + w.size() + count(regions[0], 5).size(), regions[0].graph.channel_count());
  EXPECT_TRUE(count(regions[1], 77).empty());  // it does not read X
}

TEST(Depths, GivenOnesThatDeadlockAreLeftAlone) {
  const auto regions = regions_of(with_depth(filled(kSoftmax, "dense", "1"), "depth Y 1"));
  ASSERT_EQ(regions.size(), 1u);
  const RunResult stuck = run(regions[0]);
  EXPECT_EQ(stuck.outcome, Outcome::kDeadlock);
  EXPECT_NE(stuck.problem.find("cycle of blocked channels"), std::string::npos) << stuck.problem;
}

// Mixed: the rest of a region is sized so that no cycles are lost against the given part.
TEST(Depths, GivenAutoAndMinInOneRegion) {
  for (const char* lines :
       {"depth X 40", "depth min depth X 50", "depth X min", "depth 30 depth Y auto"}) {
    const auto regions = regions_of(with_depth(filled(kNorm, "dense", "1"), lines));
    ASSERT_EQ(regions.size(), 1u);
    const RunResult sized = run(regions[0]);
    EXPECT_EQ(sized.outcome, Outcome::kFinished) << lines << sized.problem;
    if (regions[0].timed) {
      EXPECT_EQ(regions[0].timed->hashes, sized.hashes) << lines;
    }
  }
}

std::string of_sizes(const std::string& macro, int rows, int columns, const std::string& format,
                     const std::string& density) {
  return fmt::format(
      "tensor X[n, d]: f32 {} = random(density: {}, seed: 1)\nsize n = {}, d = {}\n"
      "Y[i, j] = {}\noutput Y\nschedule s {{ depth min }}\n",
      format, density, rows, columns, macro);
}

const std::vector<std::string> kReduceThenBroadcast{
    "softmax(j: X[i, j])", "layernorm(j: X[i, j], 0.001)", "rmsnorm(j: X[i, j], 0.001)"};

TEST(Depths, BoundsOfBypassesAreTheLeastWhereFibersAreFull) {
  for (const std::string& macro : kReduceThenBroadcast)
    for (const int size : {1, 2, 5, 16, 17}) {
      const auto regions = regions_of(of_sizes(macro, 3, size, "dense", "1"));
      ASSERT_EQ(regions.size(), 1u);
      const CompiledRegion& region = regions[0];
      const auto bypasses = find_bypasses(region.graph, region.einsum, region.graph.channels());
      std::size_t whole = 0;  // those that hold a fiber and its end
      for (const ChannelId c : region.graph.channels()) {
        const ChannelInfo& channel = region.graph.channel(c);
        if (channel.depth == 1) continue;
        const auto found = bypasses.find(c);
        ASSERT_NE(found, bypasses.end()) << macro << channel.name;
        EXPECT_EQ(static_cast<std::uint64_t>(channel.depth), found->second.value)
            << macro << size << channel.name;
        if (channel.depth == size + 1) ++whole;
      }
      EXPECT_GE(whole, 2u) << macro << size;
    }
}

TEST(Depths, BoundsOfBypassesAreEnoughForAnyData) {
  std::vector<std::string> texts;
  for (const std::string& macro : kReduceThenBroadcast)
    for (const char* format : {"dense", "csr", "dcsr"})
      for (const char* density : {"0", "0.2", "0.6", "1"})
        for (const int size : {1, 9}) texts.push_back(of_sizes(macro, 6, size, format, density));
  for (const std::string& text : texts)
    for (CompiledRegion& region : regions_of(text)) {
      set_depths(region.graph, 1);
      for (const auto& [c, bypass] :
           find_bypasses(region.graph, region.einsum, region.graph.channels()))
        region.graph.channel(c).depth = static_cast<int>(bypass.value);
      const RunResult result = run(region);
      ASSERT_EQ(result.outcome, Outcome::kFinished) << text << result.problem;
    }
}

TEST(Depths, BoundsAreToldInTermsOfIndices) {
  const auto regions = regions_of(of_sizes("softmax(j: X[i, j])", 3, 64, "dense", "1"));
  ASSERT_EQ(regions.size(), 1u);
  bool found = false;
  for (const DeepChannel& c : regions[0].deep) {
    if (c.name != "div_Y_a") continue;
    found = true;
    ASSERT_TRUE(c.bypass);
    EXPECT_EQ(c.bypass->bound, "j_3 + 1");
    EXPECT_EQ(c.bypass->value, 65u);
    EXPECT_EQ(c.bypass->fiber, "a fiber of j_3");
    EXPECT_EQ(c.former, "sum_Y_j_3");
    EXPECT_EQ(c.depth, 65);
    EXPECT_EQ(c.deadlocks_with, 64);
  }
  EXPECT_TRUE(found);
}

/// Takes a place from channels at their least depth: every timed engine stops in the deadlock that
/// was predicted. Of a region with many of them `most` are tried in hardware.
void expect_deadlocks(const std::string& text, std::size_t region_number, std::size_t most) {
  const auto regions = regions_of(text);
  ASSERT_GT(regions.size(), region_number);
  const CompiledRegion& region = regions[region_number];
  ASSERT_FALSE(region.deep.empty());
  std::size_t tried = 0;
  for (const DeepChannel& c : region.deep) {
    ASSERT_EQ(c.deadlocks_with, c.depth - 1) << c.name;
    CompiledRegion less = region;
    less.graph.channel(c.channel).depth = c.deadlocks_with;
    const RunResult predicted = run(less);
    ASSERT_EQ(predicted.outcome, Outcome::kDeadlock) << c.name;
    EXPECT_NE(predicted.problem.find(fmt::format("channel '{}' is full ({} of {} tokens)", c.name,
                                                 c.deadlocks_with, c.deadlocks_with)),
              std::string::npos)
        << predicted.problem;
    less.input.max_cycles = predicted.cycles + 20000;
    const RunResult systemc = run_systemc(less.graph, less.input);
    EXPECT_EQ(systemc.outcome, Outcome::kDeadlock) << c.name;
    EXPECT_EQ(systemc.problem, predicted.problem);
    EXPECT_EQ(systemc.cycles, predicted.cycles);
    if (tried++ >= most) continue;
    const Netlist netlist = make_netlist(less.graph, less.input, module_name("less"), "One less");
    std::string problem;
    const auto built = build_rtl(netlist, {}, problem);
    ASSERT_TRUE(built) << problem;
    const RunResult rtl = run_rtl(*built, netlist, {less.input}, {})[0];
    EXPECT_EQ(rtl.outcome, Outcome::kDeadlock) << c.name;
    EXPECT_EQ(rtl.problem, predicted.problem);
    EXPECT_EQ(rtl.cycles, predicted.cycles);
    EXPECT_EQ(rtl.counters, predicted.counters);
  }
}

TEST(Depths, OnePlaceLessThanTheBoundStopsEveryEngineInSoftmax) {
  expect_deadlocks(of_sizes("softmax(j: X[i, j])", 3, 9, "dense", "1"), 0, 2);
}
TEST(Depths, OnePlaceLessThanTheBoundStopsEveryEngineInLayernorm) {
  expect_deadlocks(of_sizes("layernorm(j: X[i, j], 0.001)", 3, 5, "dense", "1"), 0, 2);
}
TEST(Depths, OnePlaceLessThanTheLeastStopsEveryEngineInAGraphNetwork) {
  expect_deadlocks(filled(kLayers, "csr", "0.4") + "schedule s { depth min fuse T, H, S, Y }\n", 0,
                   1);
}

TEST(Depths, OnePlaceLessThanTheLeastStopsEveryEngineInALane) {
  expect_deadlocks(filled(kLayers, "csr", "0.4") +
                       "schedule s { depth min parallel i by 3 fuse T, H fuse S, Y }\n",
                   1, 1);
}

}  // namespace
}  // namespace heddle
