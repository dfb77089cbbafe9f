// Models that are easily compiled into something else, with results worked out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/cases/run_case.h"

namespace heddle {
namespace {

using Floats = std::vector<float>;
using Words = std::vector<std::uint32_t>;

void expect_close(const Floats& found, const Floats& right) {
  ASSERT_EQ(found.size(), right.size());
  for (std::size_t n = 0; n < right.size(); ++n)
    EXPECT_NEAR(found[n], right[n], 2e-6F * std::max(1.0F, std::abs(right[n]))) << "at " << n;
}

bool told(const Ran& ran, const std::string& what) {
  for (const RegionReport& region : ran.report.regions)
    for (const std::string& remark : region.remarks)
      if (remark.find(what) != std::string::npos) return true;
  return false;
}

/// The schedules `unfused` and, last, `fused` with all of these statements in one region.
std::string both_ways(const std::string& statements) {
  return "schedule unfused {}\nschedule fused { fuse " + statements + " }\n";
}

// ------------------------------------------------------------------- one value, several functions

TEST(Soundness, ReductionsOfOneValueStayApart) {
  const Ran ran = run_case({{"X", {2, 3}, "dense", {1, -2, 3, -1, -4, -2}}},
                           "S[i] = X[i, j]\nM[i] = max(j: X[i, j])\nN[i] = min(j: X[i, j])\n"
                           "A[i] = mean(j: X[i, j])\nY[i] = (S[i] - M[i]) * (M[i] - N[i])\n"
                           "output S, M, N, A, Y\n" +
                               both_ways("S, M, N, A, Y"),
                           kAll);
  ASSERT_TRUE(ran.ok()) << ran.why();
  EXPECT_EQ(ran.dense("S"), (Floats{2, -7}));
  EXPECT_EQ(ran.dense("M"), (Floats{3, -1}));
  EXPECT_EQ(ran.dense("N"), (Floats{-2, -4}));
  expect_close(ran.dense("A"), {2.0F / 3, -7.0F / 3});
  EXPECT_EQ(ran.dense("Y"), (Floats{-5, -18}));
}

TEST(Soundness, FunctionsOfOneValueStayApart) {
  const Ran ran =
      run_case({{"x", {3}, "dense", {1, -2, 3}}, {"z", {3}, "dense", {4, 5, -6}}},
               "E[i] = exp(x[i])\nR[i] = relu(x[i])\nT[i] = x[i] * 2\nU[i] = x[i] * 3\n"
               "V[i] = x[i] + 2\nP[i] = x[i] + z[i]\nQ[i] = x[i] * z[i]\nD[i] = x[i] - z[i]\n"
               "F[i] = z[i] - x[i]\nY[i] = (x[i] * 2 - x[i] * 3) * relu(x[i]) + exp(x[i])\n"
               "output E, R, T, U, V, P, Q, D, F, Y\n" +
                   both_ways("E, R, T, U, V, P, Q, D, F, Y"),
               kAll);
  ASSERT_TRUE(ran.ok()) << ran.why();
  expect_close(ran.dense("E"), {2.7182818F, 0.13533528F, 20.085537F});
  EXPECT_EQ(ran.dense("R"), (Floats{1, 0, 3}));
  EXPECT_EQ(ran.dense("T"), (Floats{2, -4, 6}));
  EXPECT_EQ(ran.dense("U"), (Floats{3, -6, 9}));
  EXPECT_EQ(ran.dense("V"), (Floats{3, 0, 5}));
  EXPECT_EQ(ran.dense("P"), (Floats{5, 3, -3}));
  EXPECT_EQ(ran.dense("Q"), (Floats{4, -10, -18}));
  EXPECT_EQ(ran.dense("D"), (Floats{-3, -7, 9}));
  EXPECT_EQ(ran.dense("F"), (Floats{3, 7, -9}));
  expect_close(ran.dense("Y"), {1.7182818F, 0.13533528F, 11.085537F});
}

// ------------------------------------------------------------------------ dense tensors and masks

TEST(Soundness, ADenseTensorBelowAMaskKeepsItsOuterIndices) {
  // Two batches, two heads, 2 x 3 positions; every number says where it stands: 1bhqd.
  Floats data, right;
  const Floats mask{2, 0, 3, 0, 5, 0};
  for (int b = 1; b <= 2; ++b)
    for (int h = 1; h <= 2; ++h)
      for (int at = 0; at < 6; ++at) {
        data.push_back(static_cast<float>(10000 + 1000 * b + 100 * h + at));
        right.push_back(data.back() * mask[static_cast<std::size_t>(at)]);
      }
  for (const std::string format : {"csr", "dcsr", "csc"}) {
    const Ran ran =
        run_case({{"Q", {2, 2, 2, 3}, "dense", data}, {"M", {2, 3}, format, mask}},
                 "tensor Y[2, 2, 2, 3]: f32 {dense, dense, dense, compressed}\n"
                 "Y[b, h, q, d] = Q[b, h, q, d] * M[q, d]\nS[b, h] = Y[b, h, q, d]\noutput Y, S\n" +
                     both_ways("Y, S"),
                 format == "csr" ? kAll : kCpp);
    ASSERT_TRUE(ran.ok()) << format << ran.why();
    EXPECT_EQ(ran.dense("Y"), right) << format;
    EXPECT_EQ(ran.stored("Y"), 12U) << format;
    EXPECT_EQ(ran.dense("S"), (Floats{111026, 112026, 121026, 122026})) << format;
  }
}

// --------------------------------------------------------------------- patterns that do not meet

TEST(Soundness, OperandsWithDisjointPatternsMeetAsTheMathematicsSays) {
  const Input a{"A", {2, 3}, "", {1, 0, 0, 0, 2, 0}};
  const Input b{"B", {2, 3}, "", {0, 3, 0, 0, 0, -4}};
  for (const std::string format : {"csr", "dcsr", "csc"}) {
    Input left = a, right = b;
    left.format = right.format = format;
    std::string text;
    for (const char* name : {"Sum", "Diff", "Max", "Min", "Prod", "Quot"})
      text += std::string("tensor ") + name + "[2, 3]: f32 " + format + "\n";
    const Ran ran =
        run_case({left, right},
                 text +
                     "Sum[i, j] = A[i, j] + B[i, j]\nDiff[i, j] = A[i, j] - B[i, j]\n"
                     "Max[i, j] = max(A[i, j], B[i, j])\nMin[i, j] = min(A[i, j], B[i, j])\n"
                     "Prod[i, j] = A[i, j] * B[i, j]\nQuot[i, j] = A[i, j] / max(B[i, j], 4)\n"
                     "output Sum, Diff, Max, Min, Prod, Quot\n" +
                     both_ways("Sum, Diff, Max, Min, Prod, Quot"),
                 format == "dcsr" ? kAll : kCpp);
    ASSERT_TRUE(ran.ok()) << format << ran.why();
    EXPECT_EQ(ran.dense("Sum"), (Floats{1, 3, 0, 0, 2, -4})) << format;
    EXPECT_EQ(ran.dense("Diff"), (Floats{1, -3, 0, 0, 2, 4})) << format;
    EXPECT_EQ(ran.dense("Max"), (Floats{1, 3, 0, 0, 2, 0})) << format;
    EXPECT_EQ(ran.dense("Min"), (Floats{0, 0, 0, 0, 0, -4})) << format;
    EXPECT_EQ(ran.dense("Quot"), (Floats{0.25F, 0, 0, 0, 0.5F, 0})) << format;
    EXPECT_EQ(ran.stored("Sum"), 4U) << format;
    EXPECT_EQ(ran.stored("Prod"), 0U) << format;
    EXPECT_EQ(ran.stored("Quot"), 2U) << format;
  }
}

TEST(Soundness, AnAbsentFactorIsZeroBesideAnythingInsideAMask) {
  // Where F has no entry, what it is multiplied or divided by is not asked for: zero there, or
  // infinite, or not a number.
  const Ran ran = run_case({{"F", {3}, "{compressed}", {6, kNone, kNone}},
                            {"G", {3}, "{compressed}", {1, kNone, 4}},
                            {"D", {3}, "dense", {3, -1, 1}}},
                           "Q[i] = F[i] / sum(j: D[j]) where D[i]\nR[i] = F[i] / G[i] where D[i]\n"
                           "L[i] = (F[i] + F[i]) * log(G[i]) where D[i]\noutput Q, R, L\n" +
                               both_ways("Q, R, L") + "schedule tiles { block i by 2 }\n",
                           kAll);
  ASSERT_TRUE(ran.ok()) << ran.why();
  EXPECT_EQ(ran.dense("Q"), (Floats{2, 0, 0}));
  EXPECT_EQ(ran.dense("R"), (Floats{6, 0, 0}));
  EXPECT_EQ(ran.dense("L"), (Floats{0, 0, 0}));
  for (const char* output : {"Q", "R", "L"}) EXPECT_EQ(ran.stored(output), 3U) << output;
}

TEST(Soundness, AComputedMaskHasWhatItsFormatStores) {
  const auto masked = [](const std::string& format) {
    const Ran ran = run_case({{"A", {2, 3}, "csr", {5, kNone, kNone, kNone, kNone, kNone}},
                              {"B", {2, 3}, "dense", {1, 2, 3, 4, 5, 6}}},
                             "tensor M[2, 3]: f32 " + format +
                                 "\nM[i, j] = A[i, j]\nY[i, j] = B[i, j] where M[i, j]\noutput Y\n"
                                 "schedule plain {}\nschedule tiles { block j by 2 }\n",
                             kCpp);
    EXPECT_TRUE(ran.ok()) << format << ran.why();
    return ran.ok() ? ran.dense("Y") : Floats{};
  };
  EXPECT_EQ(masked("csr"), (Floats{1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(masked("dense"), (Floats{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(masked("{compressed, dense}"), (Floats{1, 2, 3, 0, 0, 0}));
  EXPECT_EQ(masked("{compressed, dense} order (1, 0)"), (Floats{1, 0, 0, 4, 0, 0}));
}

TEST(Soundness, AMaskMayRepeatAnIndex) {
  const Input m{"M", {3, 3}, "csr", {1, 0, 2, 0, 0, 3, 4, 5, 6}}, x{"x", {3}, "dense", {2, 3, 5}};
  const Ran ran = run_case({m, x},
                           "tensor y[3]: f32 {compressed}\n"
                           "y[i] = x[i] where M[i, i]\ns[] = sum(i: x[i]) where M[i, i]\n"
                           "b[] = max(i: 0 - x[i]) where M[i, i]\noutput y, s, b\n" +
                               both_ways("y, s, b"),
                           kAll);
  ASSERT_TRUE(ran.ok()) << ran.why();
  EXPECT_EQ(ran.dense("y"), (Floats{2, 0, 5}));
  EXPECT_EQ(ran.stored("y"), 2U);
  EXPECT_EQ(ran.dense("s"), (Floats{7}));
  EXPECT_EQ(ran.dense("b"), (Floats{-2}));
  // The same from reading the diagonal of what a mask restricts.
  const Ran fused = run_case(
      {m, x}, "T[i, j] = x[i] * x[j] where M[i, j]\nt[] = T[i, i]\noutput t\n" + both_ways("T, t"),
      kCpp);
  ASSERT_TRUE(fused.ok()) << fused.why();
  EXPECT_EQ(fused.dense("t"), (Floats{29}));
}

TEST(Soundness, AMaskOfRowsKeepsTheEntriesOfTheRows) {
  const Ran ran = run_case(
      {{"A", {3, 3}, "csr", {1, 0, 2, 0, 3, 0, 4, 0, 0}}, {"b", {3}, "{compressed}", {7, 0, 7}}},
      "tensor Y[3, 3]: f32 csr\nY[i, j] = A[i, j] where b[i]\n", kAll);
  ASSERT_TRUE(ran.ok()) << ran.why();
  EXPECT_EQ(ran.dense("Y"), (Floats{1, 0, 2, 0, 0, 0, 4, 0, 0}));
  EXPECT_EQ(ran.stored("Y"), 3U);
}

TEST(Soundness, ABiasReachesRowsWithoutEntries) {
  // Node 1 reads nobody.
  for (const std::string format : {"csr", "dcsr", "dense"}) {
    const Ran ran = run_case(
        {{"A", {3, 3}, format, {1, 0, 0, 0, 0, 0, 0, 2, 0}},
         {"X", {3, 2}, "dense", {1, -1, 2, 0.5F, -3, 4}},
         {"b", {2}, "dense", {0.5F, -0.5F}}},
        "tensor H[3, 2]: f32 dense\ntensor P[3, 2]: f32 dense\ntensor E[3, 2]: f32 dense\n"
        "L[i, f] = A[i, k] * X[k, f] + b[f]\nH[i, f] = relu(L[i, f])\n"
        "P[i, f] = softmax(f: L[i, f])\nE[i, f] = exp(A[i, k] * X[k, f])\noutput H, P, E\n" +
            both_ways("L, H, P, E"),
        format == "dcsr" ? kAll : kCpp);
    ASSERT_TRUE(ran.ok()) << format << ran.why();
    EXPECT_EQ(ran.dense("H"), (Floats{1.5F, 0, 0.5F, 0, 4.5F, 0.5F})) << format;
    expect_close(ran.dense("P"),
                 {0.95257413F, 0.04742587F, 0.73105858F, 0.26894142F, 0.98201379F, 0.01798621F});
    expect_close(ran.dense("E"), {2.7182818F, 0.36787944F, 1, 1, 54.59815F, 2.7182818F});
  }
}

TEST(Soundness, ResultsHoldNoEmptyFiberAndNoInventedZero) {
  // Row 0 of A meets an empty row of B, row 1 is empty, the terms of (2, 0) cancel.
  const Ran ran = run_case({{"A", {3, 3}, "dcsr", {7, 0, 0, 0, 0, 0, 0, 1, 1}},
                            {"B", {3, 2}, "dcsr", {0, 0, 2, 3, -2, 0}}},
                           "tensor Y[3, 2]: f32 dcsr\nY[i, j] = A[i, k] * B[k, j]\noutput Y\n"
                           "schedule rows { order i, k, j }\nschedule inner { order i, j, k }\n"
                           "schedule outer { order k, i, j }\nschedule columns { order j, k, i }\n",
                           kCpp);
  ASSERT_TRUE(ran.ok()) << ran.why();
  const Tensor& y = ran.outputs.at("Y");
  EXPECT_EQ(y.levels[0].seg, (Words{0, 1}));
  EXPECT_EQ(y.levels[0].crd, (Words{2}));
  EXPECT_EQ(y.levels[1].seg, (Words{0, 2}));
  EXPECT_EQ(y.levels[1].crd, (Words{0, 1}));  // what terms add up to is stored, zero or not
  EXPECT_EQ(ran.dense("Y"), (Floats{0, 0, 0, 0, 0, 3}));

  // Below: sums, and a product that loses whole fibers at two levels.
  const Floats b{0, 0, 0, 0, 1, 0, 0, 2}, c{0, 0, 3, 0, 0, 4, 0, 5};
  const std::string all = "{compressed, compressed, compressed}";
  const Ran deep = run_case({{"B", {2, 2, 2}, all, b}, {"C", {2, 2, 2}, all, c}},
                            "tensor P[2, 2, 2]: f32 " + all + "\ntensor S[2, 2, 2]: f32 " + all +
                                "\nP[i, j, k] = B[i, j, k] * C[i, j, k]\n"
                                "S[i, j, k] = B[i, j, k] + C[i, j, k]\noutput P, S\n" +
                                both_ways("P, S"),
                            kAll);
  ASSERT_TRUE(deep.ok()) << deep.why();
  const Tensor& p = deep.outputs.at("P");
  EXPECT_EQ(p.levels[0].crd, (Words{1}));
  EXPECT_EQ(p.levels[1].seg, (Words{0, 1}));
  EXPECT_EQ(p.levels[1].crd, (Words{1}));
  EXPECT_EQ(p.levels[2].crd, (Words{1}));
  const Tensor& s = deep.outputs.at("S");
  EXPECT_EQ(s.levels[0].crd, (Words{0, 1}));
  EXPECT_EQ(s.levels[1].seg, (Words{0, 1, 3}));
  EXPECT_EQ(s.levels[1].crd, (Words{1, 0, 1}));
  EXPECT_EQ(s.levels[2].crd, (Words{0, 0, 1, 1}));
}

// -------------------------------------------------------------------------------- order of levels

TEST(Soundness, RowsAndColumnsOfAMatrixAreNotConfused) {
  for (const std::string format : {"csr", "csc", "{compressed, compressed} order (1, 0)"}) {
    const Ran ran = run_case({{"A", {2, 3}, format, {1, 2, 0, 0, 0, 3}},
                              {"x", {3}, "dense", {1, 10, 100}},
                              {"z", {2}, "dense", {1, 10}}},
                             "tensor R[2, 3]: f32 csr\ntensor C[2, 3]: f32 csc\n"
                             "tensor T[3, 2]: f32 csr\n"
                             "y[i] = A[i, j] * x[j]\nw[j] = A[i, j] * z[i]\nR[i, j] = A[i, j]\n"
                             "C[i, j] = A[i, j]\nT[j, i] = A[i, j]\noutput y, w, R, C, T\n",
                             format == "csc" ? kAll : kCpp);
    ASSERT_TRUE(ran.ok()) << format << ran.why();
    EXPECT_EQ(ran.dense("y"), (Floats{21, 300})) << format;
    EXPECT_EQ(ran.dense("w"), (Floats{1, 2, 30})) << format;
    EXPECT_EQ(ran.dense("T"), (Floats{1, 0, 2, 0, 0, 3})) << format;
    EXPECT_EQ(ran.outputs.at("R").levels[1].seg, (Words{0, 2, 3})) << format;
    EXPECT_EQ(ran.outputs.at("R").levels[1].crd, (Words{0, 1, 2})) << format;
    EXPECT_EQ(ran.outputs.at("C").levels[1].seg, (Words{0, 1, 2, 3})) << format;
    EXPECT_EQ(ran.outputs.at("C").levels[1].crd, (Words{0, 0, 1})) << format;
  }
}

TEST(Soundness, WeightsMayBeStoredTransposed) {
  // X W, with W as it is, stored by columns, and given as its transpose.
  const Input x{"X", {2, 3}, "dense", {1, 2, 3, 4, 5, 6}};
  const Floats right{1 + 6 - 12, 2 + 10, 4 + 15 - 24, 8 + 25};
  for (const std::string format : {"dense", "{dense, dense} order (1, 0)", "csc"})
    for (const bool transposed : {false, true}) {
      const Input w = transposed ? Input{"W", {2, 3}, format, {1, 3, -4, 2, 5, 0}}
                                 : Input{"W", {3, 2}, format, {1, 2, 3, 5, -4, 0}};
      const std::string read = transposed ? "W[u, f]" : "W[f, u]";
      const Ran ran = run_case({x, w},
                               "T[i, u] = X[i, f] * " + read +
                                   "\nY[i, u] = relu(T[i, u]) - T[i, u]"
                                   "\noutput T, Y\n" +
                                   both_ways("T, Y"),
                               kCpp);
      ASSERT_TRUE(ran.ok()) << format << transposed << ran.why();
      EXPECT_EQ(ran.dense("T"), right) << format << transposed;
      EXPECT_EQ(ran.dense("Y"), (Floats{5, 0, 5, 0})) << format << transposed;
    }
}

TEST(Soundness, OrdersThatGoRoundInACircleAreBrokenByACopy) {
  // A is wanted by rows by one statement and by columns by the other: both inner products.
  const Ran ran =
      run_case({{"B", {2, 2}, "csr", {1, 2, 0, 3}}, {"C", {2, 2}, "csr", {0, 4, 5, 0}}},
               "tensor E[2, 2]: f32 csr\nA[i, j] = B[i, k] * C[k, j]\nE[i, l] = B[i, j] * A[j, l]\n"
               "output E\nschedule unfused { order i, j, k, l }\n"
               "schedule inner { fuse A, E order i, l, j, k }\n",
               kAll);
  ASSERT_TRUE(ran.ok()) << ran.why();
  // A = [[10, 4], [15, 0]], B A = [[40, 4], [45, 0]].
  EXPECT_EQ(ran.dense("E"), (Floats{40, 4, 45, 0}));
  EXPECT_TRUE(told(ran, "the cycle is"));
  const Ran ring = run_case({{"A", {2, 3}, "csr", {1, 2, 0, 0, 0, 3}},
                             {"B", {3, 2}, "csr", {4, 0, 5, 0, 0, 6}},
                             {"C", {2, 2}, "csr", {1, 7, 0, 8}}},
                            "s[] = A[i, j] * B[j, k] * C[k, i]\noutput s\n", kCpp);
  ASSERT_TRUE(ring.ok()) << ring.why();
  // A B = [[14, 0], [0, 18]]; times C, the trace.
  EXPECT_EQ(ring.dense("s"), (Floats{14 + 18 * 8}));
  EXPECT_TRUE(told(ring, "a permuted copy is made; the cycle is"));
  // A result is named, too, whatever its value is made of.
  const Ran masked = run_case({{"M", {2, 2}, "csc", {1, 0, 2, 3}}, {"b", {2}, "dense", {1, 2}}},
                              "tensor Y[2, 2]: f32 csr\nY[i, j] = b[i] where M[i, j]\n", kCpp);
  ASSERT_TRUE(masked.ok()) << masked.why();
  EXPECT_TRUE(told(masked, "the cycle is i before j (Y), j before i (M)"));
}

// ------------------------------------------------------------------------------------------ sizes

TEST(Soundness, MoreIndicesThanLetters) {
  std::vector<Input> inputs;
  std::string product;
  constexpr int kIndices = 31;
  for (int n = 0; n < kIndices; ++n) {
    // Sums of 2 and 1/2 in turn, from different numbers.
    const float first = static_cast<float>(n + 1);
    inputs.push_back(
        {"v" + std::to_string(n), {2}, "dense", {first, (n % 2 == 0 ? 2.0F : 0.5F) - first}});
    product += fmt::format("{}sum(a{}: v{}[a{}])", n == 0 ? "" : " * ", n, n, n);
  }
  const Ran ran = run_case(
      inputs, "s[] = " + product + "\nt[] = s[] * 3\noutput s, t\n" + both_ways("s, t"), kCpp);
  ASSERT_TRUE(ran.ok()) << ran.why();
  EXPECT_EQ(ran.dense("s"), (Floats{2}));
  EXPECT_EQ(ran.dense("t"), (Floats{6}));
}

TEST(Soundness, ThreeFactorsTwoSumsAndConstantsOnEitherSide) {
  const Ran ran =
      run_case({{"T", {2, 2, 2}, "{dense, compressed, compressed}", {1, 0, 0, 2, 3, 0, 0, 0}},
                {"V", {2, 2}, "dense", {1, 2, 3, 4}},
                {"W", {2, 2}, "dense", {5, 6, 7, 8}}},
               "M[i, r] = T[i, j, k] * V[j, r] * W[k, r]\nA[i, r] = 0.5 * M[i, r]\n"
               "B[i, r] = M[i, r] * 0.25\nC[i, r] = 1 - M[i, r]\n"
               "D[i, r] = M[i, r] - 1\nE[i, r] = 105 / M[i, r]\n"
               "F[i, r] = M[i, r] / 2 + 3\noutput M, A, B, C, D, E, F\n" +
                   both_ways("M, A, B, C, D, E, F"),
               kCpp);
  ASSERT_TRUE(ran.ok()) << ran.why();
  EXPECT_EQ(ran.dense("M"), (Floats{5 + 42, 12 + 64, 15, 36}));
  EXPECT_EQ(ran.dense("A"), (Floats{23.5F, 38, 7.5F, 18}));
  EXPECT_EQ(ran.dense("B"), (Floats{11.75F, 19, 3.75F, 9}));
  EXPECT_EQ(ran.dense("C"), (Floats{-46, -75, -14, -35}));
  EXPECT_EQ(ran.dense("D"), (Floats{46, 75, 14, 35}));
  expect_close(ran.dense("E"), {105.0F / 47, 105.0F / 76, 7, 105.0F / 36});
  EXPECT_EQ(ran.dense("F"), (Floats{26.5F, 41, 10.5F, 21}));
}

// ------------------------------------------------------------------------------- values used twice

TEST(Soundness, AValueReadByTwoConsumersIsRightForBoth) {
  // B (A B), and A B itself, and both together.
  for (const std::string format : {"csr", "dense", "csc"}) {
    const Ran ran = run_case(
        {{"A", {2, 2}, format, {0, 1, 2, 0}}, {"B", {2, 2}, format, {1, 3, 0, 4}}},
        "P[i, j] = A[i, k] * B[k, j]\nY[i, j] = B[i, k] * P[k, j]\nZ[i, j] = Y[i, j] - P[i, j]\n"
        "output P, Y, Z\n" +
            both_ways("P, Y, Z"),
        format == "csr" ? kAll : kCpp);
    ASSERT_TRUE(ran.ok()) << format << ran.why();
    EXPECT_EQ(ran.dense("P"), (Floats{0, 4, 2, 6})) << format;
    EXPECT_EQ(ran.dense("Y"), (Floats{6, 22, 8, 24})) << format;
    EXPECT_EQ(ran.dense("Z"), (Floats{6, 18, 6, 18})) << format;
  }
}

// ------------------------------------------------------------------------------------- reductions

TEST(Soundness, SumsOutsideThreeAndFourLoopsAreAccumulated) {
  // Outer products of sparse vectors, added up over the outermost loop.
  const Input a{"A", {2, 2}, "csr", {1, 0, 2, 3}}, b{"B", {2, 2}, "csr", {4, 5, 0, 6}},
      c{"C", {2, 2}, "csr", {0, 7, 8, 9}}, d{"D", {2, 2}, "csr", {1, 0, 1, 2}};
  Floats three(8, 0.0F), four(16, 0.0F);
  for (std::size_t r = 0; r < 2; ++r)
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 2; ++j)
        for (std::size_t k = 0; k < 2; ++k) {
          const float term = a.values[r * 2 + i] * b.values[r * 2 + j] * c.values[r * 2 + k];
          three[i * 4 + j * 2 + k] += term;
          for (std::size_t l = 0; l < 2; ++l)
            four[i * 8 + j * 4 + k * 2 + l] += term * d.values[r * 2 + l];
        }
  const std::string all = "{compressed, compressed, compressed";
  const Ran order3 = run_case({a, b, c},
                              "tensor Y[2, 2, 2]: f32 " + all +
                                  "}\nY[i, j, k] = A[r, i] * B[r, j] * C[r, k]\noutput Y\n"
                                  "schedule outer { order r, i, j, k }\n",
                              kAll);
  ASSERT_TRUE(order3.ok()) << order3.why();
  EXPECT_EQ(order3.dense("Y"), three);
  EXPECT_EQ(order3.stored("Y"), 5U);
  const Ran order4 =
      run_case({a, b, c, d},
               "tensor Y[2, 2, 2, 2]: f32 " + all +
                   ", compressed}\nY[i, j, k, l] = A[r, i] * B[r, j] * C[r, k] * D[r, l]\n"
                   "output Y\nschedule outer { order r, i, j, k, l }\n",
               kCpp);
  ASSERT_TRUE(order4.ok()) << order4.why();
  EXPECT_EQ(order4.dense("Y"), four);
}

TEST(Soundness, MinimaAreNoSumsAndStartFromNoZero) {
  const Input x{"X", {3, 3}, "csr", {3, 5, 4, 0, -2, -7, 0, 6, 0}};
  const Ran ran = run_case({x},
                           "tensor S[3]: f32 dense\n"
                           "S[i] = min(j: X[i, j])\nL[i] = max(j: 0 - X[i, j])\n"
                           "P[i] = min(j: X[i, j] + 10)\noutput S, L, P\n" +
                               both_ways("S, L, P"),
                           kAll);
  ASSERT_TRUE(ran.ok()) << ran.why();
  EXPECT_EQ(ran.dense("S"), (Floats{3, -7, 0}));
  EXPECT_EQ(ran.dense("L"), (Floats{-3, 7, 0}));
  EXPECT_EQ(ran.dense("P"), (Floats{13, 3, 10}));
  // Over the stored entries only: row 2 has nothing but a 6.
  const Ran stored = run_case({x},
                              "tensor W[3, 3]: f32 csr\n"
                              "W[i, j] = X[i, j] - min(j: X[i, j]) where X[i, j]\noutput W\n",
                              kCpp);
  ASSERT_TRUE(stored.ok()) << stored.why();
  EXPECT_EQ(stored.dense("W"), (Floats{0, 2, 1, 0, 5, 0, 0, 0, 0}));
  EXPECT_EQ(stored.stored("W"), 6U);
}

}  // namespace
}  // namespace heddle
