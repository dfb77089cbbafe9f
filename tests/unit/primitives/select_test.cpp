#include "compiler/primitives/select.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::f32;
using test::outputs;
using test::Texts;

TEST(Select, ChoosesByTheCondition) {
  EXPECT_EQ(outputs<Select>({{1, 0}}, {"1 0 7 S0 D", "10 20 30 S0 D", "11 21 31 S0 D"}),
            Texts{"10 21 30 S0 D"});
}

TEST(Select, TakesBothZerosAsFalse) {
  EXPECT_EQ(outputs<Select>({{0, 0}}, {f32("0 -0 0.5 S0 D"), "1 1 1 S0 D", "2 2 2 S0 D"}),
            Texts{"2 2 1 S0 D"});
  EXPECT_EQ(outputs<Select>({{1, 0}}, {"-2147483648 D", "1 D", "2 D"}), Texts{"1 D"});
}

TEST(Select, TakesNAsZero) {
  EXPECT_EQ(outputs<Select>({{1, 0}}, {"N 1 N S0 D", "5 N N S0 D", "6 7 N S0 D"}),
            Texts{"6 0 0 S0 D"});
}

TEST(Select, GivesNIfAllAreN) {
  EXPECT_EQ(outputs<Select>({{1, 1}}, {"N 1 N S0 D", "5 N N S0 D", "6 7 N S0 D"}),
            Texts{"6 0 N S0 D"});
}

Stimulus make_select(Maker& m) {
  const Stream s = m.shape();
  return {{m.map_numbers(s, m.params[Select::kType]), m.map_any(s), m.map_any(s)}, {}, {}};
}

const StimulusOf<Select> kStimulus{
    {{{0, 0}}, {{0, 1}}, {{1, 0}}, {{1, 1}}},
    {"c:v a:v b:v > val:v", "c:N a:v b:v > val:v", "c:v a:N b:v > val:v", "c:v a:v b:N > val:v",
     "c:N a:N b:N > val:N", "c:N a:N b:N > val:v", "c:S a:S b:S > val:S", "c:T a:T b:T > val:T",
     "c:D a:D b:D > val:D"},
    make_select};

}  // namespace
}  // namespace heddle
