#include "compiler/primitives/crd_drop.h"

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

}  // namespace
}  // namespace heddle
