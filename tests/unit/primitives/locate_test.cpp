#include "compiler/primitives/locate.h"

#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::fault_of;
using test::outputs;
using test::Texts;

TEST(Locate, FindsPositionsInTheFiberOfTheReference) {
  EXPECT_EQ(outputs<Locate>({}, {"2 4 S0 0 S0 S1 D", "4 4 S0 1 S0 S1 D"}, {{6}, {}}),
            Texts{"26 28 S0 6 S0 S1 D"});
}

TEST(Locate, KeepsN) {
  EXPECT_EQ(outputs<Locate>({}, {"2 4 S0 D", "N 1 S0 D"}, {{6}, {}}), Texts{"N 10 S0 D"});
}

TEST(Locate, KeepsEmptyFibers) {
  EXPECT_EQ(outputs<Locate>({}, {"S0 S1 S1 S2 D", "S0 S1 S1 S2 D"}, {{6}, {}}),
            Texts{"S0 S1 S1 S2 D"});
}

TEST(Locate, RefusesCoordinatesBeyondTheSize) {
  EXPECT_EQ(fault_of<Locate>({}, {"6 S0 D", "0 S0 D"}, {{6}, {}}), Fault::kOutOfRange);
}

}  // namespace
}  // namespace heddle
