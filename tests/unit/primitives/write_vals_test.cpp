#include "compiler/primitives/write_vals.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::run_block;

TEST(WriteVals, StoresValuesInOrder) {
  const test::BlockRun run = run_block<WriteVals>({}, {"5 0 S0 S0 7 S0 S1 D"});
  EXPECT_EQ(run.memories[WriteVals::kVals], (std::vector<std::uint32_t>{5, 0, 7}));
  EXPECT_EQ(run.statuses, (std::vector<std::uint32_t>{3}));
}

TEST(WriteVals, StoresNAsZero) {
  EXPECT_EQ(run_block<WriteVals>({}, {"5 N 7 S0 D"}).memories[WriteVals::kVals],
            (std::vector<std::uint32_t>{5, 0, 7}));
}

TEST(WriteVals, StoresAScalar) {
  EXPECT_EQ(run_block<WriteVals>({}, {"9 D"}).memories[WriteVals::kVals],
            (std::vector<std::uint32_t>{9}));
}

TEST(WriteVals, StoresNothing) {
  EXPECT_EQ(run_block<WriteVals>({}, {"S2 D"}).statuses, (std::vector<std::uint32_t>{0}));
}

Stimulus make_write_vals(Maker& m) { return {{m.shape()}, {}, {{}}}; }

const StimulusOf<WriteVals> kStimulus{{{}},
                                      {"val:v > ", "val:N > ", "val:S > ", "val:T > ", "val:D > "},
                                      make_write_vals,
                                      "",
                                      {{{}, {counted(kFewWords + 1)}}}};

}  // namespace
}  // namespace heddle
