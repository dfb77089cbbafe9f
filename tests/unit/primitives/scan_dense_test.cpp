#include "compiler/primitives/scan_dense.h"

#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::outputs;
using test::Texts;

TEST(ScanDense, EnumeratesFibers) {
  EXPECT_EQ(outputs<ScanDense>({}, {"0 1 S0 2 S0 S1 D"}, {{2}, {}}),
            (Texts{"0 1 S0 0 1 S0 S1 0 1 S0 S1 S2 D", "0 1 S0 2 3 S0 S1 4 5 S0 S1 S2 D"}));
}

TEST(ScanDense, MakesAnEmptyFiberOfN) {
  EXPECT_EQ(outputs<ScanDense>({}, {"N 0 S0 D"}, {{2}, {}}),
            (Texts{"S0 0 1 S0 S1 D", "S0 0 1 S0 S1 D"}));
}

TEST(ScanDense, KeepsEmptyOuterFibers) {
  EXPECT_EQ(outputs<ScanDense>({}, {"S0 D"}, {{2}, {}}), (Texts{"S1 D", "S1 D"}));
  EXPECT_EQ(outputs<ScanDense>({}, {"0 S0 S0 S1 D"}, {{1}, {}}),
            (Texts{"0 S0 S1 S1 S2 D", "0 S0 S1 S1 S2 D"}));
}

TEST(ScanDense, HasNoCoordinatesInALevelOfSizeZero) {
  EXPECT_EQ(outputs<ScanDense>({}, {"0 D"}, {{0}, {}}), (Texts{"S0 D", "S0 D"}));
}

}  // namespace
}  // namespace heddle
