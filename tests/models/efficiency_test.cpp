// How near designs come to one firing of their busiest block a cycle, on data large enough that
// filling and emptying them does not count.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/models/bigbird.h"
#include "tests/models/model_runs.h"

namespace heddle {
namespace {

constexpr double kClose = 1.05;
const std::vector<Engine> kCycle{Engine::kFunctional, Engine::kCycle};

std::optional<std::string> cora() {
  const char* folder = std::getenv("HEDDLE_DATA");
  const std::string path = std::string(folder == nullptr ? "" : folder) + "/cora";
  if (!std::filesystem::exists(path + "_adj_norm.mtx.gz")) return std::nullopt;
  return path;
}

DataOptions features_of(const std::string& path) {
  return {{{"A", path + "_adj_norm.mtx.gz"}, {"X", path + "_features.mtx.gz"}},
          {{"d", 1433}, {"h", 16}, {"c", 7}},
          {}};
}

/// `fill`: cycles that pass before anything can overlap.
void expect_close(const Ran& ran, std::uint64_t fill = 0) {
  for (const RegionReport& r : ran.report.regions)
    EXPECT_LE(static_cast<double>(r.cycles - fill), kClose * static_cast<double>(r.busiest_firings))
        << r.name << ": " << (r.limit ? to_text(*r.limit) : "");
}

class EfficiencyOnCora : public testing::Test {
 protected:
  void SetUp() override {
    if (!cora()) GTEST_SKIP() << "HEDDLE_DATA names no folder with the Cora graph: not run";
  }
  DataOptions graph() const { return {{{"A", *cora() + "_adj_norm.mtx.gz"}}, {}, {}}; }
};

TEST_F(EfficiencyOnCora, MatrixTimesVector) {
  expect_close(
      run("tensor A[n, n]: f32 csr = constant(0)\ntensor x[n]: f32 dense = random(seed: 1)\n"
          "y[i] = A[i, j] * x[j]\noutput y\n",
          "", graph(), kCycle));
}

TEST_F(EfficiencyOnCora, MatrixTimesMatrixByRows) {
  const char* model =
      "tensor A[n, n]: f32 csr = constant(0)\ntensor X[n, d]: f32 csr = constant(0)\n"
      "tensor H[n, w]: f32 dense = random(seed: 3)\nsize w = 16\n"
      "T[i, f] = A[i, k] * X[k, f]\nU[i, u] = A[i, k] * H[k, u]\noutput T, U\n";
  DataOptions data = features_of(*cora());
  data.sizes.clear();
  expect_close(run(model, "", data, kCycle));
}

TEST_F(EfficiencyOnCora, SampledProduct) {
  expect_close(
      run("tensor A[n, n]: f32 csr = constant(0)\n"
          "tensor Q[n, d]: f32 dense = random(seed: 1)\n"
          "tensor K[n, d]: f32 dense = random(seed: 2)\ntensor S[n, n]: f32 csr\n"
          "size d = 16\nS[i, j] = A[i, j] * Q[i, k] * K[j, k]\noutput S\n",
          "", graph(), kCycle));
}

TEST_F(EfficiencyOnCora, GcnByLayers) {
  expect_close(run(example("gcn"), "fuse T1, H fuse T2, L, M, E, Y", features_of(*cora()), kCycle));
}

// The first papers cite some of the last, so the second layer starts when the first is nearly done:
// the one takes its cycles after the other, whatever the blocks do. The report says so.
TEST_F(EfficiencyOnCora, GcnKeptIsItsLayersOneAfterTheOther) {
  const DataOptions data = features_of(*cora());
  const Ran layers = run(example("gcn"), "fuse T1, H fuse T2, L, M, E, Y", data, kCycle);
  const Ran kept = run(example("gcn"), "fuse T1, H, T2, L, M, E, Y keep H", data, kCycle);
  const RegionReport& r = kept.report.regions.at(0);
  std::uint64_t firings = 0;
  for (const RegionReport& layer : layers.report.regions) firings += layer.busiest_firings;
  EXPECT_LT(r.cycles, firings);
  ASSERT_TRUE(r.limit);
  EXPECT_EQ(r.limit->kind, Limit::Kind::kOthers) << to_text(*r.limit);
  EXPECT_EQ(r.limit->busiest, "accumulate_H_f");
  EXPECT_TRUE(r.limit->block.starts_with("accumulate_L_u")) << to_text(*r.limit);
  expect_close(kept, r.limit->cycles);
}

TEST(Efficiency, AttentionOf256Positions) {
  const DataOptions data{{{"B", bigbird(256)}}, {{"h", 1}, {"d", 64}}, {}};
  expect_close(run(example("attention"), "fuse S, P, O", data, kCycle));
}

}  // namespace
}  // namespace heddle
