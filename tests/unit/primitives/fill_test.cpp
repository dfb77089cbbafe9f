#include "compiler/primitives/fill.h"

#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::fault_of;
using test::outputs;
using test::Texts;

TEST(Fill, InsertsZeros) {
  EXPECT_EQ(outputs<Fill>({{0}}, {"1 3 S0 D", "7 N S0 D"}, {{5}, {}}), Texts{"0 7 0 N 0 S0 D"});
}

TEST(Fill, FillsEmptyFibers) {
  EXPECT_EQ(outputs<Fill>({{0}}, {"S0 0 1 S0 S1 D", "S0 5 6 S0 S1 D"}, {{2}, {}}),
            Texts{"0 0 S0 5 6 S0 S1 D"});
  EXPECT_EQ(outputs<Fill>({{0}}, {"S1 D", "S1 D"}, {{2}, {}}), Texts{"S1 D"});
}

TEST(Fill, InsertsEmptyFibers) {
  EXPECT_EQ(outputs<Fill>({{1}}, {"1 S0 D", "8 9 S0 S1 D"}, {{3}, {}}), Texts{"S0 8 9 S0 S0 S1 D"});
  EXPECT_EQ(outputs<Fill>({{2}}, {"1 S0 D", "8 S0 S0 S1 S2 D"}, {{2}, {}}),
            Texts{"S1 8 S0 S0 S1 S2 D"});
}

TEST(Fill, RefusesCoordinatesBeyondTheSize) {
  EXPECT_EQ(fault_of<Fill>({{0}}, {"2 S0 D", "7 S0 D"}, {{2}, {}}), Fault::kOutOfRange);
}

}  // namespace
}  // namespace heddle
