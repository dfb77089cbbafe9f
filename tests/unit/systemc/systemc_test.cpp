// The SystemC engine against the two exact C++ engines.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>

#include "systemc/run_systemc.h"
#include "systemc/wire_format.h"
#include "tests/unit/sim/engine_cases.h"

namespace heddle {
namespace {

using test::EngineCase;
using test::RandomCase;
using test::stream;

std::uint32_t f32(float x) { return std::bit_cast<std::uint32_t>(x); }

/// Runs the three engines, expects the same of them, and gives it.
RunResult run_all(const EngineCase& c) {
  const RunResult model = run_systemc(c.graph, c.input, Detail::kTrace);
  {
    SCOPED_TRACE("run_stepped");
    test::expect_same(c.graph, run_stepped(c.graph, c.input, Detail::kTrace), model);
  }
  SCOPED_TRACE("run_cycle");
  test::expect_same(c.graph, run_cycle(c.graph, c.input, Detail::kTrace), model);
  return model;
}

/// y = A x with a compressed A: most blocks that a kernel has.
void make_spmv(EngineCase& c, int depth) {
  const NodeId root = c.source("root", stream("0 D"));
  const NodeId rows = c.block<ScanDense>("rows");
  c.data(rows).registers = {4};
  const NodeId segment = c.block<Segment>("segment");
  c.data(segment).memories = {{0, 2, 2, 5, 6}};
  const NodeId cols = c.block<ScanCompressed>("cols");
  c.data(cols).memories = {{1, 3, 0, 1, 2, 3}};
  const NodeId a = c.block<Array>("a");
  c.data(a).memories = {{f32(1), f32(2), f32(3), f32(4), f32(5), f32(6)}};
  const NodeId zero = c.block<Constant>("zero");
  c.data(zero).registers = {0};
  const NodeId locate = c.block<Locate>("locate");
  c.data(locate).registers = {4};
  const NodeId x = c.block<Array>("x");
  c.data(x).memories = {{f32(0.5f), f32(-1), f32(0), f32(8)}};
  const NodeId mul = c.block<Alu>("mul", {{2, 0, 0}});
  const NodeId sum = c.block<Reduce>("sum", {{0, 0, 1, 0}});
  const NodeId y = c.block<WriteVals>("y");
  c.connect(root, 0, rows, 0);
  c.connect(rows, 1, segment, 0);
  c.connect(segment, 0, cols, 0);
  c.connect(segment, 1, cols, 1);
  c.connect(cols, 1, a, 0);
  c.connect(cols, 0, zero, 0);
  c.connect(cols, 0, locate, 0);
  c.connect(zero, 0, locate, 1);
  c.connect(locate, 0, x, 0);
  c.connect(a, 0, mul, 0);
  c.connect(x, 0, mul, 1);
  c.connect(mul, 0, sum, 0);
  c.connect(sum, 0, y, 0);
  c.finish(depth);
}

TEST(SystemC, MultipliesASparseMatrix) {
  for (const int depth : {4, 16}) {
    EngineCase c;
    make_spmv(c, depth);
    const RunResult r = run_all(c);
    EXPECT_EQ(r.outcome, Outcome::kFinished) << r.problem;
    const auto words = std::vector<std::uint32_t>{f32(15), f32(0), f32(-2.5f), f32(48)};
    bool found = false;
    for (const NodeId id : c.graph.nodes())
      if (c.graph.node(id).name == "y") found = r.memories[index(id)][0] == words;
    EXPECT_TRUE(found);
  }
}

TEST(SystemC, ScansADenseLevelWithOnePlaceInEachChannel) {
  EngineCase c;
  const NodeId root = c.source("root", stream("0 1 N S0 D"));
  const NodeId scan = c.block<ScanDense>("scan");
  c.data(scan).registers = {5};
  const NodeId add = c.block<Alu>("add", {{0, 1, 0}});
  const NodeId result = c.taker("result");
  c.connect(root, 0, scan, 0);
  c.connect(scan, 0, add, 0);
  c.connect(scan, 1, add, 1);
  c.connect(add, 0, result, 0);
  c.finish(1);
  const RunResult r = run_all(c);
  EXPECT_EQ(to_text(r.streams[index(result)]), "0 2 4 6 8 S0 5 7 9 11 13 S0 S0 S1 D");
}

TEST(SystemC, IntersectsAndMerges) {
  for (const bool both : {false, true}) {
    EngineCase c;
    const NodeId a = c.source("a", stream("1 3 5 S0 2 S0 S0 S1 D"));
    const NodeId b = c.source("b", stream("3 4 5 S0 S0 7 S0 S1 D"));
    const NodeId merge = both ? c.block<Intersect>("merge") : c.block<Union>("merge");
    const NodeId crd = c.taker("crd");
    const NodeId ref0 = c.taker("ref0");
    c.connect(a, 0, merge, 0);
    c.connect(b, 0, merge, 1);
    c.connect(a, 0, merge, 2);
    c.connect(b, 0, merge, 3);
    c.connect(merge, 0, crd, 0);
    c.connect(merge, 1, ref0, 0);
    c.finish(3);
    const RunResult r = run_all(c);
    EXPECT_EQ(to_text(r.streams[index(crd)]),
              both ? "3 5 S0 S0 S0 S1 D" : "1 3 4 5 S0 2 S0 7 S0 S1 D");
    EXPECT_EQ(to_text(r.streams[index(ref0)]),
              both ? "3 5 S0 S0 S0 S1 D" : "1 3 N 5 S0 2 S0 N S0 S1 D");
  }
}

TEST(SystemC, AccumulatesInScratchMemory) {
  EngineCase c;
  const NodeId crd = c.source("crd", stream("5 9 S0 1 5 S0 S1 S1 2 S0 2 S0 S1 S2 D"));
  const NodeId value = c.source("value", stream("1 2 S0 3 4 S0 S1 S1 5 S0 6 S0 S1 S2 D"));
  const NodeId sums = c.block<Accumulate>("sums", {{0, 1, 6, 1}});
  const NodeId crds = c.block<WriteCompressed>("crds");
  const NodeId values = c.taker("values");
  c.connect(crd, 0, sums, 0);
  c.connect(value, 0, sums, 1);
  c.connect(sums, 0, crds, 0);
  c.connect(sums, 1, values, 0);
  c.finish(2);
  const RunResult r = run_all(c);
  EXPECT_EQ(to_text(r.streams[index(values)]), "3 5 2 S0 S0 11 S0 S1 D");
  EXPECT_EQ(r.memories[index(crds)],
            (std::vector<std::vector<std::uint32_t>>{{0, 3, 3, 4}, {1, 5, 9, 2}}));
  EXPECT_EQ(r.statuses[index(crds)], (std::vector<std::uint32_t>{3, 4}));
}

TEST(SystemC, HidesTheLatencyOfAnAdderBehindItsChannel) {
  for (const int depth : {1, 2, 5, 30}) {
    EngineCase c;
    Stream tokens;
    for (std::uint32_t i = 0; i < 50; ++i) tokens.push_back(val(f32(static_cast<float>(i))));
    tokens.push_back(stop(0));
    tokens.push_back(done());
    const NodeId a = c.source("a", tokens);
    const NodeId b = c.source("b", tokens);
    const NodeId add = c.block<Alu>("add", {{0, 0, 0}});
    const NodeId result = c.taker("result");
    c.connect(a, 0, add, 0);
    c.connect(b, 0, add, 1);
    c.connect(add, 0, result, 0);
    c.finish(depth);
    const RunResult r = run_all(c);
    EXPECT_EQ(r.streams[index(result)].size(), tokens.size());
  }
}

TEST(SystemC, FollowsThePatternsOfTheOutsideWorld) {
  for (const int offer : {30, 65, 100})
    for (const int take : {30, 65, 100}) {
      EngineCase c;
      const NodeId a = c.source("a", stream("1 2 2 2 3 S0 4 4 S0 S1 D"));
      const NodeId b = c.block<Constant>("b");
      c.data(b).registers = {7};
      const NodeId result = c.taker("result");
      c.connect(a, 0, b, 0);
      c.connect(b, 0, result, 0);
      c.finish(1 + take % 3);
      c.input.offer = {11, offer};
      c.input.take = {12, take};
      const RunResult r = run_all(c);
      EXPECT_EQ(to_text(r.streams[index(result)]), "7 7 7 7 7 S0 7 7 S0 S1 D");
    }
}

/// The sum of each fiber, back with its elements: the elements must wait somewhere.
void make_bypass(EngineCase& c, int depth) {
  const NodeId in = c.source("in", stream("1 2 3 4 5 6 S0 D"));
  const NodeId sum = c.block<Reduce>("sum", {{0, 1, 0, 0}});
  const NodeId again = c.block<Repeat>("again");
  const NodeId result = c.taker("result");
  c.connect(in, 0, sum, 0);
  c.connect(in, 0, again, 1);
  c.connect(sum, 0, again, 0);
  c.connect(again, 0, result, 0);
  c.finish(depth);
}

TEST(SystemC, ExplainsADeadlockAsTheOthersDo) {
  EngineCase shallow;
  make_bypass(shallow, 3);
  const RunResult stuck = run_all(shallow);
  EXPECT_EQ(stuck.outcome, Outcome::kDeadlock);
  EXPECT_NE(stuck.problem.find("cycle of blocked channels"), std::string::npos) << stuck.problem;
  EngineCase deep;
  make_bypass(deep, 8);
  EXPECT_EQ(run_all(deep).outcome, Outcome::kFinished);
}

TEST(SystemC, ReportsAFaultWithItsBlock) {
  EngineCase c;
  const NodeId ref = c.source("ref", stream("0 1 2 S0 D"));
  const NodeId load = c.block<Array>("load");
  c.data(load).memories = {{10, 11}};
  const NodeId result = c.taker("result");
  c.connect(ref, 0, load, 0);
  c.connect(load, 0, result, 0);
  c.finish(2);
  const RunResult r = run_systemc(c.graph, c.input, Detail::kTrace);
  test::expect_same(c.graph, run_stepped(c.graph, c.input, Detail::kTrace), r);
  EXPECT_EQ(r.outcome, Outcome::kFault);
  EXPECT_EQ(r.fault, Fault::kOutOfRange);
  EXPECT_EQ(r.problem, "block 'load': a position or coordinate is out of range");
}

TEST(SystemC, ReportsMisalignedInputs) {
  EngineCase c;
  const NodeId a = c.source("a", stream("1 2 S0 D"));
  const NodeId b = c.source("b", stream("1 S0 D"));
  const NodeId add = c.block<Alu>("add");
  const NodeId result = c.taker("result");
  c.connect(a, 0, add, 0);
  c.connect(b, 0, add, 1);
  c.connect(add, 0, result, 0);
  c.finish(4);
  const RunResult r = run_systemc(c.graph, c.input, Detail::kTrace);
  test::expect_same(c.graph, run_stepped(c.graph, c.input, Detail::kTrace), r);
  EXPECT_EQ(r.fault, Fault::kMisaligned);
  EXPECT_EQ(r.fault_node, add);
}

TEST(SystemC, ReportsAnOverflowOfAnOutputMemory) {
  EngineCase c;
  const NodeId a = c.source("a", stream("1 2 3 S0 D"));
  const NodeId store = c.block<WriteVals>("store");
  c.data(store).capacity = {2};
  c.connect(a, 0, store, 0);
  c.finish(1);
  const RunResult r = run_systemc(c.graph, c.input, Detail::kTrace);
  test::expect_same(c.graph, run_stepped(c.graph, c.input, Detail::kTrace), r);
  EXPECT_EQ(r.fault, Fault::kOverflow);
}

TEST(SystemC, StopsAtItsLimitOfCycles) {
  EngineCase c;
  make_spmv(c, 4);
  c.input.max_cycles = 10;
  const RunResult r = run_systemc(c.graph, c.input, Detail::kTrace);
  test::expect_same(c.graph, run_stepped(c.graph, c.input, Detail::kTrace), r);
  EXPECT_EQ(r.outcome, Outcome::kTimeout);
}

TEST(SystemC, IsSilent) {
  EngineCase c;
  make_spmv(c, 4);
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  run_systemc(c.graph, c.input);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(SystemC, TellsWhenItsProcessDies) {
  EngineCase c;
  make_spmv(c, 4);
  c.input.blocks.clear();  // a bug of the caller, which the process checks
  ::testing::internal::CaptureStderr();
  const RunResult r = run_systemc(c.graph, c.input);
  ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(r.outcome, Outcome::kFault);
  EXPECT_EQ(r.problem, "the SystemC process ended early, with signal 6 (Aborted)");
}

TEST(SystemC, RunsBesideTheCaller) {
  EngineCase a, b, dropped;
  make_spmv(a, 4);
  make_spmv(b, 2);
  make_spmv(dropped, 4);
  SystemcRun first(a.graph, a.input, Detail::kTrace), second(b.graph, b.input, Detail::kTrace);
  { SystemcRun(dropped.graph, dropped.input, Detail::kTrace); }
  test::expect_same(b.graph, run_stepped(b.graph, b.input, Detail::kTrace), second.result());
  test::expect_same(a.graph, run_stepped(a.graph, a.input, Detail::kTrace), first.result());
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);  // no process is left, also of the dropped run
  EXPECT_EQ(errno, ECHILD);
}

TEST(SystemC, AgreesOnRandomGraphs) {
  int finished = 0, stuck = 0;
  for (std::uint64_t seed = 10001; seed <= 10150; ++seed) {
    const RandomCase c(seed);
    const RunResult r = run_all(c);
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed << "\n" << to_text(c.graph);
    (r.outcome == Outcome::kFinished ? finished : stuck)++;
  }
  EXPECT_GT(finished, 20);
  EXPECT_GT(stuck, 10);
}

TEST(WireFormat, GivesBackWhatItTook) {
  EngineCase c;
  make_spmv(c, 4);
  const RunResult r = run_stepped(c.graph, c.input, Detail::kTrace);
  const std::string bytes = sc::to_bytes(r);
  const auto back = sc::from_bytes(bytes);
  ASSERT_TRUE(back.has_value());
  test::expect_same(c.graph, r, *back);
  EXPECT_EQ(sc::to_bytes(*back), bytes);
}

TEST(WireFormat, RefusesEveryOtherLength) {
  EngineCase c;
  make_bypass(c, 3);
  const std::string bytes = sc::to_bytes(run_stepped(c.graph, c.input));
  for (std::size_t n = 0; n < bytes.size(); ++n)
    EXPECT_FALSE(sc::from_bytes(bytes.substr(0, n)).has_value()) << n;
  EXPECT_FALSE(sc::from_bytes(bytes + "x").has_value());
}

}  // namespace
}  // namespace heddle
