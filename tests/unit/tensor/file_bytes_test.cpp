#include "compiler/tensor/file_bytes.h"

#include <gtest/gtest.h>

#include "tests/unit/tensor/file_cases.h"

namespace heddle {
namespace {

/// The bytes, or the errors.
std::string read(const std::filesystem::path& path, Packing packing,
                 std::uint64_t limit = kMaxFileBytes) {
  Diagnostics diag;
  const auto bytes = read_file(path, packing, diag, limit);
  EXPECT_NE(bytes.has_value(), diag.has_errors());
  if (bytes) return *bytes;
  return diag.text().substr(path.string().size());
}

std::string noise(std::size_t size) {
  std::string text;
  std::uint32_t state = 1;
  for (std::size_t n = 0; n < size; ++n) {
    state = state * 1664525 + 1013904223;
    text += static_cast<char>(state >> 24);
  }
  return text;
}

TEST(FileBytes, ReadsPlainFilesLargerThanAChunk) {
  const TestDirectory dir;
  for (const std::size_t size : {0U, 1U, 65535U, 65536U, 65537U, 300000U}) {
    EXPECT_EQ(read(dir.write("a.mtx", noise(size)), Packing::kPlain), noise(size)) << size;
  }
}

TEST(FileBytes, InflatesWhatPacksBadlyAndWhatPacksWell) {
  const TestDirectory dir;
  for (const std::size_t size : {0U, 1U, 65536U, 300000U, 5000000U}) {
    const std::string zeros(size, '0');
    EXPECT_EQ(read(dir.write("a.gz", gzip(zeros)), Packing::kGzip), zeros) << size;
    if (size > 300000) continue;
    EXPECT_EQ(read(dir.write("a.gz", gzip(noise(size))), Packing::kGzip), noise(size)) << size;
  }
}

TEST(FileBytes, JoinsMembersAndSkipsZeroPadding) {
  const TestDirectory dir;
  const std::string members = gzip("one ") + gzip("") + gzip("two") + std::string(512, '\0');
  EXPECT_EQ(read(dir.write("a.gz", members), Packing::kGzip), "one two");
}

TEST(FileBytes, RefusesEveryTruncation) {
  const TestDirectory dir;
  const std::string whole = gzip("some text that is some text");
  for (std::size_t size = 2; size < whole.size(); ++size) {
    const auto path = dir.write("a.gz", whole.substr(0, size));
    EXPECT_TRUE(read(path, Packing::kGzip).starts_with(": error: the gzipped data ends too early"))
        << size;
  }
}

TEST(FileBytes, RefusesCorruptData) {
  const TestDirectory dir;
  std::string wrong_sum = gzip("some text");
  wrong_sum[wrong_sum.size() - 6] ^= 1;
  EXPECT_EQ(read(dir.write("a.gz", wrong_sum), Packing::kGzip),
            ": error: the gzipped data is corrupt [data-gzip]\n");
  EXPECT_EQ(read(dir.write("a.gz", gzip("some text") + "garbage"), Packing::kGzip),
            ": error: the gzipped data is corrupt [data-gzip]\n");
}

TEST(FileBytes, RefusesANameThatContradictsTheContent) {
  const TestDirectory dir;
  EXPECT_EQ(read(dir.write("a.gz", "plain"), Packing::kGzip),
            ": error: the file is not gzipped; its name says that it is [data-gzip]\n");
  EXPECT_EQ(read(dir.write("a.gz", ""), Packing::kGzip),
            ": error: the file is empty; its name says that it is gzipped [data-gzip]\n");
  EXPECT_EQ(read(dir.write("a.mtx", gzip("x")), Packing::kPlain),
            ": error: the file is gzipped; its name should end in .gz [data-gzip]\n");
}

TEST(FileBytes, StopsAtTheLimit) {
  const TestDirectory dir;
  const std::string message =
      ": error: the file holds more than the 1000 bytes that are read [data-size]\n";
  const std::string fits(1000, 'x');
  const std::string large(1001, 'x');
  const std::string bomb(10000000, 'x');
  EXPECT_EQ(read(dir.write("a", fits), Packing::kPlain, 1000), fits);
  EXPECT_EQ(read(dir.write("a", large), Packing::kPlain, 1000), message);
  EXPECT_EQ(read(dir.write("a", gzip(fits)), Packing::kGzip, 1000), fits);
  EXPECT_EQ(read(dir.write("a", gzip(large)), Packing::kGzip, 1000), message);
  EXPECT_EQ(read(dir.write("a", gzip(bomb)), Packing::kGzip, 1000), message);
}

TEST(FileBytes, NamesWhatCannotBeOpened) {
  const TestDirectory dir;
  EXPECT_EQ(read(dir.path("none"), Packing::kPlain),
            ": error: the file cannot be opened: No such file or directory [data-open]\n");
  EXPECT_EQ(read(dir.path(""), Packing::kPlain),
            ": error: the file cannot be read: Is a directory [data-open]\n");
}

}  // namespace
}  // namespace heddle
