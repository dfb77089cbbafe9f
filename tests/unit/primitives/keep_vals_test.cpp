#include "compiler/primitives/keep_vals.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::BlockRun;
using test::run_block;
using test::Texts;

TEST(KeepVals, StoresValuesAndTellsRows) {
  const BlockRun run = run_block<KeepVals>({{1}}, {"7 N S0 S0 8 S0 S1 D"});
  EXPECT_EQ(run.fault, Fault::kNone);
  EXPECT_EQ(run.out, Texts{"0 1 2 S0 D"});
  EXPECT_EQ(run.memories[0], (std::vector<std::uint32_t>{7, 0, 8}));
  EXPECT_EQ(run.statuses, (std::vector<std::uint32_t>{3}));
}

TEST(KeepVals, ARowMayBeAValue) {
  EXPECT_EQ(run_block<KeepVals>({{0}}, {"7 N 8 S0 D"}).out, Texts{"0 1 2 S0 D"});
}

TEST(KeepVals, RowsMayBeSeveralFibersDeep) {
  EXPECT_EQ(run_block<KeepVals>({{2}}, {"1 S0 2 S0 S1 S1 S2 D"}).out, Texts{"0 1 S0 D"});
}

Stimulus make_keep_vals(Maker& m) {
  return {{m.shape(m.params[KeepVals::kDepth] + 1 + m.below(2))}, {}, {{}}};
}

const StimulusOf<KeepVals> kStimulus{
    {{{0}}, {{1}}, {{2}}},
    {"val:v > ", "val:N > ", "val:v > row:v", "val:N > row:v", "val:S > ", "val:S > row:v",
     "val:S > row:S", "val:T > row:v", "val:T > row:S", "val:T > row:T", "val:D > row:D"},
    make_keep_vals,
    "",
    {{{{0}}, {counted(kFewWords + 1)}}}};

}  // namespace
}  // namespace heddle
