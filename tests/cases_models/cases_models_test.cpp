// Whole models that went wrong elsewhere, unfused and fused. README.md has the list.
#include <cstdlib>
#include <filesystem>

#include "tests/cases/run_case.h"

namespace heddle {
namespace {

using Floats = std::vector<float>;
constexpr float kInf = std::numeric_limits<float>::infinity();

void expect_close(const Floats& found, const Floats& right, float tolerance) {
  ASSERT_EQ(found.size(), right.size());
  for (std::size_t n = 0; n < right.size(); ++n)
    EXPECT_NEAR(found[n], right[n], tolerance) << "at " << n;
}

TEST(CasesModels, D13_RowWithEveryKeyMasked) {
  const Input v{"V", {2, 1}, "dense", {1, 2}};
  for (const std::string format : {"csr", "dcsr"})
    for (const std::string schedule : {"unfused {}", "fused { fuse P, O }"}) {
      const Ran ran =
          run_case({{"S", {2, 2}, format, {1, 2, kNone, kNone}}, v},
                   "tensor P[2, 2]: f32 " + format +
                       "\ntensor O[2, 1]: f32 dense\n"
                       "P[i, j] = softmax(j: S[i, j]) where S[i, j]\nO[i, f] = P[i, j] * V[j, f]\n"
                       "output P, O\nschedule " +
                       schedule + "\n",
                   format == "csr" && schedule[0] == 'f' ? kAll : kCpp);
      ASSERT_TRUE(ran.ok()) << format << schedule << ran.why();
      expect_close(ran.dense("P"), {0.26894142F, 0.73105858F, 0, 0}, 1e-6F);
      EXPECT_EQ(ran.stored("P"), 2U);
      expect_close(ran.dense("O"), {1.7310586F, 0}, 1e-6F);
    }
}

TEST(CasesModels, D13_RowOfStoredMinusInfinityStaysInItsRow) {
  // The row has no meaning: its differences are infinity minus infinity. Nothing of it may reach
  // the other row.
  for (const std::string schedule : {"unfused {}", "fused { fuse P, O }"}) {
    const Ran ran =
        run_case({{"S", {2, 2}, "csr", {1, 2, -kInf, -kInf}}, {"V", {2, 1}, "dense", {1, 2}}},
                 "tensor P[2, 2]: f32 csr\nP[i, j] = softmax(j: S[i, j]) where S[i, j]\n"
                 "O[i, f] = P[i, j] * V[j, f]\noutput O\nschedule " +
                     schedule + "\n",
                 kCpp);
    ASSERT_TRUE(ran.errors.empty()) << ran.errors;
    ASSERT_TRUE(ran.outputs.contains("O")) << ran.why();
    EXPECT_NEAR(ran.dense("O")[0], 1.7310586F, 1e-6F);
  }
}

TEST(CasesModels, D14_LargeLogits) {
  const std::string text =
      "tensor P[2, 3]: f32 csr\nM[i] = max(j: S[i, j]) where S[i, j]\nE[i, j] = exp(S[i, j] - "
      "M[i]) where S[i, j]\n"
      "P[i, j] = E[i, j] / sum(j: E[i, j])\noutput P\n"
      "schedule unfused {}\nschedule partial { fuse M, E }\nschedule full { fuse M, E, P }\n";
  const std::string macro =
      "tensor P[2, 3]: f32 csr\nP[i, j] = softmax(j: S[i, j]) where S[i, j]\n";
  for (const std::string& model : {text, macro}) {
    const Ran wide = run_case({{"S", {2, 3}, "csr", {1000, 999, -1000, -1000, kNone, 999}}}, model,
                              model == text ? kAll : kCpp);
    ASSERT_TRUE(wide.ok()) << wide.why();
    expect_close(wide.dense("P"), {0.73105858F, 0.26894142F, 0, 0, 0, 1}, 1e-6F);
    const Ran far =
        run_case({{"S", {2, 3}, "csr", {1000, 999, kNone, -1000, -999, kNone}}}, model, kCpp);
    ASSERT_TRUE(far.ok()) << far.why();
    expect_close(far.dense("P"), {0.73105858F, 0.26894142F, 0, 0.26894142F, 0.73105858F, 0}, 1e-6F);
    const Floats p = far.dense("P");
    EXPECT_NEAR(p[0] + p[1], 1, 1e-5F);
    EXPECT_NEAR(p[3] + p[4], 1, 1e-5F);
  }
}

TEST(CasesModels, D16_LayerNormalization) {
  const std::string text =
      "tensor Y[4, 4]: f32 dense\nN[i, c] = layernorm(c: X[i, c], 0.00001)\nY[i, c] = N[i, c]\n"
      "output Y\nschedule unfused {}\nschedule fused { fuse N, Y }\n";
  for (const std::string format : {"dense", "csr", "dcsr"}) {
    const Ran ran = run_case({{"X",
                               {4, 4},
                               format,
                               {50000, 50001, 50002, 50003, 7, 7, 7, 7, 0, 0, 0, 0, -3, 0, 0, 9},
                               format == "dense"}},
                             text, format == "csr" ? kAll : kCpp);
    ASSERT_TRUE(ran.ok()) << format << ran.why();
    const Floats y = ran.dense("Y");
    ASSERT_EQ(y.size(), 16U);
    expect_close(Floats(y.begin(), y.begin() + 4),
                 {-1.3416354F, -0.4472118F, 0.4472118F, 1.3416354F}, 1e-3F);
    // Four entries a row, however many are stored.
    expect_close(Floats(y.begin() + 4, y.end()),
                 {0, 0, 0, 0, 0, 0, 0, 0, -1, -0.3333333F, -0.3333333F, 1.6666663F}, 1e-5F);
  }
}

TEST(CasesModels, D17_NetworkWithNodesWithoutNeighbours) {
  // Node 0 reads nodes 1 and 2, which read nobody. Two layers of each kind; the second reads what
  // the first wrote.
  const std::string mean =
      "D[i] = max(sum(k: A[i, k]), 1)\nP[i, f] = A[i, k] * X[k, f] / D[i]\nH[i, f] = X[i, f] + "
      "P[i, f]\n"
      "Q[i, f] = A[i, k] * H[k, f] / D[i]\nY[i, f] = H[i, f] + Q[i, f]\noutput P, Q, Y\n"
      "schedule unfused {}\nschedule partial { fuse P, H fuse Q, Y }\nschedule full { fuse D, P, "
      "H, Q, Y }\n";
  const std::string maximum =
      "P[i, f] = max(k: X[k, f]) where A[i, k]\nH[i, f] = X[i, f] + P[i, f]\n"
      "Q[i, f] = max(k: H[k, f]) where A[i, k]\nY[i, f] = H[i, f] + Q[i, f]\noutput P, Q, Y\n"
      "schedule unfused {}\nschedule partial { fuse P, H fuse Q, Y }\nschedule full { fuse P, H, "
      "Q, Y }\n";
  const std::string results =
      "tensor P[3, 1]: f32 dense\ntensor Q[3, 1]: f32 dense\ntensor Y[3, 1]: f32 dense\n";
  const Input x{"X", {3, 1}, "dense", {-1, -2, -5}};
  for (const std::string format : {"csr", "dcsr"})
    for (const bool edges : {true, false}) {
      const Input a{
          "A", {3, 3}, format, edges ? Floats{0, 1, 1, 0, 0, 0, 0, 0, 0} : Floats(9, 0.0F)};
      const std::vector<Engine>& engines = format == "csr" && edges ? kAll : kCpp;
      const Ran by_mean = run_case({a, x}, results + mean, engines);
      ASSERT_TRUE(by_mean.ok()) << format << by_mean.why();
      EXPECT_EQ(by_mean.dense("P"), (edges ? Floats{-3.5F, 0, 0} : Floats{0, 0, 0}));
      EXPECT_EQ(by_mean.dense("Q"), (edges ? Floats{-3.5F, 0, 0} : Floats{0, 0, 0}));
      EXPECT_EQ(by_mean.dense("Y"), (edges ? Floats{-8, -2, -5} : Floats{-1, -2, -5}));
      const Ran by_max = run_case({a, x}, results + maximum, kCpp);
      ASSERT_TRUE(by_max.ok()) << format << by_max.why();
      EXPECT_EQ(by_max.dense("P"), (edges ? Floats{-2, 0, 0} : Floats{0, 0, 0}));
      EXPECT_EQ(by_max.dense("Q"), (edges ? Floats{-2, 0, 0} : Floats{0, 0, 0}));
      EXPECT_EQ(by_max.dense("Y"), (edges ? Floats{-5, -2, -5} : Floats{-1, -2, -5}));
      EXPECT_EQ(by_max.stored("Y"), 3U);
    }
}

TEST(CasesModels, D18_SelfLoopsAreTheModelsBusiness) {
  const Input a{"A", {3, 3}, "csr", {1, 1, 0, 1, 0, 0, 0, 0, 0}};
  const Input one{"I", {3, 3}, "csr", {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  const Input x{"X", {3}, "dense", {1, 1, 1}};
  const std::string rest =
      "R[i] = rsqrt(sum(j: L[i, j]))\nY[i] = R[i] * L[i, j] * R[j] * X[j]\noutput Y\n"
      "schedule unfused {}\nschedule partial { fuse L, R }\nschedule full { fuse L, R, Y }\n";
  // Added anyway: [[2, 1, 0], [1, 1, 0], [0, 0, 1]].
  const Ran added =
      run_case({a, one, x}, "tensor L[3, 3]: f32 csr\nL[i, j] = A[i, j] + I[i, j]\n" + rest, kAll);
  ASSERT_TRUE(added.ok()) << added.why();
  expect_close(added.dense("Y"), {1.0749149F, 0.9082483F, 1}, 1e-6F);
  // Only where one is missing: [[1, 1, 0], [1, 1, 0], [0, 0, 1]].
  const Ran missing = run_case(
      {a, one, x}, "tensor L[3, 3]: f32 csr\nL[i, j] = max(A[i, j], I[i, j])\n" + rest, kCpp);
  ASSERT_TRUE(missing.ok()) << missing.why();
  expect_close(missing.dense("Y"), {1, 1, 1}, 1e-6F);
}

TEST(CasesModels, D19_BlockMaskCutAtTheEdge) {
  // Six positions in blocks of four: the second block has two. All weights are equal.
  const Input q{"Q", {6, 2}, "dense", Floats(12, 0.0F), true};
  const Input k{"K", {6, 2}, "dense", {1, -1, 2, 3, 4, 0.5F, -1, 2, 0.25F, 1, 3, -2}};
  const Input v{"V", {6, 1}, "dense", {1, 2, 3, 4, 5, 6}};
  const std::string text =
      "tensor O[6, 1]: f32 dense\nS[i, j] = Q[i, c] * K[j, c] / sqrt(size(c)) where B[i, j]\n"
      "P[i, j] = softmax(j: S[i, j]) where B[i, j]\nO[i, f] = P[i, j] * V[j, f]\noutput O\n"
      "schedule unfused {}\nschedule partial { fuse S, P }\nschedule full { fuse S, P, O }\n";
  const Ran whole =
      run_case({{"B", {6, 6}, "csr", Floats(36, 1.0F)}, q, k, v}, text + "size c = 2\n", kAll);
  ASSERT_TRUE(whole.ok()) << whole.why();
  expect_close(whole.dense("O"), Floats(6, 3.5F), 1e-6F);
  Floats diagonal(36, 0.0F);
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) diagonal[i * 6 + j] = i / 4 == j / 4 ? 1.0F : 0.0F;
  const Ran blocks = run_case({{"B", {6, 6}, "csr", diagonal}, q, k, v}, text, kCpp);
  ASSERT_TRUE(blocks.ok()) << blocks.why();
  expect_close(blocks.dense("O"), {2.5F, 2.5F, 2.5F, 2.5F, 5.5F, 5.5F}, 1e-6F);
}

TEST(CasesModels, D21_StreamJoinsItsOwnSum) {
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
  const std::string text =
      "tensor O[3, 40]: f32 csr\ns[i] = B[i, k]\nO[i, j] = B[i, j] * s[i]\noutput O\n";
  const Ran sized = run_case({b}, text + "schedule fused { fuse s, O depth auto }\n", kAll);
  ASSERT_TRUE(sized.ok()) << sized.why();
  EXPECT_EQ(sized.dense("O"), right);
  const Ran given = run_case({b}, text + "schedule fused { fuse s, O depth 2 }\n", kAll);
  ASSERT_EQ(given.errors, "");
  if (given.report.state == ScheduleState::kDeadlock) {
    EXPECT_NE(given.report.problem.find("is deadlocked"), std::string::npos)
        << given.report.problem;
    EXPECT_NE(given.report.problem.find("channel"), std::string::npos) << given.report.problem;
  } else {
    ASSERT_TRUE(given.ok()) << given.why();
    EXPECT_EQ(given.dense("O"), right);
  }
}

/// Cycles by schedule of a model over the Cora graph; empty without the data.
std::map<std::string, double> cora_cycles(const std::string& features, const std::string& weights,
                                          const std::string& statements,
                                          const std::vector<std::string>& schedules) {
  std::map<std::string, double> cycles;
  const char* folder = std::getenv("HEDDLE_DATA");
  if (folder == nullptr ||
      !std::filesystem::exists(std::filesystem::path(folder) / "cora_adj_norm.mtx.gz"))
    return cycles;
  for (const std::string& schedule : schedules) {
    const std::string text = "tensor A[n, n]: f32 csr = file(\"" + std::string(folder) +
                             "/cora_adj_norm.mtx.gz\")\n" + "tensor X[n, d]: f32 " + features +
                             " = file(\"" + std::string(folder) +
                             "/cora_features.mtx.gz\")\nsize h = 16, c = 7\n" + weights +
                             statements + "schedule " + schedule + "\n";
    const Ran ran = run_case({}, text, {Engine::kCycle});
    EXPECT_TRUE(ran.ok()) << ran.why();
    cycles[schedule.substr(0, schedule.find(' '))] = static_cast<double>(ran.report.cycles);
    std::printf("%s: %.0f cycles\n", schedule.c_str(), static_cast<double>(ran.report.cycles));
  }
  return cycles;
}

TEST(RealData, CoraLayersFusedAreFaster) {
  const auto cycles = cora_cycles(
      "dense",
      "tensor W1[d, h]: f32 dcsr = random(density: 0.4, seed: 1)\ntensor b1[h]: f32 dense = "
      "random(seed: 2)\n"
      "tensor W2[h, c]: f32 dcsr = random(density: 0.4, seed: 3)\ntensor b2[c]: f32 dense = "
      "random(seed: 4)\n",
      "T1[i, f] = A[i, k] * X[k, f]\nH[i, u] = relu(T1[i, f] * W1[f, u] + b1[u])\nT2[i, u] = A[i, "
      "k] * H[k, u]\n"
      "L[i, o] = T2[i, u] * W2[u, o] + b2[o]\nY[i, o] = softmax(o: L[i, o])\noutput Y\n",
      {"unfused {}", "partial { fuse T1, H fuse T2, L, Y }"});
  if (cycles.empty()) GTEST_SKIP() << "HEDDLE_DATA names no folder with cora_adj_norm.mtx.gz";
  EXPECT_GT(cycles.at("unfused") / cycles.at("partial"), 1.6);
}

}  // namespace
}  // namespace heddle
