#include "compiler/primitives/alu.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::f32;
using test::fault_of;
using test::outputs;
using test::Texts;

TEST(Alu, CombinesAlignedStreams) {
  EXPECT_EQ(outputs<Alu>({{2, 1, 0}}, {"1 2 S0 3 S0 S1 D", "10 20 S0 30 S0 S1 D"}),
            Texts{"10 40 S0 90 S0 S1 D"});
  EXPECT_EQ(outputs<Alu>({{1, 0, 0}}, {f32("1 0.5 D"), f32("0.25 0.5 D")}), Texts{f32("0.75 0 D")});
}

TEST(Alu, TakesNAsZero) {
  EXPECT_EQ(outputs<Alu>({{0, 1, Alu::kZero}}, {"N 2 N S0 D", "1 N N S0 D"}), Texts{"1 2 0 S0 D"});
  EXPECT_EQ(outputs<Alu>({{2, 1, Alu::kZero}}, {"N 2 S0 D", "5 N S0 D"}), Texts{"0 0 S0 D"});
}

TEST(Alu, ScalesNothingToNothing) {
  const auto scale = [](BinaryOp op, const char* a, const char* b) {
    return outputs<Alu>({{static_cast<int>(op), 0, Alu::kZero}}, {f32(a), f32(b)});
  };
  EXPECT_EQ(scale(BinaryOp::kMul, "N inf N -inf N D", "inf N nan N N D"), Texts{"0 0 0 0 0 D"});
  EXPECT_EQ(scale(BinaryOp::kDiv, "N N N N D", "0 N nan -2 D"), Texts{"0 0 0 0 D"});
  EXPECT_EQ(scale(BinaryOp::kDiv, "1 D", "N D"), Texts{f32("inf D")});
  EXPECT_EQ(outputs<Alu>({{3, 1, Alu::kZero}}, {"N N 8 D", "0 N 4 D"}), Texts{"0 0 2 D"});
}

TEST(Alu, GivesNWhereItIsAsked) {
  EXPECT_EQ(outputs<Alu>({{0, 1, Alu::kAny}}, {"N 2 3 N S0 D", "1 N 4 N S0 D"}),
            Texts{"N N 7 N S0 D"});
  EXPECT_EQ(outputs<Alu>({{0, 1, Alu::kBoth}}, {"N 2 3 N S0 D", "1 N 4 N S0 D"}),
            Texts{"1 2 7 N S0 D"});
  EXPECT_EQ(outputs<Alu>({{0, 1, Alu::kLeft}}, {"N 2 3 N S0 D", "1 N 4 N S0 D"}),
            Texts{"N 2 7 N S0 D"});
}

TEST(Alu, TakesNAsWhatChangesNothing) {
  const auto combine = [](BinaryOp op) {
    return outputs<Alu>({{static_cast<int>(op), 1, Alu::kNeutral}}, {"N -2 3 N D", "-1 N 4 N D"});
  };
  EXPECT_EQ(combine(BinaryOp::kAdd), Texts{test::i32("-1 -2 7 N D")});
  EXPECT_EQ(combine(BinaryOp::kMax), Texts{test::i32("-1 -2 4 N D")});
  EXPECT_EQ(combine(BinaryOp::kMin), Texts{test::i32("-1 -2 3 N D")});
  for (const BinaryOp op : {BinaryOp::kAdd, BinaryOp::kMax, BinaryOp::kMin})
    EXPECT_EQ(outputs<Alu>({{static_cast<int>(op), 0, Alu::kNeutral}},
                           {f32("N -0 0 -2 D"), f32("-0 N N N D")}),
              Texts{f32("-0 -0 0 -2 D")});
}

TEST(Alu, RefusesStreamsThatAreNotAligned) {
  EXPECT_EQ(fault_of<Alu>({{0, 1, 0}}, {"1 S0 D", "10 20 S0 D"}), Fault::kMisaligned);
  EXPECT_EQ(fault_of<Alu>({{0, 1, 0}}, {"1 S0 S1 D", "10 S1 D"}), Fault::kMisaligned);
}

Stimulus make_alu(Maker& m) {
  const Stream s = m.shape();
  return {{m.map_numbers(s, m.params[Alu::kType]), m.map_numbers(s, m.params[Alu::kType])}, {}, {}};
}

const StimulusOf<Alu> kStimulus{
    {{{0, 0, 0}}, {{1, 0, 1}}, {{2, 0, 1}}, {{3, 0, 2}}, {{4, 0, 3}}, {{5, 0, 0}}, {{6, 0, 2}},
     {{7, 0, 0}}, {{8, 0, 1}}, {{9, 0, 3}}, {{0, 1, 2}}, {{1, 1, 3}}, {{2, 1, 1}}, {{3, 1, 0}},
     {{4, 1, 3}}, {{6, 1, 0}}, {{0, 0, 4}}, {{4, 0, 4}}, {{5, 0, 4}}, {{0, 1, 4}}, {{4, 1, 4}},
     {{5, 1, 4}}, {{2, 0, 0}}, {{3, 0, 0}}, {{2, 1, 0}}},
    {"a:v b:v > val:v", "a:N b:v > val:v", "a:v b:N > val:v", "a:N b:N > val:v", "a:N b:v > val:N",
     "a:v b:N > val:N", "a:N b:N > val:N", "a:S b:S > val:S", "a:T b:T > val:T", "a:D b:D > val:D"},
    make_alu};

}  // namespace
}  // namespace heddle
