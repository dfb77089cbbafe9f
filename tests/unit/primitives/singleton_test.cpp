#include "compiler/primitives/singleton.h"

#include "testbench/stimulus.h"
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

Stimulus make_singleton(Maker& m) { return {{m.shape()}, {}, {}}; }

const StimulusOf<Singleton> kStimulus{
    {{}},
    {" > crd:v", "in:v > crd:S", "in:N > crd:S", "in:S > crd:T", "in:T > crd:T", "in:D > crd:D"},
    make_singleton};

}  // namespace
}  // namespace heddle
