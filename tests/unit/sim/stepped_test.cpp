// The engine that runs ahead against the one that steps a clock.
#include "tests/unit/sim/engine_cases.h"

namespace heddle {
namespace {

using test::RandomCase;

TEST(Stepped, AgreesWithRunningAheadOnRandomGraphs) {
  int finished = 0, stuck = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    const RandomCase c(seed);
    const RunResult ahead = run_cycle(c.graph, c.input, Detail::kTrace);
    const RunResult stepped = run_stepped(c.graph, c.input, Detail::kTrace);
    test::expect_same(c.graph, ahead, stepped);
    ASSERT_NE(ahead.outcome, Outcome::kFault) << "seed " << seed << ": " << ahead.problem;
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed << "\n" << to_text(c.graph);
    (ahead.outcome == Outcome::kFinished ? finished : stuck)++;
  }
  // Both kinds of run are worth comparing.
  EXPECT_GT(finished, 300);
  EXPECT_GT(stuck, 100);
}

// Their rings start with fewer slots than the channels have places.
TEST(Stepped, AgreesOnForksIntoDeepChannels) {
  for (const int ways : {2, 5})
    for (const int depth : {64, 65, 85, 127, 128, 200}) {
      test::EngineCase c;
      Stream in;
      for (std::uint32_t n = 0; n < 1000; ++n) in.push_back(val(n));
      in.push_back(done());
      const NodeId fork = c.block<Fork>("fork", Params{{ways}});
      c.connect(c.source("in", in), 0, fork, 0);
      for (int way = 0; way < ways; ++way)
        c.connect(fork, way, c.taker("out" + std::to_string(way)), 0);
      c.finish(1);
      set_depths(c.graph, depth);
      c.input.take = {7, 60};
      const RunResult ahead = run_cycle(c.graph, c.input, Detail::kTrace);
      const RunResult stepped = run_stepped(c.graph, c.input, Detail::kTrace);
      test::expect_same(c.graph, ahead, stepped);
      ASSERT_FALSE(::testing::Test::HasFailure()) << ways << " ways, " << depth << " places";
    }
}

TEST(Stepped, AgreesWithTheUntimedEngineOnValues) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const RandomCase c(seed);
    const RunResult stepped = run_stepped(c.graph, c.input);
    if (stepped.outcome != Outcome::kFinished) continue;
    const RunResult untimed = run_functional(c.graph, c.input);
    ASSERT_EQ(stepped.streams, untimed.streams) << "seed " << seed;
    ASSERT_EQ(stepped.memories, untimed.memories) << "seed " << seed;
    ASSERT_EQ(stepped.statuses, untimed.statuses) << "seed " << seed;
  }
}

TEST(Stepped, DeeperChannelsNeverDelay) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    RandomCase c(seed);
    c.input.offer.percent = c.input.take.percent = 100;
    const RunResult shallow = run_cycle(c.graph, c.input);
    for (const ChannelId id : c.graph.channels()) c.graph.channel(id).depth += 1;
    const RunResult deep = run_cycle(c.graph, c.input);
    if (shallow.outcome != Outcome::kFinished) continue;
    ASSERT_EQ(deep.outcome, Outcome::kFinished) << "seed " << seed;
    ASSERT_LE(deep.cycles, shallow.cycles) << "seed " << seed;
  }
}

}  // namespace
}  // namespace heddle
