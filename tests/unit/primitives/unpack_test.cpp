#include "compiler/primitives/unpack.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::outputs;
using test::Texts;

TEST(Unpack, SplitsIntoTwoLevels) {
  EXPECT_EQ(outputs<Unpack>({{4}}, {"16 31 50 S0 D", "5 6 7 S0 D"}),
            (Texts{"1 3 S0 D", "0 15 S0 2 S0 S1 D", "5 6 S0 7 S0 S1 D"}));
}

TEST(Unpack, StartsAnewInEachFiber) {
  EXPECT_EQ(outputs<Unpack>({{4}}, {"16 S0 17 S0 S1 D", "5 S0 N S0 S1 D"}),
            (Texts{"1 S0 1 S0 S1 D", "0 S0 S1 1 S0 S1 S2 D", "5 S0 S1 N S0 S1 S2 D"}));
}

TEST(Unpack, KeepsEmptyFibers) {
  EXPECT_EQ(outputs<Unpack>({{4}}, {"S0 16 S0 S1 D", "S0 5 S0 S1 D"}),
            (Texts{"S0 1 S0 S1 D", "S1 0 S0 S1 S2 D", "S1 5 S0 S1 S2 D"}));
}

Stimulus make_unpack(Maker& m) {
  m.choose_coordinates(kAnyWord);
  const Stream crd = m.nest_coordinates(m.shape(m.below(4)));
  return {{crd, m.map_any(crd)}, {}, {}};
}

const StimulusOf<Unpack> kStimulus{
    {{{10}}, {{1}}, {{26}}},
    {"crd_in:v val_in:v > outer:v inner:v val:v", "crd_in:v val_in:N > outer:v inner:v val:N",
     "crd_in:v val_in:v > inner:v val:v", "crd_in:v val_in:N > inner:v val:N", " > inner:S val:S",
     "crd_in:S val_in:S > outer:S inner:T val:T", "crd_in:T val_in:T > outer:T inner:T val:T",
     "crd_in:D val_in:D > outer:D inner:D val:D"},
    make_unpack};

}  // namespace
}  // namespace heddle
