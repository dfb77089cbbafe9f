// Compares every arithmetic module with `apply`, bit for bit and cycle for cycle: a new pair of
// operands each cycle, its result at once from the combinational units, and exactly `Stages` cycles
// later from the pipelined ones.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "Varithmetic_bench.h"
#include "tests/arithmetic/stimulus.h"
#include "tests/arithmetic/units.h"
#include "verilated.h"

namespace heddle {
namespace {

class Bench {
 public:
  Bench() : units_(all_units()), expected_(units_.size()) {}

  void apply(Operands pair) {
    model_.a = pair.a;
    model_.b = pair.b;
    model_.clk = 0;
    model_.eval();
    for (std::size_t i = 0; i < units_.size(); ++i) {
      const Unit& unit = units_[i];
      const std::uint32_t expected = unit.expect(pair.a, pair.b);
      check("combinational", unit, pair, model_.now[i], expected);
      expected_[i][cycle_ % kHistory] = expected;
      sent_[cycle_ % kHistory] = pair;
      const auto stages = static_cast<std::uint64_t>(unit.stages());
      if (cycle_ < stages) continue;
      const std::uint64_t from = (cycle_ - stages) % kHistory;
      check("pipelined", unit, sent_[from], model_.later[i], expected_[i][from]);
    }
    model_.clk = 1;
    model_.eval();
    ++cycle_;
  }

  // Lets the last operands reach the end of every pipeline.
  void drain() {
    for (std::uint64_t i = 0; i < kHistory; ++i) apply({0, 0});
  }

  std::uint64_t failures() const { return failures_; }

 private:
  static constexpr std::uint64_t kHistory = 32;  // more than any latency

  void check(const char* how, const Unit& unit, Operands pair, std::uint32_t got,
             std::uint32_t expected) {
    if (got == expected) return;
    if (++failures_ > 50) return;  // enough to see the pattern
    std::array<char, 160> text;
    std::snprintf(text.data(), text.size(), "%s %s of %08x, %08x: %08x instead of %08x", how,
                  unit.label().c_str(), pair.a, pair.b, got, expected);
    ADD_FAILURE() << text.data() << " in cycle " << cycle_;
  }

  Varithmetic_bench model_;
  std::vector<Unit> units_;
  std::vector<std::array<std::uint32_t, kHistory>> expected_;
  std::array<Operands, kHistory> sent_ = {};
  std::uint64_t cycle_ = 0;
  std::uint64_t failures_ = 0;
};

void run_random(std::uint64_t seed, int count) {
  Bench bench;
  Stimulus stimulus(seed);
  for (int i = 0; i < count && bench.failures() == 0; ++i) bench.apply(stimulus.next());
  bench.drain();
  EXPECT_EQ(bench.failures(), 0U) << "seed " << seed;
}

TEST(ArithmeticLockstep, AgreesOnAllPairsOfSpecialValues) {
  Bench bench;
  const std::vector<std::uint32_t> values = special_values();
  for (const std::uint32_t a : values) {
    for (const std::uint32_t b : values) bench.apply({a, b});
  }
  bench.drain();
  EXPECT_EQ(bench.failures(), 0U);
}

TEST(ArithmeticLockstep, AgreesOnRandomOperands) { run_random(1, 300'000); }

// Ten million pairs for every operation.
TEST(ArithmeticLockstepSlow, AgreesOnManyRandomOperands) { run_random(2, 10'000'000); }

}  // namespace
}  // namespace heddle
