#include <gtest/gtest.h>

#include "compiler/tensor/readers.h"
#include "compiler/tensor/tensor_io.h"
#include "tests/unit/tensor/tensor_cases.h"

namespace heddle {
namespace {

std::string bytes(std::initializer_list<unsigned> values) {
  std::string text;
  for (const unsigned value : values) text += static_cast<char>(value);
  return text;
}

std::string npy_of(std::string_view header, std::string_view values, unsigned version = 1) {
  const auto size = static_cast<unsigned>(header.size());
  const std::string length = bytes({size & 0xff, size >> 8});
  return "\x93NUMPY" + bytes({version, 0}) + length + (version == 1 ? "" : bytes({0, 0})) +
         std::string(header) + std::string(values);
}

std::string npy(std::string_view type, std::string_view shape, std::string_view values,
                std::string_view fortran = "False") {
  return npy_of("{'descr': '" + std::string(type) + "', 'fortran_order': " + std::string(fortran) +
                    ", 'shape': " + std::string(shape) + ", }     \n",
                values);
}

EntryList read(std::string_view file, ValueType type = ValueType::kF32) {
  Diagnostics diag;
  auto list = read_npy("a.npy", file, type, diag);
  EXPECT_EQ(diag.text(), "");
  if (!list) return {};
  normalize(*list, type);
  return *list;
}

std::string error(std::string_view file, ValueType type = ValueType::kF32) {
  Diagnostics diag;
  EXPECT_FALSE(read_npy("a.npy", file, type, diag));
  return diag.text();
}

TEST(Npy, ReadsFloatsOfAllWidthsAndBothByteOrders) {
  const EntryList expected = entries({2}, {0, 1}, f32s({1.5F, -2}));
  EXPECT_EQ(read(npy("<f2", "(2,)", bytes({0x00, 0x3e, 0x00, 0xc0}))), expected);
  EXPECT_EQ(read(npy(">f2", "(2,)", bytes({0x3e, 0x00, 0xc0, 0x00}))), expected);
  EXPECT_EQ(read(npy("<f4", "(2,)", bytes({0, 0, 0xc0, 0x3f, 0, 0, 0, 0xc0}))), expected);
  EXPECT_EQ(read(npy(">f4", "(2,)", bytes({0x3f, 0xc0, 0, 0, 0xc0, 0, 0, 0}))), expected);
  EXPECT_EQ(
      read(npy("<f8", "(2,)", bytes({0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0xc0}))),
      expected);
  EXPECT_EQ(
      read(npy(">f8", "(2,)", bytes({0x3f, 0xf8, 0, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0}))),
      expected);
}

TEST(Npy, ReadsIntegersOfAllWidths) {
  const EntryList expected = entries({1}, {0}, {i32(-2)});
  const auto i32_read = [](const std::string& file) { return read(file, ValueType::kI32); };
  EXPECT_EQ(i32_read(npy("|i1", "(1,)", bytes({0xfe}))), expected);
  EXPECT_EQ(i32_read(npy("<i2", "(1,)", bytes({0xfe, 0xff}))), expected);
  EXPECT_EQ(i32_read(npy(">i4", "(1,)", bytes({0xff, 0xff, 0xff, 0xfe}))), expected);
  EXPECT_EQ(i32_read(npy("<i8", "(1,)", bytes({0xfe, 255, 255, 255, 255, 255, 255, 255}))),
            expected);
  EXPECT_EQ(i32_read(npy("|u1", "(1,)", bytes({0xfe}))).vals, (Words{0xfe}));
  EXPECT_EQ(i32_read(npy("<u2", "(1,)", bytes({0xfe, 0xff}))).vals, (Words{0xfffe}));
  EXPECT_EQ(i32_read(npy(">u4", "(1,)", bytes({0x7f, 0xff, 0xff, 0xfe}))).vals,
            (Words{0x7ffffffe}));
  EXPECT_EQ(i32_read(npy("<u8", "(1,)", bytes({3, 0, 0, 0, 0, 0, 0, 0}))).vals, (Words{3}));
  EXPECT_EQ(read(npy(">u8", "(1,)", bytes({255, 255, 255, 255, 255, 255, 255, 255}))).vals,
            f32s({0x1p64F}));
  EXPECT_EQ(read(npy("|b1", "(3,)", bytes({0, 1, 7}))).vals, f32s({0, 1, 1}));
  EXPECT_EQ(read(npy("?", "(1,)", bytes({1}))).vals, f32s({1}));
}

TEST(Npy, ReadsEveryHalf) {
  const auto half = [](unsigned bits) {
    return read(npy("<f2", "()", bytes({bits & 0xff, bits >> 8}))).vals.at(0);
  };
  EXPECT_EQ(half(0x0000), 0U);
  EXPECT_EQ(half(0x8000), 0x80000000U);
  EXPECT_EQ(half(0x0001), f32(0x1p-24F));
  EXPECT_EQ(half(0x03ff), f32(0x1.ff8p-15F));
  EXPECT_EQ(half(0x0400), f32(0x1p-14F));
  EXPECT_EQ(half(0x7bff), f32(65504));
  EXPECT_EQ(half(0xfbff), f32(-65504));
  EXPECT_EQ(half(0x7c00), 0x7f800000U);
  EXPECT_EQ(half(0xfc00), 0xff800000U);
  EXPECT_EQ(half(0xfe01), 0x7fc00000U);
}

TEST(Npy, ReadsCAndFortranOrder) {
  const std::string values = bytes({1, 2, 3, 4, 5, 6});
  const Words crd = {0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2};
  EXPECT_EQ(read(npy("|i1", "(2, 3)", values), ValueType::kI32),
            entries({2, 3}, crd, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(read(npy("|i1", "(2, 3)", values, "True"), ValueType::kI32),
            entries({2, 3}, crd, {1, 3, 5, 2, 4, 6}));
}

TEST(Npy, ReadsScalarsEmptyArraysAndRankEight) {
  EXPECT_EQ(read(npy("|i1", "()", bytes({7}))), entries({}, {}, f32s({7})));
  EXPECT_EQ(read(npy("<f8", "(0,)", "")), entries({0}, {}, {}));
  EXPECT_EQ(read(npy("<f8", "(4294967295, 0, 4294967295, 4294967295)", "")).size(), 0U);
  EXPECT_EQ(read(npy("|u1", "(1, 2, 1, 1, 1, 1, 1, 1)", bytes({1, 2}))).vals, f32s({1, 2}));
}

TEST(Npy, ReadsAllVersionsAndHeaderStyles) {
  const std::string values = bytes({1, 2});
  const EntryList expected = entries({2}, {0, 1}, f32s({1, 2}));
  for (const unsigned version : {1U, 2U, 3U}) {
    EXPECT_EQ(read(npy_of("{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }\n", values,
                          version)),
              expected);
  }
  EXPECT_EQ(read(npy_of("{\"shape\":(2L,),\"fortran_order\":True,\"descr\":\"|u1\"}", values)),
            expected);
}

TEST(Npy, RefusesBadHeaders) {
  const auto header = [](std::string_view text) { return error(npy_of(text, "")); };
  const std::string file = "a.npy: error: ";
  EXPECT_EQ(error("PK"),
            file + "the file does not begin with the magic bytes of .npy [data-header]\n");
  EXPECT_EQ(error(""),
            file + "the file does not begin with the magic bytes of .npy [data-header]\n");
  EXPECT_EQ(error("\x93NUMPY\x01"), file + "the file ends in its header [data-header]\n");
  EXPECT_EQ(error("\x93NUMPY" + bytes({9, 0, 0, 0, 0, 0})),
            file + "version 9 of .npy is not supported, expected 1 to 3 [data-unsupported]\n");
  EXPECT_EQ(error("\x93NUMPY" + bytes({2, 0, 255, 255, 255, 255})),
            file + "the header announces 4294967295 bytes, but 0 follow [data-header]\n");
  EXPECT_EQ(header(""), file + "in the header: expected '{' at 'the end' [data-header]\n");
  EXPECT_EQ(header("{}"), file +
                              "in the header: one of 'descr', 'fortran_order', 'shape' is missing "
                              "[data-header]\n");
  EXPECT_EQ(header("{'x': 1}"),
            file + "in the header: key 'x' is unknown or repeated [data-header]\n");
  EXPECT_EQ(header("{'shape': (1,), 'shape': (1,)}"),
            file + "in the header: key 'shape' is unknown or repeated [data-header]\n");
  EXPECT_EQ(header("{'shape': (-1,)}"),
            file + "in the header: expected a size at '-1,)}' [data-header]\n");
  EXPECT_EQ(header("{'shape': (99999999999999999999,)}"),
            file + "in the header: expected a size at '99999999999999999999,)}' [data-header]\n");
  EXPECT_EQ(header("{'shape': (1"),
            file + "in the header: expected ')' at 'the end' [data-header]\n");
  EXPECT_EQ(header("{'fortran_order': 1}"),
            file + "in the header: expected True or False at '1}' [data-header]\n");
  EXPECT_EQ(header("{'descr"), file +
                                   "in the header: expected a string that ends at ''descr' "
                                   "[data-header]\n");
  EXPECT_EQ(header("{'descr': '<f4', 'fortran_order': False, 'shape': ()} x"),
            file + "in the header: expected the end at 'x' [data-header]\n");
}

TEST(Npy, RefusesOtherTypes) {
  for (const std::string type :
       {"<c8", "|O", "<U5", "<f1", "<i3", "<f16", "|f4", "f4", "", "<V4", "xf4"}) {
    EXPECT_EQ(error(npy(type, "()", "")),
              "a.npy: error: values of type '" + type +
                  "' are not supported, expected f2, f4, f8, i1 to i8, u1 to u8 or b1 "
                  "[data-unsupported]\n");
  }
  EXPECT_EQ(
      error(npy_of("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}", "")),
      "a.npy: error: values of type '('a', '<f4')' are not supported, expected f2, f4, f8, i1 "
      "to i8, u1 to u8 or b1 [data-unsupported]\n");
}

TEST(Npy, RefusesShapesThatDoNotFitTheData) {
  const std::string file = "a.npy: error: ";
  EXPECT_EQ(error(npy("<f4", "(2, 2)", std::string(15, '\0'))),
            file +
                "the header announces 4 values of 4 bytes (2 x 2), but 15 bytes follow "
                "[data-count]\n");
  EXPECT_EQ(error(npy("<f4", "(2, 2)", std::string(17, '\0'))),
            file +
                "the header announces 4 values of 4 bytes (2 x 2), but 17 bytes follow "
                "[data-count]\n");
  EXPECT_EQ(error(npy("<f8", "(4294967295, 4294967295, 4294967295)", "x")),
            file +
                "the header announces 18446744073709551615 values of 8 bytes (4294967295 x "
                "4294967295 x 4294967295), but 1 bytes follow [data-count]\n");
  EXPECT_EQ(error(npy("<f8", "(4294967296,)", "")),
            file + "the size 4294967296 is larger than 4294967295 [data-size]\n");
  EXPECT_EQ(error(npy("|b1", "(1, 1, 1, 1, 1, 1, 1, 1, 1)", "x")),
            file + "the file has rank 9, but at most 8 is supported [data-rank]\n");
}

TEST(Npy, NamesTheValueThatDoesNotFit) {
  EXPECT_EQ(error(npy("<f4", "(1, 2)", bytes({0, 0, 0, 0, 0, 0, 0, 0x3f})), ValueType::kI32),
            "a.npy: error: the value at [0, 1] is not a whole number, which i32 needs "
            "[data-number]\n");
  EXPECT_EQ(error(npy(">f8", "(1,)", bytes({0x7f, 0xe0, 0, 0, 0, 0, 0, 0}))),
            "a.npy: error: the value at [0] is too large for f32 [data-number]\n");
}

TEST(Npy, WritesDenseValuesAlignedToSixtyFourBytes) {
  const EntryList list = entries({2, 2}, {0, 1, 1, 0}, f32s({1, -2}));
  for (const TensorFormat& format : all_formats(2)) {
    const std::string file = to_npy(pack(list, ValueType::kF32, format));
    EXPECT_EQ(file.size(), 128U + 16U);
    EXPECT_EQ(file.substr(0, 10), "\x93NUMPY" + bytes({1, 0, 118, 0}));
    EXPECT_TRUE(file.substr(10).starts_with(
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), } "));
    EXPECT_EQ(file[127], '\n');
    EXPECT_EQ(file.substr(128), bytes({0, 0, 0, 0, 0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0, 0, 0, 0}));
  }
}

TEST(Npy, WhatIsWrittenReadsBack) {
  for (const Words& shape : {Words{}, {3}, {0}, {2, 3}, {2, 0, 3}, {1, 2, 1, 2, 1, 2, 1, 2}}) {
    const EntryList list = random_entries(shape, ValueType::kI32, 1, 5);
    const auto rank = static_cast<int>(shape.size());
    const Tensor tensor = pack(list, ValueType::kI32, TensorFormat::dense(rank));
    EXPECT_EQ(read(to_npy(tensor), ValueType::kI32), list);
  }
}

}  // namespace
}  // namespace heddle
