#include "compiler/primitives/intersect.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::fault_of;
using test::outputs;
using test::Texts;

TEST(Intersect, KeepsCommonCoordinatesOfEachFiber) {
  EXPECT_EQ(outputs<Intersect>({{2}}, {"0 2 4 S0 D", "1 2 4 S0 D", "0 1 2 S0 D", "0 1 2 S0 D"}),
            (Texts{"2 4 S0 D", "1 2 S0 D", "1 2 S0 D"}));
}

TEST(Intersect, DropsUnmatchedTail) {
  EXPECT_EQ(outputs<Intersect>({{2}}, {"1 5 6 S0 2 S0 S1 D", "1 S0 2 9 S0 S1 D",
                                       "0 1 2 S0 3 S0 S1 D", "0 S0 1 2 S0 S1 D"}),
            (Texts{"1 S0 2 S0 S1 D", "0 S0 3 S0 S1 D", "0 S0 1 S0 S1 D"}));
}

TEST(Intersect, KeepsEmptyFibers) {
  EXPECT_EQ(outputs<Intersect>({{2}}, {"S0 1 S0 S0 S1 D", "0 S0 S0 2 S0 S1 D", "S0 0 S0 S0 S1 D",
                                       "0 S0 S0 1 S0 S1 D"}),
            (Texts{"S0 S0 S0 S1 D", "S0 S0 S0 S1 D", "S0 S0 S0 S1 D"}));
}

TEST(Intersect, NeedsAllOfThree) {
  EXPECT_EQ(outputs<Intersect>({{3}}, {"1 2 3 S0 D", "2 3 4 S0 D", "0 3 4 S0 D", "0 1 2 S0 D",
                                       "0 N 2 S0 D", "0 1 2 S0 D"}),
            (Texts{"3 S0 D", "2 S0 D", "N S0 D", "1 S0 D"}));
}

TEST(Intersect, ComparesCoordinatesWithoutSign) {
  EXPECT_EQ(
      outputs<Intersect>({{2}}, {"5 4000000000 S0 D", "4000000000 S0 D", "0 1 S0 D", "2 S0 D"}),
      (Texts{"4000000000 S0 D", "1 S0 D", "2 S0 D"}));
}

TEST(Intersect, RefusesStopsOfDifferentLevels) {
  EXPECT_EQ(fault_of<Intersect>({{2}}, {"S0 S1 D", "S1 D", "S0 S1 D", "S1 D"}), Fault::kMisaligned);
}

const StimulusOf<Intersect> kStimulus{
    {{{2}}, {{3}}, {{5}}},
    {"crd_in:v ref_in:v > ", "crd_in:v ref_in:N > ", "crd_in:v ref_in:v > crd:v ref:v",
     "crd_in:v ref_in:Nv > crd:v ref:Nv", "crd_in:v ref_in:N > crd:v ref:N",
     "crd_in:S ref_in:S > crd:S ref:S", "crd_in:T ref_in:T > crd:T ref:T",
     "crd_in:D ref_in:D > crd:D ref:D"},
    make_joined};

}  // namespace
}  // namespace heddle
