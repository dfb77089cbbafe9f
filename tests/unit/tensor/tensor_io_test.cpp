#include "compiler/tensor/tensor_io.h"

#include <gtest/gtest.h>

#include "compiler/tensor/readers.h"
#include "tests/unit/tensor/file_cases.h"
#include "tests/unit/tensor/tensor_cases.h"

namespace heddle {
namespace {

constexpr const char* kReal = "%%MatrixMarket matrix coordinate real general\n";

struct Result {
  std::optional<EntryList> list;
  std::string text;
};

Result read(const std::filesystem::path& path, int rank, ValueType type = ValueType::kF32) {
  Diagnostics diag;
  Result result{.list = read_tensor(path, type, rank, {}, SourceRange{}, diag),
                .text = diag.text()};
  EXPECT_NE(result.list.has_value(), diag.has_errors());
  if (!result.list) result.text = result.text.substr(path.string().size());
  return result;
}

TEST(TensorIo, TheNameTellsTheKind) {
  const TestDirectory dir;
  const EntryList expected = entries({2, 2}, {1, 1}, f32s({5}));
  const std::string mtx = std::string(kReal) + "2 2 1\n2 2 5\n";
  const Tensor tensor = pack(expected, ValueType::kF32, TensorFormat::compressed(2));
  for (const char* name : {"a.mtx", "A.MTX", "a.b.mtx"}) {
    EXPECT_EQ(read(dir.write(name, mtx), 2).list, expected) << name;
  }
  EXPECT_EQ(read(dir.write("a.mtx.gz", gzip(mtx)), 2).list, expected);
  EXPECT_EQ(read(dir.write("a.tns", to_frostt(tensor)), 2).list, expected);
  EXPECT_EQ(read(dir.write("a.tns.gz", gzip(to_frostt(tensor))), 2).list, expected);
  EXPECT_EQ(read(dir.write("a.npy", to_npy(tensor)), 2).list->size(), 4U);
  EXPECT_EQ(read(dir.write("a.npy.GZ", gzip(to_npy(tensor))), 2).list->size(), 4U);
}

TEST(TensorIo, UnknownNamesListTheKnownOnes) {
  for (const char* name : {"a.csv", "mtx", "a.gz", "a", "a.mtx.bz2"}) {
    EXPECT_EQ(read(name, 2).text,
              ": error: the name of a data file must end in .mtx (Matrix Market), .tns (FROSTT) or "
              ".npy (NumPy), or in one of these and .gz [data-kind]\n");
  }
}

TEST(TensorIo, AMissingFileIsNamedWithItsUse) {
  Diagnostics diag;
  const auto file = diag.sources().add("m.ein", "tensor A[n]: f32 dense = file(\"none.mtx\")\n");
  EXPECT_FALSE(read_tensor("none.mtx", ValueType::kF32, 1, {}, SourceRange{file, 30, 40}, diag));
  EXPECT_EQ(diag.text(),
            "none.mtx: error: the file cannot be opened: No such file or directory [data-open]\n"
            "m.ein:1:31: note: the file is named here\n"
            "  tensor A[n]: f32 dense = file(\"none.mtx\")\n"
            "                                ^~~~~~~~~~\n");
}

TEST(TensorIo, MatricesOfOneRowOrColumnServeAsVectors) {
  const TestDirectory dir;
  const auto matrix = [&](std::string_view text) {
    return dir.write("a.mtx", std::string(kReal) + std::string(text));
  };
  const EntryList vector = entries({3}, {0, 2}, f32s({4, 5}));
  EXPECT_EQ(read(matrix("3 1 2\n3 1 5\n1 1 4\n"), 1).list, vector);
  EXPECT_EQ(read(matrix("1 3 2\n1 3 5\n1 1 4\n"), 1).list, vector);
  EXPECT_EQ(read(matrix("1 1 1\n1 1 5\n"), 1).list, entries({1}, {0}, f32s({5})));
  EXPECT_EQ(read(matrix("0 1 0\n"), 1).list, entries({0}, {}, {}));
  EXPECT_EQ(read(matrix("1 1 1\n1 1 5\n"), 0).list, entries({}, {}, f32s({5})));
  EXPECT_EQ(read(matrix("1 1 2\n1 1 5\n1 1 2\n"), 0).list, entries({}, {}, f32s({7})));
  EXPECT_EQ(read(matrix("1 1 0\n"), 0).list, entries({}, {}, {}));
}

TEST(TensorIo, OtherRanksAreRefused) {
  const TestDirectory dir;
  const auto matrix = dir.write("a.mtx", std::string(kReal) + "3 2 0\n");
  EXPECT_EQ(read(matrix, 1).text,
            ": error: the file has rank 2 (3 x 2), but the tensor has rank 1 [data-rank]\n");
  EXPECT_EQ(read(matrix, 0).text,
            ": error: the file has rank 2 (3 x 2), but the tensor has rank 0 [data-rank]\n");
  EXPECT_EQ(read(matrix, 3).text,
            ": error: the file has rank 2 (3 x 2), but the tensor has rank 3 [data-rank]\n");
  const Tensor scalar = pack(entries({}, {}, {7}), ValueType::kI32, TensorFormat::dense(0));
  EXPECT_EQ(read(dir.write("a.npy", to_npy(scalar)), 1).text,
            ": error: the file has rank 0 (no size), but the tensor has rank 1 [data-rank]\n");
}

TEST(TensorIo, FilesRoundTripThroughAllFormats) {
  const TestDirectory dir;
  for (const Words& shape : {Words{}, {5}, {3, 4}, {0, 2}, {2, 3, 2}}) {
    const auto rank = static_cast<int>(shape.size());
    const EntryList list = random_entries(shape, ValueType::kF32, 0.6, 17);
    for (const TensorFormat& format : all_formats(rank)) {
      const Tensor tensor = pack(list, ValueType::kF32, format);
      const EntryList stored = unpack(tensor);
      Diagnostics diag;
      EXPECT_EQ(read_tensor(dir.write("a.tns", to_frostt(tensor)), ValueType::kF32, rank, shape, {},
                            diag),
                stored)
          << to_text(format) << diag.text();
      if (rank > 2) continue;
      EXPECT_EQ(read(dir.write("a.mtx", to_matrix_market(tensor)), rank).list, stored)
          << to_text(format);
    }
  }
}

/// Splitmix64: the same mutations on every machine.
class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : state_(seed) {}

