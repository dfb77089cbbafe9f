#include "compiler/primitives/locate.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::fault_of;
using test::outputs;
using test::Texts;

TEST(Locate, FindsPositionsInTheFiberOfTheReference) {
  EXPECT_EQ(outputs<Locate>({}, {"2 4 S0 0 S0 S1 D", "4 4 S0 1 S0 S1 D"}, {{6}, {}}),
            Texts{"26 28 S0 6 S0 S1 D"});
}

TEST(Locate, KeepsN) {
  EXPECT_EQ(outputs<Locate>({}, {"2 4 S0 D", "N 1 S0 D"}, {{6}, {}}), Texts{"N 10 S0 D"});
}

TEST(Locate, KeepsEmptyFibers) {
  EXPECT_EQ(outputs<Locate>({}, {"S0 S1 S1 S2 D", "S0 S1 S1 S2 D"}, {{6}, {}}),
            Texts{"S0 S1 S1 S2 D"});
}

TEST(Locate, RefusesCoordinatesBeyondTheSize) {
  EXPECT_EQ(fault_of<Locate>({}, {"6 S0 D", "0 S0 D"}, {{6}, {}}), Fault::kOutOfRange);
}

Stimulus make_locate(Maker& m) {
  const int size = 1 + m.below(9);
  m.choose_coordinates(static_cast<std::uint64_t>(size));
  const Stream crd = m.nest_coordinates(m.shape());
  return {{crd, m.map_any(crd)}, {static_cast<std::uint32_t>(size)}, {}};
}

const StimulusOf<Locate> kStimulus{
    {{}},
    {"crd:v ref:v > pos:v", "crd:v ref:N > pos:N", "crd:S ref:S > pos:S", "crd:T ref:T > pos:T",
     "crd:D ref:D > pos:D"},
    make_locate};

}  // namespace
}  // namespace heddle
