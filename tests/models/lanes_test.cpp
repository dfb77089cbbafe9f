// Lanes: the same bits in the same order as with one lane, in every engine, and what they gain.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/models/bigbird.h"
#include "tests/models/model_runs.h"

namespace heddle {
namespace {

struct Kernel {
  const char* name;
  const char* text;
  const char* order;
  std::vector<const char*> indices;  // of the loops that can have lanes
};
void PrintTo(const Kernel& k, std::ostream* out) { *out << k.name; }
const std::vector<Kernel> kKernels{
    {"SpmmRows", "Y[i, j] = A[i, k] * B[k, j]\noutput Y\n", "order i, k, j", {"i", "k", "j"}},
    {"SpmmOuter", "Y[i, j] = A[i, k] * B[k, j]\noutput Y\n", "order k, i, j", {"k", "i", "j"}},
    {"SpmmInner", "Y[i, j] = A[i, k] * B[k, j]\noutput Y\n", "order i, j, k", {"i", "j", "k"}},
    {"Sum", "tensor Y[n, n]: f32 dcsr\nY[i, j] = A[i, j] + B[i, j]\noutput Y\n", "", {"i", "j"}},
    {"Softmax", "Y[i, j] = softmax(j: A[i, j]) where B[i, j]\noutput Y\n", "", {"i", "j"}},
    {"Kept",
     "H[i, j] = A[i, k] * B[k, j]\nY[i, j] = A[i, k] * H[k, j] + H[i, j]\noutput Y\n",
     "fuse H, Y keep H",
     {"i"}},
    {"SparseRows",
     "tensor Y[n, n]: f32 dcsr\nY[i, j] = A[i, k] * B[k, j]\noutput Y\n",
     "order i, k, j",
     {"i", "k"}},
    {"DenseRowsOfSparse",
     "tensor Y[n, n]: f32 {compressed, dense}\nY[i, j] = A[i, k] * B[k, j]\noutput Y\n",
     "order i, j, k",
     {"i", "j"}},
    {"Transposed",
     "tensor Y[n, n]: f32 csc\nY[i, j] = A[i, k] * B[k, j]\noutput Y\n",
     "order i, k, j",
     {"i"}},
    {"Twice",
     "tensor Z[n, n]: f32 dcsr\nZ[i, j] = A[i, k] * B[k, j]\nY[i, j] = Z[i, j] + A[i, j]\n"
     "output Y, Z\n",
     "fuse Z, Y order i, k, j",
     {"i"}},
    {"Attention",
     "tensor D[h, n]: f32 dense = random(seed: 3)\nsize h = 5\ntensor O[h, n, n]: f32 dense\n"
     "P[g, i, j] = softmax(j: D[g, i] * B[i, j]) where A[i, j]\n"
     "O[g, i, v] = P[g, i, j] * D[g, j] * B[j, v]\noutput O\n",
     "fuse P, O order g, i",
     {"g", "i"}},
};

std::string operands(const char* density) {
  return std::string("size n = 9\ntensor A[n, n]: f32 csr = random(density: ") + density +
         ", seed: 1)\ntensor B[n, n]: f32 csr = random(density: " + density + ", seed: 2)\n";
}

class Lanes : public testing::TestWithParam<Kernel> {};
std::string kernel_name(const testing::TestParamInfo<Kernel>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Every, Lanes, testing::ValuesIn(kKernels), kernel_name);

TEST_P(Lanes, GiveTheBitsOfOneLane) {
  const Kernel& k = GetParam();
  for (const char* density : {"0", "0.1", "0.4", "1"}) {
    const Ran one = run(operands(density) + k.text, k.order, {}, kCpp);
    for (const char* index : k.indices)
      for (const int p : {1, 2, 3, 5, 8, 64}) {
        if (p == 64 && density != std::string("0.4")) continue;  // many blocks
        const std::string lines =
            std::string(k.order) + " parallel " + index + " by " + std::to_string(p);
        expect_same(one, run(operands(density) + k.text, lines, {}, kCpp), lines);
      }
    if (k.indices.size() < 2) continue;
    const std::string nested =
        fmt::format("{} parallel {} by 2 parallel {} by 3", k.order, k.indices[0], k.indices[1]);
    expect_same(one, run(operands(density) + k.text, nested, {}, kCpp), nested);
  }
}

TEST_P(Lanes, AgreeInHardware) {
  const Kernel& k = GetParam();
  run(operands("0.4") + k.text, std::string(k.order) + " parallel " + k.indices[0] + " by 3", {},
      kAll);
}

double ratio(const Ran& one, const Ran& lanes) {
  return static_cast<double>(one.report.cycles) / static_cast<double>(lanes.report.cycles);
}

/// Attention over 256 positions, 64 wide, by four lanes over heads and four over positions in each,
/// against one lane. What each lane must do alone before anything can overlap is to score its first
/// row, for a softmax knows its first value when the row is complete.
double attention_speedup(std::uint32_t heads) {
  constexpr std::uint32_t kPositions = 256, kWide = 64, kLanes = 16;
  const DataOptions data{{{"B", bigbird(kPositions)}}, {{"h", heads}, {"d", kWide}}, {}};
  const std::string model = example("attention");
  const std::vector<Engine> engines{Engine::kFunctional, Engine::kCycle};
  // Deep enough for a row of scores and their weights; to search for less takes long.
  const std::string fused =
      "fuse S, P, O depth " + std::to_string(kPositions * (kWide + 1) + kWide) + " ";
  const Ran one = run(model, fused, data, engines);
  const Ran lanes = run(model, fused + "parallel h by 4 parallel i by 4", data, engines);
  expect_same(one, lanes, "4 x 4 lanes");
  const RegionReport& region = lanes.report.regions.at(0);
  // They share the work evenly.
  EXPECT_LE(region.busiest_firings * kLanes * 1000,
            one.report.regions.at(0).busiest_firings * 1001);
  EXPECT_LE(region.cycles, region.busiest_firings + kPositions * (kWide + 1) * 21 / 20);
  return ratio(one, lanes);
}

TEST(LanesOfAttention, FourByFourOnFourHeads) { EXPECT_GE(attention_speedup(4), 15.4); }
TEST(LanesOfAttention, SlowFourByFourOn32Heads) { EXPECT_GE(attention_speedup(32), 15.9); }

TEST(LanesOnData, GcnOnCoraWithEight) {
  const char* folder = std::getenv("HEDDLE_DATA");
  const std::string path = std::string(folder == nullptr ? "" : folder) + "/cora";
  if (!std::filesystem::exists(path + "_adj_norm.mtx.gz"))
    GTEST_SKIP() << "HEDDLE_DATA names no folder with the Cora graph: not run";
  const std::string model = example("gcn");
  const DataOptions data{{{"A", path + "_adj_norm.mtx.gz"}, {"X", path + "_features.mtx.gz"}},
                         {{"d", 1433}, {"h", 16}, {"c", 7}},
                         {}};
  const std::vector<Engine> engines{Engine::kFunctional, Engine::kCycle};
  const std::string fused = "fuse T1, H fuse T2, L, M, E, Y";
  const Ran one = run(model, fused, data, engines);
  const Ran eight = run(model, "parallel i by 8 " + fused, data, engines);
  expect_same(one, eight, "8 lanes");
  EXPECT_GE(ratio(one, eight), 6);
}

}  // namespace
}  // namespace heddle
