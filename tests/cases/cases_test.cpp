// Cases that went wrong in other compilers, simulators and frameworks. README.md says which and
// where.
#include "compiler/netlist/netlist.h"
#include "systemc/run_systemc.h"
#include "testbench/run_rtl.h"
#include "tests/cases/run_case.h"
#include "tests/unit/sim/engine_cases.h"

namespace heddle {
namespace {

using Floats = std::vector<float>;
using Words = std::vector<std::uint32_t>;

// ------------------------------------------------------------------------------------------
// results

TEST(Cases, D01_SparseResultHasEachCoordinateOnce) {
  const Ran two =
      run_case({{"X", {2, 2}, "dcsr", {1, 2, 3, 0}}, {"Y", {2, 2}, "dcsr", {0, 4, 5, 1}}},
               "tensor Z[2, 2]: f32 dcsr\nZ[j, k] = X[i, j] * Y[i, k]\n"
               "schedule outer { order i, j, k }\nschedule middle { order j, i, k }\n",
               kAll);
  ASSERT_TRUE(two.ok()) << two.why();
  EXPECT_EQ(two.dense("Z"), (Floats{15, 7, 0, 8}));
  EXPECT_EQ(two.outputs.at("Z").levels[0].crd, (Words{0, 1}));
  EXPECT_EQ(two.outputs.at("Z").levels[1].crd, (Words{0, 1, 1}));

  const std::string all3 = "{compressed, compressed, compressed}";
  const Ran four =
      run_case({{"X", {2, 2, 2}, all3, {1, 0, -2, 0, 0, 3, 5, 0}}},
               "tensor Z[2, 2, 2, 2]: f32 {compressed, compressed, compressed, compressed}\n"
               "Z[j, k, l, m] = X[i, j, k] * X[i, l, m]\nschedule outer { order i, j, k, l, m }\n",
               kAll);
  ASSERT_TRUE(four.ok()) << four.why();
  EXPECT_EQ(four.dense("Z"), (Floats{1, 0, -2, 0, 0, 9, 15, 0, -2, 15, 29, 0, 0, 0, 0, 0}));
  EXPECT_EQ(four.stored("Z"), 7U);
}

TEST(Cases, D02_SumOfBroadcastVectorsKeepsEveryPlace) {
  for (const std::string format : {"dcsr", "dense"}) {
    const Ran ran =
        run_case({{"B", {3}, "{compressed}", {5, 0, 0}}, {"C", {4}, "{compressed}", {0, -2, 0, 1}}},
                 "tensor A[3, 4]: f32 " + format + "\nA[i, j] = B[i] + C[j]\n", kAll);
    ASSERT_TRUE(ran.ok()) << format << ran.why();
    EXPECT_EQ(ran.dense("A"), (Floats{5, 3, 5, 6, 0, -2, 0, 1, 0, -2, 0, 1}));
    EXPECT_EQ(ran.stored("A"), format == "dcsr" ? 8U : 12U);
  }
}

TEST(Cases, D03_IndexTwiceInOneTensor) {
  for (const std::string format : {"csr", "dcsr"}) {
    const std::vector<Engine>& engines = format == "dcsr" ? kAll : kCpp;
    const Ran ran = run_case({{"A", {3, 3}, format, {2, 0, 1, 0, 0, 3, 4, 0, -5}},
                              {"b", {3}, "{compressed}", {2, 0, -5}}},
                             "tensor D[3, 3]: f32 " + format + "\n" +
                                 "a[i] = A[i, i]\ns[] = A[i, i]\nD[i, i] = b[i]\noutput a, s, D\n",
                             engines);
    ASSERT_TRUE(ran.ok()) << format << ran.why();
    EXPECT_EQ(ran.dense("a"), (Floats{2, 0, -5}));
    EXPECT_EQ(ran.dense("s"), (Floats{-3}));
    EXPECT_EQ(ran.dense("D"), (Floats{2, 0, 0, 0, 0, 0, 0, 0, -5}));
    EXPECT_EQ(ran.stored("D"), 2U);
  }
}

TEST(Cases, D04_TensorPlusItsTransposeAndItself) {
  const Input b{"B", {3, 3}, "csr", {0, 1, 0, 2, 0, 0, 0, 3, 4}};
  const std::string result = "tensor A[3, 3]: f32 csr\n";
  const Ran transpose = run_case({b}, result + "A[i, j] = B[i, j] + B[j, i]\n", kAll);
  ASSERT_TRUE(transpose.ok()) << transpose.why();
  EXPECT_EQ(transpose.dense("A"), (Floats{0, 3, 0, 3, 0, 3, 0, 3, 8}));
  EXPECT_EQ(transpose.stored("A"), 5U);
  // The copy in another order is told.
  EXPECT_FALSE(transpose.report.regions[0].remarks.empty());
  const Ran twice = run_case({b}, result + "A[i, j] = B[i, j] + B[i, j]\n", kAll);
  ASSERT_TRUE(twice.ok()) << twice.why();
  EXPECT_EQ(twice.dense("A"), (Floats{0, 2, 0, 4, 0, 0, 0, 6, 8}));
}

// ------------------------------------------------------------------------------------------ D05:
// formats

const std::vector<std::string> kFormats{"dense", "csr", "csc", "dcsr", "{compressed, dense}"};
const Input kA{"A", {3, 3}, "", {1, 0, 2, 0, 0, 0, 0, 3, 0}};
const Input kB{"B", {3, 2}, "", {1, 2, 3, 4, 5, 6}};

Input stored_as(Input input, const std::string& format) {
  input.format = format;
  return input;
}

/// Engines for the nth combination: all for a sample.
const std::vector<Engine>& sampled(int n, int every, int first) {
  return n % every == first ? kAll : kCpp;
}

TEST(Cases, D05_CopiesBetweenAllFormats) {
  const Input a{"A", {2, 4}, "", {1, 0, 0, 2, 0, 0, 3, 0}};
  int n = 0;
  for (const std::string& from : kFormats)
    for (const std::string& to : kFormats) {
      const Ran ran =
          run_case({stored_as(a, from)}, "tensor B[2, 4]: f32 " + to + "\nB[i, j] = A[i, j]\n",
                   sampled(n++, 10, 7));
      ASSERT_TRUE(ran.ok()) << from << " to " << to << ran.why();
      EXPECT_EQ(ran.dense("B"), a.values) << from << " to " << to;
    }
  EXPECT_EQ(n, 25);
}

TEST(Cases, D05_ElementwiseProductsWithADenseLevelBelowACompressedOne) {
  const Input a{"B", {2, 4}, "", {1, 0, 0, 2, 0, 0, 0, 0}};
  const Input c{"C", {2, 4}, "", {5, 6, 0, 7, 8, 0, 0, 9}};
  int n = 0;
  for (const std::string& left : kFormats)
    for (const std::string& right : kFormats) {
      const Ran ran =
          run_case({stored_as(a, left), stored_as(c, right)},
                   "tensor A[2, 4]: f32 {compressed, dense}\nA[i, j] = B[i, j] * C[i, j]\n",
                   sampled(n++, 25, 12));
      ASSERT_TRUE(ran.ok()) << left << " by " << right << ran.why();
      EXPECT_EQ(ran.dense("A"), (Floats{5, 0, 0, 14, 0, 0, 0, 0})) << left << " by " << right;
    }
  EXPECT_EQ(n, 25);
}

TEST(Cases, D05_MatrixProductsOfAllFormats) {
  int n = 0;
  for (const std::string& left : kFormats)
    for (const std::string& right : kFormats)
      for (const std::string& to : kFormats) {
        const Ran ran = run_case({stored_as(kA, left), stored_as(kB, right)},
                                 "tensor C[3, 2]: f32 " + to + "\nC[i, j] = A[i, k] * B[k, j]\n",
                                 sampled(n++, 42, 17));
        ASSERT_TRUE(ran.ok()) << left << " by " << right << " to " << to << ran.why();
        EXPECT_EQ(ran.dense("C"), (Floats{11, 14, 0, 0, 9, 12}))
            << left << " by " << right << " to " << to;
      }
  EXPECT_EQ(n, 125);
}

TEST(Cases, D05_SampledProductsWithOperandsOfAllOrders) {
  const Input b{"B", {2, 3}, "", {2, 0, 3, 0, 4, 0}};
  const Input c{"C", {2, 2}, "", {1, 2, 3, 4}};
  const Input d{"D", {2, 3}, "", {1, 0, 2, 5, 6, 7}};
  for (const std::string sparse : {"csr", "csc", "dcsr"})
    for (const std::string left : {"dense", "{dense, dense} order (1, 0)", "csc"})
      for (const std::string right : {"dense", "{dense, dense} order (1, 0)", "csc"}) {
        const Ran ran =
            run_case({stored_as(b, sparse), stored_as(c, left), stored_as(d, right)},
                     "tensor X[2, 3]: f32 csr\nX[i, j] = B[i, j] * C[i, k] * D[k, j]\n", kCpp);
        ASSERT_TRUE(ran.ok()) << sparse << " " << left << " " << right << ran.why();
        EXPECT_EQ(ran.dense("X"), (Floats{22, 0, 48, 0, 96, 0}))
            << sparse << " " << left << " " << right;
      }
}

// ------------------------------------------------------------------------------------------
// nothing

TEST(Cases, D06_ResultWithoutEntries) {
  // Rows that meet nowhere, patterns that meet nowhere, operands with nothing at all.
  const Ran rows = run_case(
      {{"A", {2, 2}, "{compressed, dense}", {1, 2, 0, 0}}, {"c", {2}, "{compressed}", {0, 5}}},
      "tensor y[2]: f32 {compressed}\ny[i] = A[j, i] * c[j]\n", kAll);
  ASSERT_TRUE(rows.ok()) << rows.why();
  EXPECT_EQ(rows.outputs.at("y").levels[0].seg, (Words{0, 0}));
  EXPECT_EQ(rows.stored("y"), 0U);

  const std::string product = "tensor D[2, 2]: f32 dcsr\nD[i, j] = B[i, j] * C[i, j]\n";
  for (const Floats& other : {Floats{0, 3, 0, 0}, Floats{0, 0, 0, 0}}) {
    const Floats first = other == Floats(4, 0.0F) ? other : Floats{1, 0, 0, 2};
    const Ran ran =
        run_case({{"B", {2, 2}, "dcsr", first}, {"C", {2, 2}, "dcsr", other}}, product, kAll);
    ASSERT_TRUE(ran.ok()) << ran.why();
    EXPECT_EQ(ran.outputs.at("D").levels[0].seg, (Words{0, 0}));
    EXPECT_EQ(ran.outputs.at("D").levels[0].crd, Words{});
    EXPECT_EQ(ran.outputs.at("D").levels[1].seg, (Words{0}));
    EXPECT_EQ(ran.stored("D"), 0U);
  }
}

TEST(Cases, D07_ProductWhoseColumnsAndRowsNeverMeet) {
  const Ran ran = run_case(
      {{"A", {2, 3}, "csr", {2, -1, 0, 0, 3, 0}}, {"B", {3, 2}, "csr", {0, 0, 0, 0, 4, 5}}},
      "tensor C[2, 2]: f32 csr\nC[i, j] = A[i, k] * B[k, j]\n", kAll);
  ASSERT_TRUE(ran.ok()) << ran.why();
  EXPECT_EQ(ran.outputs.at("C").levels[1].seg, (Words{0, 0, 0}));
  EXPECT_EQ(ran.stored("C"), 0U);
}

TEST(Cases, D07_SizesOfZero) {
  for (const std::string format : {"csr", "dense", "dcsr"}) {
    const std::vector<Engine>& engines = format == "csr" ? kAll : kCpp;
    const auto product = [&](std::uint32_t rows, std::uint32_t inner, std::uint32_t columns) {
      return run_case({{"A", {rows, inner}, format, {}},
                       {"B", {inner, columns}, format, Floats(inner * columns, 1)}},
                      fmt::format("tensor C[{}, {}]: f32 {}\nC[i, j] = A[i, k] * B[k, j]\n", rows,
                                  columns, format),
                      engines);
    };
    const Ran inner = product(2, 0, 2);
    ASSERT_TRUE(inner.ok()) << format << inner.why();
    EXPECT_EQ(inner.dense("C"), Floats(4, 0.0F));
    const Ran outer = product(0, 3, 2);
    ASSERT_TRUE(outer.ok()) << format << outer.why();
    EXPECT_EQ(outer.dense("C"), Floats{});
  }
}

// ------------------------------------------------------------------------------------------ sparse
// softmax and graphs

void expect_close(const Floats& got, const Floats& want) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t n = 0; n < got.size(); ++n) EXPECT_NEAR(got[n], want[n], 1e-6) << n;
}

