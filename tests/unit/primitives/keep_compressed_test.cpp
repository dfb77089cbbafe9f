#include "compiler/primitives/keep_compressed.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::BlockRun;
using test::run_block;
using test::Texts;

TEST(KeepCompressed, StoresALevelAndTellsRows) {
  const BlockRun run = run_block<KeepCompressed>({{1}}, {"1 4 S0 S0 2 S0 S1 D"});
  EXPECT_EQ(run.fault, Fault::kNone);
  EXPECT_EQ(run.out, Texts{"0 1 2 S0 D"});
  EXPECT_EQ(run.memories[0], (std::vector<std::uint32_t>{0, 2, 2, 3}));
  EXPECT_EQ(run.memories[1], (std::vector<std::uint32_t>{1, 4, 2}));
  EXPECT_EQ(run.statuses, (std::vector<std::uint32_t>{3, 3}));
}

TEST(KeepCompressed, RowsMayBeSeveralFibersDeep) {
  const BlockRun run = run_block<KeepCompressed>({{2}}, {"1 S0 2 S0 S1 S1 3 S0 S1 S2 D"});
  EXPECT_EQ(run.out, Texts{"0 1 2 S0 D"});
  EXPECT_EQ(run.memories[0], (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

TEST(KeepCompressed, NoRows) {
  const BlockRun run = run_block<KeepCompressed>({{1}}, {"S1 D"});
  EXPECT_EQ(run.out, Texts{"S0 D"});
  EXPECT_EQ(run.memories[0], (std::vector<std::uint32_t>{0}));
}

Stimulus make_keep_compressed(Maker& m) {
  m.choose_coordinates(kAnyWord);
  const Stream rows = m.shape(m.params[KeepCompressed::kDepth] + m.below(3));
  return {{m.nest_coordinates(rows)}, {}, {{}, {}}};
}

/// One row more than segments have room for.
Stream empty_rows(std::uint32_t n) {
  Stream s(n, stop(0));
  s.insert(s.end(), {stop(1), done()});
  return s;
}

const StimulusOf<KeepCompressed> kStimulus{
    {{{1}}, {{2}}, {{3}}},
    {"crd:v > ", "crd:S > ", "crd:S > row:v", "crd:T > ", "crd:T > row:v", "crd:T > row:S",
     "crd:T > row:T", "crd:D > row:D"},
    make_keep_compressed,
    "",
    {{{{1}}, {counted(kFewWords + 1)}}, {{{1}}, {empty_rows(kFewWords)}}}};

}  // namespace
}  // namespace heddle
