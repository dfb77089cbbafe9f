// Every row of the block library in every engine and in the RTL.
#include "testbench/lockstep.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heddle {
namespace {

std::vector<PrimitiveId> all_rows() {
  std::vector<PrimitiveId> rows;
  for (int i = 0; i < kPrimitiveCount; ++i) rows.push_back(static_cast<PrimitiveId>(i));
  return rows;
}

bool well_formed_at_some_depth(const Stream& stream) {
  for (int depth = 0; depth < 16; ++depth)
    if (well_formed(stream, depth)) return true;
  return false;
}

/// Whether the end is that of a port whose stream is not nested.
bool answers(const Bench& bench, NodeId end) {
  const SamGraph& graph = bench.graph();
  for (const Island& island : bench.islands()) {
    const std::string_view name = find_stimulus(island.row)->answers;
    if (name.empty()) continue;
    for (const ChannelId c : island.channels) {
      if (graph.source(c) != end && graph.target(c) != end) continue;
      if (graph.source(c) != island.node && graph.target(c) != island.node)
        return true;  // it is forked
      const bool out = graph.source(c) == island.node;
      const ChannelInfo& info = graph.channel(c);
      return port_at(spec_of(island.row), island.params, out ? Dir::kOut : Dir::kIn,
                     out ? info.from_port : info.to_port)
                 .spec->name == name;
    }
  }
  return false;
}

class Row : public testing::TestWithParam<PrimitiveId> {};
std::string row_name(const testing::TestParamInfo<PrimitiveId>& info) {
  return std::string(spec_of(info.param).name);
}
INSTANTIATE_TEST_SUITE_P(Every, Row, testing::ValuesIn(all_rows()), row_name);

TEST_P(Row, HasAStimulus) {
  const StimulusRow* row = find_stimulus(GetParam());
  ASSERT_NE(row, nullptr) << "tests/unit/primitives/" << spec_of(GetParam()).name
                          << "_test.cpp lacks a StimulusOf";
  EXPECT_FALSE(row->params.empty());
  EXPECT_FALSE(row->firings.empty());
  // Every value of a named parameter is tried.
  const PrimitiveSpec& spec = spec_of(GetParam());
  for (std::size_t p = 0; p < spec.params.size(); ++p)
    for (std::size_t v = 0; v < spec.params[p].names.size(); ++v)
      EXPECT_TRUE(std::any_of(
          row->params.begin(), row->params.end(),
          [&](const Params& set) { return set.value[p] == static_cast<std::int32_t>(v); }))
          << spec.params[p].name << "=" << spec.params[p].names[v];
}

TEST_P(Row, FiresInEveryWay) {
  const StimulusRow* row = find_stimulus(GetParam());
  ASSERT_NE(row, nullptr);
  Bench bench;
  bench.add_all(GetParam(), 2);
  Firings seen;
  for (const Trial& trial : make_trials(1, 60))
    add_firings(bench, run_stepped(bench.graph(), bench.input(trial), Detail::kTrace), seen);
  const std::set<std::string>& ways = seen[std::string(spec_of(GetParam()).name)];
  for (const std::string_view firing : row->firings)
    EXPECT_TRUE(ways.contains(std::string(firing))) << "'" << firing << "' never happens";
}

TEST_P(Row, MakesWellFormedStreams) {
  Bench bench;
  bench.add_all(GetParam(), 0);
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const RunInput input = bench.input({seed, Traffic::kSteady});
    const RunResult result = run_functional(bench.graph(), input);
    ASSERT_EQ(result.outcome, Outcome::kFinished) << "seed " << seed << ": " << result.problem;
    for (const NodeId id : bench.graph().nodes()) {
      if (!bench.graph().node(id).external() || answers(bench, id)) continue;
      const bool source = !bench.graph().outputs(id).empty();
      const Stream& stream = source ? input.streams[index(id)] : result.streams[index(id)];
      ASSERT_TRUE(well_formed_at_some_depth(stream))
          << bench.graph().node(id).name << ", seed " << seed << ": " << to_text(stream);
    }
  }
}

TEST_P(Row, MatchesInAllEngines) {
  for (const int depth : {1, 2, 0}) {
    Bench bench;
    bench.add_all(GetParam(), depth);
    EXPECT_EQ(compare_engines(bench, make_trials(1, 40), false), "");
  }
}

// All rows in one design for each depth; 0 stands for the depth that the compiler chooses. Channels
// of 17 places are block memories in RTL.
class Depth : public testing::TestWithParam<int> {};
std::string depth_name(const testing::TestParamInfo<int>& info) {
  return info.param == 0 ? "default" : std::to_string(info.param);
}
INSTANTIATE_TEST_SUITE_P(Channel, Depth, testing::Values(1, 2, 17, 0), depth_name);

TEST_P(Depth, MatchesInSystemC) {
  Bench bench;
  bench.add_all(GetParam());
  EXPECT_EQ(compare_engines(bench, make_trials(100, 6), true), "");
}

TEST_P(Depth, MatchesInRtlRunAfterRun) {
  Bench bench;
  bench.add_all(GetParam());
  EXPECT_EQ(compare_rtl(bench, make_trials(1, 25), {}), "");
}

TEST_P(Depth, SlowMatchesInRtlRunAfterRun) {
  Bench bench;
  bench.add_all(GetParam());
  for (std::uint64_t part = 0; part < 6; ++part)
    ASSERT_EQ(compare_rtl(bench, make_trials(1000 + part * 50, 50), {}), "");
}

TEST(StartUp, UnknownInitialValuesChangeNothing) {
  Bench bench;
  for (const PrimitiveId row : all_rows())
    if (const StimulusRow* s = find_stimulus(row)) bench.add(row, s->params.front(), 2);
  for (const int x_seed : {1, 2, 3}) {
    RtlOptions options;
    options.x_seed = x_seed;
    EXPECT_EQ(compare_rtl(bench, make_trials(500, 3), options), "")
        << "initial values of seed " << x_seed;
  }
}

}  // namespace
}  // namespace heddle
