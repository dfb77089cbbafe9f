#include "compiler/primitives/fork.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::outputs;
using test::Texts;

TEST(Fork, CopiesAStream) {
  EXPECT_EQ(outputs<Fork>({{2}}, {"1 N S0 S0 S1 D"}), (Texts{"1 N S0 S0 S1 D", "1 N S0 S0 S1 D"}));
}

TEST(Fork, CopiesToMany) { EXPECT_EQ(outputs<Fork>({{5}}, {"3 D"}), Texts(5, "3 D")); }

TEST(Fork, CopiesEmptyStreams) { EXPECT_EQ(outputs<Fork>({{3}}, {"S2 D"}), Texts(3, "S2 D")); }

Stimulus make_fork(Maker& m) { return {{m.shape()}, {}, {}}; }

const StimulusOf<Fork> kStimulus{
    {{{2}}, {{3}}, {{5}}},
    {"in:v > out:v", "in:N > out:N", "in:S > out:S", "in:T > out:T", "in:D > out:D"},
    make_fork};

}  // namespace
}  // namespace heddle
