#include "compiler/primitives/parallelize.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::outputs;
using test::Texts;

TEST(Parallelize, DealsInTurnAndAnewInEachFiber) {
  EXPECT_EQ(outputs<Parallelize>({{2, 0}}, {"1 2 3 S0 4 S0 S1 D"}),
            (Texts{"1 3 S0 4 S0 S1 D", "2 S0 S0 S1 D"}));
  EXPECT_EQ(outputs<Parallelize>({{3, 0}}, {"7 D"}), (Texts{"7 D", "D", "D"}));
}

TEST(Parallelize, DealsFibers) {
  EXPECT_EQ(outputs<Parallelize>({{2, 1}}, {"1 2 S0 S0 N S0 S1 D"}),
            (Texts{"1 2 S0 N S0 S1 D", "S0 S1 D"}));
}

Stimulus make_parallelize(Maker& m) {
  return {{m.shape(m.params[Parallelize::kDepth] + 1 + m.below(2))}, {}, {}};
}

const StimulusOf<Parallelize> kStimulus{
    {{{2, 0}}, {{3, 0}}, {{5, 1}}, {{2, 2}}},
    {"in:v > out:v", "in:N > out:N", "in:S > out:S", "in:T > out:T", "in:D > out:D"},
    make_parallelize};

}  // namespace
}  // namespace heddle
