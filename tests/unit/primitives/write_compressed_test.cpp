#include "compiler/primitives/write_compressed.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::run_block;

TEST(WriteCompressed, StoresSegmentsAndCoordinates) {
  const test::BlockRun run = run_block<WriteCompressed>({}, {"0 2 3 S0 0 2 3 S0 S1 D"});
  EXPECT_EQ(run.memories[WriteCompressed::kSeg], (std::vector<std::uint32_t>{0, 3, 6}));
  EXPECT_EQ(run.memories[WriteCompressed::kCrdArray],
            (std::vector<std::uint32_t>{0, 2, 3, 0, 2, 3}));
  EXPECT_EQ(run.statuses, (std::vector<std::uint32_t>{2, 6}));
}

TEST(WriteCompressed, StoresEmptyFibers) {
  const test::BlockRun run = run_block<WriteCompressed>({}, {"0 2 S0 S0 3 S0 S0 S1 D"});
  EXPECT_EQ(run.memories[WriteCompressed::kSeg], (std::vector<std::uint32_t>{0, 2, 2, 3, 3}));
}

TEST(WriteCompressed, StoresAnEmptyLevel) {
  const test::BlockRun run = run_block<WriteCompressed>({}, {"S1 D"});
  EXPECT_EQ(run.memories[WriteCompressed::kSeg], (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(run.memories[WriteCompressed::kCrdArray], (std::vector<std::uint32_t>{}));
  EXPECT_EQ(run.statuses, (std::vector<std::uint32_t>{0, 0}));
}

Stimulus make_write_compressed(Maker& m) {
  m.choose_coordinates(kAnyWord);
  return {{m.nest_coordinates(m.shape())}, {}, {{}, {}}};
}

/// One fiber more than segments have room for.
Stream empty_fibers(std::uint32_t n) {
  Stream s(n, stop(0));
  s.insert(s.end(), {stop(1), done()});
  return s;
}

const StimulusOf<WriteCompressed> kStimulus{
    {{}},
    {"crd:v > ", "crd:S > ", "crd:T > ", "crd:D > "},
    make_write_compressed,
    "",
    {{{}, {counted(kFewWords + 1)}}, {{}, {empty_fibers(kFewWords)}}}};

}  // namespace
}  // namespace heddle
