#include <gtest/gtest.h>

#include <set>

#include "compiler/tensor/tensor.h"
#include "tests/unit/tensor/tensor_cases.h"

namespace heddle {
namespace {

using enum LevelKind;

TEST(TensorFormat, NamesMeanTheirLevels) {
  EXPECT_EQ(TensorFormat::named("dense", 3)->levels, std::vector(3, kDense));
  EXPECT_EQ(TensorFormat::named("coo", 3)->levels, std::vector(3, kCompressed));
  EXPECT_TRUE(TensorFormat::named("coo", 3)->coordinate_list);
  EXPECT_EQ(*TensorFormat::named("csr", 2),
            (TensorFormat{.levels = {kDense, kCompressed}, .order = {0, 1}}));
  EXPECT_EQ(*TensorFormat::named("csc", 2),
            (TensorFormat{.levels = {kDense, kCompressed}, .order = {1, 0}}));
  EXPECT_EQ(*TensorFormat::named("dcsr", 2), TensorFormat::compressed(2));
}

TEST(TensorFormat, MatrixNamesFitRankTwoOnly) {
  for (const int rank : {0, 1, 3, 8}) {
    for (const char* name : {"csr", "csc", "dcsr"}) {
      EXPECT_FALSE(TensorFormat::named(name, rank)) << name << rank;
    }
    EXPECT_TRUE(TensorFormat::named("dense", rank));
    EXPECT_TRUE(TensorFormat::named("coo", rank));
  }
  EXPECT_FALSE(TensorFormat::named("csx", 2));
  EXPECT_FALSE(TensorFormat::named("dense", 9));
  EXPECT_FALSE(TensorFormat::named("dense", -1));
}

TEST(TensorFormat, TextIsANameWhereOneFits) {
  for (const char* name : {"dense", "csr", "csc", "dcsr", "coo"}) {
    EXPECT_EQ(to_text(*TensorFormat::named(name, 2)), name);
  }
  EXPECT_EQ(to_text(TensorFormat::dense(0)), "dense");
  EXPECT_EQ(to_text(TensorFormat::compressed(1)), "{compressed}");
  EXPECT_EQ(to_text({.levels = {kCompressed, kDense}, .order = {0, 1}}), "{compressed, dense}");
  EXPECT_EQ(to_text({.levels = {kDense, kDense}, .order = {1, 0}}), "{dense, dense} order (1, 0)");
}

TEST(TensorFormat, TextsDiffer) {
  std::set<std::string> texts;
  const auto formats = all_formats(3);
  for (const TensorFormat& format : formats) texts.insert(to_text(format));
  EXPECT_EQ(texts.size(), formats.size());
}

}  // namespace
}  // namespace heddle
