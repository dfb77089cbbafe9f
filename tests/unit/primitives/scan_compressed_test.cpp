#include "compiler/primitives/scan_compressed.h"

#include "testbench/stimulus.h"
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

Stimulus make_scan_compressed(Maker& m) {
  const Stream lo =
      m.map(m.shape(), [&](Token) { return val(static_cast<std::uint32_t>(m.below(40))); });
  const Stream hi = m.map(
      lo, [&](Token t) { return val(t.bits + static_cast<std::uint32_t>(m.fresh_length())); });
  return {{lo, hi}, {}, {m.words(kLoadedWords)}};
}

const StimulusOf<ScanCompressed> kStimulus{
    {{}},
    {" > crd:v pos:v", "lo:v hi:v > crd:S pos:S", "lo:S hi:S > crd:T pos:T",
     "lo:T hi:T > crd:T pos:T", "lo:D hi:D > crd:D pos:D"},
    make_scan_compressed};

}  // namespace
}  // namespace heddle
