#include "compiler/primitives/crd_drop.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::fault_of;
using test::outputs;
using test::Texts;

TEST(CrdDrop, DropsCoordinatesOfEmptyFibers) {
  EXPECT_EQ(outputs<CrdDrop>({{1}}, {"0 1 2 3 S0 D", "1 S0 1 S0 S0 1 S0 S1 D"}),
            (Texts{"0 1 3 S0 D", "1 S0 1 S0 1 S0 S1 D"}));
}

TEST(CrdDrop, KeepsEmptyOuterFibers) {
  EXPECT_EQ(outputs<CrdDrop>({{1}}, {"0 S0 S0 2 S0 S1 D", "5 S0 S1 S1 7 S0 S1 S2 D"}),
            (Texts{"0 S0 S0 2 S0 S1 D", "5 S0 S1 S1 7 S0 S1 S2 D"}));
  EXPECT_EQ(outputs<CrdDrop>({{1}}, {"S0 D", "S1 D"}), (Texts{"S0 D", "S1 D"}));
}

TEST(CrdDrop, DropsAll) {
  EXPECT_EQ(outputs<CrdDrop>({{1}}, {"0 1 S0 D", "S0 S0 S1 D"}), (Texts{"S0 D", "S1 D"}));
}

TEST(CrdDrop, LooksAtTheWholePartOfACoordinate) {
  EXPECT_EQ(outputs<CrdDrop>({{2}}, {"4 5 6 S0 D", "S0 S1 S1 1 S0 S0 S1 S2 D"}),
            (Texts{"4 6 S0 D", "S0 S1 1 S0 S0 S1 S2 D"}));
}

TEST(CrdDrop, RefusesStreamsThatAreNotAligned) {
  EXPECT_EQ(fault_of<CrdDrop>({{1}}, {"0 S0 D", "1 S0 1 S0 S1 D"}), Fault::kMisaligned);
}

Stimulus make_crd_drop(Maker& m) {
  m.choose_coordinates(kAnyWord);
  const Stream outer = m.nest_coordinates(m.shape(m.below(3)));
  Stream inner = outer;
  for (int d = 0; d < m.params[CrdDrop::kDepth]; ++d) inner = m.nest_any(inner);
  return {{outer, inner}, {}, {}};
}

const StimulusOf<CrdDrop> kStimulus{
    {{{1}}, {{2}}, {{3}}},
    {"outer_in:v inner_in:S > ", "outer_in:v inner_in:T > ",
     "outer_in:v inner_in:v > outer:v inner:v", "outer_in:v inner_in:N > outer:v inner:N",
     "outer_in:v inner_in:S > outer:v inner:S", "outer_in:v inner_in:T > outer:v inner:T",
     "inner_in:v > inner:v", "inner_in:N > inner:N", "inner_in:S > inner:S", "inner_in:T > inner:T",
     "outer_in:S inner_in:T > outer:S inner:T", "outer_in:T inner_in:T > outer:T inner:T",
     "outer_in:D inner_in:D > outer:D inner:D"},
    make_crd_drop};

}  // namespace
}  // namespace heddle
