#include "compiler/tensor/tensor.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/tensor/tensor_cases.h"

namespace heddle {
namespace {

using enum LevelKind;
constexpr std::uint32_t kMax = std::numeric_limits<std::uint32_t>::max();

// | 1 . . 2 |
// | . . . . |
// | . 0 3 . |   with a stored zero
EntryList matrix() { return entries({3, 4}, {0, 0, 0, 3, 2, 1, 2, 2}, f32s({1, 2, 0, 3})); }

/// Some entries of the shape, one of them a stored zero; none if the shape is empty.
EntryList some_entries(const Words& shape) {
  EntryList list{.shape = shape, .crd = {}, .vals = {}};
  for (std::uint64_t n = 0; n < dense_size(shape); ++n) {
    if (n * 7 % 5 > 1) continue;
    Words entry(shape.size());
    std::uint64_t rest = n;
    for (std::size_t m = shape.size(); m-- > 0; rest /= shape[m]) {
      entry[m] = static_cast<std::uint32_t>(rest % shape[m]);
    }
    list.crd.insert(list.crd.end(), entry.begin(), entry.end());
    list.vals.push_back(n == 3 ? 0 : f32(static_cast<float>(n) + 0.5F));
  }
  return list;
}

EntryList without_zeros(const EntryList& list) {
  EntryList out{.shape = list.shape, .crd = {}, .vals = {}};
  for (std::size_t n = 0; n < list.size(); ++n) {
    if (list.vals[n] == 0) continue;
    const auto entry = list.entry(n);
    out.crd.insert(out.crd.end(), entry.begin(), entry.end());
    out.vals.push_back(list.vals[n]);
  }
  return out;
}

TEST(Tensor, NormalizeSortsAndAddsDuplicates) {
  EntryList list = entries({2, 3}, {1, 2, 0, 1, 1, 2, 0, 0}, f32s({1, 2, 4, 8}));
  normalize(list, ValueType::kF32);
  EXPECT_EQ(list, entries({2, 3}, {0, 0, 0, 1, 1, 2}, f32s({8, 2, 5})));
}

TEST(Tensor, NormalizeAddsInTheOrderGivenByTheTypesOwnAddition) {
  EntryList list = entries({1}, {0, 0, 0}, f32s({1e8F, 1, -1e8F}));
  normalize(list, ValueType::kF32);
  EXPECT_EQ(list, entries({1}, {0}, f32s({0})));
  list = entries({1}, {0, 0}, {i32(2147483647), i32(1)});
  normalize(list, ValueType::kI32);
  EXPECT_EQ(list, entries({1}, {0}, {0x80000000U}));
}

TEST(Tensor, NormalizeSortsShapesWhosePositionsPassSixtyFourBits) {
  EntryList list = entries({kMax, kMax, kMax}, {5, 0, 1, 4, kMax - 1, 0, 5, 0, 1}, f32s({1, 2, 4}));
  normalize(list, ValueType::kF32);
  EXPECT_EQ(list, entries({kMax, kMax, kMax}, {4, kMax - 1, 0, 5, 0, 1}, f32s({2, 5})));
}

TEST(Tensor, NormalizeAddsUpAScalar) {
  EntryList list = entries({}, {}, f32s({1, 2, 3}));
  normalize(list, ValueType::kF32);
  EXPECT_EQ(list, entries({}, {}, f32s({6})));
}

TEST(Tensor, PacksCsr) {
  const Tensor tensor = pack(matrix(), ValueType::kF32, *TensorFormat::named("csr", 2));
  EXPECT_EQ(broken(tensor), std::nullopt);
  EXPECT_EQ(tensor.levels[0].size, 3U);
  EXPECT_EQ(tensor.levels[1].size, 4U);
  EXPECT_EQ(tensor.levels[1].seg, (Words{0, 2, 2, 4}));
  EXPECT_EQ(tensor.levels[1].crd, (Words{0, 3, 1, 2}));
  EXPECT_EQ(tensor.vals, f32s({1, 2, 0, 3}));
}

TEST(Tensor, PacksCsc) {
  const Tensor tensor = pack(matrix(), ValueType::kF32, *TensorFormat::named("csc", 2));
  EXPECT_EQ(broken(tensor), std::nullopt);
  EXPECT_EQ(tensor.levels[0].size, 4U);
  EXPECT_EQ(tensor.levels[1].seg, (Words{0, 1, 2, 3, 4}));
  EXPECT_EQ(tensor.levels[1].crd, (Words{0, 2, 2, 0}));
  EXPECT_EQ(tensor.vals, f32s({1, 0, 3, 2}));
}

TEST(Tensor, PacksDcsr) {
  const Tensor tensor = pack(matrix(), ValueType::kF32, *TensorFormat::named("dcsr", 2));
  EXPECT_EQ(broken(tensor), std::nullopt);
  EXPECT_EQ(tensor.levels[0].seg, (Words{0, 2}));
  EXPECT_EQ(tensor.levels[0].crd, (Words{0, 2}));
  EXPECT_EQ(tensor.levels[1].seg, (Words{0, 2, 4}));
  EXPECT_EQ(tensor.levels[1].crd, (Words{0, 3, 1, 2}));
}

TEST(Tensor, PacksDenseRowsOfACompressedMode) {
  const Tensor tensor =
      pack(matrix(), ValueType::kF32, {.levels = {kCompressed, kDense}, .order = {0, 1}});
  EXPECT_EQ(broken(tensor), std::nullopt);
  EXPECT_EQ(tensor.levels[0].crd, (Words{0, 2}));
  EXPECT_EQ(tensor.vals, f32s({1, 0, 0, 2, 0, 0, 3, 0}));
}

TEST(Tensor, RoundTripsAllFormats) {
  const std::vector<Words> shapes = {{},     {1},    {7},       {0},       {3, 4},    {5, 1},
                                     {0, 3}, {3, 0}, {2, 3, 4}, {3, 0, 2}, {0, 0, 0}, {1, 1, 1}};
  for (const Words& shape : shapes) {
    for (const EntryList& list :
         {some_entries(shape), EntryList{.shape = shape, .crd = {}, .vals = {}}}) {
      for (const TensorFormat& from : all_formats(list.rank())) {
        const Tensor tensor = pack(list, ValueType::kF32, from);
        ASSERT_EQ(broken(tensor), std::nullopt) << to_text(from);
        const bool fills = from.rank() > 0 && from.levels.back() == kDense;
        if (!fills && from.rank() > 0) {
          EXPECT_EQ(unpack(tensor), list) << to_text(from);
        }
        for (const TensorFormat& to : all_formats(list.rank())) {
          const Tensor converted = convert(tensor, to);
          ASSERT_EQ(broken(converted), std::nullopt) << to_text(from) << to_text(to);
          ASSERT_EQ(converted.format, to);
          const Tensor expected =
              from == to ? tensor : pack(fills ? without_zeros(list) : list, ValueType::kF32, to);
          EXPECT_EQ(unpack(converted), unpack(expected)) << to_text(from) << " to " << to_text(to);
          for (std::size_t l = 0; l < expected.levels.size(); ++l) {
            EXPECT_EQ(converted.levels[l].seg, expected.levels[l].seg);
            EXPECT_EQ(converted.levels[l].crd, expected.levels[l].crd);
          }
        }
      }
    }
  }
}

TEST(Tensor, DenseZerosAreDroppedStoredZerosKept) {
  const auto csr = *TensorFormat::named("csr", 2);
  const auto dcsr = *TensorFormat::named("dcsr", 2);
  const Tensor stored = pack(matrix(), ValueType::kF32, csr);
  EXPECT_EQ(unpack(convert(stored, dcsr)), matrix());
  EXPECT_EQ(unpack(convert(convert(stored, TensorFormat::dense(2)), dcsr)),
            entries({3, 4}, {0, 0, 0, 3, 2, 2}, f32s({1, 2, 3})));
}

TEST(Tensor, ANegativeZeroIsAZeroButTheSmallestIntegerIsNot) {
  const EntryList list = entries({3}, {0, 1, 2}, {0x80000000U, 0, 1});
  const auto to = TensorFormat::compressed(1);
  const Tensor floats = pack(list, ValueType::kF32, TensorFormat::dense(1));
  EXPECT_EQ(convert(floats, to).levels[0].crd, (Words{2}));
  const Tensor integers = pack(list, ValueType::kI32, TensorFormat::dense(1));
  EXPECT_EQ(convert(integers, to).levels[0].crd, (Words{0, 2}));
}

TEST(Tensor, AScalarHasOnePosition) {
  const EntryList nothing = entries({}, {}, {});
  const Tensor zero = pack(nothing, ValueType::kF32, TensorFormat::dense(0));
  EXPECT_EQ(broken(zero), std::nullopt);
  EXPECT_EQ(zero.vals, (Words{0}));
  const Tensor one = pack(entries({}, {}, f32s({7})), ValueType::kF32, TensorFormat::dense(0));
  EXPECT_EQ(unpack(one), entries({}, {}, f32s({7})));
}

TEST(Tensor, RankEightRoundTrips) {
  const EntryList list = some_entries({2, 1, 3, 2, 1, 2, 2, 2});
  TensorFormat format = TensorFormat::compressed(8);
  format.order = {7, 2, 0, 5, 1, 6, 3, 4};
  for (const std::size_t dense_level : {0U, 3U, 6U}) format.levels[dense_level] = kDense;
  const Tensor tensor = pack(list, ValueType::kF32, format);
  EXPECT_EQ(broken(tensor), std::nullopt);
  EXPECT_EQ(unpack(tensor), list);
  EXPECT_EQ(unpack(convert(tensor, TensorFormat::compressed(8))), list);
}

TEST(Tensor, HugeSizesNeedNoMemoryWhenCompressed) {
  const EntryList list = entries({kMax, kMax}, {kMax - 1, kMax - 1}, f32s({1}));
  EXPECT_EQ(unpack(pack(list, ValueType::kF32, TensorFormat::compressed(2))), list);
}

TEST(Tensor, SizesSaturate) {
  EXPECT_EQ(dense_size(Words{}), 1U);
  EXPECT_EQ(dense_size(Words{3, 4}), 12U);
  EXPECT_EQ(dense_size(Words{kMax, kMax, kMax}), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(dense_size(Words{kMax, kMax, kMax, 0}), 0U);
  EXPECT_EQ(list_words(Words{3, 4}, 5), 15U);
}

TEST(Tensor, StorageWordsBoundWhatIsStored) {
  for (const TensorFormat& format : all_formats(3)) {
    const EntryList list = some_entries({4, 3, 2});
    const Tensor tensor = pack(list, ValueType::kF32, format);
    std::size_t words = tensor.vals.size();
    for (const Level& level : tensor.levels) words += level.seg.size() + level.crd.size();
    EXPECT_LE(words, storage_words(list.shape, list.size(), format)) << to_text(format);
  }
  EXPECT_GT(storage_words(Words{kMax, 2}, 1, *TensorFormat::named("csr", 2)), kMaxWords);
  EXPECT_LT(storage_words(Words{kMax, 2}, 1, TensorFormat::compressed(2)), 10U);
}

TEST(Tensor, BrokenNamesWhatIsWrong) {
  const Tensor good = pack(matrix(), ValueType::kF32, *TensorFormat::named("csr", 2));
  const auto after = [&](auto&& change) {
    Tensor bad = good;
    change(bad);
    return broken(bad).value_or("nothing");
  };
  EXPECT_EQ(after([](Tensor& t) { t.vals.pop_back(); }), "3 values for 4 positions");
  EXPECT_EQ(after([](Tensor& t) { t.levels[1].seg.pop_back(); }),
            "level 1 has 3 segment words, expected 4");
  EXPECT_EQ(after([](Tensor& t) {
              t.levels[1].seg = {0, 2, 1, 4};
            }),
            "level 1 has segments that go back");
  EXPECT_EQ(after([](Tensor& t) { t.levels[1].seg[3] = 5; }),
            "level 1 ends at segment 5 but has 4 coordinates");
  EXPECT_EQ(after([](Tensor& t) { t.levels[1].seg[0] = 1; }), "level 1 starts at segment 1");
  EXPECT_EQ(after([](Tensor& t) { t.levels[1].crd[3] = 4; }),
            "level 1 has coordinate 4 but size 4");
  EXPECT_EQ(after([](Tensor& t) { t.levels[1].crd[1] = 0; }),
            "level 1 has coordinate 0 before 0 in segment 0");
  EXPECT_EQ(after([](Tensor& t) { t.levels[0].size = 4; }),
            "level 0 has size 4 but its mode has 3");
  EXPECT_EQ(after([](Tensor& t) { t.levels[0].kind = kCompressed; }),
            "level 0 is not of its format's kind");
  EXPECT_EQ(after([](Tensor& t) { t.levels[0].crd = {1}; }),
            "level 0 is dense but has segments or coordinates");
  EXPECT_EQ(after([](Tensor& t) {
              t.format.order = {0, 0};
            }),
            "the order is no permutation of the modes");
  EXPECT_EQ(after([](Tensor& t) { t.shape = {3}; }),
            "1 sizes, 2 levels and an order of 2 for a format of rank 2");
}

TEST(TensorDeathTest, PackRefusesWhatIsNotNormalized) {
  const EntryList list = entries({2}, {1, 0}, {1, 2});
  EXPECT_DEATH(pack(list, ValueType::kI32, TensorFormat::dense(1)), "not normalized");
  EXPECT_DEATH(pack(entries({2}, {2}, {1}), ValueType::kI32, TensorFormat::dense(1)), "outside");
}

}  // namespace
}  // namespace heddle