TEST(Cases, D15_StoredZeroIsNoMissingEntry) {
  const Input s{"S", {3, 3}, "csr", {2, kNone, 1, 4, 2, 0, kNone, -6, kNone}, true};
  const Ran ran =
      run_case({s}, "tensor P[3, 3]: f32 csr\nP[i, j] = softmax(j: S[i, j]) where S[i, j]\n", kAll);
  ASSERT_TRUE(ran.ok()) << ran.why();
  expect_close(ran.dense("P"),
               {0.73105858F, 0, 0.26894142F, 0.86681333F, 0.11731043F, 0.01587624F, 0, 1, 0});
  EXPECT_EQ(ran.stored("P"), 6U);
  // A stored zero is a one afterwards; a missing entry is one only where the result may be dense.
  const Ran stored =
      run_case({s}, "tensor E[3, 3]: f32 csr\nE[i, j] = exp(S[i, j]) where S[i, j]\n", kCpp);
  ASSERT_TRUE(stored.ok()) << stored.why();
  EXPECT_EQ(stored.stored("E"), 6U);
  EXPECT_EQ(stored.dense("E")[5], 1);
  EXPECT_EQ(stored.dense("E")[1], 0);
  const Ran everywhere = run_case({s}, "tensor E[3, 3]: f32 dense\nE[i, j] = exp(S[i, j])\n", kCpp);
  ASSERT_TRUE(everywhere.ok()) << everywhere.why();
  EXPECT_EQ(everywhere.dense("E")[1], 1);
  const Ran refused = run_case({s}, "tensor E[3, 3]: f32 csr\nE[i, j] = exp(S[i, j])\n", kCpp);
  EXPECT_NE(refused.errors.find("[densifies]"), std::string::npos) << refused.errors;
  EXPECT_NE(refused.errors.find("'S' is sparse at 'j'"), std::string::npos) << refused.errors;
  EXPECT_NE(refused.errors.find("where S[i, j]"), std::string::npos) << refused.errors;
}

