#include <gtest/gtest.h>

#include <cmath>

#include "compiler/tensor/tensor_io.h"
#include "tests/unit/tensor/tensor_cases.h"

namespace heddle {
namespace {

TEST(RandomEntries, AreTheSameEverywhere) {
  EXPECT_EQ(random_entries({2, 2}, ValueType::kI32, 1, 1),
            entries({2, 2}, {0, 0, 0, 1, 1, 0, 1, 1}, {3, 0, 1, i32(-2)}));
  EXPECT_EQ(random_entries({100}, ValueType::kF32, 0.05, 7),
            entries({100}, {2, 3, 30, 43, 46, 81},
                    {0x3da97110, 0x3e9afd24, 0x3f259b9c, 0xbf257560, 0x3e6ab240, 0x3f6ba758}));
}

TEST(RandomEntries, DensityOneFillsEveryPosition) {
  for (const Words& shape : {Words{}, {5}, {3, 4}, {2, 3, 4}}) {
    EXPECT_EQ(random_entries(shape, ValueType::kF32, 1, 3).size(), dense_size(shape));
  }
  EXPECT_EQ(random_entries({3, 0}, ValueType::kF32, 1, 3).size(), 0U);
  EXPECT_EQ(random_entries({3, 0}, ValueType::kF32, 0.5, 3).size(), 0U);
  EXPECT_EQ(random_entries({3, 4}, ValueType::kF32, 0, 3).size(), 0U);
}

TEST(RandomEntries, ValuesFillTheirRange) {
  float least = 1;
  float most = -1;
  double sum = 0;
  const EntryList floats = random_entries({100000}, ValueType::kF32, 1, 11);
  for (const std::uint32_t bits : floats.vals) {
    const float value = arithmetic::to_float(bits);
    ASSERT_TRUE(value >= -1 && value < 1);
    least = std::min(least, value);
    most = std::max(most, value);
    sum += value;
  }
  EXPECT_LT(least, -0.999F);
  EXPECT_GT(most, 0.999F);
  EXPECT_LT(std::abs(sum), 1000);  // 5.5 standard deviations
  std::vector<int> seen(16, 0);
  const EntryList integers = random_entries({16000}, ValueType::kI32, 1, 11);
  for (const std::uint32_t bits : integers.vals) ++seen.at(static_cast<std::size_t>(bits + 8));
  for (const int count : seen) EXPECT_NEAR(count, 1000, 200);
}

TEST(RandomEntries, KeepTheDensity) {
  for (const double density : {0.9999, 0.9, 0.5, 0.3, 0.01, 0.0001}) {
    const EntryList list = random_entries({1000, 1000}, ValueType::kF32, density, 42);
    const double deviation = std::sqrt(1e6 * density * (1 - density));
    EXPECT_NEAR(static_cast<double>(list.size()), 1e6 * density, 5 * deviation) << density;
    EntryList sorted = list;
    normalize(sorted, ValueType::kF32);
    EXPECT_EQ(sorted, list) << density;
  }
}

TEST(RandomEntries, PositionsAreIndependent) {
  // Of an entry's right neighbours as many are entries as of all positions.
  const std::uint32_t size = 1000000;
  const EntryList list = random_entries({size}, ValueType::kF32, 0.3, 9);
  int pairs = 0;
  for (std::size_t n = 1; n < list.size(); ++n) pairs += list.crd[n] == list.crd[n - 1] + 1 ? 1 : 0;
  EXPECT_NEAR(pairs, 0.09 * size, 0.001 * size);
}

TEST(RandomEntries, HugeSparseShapesAreQuick) {
  const EntryList list = random_entries({100000, 100000, 10}, ValueType::kF32, 1e-8, 1);
  EXPECT_NEAR(static_cast<double>(list.size()), 1000, 160);
}

TEST(RandomEntries, SeedsDiffer) {
  EXPECT_FALSE(random_entries({10}, ValueType::kF32, 1, 1) ==
               random_entries({10}, ValueType::kF32, 1, 2));
}

}  // namespace
}  // namespace heddle
