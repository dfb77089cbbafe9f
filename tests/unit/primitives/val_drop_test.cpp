#include "compiler/primitives/val_drop.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::fault_of;
using test::i32;
using test::outputs;
using test::Texts;

TEST(ValDrop, DropsCoordinatesWithoutValue) {
  EXPECT_EQ(outputs<ValDrop>({}, {"0 1 4 S0 D", "2 N -2 S0 D"}),
            (Texts{"0 4 S0 D", i32("2 -2 S0 D")}));
}

TEST(ValDrop, KeepsComputedZeros) {
  EXPECT_EQ(outputs<ValDrop>({}, {"0 1 S0 D", "0 N S0 D"}), (Texts{"0 S0 D", "0 S0 D"}));
}

TEST(ValDrop, KeepsFibersThatBecomeEmpty) {
  EXPECT_EQ(outputs<ValDrop>({}, {"0 1 S0 0 S0 S0 S1 D", "1 2 S0 N S0 S0 S1 D"}),
            (Texts{"0 1 S0 S0 S0 S1 D", "1 2 S0 S0 S0 S1 D"}));
}

TEST(ValDrop, RefusesStreamsThatAreNotAligned) {
  EXPECT_EQ(fault_of<ValDrop>({}, {"0 1 S0 D", "1 S0 D"}), Fault::kMisaligned);
}

Stimulus make_val_drop(Maker& m) {
  m.choose_coordinates(kAnyWord);
  const Stream crd = m.nest_coordinates(m.shape());
  return {{crd, m.map_any(crd)}, {}, {}};
}

const StimulusOf<ValDrop> kStimulus{
    {{}},
    {"crd_in:v val_in:v > crd:v val:v", "crd_in:v val_in:N > ", "crd_in:S val_in:S > crd:S val:S",
     "crd_in:T val_in:T > crd:T val:T", "crd_in:D val_in:D > crd:D val:D"},
    make_val_drop};

}  // namespace
}  // namespace heddle
