#include "compiler/primitives/repeat.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::fault_of;
using test::outputs;
using test::Texts;

TEST(Repeat, RepeatsOncePerElement) {
  EXPECT_EQ(outputs<Repeat>({}, {"0 D", "4 5 S0 D"}), Texts{"0 0 S0 D"});
  EXPECT_EQ(outputs<Repeat>({}, {"0 1 S0 2 S0 S1 D", "1 1 1 S0 1 1 S0 S1 1 S0 S1 S2 D"}),
            Texts{"0 0 0 S0 1 1 S0 S1 2 S0 S1 S2 D"});
}

TEST(Repeat, KeepsEmptyFibersOfCoordinates) {
  EXPECT_EQ(outputs<Repeat>({}, {"0 1 2 S0 D", "7 S0 S0 7 S0 S1 D"}), Texts{"0 S0 S0 2 S0 S1 D"});
}

TEST(Repeat, KeepsEmptyFibersOfReferences) {
  EXPECT_EQ(outputs<Repeat>({}, {"0 S0 S0 1 S0 S1 D", "7 S0 S1 S1 7 S0 S1 S2 D"}),
            Texts{"0 S0 S1 S1 1 S0 S1 S2 D"});
}

TEST(Repeat, RepeatsN) {
  EXPECT_EQ(outputs<Repeat>({}, {"N 0 S0 D", "3 4 S0 5 S0 S1 D"}), Texts{"N N S0 0 S0 S1 D"});
}

TEST(Repeat, RefusesAMissingReference) {
  EXPECT_EQ(fault_of<Repeat>({}, {"0 S0 D", "1 S0 1 S0 S1 D"}), Fault::kMisaligned);
}

Stimulus make_repeat(Maker& m) {
  const Stream in = m.shape();
  return {{in, m.nest_any(in)}, {}, {}};
}

const StimulusOf<Repeat> kStimulus{
    {{}},
    {"crd:v > out:v", "crd:v > out:N", "crd:N > out:v", "crd:N > out:N", "in:v crd:S > out:S",
     "in:N crd:S > out:S", "in:S crd:T > out:T", "in:T crd:T > out:T", "in:D crd:D > out:D"},
    make_repeat};

}  // namespace
}  // namespace heddle
