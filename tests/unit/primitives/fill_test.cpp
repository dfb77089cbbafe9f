#include "compiler/primitives/fill.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::fault_of;
using test::outputs;
using test::Texts;

TEST(Fill, InsertsZeros) {
  EXPECT_EQ(outputs<Fill>({{0}}, {"1 3 S0 D", "7 N S0 D"}, {{5}, {}}), Texts{"0 7 0 N 0 S0 D"});
}

TEST(Fill, FillsEmptyFibers) {
  EXPECT_EQ(outputs<Fill>({{0}}, {"S0 0 1 S0 S1 D", "S0 5 6 S0 S1 D"}, {{2}, {}}),
            Texts{"0 0 S0 5 6 S0 S1 D"});
  EXPECT_EQ(outputs<Fill>({{0}}, {"S1 D", "S1 D"}, {{2}, {}}), Texts{"S1 D"});
}

TEST(Fill, InsertsEmptyFibers) {
  EXPECT_EQ(outputs<Fill>({{1}}, {"1 S0 D", "8 9 S0 S1 D"}, {{3}, {}}), Texts{"S0 8 9 S0 S0 S1 D"});
  EXPECT_EQ(outputs<Fill>({{2}}, {"1 S0 D", "8 S0 S0 S1 S2 D"}, {{2}, {}}),
            Texts{"S1 8 S0 S0 S1 S2 D"});
}

TEST(Fill, RefusesCoordinatesBeyondTheSize) {
  EXPECT_EQ(fault_of<Fill>({{0}}, {"2 S0 D", "7 S0 D"}, {{2}, {}}), Fault::kOutOfRange);
}

Stimulus make_fill(Maker& m) {
  const int size = m.below(15);
  if (size > 0) m.choose_coordinates(static_cast<std::uint64_t>(size));
  const Stream outer = m.shape(m.below(3));
  const Stream crd = size > 0 ? m.nest_coordinates(outer) : m.nest(outer, [](Stream&) {});
  Stream in = m.map_any(crd);
  for (int d = 0; d < m.params[Fill::kDepth]; ++d) in = m.nest_any(in);
  return {{crd, in}, {static_cast<std::uint32_t>(size)}, {}};
}

const StimulusOf<Fill> kStimulus{
    {{{0}}, {{1}}, {{2}}, {{3}}},
    {" > out:v", " > out:S", " > out:T", "crd:v in:v > out:v", "crd:v in:N > out:N",
     "crd:v in:S > out:S", "crd:v in:T > out:T", "in:v > out:v", "in:N > out:N", "in:S > out:S",
     "in:T > out:T", "crd:S in:S > out:S", "crd:S in:T > out:T", "crd:T in:T > out:T",
     "crd:D in:D > out:D"},
    make_fill};

}  // namespace
}  // namespace heddle