TEST(Cases, D17_NodesWithoutNeighbours) {
  const Input x{"X", {3, 1}, "dense", {-1, -2, -5}, true};
  const std::string text =
      "tensor Mean[3, 1]: f32 dense\ntensor Max[3, 1]: f32 dense\n"
      "Mean[i, f] = A[i, j] * X[j, f] / sum(j: A[i, j])\n"
      "Max[i, f] = max(j: X[j, f]) where A[i, j]\n"
      "output Mean, Max\n";
  for (const std::string format : {"csr", "dcsr"})
    for (const bool edges : {true, false}) {
      const Floats adjacency = edges ? Floats{0, 1, 1, 0, 0, 0, 0, 0, 0} : Floats(9, 0.0F);
      const Ran ran =
          run_case({{"A", {3, 3}, format, adjacency}, x}, text, format == "csr" ? kAll : kCpp);
      ASSERT_TRUE(ran.ok()) << format << ran.why();
      EXPECT_EQ(ran.dense("Mean"), (edges ? Floats{-3.5F, 0, 0} : Floats{0, 0, 0}));
      EXPECT_EQ(ran.dense("Max"), (edges ? Floats{-2, 0, 0} : Floats{0, 0, 0}));
      EXPECT_EQ(ran.stored("Mean"), 3U);
      EXPECT_EQ(ran.stored("Max"), 3U);
    }
}

