#include "compiler/primitives/scan_dense.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::fault_of;
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

TEST(ScanDense, HasCoordinatesAsPositionsInTheFirstFiber) {
  const Params first{{1}};
  EXPECT_EQ(outputs<ScanDense>(first, {"0 S0 N 0 S1 D"}, {{2}, {}}),
            (Texts{"0 1 S0 S1 S0 0 1 S0 S2 D", "0 1 S0 S1 S0 0 1 S0 S2 D"}));
  EXPECT_EQ(fault_of<ScanDense>(first, {"1 D"}, {{2}, {}}), Fault::kOutOfRange);
}

TEST(ScanDense, HasNoCoordinatesInALevelOfSizeZero) {
  EXPECT_EQ(outputs<ScanDense>({}, {"0 D"}, {{0}, {}}), (Texts{"S0 D", "S0 D"}));
}

Stimulus make_scan_dense(Maker& m) {
  Stream refs = m.shape();
  if (m.params[ScanDense::kFiber] != 0)
    for (Token& ref : refs)
      if (ref.is_val()) ref.bits = 0;
  return {{refs}, {static_cast<std::uint32_t>(m.below(6))}, {}};
}

const StimulusOf<ScanDense> kStimulus{
    {{{0}}, {{1}}},
    {" > crd:v pos:v", "ref:v > crd:S pos:S", "ref:N > crd:S pos:S", "ref:S > crd:T pos:T",
     "ref:T > crd:T pos:T", "ref:D > crd:D pos:D"},
    make_scan_dense};

}  // namespace
}  // namespace heddle
