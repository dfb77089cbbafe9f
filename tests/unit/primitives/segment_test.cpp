#include "compiler/primitives/segment.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::fault_of;
using test::outputs;
using test::Texts;

TEST(Segment, LooksUpTheBoundsOfEachFiber) {
  const test::Data data{{}, {{0, 2, 2, 3}}};
  EXPECT_EQ(outputs<Segment>({}, {"0 1 2 S0 D"}, data), (Texts{"0 2 2 S0 D", "2 2 3 S0 D"}));
}

TEST(Segment, MakesAnEmptyFiberOfN) {
  EXPECT_EQ(outputs<Segment>({}, {"N 0 S0 D"}, {{}, {{4, 9}}}), (Texts{"0 4 S0 D", "0 9 S0 D"}));
}

TEST(Segment, KeepsEmptyFibers) {
  EXPECT_EQ(outputs<Segment>({}, {"S0 S1 S1 S2 D"}, {{}, {{0}}}),
            (Texts{"S0 S1 S1 S2 D", "S0 S1 S1 S2 D"}));
}

TEST(Segment, RefusesReferencesOutsideOfTheArray) {
  EXPECT_EQ(fault_of<Segment>({}, {"1 D"}, {{}, {{0, 2}}}), Fault::kOutOfRange);
}

Stimulus make_segment(Maker& m) {
  const auto fibers = static_cast<int>(kLoadedWords) - 1 - m.below(2);
  const Stream ref = m.map(
      m.shape(), [&](Token) { return m.maybe(val(static_cast<std::uint32_t>(m.below(fibers)))); });
  return {{ref}, {}, {m.words(static_cast<std::uint32_t>(fibers) + 1)}};
}

const StimulusOf<Segment> kStimulus{{{}},
                                    {"ref:v > lo:v hi:v", "ref:N > lo:v hi:v", "ref:S > lo:S hi:S",
                                     "ref:T > lo:T hi:T", "ref:D > lo:D hi:D"},
                                    make_segment};

}  // namespace
}  // namespace heddle
