#include "compiler/primitives/array.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::fault_of;
using test::outputs;
using test::Texts;

TEST(Array, LoadsValues) {
  const test::Data data{{}, {{10, 11, 12, 13}}};
  EXPECT_EQ(outputs<Array>({{0}}, {"0 2 S0 3 3 S0 S1 D"}, data), Texts{"10 12 S0 13 13 S0 S1 D"});
}

TEST(Array, KeepsN) {
  const test::Data data{{}, {{10, 11, 12, 13}}};
  EXPECT_EQ(outputs<Array>({{0}}, {"0 2 S0 N S0 3 S0 S1 D"}, data),
            Texts{"10 12 S0 N S0 13 S0 S1 D"});
}

TEST(Array, MakesNAZero) {
  const test::Data data{{}, {{10, 11, 12, 13}}};
  EXPECT_EQ(outputs<Array>({{1}}, {"0 2 S0 N S0 3 S0 S1 D"}, data),
            Texts{"10 12 S0 0 S0 13 S0 S1 D"});
}

TEST(Array, RefusesPositionsOutsideOfTheArray) {
  EXPECT_EQ(fault_of<Array>({{0}}, {"4 D"}, {{}, {{10, 11, 12, 13}}}), Fault::kOutOfRange);
}

Stimulus make_array(Maker& m) {
  const Stream ref = m.map(m.shape(), [&](Token) {
    return m.maybe(val(static_cast<std::uint32_t>(m.below(static_cast<int>(kLoadedWords)))));
  });
  return {{ref}, {}, {m.words(kLoadedWords)}};
}

const StimulusOf<Array> kStimulus{{{{0}}, {{1}}},
                                  {"ref:v > val:v", "ref:N > val:N", "ref:N > val:v",
                                   "ref:S > val:S", "ref:T > val:T", "ref:D > val:D"},
                                  make_array};

}  // namespace
}  // namespace heddle
