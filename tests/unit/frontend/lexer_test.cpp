#include "compiler/frontend/lexer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace heddle::frontend {
namespace {

std::string shown(const Token& token) {
  switch (token.kind) {
    case Token::Kind::kName:
      return token.text;
    case Token::Kind::kNumber:
      return fmt::format("#{}", token.number);
    case Token::Kind::kString:
      return fmt::format("\"{}\"", token.text);
    case Token::Kind::kSymbol:
      return std::string(1, token.symbol);
    case Token::Kind::kEnd:
      break;
  }
  return "end";
}

std::string lexed(const std::string& text) {
  Diagnostics diag;
  std::string out;
  for (const Token& token : lex(diag.sources().add("t", text), diag)) {
    if (!out.empty()) out += token.starts_line ? " | " : " ";
    out += shown(token);
  }
  if (diag.has_errors()) out += fmt::format(" !{}", diag.all()[0].id);
  return out;
}

TEST(Lexer, SplitsAStatement) {
  EXPECT_EQ(lexed("y[i]=A[i,j]*x_2[j] # note\n-1e-5/.5"),
            "y [ i ] = A [ i , j ] * x_2 [ j ] | - #1e-05 / #0.5 end");
}

TEST(Lexer, ReadsEveryLineEnding) {
  EXPECT_EQ(lexed("a\r\nb\n\n\tc\n"), "a | b | c | end");
  EXPECT_EQ(lexed(""), "end");
  EXPECT_EQ(lexed("# only a comment"), "end");
}

TEST(Lexer, ReadsNumbers) {
  EXPECT_EQ(lexed("0 12 1. 2.5e3 1E+2 1e-400"), "#0 #12 #1 #2500 #100 #0 end");
  EXPECT_EQ(lexed("1e39"), "#1 end !number");
  EXPECT_EQ(lexed("1e400"), "#1 end !number");
  EXPECT_EQ(lexed("1.2.3"), "#1 end !number");
  EXPECT_EQ(lexed("3x"), "#1 end !number");
  EXPECT_EQ(lexed("2e"), "#1 end !number");
}

TEST(Lexer, ReadsStrings) {
  EXPECT_EQ(lexed(R"("a\"b\\c\d")"), R"("a"b\c\d" end)");
  EXPECT_EQ(lexed("\"a\nb"), "\"a\" | b end !string");
  EXPECT_EQ(lexed(std::string("\"a\0b\"", 5)), std::string("\"a\0b\" end !string", 17));
}

TEST(Lexer, ReportsARunOfStrangeBytesOnce) {
  Diagnostics diag;
  lex(diag.sources().add("t", "a \xff\xfe\x01 b ; c"), diag);
  EXPECT_EQ(diag.all().size(), 2U);
  EXPECT_EQ(diag.all()[0].message, "byte 0xff has no meaning here");
  EXPECT_EQ(diag.all()[1].message, "character ';' has no meaning here");
}

}  // namespace
}  // namespace heddle::frontend