  std::string mutate(std::string text) {
    constexpr std::string_view kTelling = "0129-+.% #\n\r\teEnaf{}()',:\x00\x7f\xff";
    const std::uint64_t count = 1 + below(3);
    for (std::uint64_t n = 0; n < count && !text.empty(); ++n) {
      const std::size_t at = below(text.size());
      const char byte =
          below(2) == 0 ? static_cast<char>(below(256)) : kTelling[below(kTelling.size())];
      switch (below(5)) {
        case 0:
          text.insert(at, 1, byte);
          break;
        case 1:
          text.erase(at, 1 + below(4));
          break;
        case 2:
          text.resize(at);
          break;
        default:
          text[at] = byte;
      }
    }
    return text;
  }

 private:
  std::size_t below(std::size_t limit) {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return (z ^ (z >> 31)) % limit;
  }

  std::uint64_t state_;
};

void expect_parsed_or_diagnosed(std::optional<EntryList> list, const Diagnostics& diag,
                                ValueType type) {
  ASSERT_NE(list.has_value(), diag.has_errors());
  if (!list) {
    EXPECT_FALSE(diag.text().empty());
    return;
  }
  normalize(*list, type);
  const Tensor tensor = pack(*list, type, TensorFormat::compressed(list->rank()));
  EXPECT_EQ(broken(tensor), std::nullopt);
}

TEST(TensorIo, MutatedFilesAreParsedOrDiagnosed) {
  const std::string banner = "%%MatrixMarket matrix ";
  const std::vector<std::string> matrices = {
      banner + "coordinate real general\n% c\n3 4 3\n1 1 1.5\n3 4 -2e1\n2 2 inf\n",
      banner + "coordinate integer symmetric\r\n3 3 2\r\n1 1 5\r\n3 2 -7\r\n",
      banner + "coordinate pattern general\n10 10 3\n1 10\n10 1\n5 5",
      banner + "coordinate real skew-symmetric\n3 3 2\n2 1 2\n3 2 7\n",
      banner + "array real general\n2 3\n1\n2\n3\n4\n5\n6\n",
      banner + "array double symmetric\n2 2\n1\n2\n3\n",
      banner + "array real skew-symmetric\n3 3\n1\n2\n3\n"};
  const std::string entries_text = "# c\n1 1 2 1.5\n2 3 1 -2\n\n10 1 1 nan\n";
  std::vector<std::string> arrays;
  for (const Words& shape : {Words{}, {3}, {2, 3}, {2, 0}, {1, 2, 1, 2, 1, 2, 1, 2}}) {
    const EntryList list = random_entries(shape, ValueType::kI32, 1, 3);
    const auto format = TensorFormat::dense(static_cast<int>(shape.size()));
    for (const ValueType type : {ValueType::kI32, ValueType::kF32}) {
      arrays.push_back(to_npy(pack(list, type, format)));
    }
  }
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const ValueType type = seed % 2 == 0 ? ValueType::kF32 : ValueType::kI32;
    Mutator mutator(seed);
    for (const std::string& matrix : matrices) {
      Diagnostics diag;
      const std::string text = mutator.mutate(matrix);
      expect_parsed_or_diagnosed(read_matrix_market("a.mtx", text, type, diag), diag, type);
    }
    for (const std::string& array : arrays) {
      Diagnostics diag;
      const std::string text = mutator.mutate(array);
      expect_parsed_or_diagnosed(read_npy("a.npy", text, type, diag), diag, type);
    }
    Diagnostics diag;
    const std::string text = mutator.mutate(entries_text);
    expect_parsed_or_diagnosed(read_frostt("a.tns", text, type, 3, {}, diag), diag, type);
  }
}

TEST(TensorIo, MutatedGzipFilesAreParsedOrDiagnosed) {
  const TestDirectory dir;
  const std::string whole = gzip(std::string(kReal) + "3 4 2\n1 1 1.5\n3 4 -2e1\n");
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Diagnostics diag;
    const auto path = dir.write("a.mtx.gz", Mutator(seed).mutate(whole));
    expect_parsed_or_diagnosed(read_tensor(path, ValueType::kF32, 2, {}, {}, diag), diag,
                               ValueType::kF32);
  }
}

}  // namespace
}  // namespace heddle
