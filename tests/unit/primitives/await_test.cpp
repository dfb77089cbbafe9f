#include "compiler/primitives/await.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::fault_of;
using test::outputs;
using test::Texts;

TEST(Await, HoldsBackWhatIsNotComplete) {
  // Rows that nobody asks for are passed over, before and at the end.
  EXPECT_EQ(outputs<Await>({}, {"2 0 N S0 1 S0 S1 D", "0 1 2 3 S0 D"}),
            Texts{"2 0 N S0 1 S0 S1 D"});
  EXPECT_EQ(outputs<Await>({}, {"S0 D", "0 1 S0 D"}), Texts{"S0 D"});
}

TEST(Await, RefusesRowsThatDoNotExist) {
  EXPECT_EQ(fault_of<Await>({}, {"2 S0 D", "0 1 S0 D"}), Fault::kOutOfRange);
}

Stimulus make_await(Maker& m) {
  const int rows = 1 + m.below(12);
  const Stream ref = m.map(
      m.shape(), [&](Token) { return m.maybe(val(static_cast<std::uint32_t>(m.below(rows)))); });
  Stream row;
  for (int r = 0; r < rows; ++r) row.push_back(val(static_cast<std::uint32_t>(r)));
  row.push_back(stop(0));
  row.push_back(done());
  return {{ref, row}, {}, {}};
}

const StimulusOf<Await> kStimulus{
    {{}},
    {"ref:v > out:v", "ref:N > out:N", "ref:S > out:S", "ref:T > out:T", "row:v > ", "row:S > ",
     "ref:v row:v > out:v", "ref:D row:D > out:D"},
    make_await};

}  // namespace
}  // namespace heddle
