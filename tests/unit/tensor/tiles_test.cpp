#include "compiler/tensor/tiles.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

EntryList entries(std::vector<std::uint32_t> shape, std::vector<std::uint32_t> crd,
                  std::vector<std::uint32_t> vals) {
  return {.shape = std::move(shape), .crd = std::move(crd), .vals = std::move(vals)};
}

EntryList there_and_back(const Tensor& tensor, const std::vector<int>& sizes,
                         const TensorFormat& format) {
  Tensor pattern;
  const Tiles tiles = cut(tensor, sizes, format, pattern);
  EXPECT_EQ(broken(pattern), std::nullopt);
  EntryList list = entries_of(tiles, numbered_tiles(pattern), tensor.shape);
  normalize(list, tensor.type);
  return list;
}

using Words = std::vector<std::uint32_t>;

TEST(Tiles, StoreThoseThatHaveAnEntry) {
  // A 3 x 5 matrix in tiles of 2 x 2: two of six have entries, one of them beyond both ends.
  const EntryList list = entries({3, 5}, {0, 1, 1, 0, 2, 4}, {7, 0, 9});
  const Tensor tensor = pack(list, ValueType::kI32, *TensorFormat::named("csr", 2));
  Tensor pattern;
  const Tiles tiles = cut(tensor, {2, 2}, *TensorFormat::named("csr", 2), pattern);
  EXPECT_EQ(pattern.shape, (Words{2, 3}));
  EXPECT_EQ(pattern.levels[1].seg, (Words{0, 1, 2}));
  EXPECT_EQ(pattern.levels[1].crd, (Words{0, 2}));
  EXPECT_EQ(tiles.vals, (std::vector<Words>{{0, 9}, {7, 0}, {0, 0}, {0, 0}}));
  EXPECT_EQ(tiles.bits, (std::vector<Words>{{0b0110, 0b0001}}));  // a stored zero is an entry
}

TEST(Tiles, AreInTheOrderOfTheirFormat) {
  const EntryList list = entries({2, 4}, {0, 0, 0, 3, 1, 2}, {1, 2, 3});
  const Tensor tensor = pack(list, ValueType::kI32, TensorFormat::compressed(2));
  Tensor pattern;
  const Tiles tiles = cut(tensor, {1, 2}, *TensorFormat::named("csc", 2), pattern);
  EXPECT_EQ(pattern.levels[1].crd, (Words{0, 0, 1}));
  EXPECT_EQ(tiles.vals, (std::vector<Words>{{1, 0, 3}, {0, 2, 0}}));
}

TEST(Tiles, AreTheTensorAgain) {
  for (const char* name : {"dense", "csr", "csc", "dcsr"})
    for (const int size : {1, 2, 3, 7, 8})
      for (const char* stored : {"dense", "csr", "csc", "dcsr"}) {
        const EntryList list = entries({5, 7}, {0, 6, 2, 2, 2, 3, 4, 0}, {1, 2, 3, 4});
        const Tensor tensor = pack(list, ValueType::kI32, *TensorFormat::named(name, 2));
        const EntryList again = there_and_back(tensor, {size, 3}, *TensorFormat::named(stored, 2));
        EXPECT_EQ(again.crd, unpack(tensor).crd) << name << " " << stored << " " << size;
        EXPECT_EQ(again.vals, unpack(tensor).vals) << name << " " << stored << " " << size;
      }
}

TEST(Tiles, WithoutBitsHaveAllPlacesWithinTheShape) {
  const Tensor tensor = pack(entries({3}, {1}, {4}), ValueType::kI32, TensorFormat::compressed(1));
  Tensor pattern;
  Tiles tiles = cut(tensor, {2}, TensorFormat::compressed(1), pattern);
  tiles.bits.clear();
  const EntryList all = entries_of(tiles, numbered_tiles(pattern), {3});
  EXPECT_EQ(all.crd, (Words{0, 1}));
  EXPECT_EQ(all.vals, (Words{0, 4}));
}

TEST(Tiles, OfAnEmptyTensorAreNone) {
  const Tensor tensor = pack(entries({0, 3}, {}, {}), ValueType::kI32, TensorFormat::dense(2));
  EXPECT_EQ(there_and_back(tensor, {4, 2}, TensorFormat::dense(2)).size(), 0u);
}

}  // namespace
}  // namespace heddle
