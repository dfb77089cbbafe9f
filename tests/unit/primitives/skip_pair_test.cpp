// scan_skip and intersect_skip together: the streams of scan_compressed and intersect whatever the
// timing, and the cost of a leap.
#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "compiler/graph/passes.h"
#include "compiler/sim/run.h"

namespace heddle {
namespace {

using Words = std::vector<std::uint32_t>;

/// Fibers of several operands.
struct Fibers {
  std::vector<Words> seg, crd;  // by operand
  std::uint32_t count = 0;

  explicit Fibers(int operands)
      : seg(static_cast<std::size_t>(operands), Words{0}), crd(seg.size()) {}
  void add(const std::vector<Words>& fiber) {
    for (std::size_t i = 0; i < seg.size(); ++i) {
      crd[i].insert(crd[i].end(), fiber[i].begin(), fiber[i].end());
      seg[i].push_back(static_cast<std::uint32_t>(crd[i].size()));
    }
    ++count;
  }
};

struct Bench {
  SamGraph graph;
  RunInput input;
  std::vector<NodeId> scans, takers;

  Bench(const Fibers& fibers, bool skips, int depth) {
    const int n = static_cast<int>(fibers.seg.size());
    Stream refs;
    for (std::uint32_t r = 0; r < fibers.count; ++r) refs.push_back(val(r));
    refs.push_back(stop(0));
    refs.push_back(done());
    const Params params{{n}};
    const NodeId meet =
        skips ? graph.add<IntersectSkip>("meet", params) : graph.add<Intersect>("meet", params);
    for (int i = 0; i < n; ++i) {
      const std::string name = std::to_string(i);
      const NodeId root = graph.add_external("ref" + name);
      const NodeId segment = graph.add<Segment>("segment" + name);
      const NodeId scan =
          skips ? graph.add<ScanSkip>("scan" + name) : graph.add<ScanCompressed>("scan" + name);
      input.streams.resize(graph.node_count());
      input.blocks.resize(graph.node_count());
      input.streams[index(root)] = refs;
      input.blocks[index(segment)].memories = {fibers.seg[static_cast<std::size_t>(i)]};
      input.blocks[index(scan)].memories = {fibers.crd[static_cast<std::size_t>(i)]};
      graph.connect(root, 0, segment, 0, "");
      for (const int port : {0, 1}) {
        graph.connect(segment, port, scan, port, "");
        graph.connect(scan, port, meet, port * n + i, "");
      }
      if (skips) graph.connect(meet, 1 + n + i, scan, ScanSkip::kSkip, "");
      scans.push_back(scan);
    }
    for (int o = 0; o <= n; ++o) {
      takers.push_back(graph.add_external("out" + std::to_string(o)));
      graph.connect(meet, o, takers.back(), 0, "");
    }
    name_channels(graph);
    balance_depths(graph);
    if (depth > 0) set_depths(graph, depth);
    verify(graph, Form::kElastic);
    input.streams.resize(graph.node_count());
    input.blocks.resize(graph.node_count());
  }
  std::vector<std::string> streams(const RunResult& r) const {
    EXPECT_EQ(r.outcome, Outcome::kFinished) << r.problem;
    std::vector<std::string> text;
    for (const NodeId id : takers) text.push_back(to_text(r.streams[index(id)]));
    return text;
  }
};

struct Cycles {
  std::uint64_t plain = 0, skip = 0;
};

Cycles check(const Fibers& fibers) {
  const Bench plain(fibers, false, 0);
  const RunResult plain_run = run_cycle(plain.graph, plain.input);
  const auto expected = plain.streams(plain_run);
  std::uint64_t cycles = 0;
  for (const int depth : {0, 1, 2, 16}) {
    Bench b(fibers, true, depth);
    EXPECT_EQ(b.streams(run_functional(b.graph, b.input)), expected);
    for (const int percent : {100, 60, 25}) {
      b.input.offer = {1, percent};
      b.input.take = {2, percent};
      const RunResult cycle = run_cycle(b.graph, b.input);
      const RunResult stepped = run_stepped(b.graph, b.input);
      EXPECT_EQ(b.streams(cycle), expected) << "depth " << depth << ", " << percent << "%";
      EXPECT_EQ(b.streams(stepped), expected);
      EXPECT_EQ(cycle.cycles, stepped.cycles);
      EXPECT_EQ(cycle.hashes, stepped.hashes);
      EXPECT_EQ(cycle.words_read, stepped.words_read);
      if (percent < 100) continue;
      if (depth == 0) cycles = cycle.cycles;
      if (depth == 16) {
        EXPECT_EQ(cycle.cycles, cycles) << "the balanced depths delay the loop";
      }
    }
  }
  return {plain_run.cycles, cycles};
}

Words every(std::uint32_t stride, std::uint32_t count, std::uint32_t from = 0) {
  Words w;
  for (std::uint32_t i = 0; i < count; ++i) w.push_back(from + i * stride);
  return w;
}

TEST(SkipPair, LeapsOverWhatCannotMatch) {
  Fibers fibers(2);
  for (int i = 0; i < 10; ++i) fibers.add({every(1, 1000), {3, 700}});
  const Cycles cycles = check(fibers);
  EXPECT_LT(cycles.skip * 10, cycles.plain);
}

TEST(SkipPair, EdgesOfFibers) {
  Fibers fibers(2);
  fibers.add({{}, {}});
  fibers.add({{}, every(1, 100)});
  fibers.add({every(1, 100), {}});
  fibers.add({{5}, {5}});
  fibers.add({{5}, {6}});
  fibers.add({{6}, {5}});
  fibers.add({every(1, 50), every(1, 50, 50)});
  fibers.add({every(1, 50, 50), every(1, 50)});
  fibers.add({every(2, 64), every(2, 64, 1)});
  fibers.add({every(1, 200), every(1, 200)});
  fibers.add({every(1, 1000), {999}});
  fibers.add({{0xfffffffeu, 0xffffffffu}, {0, 0xffffffffu}});
  check(fibers);
}

TEST(SkipPair, TakesTwoCyclesForAnElementThatIsNext) {
  Fibers fibers(2);
  fibers.add({every(1, 1000), every(1, 1000)});
  const Cycles cycles = check(fibers);
  EXPECT_LE(cycles.skip, 2 * cycles.plain);
}

TEST(SkipPair, RandomFibers) {
  for (const int operands : {2, 3})
    for (unsigned seed = 1; seed <= 25; ++seed) {
      std::mt19937 generator(seed);
      const auto below = [&](std::uint32_t n) {
        return static_cast<std::uint32_t>(generator() % n);
      };
      Fibers fibers(operands);
      for (std::uint32_t f = below(6); f-- > 0;) {
        const std::uint32_t span = 1 + below(seed % 5 == 0 ? 1000 : 60);
        std::vector<Words> fiber(static_cast<std::size_t>(operands));
        for (Words& w : fiber) {
          const std::uint32_t percent = below(3) == 0 ? 2 : below(101);
          for (std::uint32_t c = 0; c < span; ++c)
            if (below(100) < percent) w.push_back(c);
        }
        fibers.add(fiber);
      }
      check(fibers);
      ASSERT_FALSE(HasFailure()) << operands << " operands, seed " << seed;
    }
}

TEST(SkipPair, ALeapTakesLogarithmicTime) {
  for (const std::uint32_t size : {2u, 3u, 7u, 8u, 100u, 1000u}) {
    for (std::uint32_t target = 1; target<size; target += size> 100 ? 37 : 1) {
      for (const std::uint32_t off :
           {0u, 9u}) {  // the coordinate itself, or one before it that is absent
        Fibers fibers(2);
        fibers.add({every(10, size), {10 * target - off}});
        const Bench b(fibers, true, 0);
        const RunResult r = run_cycle(b.graph, b.input);
        ASSERT_EQ(b.streams(r)[0], off == 0 ? std::to_string(10 * target) + " S0 S1 D" : "S0 S1 D");
        // Beside the leap: the fiber is opened, its first coordinate emitted, the one after a
        // match, the end of the fiber, the outer stop, D, and the D of the skips.
        const int others = off == 0 && target + 1 < size ? 7 : 6;
        const auto leap = static_cast<int>(r.firings[index(b.scans[0])]) - others;
        ASSERT_LE(leap, 2 * std::bit_width(target)) << "from 0 to " << target << " of " << size;
        if (target == 1) {
          ASSERT_EQ(leap, 1);
        }
      }
    }
  }
}

}  // namespace
}  // namespace heddle
