// Exploring orders: all of a nested product run and agree, and the one taken by default is near the
// best.
#include "compiler/driver/explore.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Explore, RunsEveryOrderOfANestedProduct) {
  Diagnostics diag;
  auto program = parse_model(
      diag.sources().add("nested.ein",
                         "size n = 30\n"
                         "tensor A[n, n]: f32 csr = random(density: 0.1, seed: 1)\n"
                         "tensor B[n, n]: f32 csr = random(density: 0.15, seed: 2)\n"
                         "tensor C[n, n]: f32 csr = random(density: 0.1, seed: 3)\n"
                         "T[j, l] = B[j, k] * C[k, l]\nY[i, l] = A[i, j] * T[j, l]\noutput Y\n"
                         "schedule full { fuse T, Y }\n"),
      diag);
  ASSERT_TRUE(program) << diag.text();
  auto inputs = bind_data(*program, {}, diag);
  ASSERT_TRUE(inputs) << diag.text();
  const Model model{std::move(*program), std::move(*inputs)};
  std::string problem;
  const auto regions = explore(model, model.program.schedules[0], 1000, diag, problem);
  ASSERT_TRUE(regions) << problem << diag.text();
  ASSERT_EQ(regions->size(), 1u);
  const ExploredRegion& region = (*regions)[0];
  EXPECT_EQ(region.orders, 24u);  // 4!
  ASSERT_EQ(region.tried.size(), 24u);
  std::uint64_t by_default = 0;
  for (const ExploredOrder& o : region.tried) {
    EXPECT_TRUE(o.problem.empty()) << o.problem;
    if (o.order == region.chosen) by_default = o.cycles;
  }
  EXPECT_LE(static_cast<double>(by_default),
            1.10 * static_cast<double>(region.tried.front().cycles));
  EXPECT_EQ(explore_text(*regions).find("region T+Y: 24 of 24 orders"), 0u);
}

}  // namespace
}  // namespace heddle
