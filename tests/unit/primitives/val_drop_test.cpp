#include "compiler/primitives/val_drop.h"

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

}  // namespace
}  // namespace heddle
