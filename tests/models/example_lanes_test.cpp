// The examples by lanes: every schedule, the rows of its results dealt to several lanes. The bits
// of one lane, in every engine, with channels that lose no cycles and with the least that end.
#include <fmt/format.h>

#include "tests/models/model_runs.h"

namespace heddle {
namespace {

struct Dealt {
  const char* example;
  std::vector<const char*> indices;  // whose loops get lanes
};
const Dealt kExamples[]{
    {"attention", {"h"}},      {"attention", {"i"}},     {"attention", {"h", "i"}},
    {"autoencoder", {"i"}},    {"elementwise", {"i"}},   {"gcn", {"i"}},
    {"gpt_block", {"i"}},      {"graphsage_max", {"i"}}, {"graphsage_mean", {"i"}},
    {"masked_product", {"i"}}, {"mttkrp", {"i"}},        {"residual", {"i"}},
    {"sddmm", {"i"}},          {"softmax_parts", {"i"}}, {"spmm", {"i"}},
    {"spmm", {"k"}},           {"spmv", {"i"}}};
constexpr std::uint32_t kLanes[]{1, 2, 3, 5, 8};

std::string name_of(const Dealt& d) {
  std::string name = d.example;
  for (const char* index : d.indices) name += std::string("_") + index;
  return name;
}
void PrintTo(const Dealt& d, std::ostream* out) { *out << name_of(d); }

Schedule with_lanes(Schedule schedule, const Dealt& dealt, std::uint32_t lanes) {
  for (const char* index : dealt.indices) {
    ScheduleItem item;
    item.kind = ScheduleItem::Kind::kParallel;
    item.names = {index};
    item.name_ranges = {schedule.range};
    item.number = lanes;
    item.range = schedule.range;
    schedule.items.insert(schedule.items.begin(), item);
  }
  return schedule;
}

/// An example with its own data, under its own schedules but those with lanes.
class LoadedExample {
 public:
  explicit LoadedExample(const std::string& name)
      : model_(load_model(fmt::format("{0}/examples/{1}/{1}.ein", HEDDLE_ROOT, name), {}, diag_)) {
    EXPECT_TRUE(model_) << diag_.text();
    if (!model_) return;
    reference_ = evaluate(model_->program, model_->inputs);
    for (const Schedule& s : model_->program.schedules)
      if (std::none_of(s.items.begin(), s.items.end(), [](const ScheduleItem& item) {
            return item.kind == ScheduleItem::Kind::kParallel;
          }))
        schedules_.push_back(s);
    EXPECT_FALSE(schedules_.empty());
  }

  const std::vector<Schedule>& schedules() const { return schedules_; }

  Ran run(const Schedule& schedule, const std::vector<Engine>& engines,
          std::optional<DepthRule> depth = {}) {
    Ran ran;
    RunOptions options;
    options.engines = engines;
    options.depth = depth;
    ran.report = run_schedule(*model_, schedule, options, &reference_, ran.outputs, diag_);
    EXPECT_EQ(ran.report.state, ScheduleState::kOk)
        << schedule.name << ": " << ran.report.problem << diag_.text()
        << (ran.report.regions.empty() ? "" : ran.report.regions.back().difference);
    return ran;
  }

 private:
  Diagnostics diag_;
  std::optional<Model> model_;
  std::map<TensorId, ReferenceTensor> reference_;
  std::vector<Schedule> schedules_;
};

class ExampleLanes : public testing::TestWithParam<Dealt> {};
std::string label(const testing::TestParamInfo<Dealt>& info) { return name_of(info.param); }
INSTANTIATE_TEST_SUITE_P(Every, ExampleLanes, testing::ValuesIn(kExamples), label);

TEST_P(ExampleLanes, GiveTheBitsOfOneLane) {
  LoadedExample example(GetParam().example);
  for (const Schedule& s : example.schedules()) {
    const Ran one = example.run(s, {Engine::kFunctional, Engine::kCycle});
    for (const std::uint32_t lanes : kLanes)
      expect_same(one, example.run(with_lanes(s, GetParam(), lanes), kCpp),
                  fmt::format("{} by {}", s.name, lanes));
  }
}

TEST_P(ExampleLanes, EndWithTheLeastDepths) {
  LoadedExample example(GetParam().example);
  for (const Schedule& s : example.schedules())
    for (const std::uint32_t lanes : {2u, 5u})
      example.run(with_lanes(s, GetParam(), lanes), kCpp, DepthRule{DepthRule::Kind::kLeast, 0});
}

/// The last schedule, the most fused one, in hardware.
void check_in_hardware(const Dealt& dealt, std::uint32_t lanes) {
  LoadedExample example(dealt.example);
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
