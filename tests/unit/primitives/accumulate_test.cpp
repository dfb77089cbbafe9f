#include "compiler/primitives/accumulate.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::fault_of;
using test::i32;
using test::outputs;
using test::Texts;

TEST(Accumulate, AddsTheFibersOfAGroupByCoordinate) {
  EXPECT_EQ(outputs<Accumulate>({{0, 1, 10, 1}}, {"0 2 3 S0 0 2 3 S0 S1 0 2 3 S0 S1 S2 D",
                                                  "50 5 10 S0 40 4 8 S0 S1 -40 33 36 S0 S1 S2 D"}),
            (Texts{"0 2 3 S0 0 2 3 S0 S1 D", i32("90 9 18 S0 -40 33 36 S0 S1 D")}));
}

TEST(Accumulate, SortsCoordinates) {
  EXPECT_EQ(outputs<Accumulate>({{0, 1, 10, 1}}, {"700 S0 3 S0 64 S0 S1 D", "1 S0 2 S0 3 S0 S1 D"}),
            (Texts{"3 64 700 S0 D", "2 3 1 S0 D"}));
}

TEST(Accumulate, KeepsEmptyGroups) {
  EXPECT_EQ(outputs<Accumulate>({{0, 1, 10, 1}},
                                {"1 S0 S1 S1 S0 S1 1 S0 S1 S2 D", "5 S0 S1 S1 S0 S1 7 S0 S1 S2 D"}),
            (Texts{"1 S0 S0 S0 1 S0 S1 D", "5 S0 S0 S0 7 S0 S1 D"}));
  EXPECT_EQ(outputs<Accumulate>({{0, 1, 10, 1}}, {"S2 D", "S2 D"}), (Texts{"S1 D", "S1 D"}));
}

TEST(Accumulate, LeavesOutCoordinatesWithoutValue) {
  EXPECT_EQ(outputs<Accumulate>({{0, 1, 10, 1}}, {"1 2 S0 2 3 S0 S1 D", "5 N S0 N 0 S0 S1 D"}),
            (Texts{"1 3 S0 D", "5 0 S0 D"}));
}

TEST(Accumulate, EndsGroupsAtTheGivenLevel) {
  EXPECT_EQ(outputs<Accumulate>({{1, 1, 4, 0}}, {"2 2 0 S0 S1 D", "-1 -3 -7 S0 S1 D"}),
            (Texts{"0 2 S0 S1 D", i32("-7 -1 S0 S1 D")}));
  EXPECT_EQ(outputs<Accumulate>({{0, 1, 4, 2}}, {"1 S0 S1 1 S0 S1 S2 D", "2 S0 S1 3 S0 S1 S2 D"}),
            (Texts{"1 S0 D", "5 S0 D"}));
}

TEST(Accumulate, ReportsCoordinatesBeyondItsCapacity) {
  EXPECT_EQ(fault_of<Accumulate>({{0, 1, 4, 1}}, {"15 16 S0 S1 D", "1 1 S0 S1 D"}),
            Fault::kOverflow);
}

Stimulus make_accumulate(Maker& m) {
  m.choose_coordinates(power_of_two(m.params[Accumulate::kBits]));
  Stream group = m.shape(m.below(3));
  for (int l = 0; l < m.params[Accumulate::kLevel]; ++l) group = m.nest_any(group);
  Stream crd = m.nest_coordinates(group);
  // Fibers need not be sorted here, and may name a coordinate twice.
  if (m.chance(40))
    for (std::size_t i = 1; i < crd.size(); ++i)
      if (crd[i].is_val() && crd[i - 1].is_val() && m.chance(50)) crd[i] = crd[i - 1];
  // Nor need they be near each other.
  if (m.chance(50)) {
    const std::uint32_t odd = m.word() | 1;
    const auto limit = static_cast<std::uint32_t>(power_of_two(m.params[Accumulate::kBits]));
    crd = m.map(crd, [&](Token t) { return val(t.bits * odd & (limit - 1)); });
  }
  Stream value = m.map_terms(crd, m.params[Accumulate::kType]);
  return {{crd, value}, {}, {{}}};
}

const StimulusOf<Accumulate> kStimulus{
    {{{0, 0, 10, 1}},
     {{0, 1, 6, 0}},
     {{1, 0, 7, 2}},
     {{2, 1, 1, 1}},
     {{0, 0, 13, 0}},
     {{0, 1, 17, 1}}},
    {"crd_in:v val_in:v > ", "crd_in:v val_in:N > ", "crd_in:S val_in:S > ", "crd_in:T val_in:T > ",
     " > crd:v val:v", "crd_in:S val_in:S > crd:S val:S", "crd_in:T val_in:T > crd:S val:S",
     "crd_in:T val_in:T > crd:T val:T", "crd_in:D val_in:D > crd:D val:D"},
    make_accumulate,
    "",
    {{{{0, 0, 2, 1}},
      {parse_stream("1 4 S0 2 S0 S1 D").value(), parse_stream("1 2 S0 3 S0 S1 D").value()}}}};

}  // namespace
}  // namespace heddle
