// Tiles: the entries that single elements give, values within the bound of the reference, in every
// engine; and what they gain.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/models/bigbird.h"
#include "tests/models/model_runs.h"

namespace heddle {
namespace {

double cycles(const Ran& ran) { return static_cast<double>(ran.report.cycles); }
/// Of the blocks, estimated.
double lookup_tables(const Ran& ran) {
  double sum = 0;
  for (const RegionReport& r : ran.report.regions)
    sum += static_cast<double>(r.area.blocks.lookup_tables);
  return sum;
}

struct Kernel {
  const char* name;
  const char* text;
  const char* schedule;
  std::vector<const char*> blocked;
  const char* in_hardware = "i, j";
};
void PrintTo(const Kernel& k, std::ostream* out) { *out << k.name; }
const std::vector<Kernel> kKernels{
    {"Sum", "tensor Y[n, m]: f32 csr\nY[i, j] = A[i, j] + C[i, j]\n", "", {"i", "j", "i, j"}},
    {"Sddmm",
     "tensor Y[n, n]: f32 csr\nY[i, j] = S[i, j] * Q[i, k] * Q[j, k]\n",
     "",
     {"j", "i, j", "i, j, k"}},
    {"SpmmRows",
     "tensor Y[n, p]: f32 csr\nY[i, j] = A[i, k] * B[k, j]\n",
     "order i, k, j",
     {"j", "k", "i, j", "i, j, k"}},
    {"SpmmOuter",
     "tensor Y[n, p]: f32 dense\nY[i, j] = A[i, k] * B[k, j]\n",
     "order k, i, j",
     {"j", "k", "i, j, k"}},
    {"SpmmInner",
     "tensor Y[n, p]: f32 dense\nY[i, j] = A[i, k] * B[k, j]\n",
     "order i, j, k",
     {"i", "k", "i, j, k"}},
    {"Softmax",
     "tensor Y[n, n]: f32 csr\nY[i, j] = softmax(j: exp(S[i, j])) where S[i, j]\n",
     "",
     {"j", "i, j"}},
    {"MaskInSum",
     "Z[i, j] = exp(A[i, j]) where C[i, j]\ntensor Y[n, m]: f32 csr\nY[i, j] = A[i, j] + Z[i, j]\n",
     "fuse Z, Y",
     {"j", "i, j"}},
    {"MaskInMask",
     "Z[i, j] = exp(A[i, j]) where C[i, j]\ntensor Y[n, m]: f32 csr\nY[i, j] = Z[i, j] where A[i, "
     "j]\n",
     "fuse Z, Y",
     {"j", "i, j"}},
    {"MaxOfZeros",
     "tensor Y[n]: f32 dense\nY[i] = max(j: S[i, j]) + min(j: S[i, j])\n",
     "",
     {"j", "i, j"}},
    {"Everywhere",
     "tensor Y[n]: f32 dense\nY[i] = sum(j: exp(S[i, j])) - mean(j: S[i, j] + 1)\n",
     "",
     {"j", "i, j"}},
    {"Kept",
     "H[i, j] = A[i, l] * B[l, j]\ntensor Y[n, p]: f32 dense\nY[i, j] = S[i, k] * H[k, j]\n",
     "fuse H, Y keep H",
     {"j", "l", "i, k", "i, j, k"},
     "j"},
    {"KeptColumns",
     "H[l, j] = A[i, l] * Q[i, j]\ntensor Y[n, d]: f32 dense\nY[i, j] = C[i, l] * H[l, j]\n",
     "fuse H, Y keep H",
     {"l", "j", "i, l"},
     "l, j"},
    {"KeptPattern",
     "Z[i, j] = exp(A[i, j]) where C[i, j]\ntensor Y[n, m]: f32 csr\nY[i, j] = A[i, j] + Z[i, j]\n",
     "fuse Z, Y keep Z",
     {"i", "j", "i, j"}},
    {"KeptAndStored",
     "tensor Z[n, m]: f32 dcsr\noutput Z\nZ[i, j] = A[i, j] * C[i, j]\n"
     "tensor Y[n, m]: f32 csr\nY[i, j] = A[i, j] * Z[i, j]\n",
     "fuse Z, Y keep Z",
     {"j", "i, j"}},
    {"Attention",
     "T[i, j] = Q[i, k] * Q[j, k] where S[i, j]\nP[i, j] = softmax(j: T[i, j]) where S[i, j]\n"
     "tensor Y[n, d]: f32 dense\nY[i, v] = P[i, j] * Q[j, v]\n",
     "fuse T, P, Y",
     {"j", "i, j"},
     "j"},
};

const Kernel& kernel(const std::string& name) {
  return *std::find_if(kKernels.begin(), kKernels.end(),
                       [&](const Kernel& k) { return k.name == name; });
}

std::string operands(const char* density, const Kernel& k) {
  std::string text = "size n = 9, m = 7, p = 5, d = 3\n";
  for (const char* sparse : {"A[n, m]", "C[n, m]", "S[n, n]"})
    if (std::string(k.text).find(std::string(1, sparse[0]) + "[") != std::string::npos)
      text += fmt::format("tensor {}: f32 csr = random(density: {}, seed: {})\n", sparse, density,
                          static_cast<int>(sparse[0]));
  for (const char* dense : {"B[m, p]", "Q[n, d]"})
    if (std::string(k.text).find(std::string(1, dense[0]) + "[") != std::string::npos)
      text += fmt::format("tensor {}: f32 dense = random(seed: {})\n", dense,
                          static_cast<int>(dense[0]));
  return text;
}
std::string model(const char* density, const Kernel& k) {
  return operands(density, k) + k.text + "output Y\n";
}

class TilesOf : public testing::TestWithParam<Kernel> {};
std::string kernel_name(const testing::TestParamInfo<Kernel>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Every, TilesOf, testing::ValuesIn(kKernels), kernel_name);

TEST_P(TilesOf, GiveTheEntriesOfSingleElements) {
  const Kernel& k = GetParam();
  for (const char* density : {"0", "0.15", "0.6", "1"}) {
    const Ran plain = run(model(density, k), k.schedule, {}, kCpp);
    for (const char* blocked : k.blocked)
      for (const int size : {2, 3, 9, 10}) {
        if (std::string(blocked) == "i, j, k" && size > 3) continue;
        const std::string lines = fmt::format("{} block {} by {}", k.schedule, blocked, size);
        expect_same_entries(plain, run(model(density, k), lines, {}, kCpp), lines);
      }
  }
}

TEST_P(TilesOf, GoWithLanesAndDepths) {
  const Kernel& k = GetParam();
  const Ran plain = run(model("0.3", k), k.schedule, {}, kCpp);
  for (const char* more : {"parallel i by 2", "depth min", "depth min parallel i by 3"}) {
    const std::string lines =
        fmt::format("{} block {} by 2 {}", k.schedule, k.blocked.back(), more);
    expect_same_entries(plain, run(model("0.3", k), lines, {}, kCpp), lines);
  }
}

TEST_P(TilesOf, MayDifferByIndex) {
  const Kernel& k = GetParam();
  const Ran plain = run(model("0.3", k), k.schedule, {}, kCpp);
  std::string lines = k.schedule;
  for (const auto& [index, size] : {std::pair{"i", 3}, {"j", 2}, {"k", 3}, {"l", 5}})
    if (std::string(k.blocked.back()).find(index) != std::string::npos)
      lines += fmt::format(" block {} by {}", index, size);
  expect_same_entries(plain, run(model("0.3", k), lines, {}, kCpp), lines);
}

TEST_P(TilesOf, SlowAgreeInHardware) {
  const Kernel& k = GetParam();
  const std::string lines = fmt::format("{} block {} by 4", k.schedule, k.in_hardware);
  run(model("0.3", k), lines, {}, kAll);
}

TEST(Tiles, AgreeInHardware) {
  run(model("0.3", kernel("Sum")), "block i, j by 2", {}, kAll);
  run(model("0.3", kernel("SpmmRows")), "block j, k by 2", {}, kAll);
}

TEST(Tiles, OfKeptTensorsAgreeInHardware) {
  run(model("0.3", kernel("KeptPattern")), "fuse Z, Y keep Z block i, j by 2", {}, kAll);
  run(model("0.3", kernel("KeptColumns")), "fuse H, Y keep H block i, l by 2", {}, kAll);
}

/// Lengths that neither 8 nor 16 nor 64 divides.
void check_units(const std::string& name, const std::string& blocks, std::uint32_t length,
                 const std::vector<Engine>& engines) {
  const Kernel& k = kernel(name);
  const DataOptions data{{}, {{"n", length}, {"m", 2 * length - 9}, {"p", length - 1}}, {}};
  const std::string text = model("0.04", k), lines = std::string(k.schedule) + " " + blocks;
  expect_same_entries(run(text, k.schedule, data, {Engine::kFunctional}),
                      run(text, lines, data, engines), name + " " + blocks);
}

TEST(Tiles, OfUpTo64By64Places) {
  for (const char* name : {"Sum", "Sddmm", "SpmmInner"}) {
    for (const char* blocks : {"block i by 64", "block j by 64", "block i, j by 16"})
      check_units(name, blocks, 70, kCpp);
    check_units(name, "block i, j by 64", 70, {Engine::kFunctional, Engine::kCycle});
  }
}
TEST(Tiles, SlowOf64By64PlacesInSystemC) { check_units("Sum", "block i, j by 64", 70, kCpp); }

TEST(Tiles, SlowMatrixUnitsInHardware) {
  for (const char* name : {"Sum", "Sddmm", "SpmmInner"})
    check_units(name, "block i, j by 8", 21, kAll);
  check_units("SpmmRows", "block j, k by 8", 21, kAll);
}
TEST(Tiles, SlowMatrixUnitsOf16InHardware) {
  for (const char* name : {"Sum", "SpmmInner"}) check_units(name, "block i, j by 16", 21, kAll);
}
TEST(Tiles, SlowMatrixUnitOf32InHardware) {
  check_units("SpmmInner", "block i, j by 32", 45, kAll);
}

// 256 positions, 64 wide, four heads, under a mask of 16 x 16 blocks: a tile of scores takes as
// long as one score. Of at most 256 times what remains is the way from end to end.
TEST(Tiles, OfAttentionBy16) {
  constexpr std::uint32_t kPositions = 256, kWide = 64, kHeads = 4;
  const DataOptions data{{{"B", bigbird(kPositions)}}, {{"h", kHeads}, {"d", kWide}}, {}};
  const std::vector<Engine> engines{Engine::kFunctional, Engine::kCycle};
  // Deep enough for a row of scores and their weights; to search for less takes long.
  const auto attention = [&](const std::string& blocks, std::uint32_t row) {
    const std::string lines =
        fmt::format("fuse S, P, O {} depth {}", blocks, row * (kWide + 1) + kWide);
    return run(example("attention"), lines, data, engines);
  };
  const Ran plain = attention("", kPositions);
  const Ran tiles = attention("block i, j by 16", kPositions / 16);
  expect_same_entries(plain, tiles, "16 x 16");
  EXPECT_GE(cycles(plain) / cycles(tiles), 200);
  EXPECT_GE(cycles(plain) / cycles(tiles), 1.4 * lookup_tables(tiles) / lookup_tables(plain));
}

// A row of V waits for the weights of a tile: four places of V and the coordinates of its row,
// twice, not once more for each of the 16 products.
TEST(Tiles, HoldOnceWhatTheirPlacesWaitWith) {
  const DataOptions data{{{"B", bigbird(64)}}, {{"h", 1}, {"d", 16}}, {}};
  const Ran ran = run(example("attention"), "fuse S, P, O block i, j by 4", data,
                      {Engine::kFunctional, Engine::kCycle});
  int deep = 0;
  for (const DeepChannel& c : ran.report.regions.at(0).deep) {
    if (c.depth < 64) continue;
    ++deep;
    EXPECT_TRUE(c.bypass) << c.name;
  }
  EXPECT_EQ(deep, 6);
  EXPECT_EQ(ran.report.cycles, ran.report.regions[0].unbounded_cycles);
}

// Channels of one token hold no row of scores.
void deadlock_alike(const std::vector<Engine>& engines) {
  const Kernel& attention = kernel("Attention");
  const Ran ran = run(model("1", attention), "fuse T, P, Y block i, j by 2 depth 1", {}, engines,
                      ScheduleState::kDeadlock);
  ASSERT_EQ(ran.report.regions.size(), 1u);
  EXPECT_TRUE(ran.report.regions[0].cycles_equal) << ran.report.regions[0].difference;
}
TEST(Tiles, DeadlockAlike) { deadlock_alike(kCpp); }
TEST(Tiles, SlowDeadlockAlikeInHardware) { deadlock_alike(kAll); }

}  // namespace
}  // namespace heddle
