#include "compiler/primitives/scan_compressed.h"

#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::fault_of;
using test::outputs;
using test::Texts;

TEST(ScanCompressed, EnumeratesFibers) {
  EXPECT_EQ(outputs<ScanCompressed>({}, {"0 D", "3 D"}, {{}, {{0, 1, 3}}}),
            (Texts{"0 1 3 S0 D", "0 1 2 S0 D"}));
}

TEST(ScanCompressed, KeepsEmptyFibers) {
  EXPECT_EQ(outputs<ScanCompressed>({}, {"0 2 2 S0 D", "2 2 3 S0 D"}, {{}, {{0, 2, 2}}}),
            (Texts{"0 2 S0 S0 2 S0 S1 D", "0 1 S0 S0 2 S0 S1 D"}));
}

TEST(ScanCompressed, KeepsEmptyOuterFibers) {
  EXPECT_EQ(outputs<ScanCompressed>({}, {"0 S0 S0 0 S0 S1 D", "1 S0 S0 1 S0 S1 D"}, {{}, {{28}}}),
            (Texts{"28 S0 S1 S1 28 S0 S1 S2 D", "0 S0 S1 S1 0 S0 S1 S2 D"}));
}

TEST(ScanCompressed, RefusesPositionsOutsideOfTheArray) {
  EXPECT_EQ(fault_of<ScanCompressed>({}, {"0 D", "2 D"}, {{}, {{28}}}), Fault::kOutOfRange);
}

}  // namespace
}  // namespace heddle