// ------------------------------------------------------------------------------------------
// hardware

TEST(Cases, D21_ForkAndJoinEndAtEveryDepth) {
  // Two short rows and one of 40 ones: the branch that waits for the row's sum has to hold the row.
  Floats values(3 * 40, 0.0F), right(3 * 40, 0.0F);
  values[0] = 1;
  values[1] = 2;
  values[40 + 2] = 3;
  right[0] = 3;
  right[1] = 6;
  right[40 + 2] = 9;
  for (std::size_t j = 80; j < 120; ++j) {
    values[j] = 1;
    right[j] = 40;
  }
  const Input b{"B", {3, 40}, "csr", values};
  const std::string text = "tensor O[3, 40]: f32 csr\nO[i, j] = B[i, j] * sum(k: B[i, k])\n";
  for (int depth = 1; depth <= 4; ++depth) {
    const Ran ran = run_case({b}, text, kAll, depth);
    ASSERT_EQ(ran.errors, "");
    if (ran.report.state ==
        ScheduleState::kDeadlock) {  // equal in all engines, or it were a disagreement
      EXPECT_NE(ran.report.problem.find("is deadlocked"), std::string::npos) << ran.report.problem;
      EXPECT_NE(ran.report.problem.find("channel"), std::string::npos) << ran.report.problem;
      std::printf("depth %d: %s\n", depth, ran.report.problem.c_str());
      continue;
    }
    ASSERT_TRUE(ran.ok()) << "depth " << depth << ran.why();
    EXPECT_EQ(ran.dense("O"), right);
    std::printf("depth %d: %d cycles\n", depth, static_cast<int>(ran.report.cycles));
  }
  // Depths that the compiler chooses suffice.
  const Ran chosen = run_case({b}, text, kCpp);
  ASSERT_TRUE(chosen.ok()) << chosen.why();
  EXPECT_EQ(chosen.dense("O"), right);
}

