#include "compiler/primitives/function.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::f32;
using test::i32;
using test::outputs;
using test::Texts;

TEST(Function, AppliesToEachValue) {
  EXPECT_EQ(outputs<Function>({{2, 0, 0}}, {f32("-1 2 S0 0 S0 S1 D")}),
            Texts{f32("0 2 S0 0 S0 S1 D")});
  EXPECT_EQ(outputs<Function>({{0, 1, 0}}, {"5 -5 D"}), Texts{i32("-5 5 D")});
}

TEST(Function, KeepsN) {
  EXPECT_EQ(outputs<Function>({{4, 0, 0}}, {f32("0 N S0 D")}), Texts{f32("1 N S0 D")});
}

TEST(Function, TakesNAsZero) {
  EXPECT_EQ(outputs<Function>({{4, 0, 1}}, {f32("0 N S0 D")}), Texts{f32("1 1 S0 D")});
}

TEST(Function, KeepsEmptyFibers) {
  EXPECT_EQ(outputs<Function>({{3, 0, 0}}, {f32("S0 9 S0 S1 S1 S2 D")}),
            Texts{f32("S0 3 S0 S1 S1 S2 D")});
}

Stimulus make_function(Maker& m) {
  return {{m.map_numbers(m.shape(), m.params[Function::kType])}, {}, {}};
}

const StimulusOf<Function> kStimulus{{{{0, 0, 0}},
                                      {{1, 0, 1}},
                                      {{2, 0, 0}},
                                      {{3, 0, 1}},
                                      {{4, 0, 0}},
                                      {{5, 0, 1}},
                                      {{6, 0, 0}},
                                      {{7, 0, 1}},
                                      {{8, 0, 0}},
                                      {{9, 0, 1}},
                                      {{10, 0, 0}},
                                      {{0, 1, 1}},
                                      {{1, 1, 0}},
                                      {{2, 1, 1}}},
                                     {"in:v > val:v", "in:N > val:N", "in:N > val:v",
                                      "in:S > val:S", "in:T > val:T", "in:D > val:D"},
                                     make_function};

}  // namespace
}  // namespace heddle
