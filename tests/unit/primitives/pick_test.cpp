#include "compiler/primitives/pick.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::outputs;
using test::Texts;

TEST(Pick, TakesFibersByOrdinal) {
  EXPECT_EQ(outputs<Pick>({{1}}, {"0 2 S0 D", "5 6 S0 7 S0 8 S0 9 S0 S1 D"}),
            Texts{"5 6 S0 8 S0 S1 D"});
}

TEST(Pick, TakesValuesByOrdinal) {
  EXPECT_EQ(outputs<Pick>({{0}}, {"1 S0 2 S0 S1 D", "5 6 S0 7 8 S0 S1 D"}),
            Texts{"6 S0 7 S0 S1 D"});
}

TEST(Pick, GivesEmptyElementsForN) {
  EXPECT_EQ(outputs<Pick>({{1}}, {"N 1 S0 D", "5 S0 6 S0 S1 D"}), Texts{"S0 6 S0 S1 D"});
  EXPECT_EQ(outputs<Pick>({{0}}, {"N 1 S0 D", "5 6 S0 D"}), Texts{"N 6 S0 D"});
}

TEST(Pick, KeepsEmptyFibers) {
  EXPECT_EQ(outputs<Pick>({{1}}, {"S0 0 S0 S1 D", "S1 S0 S1 S2 D"}), Texts{"S1 S0 S1 S2 D"});
}

Stimulus make_pick(Maker& m) {
  const int depth = m.below(4);
  Stream items = m.shape(depth), ref;
  std::uint32_t ordinal = 0;
  const int kept = m.below(101);
  for (const Token t : items) {
    if (t.is_control()) {
      ref.push_back(t);
    } else if (m.chance(kept) || depth == 0) {
      ref.push_back(m.maybe(val(ordinal)));
    }
    if (t.is_element()) ++ordinal;
  }
  for (int d = 0; d < m.params[Pick::kDepth]; ++d) items = m.nest_any(items);
  return {{ref, items}, {}, {}};
}

const StimulusOf<Pick> kStimulus{
    {{{0}}, {{1}}},
    {"ref:N > out:N", "ref:N > out:S", "in:v > ", "in:N > ", "in:S > ", "in:v > out:v",
     "in:N > out:N", "ref:v in:v > out:v", "ref:v in:N > out:N", "ref:v in:S > out:S",
     "ref:S in:S > out:S", "ref:S in:T > out:T", "ref:T in:T > out:T", "ref:D in:D > out:D"},
    make_pick};

}  // namespace
}  // namespace heddle
