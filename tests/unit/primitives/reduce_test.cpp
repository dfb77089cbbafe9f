#include "compiler/primitives/reduce.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::f32;
using test::i32;
using test::outputs;
using test::Texts;

TEST(Reduce, AddsEachFiber) {
  EXPECT_EQ(outputs<Reduce>({{0, 1, 1, 0}}, {"5 5 S0 5 S0 4 8 S0 S1 D"}), Texts{"10 5 12 S0 D"});
  EXPECT_EQ(outputs<Reduce>({{0, 0, 1, 0}}, {f32("0.5 0.25 S0 D")}), Texts{f32("0.75 D")});
}

TEST(Reduce, GivesNOrTheIdentityForAnEmptyFiber) {
  EXPECT_EQ(outputs<Reduce>({{0, 1, 0, 0}}, {"5 5 S0 S0 4 S0 N S0 S1 D"}), Texts{"10 N 4 N S0 D"});
  EXPECT_EQ(outputs<Reduce>({{0, 1, 1, 0}}, {"5 5 S0 S0 4 S0 N S0 S1 D"}), Texts{"10 0 4 0 S0 D"});
  EXPECT_EQ(outputs<Reduce>({{1, 1, 1, 0}}, {"S0 D"}), Texts{i32("-2147483648 D")});
}

TEST(Reduce, TellsEmptyOuterFibersApart) {
  EXPECT_EQ(outputs<Reduce>({{0, 1, 1, 0}}, {"1 S0 S1 S1 2 S0 S1 S2 D"}),
            Texts{"1 S0 S0 2 S0 S1 D"});
}

TEST(Reduce, FindsTheGreatestOfNegativeValues) {
  EXPECT_EQ(outputs<Reduce>({{1, 1, 0, 0}}, {"-5 -3 S0 -7 S0 S1 D"}), Texts{i32("-3 -7 S0 D")});
  EXPECT_EQ(outputs<Reduce>({{2, 1, 0, 0}}, {"-5 -3 S0 7 S0 S1 D"}), Texts{i32("-5 7 S0 D")});
}

TEST(Reduce, CountsZerosThatAreNotStored) {
  EXPECT_EQ(outputs<Reduce>({{1, 1, 0, 1}}, {"-5 -3 S0 -7 -8 -9 S0 S0 S1 D"}, {{3}, {}}),
            Texts{i32("0 -7 N S0 D")});
}

Stimulus make_reduce(Maker& m) {
  const Stream in = m.map_terms(m.nest_any(m.shape(m.below(4))), m.params[Reduce::kType]);
  return {{in}, {static_cast<std::uint32_t>(m.below(6))}, {}};
}

const StimulusOf<Reduce> kStimulus{{{{0, 0, 0, 0}},
                                    {{0, 0, 1, 1}},
                                    {{1, 0, 1, 0}},
                                    {{2, 0, 0, 1}},
                                    {{0, 1, 0, 1}},
                                    {{1, 1, 0, 1}},
                                    {{2, 1, 1, 0}},
                                    {{1, 0, 0, 1}},
                                    {{2, 0, 1, 0}},
                                    {{1, 1, 1, 0}}},
                                   {"in:v > ", "in:N > ", "in:S > val:v", "in:S > val:N",
                                    "in:T > val:S", "in:T > val:T", "in:D > val:D"},
                                   make_reduce};

}  // namespace
}  // namespace heddle
