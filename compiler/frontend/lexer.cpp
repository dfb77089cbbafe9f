#include "compiler/frontend/lexer.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace heddle::frontend {
namespace {

// Locale-free character classes; bytes above 127 belong to none.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_char(char c) { return is_name_start(c) || is_digit(c); }

std::string shown(char c) {
  if (c > ' ' && c < 127) return fmt::format("character '{}'", c);
  return fmt::format("byte 0x{:02x}", static_cast<unsigned char>(c));
}

class Lexer {
 public:
  Lexer(std::uint32_t file, Diagnostics& diag)
      : file_(file), text_(diag.sources().text(file)), diag_(diag) {}

  std::vector<Token> run() {
    while (skip_blanks(), at_ < text_.size()) token();
    start_ = at_;
    add(Token::Kind::kEnd);
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  SourceRange range(std::size_t begin, std::size_t end) const {
    return {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }

  void skip_blanks() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') {
        line_start_ = true;
      } else if (c == '#') {
        while (at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
      } else if (c != ' ' && c != '\t' && c != '\r') {
        return;
      }
    }
  }

  Token& add(Token::Kind kind) {
    Token token;
    token.kind = kind;
    token.starts_line = line_start_;
    token.range = range(start_, at_);
    line_start_ = false;
    tokens_.push_back(std::move(token));
    return tokens_.back();
  }

  void token() {
    start_ = at_;
    const char c = peek();
    if (is_name_start(c)) return name();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (c == '"') return string();
    if (std::string_view("[](){},:=+-*/").find(c) != std::string_view::npos && c != '\0') {
      ++at_;
      add(Token::Kind::kSymbol).symbol = c;
      return;
    }
    bad_bytes();
  }

  void name() {
    while (is_name_char(peek())) ++at_;
    const std::size_t start = start_;
    add(Token::Kind::kName).text = text_.substr(start, at_ - start);
  }

  void number() {
    const auto digits = [&] {
      while (is_digit(peek())) ++at_;
    };
    digits();
    if (peek() == '.') ++at_, digits();
    if (peek() == 'e' || peek() == 'E') {
      const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
      if (is_digit(peek(1 + sign))) at_ += 1 + sign, digits();
    }
    bool good = !is_name_char(peek()) && peek() != '.';
    while (is_name_char(peek()) || peek() == '.') ++at_;
    Token& token = add(Token::Kind::kNumber);
    token.text = text_.substr(start_, at_ - start_);
    const char* end = token.text.data() + token.text.size();
    const auto [stop, error] = std::from_chars(token.text.data(), end, token.number);
    // A number too small for a double is zero; one too large is an error.
    const bool tiny = error == std::errc::result_out_of_range && underflows(token.text);
    if (tiny) token.number = 0;
    good = good && (error == std::errc() || tiny) && stop == end &&
           std::isfinite(static_cast<float>(token.number));
    if (!good) {
      token.number = 1;
      diag_.error("number", token.range,
                  fmt::format("'{}' is not a number that f32 can hold", token.text));
    }
  }

  static bool underflows(const std::string& text) {
    const std::size_t e = text.find_first_of("eE");
    return e != std::string::npos && text[e + 1] == '-';
  }

  void string() {
    ++at_;
    std::string value;
    while (at_ < text_.size() && peek() != '"' && peek() != '\n') {
      if (peek() == '\\' && (peek(1) == '"' || peek(1) == '\\')) ++at_;
      value += text_[at_++];
    }
    const bool closed = peek() == '"';
    if (closed) ++at_;
    Token& token = add(Token::Kind::kString);
    token.text = std::move(value);
    if (!closed) diag_.error("string", token.range, "this string has no closing '\"' on its line");
    if (token.text.find('\0') != std::string::npos) {
      diag_.error("string", token.range, "this string holds a zero byte");
    }
  }

  // One message for a run of bytes.
  void bad_bytes() {
    const auto starts_token = [](char c) {
      return is_name_char(c) || c == '\n' || c == ' ' || c == '\t' || c == '\r' || c == '#' ||
             (c != '\0' && std::string_view("[](){},:=+-*/\"").find(c) != std::string_view::npos);
    };
    ++at_;
    while (at_ < text_.size() && !starts_token(text_[at_])) ++at_;
    // Only a few: a binary file need not fill the screen.
    if (++bad_ > 10) return;
    diag_.error("character", range(start_, at_),
                fmt::format("{} has no meaning here", shown(text_[start_])));
  }

  std::uint32_t file_;
  const std::string& text_;
  Diagnostics& diag_;
  std::size_t at_ = 0;
  std::size_t start_ = 0;
  bool line_start_ = true;
  int bad_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> lex(std::uint32_t file, Diagnostics& diag) { return Lexer(file, diag).run(); }

}  // namespace heddle::frontend
