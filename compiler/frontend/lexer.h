// Text to tokens. Bytes that start no token are reported and skipped, so a parser always gets a
// list that ends with kEnd.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/support/diagnostics.h"

namespace heddle::frontend {

struct Token {
  enum class Kind : std::uint8_t { kName, kNumber, kString, kSymbol, kEnd };
  Kind kind = Kind::kEnd;
  bool starts_line = false;  // the first token on its line
  char symbol = 0;           // kSymbol: one of [](){},:=+-*/
  double number = 0;         // kNumber
  std::string text;          // kName, kNumber: as written; kString: without quotes and escapes
  SourceRange range;

  bool is(char c) const { return kind == Kind::kSymbol && symbol == c; }
  bool is(std::string_view name) const { return kind == Kind::kName && text == name; }
};

std::vector<Token> lex(std::uint32_t file, Diagnostics& diag);

}  // namespace heddle::frontend
