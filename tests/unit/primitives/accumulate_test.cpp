#include "compiler/primitives/accumulate.h"

#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::fault_of;
using test::i32;
using test::outputs;
using test::Texts;

TEST(Accumulate, AddsTheFibersOfAGroupByCoordinate) {
  EXPECT_EQ(outputs<Accumulate>({{0, 1, 10, 1}}, {"0 2 3 S0 0 2 3 S0 S1 0 2 3 S0 S1 S2 D",
                                                  "50 5 10 S0 40 4 8 S0 S1 -40 33 36 S0 S1 S2 D"}),
            (Texts{"0 2 3 S0 0 2 3 S0 S1 D", i32("90 9 18 S0 -40 33 36 S0 S1 D")}));
}

TEST(Accumulate, SortsCoordinates) {
  EXPECT_EQ(outputs<Accumulate>({{0, 1, 10, 1}}, {"700 S0 3 S0 64 S0 S1 D", "1 S0 2 S0 3 S0 S1 D"}),
            (Texts{"3 64 700 S0 D", "2 3 1 S0 D"}));
}

TEST(Accumulate, KeepsEmptyGroups) {
  EXPECT_EQ(outputs<Accumulate>({{0, 1, 10, 1}},
                                {"1 S0 S1 S1 S0 S1 1 S0 S1 S2 D", "5 S0 S1 S1 S0 S1 7 S0 S1 S2 D"}),
            (Texts{"1 S0 S0 S0 1 S0 S1 D", "5 S0 S0 S0 7 S0 S1 D"}));
  EXPECT_EQ(outputs<Accumulate>({{0, 1, 10, 1}}, {"S2 D", "S2 D"}), (Texts{"S1 D", "S1 D"}));
}

TEST(Accumulate, LeavesOutCoordinatesWithoutValue) {
  EXPECT_EQ(outputs<Accumulate>({{0, 1, 10, 1}}, {"1 2 S0 2 3 S0 S1 D", "5 N S0 N 0 S0 S1 D"}),
            (Texts{"1 3 S0 D", "5 0 S0 D"}));
}

TEST(Accumulate, EndsGroupsAtTheGivenLevel) {
  EXPECT_EQ(outputs<Accumulate>({{1, 1, 4, 0}}, {"2 2 0 S0 S1 D", "-1 -3 -7 S0 S1 D"}),
            (Texts{"0 2 S0 S1 D", i32("-7 -1 S0 S1 D")}));
  EXPECT_EQ(outputs<Accumulate>({{0, 1, 4, 2}}, {"1 S0 S1 1 S0 S1 S2 D", "2 S0 S1 3 S0 S1 S2 D"}),
            (Texts{"1 S0 D", "5 S0 D"}));
}

TEST(Accumulate, ReportsCoordinatesBeyondItsCapacity) {
  EXPECT_EQ(fault_of<Accumulate>({{0, 1, 4, 1}}, {"15 16 S0 S1 D", "1 1 S0 S1 D"}),
            Fault::kOverflow);
}

}  // namespace
}  // namespace heddle
