// Faults put into the RTL on purpose: the comparison must find each of them.
#include <gtest/gtest.h>

#include <ostream>

#include "testbench/lockstep.h"

namespace heddle {
namespace {

struct Mutant {
  const char* name;
  const char* row;  // whose blocks are run
  const char* change;
};
void PrintTo(const Mutant& mutant, std::ostream* out) { *out << mutant.row; }

class SlowMutant : public testing::TestWithParam<Mutant> {};
std::string mutant_name(const testing::TestParamInfo<Mutant>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(
    Rtl, SlowMutant,
    testing::Values(
        Mutant{"ChannelIsNotReadyInACycleOfAPop", "repeat",
               "sam_channel.sv|taken_q != Full|(taken_q != Full) && !pop"},
        Mutant{"ChannelPassesThroughWhenFull", "ordinal",
               "sam_channel.sv|taken_q != Full|(taken_q != Full) ^ (pop && taken_q == Full)"},
        Mutant{"ChannelIsLateByACycle", "array",
               "sam_channel.sv|arrive  = flight[Latency-1]|arrive  = flight[0]"},
        Mutant{"ChannelWrapsLate", "union", "sam_channel.sv|tail_q == Last ? '0|tail_q == '0 ? '0"},
        Mutant{"IntersectComparesSigned", "intersect",
               "sam_intersect.sv|crd_in_data[i*TokenW +: W] < crd_in_data[j*TokenW +: W]|"
               "$signed(crd_in_data[i*TokenW +: W]) < $signed(crd_in_data[j*TokenW +: W])"},
        Mutant{"IntersectIgnoresRoomOfReferences", "intersect",
               "sam_intersect.sv|crd_ready && (&ref_ready)|crd_ready && ref_ready[0]"},
        Mutant{"UnionGivesReferenceWithoutCoordinate", "union",
               "sam_union.sv|takes[i] ? ref_in_data[i*TokenW +: TokenW]|1'b1 ? "
               "ref_in_data[i*TokenW +: TokenW]"},
        Mutant{"UnionTakesEqualCoordinatesApart", "union",
               "sam_union.sv|fire ? takes : '0|fire ? (takes & -takes) : '0"},
        Mutant{"AccumulateDoesNotForward", "accumulate",
               "sam_scratch.sv|put_q && addr == addr_q|1'b0"},
        Mutant{"AccumulateForwardsAnyWord", "accumulate",
               "sam_scratch.sv|put_q && addr == addr_q|put_q"},
        Mutant{"AccumulateForgetsToClear", "accumulate", "sam_presence.sv|parts & ~lowest_d|parts"},
        Mutant{"PresenceForgetsPuts", "accumulate",
               "sam_presence.sv|put_1    <= put;|put_1    <= 1'b0;"},
        Mutant{"PresenceForgetsTheLastNode", "accumulate",
               "sam_presence.sv|same_1 ? written_q : read_1|read_1"},
        Mutant{"PresenceUsesOneTree", "accumulate",
               "sam_presence.sv|bank_q ^ (take && !taking_q)|1'b0"},
        Mutant{"SumForgetsTheLastAddress", "accumulate",
               "sam_f32_sums.sv|same1_4 ? sum_5[63:10] : units_4|units_4"},
        Mutant{"SumForgetsTheAddressBefore", "accumulate",
               "sam_f32_sums.sv|same2_2 ? new_rest_4|1'b0 ? new_rest_4"},
        Mutant{"SumForgetsTheThirdAddress", "accumulate", "sam_f32_sums.sv|same3_2 ?|1'b0 ?"},
        Mutant{"SumForgetsTheFourthAddress", "accumulate", "sam_f32_sums.sv|same4_2 ?|1'b0 ?"},
        Mutant{"SumNeverMovesUp", "reduce", "sam_f32_sum_add.sv|units[53] != units[52]|1'b0"},
        Mutant{"SumKeepsTheSignOfZero", "reduce", "sam_f32_sum.sv|.d(add_zero)|.d(1'b0)"},
        Mutant{"ReduceKeepsTheCount", "reduce",
               "sam_reduce.sv|is_end ? '0 : count_q|is_end ? count_q : count_q"},
        Mutant{"ReduceCountsZerosOfFullFibers", "reduce",
               "sam_reduce.sv|count_q < size|count_q <= size"},
        Mutant{"FillForgetsToStartAnew", "fill",
               "sam_fill.sv|!crd_is_val ? '0 : next_q|!crd_is_val ? next_q : next_q"},
        Mutant{"FillStopsEarly", "fill", "sam_fill.sv|next_q < W'(size)|next_q + 1 < W'(size)"},
        Mutant{"ScanIncludesTheEnd", "scan_compressed", "sam_scan_compressed.sv|at < hi|at <= hi"},
        Mutant{"ScanKeepsItsPlace", "scan_compressed",
               "sam_scan_compressed.sv|fire ? more : inside_q|fire ? 1'b1 : inside_q"},
        Mutant{"ScanDenseForgetsTheReference", "scan_dense",
               "sam_scan_dense.sv|.b(size)|.b(32'd1)"},
        Mutant{"CrdDropOpensTooLong", "crd_drop", "sam_crd_drop.sv|go_on ? !is_end|go_on ? 1'b1"},
        Mutant{"PickNeverStartsAnew", "pick",
               "sam_pick.sv|sam_pkg::KindDone ? '0 :|sam_pkg::KindDone ? next_q :"}),
    mutant_name);

TEST_P(SlowMutant, IsFound) {
  Bench bench;
  bench.add_all(*find_primitive(GetParam().row), 2);
  RtlOptions options;
  ASSERT_EQ(compare_rtl(bench, make_trials(1, 25), options), "");
  options.mutations = {GetParam().change};
  const std::string found = compare_rtl(bench, make_trials(1, 25), options);
  EXPECT_NE(found, "") << "the mutant survives";
  // By its block, or by an assertion of the RTL; not by a build that fails.
  const bool placed = found.find("depth 2") != std::string::npos;
  EXPECT_TRUE(placed || found.find("assertion failed") != std::string::npos) << found;
  RecordProperty("found", found);
}

}  // namespace
}  // namespace heddle
