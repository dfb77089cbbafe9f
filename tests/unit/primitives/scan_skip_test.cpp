#include "compiler/primitives/scan_skip.h"

#include "testbench/stimulus.h"
#include "tests/unit/primitives/run_block.h"

namespace heddle {
namespace {

using test::outputs;
using test::Texts;

TEST(ScanSkip, JumpsToTheFirstCoordinateThatIsNotLess) {
  const test::Data data{{}, {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}};
  EXPECT_EQ(outputs<ScanSkip>({}, {"0 D", "10 D", "2 7 S0 D"}, data),
            (Texts{"0 2 7 S0 D", "0 2 7 S0 D"}));
}

TEST(ScanSkip, EmitsTheNextGreaterOne) {
  const test::Data data{{}, {{0, 10, 20, 30}}};
  EXPECT_EQ(outputs<ScanSkip>({}, {"0 D", "4 D", "1 11 25 99 D"}, data),
            (Texts{"0 10 20 30 S0 D", "0 1 2 3 S0 D"}));
}

TEST(ScanSkip, EndsTheFiberBeyondItsLastCoordinate) {
  const test::Data data{{}, {{0, 10, 20, 30}}};
  EXPECT_EQ(outputs<ScanSkip>({}, {"0 2 S0 D", "2 4 S0 D", "11 S0 D"}, data),
            (Texts{"0 S0 20 S0 S1 D", "0 S0 2 S0 S1 D"}));
}

TEST(ScanSkip, NeedsNoSkipsForEmptyFibers) {
  const test::Data data{{}, {{0, 10, 20, 30}}};
  EXPECT_EQ(outputs<ScanSkip>({}, {"1 1 S0 S0 S1 D", "1 1 S0 S0 S1 D", "D"}, data),
            (Texts{"S0 S0 S1 S1 S2 D", "S0 S0 S1 S1 S2 D"}));
}

/// Answers of some intersection: each asks for a coordinate beyond the last one, or ends the fiber.
Stimulus make_scan_skip(Maker& m) {
  std::vector<std::uint32_t> crds(kLoadedWords);
  const std::uint32_t origin = m.one_of<std::uint32_t>({0, 0, 0x7fffff80u, 0xfffff000u});
  const int gap = m.one_of<int>({1, 3, 30});
  for (std::uint32_t i = 0, c = origin; i < kLoadedWords; ++i) {
    crds[i] = c;
    c += static_cast<std::uint32_t>(1 + m.below(gap));
  }
  const Stream lo =
      m.map(m.shape(), [&](Token) { return val(static_cast<std::uint32_t>(m.below(40))); });
  const Stream hi = m.map(
      lo, [&](Token t) { return val(t.bits + static_cast<std::uint32_t>(m.fresh_length())); });
  const int jump = 1 + m.below(12);
  Stream skip;
  for (std::size_t f = 0; f < lo.size(); ++f) {
    if (!lo[f].is_val() || lo[f].bits == hi[f].bits) continue;
    for (std::uint32_t at = lo[f].bits; at < hi[f].bits;) {
      if (m.chance(8)) {
        skip.push_back(stop(0));
        break;
      }
      std::uint32_t wanted = crds[at] + 1;
      if (m.chance(50)) wanted += static_cast<std::uint32_t>(m.below(jump * gap));
      skip.push_back(val(wanted));
      while (at < hi[f].bits && crds[at] < wanted) ++at;
    }
  }
  skip.push_back(done());
  return {{lo, hi, skip}, {}, {crds}};
}

const StimulusOf<ScanSkip> kStimulus{
    {{}},
    {" > crd:v pos:v", "skip:v > crd:v pos:v", "lo:v hi:v > crd:S pos:S",
     "lo:v hi:v skip:v > crd:S pos:S", "lo:v hi:v skip:S > crd:S pos:S", "lo:S hi:S > crd:T pos:T",
     "lo:T hi:T > crd:T pos:T", "lo:D hi:D > crd:D pos:D", "skip:D > "},
    make_scan_skip,
    "skip"};

}  // namespace
}  // namespace heddle
