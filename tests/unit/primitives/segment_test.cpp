#include "compiler/primitives/segment.h"

#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::fault_of;
using test::outputs;
using test::Texts;

TEST(Segment, LooksUpTheBoundsOfEachFiber) {
  const test::Data data{{}, {{0, 2, 2, 3}}};
  EXPECT_EQ(outputs<Segment>({}, {"0 1 2 S0 D"}, data), (Texts{"0 2 2 S0 D", "2 2 3 S0 D"}));
}

TEST(Segment, MakesAnEmptyFiberOfN) {
  EXPECT_EQ(outputs<Segment>({}, {"N 0 S0 D"}, {{}, {{4, 9}}}), (Texts{"0 4 S0 D", "0 9 S0 D"}));
}

TEST(Segment, KeepsEmptyFibers) {
  EXPECT_EQ(outputs<Segment>({}, {"S0 S1 S1 S2 D"}, {{}, {{0}}}),
            (Texts{"S0 S1 S1 S2 D", "S0 S1 S1 S2 D"}));
}

TEST(Segment, RefusesReferencesOutsideOfTheArray) {
  EXPECT_EQ(fault_of<Segment>({}, {"1 D"}, {{}, {{0, 2}}}), Fault::kOutOfRange);
}

}  // namespace
}  // namespace heddle
