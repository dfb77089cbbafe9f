// What a report says limits a graph is what changes its cycles.
#include "compiler/driver/limit.h"

#include <gtest/gtest.h>

#include "compiler/driver/pipeline.h"

namespace heddle {
namespace {

RegionReport report_of(const std::string& text) {
  Diagnostics diag;
  auto program = parse_model(diag.sources().add("model.ein", text), diag);
  auto inputs = program ? bind_data(*program, {}, diag) : std::nullopt;
  EXPECT_TRUE(inputs) << diag.text();
  if (!inputs) return {};
  const Model model{std::move(*program), std::move(*inputs)};
  RunOptions options;
  options.engines = {Engine::kCycle};
  std::map<TensorId, Tensor> outputs;
  ScheduleReport report =
      run_schedule(model, model.program.schedules[0], options, nullptr, outputs, diag);
  EXPECT_EQ(report.state, ScheduleState::kOk) << report.problem << diag.text();
  EXPECT_EQ(report.regions.size(), 1u);
  return report.regions.at(0);
}

double per_firing(const RegionReport& r) {
  return static_cast<double>(r.cycles) / static_cast<double>(r.busiest_firings);
}

TEST(Limit, OfShallowChannelsIsOneThatIsFull) {
  const std::string model =
      "tensor A[n, n]: f32 csr = random(density: 0.2, seed: 1)\n"
      "tensor x[n]: f32 dense = random(seed: 2)\nsize n = 200\ny[i] = A[i, j] * x[j]\noutput y\n";
  const RegionReport deep = report_of(model), shallow = report_of(model + "schedule s { depth 2 }");
  EXPECT_LE(per_firing(deep), 1.05);
  EXPECT_GT(per_firing(shallow), 1.3);
  ASSERT_TRUE(shallow.limit);
  EXPECT_EQ(shallow.limit->kind, Limit::Kind::kRoom) << to_text(*shallow.limit);
  EXPECT_NE(shallow.limit->channel, "");
  EXPECT_GT(shallow.limit->cycles, (shallow.cycles - deep.cycles) / 2);
}

TEST(Limit, OfAKeptTensorIsItsProducer) {
  // All rows of H are needed for the first of Y.
  const RegionReport r = report_of(
      "tensor A[n, n]: f32 dense = random(seed: 1)\ntensor X[n, d]: f32 dense = random(seed: 2)\n"
      "tensor W[d, h]: f32 dense = random(seed: 3)\nsize n = 20, d = 18, h = 9\n"
      "H[i, u] = X[i, f] * W[f, u]\nY[i, u] = A[i, k] * H[k, u]\noutput Y\n"
      "schedule s { fuse H, Y keep H order i, k, f, u }\n");
  EXPECT_GT(per_firing(r), 1.8);
  ASSERT_TRUE(r.limit);
  EXPECT_EQ(r.limit->kind, Limit::Kind::kTokens) << to_text(*r.limit);
  EXPECT_EQ(r.limit->block, "accumulate_H_f") << to_text(*r.limit);
  EXPECT_GT(r.limit->cycles, r.cycles / 3);
}

TEST(Limit, OfABlockThatEndsEarlyIsWhoGoesOn) {
  // The other way round: Y takes less than H.
  const RegionReport r = report_of(
      "tensor A[n, n]: f32 dense = random(seed: 1)\ntensor X[n, d]: f32 dense = random(seed: 2)\n"
      "tensor W[d, h]: f32 dense = random(seed: 3)\nsize n = 20, d = 25, h = 9\n"
      "H[i, u] = X[i, f] * W[f, u]\nY[i, u] = A[i, k] * H[k, u]\noutput Y\n"
      "schedule s { fuse H, Y keep H order i, k, f, u }\n");
  ASSERT_TRUE(r.limit);
  EXPECT_EQ(r.limit->kind, Limit::Kind::kOthers) << to_text(*r.limit);
  EXPECT_EQ(r.limit->busiest, "accumulate_H_f");
  EXPECT_EQ(r.limit->block, "accumulate_Y_k") << to_text(*r.limit);
  EXPECT_GT(r.limit->cycles, r.cycles / 3);
}

}  // namespace
}  // namespace heddle
