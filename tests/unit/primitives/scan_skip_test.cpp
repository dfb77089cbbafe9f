#include "compiler/primitives/scan_skip.h"

#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::outputs;
using test::Texts;

TEST(ScanSkip, JumpsToTheFirstCoordinateThatIsNotLess) {
  const test::Data data{{}, {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}};
  EXPECT_EQ(outputs<ScanSkip>({}, {"0 D", "10 D", "2 7 S0 D"}, data),
            (Texts{"0 2 7 S0 D", "0 2 7 S0 D"}));
}

TEST(ScanSkip, EmitsTheNextGreaterOne) {
  const test::Data data{{}, {{0, 10, 20, 30}}};
  EXPECT_EQ(outputs<ScanSkip>({}, {"0 D", "4 D", "1 11 25 99 D"}, data),
            (Texts{"0 10 20 30 S0 D", "0 1 2 3 S0 D"}));
}

TEST(ScanSkip, EndsTheFiberBeyondItsLastCoordinate) {
  const test::Data data{{}, {{0, 10, 20, 30}}};
  EXPECT_EQ(outputs<ScanSkip>({}, {"0 2 S0 D", "2 4 S0 D", "11 S0 D"}, data),
            (Texts{"0 S0 20 S0 S1 D", "0 S0 2 S0 S1 D"}));
}

TEST(ScanSkip, NeedsNoSkipsForEmptyFibers) {
  const test::Data data{{}, {{0, 10, 20, 30}}};
  EXPECT_EQ(outputs<ScanSkip>({}, {"1 1 S0 S0 S1 D", "1 1 S0 S0 S1 D", "D"}, data),
            (Texts{"S0 S0 S1 S1 S2 D", "S0 S0 S1 S1 S2 D"}));
}

}  // namespace
}  // namespace heddle
