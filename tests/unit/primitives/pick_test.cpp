#include "compiler/primitives/pick.h"

#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::outputs;
using test::Texts;

TEST(Pick, TakesFibersByOrdinal) {
  EXPECT_EQ(outputs<Pick>({{1}}, {"0 2 S0 D", "5 6 S0 7 S0 8 S0 9 S0 S1 D"}),
            Texts{"5 6 S0 8 S0 S1 D"});
}

TEST(Pick, TakesValuesByOrdinal) {
  EXPECT_EQ(outputs<Pick>({{0}}, {"1 S0 2 S0 S1 D", "5 6 S0 7 8 S0 S1 D"}),
            Texts{"6 S0 7 S0 S1 D"});
}

TEST(Pick, GivesEmptyElementsForN) {
  EXPECT_EQ(outputs<Pick>({{1}}, {"N 1 S0 D", "5 S0 6 S0 S1 D"}), Texts{"S0 6 S0 S1 D"});
  EXPECT_EQ(outputs<Pick>({{0}}, {"N 1 S0 D", "5 6 S0 D"}), Texts{"N 6 S0 D"});
}

TEST(Pick, KeepsEmptyFibers) {
  EXPECT_EQ(outputs<Pick>({{1}}, {"S0 0 S0 S1 D", "S1 S0 S1 S2 D"}), Texts{"S1 S0 S1 S2 D"});
}

}  // namespace
}  // namespace heddle
