#include "compiler/primitives/scratch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace heddle {
namespace {

class ScratchOfBits : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Some, ScratchOfBits, testing::Values(1, 5, 6, 7, 10, 12, 13));

// Addresses are drawn from a few, so that they are often there already.
TEST_P(ScratchOfBits, IsAMapThatKnowsItsLeastAddress) {
  Scratch scratch;
  scratch.resize(GetParam());
  std::map<std::uint32_t, std::uint64_t> map;
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  const std::uint32_t stride = std::max(1u, scratch.size() / 50);
  for (int n = 0; n < 4000; ++n) {
    const std::uint32_t address =
        static_cast<std::uint32_t>(random()) % scratch.size() / stride * stride;
    if (random() % 100 < static_cast<unsigned>(n / 40)) {
      scratch.erase(address);
      map.erase(address);
    } else {
      const std::uint64_t word = random();
      scratch.put(address, word);
      map[address] = word;
    }
    ASSERT_EQ(scratch.any(), !map.empty());
    if (!map.empty()) {
      ASSERT_EQ(scratch.first(), map.begin()->first);
      ASSERT_EQ(scratch.get(scratch.first()), map.begin()->second);
    }
    ASSERT_EQ(scratch.present(address), map.count(address) == 1);
  }
}

TEST(Scratch, HasNothingBeforeItHasASize) { EXPECT_FALSE(Scratch().any()); }

}  // namespace
}  // namespace heddle
