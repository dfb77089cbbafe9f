#include "compiler/primitives/intersect_skip.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::outputs;
using test::Texts;

TEST(IntersectSkip, KeepsCommonCoordinates) {
  const Texts out =
      outputs<IntersectSkip>({{2}}, {"0 2 4 S0 D", "1 2 4 S0 D", "0 1 2 S0 D", "0 1 2 S0 D"});
  EXPECT_EQ(Texts(out.begin(), out.begin() + 3), (Texts{"2 4 S0 D", "1 2 S0 D", "1 2 S0 D"}));
}

TEST(IntersectSkip, AnswersEachCoordinateThatItTakes) {
  const Texts out = outputs<IntersectSkip>({{2}}, {"0 7 S0 D", "7 9 S0 D", "0 1 S0 D", "0 1 S0 D"});
  EXPECT_EQ(Texts(out.begin() + 3, out.end()), (Texts{"7 8 D", "8 S0 D"}));
}

TEST(IntersectSkip, EndsTheFibersOfTheOthers) {
  const Texts out = outputs<IntersectSkip>(
      {{2}}, {"S0 1 S0 S1 D", "3 S0 1 S0 S1 D", "S0 0 S0 S1 D", "0 S0 1 S0 S1 D"});
  EXPECT_EQ(Texts(out.begin() + 3, out.end()), (Texts{"2 D", "S0 2 D"}));
}

const StimulusOf<IntersectSkip> kStimulus{
    {{{2}}, {{3}}, {{5}}},
    {"crd_in:v ref_in:v > skip:v", "crd_in:v ref_in:N > skip:v", "crd_in:v ref_in:v > skip:S",
     "crd_in:v ref_in:N > skip:S", "crd_in:v ref_in:v > crd:v ref:v skip:v",
     "crd_in:v ref_in:Nv > crd:v ref:Nv skip:v", "crd_in:S ref_in:S > crd:S ref:S",
     "crd_in:T ref_in:T > crd:T ref:T", "crd_in:D ref_in:D > crd:D ref:D skip:D"},
    make_joined,
    "skip"};

}  // namespace
}  // namespace heddle
