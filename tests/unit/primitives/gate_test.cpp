#include "compiler/primitives/gate.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::fault_of;
using test::outputs;
using test::Texts;

TEST(Gate, LetsPassWhereTheBitIsSet) {
  EXPECT_EQ(outputs<Gate>({{0}}, {"5 6 S0 7 S0 S1 D", "1 2 S0 3 S0 S1 D"}),
            Texts{"5 N S0 7 S0 S1 D"});
  EXPECT_EQ(outputs<Gate>({{1}}, {"5 6 S0 7 S0 S1 D", "1 2 S0 3 S0 S1 D"}),
            Texts{"N 6 S0 7 S0 S1 D"});
}

TEST(Gate, TakesNAsNoBits) {
  EXPECT_EQ(outputs<Gate>({{0}}, {"5 N N S0 D", "N 1 N S0 D"}), Texts{"N N N S0 D"});
}

TEST(Gate, RefusesStreamsThatAreNotAligned) {
  EXPECT_EQ(fault_of<Gate>({{0}}, {"1 S0 D", "1 1 S0 D"}), Fault::kMisaligned);
}

Stimulus make_gate(Maker& m) {
  const Stream s = m.shape();
  return {{m.map_any(s), m.map_any(s)}, {}, {}};
}

const StimulusOf<Gate> kStimulus{
    {{{0}}, {{1}}, {{5}}, {{31}}},
    {"in:v bits:v > val:v", "in:v bits:v > val:N", "in:v bits:N > val:N", "in:N bits:v > val:N",
     "in:N bits:N > val:N", "in:S bits:S > val:S", "in:T bits:T > val:T", "in:D bits:D > val:D"},
    make_gate};

}  // namespace
}  // namespace heddle
