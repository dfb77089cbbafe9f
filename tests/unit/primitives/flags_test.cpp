#include "compiler/primitives/flags.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::fault_of;
using test::outputs;
using test::Texts;

TEST(Flags, SetsABitForEachValue) {
  EXPECT_EQ(outputs<Flags>({{2}}, {"5 N 0 N S0 S1 D", "7 8 N N S0 S1 D"}),
            Texts{"3 2 1 0 S0 S1 D"});
  EXPECT_EQ(outputs<Flags>({{1}}, {"5 N S0 D"}), Texts{"1 0 S0 D"});
}

TEST(Flags, RefusesStreamsThatAreNotAligned) {
  EXPECT_EQ(fault_of<Flags>({{2}}, {"1 S0 D", "1 1 S0 D"}), Fault::kMisaligned);
}

Stimulus make_flags(Maker& m) {
  const Stream s = m.shape();
  std::vector<Stream> streams;
  for (int i = 0; i < m.params[Flags::kN]; ++i) streams.push_back(m.map_any(s));
  return {streams, {}, {}};
}

const StimulusOf<Flags> kStimulus{{{{1}}, {{2}}, {{5}}, {{32}}},
                                  {"val:v > bits:v", "val:N > bits:v", "val:Nv > bits:v",
                                   "val:S > bits:S", "val:T > bits:T", "val:D > bits:D"},
                                  make_flags};

}  // namespace
}  // namespace heddle
