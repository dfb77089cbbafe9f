// The examples by lanes: every schedule, the rows of its results dealt to several lanes. The bits
// of one lane, in every engine, with channels that lose no cycles and with the least that end.
#include "tests/models/example_runs.h"

namespace heddle {
namespace {

struct Dealt {
  const char* example;
  std::vector<std::string> indices;  // whose loops get lanes
};
const Dealt kExamples[]{
    {"attention", {"h"}},      {"attention", {"i"}},     {"attention", {"h", "i"}},
    {"autoencoder", {"i"}},    {"elementwise", {"i"}},   {"gcn", {"i"}},
    {"gpt_block", {"i"}},      {"graphsage_max", {"i"}}, {"graphsage_mean", {"i"}},
    {"masked_product", {"i"}}, {"mttkrp", {"i"}},        {"residual", {"i"}},
    {"sddmm", {"i"}},          {"softmax_parts", {"i"}}, {"spmm", {"i"}},
    {"spmm", {"k"}},           {"spmv", {"i"}}};

void PrintTo(const Dealt& d, std::ostream* out) { *out << label_of(d.example, d.indices); }

TEST(ExampleLanesOf, EveryExample) {
  std::set<std::string> dealt;
  for (const Dealt& d : kExamples) dealt.insert(d.example);
  EXPECT_EQ(dealt, example_folders());
}

LoadedExample load(const Dealt& dealt) { return {dealt.example, {ScheduleItem::Kind::kParallel}}; }
Schedule with_lanes(const Schedule& schedule, const Dealt& dealt, std::uint32_t lanes) {
  return with_lines(schedule, ScheduleItem::Kind::kParallel, dealt.indices, lanes);
}

class ExampleLanes : public testing::TestWithParam<Dealt> {};
std::string label(const testing::TestParamInfo<Dealt>& info) {
  return label_of(info.param.example, info.param.indices);
}
INSTANTIATE_TEST_SUITE_P(Every, ExampleLanes, testing::ValuesIn(kExamples), label);

TEST_P(ExampleLanes, GiveTheBitsOfOneLane) {
  LoadedExample example = load(GetParam());
  for (const Schedule& s : example.schedules()) {
    const Ran one = example.run(s, {Engine::kFunctional, Engine::kCycle});
    for (const std::uint32_t lanes : kLanes)
      expect_same(one, example.run(with_lanes(s, GetParam(), lanes), kCpp),
                  fmt::format("{} by {}", s.name, lanes));
  }
}

TEST_P(ExampleLanes, EndWithTheLeastDepths) {
  LoadedExample example = load(GetParam());
  for (const Schedule& s : example.schedules())
    for (const std::uint32_t lanes : {2u, 5u})
      example.run(with_lanes(s, GetParam(), lanes), kCpp, DepthRule{DepthRule::Kind::kLeast, 0});
}

/// The last schedule, the most fused one, in hardware.
void check_in_hardware(const Dealt& dealt, std::uint32_t lanes) {
  LoadedExample example = load(dealt);
  example.run(with_lanes(example.schedules().back(), dealt, lanes), kAll);
}

TEST(ExampleLanesInHardware, OfAFew) {
  check_in_hardware({"spmv", {"i"}}, 3);
  check_in_hardware({"sddmm", {"i"}}, 5);
  check_in_hardware({"elementwise", {"i"}}, 2);
  check_in_hardware({"masked_product", {"i"}}, 8);
}

TEST_P(ExampleLanes, SlowInHardware) {
  constexpr std::uint32_t kMost = 3;  // of each of two loops; more take minutes to build
  for (const std::uint32_t lanes : kLanes)
    if (GetParam().indices.size() == 1 || lanes <= kMost) check_in_hardware(GetParam(), lanes);
}

}  // namespace
}  // namespace heddle
