#include "compiler/primitives/wide_sum.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

namespace heddle {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kLargest = std::numeric_limits<float>::max();
constexpr float kSmallest = std::numeric_limits<float>::denorm_min();

std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }

std::uint32_t sum_bits(const std::vector<float>& terms) {
  WideSum sum;
  for (const float term : terms) sum.add(bits(term));
  return sum.rounded();
}
float sum(const std::vector<float>& terms) { return std::bit_cast<float>(sum_bits(terms)); }

TEST(WideSum, OfOneTermIsThatTerm) {
  // Every exponent and sign, with fractions of all kinds.
  for (std::uint32_t top = 0; top < 512; ++top)
    for (const std::uint32_t fraction : {0u, 1u, 2u, 0x2aaaaau, 0x400000u, 0x7ffffeu, 0x7fffffu}) {
      const std::uint32_t x = top << 23 | fraction;
      ASSERT_EQ(sum_bits({std::bit_cast<float>(x)}), arithmetic::is_nan(x) ? arithmetic::kNan : x);
    }
}

TEST(WideSum, KeepsTheSignOfZeroAsAnAdditionDoes) {
  EXPECT_EQ(sum_bits({-0.0f, -0.0f}), bits(-0.0f));
  EXPECT_EQ(sum_bits({-0.0f, 0.0f, -0.0f}), bits(0.0f));
  EXPECT_EQ(sum_bits({-1.5f, 1.5f}), bits(0.0f));
  EXPECT_EQ(sum_bits({-kSmallest, -0.0f, kSmallest}), bits(0.0f));
}

TEST(WideSum, IsDecidedByInfinitiesAndNaN) {
  EXPECT_EQ(sum({1, kInfinity, -kLargest}), kInfinity);
  EXPECT_EQ(sum({-kInfinity, 1, -kInfinity}), -kInfinity);
  EXPECT_EQ(sum_bits({kInfinity, 1, -kInfinity, 1}), arithmetic::kNan);
  EXPECT_EQ(sum_bits({1, -kNaN, 1}), arithmetic::kNan);
  EXPECT_EQ(sum_bits({kNaN, kInfinity}), arithmetic::kNan);
}

TEST(WideSum, KeepsSubnormalNumbers) {
  EXPECT_EQ(sum({kSmallest, kSmallest, kSmallest}), 3 * kSmallest);
  const float least_normal = std::numeric_limits<float>::min();
  EXPECT_EQ(sum({least_normal, -kSmallest}), least_normal - kSmallest);
  EXPECT_EQ(sum({0x1p-120f, kSmallest, -0x1p-120f}), kSmallest);
}

TEST(WideSum, CancelsExactlyWithinItsWindow) {
  EXPECT_EQ(sum({0x1p20f, 1 + 0x1p-23f, -0x1p20f}), 1 + 0x1p-23f);
  EXPECT_EQ(sum({1e30f, 1, -1e30f}), 0);  // far below the window
  EXPECT_EQ(sum({1e30f, -1, -1e30f}), 0);
  EXPECT_EQ(sum({1, 1e30f, -1e30f}), 0);
}

TEST(WideSum, OverflowsOnlyAtItsEnd) {
  EXPECT_EQ(sum({kLargest, kLargest}), kInfinity);
  EXPECT_EQ(sum({-kLargest, -kLargest}), -kInfinity);
  EXPECT_EQ(sum({kLargest, kLargest, -kLargest}), kLargest);
  // The next number after the largest would be 2^128; the sum is halfway and rounds to even.
  EXPECT_EQ(sum({kLargest, 0x1p103f}), kInfinity);
  EXPECT_EQ(sum({kLargest, 0x1.fffffep102f}), kLargest);
}

TEST(WideSum, RoundsToNearestEvenOnce) {
  EXPECT_EQ(sum({0x1p24f, 1}), 0x1p24f);
  EXPECT_EQ(sum({0x1p24f, 1, 0x1p-20f}), 0x1p24f + 2);
  EXPECT_EQ(sum({0x1p24f, 1, -0x1p-20f}), 0x1p24f);
  EXPECT_EQ(sum({0x1p24f, 3}), 0x1p24f + 4);
  // One addition after the other would lose every 1.
  EXPECT_EQ(sum({0x1p24f, 1, 1, 1, 1}), 0x1p24f + 4);
}

TEST(WideSum, GrowsBeyondTheBucketOfItsTerms) {
  for (const float term : {1.0f, -3.75f, 0x1.fffffep0f, -0x1.fffffep7f, 0x1p-140f}) {
    WideSum sum;
    constexpr int kTerms = 1 << 20;
    for (int n = 0; n < kTerms; ++n) sum.add(bits(term));
    // Few digits are exact; others lose less than the header says.
    const double exact = static_cast<double>(term) * kTerms;
    const double got = std::bit_cast<float>(sum.rounded());
    EXPECT_LE(std::abs(got - exact), std::abs(exact) * (kTerms * 0x1p-42 + 0x1p-24)) << term;
    for (int n = 0; n < kTerms; ++n) sum.add(bits(-term));
    EXPECT_LE(std::abs(std::bit_cast<float>(sum.rounded())), 2 * std::abs(exact) * kTerms * 0x1p-41)
        << term;
  }
}

/// Terms whose exponents are spread over so many, with their sum in long double, exact for few.
struct Terms {
  Terms(std::mt19937_64& random, int count, int spread) {
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    const int least = below(255 - spread);
    for (int n = 0; n < count; ++n) {
      const auto exponent = static_cast<std::uint32_t>(least + below(spread + 1));
      const auto rest = static_cast<std::uint32_t>(random()) & 0x807fffffu;
      values.push_back(std::bit_cast<float>(rest | exponent << 23));
      exact += static_cast<long double>(values.back());
      magnitude += std::abs(static_cast<long double>(values.back()));
    }
  }
  std::vector<float> values;
  long double exact = 0;
  long double magnitude = 0;
};

TEST(WideSum, RoundsTheExactSumOfTermsThatAreNear) {
  std::mt19937_64 random(1);
  for (int run = 0; run < 20000; ++run) {
    // Three terms of 24 digits over 20 binary places need 46 of the 64 of a long double.
    const Terms terms(random, 1 + run % 3, static_cast<int>(random() % 21));
    ASSERT_EQ(sum(terms.values), static_cast<float>(terms.exact)) << "run " << run;
  }
}

TEST(WideSum, IsAsNearTheExactSumAsItSays) {
  std::mt19937_64 random(2);
  for (int run = 0; run < 3000; ++run) {
    const int count = 1 + static_cast<int>(random() % 200);
    const Terms terms(random, count, static_cast<int>(random() % 100));
    const long double got = static_cast<long double>(sum(terms.values));
    if (std::isinf(got)) continue;
    // The last is what the long double itself may lose.
    const long double bound = terms.magnitude * count * (0x1p-42L + 0x1p-63L) +
                              std::abs(terms.exact) * 0x1p-24L + 0x1p-150L;
    ASSERT_LE(std::abs(got - terms.exact), bound) << "run " << run;
  }
}

TEST(WideSum, GoesOnFromItsWord) {
  std::mt19937_64 random(3);
  WideSum whole;
  std::uint64_t word = WideSum().word();
  for (const float term : Terms(random, 1000, 60).values) {
    whole.add(bits(term));
    WideSum part(word);
    part.add(bits(term));
    word = part.word();
  }
  EXPECT_EQ(WideSum(word).rounded(), whole.rounded());
  EXPECT_EQ(word, whole.word());
}

}  // namespace
}  // namespace heddle
