#include "compiler/primitives/pack.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::fault_of;
using test::outputs;
using test::Texts;

TEST(Pack, JoinsTwoLevels) {
  EXPECT_EQ(outputs<Pack>({{4}}, {"1 3 S0 D", "0 15 S0 2 S0 S1 D", "5 6 S0 7 S0 S1 D"}),
            (Texts{"16 31 50 S0 D", "5 6 7 S0 D"}));
}

TEST(Pack, LosesCoordinatesOfEmptyFibersOnly) {
  EXPECT_EQ(outputs<Pack>({{4}}, {"1 2 S0 S0 S1 D", "S0 3 S0 S1 S1 S2 D", "S0 N S0 S1 S1 S2 D"}),
            (Texts{"35 S0 S0 S1 D", "N S0 S0 S1 D"}));
}

TEST(Pack, KeepsEmptyStreams) {
  EXPECT_EQ(outputs<Pack>({{4}}, {"S1 D", "S2 D", "S2 D"}), (Texts{"S1 D", "S1 D"}));
}

TEST(Pack, ReportsCoordinatesThatDoNotFit) {
  EXPECT_EQ(fault_of<Pack>({{4}}, {"1 S0 D", "16 S0 S1 D", "5 S0 S1 D"}), Fault::kOverflow);
  EXPECT_EQ(fault_of<Pack>({{26}}, {"64 S0 D", "0 S0 S1 D", "5 S0 S1 D"}), Fault::kOverflow);
}

Stimulus make_pack(Maker& m) {
  const int bits = m.params[Pack::kBits];
  m.choose_coordinates(power_of_two(32 - bits));
  const Stream outer = m.nest_coordinates(m.shape(m.below(3)));
  m.choose_coordinates(power_of_two(bits));
  const Stream inner = m.nest_coordinates(outer);
  return {{outer, inner, m.map_any(inner)}, {}, {}};
}

const StimulusOf<Pack> kStimulus{
    {{{10}}, {{1}}, {{26}}},
    {"inner:v val_in:v > crd:v val:v", "inner:v val_in:N > crd:v val:N",
     "outer:v inner:S val_in:S > ", "outer:S inner:T val_in:T > crd:S val:S",
     "outer:T inner:T val_in:T > crd:T val:T", "outer:D inner:D val_in:D > crd:D val:D"},
    make_pack,
    "",
    {{{{2}},
      {parse_stream("1 2 S0 D").value(), parse_stream("3 S0 4 S0 S1 D").value(),
       parse_stream("5 S0 6 S0 S1 D").value()}},
     {{{2}},
      {parse_stream("1 1073741824 S0 D").value(), parse_stream("3 S0 2 S0 S1 D").value(),
       parse_stream("5 S0 6 S0 S1 D").value()}}}};

}  // namespace
}  // namespace heddle
