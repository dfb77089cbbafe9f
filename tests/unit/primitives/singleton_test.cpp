#include "compiler/primitives/singleton.h"

#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::outputs;
using test::Texts;

TEST(Singleton, MakesAFiberOfEachCoordinate) {
  EXPECT_EQ(outputs<Singleton>({}, {"0 2 S0 D"}), Texts{"0 S0 2 S0 S1 D"});
}

TEST(Singleton, MakesAnEmptyFiberOfN) {
  EXPECT_EQ(outputs<Singleton>({}, {"N 2 S0 D"}), Texts{"S0 2 S0 S1 D"});
}

TEST(Singleton, KeepsEmptyFibers) {
  EXPECT_EQ(outputs<Singleton>({}, {"S0 1 S0 S1 D"}), Texts{"S1 1 S0 S1 S2 D"});
}

}  // namespace
}  // namespace heddle
