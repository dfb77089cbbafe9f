#include "compiler/primitives/mask.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::outputs;
using test::Texts;

TEST(Mask, KeepsCoordinatesOfTheMask) {
  EXPECT_EQ(outputs<Mask>({}, {"0 1 3 S0 D", "5 6 N S0 D", "1 2 3 S0 D"}),
            (Texts{"1 3 S0 D", "6 N S0 D"}));
}

TEST(Mask, DropsWhatLiesBeyondTheMask) {
  EXPECT_EQ(outputs<Mask>({}, {"1 7 8 S0 2 S0 S1 D", "0 1 2 S0 3 S0 S1 D", "1 S0 S0 S1 D"}),
            (Texts{"1 S0 S0 S1 D", "0 S0 S0 S1 D"}));
}

TEST(Mask, KeepsEmptyFibers) {
  EXPECT_EQ(outputs<Mask>({}, {"S0 S1 S1 S2 D", "S0 S1 S1 S2 D", "4 S0 S1 S1 S2 D"}),
            (Texts{"S0 S1 S1 S2 D", "S0 S1 S1 S2 D"}));
}

Stimulus make_mask(Maker& m) {
  m.choose_coordinates(kAnyWord);
  const Stream outer = m.shape(m.below(3));
  const Stream crd = m.nest_coordinates(outer);
  return {{crd, m.map_any(crd), m.nest_coordinates(outer)}, {}, {}};
}

const StimulusOf<Mask> kStimulus{
    {{}},
    {"crd_in:v ref_in:v > ", "crd_in:v ref_in:N > ", "mask:v > ",
     "crd_in:v ref_in:v mask:v > crd:v ref:v", "crd_in:v ref_in:N mask:v > crd:v ref:N",
     "crd_in:S ref_in:S mask:S > crd:S ref:S", "crd_in:T ref_in:T mask:T > crd:T ref:T",
     "crd_in:D ref_in:D mask:D > crd:D ref:D"},
    make_mask};

}  // namespace
}  // namespace heddle
