#include <gtest/gtest.h>

#include "compiler/tensor/readers.h"
#include "compiler/tensor/tensor_io.h"
#include "tests/unit/tensor/tensor_cases.h"

namespace heddle {
namespace {

EntryList read(std::string_view text, int rank, const Words& shape = {},
               ValueType type = ValueType::kF32) {
  Diagnostics diag;
  auto list = read_frostt("t.tns", text, type, rank, shape, diag);
  EXPECT_EQ(diag.text(), "") << text;
  if (!list) return {};
  normalize(*list, type);
  return *list;
}

std::string error(std::string_view text, int rank, const Words& shape = {},
                  ValueType type = ValueType::kF32) {
  Diagnostics diag;
  EXPECT_FALSE(read_frostt("t.tns", text, type, rank, shape, diag)) << text;
  const std::string all = diag.text();
  return all.substr(0, all.find('\n'));
}

TEST(Frostt, SizesComeFromTheLargestCoordinates) {
  const EntryList list = read("# c\n1 1 2 1.5\n2 3 1 -2\n\n", 3);
  EXPECT_EQ(list, entries({2, 3, 2}, {0, 0, 1, 1, 2, 0}, f32s({1.5F, -2})));
  // A(i,j) = T(i,j,k) * v(k) with v = (10, 1)
  std::vector<float> a(6, 0);
  const float v[] = {10, 1};
  for (std::size_t n = 0; n < list.size(); ++n) {
    const auto entry = list.entry(n);
    a[entry[0] * 3 + entry[1]] += arithmetic::to_float(list.vals[n]) * v[entry[2]];
  }
  EXPECT_EQ(a, (std::vector<float>{1.5F, 0, 0, 0, 0, -20}));
}

TEST(Frostt, DeclaredSizesWin) {
  const std::string text = "1 1 2 1.5\n2 3 1 -2\n";
  EXPECT_EQ(read(text, 3, {2, 3, 4}).shape, (Words{2, 3, 4}));
  EXPECT_EQ(read(text, 3, {0, 5, 0}).shape, (Words{2, 5, 2}));
  EXPECT_EQ(read(text, 3, {9}).shape, (Words{2, 3, 2}));  // not of the rank: no declaration
}

TEST(Frostt, ReadsUntidyText) {
  EXPECT_EQ(read("\r\n# a\r\n\t2  1 3\r\n  # b\r\n\r\n1 1 4", 2),
            entries({2, 1}, {0, 0, 1, 0}, f32s({4, 3})));
}

TEST(Frostt, AddsDuplicatesAndKeepsZeros) {
  EXPECT_EQ(read("2 1\n1 0\n2 2\n", 1), entries({2}, {0, 1}, f32s({0, 3})));
}

TEST(Frostt, ReadsNothingScalarsAndRankEight) {
  EXPECT_EQ(read("", 2), entries({0, 0}, {}, {}));
  EXPECT_EQ(read("# none\n", 2, {3, 0}), entries({3, 0}, {}, {}));
  EXPECT_EQ(read("7\n", 0), entries({}, {}, f32s({7})));
  EXPECT_EQ(read("", 0), entries({}, {}, {}));
  EXPECT_EQ(read("1 2 1 2 1 2 1 2 5\n", 8),
            entries({1, 2, 1, 2, 1, 2, 1, 2}, {0, 1, 0, 1, 0, 1, 0, 1}, f32s({5})));
  EXPECT_EQ(read("1 -7\n", 1, {}, ValueType::kI32), entries({1}, {0}, {i32(-7)}));
}

TEST(Frostt, RefusesBadCoordinates) {
  EXPECT_EQ(error("1 1 1\n1 0 1\n", 2),
            "t.tns:2:3: error: a coordinate is 0, but they are counted from 1 [data-index]");
  EXPECT_EQ(error("1 3 1\n", 2, {2, 2}),
            "t.tns:1:3: error: the coordinate '3' of mode 1 is not in 1..2 [data-index]");
  EXPECT_EQ(error("4294967296 1 1\n", 2),
            "t.tns:1:1: error: the coordinate '4294967296' of mode 0 is not in 1..4294967295 "
            "[data-index]");
  EXPECT_EQ(error("-1 1 1\n", 2),
            "t.tns:1:1: error: the coordinate '-1' of mode 0 is not in 1..4294967295 [data-index]");
  EXPECT_EQ(error("1.5 1 1\n", 2), "t.tns:1:1: error: '1.5' is not a coordinate [data-number]");
  EXPECT_EQ(error("1 1 x\n", 2), "t.tns:1:5: error: 'x' is not a number [data-number]");
  EXPECT_EQ(error("1 1 0.5\n", 2, {}, ValueType::kI32),
            "t.tns:1:5: error: '0.5' is not a whole number, which i32 needs [data-number]");
}

TEST(Frostt, RefusesRaggedLinesAndOtherRanks) {
  EXPECT_EQ(error("# c\n1 1 1 2\n1 1 2\n", 3),
            "t.tns:3:5: error: found 3 words, but line 2 has 4 [data-line]");
  EXPECT_EQ(error("1 1 1 2\n1 1 1 1 2\n", 3),
            "t.tns:2:9: error: found 5 words, but line 1 has 4 [data-line]");
  EXPECT_EQ(error("1 1 1 2\n", 2),
            "t.tns:1:7: error: the file has rank 3 (the first entry has 4 words), but the tensor "
            "has rank 2 [data-rank]");
  std::string many;
  for (int n = 0; n < 100000; ++n) many += "1 ";
  EXPECT_TRUE(
      error(many, 8).ends_with("the file has rank 99999 (the first entry has 100000 words), "
                               "but the tensor has rank 8 [data-rank]"));
  EXPECT_EQ(error("%%MatrixMarket matrix coordinate real general\n1 1 1\n", 2),
            "t.tns:1:1: error: '%%MatrixMarket' begins a Matrix Market file, whose name should end "
            "in .mtx [data-header]");
}

TEST(Frostt, WhatIsWrittenReadsBack) {
  const EntryList list =
      entries({2, 1, 4294967295U}, {0, 0, 7, 1, 0, 4294967294U}, f32s({0.1F, 0}));
  const std::string text = to_frostt(pack(list, ValueType::kF32, TensorFormat::compressed(3)));
  EXPECT_EQ(text, "1 1 8 0.1\n2 1 4294967295 0\n");
  EXPECT_EQ(read(text, 3), list);
  EXPECT_EQ(to_frostt(pack(entries({}, {}, {7}), ValueType::kI32, TensorFormat::dense(0))), "7\n");
}

}  // namespace
}  // namespace heddle
