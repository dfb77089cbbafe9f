#include "compiler/driver/bench.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

BenchRow row(const std::string& model, const std::string& schedule, double cycles, double cpp_rate,
             double rtl_rate) {
  BenchRow r;
  r.model = model;
  r.schedule = schedule;
  r.region = "R";
  r.cycles = static_cast<std::uint64_t>(cycles);
  r.cycle_rate = cpp_rate;
  r.rtl_rate = rtl_rate;
  r.compile_ms = 2;
  return r;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The split schedule of a takes 1 s + 10 s in the C++ engine, 30 s + 100 s in Verilator.
TEST(Bench, RatiosAreThoseOfWholeSchedules) {
  const std::string table =
      bench_table({row("a", "fused", 1000, 1000, 500), row("a", "split", 1000, 1000, 1000.0 / 30),
                   row("a", "split", 10000, 1000, 100), row("b", "fused", 9000, 3000, 1000)});
  EXPECT_TRUE(has(table, "| 30.0 |")) << table;
  EXPECT_TRUE(has(table, "by schedule: median 3.0, least 2.0 (a, schedule fused)\n")) << table;
  EXPECT_TRUE(has(table, "at most 4 ms (a, schedule split)\n")) << table;
}

TEST(Bench, NoRowsMakeATableWithoutRatios) { EXPECT_FALSE(has(bench_table({}), "median")); }

}  // namespace
}  // namespace heddle
