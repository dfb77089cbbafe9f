#include "compiler/primitives/presence.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::fault_of;
using test::outputs;
using test::Texts;

TEST(Presence, SetsABitForEachValue) {
  EXPECT_EQ(outputs<Presence>({{2}}, {"5 N 0 N S0 S1 D", "7 8 N N S0 S1 D"}),
            Texts{"3 2 1 0 S0 S1 D"});
  EXPECT_EQ(outputs<Presence>({{1}}, {"5 N S0 D"}), Texts{"1 0 S0 D"});
}

TEST(Presence, RefusesStreamsThatAreNotAligned) {
  EXPECT_EQ(fault_of<Presence>({{2}}, {"1 S0 D", "1 1 S0 D"}), Fault::kMisaligned);
}

Stimulus make_presence(Maker& m) {
  const Stream s = m.shape();
  std::vector<Stream> streams;
  for (int i = 0; i < m.params[Presence::kN]; ++i) streams.push_back(m.map_any(s));
  return {streams, {}, {}};
}

const StimulusOf<Presence> kStimulus{{{{1}}, {{2}}, {{5}}, {{32}}},
                                     {"val:v > bits:v", "val:N > bits:v", "val:Nv > bits:v",
                                      "val:S > bits:S", "val:T > bits:T", "val:D > bits:D"},
                                     make_presence};

}  // namespace
}  // namespace heddle
