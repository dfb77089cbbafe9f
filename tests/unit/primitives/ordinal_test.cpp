#include "compiler/primitives/ordinal.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::outputs;
using test::Texts;

TEST(Ordinal, NumbersElementsThroughTheStream) {
  EXPECT_EQ(outputs<Ordinal>({}, {"7 7 S0 S0 9 S0 S1 D"}), Texts{"0 1 S0 S0 2 S0 S1 D"});
}

TEST(Ordinal, NumbersN) { EXPECT_EQ(outputs<Ordinal>({}, {"N 4 N S0 D"}), Texts{"0 1 2 S0 D"}); }

TEST(Ordinal, KeepsEmptyStreams) { EXPECT_EQ(outputs<Ordinal>({}, {"S1 D"}), Texts{"S1 D"}); }

Stimulus make_ordinal(Maker& m) { return {{m.shape()}, {}, {}}; }

const StimulusOf<Ordinal> kStimulus{
    {{}},
    {"in:v > ref:v", "in:N > ref:v", "in:S > ref:S", "in:T > ref:T", "in:D > ref:D"},
    make_ordinal};

}  // namespace
}  // namespace heddle
