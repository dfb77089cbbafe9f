#include "compiler/primitives/sink.h"

#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::outputs;
using test::Texts;

TEST(Sink, TakesAStreamToItsEnd) { EXPECT_EQ(outputs<Sink>({}, {"1 N S0 S0 S1 D"}), Texts{}); }

TEST(Sink, TakesAScalar) { EXPECT_EQ(outputs<Sink>({}, {"1 D"}), Texts{}); }

TEST(Sink, TakesAnEmptyStream) { EXPECT_EQ(outputs<Sink>({}, {"S2 D"}), Texts{}); }

}  // namespace
}  // namespace heddle
