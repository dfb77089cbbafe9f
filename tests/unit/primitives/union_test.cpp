#include "compiler/primitives/union.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::fault_of;
using test::outputs;
using test::Texts;

TEST(Union, MergesCoordinates) {
  EXPECT_EQ(outputs<Union>({{2}}, {"0 1 3 5 S0 D", "0 2 3 4 S0 D", "0 1 2 3 S0 D", "0 1 2 3 S0 D"}),
            (Texts{"0 1 2 3 4 5 S0 D", "0 1 N 2 N 3 S0 D", "0 N 1 2 3 N S0 D"}));
}

TEST(Union, MergesEachFiber) {
  EXPECT_EQ(
      outputs<Union>({{2}}, {"0 1 S0 2 3 S0 S0 4 5 S0 S1 D", "1 2 3 S0 S0 0 1 2 S0 S0 S1 D",
                             "0 1 S0 2 3 S0 S0 4 5 S0 S1 D", "0 1 2 S0 S0 3 4 5 S0 S0 S1 D"}),
      (Texts{"0 1 2 3 S0 2 3 S0 0 1 2 S0 4 5 S0 S1 D", "0 1 N N S0 2 3 S0 N N N S0 4 5 S0 S1 D",
             "N 0 1 2 S0 N N S0 3 4 5 S0 N N S0 S1 D"}));
}

TEST(Union, KeepsEmptyFibers) {
  EXPECT_EQ(
      outputs<Union>({{2}}, {"S0 S1 S1 S2 D", "S0 S1 S1 S2 D", "S0 S1 S1 S2 D", "S0 S1 S1 S2 D"}),
      Texts(3, "S0 S1 S1 S2 D"));
}

TEST(Union, MergesThree) {
  EXPECT_EQ(outputs<Union>({{3}}, {"1 S0 D", "1 2 S0 D", "0 S0 D", "5 S0 D", "6 N S0 D", "8 S0 D"}),
            (Texts{"0 1 2 S0 D", "N 5 N S0 D", "N 6 N S0 D", "8 N N S0 D"}));
}

TEST(Union, RefusesStopsOfDifferentLevels) {
  EXPECT_EQ(fault_of<Union>({{2}}, {"S0 S1 D", "S1 D", "S0 S1 D", "S1 D"}), Fault::kMisaligned);
}

const StimulusOf<Union> kStimulus{
    {{{2}}, {{3}}, {{5}}},
    {"crd_in:v ref_in:v > crd:v ref:v", "crd_in:v ref_in:v > crd:v ref:Nv",
     "crd_in:v ref_in:N > crd:v ref:N", "crd_in:v ref_in:Nv > crd:v ref:Nv",
     "crd_in:S ref_in:S > crd:S ref:S", "crd_in:T ref_in:T > crd:T ref:T",
     "crd_in:D ref_in:D > crd:D ref:D"},
    make_joined};

}  // namespace
}  // namespace heddle
