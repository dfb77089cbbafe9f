#include <gtest/gtest.h>

#include "compiler/tensor/readers.h"
#include "compiler/tensor/tensor_io.h"
#include "tests/unit/tensor/tensor_cases.h"

namespace heddle {
namespace {

EntryList read(std::string_view text, ValueType type = ValueType::kF32) {
  Diagnostics diag;
  auto list = read_matrix_market("m.mtx", text, type, diag);
  EXPECT_EQ(diag.text(), "") << text;
  if (!list) return {};
  normalize(*list, type);
  return *list;
}

std::string errors(std::string_view text, ValueType type = ValueType::kF32) {
  Diagnostics diag;
  EXPECT_FALSE(read_matrix_market("m.mtx", text, type, diag)) << text;
  EXPECT_TRUE(diag.has_errors());
  return diag.text();
}

/// The first line of what is reported.
std::string error(std::string_view text, ValueType type = ValueType::kF32) {
  const std::string all = errors(text, type);
  return all.substr(0, all.find('\n'));
}

std::string body(std::string_view header, std::string_view text) {
  return "%%MatrixMarket matrix " + std::string(header) + "\n" + std::string(text);
}

std::vector<float> times(const EntryList& matrix, const std::vector<float>& x) {
  std::vector<float> y(matrix.shape[0], 0);
  for (std::size_t n = 0; n < matrix.size(); ++n) {
    y[matrix.entry(n)[0]] += arithmetic::to_float(matrix.vals[n]) * x[matrix.entry(n)[1]];
  }
  return y;
}

TEST(MatrixMarket, MirrorsSkewSymmetricEntriesWithTheSignChanged) {
  const EntryList list = read(body("coordinate real skew-symmetric", "3 3 2\n2 1 2\n3 2 7\n"));
  EXPECT_EQ(list.size(), 4U);
  EXPECT_EQ(times(list, {1, 10, 100}), (std::vector<float>{-20, -698, 70}));
}

TEST(MatrixMarket, MirrorsSymmetricEntriesButNotTheDiagonal) {
  const EntryList list = read(body("coordinate real symmetric", "3 3 3\n1 1 5\n2 1 2\n3 2 7\n"));
  EXPECT_EQ(list.size(), 5U);
  EXPECT_EQ(times(list, {1, 10, 100}), (std::vector<float>{25, 702, 70}));
}

TEST(MatrixMarket, ReadsUntidyText) {
  const EntryList expected = entries({2, 2}, {0, 1, 1, 0}, f32s({7, -1}));
  std::string comments;
  for (int n = 0; n < 300; ++n) comments += "% comment\n";
  const std::string real = "coordinate real general";
  EXPECT_EQ(read(body(real, "2 2 2\n1 2 7\n2 1 -1\n")), expected);
  EXPECT_EQ(read("%%MatrixMarket matrix coordinate real general\r\n%\r\n2 2 2\r\n1 2 7\r\n2 1 "
                 "-1\r\n"),
            expected);
  EXPECT_EQ(read(body(real, "\n \n2 2 2\n\n\t\n  1   2\t7\n\n2 1 -1\n\n")), expected);
  EXPECT_EQ(read("%%MatrixMarket MATRIX Coordinate Real General\n2 2 2\n1 2 7\n2 1 -1\n"),
            expected);
  EXPECT_EQ(read("%%matrixmarket  matrix\tcoordinate double general  \n2 2 2\n1 2 7\n2 1 -1\n"),
            expected);
  EXPECT_EQ(read(body(real, "2 2 2\n1 2 7\n2 1 -1")), expected);
  EXPECT_EQ(read(body(real, comments + "2 2 2\n1 2 7\n% in between\n2 1 -1\n" + comments)),
            expected);
  EXPECT_EQ(read(body("coordinate integer general", "2 2 2\n1 2 +7\n2 1 -1\n")), expected);
  EXPECT_EQ(read(body("coordinate unsigned-integer general", "1 1 1\n1 1 7\n")),
            entries({1, 1}, {0, 0}, f32s({7})));
}

TEST(MatrixMarket, PatternEntriesAreOne) {
  const std::string text = body("coordinate pattern general", "2 2 2\n1 2\n2 1\n");
  EXPECT_EQ(read(text), entries({2, 2}, {0, 1, 1, 0}, f32s({1, 1})));
  EXPECT_EQ(read(text, ValueType::kI32), entries({2, 2}, {0, 1, 1, 0}, {1, 1}));
  EXPECT_EQ(read(body("coordinate pattern symmetric", "2 2 1\n2 1\n")),
            entries({2, 2}, {0, 1, 1, 0}, f32s({1, 1})));
}

TEST(MatrixMarket, AddsDuplicatesAndKeepsStoredZeros) {
  EXPECT_EQ(read(body("coordinate real general", "1 3 3\n1 2 3\n1 1 0\n1 2 4\n")),
            entries({1, 3}, {0, 0, 0, 1}, f32s({0, 7})));
}

TEST(MatrixMarket, ReadsArraysColumnByColumn) {
  EXPECT_EQ(read(body("array real general", "2 3\n1\n2\n3\n4\n0\n6\n")),
            entries({2, 3}, {0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2}, f32s({1, 3, 0, 2, 4, 6})));
  EXPECT_EQ(read(body("array real general", "2 2\n1 2\n3 4\n")),
            entries({2, 2}, {0, 0, 0, 1, 1, 0, 1, 1}, f32s({1, 3, 2, 4})));
  EXPECT_EQ(read(body("array integer symmetric", "2 2\n1\n2\n3\n"), ValueType::kI32),
            entries({2, 2}, {0, 0, 0, 1, 1, 0, 1, 1}, {1, 2, 2, 3}));
  EXPECT_EQ(read(body("array real skew-symmetric", "3 3\n1\n2\n3\n")),
            entries({3, 3}, {0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2, 2, 0, 2, 1, 2, 2},
                    f32s({0, -1, -2, 1, 0, -3, 2, 3, 0})));
}

TEST(MatrixMarket, ReadsEmptyMatrices) {
  EXPECT_EQ(read(body("coordinate real general", "3 4 0\n")), entries({3, 4}, {}, {}));
  EXPECT_EQ(read(body("coordinate real symmetric", "0 0 0")), entries({0, 0}, {}, {}));
  EXPECT_EQ(read(body("array real general", "0 4\n")), entries({0, 4}, {}, {}));
  EXPECT_EQ(read(body("array real general", "4 0\n")), entries({4, 0}, {}, {}));
  EXPECT_EQ(read(body("array real symmetric", "0 0\n")), entries({0, 0}, {}, {}));
  EXPECT_EQ(read(body("array real skew-symmetric", "1 1\n")), entries({1, 1}, {0, 0}, f32s({0})));
}

TEST(MatrixMarket, ReadsTheLargestSizes) {
  EXPECT_EQ(read(body("coordinate real general", "4294967295 1 1\n4294967295 1 2\n")),
            entries({4294967295U, 1}, {4294967294U, 0}, f32s({2})));
}

TEST(MatrixMarket, ShowsTheLineAndTheWord) {
  EXPECT_EQ(errors(body("coordinate real general", "% c\n3 3 1\n 4 1 1.0\n")),
            "m.mtx:4:2: error: the row '4' is not in 1..3 [data-index]\n"
            "   4 1 1.0\n"
            "   ^\n");
}

TEST(MatrixMarket, RefusesBadHeaders) {
  const std::string rest = "\n2 2 0\n";
  EXPECT_EQ(error("%MatrixMarket matrix coordinate real general" + rest),
            "m.mtx:1:1: error: found '%MatrixMarket', but the header must start with "
            "%%MatrixMarket [data-header]");
  EXPECT_EQ(error(""),
            "m.mtx: error: the file is empty, its header must start with %%MatrixMarket "
            "[data-header]");
  EXPECT_EQ(error("2 2 1\n1 1 1\n"),
            "m.mtx:1:1: error: found '2', but the header must start with %%MatrixMarket "
            "[data-header]");
  EXPECT_EQ(error("\n%%MatrixMarket matrix coordinate real general" + rest),
            "m.mtx:1:1: error: found '', but the header must start with %%MatrixMarket "
            "[data-header]");
  EXPECT_EQ(error("%%MatrixMarket vector coordinate real general" + rest),
            "m.mtx:1:16: error: the object 'vector' is not supported, expected 'matrix' "
            "[data-unsupported]");
  EXPECT_EQ(error(body("sparse real general", rest)),
            "m.mtx:1:23: error: 'sparse' is no known layout, expected 'coordinate', 'array' "
            "[data-header]");
  EXPECT_EQ(error(body("coordinate complex general", rest)),
            "m.mtx:1:34: error: the kind of values 'complex' is not supported, expected 'real', "
            "'double', 'integer', 'unsigned-integer', 'pattern' [data-unsupported]");
  EXPECT_EQ(error(body("coordinate real hermitian", rest)),
            "m.mtx:1:39: error: the symmetry 'hermitian' is not supported, expected 'general', "
            "'symmetric', 'skew-symmetric' [data-unsupported]");
  EXPECT_EQ(error(body("coordinate real", rest)),
            "m.mtx:1:38: error: the symmetry is missing, expected 'general', 'symmetric', "
            "'skew-symmetric' [data-header]");
  EXPECT_EQ(error(body("coordinate real general x", rest)),
            "m.mtx:1:47: error: surplus 'x' in the header [data-header]");
  EXPECT_EQ(error(body("array pattern general", rest)),
            "m.mtx:1:29: error: an array cannot have the kind 'pattern' [data-header]");
  EXPECT_EQ(error(body("coordinate pattern skew-symmetric", rest)),
            "m.mtx:1:42: error: a pattern cannot be skew-symmetric: it has no signs [data-header]");
}

TEST(MatrixMarket, RefusesBadSizes) {
  const auto sizes = [](std::string_view text) {
    return error(body("coordinate real general", text));
  };
  EXPECT_EQ(sizes("% only\n"),
            "m.mtx:2:7: error: the file ends before the line with the sizes [data-header]");
  EXPECT_EQ(sizes("3 3\n"),
            "m.mtx:2:4: error: the number of entries is missing in the size line [data-header]");
  EXPECT_EQ(sizes("3 x 1\n"), "m.mtx:2:3: error: 'x' is not a number of columns [data-header]");
  EXPECT_EQ(sizes("-3 3 1\n"), "m.mtx:2:1: error: '-3' is not a number of rows [data-header]");
  EXPECT_EQ(sizes("3 3 1 1\n"), "m.mtx:2:7: error: surplus '1' in the size line [data-header]");
  EXPECT_EQ(sizes("4294967296 3 1\n"),
            "m.mtx:2:1: error: the number of rows '4294967296' is larger than 4294967295 "
            "[data-size]");
  EXPECT_EQ(sizes("3 99999999999999999999999 1\n"),
            "m.mtx:2:3: error: the number of columns '99999999999999999999999' is larger than "
            "4294967295 [data-size]");
  EXPECT_EQ(sizes("3 3 99999999999999999999999\n"),
            "m.mtx:2:5: error: the number of entries '99999999999999999999999' is larger than "
            "18446744073709551615 [data-size]");
  EXPECT_EQ(error(body("coordinate real symmetric", "3 4 0\n")),
            "m.mtx:2:5: error: a symmetric matrix must be square, but this is 3 x 4 "
            "[data-symmetry]");
}

TEST(MatrixMarket, RefusesTooFewAndTooManyEntries) {
  EXPECT_EQ(error(body("coordinate real general", "3 3 4\n1 1 1\n2 2 1\n")),
            "m.mtx:2:5: error: the sizes announce 4 entries, but the file ends after 2 "
            "[data-count]");
  EXPECT_EQ(errors(body("coordinate real general", "3 3 1\n1 1 1\n2 2 1\n")),
            "m.mtx:4:1: error: surplus entry: the sizes announce 1 entries [data-count]\n"
            "  2 2 1\n"
            "  ^\n"
            "m.mtx:2:5: note: announced here\n"
            "  3 3 1\n"
            "      ^\n");
  EXPECT_EQ(error(body("array real general", "2 2\n1\n2\n3\n")),
            "m.mtx:2:3: error: the sizes announce 4 values, but the file ends after 3 "
            "[data-count]");
  EXPECT_EQ(error(body("array real general", "1 1\n1\n2\n")),
            "m.mtx:4:1: error: surplus value: the sizes announce 1 values [data-count]");
  EXPECT_EQ(error(body("array real general", "0 3\n1\n")),
            "m.mtx:3:1: error: surplus value: the sizes announce 0 values [data-count]");
}

TEST(MatrixMarket, ClaimsOfTheHeaderAllocateNothing) {
  EXPECT_EQ(error(body("coordinate real general", "3 3 18446744073709551615\n1 1 1\n")),
            "m.mtx:2:5: error: the sizes announce 18446744073709551615 entries, but the file ends "
            "after 1 [data-count]");
  EXPECT_EQ(error(body("array real skew-symmetric", "4294967295 4294967295\n1\n")),
            "m.mtx:2:12: error: the sizes announce 9223372030412324865 values, but the file ends "
            "after 1 [data-count]");
  EXPECT_EQ(error(body("array real symmetric", "4294967295 4294967295\n1\n")),
            "m.mtx:2:12: error: the sizes announce 9223372034707292160 values, but the file ends "
            "after 1 [data-count]");
}

TEST(MatrixMarket, RefusesBadEntries) {
  const auto entry = [](std::string_view text, ValueType type = ValueType::kF32) {
    return error(body("coordinate real general", "3 4 1\n" + std::string(text) + "\n"), type);
  };
  EXPECT_EQ(entry("0 1 1"),
            "m.mtx:3:1: error: the row is 0, but rows are counted from 1 [data-index]");
  EXPECT_EQ(entry("1 5 1"), "m.mtx:3:3: error: the column '5' is not in 1..4 [data-index]");
  EXPECT_EQ(entry("-1 1 1"), "m.mtx:3:1: error: the row '-1' is not in 1..3 [data-index]");
  EXPECT_EQ(entry("99999999999999999999999 1 1"),
            "m.mtx:3:1: error: the row '99999999999999999999999' is not in 1..3 [data-index]");
  EXPECT_EQ(entry("1.0 1 1"), "m.mtx:3:1: error: '1.0' is not a row number [data-number]");
  EXPECT_EQ(entry("1 1 x"), "m.mtx:3:5: error: 'x' is not a number [data-number]");
  EXPECT_EQ(entry("1 1 1e40"), "m.mtx:3:5: error: '1e40' is too large for f32 [data-number]");
  EXPECT_EQ(entry("1 1"), "m.mtx:3:4: error: the value of the entry is missing [data-line]");
  EXPECT_EQ(entry("1"), "m.mtx:3:2: error: the column of the entry is missing [data-line]");
  EXPECT_EQ(entry("1 1 1 0"), "m.mtx:3:7: error: surplus '0' after the entry [data-line]");
  EXPECT_EQ(entry("1 1 1.5", ValueType::kI32),
            "m.mtx:3:5: error: '1.5' is not a whole number, which i32 needs [data-number]");
  EXPECT_EQ(entry("1 1 2147483648", ValueType::kI32),
            "m.mtx:3:5: error: '2147483648' is too large for i32 [data-number]");
  EXPECT_EQ(error(body("coordinate integer general", "1 1 1\n1 1 1.5\n")),
            "m.mtx:3:5: error: '1.5' is not an integer, which the header announces [data-number]");
  EXPECT_EQ(error(body("array real general", "1 1\nx\n")),
            "m.mtx:3:1: error: 'x' is not a number [data-number]");
  EXPECT_EQ(error(body("coordinate pattern general", "1 1 1\n1 1 1\n")),
            "m.mtx:3:5: error: surplus '1' after the entry [data-line]");
}

TEST(MatrixMarket, RefusesEntriesThatBreakTheSymmetry) {
  EXPECT_EQ(error(body("coordinate real symmetric", "2 2 1\n1 2 1\n")),
            "m.mtx:3:3: error: the entry (1, 2) is above the diagonal, but a symmetric file holds "
            "the lower triangle only [data-symmetry]");
  EXPECT_EQ(error(body("coordinate real skew-symmetric", "2 2 1\n2 2 0\n")),
            "m.mtx:3:3: error: the entry (2, 2) is on the diagonal, which a skew-symmetric file "
            "leaves out [data-symmetry]");
}

TEST(MatrixMarket, WritesTheShortestText) {
  const EntryList list = entries({2, 3}, {0, 0, 0, 2, 1, 1, 1, 2}, f32s({0.1F, -0.0F, 1e10F, 3}));
  const Tensor tensor = pack(list, ValueType::kF32, *TensorFormat::named("csc", 2));
  EXPECT_EQ(to_matrix_market(tensor),
            "%%MatrixMarket matrix coordinate real general\n"
            "2 3 4\n"
            "1 1 0.1\n"
            "1 3 -0\n"
            "2 2 10000000000\n"
            "2 3 3\n");
}

TEST(MatrixMarket, WritesIntegersVectorsAndScalars) {
  const Tensor vector =
      pack(entries({4}, {2}, {i32(-5)}), ValueType::kI32, TensorFormat::compressed(1));
  EXPECT_EQ(to_matrix_market(vector),
            "%%MatrixMarket matrix coordinate integer general\n4 1 1\n3 1 -5\n");
  const Tensor scalar = pack(entries({}, {}, f32s({2})), ValueType::kF32, TensorFormat::dense(0));
  EXPECT_EQ(to_matrix_market(scalar),
            "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n");
}

TEST(MatrixMarket, WhatIsWrittenReadsBack) {
  const EntryList list =
      entries({2, 4294967295U}, {0, 0, 0, 7, 1, 1, 1, 2, 1, 3, 1, 4294967294U},
              {0x00000001, 0x7f7fffff, 0x80000000, 0x7f800000, 0x7fc00000, 0x3eaaaaab});
  EXPECT_EQ(read(to_matrix_market(pack(list, ValueType::kF32, TensorFormat::compressed(2)))), list);
}

}  // namespace
}  // namespace heddle
