#include "compiler/tensor/line_reader.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(LineReader, SkipsBlankLinesAndComments) {
  LineReader lines("a", "\n# c\r\n \t\n  # d\n 1 2 \r\n\r\n3", '#');
  ASSERT_TRUE(lines.next_line());
  EXPECT_EQ(lines.line(), 5);
  EXPECT_EQ(lines.next_word(), "1");
  EXPECT_EQ(lines.next_word(), "2");
  EXPECT_EQ(lines.next_word(), "");
  EXPECT_EQ(lines.next_word(), "");
  ASSERT_TRUE(lines.next_line());
  EXPECT_EQ(lines.line(), 7);
  EXPECT_EQ(lines.next_word(), "3");
  EXPECT_FALSE(lines.next_line());
  EXPECT_FALSE(lines.next_line());
}

TEST(LineReader, PointsToWordsAndBehindTheLast) {
  LineReader lines("a.mtx", "  12 x  \n", '%');
  Diagnostics diag;
  ASSERT_TRUE(lines.next_line());
  lines.next_word();
  lines.next_word();
  lines.error(diag, "data-number", "{} is not a number", in_quotes(lines.spot().word));
  lines.next_word();
  lines.error(diag, "data-line", "the value is missing");
  EXPECT_EQ(diag.text(),
            "a.mtx:1:6: error: 'x' is not a number [data-number]\n"
            "    12 x  \n"
            "       ^\n"
            "a.mtx:1:7: error: the value is missing [data-line]\n"
            "    12 x  \n"
            "        ^\n");
}

TEST(LineReader, NamesTheFileAloneBeforeTheFirstLine) {
  const LineReader lines("a.mtx", "", '%');
  Diagnostics diag;
  lines.error(diag, "data-header", "the file is empty");
  EXPECT_EQ(diag.text(), "a.mtx: error: the file is empty [data-header]\n");
}

TEST(LineReader, CutsLongWords) {
  EXPECT_EQ(in_quotes("abc"), "'abc'");
  EXPECT_EQ(in_quotes(std::string(1000, 'a')), "'" + std::string(40, 'a') + "...'");
}

}  // namespace
}  // namespace heddle
