#include <gtest/gtest.h>

#include <bit>
#include <filesystem>
#include <fstream>

#include "compiler/frontend/parse.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

class BindData : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / "heddle_bind_data_test" / info->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }

  void matrix(const std::string& name, const std::string& sizes_and_entries) const {
    write(name, "%%MatrixMarket matrix coordinate real general\n" + sizes_and_entries);
  }

  bool bind(const std::string& model, const DataOptions& options = {}) {
    diag_ = {};
    auto program = parse_model(diag_.sources().add((folder_ / "m.ein").string(), model), diag_);
    if (!program) return false;
    program_ = std::move(*program);
    auto data = bind_data(program_, options, diag_);
    if (data) data_ = std::move(*data);
    return data.has_value();
  }

  std::uint32_t size(const std::string& name) const {
    for (const Size& s : program_.sizes) {
      if (s.name == name) return s.value.value_or(0);
    }
    return 0;
  }

  std::string first_message() const { return diag_.all().empty() ? "" : diag_.all()[0].message; }

  fs::path folder_;
  Diagnostics diag_;
  EinsumProgram program_;
  std::map<TensorId, EntryList> data_;
};

TEST_F(BindData, FindsFilesBesideTheModel) {
  matrix("a.mtx", "3 4 2\n1 2 5\n3 4 6\n");
  ASSERT_TRUE(bind("tensor A[m, n]: csr = file(\"a.mtx\")\ny[i] = A[i, j]")) << diag_.text();
  EXPECT_EQ(size("m"), 3U);
  EXPECT_EQ(size("n"), 4U);
  EXPECT_EQ(data_.at(TensorId{0}).size(), 2U);
}

TEST_F(BindData, PrefersDataFromTheCommandLine) {
  matrix("b.mtx", "2 2 1\n1 2 5\n");
  DataOptions options;
  options.files["A"] = (folder_ / "b.mtx").string();
  ASSERT_TRUE(bind("tensor A[m, n]: csr = file(\"nowhere.mtx\")\ny[i] = A[i, j]", options))
      << diag_.text();
  EXPECT_EQ(size("m"), 2U);
}

TEST_F(BindData, LetsTheCommandLineReplaceASizeOfTheModel) {
  DataOptions options;
  options.sizes["n"] = 7;
  ASSERT_TRUE(bind("tensor x[n]: dense = constant(2)\nsize n = 3\ny[i] = x[i]", options));
  const EntryList& list = data_.begin()->second;
  ASSERT_EQ(list.size(), 7U);
  EXPECT_EQ(list.vals[6], std::bit_cast<std::uint32_t>(2.0F));
  EXPECT_EQ(list.crd[6], 6U);
}

TEST_F(BindData, MakesConstantsInOrder) {
  ASSERT_TRUE(
      bind("tensor A[2, 3]: i32 = constant(-5)\ntensor s[] = constant(1)\n"
           "y[i, j] = A[i, j]\nz[] = s[]"));
  const EntryList& list = data_.at(TensorId{0});
  EXPECT_EQ(list.crd, (std::vector<std::uint32_t>{0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2}));
  EXPECT_EQ(list.vals[0], static_cast<std::uint32_t>(-5));
  EXPECT_EQ(data_.at(TensorId{1}).size(), 1U);
  EXPECT_EQ(*program_.tensors[0].format, TensorFormat::dense(2));
}

TEST_F(BindData, TakesSizesOverTheLargestCoordinate) {
  write("t.tns", "1 1 2 1.5\n2 3 1 -2\n");
  const std::string model =
      "y[i, j] = T[i, j, k] * v[k]\ntensor T[a, b, c]: coo = file(\"t.tns\")\n";
  ASSERT_TRUE(bind(model + "tensor v[d]: dense = constant(1)\nsize a = 2, b = 3, d = 4"))
      << diag_.text();
  EXPECT_EQ(data_.at(TensorId{0}).shape, (std::vector<std::uint32_t>{2, 3, 4}));
  EXPECT_EQ(size("c"), 4U);  // through the index k
}

