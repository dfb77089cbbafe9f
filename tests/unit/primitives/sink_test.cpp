#include "compiler/primitives/sink.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::outputs;
using test::Texts;

TEST(Sink, TakesAStreamToItsEnd) { EXPECT_EQ(outputs<Sink>({}, {"1 N S0 S0 S1 D"}), Texts{}); }

TEST(Sink, TakesAScalar) { EXPECT_EQ(outputs<Sink>({}, {"1 D"}), Texts{}); }

TEST(Sink, TakesAnEmptyStream) { EXPECT_EQ(outputs<Sink>({}, {"S2 D"}), Texts{}); }

Stimulus make_sink(Maker& m) { return {{m.shape()}, {}, {}}; }

const StimulusOf<Sink> kStimulus{
    {{}}, {"in:v > ", "in:N > ", "in:S > ", "in:T > ", "in:D > "}, make_sink};

}  // namespace
}  // namespace heddle
