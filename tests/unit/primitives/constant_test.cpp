#include "compiler/primitives/constant.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::outputs;
using test::Texts;

TEST(Constant, ReplacesElements) {
  EXPECT_EQ(outputs<Constant>({}, {"1 N S0 S0 3 S0 S1 D"}, {{7}, {}}),
            Texts{"7 7 S0 S0 7 S0 S1 D"});
}

TEST(Constant, KeepsEmptyStreams) {
  EXPECT_EQ(outputs<Constant>({}, {"S2 D"}, {{7}, {}}), Texts{"S2 D"});
}

TEST(Constant, ReplacesAScalar) {
  EXPECT_EQ(outputs<Constant>({}, {"0 D"}, {{4294967295u}, {}}), Texts{"4294967295 D"});
}

Stimulus make_constant(Maker& m) { return {{m.shape()}, {m.word()}, {}}; }

const StimulusOf<Constant> kStimulus{
    {{}},
    {"in:v > out:v", "in:N > out:v", "in:S > out:S", "in:T > out:T", "in:D > out:D"},
    make_constant};

}  // namespace
}  // namespace heddle