TEST_F(BindData, FormatsOfOptionsGoFirst) {
  DataOptions options;
  options.formats = {{"A", "csc"}, {"x", "coo"}, {"y", "dense"}};
  ASSERT_TRUE(
      bind("tensor A[m, n]: f32 dense = constant(1)\ntensor x[n] = constant(1)\n"
           "size m = 2, n = 3\ny[i] = A[i, j] * x[j]",
           options))
      << diag_.text();
  EXPECT_EQ(to_text(*program_.tensors[0].format), "csc");
  EXPECT_EQ(to_text(*program_.tensors[1].format), "coo");
  EXPECT_EQ(to_text(*program_.tensors[2].format), "dense");
}

TEST_F(BindData, InfersFormatsFromTheData) {
  matrix("a.mtx", "2 2 1\n1 2 5\n");
  ASSERT_TRUE(
      bind("tensor A[n, n] = file(\"a.mtx\")\ntensor x[n] = random(seed: 1)\n"
           "tensor v[n] = random(density: 0)\ny[i] = A[i, j] * x[j] * v[j]"));
  EXPECT_EQ(to_text(*program_.tensors[0].format), "csr");
  EXPECT_EQ(*program_.tensors[1].format, TensorFormat::dense(1));
  EXPECT_EQ(*program_.tensors[2].format, TensorFormat::compressed(1));
}

TEST_F(BindData, NamesBothPlacesOfAClash) {
  matrix("a.mtx", "3 4 1\n1 2 5\n");
  matrix("x.mtx", "3 1 1\n1 1 5\n");
  EXPECT_FALSE(
      bind("tensor A[m, n]: csr = file(\"a.mtx\")\ntensor x[p]: dense = "
           "file(\"x.mtx\")\ny[i] = A[i, j] * x[j]"));
  EXPECT_EQ(first_message(),
            "index 'j' has two sizes: mode 1 of 'A' (a.mtx) and mode 0 of 'x' (x.mtx) (4 vs 3)");
  EXPECT_FALSE(bind("tensor A[m, 5]: csr = file(\"a.mtx\")\ny[i] = A[i, j]"));
  EXPECT_EQ(first_message(), "size '5' is 4 in mode 1 of 'A' (a.mtx), but 5 by the number 5");
  EXPECT_FALSE(bind("tensor A[m, n]: csr = file(\"a.mtx\")\nsize n = 5\ny[i] = A[i, j]"));
  EXPECT_EQ(first_message(), "size 'n' is 4 in mode 1 of 'A' (a.mtx), but 5 by size n = 5");
}

TEST_F(BindData, RefusesUnknownNames) {
  DataOptions options;
  options.files["M"] = "m.mtx";
  options.sizes["q"] = 1;
  EXPECT_FALSE(bind("tensor x[n] = constant(1)\nsize n = 2\ny[i] = x[i]", options));
  EXPECT_EQ(diag_.all().size(), 2U);
  EXPECT_EQ(diag_.all()[0].message, "the model has no size 'q'; known are n");
  EXPECT_EQ(diag_.all()[1].message, "the model has no tensor 'M'; known are x");
}

TEST_F(BindData, RefusesMoreThanMemoryHolds) {
  EXPECT_FALSE(bind("tensor x[n, n] = constant(1)\nsize n = 4294967295\ny[i] = x[i, j]"));
  EXPECT_FALSE(
      bind("tensor x[n, n]: dense = random(density: 0)\nsize n = 4294967295\n"
           "y[i] = x[i, j]"));
  EXPECT_FALSE(
      bind("tensor x[n]: dcsr\ntensor y[n, n] = random(density: 0)\n"
           "size n = 4294967295\nz[i, j] = y[i, j]"));
}

TEST_F(BindData, AcceptsASizeOfZero) {
  ASSERT_TRUE(bind("tensor x[n] = constant(1)\nsize n = 0\ny[i] = x[i]")) << diag_.text();
  EXPECT_EQ(data_.at(TensorId{0}).size(), 0U);
}

}  // namespace
}  // namespace heddle
