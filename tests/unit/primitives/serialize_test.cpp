#include "compiler/primitives/serialize.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::fault_of;
using test::outputs;
using test::Texts;

TEST(Serialize, TakesInTurnAndAnewInEachFiber) {
  EXPECT_EQ(outputs<Serialize>({{2, 0}}, {"1 3 S0 4 S0 S1 D", "2 S0 S0 S1 D"}),
            Texts{"1 2 3 S0 4 S0 S1 D"});
  EXPECT_EQ(outputs<Serialize>({{3, 0}}, {"7 D", "D", "D"}), Texts{"7 D"});
}

TEST(Serialize, TakesFibers) {
  EXPECT_EQ(outputs<Serialize>({{2, 1}}, {"1 2 S0 N S0 S1 D", "S0 S1 D"}),
            Texts{"1 2 S0 S0 N S0 S1 D"});
}

TEST(Serialize, RefusesLanesThatEndApart) {
  EXPECT_EQ(fault_of<Serialize>({{2, 0}}, {"1 S0 D", "S1 D"}), Fault::kMisaligned);
}

/// Any stream, dealt.
Stimulus make_serialize(Maker& m) {
  const int depth = m.params[Serialize::kDepth];
  const auto lanes = static_cast<std::size_t>(m.params[Serialize::kN]);
  Stimulus s;
  s.streams.resize(lanes);
  std::size_t lane = 0;
  for (const Token t : m.shape(depth + 1 + m.below(2))) {
    if (in_element(t, depth)) {
      s.streams[lane].push_back(t);
      if (ends_element(t, depth)) lane = (lane + 1) % lanes;
      continue;
    }
    for (Stream& stream : s.streams) stream.push_back(t);
    lane = 0;
  }
  return s;
}

const StimulusOf<Serialize> kStimulus{
    {{{2, 0}}, {{3, 0}}, {{5, 1}}, {{2, 2}}},
    {"in:v > out:v", "in:N > out:N", "in:S > out:S", "in:T > out:T", "in:D > out:D"},
    make_serialize};

}  // namespace
}  // namespace heddle
