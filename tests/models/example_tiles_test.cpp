// The examples by tiles and lanes: every index of every schedule in tiles, and many at once. The
// entries of single elements, values within the bound of the reference, and the bits of one lane,
// in every engine.
#include "tests/models/example_runs.h"

namespace heddle {
namespace {

using Kind = ScheduleItem::Kind;

struct Tiled {
  const char* example;
  std::vector<std::string> indices;  // that are cut into tiles
  const char* dealt;                 // whose loop gets lanes
};
void PrintTo(const Tiled& t, std::ostream* out) { *out << label_of(t.example, t.indices); }
std::string label(const testing::TestParamInfo<Tiled>& info) {
  return label_of(info.param.example, info.param.indices);
}
const Tiled kExamples[]{{"attention", {"i", "j"}, "h"},      {"attention", {"h", "k", "v"}, "i"},
                        {"autoencoder", {"i", "u"}, "i"},    {"autoencoder", {"f"}, "i"},
                        {"elementwise", {"i", "j"}, "i"},    {"gcn", {"i", "k"}, "i"},
                        {"gcn", {"f", "u", "o"}, "i"},       {"gpt_block", {"i", "j"}, "i"},
                        {"graphsage_max", {"i", "k"}, "i"},  {"graphsage_max", {"u", "o"}, "i"},
                        {"graphsage_mean", {"i", "k"}, "i"}, {"masked_product", {"i", "j"}, "i"},
                        {"masked_product", {"k"}, "i"},      {"mttkrp", {"i", "r"}, "i"},
                        {"mttkrp", {"j", "k"}, "i"},         {"residual", {"i", "j"}, "i"},
                        {"sddmm", {"i", "j"}, "i"},          {"sddmm", {"k"}, "i"},
                        {"softmax_parts", {"i", "o"}, "i"},  {"spmm", {"i", "f"}, "i"},
                        {"spmm", {"i", "k"}, "k"},           {"spmv", {"i", "j"}, "i"}};

/// Under its own schedules but those with lanes or tiles.
LoadedExample load(const std::string& name) { return {name, {Kind::kParallel, Kind::kBlock}}; }
Schedule in_tiles(const Schedule& schedule, const Tiled& tiled, std::uint32_t size) {
  return with_lines(schedule, Kind::kBlock, tiled.indices, size);
}
Schedule with_lanes(const Schedule& schedule, const Tiled& tiled, std::uint32_t lanes) {
  return with_lines(schedule, Kind::kParallel, {tiled.dealt}, lanes);
}

TEST(ExampleTilesOf, EveryExample) {
  std::set<std::string> tiled;
  for (const Tiled& t : kExamples) tiled.insert(t.example);
  EXPECT_EQ(tiled, example_folders());
}

class ExampleIndices : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Every, ExampleIndices, testing::ValuesIn(example_folders()),
                         [](const auto& index) { return index.param; });

/// What is not cut into tiles alone, by example and schedule: the indices by which a kept tensor is
/// made and read have to be in tiles of one size.
const std::map<std::string, std::set<std::string>> kRefused{{"gcn kept", {"i", "k"}},
                                                            {"gpt_block kept", {"i", "j"}},
                                                            {"graphsage_max kept", {"i", "k"}},
                                                            {"graphsage_mean kept", {"i", "k"}}};

bool is_refused(const std::string& schedule, const std::string& index) {
  const auto found = kRefused.find(schedule);
  return found != kRefused.end() && found->second.count(index) > 0;
}

void cut_each_index(const std::string& name, const std::vector<Engine>& engines) {
  LoadedExample example = load(name);
  for (const Schedule& s : example.schedules()) {
    const Ran plain = example.run(s, {Engine::kFunctional});
    for (const std::string& index : example.indices()) {
      const Schedule tiled = with_lines(s, Kind::kBlock, {index}, 2);
      const std::string what = name + " " + s.name;
      if (!is_refused(what, index)) {
        expect_same_entries(plain, example.run(tiled, engines), what + " " + index);
        continue;
      }
      const Ran refused = example.run(tiled, engines, {}, ScheduleState::kBadInput);
      const std::string why = "a kept tensor is read in the tiles in which it is made";
      EXPECT_NE(refused.report.problem.find(why), std::string::npos) << refused.report.problem;
    }
  }
}

TEST_P(ExampleIndices, AreCutIntoTiles) { cut_each_index(GetParam(), kCpp); }

TEST(ExampleKernels, SlowAreCutIntoTiles) {
  for (const std::string& kernel : example_kernels())
    cut_each_index(kernel, {Engine::kFunctional, Engine::kCycle});
}

class ExampleTiles : public testing::TestWithParam<Tiled> {};
INSTANTIATE_TEST_SUITE_P(Every, ExampleTiles, testing::ValuesIn(kExamples), label);

/// The entries of single elements, and the bits of one lane.
void check(LoadedExample& example, const Schedule& schedule, const Tiled& tiled, std::uint32_t size,
           const std::vector<std::uint32_t>& lanes) {
  const std::vector<Engine> quick{Engine::kFunctional};
  const Schedule tiles = in_tiles(schedule, tiled, size);
  const Ran one = example.run(tiles, quick);
  expect_same_entries(example.run(schedule, quick), one,
                      fmt::format("{} in tiles of {}", schedule.name, size));
  for (const std::uint32_t l : lanes)
    expect_same(one, example.run(with_lanes(tiles, tiled, l), kCpp),
                fmt::format("{} in tiles of {} by {} lanes", schedule.name, size, l));
}

/// The last schedule, the most fused one.
TEST_P(ExampleTiles, GiveTheBitsOfOneLane) {
  LoadedExample example = load(GetParam().example);
  check(example, example.schedules().back(), GetParam(), 2, kLanes);
  check(example, example.schedules().back(), GetParam(), 4, {1, 3});
}

TEST_P(ExampleTiles, SlowEverySchedule) {
  LoadedExample example = load(GetParam().example);
  for (const Schedule& s : example.schedules())
    for (const std::uint32_t size : {2u, 3u, 4u, 8u}) check(example, s, GetParam(), size, kLanes);
}

TEST_P(ExampleTiles, EndWithTheLeastDepths) {
  LoadedExample example = load(GetParam().example);
  const Schedule tiles = in_tiles(example.schedules().back(), GetParam(), 2);
  example.run(with_lanes(tiles, GetParam(), 2), kCpp, DepthRule{DepthRule::Kind::kLeast, 0});
}

/// The last schedule in hardware.
void check_in_hardware(const Tiled& tiled, std::uint32_t size, std::uint32_t lanes) {
  LoadedExample example = load(tiled.example);
  const Schedule tiles = in_tiles(example.schedules().back(), tiled, size);
  example.run(with_lanes(tiles, tiled, lanes), kAll);
}

TEST(AFewExampleTiles, AgreeInHardware) {
  check_in_hardware({"spmv", {"i", "j"}, "i"}, 2, 3);
  check_in_hardware({"sddmm", {"k"}, "i"}, 4, 2);
  check_in_hardware({"masked_product", {"k"}, "i"}, 2, 2);
}

using TiledAndDealt = std::pair<Tiled, std::uint32_t>;
std::vector<TiledAndDealt> in_hardware() {
  std::vector<TiledAndDealt> all;
  for (const Tiled& tiled : kExamples)
    for (const std::uint32_t lanes : kLanes) all.emplace_back(tiled, lanes);
  return all;
}

class ExampleTilesInHardware : public testing::TestWithParam<TiledAndDealt> {};
std::string design_label(const testing::TestParamInfo<TiledAndDealt>& design) {
  const auto& [tiled, lanes] = design.param;
  return fmt::format("{}_by_{}", label_of(tiled.example, tiled.indices), lanes);
}
INSTANTIATE_TEST_SUITE_P(Every, ExampleTilesInHardware, testing::ValuesIn(in_hardware()),
                         design_label);

TEST_P(ExampleTilesInHardware, SlowAgree) {
  check_in_hardware(GetParam().first, 2, GetParam().second);
}

TEST_P(ExampleTiles, SlowInHardwareByFour) { check_in_hardware(GetParam(), 4, 1); }

}  // namespace
}  // namespace heddle
