// Sums take a value a cycle, whatever the fibers are like.
#include "tests/unit/sim/engine_cases.h"

namespace heddle {
namespace {

using test::EngineCase;

constexpr Params kSumF32{{0, 0, 0, 0}};

/// Fibers of 0 to 3 elements, and now and then a long one; elements below `limit`.
Stream fibers(std::uint64_t seed, std::uint32_t limit) {
  std::mt19937_64 random(seed);
  Stream s;
  for (int fiber = 0; fiber < 400; ++fiber) {
    const std::uint64_t length = random() % 50 == 0 ? random() % 300 : random() % 4;
    for (std::uint64_t n = 0; n < length; ++n)
      s.push_back(val(static_cast<std::uint32_t>(random() % limit)));
    s.push_back(stop(0));
  }
  s.push_back(stop(1));
  s.push_back(done());
  return s;
}

Stream with_values(Stream s, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (Token& t : s)
    if (t.is_element()) t = val(static_cast<std::uint32_t>(random()));
  return s;
}

TEST(Rate, ReduceTakesATokenACycle) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EngineCase c;
    const Stream in = with_values(fibers(seed, 1), seed);
    const NodeId source = c.source("in", in);
    const NodeId sum = c.block<Reduce>("sum", kSumF32);
    const NodeId sink = c.taker("out");
    c.connect(source, 0, sum, Reduce::kIn);
    c.connect(sum, Reduce::kVal, sink, 0);
    c.finish(1);
    balance_depths(c.graph);
    const RunResult result = run_cycle(c.graph, c.input);
    ASSERT_EQ(result.outcome, Outcome::kFinished);
    // One more for the channel before it.
    EXPECT_EQ(result.cycles, in.size() + 1 + Reduce::latency(kSumF32, Reduce::kVal)) << seed;
  }
}

// Groups give their coordinates one a cycle while no element is taken, so a group costs its
// elements, its stops, and its coordinates.
TEST(Rate, AccumulateTakesATokenACycleAndGivesOne) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const std::uint32_t coordinates : {1u, 2u, 5u, 1000u}) {
      EngineCase c;
      const Stream crd = fibers(seed, coordinates);
      const Params params{{0, 0, 10, 0}};
      const NodeId crd_source = c.source("crd_in", crd);
      const NodeId val_source = c.source("val_in", with_values(crd, seed));
      const NodeId sums = c.block<Accumulate>("sums", params);
      const NodeId crd_sink = c.taker("crd");
      const NodeId val_sink = c.taker("val");
      c.connect(crd_source, 0, sums, Accumulate::kCrdIn);
      c.connect(val_source, 0, sums, Accumulate::kValIn);
      c.connect(sums, Accumulate::kCrd, crd_sink, 0);
      c.connect(sums, Accumulate::kVal, val_sink, 0);
      c.finish(1);
      balance_depths(c.graph);
      const RunResult result = run_cycle(c.graph, c.input);
      ASSERT_EQ(result.outcome, Outcome::kFinished);
      const auto elements = std::ranges::count_if(result.streams[index(crd_sink)],
                                                  [](Token t) { return t.is_element(); });
      EXPECT_EQ(result.cycles, crd.size() + static_cast<std::uint64_t>(elements) + 1 +
                                   Accumulate::latency(params, Accumulate::kVal))
          << seed;
    }
  }
}

}  // namespace
}  // namespace heddle