/// Each value times the sum of its fiber, from one stream: the values have to wait somewhere for
/// the sum.
NodeId make_join(test::EngineCase& c, int depth) {
  std::string ones;
  for (int n = 0; n < 40; ++n) ones += "1 ";
  const NodeId in = c.source("in", test::stream(("1 2 S0 3 S0 " + ones + "S0 S1 D").c_str()));
  const NodeId sum = c.block<Reduce>("sum", {{0, 1, 0, 0}});
  const NodeId again = c.block<Repeat>("again");
  const NodeId product = c.block<Alu>("product", {{2, 1, 0}});
  const NodeId result = c.taker("result");
  c.connect(in, 0, sum, 0);
  c.connect(in, 0, again, 1);
  c.connect(sum, 0, again, 0);
  c.connect(in, 0, product, 0);
  c.connect(again, 0, product, 1);
  c.connect(product, 0, result, 0);
  c.finish(depth);
  return result;
}

TEST(Cases, D21_ForkAndJoinOfOneStreamDeadlocksByNameEverywhere) {
  for (const int depth : {1, 2, 3, 4, 64}) {
    SCOPED_TRACE(depth);
    test::EngineCase c;
    const NodeId result = make_join(c, depth);
    const RunResult cycle = run_cycle(c.graph, c.input, Detail::kTrace);
    const RunResult stepped = run_stepped(c.graph, c.input, Detail::kTrace);
    const RunResult systemc = run_systemc(c.graph, c.input, Detail::kTrace);
    const Netlist netlist =
        make_netlist(c.graph, c.input, module_name("join"), "A fork and a join");
    std::string problem;
    const auto model = build_rtl(netlist, {}, problem);
    ASSERT_TRUE(model) << problem;
    RunInput input = c.input;
    input.max_cycles = 20000;
    const RunResult rtl = run_rtl(*model, netlist, {input}, {}, Detail::kTrace)[0];
    for (const RunResult* other : {&stepped, &systemc, &rtl}) {
      EXPECT_EQ(other->outcome, cycle.outcome);
      EXPECT_EQ(other->problem, cycle.problem);
      EXPECT_EQ(other->counters, cycle.counters);
      EXPECT_EQ(other->trace, cycle.trace);
      EXPECT_EQ(other->streams, cycle.streams);
    }
    const bool deep = depth == 64;
    EXPECT_EQ(cycle.outcome, deep ? Outcome::kFinished : Outcome::kDeadlock);
    if (deep) {
      EXPECT_EQ(rtl.cycles, cycle.cycles);
      std::string forties;
      for (int n = 0; n < 40; ++n) forties += "40 ";
      EXPECT_EQ(to_text(cycle.streams[index(result)]), "3 6 S0 9 S0 " + forties + "S0 S1 D");
    } else {
      EXPECT_NE(cycle.problem.find("cycle of blocked channels"), std::string::npos)
          << cycle.problem;
      EXPECT_NE(cycle.problem.find("'again_crd' is full"), std::string::npos) << cycle.problem;
    }
    // Without bounds there is nothing to wait for.
    EXPECT_EQ(run_functional(c.graph, c.input).outcome, Outcome::kFinished);
  }
}

TEST(Cases, D24_NamesThatAreKeywordsElsewhere) {
  const Ran ran =
      run_case({{"input", {2, 3}, "csr", {1, 0, 2, 0, 3, 0}}, {"wire", {3}, "dense", {1, 10, 100}}},
               "reg[i] = input[i, end] * wire[end]\n", kAll);
  ASSERT_TRUE(ran.ok()) << ran.why();
  EXPECT_EQ(ran.dense("reg"), (Floats{201, 30}));
}

TEST(Cases, D26_OneByOneAtDepthOne) {
  const Ran ran = run_case({{"A", {1, 1}, "dcsr", {7}}, {"x", {1}, "{compressed}", {3}}},
                           "tensor y[1]: f32 {compressed}\ny[i] = A[i, j] * x[j]\n", kAll, 1);
  ASSERT_TRUE(ran.ok()) << ran.why();
  EXPECT_EQ(ran.dense("y"), (Floats{21}));
}

}  // namespace
}  // namespace heddle
