#include "compiler/primitives/flatten.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::outputs;
using test::Texts;

TEST(Flatten, JoinsFibers) {
  EXPECT_EQ(outputs<Flatten>({}, {"1 2 S0 3 S0 S1 D"}), Texts{"1 2 3 S0 D"});
}

TEST(Flatten, KeepsOuterFibers) {
  EXPECT_EQ(outputs<Flatten>({}, {"1 S0 2 S0 S1 S1 S0 N S0 S1 S2 D"}),
            Texts{"1 2 S0 S0 N S0 S1 D"});
}

TEST(Flatten, KeepsEmptyStreams) {
  EXPECT_EQ(outputs<Flatten>({}, {"S1 D"}), Texts{"S0 D"});
  EXPECT_EQ(outputs<Flatten>({}, {"S0 S0 S1 D"}), Texts{"S0 D"});
}

Stimulus make_flatten(Maker& m) { return {{m.shape(2 + m.below(3))}, {}, {}}; }

const StimulusOf<Flatten> kStimulus{
    {{}},
    {"in:v > out:v", "in:N > out:N", "in:S > ", "in:T > out:S", "in:T > out:T", "in:D > out:D"},
    make_flatten};

}  // namespace
}  // namespace heddle
