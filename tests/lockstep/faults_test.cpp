// What blocks cannot take: every engine says so, and none hangs.
#include <gtest/gtest.h>

#include "systemc/run_systemc.h"
#include "testbench/lockstep.h"

namespace heddle {
namespace {

bool has_capacity(const PrimitiveSpec& spec) {
  for (const MemorySpec& memory : spec.memories)
    if (memory.use == MemorySpec::Use::kWrite) return true;
  return spec.overflows;
}

std::vector<PrimitiveId> rows_with_capacity() {
  std::vector<PrimitiveId> rows;
  for (int i = 0; i < kPrimitiveCount; ++i)
    if (has_capacity(spec_of(static_cast<PrimitiveId>(i))))
      rows.push_back(static_cast<PrimitiveId>(i));
  return rows;
}

RunInput small_input(const Bench& bench, const Trial& trial) {
  RunInput input = bench.input(trial);
  for (RunInput::Block& block : input.blocks)
    for (std::uint32_t& words : block.capacity) words = kFewWords;
  return input;
}

RunInput with_streams(const Bench& bench, RunInput input, const std::vector<Stream>& streams) {
  const Island& island = bench.islands().front();
  for (std::size_t p = 0; p < streams.size(); ++p)
    input.streams[index(island.sources[p])] = streams[p];
  return input;
}

/// The first random trial that fits into small memories.
Trial fitting_trial(const Bench& bench) {
  for (std::uint64_t seed = 1;; ++seed) {
    const Trial trial{seed, Traffic::kBoth};
    if (run_stepped(bench.graph(), small_input(bench, trial)).outcome == Outcome::kFinished)
      return trial;
  }
}

class Capacity : public testing::TestWithParam<PrimitiveId> {
 protected:
  const std::vector<Excess>& excesses() const { return find_stimulus(GetParam())->excesses; }
};
std::string capacity_name(const testing::TestParamInfo<PrimitiveId>& info) {
  return std::string(spec_of(info.param).name);
}
INSTANTIATE_TEST_SUITE_P(Every, Capacity, testing::ValuesIn(rows_with_capacity()), capacity_name);

TEST_P(Capacity, IsExceededAlikeInTheCppEngines) {
  ASSERT_FALSE(excesses().empty()) << "its unit test has no input that exceeds the capacity";
  for (const Excess& excess : excesses()) {
    Bench bench;
    bench.add(GetParam(), excess.params, 2);
    const std::string wanted = fmt::format("block '{}': a capacity is exceeded",
                                           bench.graph().node(bench.islands().front().node).name);
    for (const Traffic traffic : kAllTraffic) {
      const RunInput input = with_streams(bench, small_input(bench, {1, traffic}), excess.streams);
      const RunResult stepped = run_stepped(bench.graph(), input);
      for (const RunResult& r :
           {stepped, run_functional(bench.graph(), input), run_cycle(bench.graph(), input),
            run_systemc(bench.graph(), input)}) {
        EXPECT_EQ(r.outcome, Outcome::kFault);
        EXPECT_EQ(r.fault, Fault::kOverflow);
        EXPECT_EQ(r.problem, wanted);
      }
    }
  }
}

TEST_P(Capacity, IsExceededInTheRtlWhichRecovers) {
  for (const Excess& excess : excesses()) {
    Bench bench;
    bench.add(GetParam(), excess.params, 2);
    const Trial fits = fitting_trial(bench);
    const RunInput good = small_input(bench, fits);
    std::vector<RunInput> inputs;
    for (const Traffic traffic : kAllTraffic) {
      inputs.push_back(with_streams(bench, small_input(bench, {1, traffic}), excess.streams));
      inputs.push_back(good);
    }
    const Netlist netlist = make_netlist(bench.graph(), good, "heddle_capacity", "Too much data");
    std::string problem;
    const auto model = build_rtl(netlist, {}, problem);
    ASSERT_TRUE(model) << problem;
    const auto results = run_rtl(*model, netlist, inputs, {}, Detail::kTrace);
    const RunResult oracle = run_stepped(bench.graph(), good, Detail::kTrace);
    for (std::size_t n = 0; n < results.size(); n += 2) {
      EXPECT_EQ(results[n].outcome, Outcome::kFault);
      EXPECT_EQ(results[n].fault, Fault::kOverflow);
      EXPECT_EQ(results[n].problem, "a capacity is exceeded");  // the error pin names no block
      EXPECT_EQ(find_difference(bench, fits, "stepped", oracle, "RTL", results[n + 1]), "");
    }
  }
}

TEST(Misaligned, IsReportedAlikeInTheCppEnginesAndStopsTheRtl) {
  Bench bench;
  bench.add(id_of<Alu>(), {{0, 0, 0}}, 2);
  const RunInput good = bench.input({1, Traffic::kSteady});
  const RunInput input =
      with_streams(bench, good, {parse_stream("1 2 S0 D").value(), parse_stream("1 S0 D").value()});
  for (const RunResult& r : {run_stepped(bench.graph(), input), run_cycle(bench.graph(), input),
                             run_systemc(bench.graph(), input)}) {
    EXPECT_EQ(r.outcome, Outcome::kFault);
    EXPECT_EQ(r.problem, "block 'alu_0': input streams are not aligned");
  }
  const Netlist netlist = bench.netlist();
  std::string problem;
  const auto model = build_rtl(netlist, {}, problem);
  ASSERT_TRUE(model) << problem;
  const RunResult r = run_rtl(*model, netlist, {input}, {})[0];
  EXPECT_EQ(r.outcome, Outcome::kFault);
  EXPECT_NE(r.problem.find("u_alu_0.misaligned: assertion failed"), std::string::npos) << r.problem;
}

}  // namespace
}  // namespace heddle
