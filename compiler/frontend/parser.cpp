#include "compiler/frontend/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle::frontend {
namespace {

using Kind = ExprSyntax::Kind;

constexpr int kMaxNesting = 200;  // of parentheses and calls
constexpr int kMaxHeight = 1000;  // of an expression tree: terms in a row, too
constexpr int kMaxErrors = 50;

/// Thrown by a rule that cannot go on, caught by the line it belongs to.
struct SyntaxError {};

std::string shown(const Token& token) {
  if (token.kind == Token::Kind::kEnd) return "the end of the file";
  if (token.kind == Token::Kind::kSymbol) return fmt::format("'{}'", token.symbol);
  if (token.kind == Token::Kind::kString) return fmt::format("\"{}\"", token.text);
  return fmt::format("'{}'", token.text);
}

SourceRange join(SourceRange a, SourceRange b) { return {a.file, a.begin, b.end}; }

class Parser {
 public:
  Parser(const std::vector<Token>& tokens, Diagnostics& diag) : tokens_(tokens), diag_(diag) {}

  ModelSyntax run() {
    while (peek().kind != Token::Kind::kEnd && errors_ < kMaxErrors) {
      try {
        line();
      } catch (const SyntaxError&) {
        nesting_ = 0;
        minuses_ = 0;
        skip_line();
      }
    }
    return std::move(model_);
  }

  std::optional<TensorFormat> run_format(const std::string& tensor, int rank) {
    try {
      TensorFormat found = format(tensor, rank, false);
      if (peek().kind != Token::Kind::kEnd) expected("the end of the format");
      return found;
    } catch (const SyntaxError&) {
      return std::nullopt;
    }
  }

 private:
  // --- tokens ---

  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }

  const Token& take() {
    const Token& token = peek();
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }

  /// A line goes on inside brackets; outside, what may follow has to stand on the same line.
  bool continues() const {
    return peek().kind != Token::Kind::kEnd && (nesting_ > 0 || !peek().starts_line);
  }

  bool accept(char symbol) {
    if (!continues() || !peek().is(symbol)) return false;
    take();
    return true;
  }

  [[noreturn]] void fail(const Token& token, std::string message, std::string_view id = "syntax") {
    ++errors_;
    diag_.error(id, token.range, std::move(message));
    throw SyntaxError{};
  }

  [[noreturn]] void expected(const std::string& what) {
    // A message about the end of a line points to the line that ends.
    if (!continues() && at_ > 0 && peek().starts_line) {
      Token end = tokens_[at_ - 1];
      end.range.begin = end.range.end;
      end.range.end = end.range.begin + 1;
      fail(end, fmt::format("expected {}, found the end of the line", what));
    }
    fail(peek(), fmt::format("expected {}, found {}", what, shown(peek())));
  }

  const Token& expect(char symbol, const char* after) {
    if (!continues() || !peek().is(symbol)) {
      expected(fmt::format("'{}' {}", symbol, after));
    }
    return take();
  }

  Name name(const char* what) {
    if (peek().kind != Token::Kind::kName) expected(what);
    const Token& token = take();
    return {token.text, token.range};
  }

  std::uint32_t natural(const char* what) {
    const Token& token = peek();
    const bool good = token.kind == Token::Kind::kNumber && token.number >= 0 &&
                      token.number <= std::numeric_limits<std::uint32_t>::max() &&
                      token.number == std::floor(token.number) &&
                      token.text.find_first_not_of("0123456789") == std::string::npos;
    if (!good) expected(what);
    return static_cast<std::uint32_t>(take().number);
  }

  std::uint32_t positive(const char* what) {
    const Token& token = peek();
    const std::uint32_t value = natural(what);
    if (value == 0) fail(token, fmt::format("expected {}, found 0", what));
    return value;
  }

  void skip_line() {
    int braces = in_braces_ ? 1 : 0;
    in_braces_ = false;
    while (peek().kind != Token::Kind::kEnd) {
      if (braces == 0 && peek().starts_line && at_ > line_start_) return;
      const Token& token = take();
      if (braces > 0 && token.is('{')) ++braces;
      if (braces > 0 && token.is('}')) --braces;
    }
  }

  // --- lines ---

  void line() {
    line_start_ = at_;
    const bool keyword = peek().kind == Token::Kind::kName && peek(1).kind == Token::Kind::kName &&
                         !peek(1).starts_line;
    if (keyword && peek().is("tensor")) {
      tensor();
    } else if (keyword && peek().is("size")) {
      sizes();
    } else if (keyword && peek().is("output")) {
      outputs();
    } else if (keyword && peek().is("schedule")) {
      schedule();
    } else if (peek().kind == Token::Kind::kName && peek(1).is('[')) {
      statement();
    } else if (peek().kind == Token::Kind::kName && peek(1).is('=') && !peek(1).starts_line) {
      fail(peek(1),
           fmt::format("expected '[' after '{0}'; a scalar is written '{0}[]'", peek().text));
    } else {
      fail(peek(), fmt::format("expected a statement or 'tensor', 'size', 'output' or "
                               "'schedule' with a name, found {}",
                               shown(peek())));
    }
    if (continues()) expected("the end of the line");
  }

  std::vector<Name> bracketed(bool numbers) {
    expect('[', "after the name");
    ++nesting_;
    std::vector<Name> names;
    if (!peek().is(']')) {
      do {
        if (numbers && peek().kind == Token::Kind::kNumber) {
          const SourceRange range = peek().range;
          names.push_back({std::to_string(natural("a size")), range});
        } else {
          names.push_back(name(numbers ? "the name of a size or a number" : "an index"));
        }
      } while (accept(','));
    }
    expect(']', "or ','");
    --nesting_;
    return names;
  }

  void tensor() {
    take();
    TensorSyntax tensor;
    tensor.name = name("the name of the tensor");
    tensor.modes = bracketed(true);
    if (tensor.modes.size() > static_cast<std::size_t>(kMaxRank)) {
      ++errors_;
      diag_.error("rank", tensor.name.range,
                  fmt::format("'{}' has {} modes, and {} is the most that Heddle supports",
                              tensor.name.text, tensor.modes.size(), kMaxRank));
      tensor.modes.resize(static_cast<std::size_t>(kMaxRank));
    }
    if (accept(':')) type_and_format(tensor);
    if (accept('=')) tensor.binding = binding();
    model_.tensors.push_back(std::move(tensor));
  }

  void type_and_format(TensorSyntax& tensor) {
    const int rank = static_cast<int>(tensor.modes.size());
    if (peek().kind == Token::Kind::kName) {
      if (const auto type = parse_value_type(peek().text)) {
        tensor.type = *type;
        take();
        if (!continues() || peek().is('=')) return;
      }
    }
    tensor.format = format(tensor.name.text, rank, true);
  }

  /// `or_type`: a type might have stood here, too.
  TensorFormat format(const std::string& tensor, int rank, bool or_type) {
    if (peek().is('{')) return spelled_format(rank);
    if (peek().kind != Token::Kind::kName) expected(or_type ? "a type or a format" : "a format");
    const Token& token = take();
    if (auto named = TensorFormat::named(token.text, rank)) return *std::move(named);
    bool known = false;
    for (int r = 0; r <= kMaxRank; ++r) known |= TensorFormat::named(token.text, r).has_value();
    if (known) {
      fail(token,
           fmt::format("the format '{}' does not fit '{}', which has {} mode{}", token.text, tensor,
                       rank, rank == 1 ? "" : "s"),
           "format");
    }
    fail(token,
         fmt::format("unknown {} '{}'; {}formats are dense, csr, csc, dcsr, coo or levels like "
                     "{{dense, compressed}}",
                     or_type ? "type or format" : "format", token.text,
                     or_type ? "types are f32 and i32, " : ""),
         "format");
  }

  // {dense, compressed} order (1, 0)
  TensorFormat spelled_format(int rank) {
    const Token& brace = take();
    TensorFormat format;
    ++nesting_;
    if (!peek().is('}')) {
      do {
        const Name level = name("'dense' or 'compressed'");
        if (level.text != "dense" && level.text != "compressed") {
          --at_;
          expected("'dense' or 'compressed'");
        }
        format.levels.push_back(level.text == "dense" ? LevelKind::kDense : LevelKind::kCompressed);
      } while (accept(','));
    }
    expect('}', "or ','");
    --nesting_;
    if (format.rank() != rank) {
      fail(brace,
           fmt::format("this format has {} level{} for a tensor with {} mode{}", format.rank(),
                       format.rank() == 1 ? "" : "s", rank, rank == 1 ? "" : "s"),
           "format");
    }
    for (int mode = 0; mode < rank; ++mode) format.order.push_back(mode);
    if (continues() && peek().is("order")) format.order = mode_order(rank);
    return format;
  }

  std::vector<int> mode_order(int rank) {
    const Token& keyword = take();
    expect('(', "after 'order'");
    ++nesting_;
    std::vector<int> order;
    std::vector<bool> seen(static_cast<std::size_t>(rank), false);
    bool good = true;
    if (!peek().is(')')) {
      do {
        const std::uint32_t mode = natural("the number of a mode");
        good = good && mode < seen.size() && !seen[mode];
        if (good) seen[mode] = true;
        order.push_back(static_cast<int>(std::min<std::uint32_t>(mode, kMaxRank)));
      } while (accept(','));
    }
    expect(')', "or ','");
    --nesting_;
    if (!good || order.size() != seen.size()) {
      fail(keyword, fmt::format("'order' has to name each of the modes 0 to {} once", rank - 1),
           "format");
    }
    return order;
  }

  Binding binding() {
    const Token& first = peek();
    const Name kind = name("'file', 'random' or 'constant'");
    Binding binding;
    if (kind.text == "file") {
      binding.kind = Binding::Kind::kFile;
    } else if (kind.text == "random") {
      binding.kind = Binding::Kind::kRandom;
    } else if (kind.text == "constant") {
      binding.kind = Binding::Kind::kConstant;
    } else {
      fail(first, fmt::format("expected 'file', 'random' or 'constant', found '{}'", kind.text));
    }
    expect('(', "after the kind of data");
    ++nesting_;
    if (binding.kind == Binding::Kind::kFile) {
      if (peek().kind != Token::Kind::kString) expected("a path in quotes");
      binding.path = take().text;
    } else if (binding.kind == Binding::Kind::kConstant) {
      binding.value = signed_number();
    } else if (!peek().is(')')) {
      do random_argument(binding);
      while (accept(','));
    }
    const Token& last = expect(')', "at the end of the data");
    --nesting_;
    binding.range = join(first.range, last.range);
    return binding;
  }

  double signed_number() {
    const bool negative = accept('-');
    if (peek().kind != Token::Kind::kNumber) expected("a number");
    const double value = take().number;
    return negative ? -value : value;
  }

  void random_argument(Binding& binding) {
    const Token& token = peek();
    const Name argument = name("'density' or 'seed'");
    if (argument.text != "density" && argument.text != "seed") {
      fail(token, fmt::format("expected 'density' or 'seed', found '{}'", argument.text));
    }
    expect(':', "after the name of the argument");
    const Token& value = peek();
    if (argument.text == "seed") {
      binding.seed = natural("a whole number below 2^32");
      return;
    }
    binding.density = signed_number();
    if (binding.density < 0 || binding.density > 1) {
      fail(value, "a density lies between 0 and 1");
    }
  }

  void sizes() {
    take();
    do {
      SizeSyntax size;
      size.name = name("the name of a size");
      expect('=', "after the name of the size");
      const SourceRange value = peek().range;
      size.value = natural("a whole number below 2^32");
      size.name.range = join(size.name.range, value);
      model_.sizes.push_back(std::move(size));
    } while (accept(','));
  }

  void outputs() {
    take();
    do model_.outputs.push_back(name("the name of a tensor"));
    while (accept(','));
  }

  void statement() {
    StatementSyntax statement;
    statement.target = access();
    expect('=', "after the target of the statement");
    statement.value = expression();
    if (continues() && peek().is("where")) {
      take();
      statement.where = access();
    }
    statement.range = join(statement.target.range, tokens_[at_ - 1].range);
    model_.statements.push_back(std::move(statement));
  }

  // --- expressions ---

  AccessSyntax access() {
    AccessSyntax access;
    access.tensor = name("the name of a tensor");
    access.indices = bracketed(false);
    access.range = join(access.tensor.range, tokens_[at_ - 1].range);
    if (access.indices.size() > static_cast<std::size_t>(kMaxRank)) {
      Token token = tokens_[at_ - 1];
      token.range = access.range;
      fail(token,
           fmt::format("'{}' has {} indices, and {} is the most that Heddle supports",
                       access.tensor.text, access.indices.size(), kMaxRank),
           "rank");
    }
    return access;
  }

  ExprSyntaxPtr make(Kind kind, SourceRange begin) const {
    auto e = std::make_unique<ExprSyntax>();
    e->kind = kind;
    e->range = begin;
    return e;
  }

  ExprSyntaxPtr finish(ExprSyntaxPtr e) {
    for (const ExprSyntaxPtr& arg : e->args) e->height = std::max(e->height, arg->height + 1);
    e->range.end = std::max(e->range.end, tokens_[at_ - 1].range.end);
    if (e->height > kMaxHeight) {
      fail(tokens_[at_ - 1],
           fmt::format("this expression is more than {} operators deep; name parts of it",
                       kMaxHeight),
           "nesting");
    }
    return e;
  }

  ExprSyntaxPtr infix(ExprSyntaxPtr left, char op, ExprSyntaxPtr right) {
    ExprSyntaxPtr e = make(Kind::kInfix, left->range);
    e->op = op;
    e->args.push_back(std::move(left));
    e->args.push_back(std::move(right));
    return finish(std::move(e));
  }

  ExprSyntaxPtr expression() {
    ExprSyntaxPtr left = term();
    while (continues() && (peek().is('+') || peek().is('-'))) {
      const char op = take().symbol;
      left = infix(std::move(left), op, term());
    }
    return left;
  }

  ExprSyntaxPtr term() {
    ExprSyntaxPtr left = unary();
    while (continues() && (peek().is('*') || peek().is('/'))) {
      const char op = take().symbol;
      left = infix(std::move(left), op, unary());
    }
    return left;
  }

  void enter(const Token& token) {
    if (++nesting_ > kMaxNesting) {
      fail(token, fmt::format("this is nested more than {} deep; name parts of it", kMaxNesting),
           "nesting");
    }
  }

  ExprSyntaxPtr unary() {
    const Token& token = peek();
    if (!token.is('-')) return primary();
    take();
    if (peek().kind == Token::Kind::kNumber) {
      ExprSyntaxPtr e = primary();
      e->number = -e->number;
      e->range = join(token.range, e->range);
      return e;
    }
    if (++minuses_ > kMaxNesting) {
      fail(token, fmt::format("more than {} signs in a row", kMaxNesting), "nesting");
    }
    ExprSyntaxPtr e = make(Kind::kNegate, token.range);
    e->args.push_back(unary());
    --minuses_;
    return finish(std::move(e));
  }

  ExprSyntaxPtr primary() {
    const Token& token = peek();
    if (token.kind == Token::Kind::kNumber) {
      ExprSyntaxPtr e = make(Kind::kNumber, token.range);
      e->number = take().number;
      return e;
    }
    if (token.is('(')) {
      enter(take());
      ExprSyntaxPtr e = expression();
      expect(')', "to close the parenthesis");
      --nesting_;
      e->parenthesized = true;
      return e;
    }
    if (token.kind != Token::Kind::kName) expected("an expression");
    if (peek(1).is('[')) {
      ExprSyntaxPtr e = make(Kind::kAccess, token.range);
      e->access = access();
      return finish(std::move(e));
    }
    if (peek(1).is('(')) return call();
    take();
    fail(token,
         fmt::format("expected '[' or '(' after '{0}'; a scalar is written '{0}[]'", token.text));
  }

  // Whether "(i, j :" follows.
  bool at_reduction() const {
    std::size_t ahead = 1;
    while (peek(ahead).kind == Token::Kind::kName && peek(ahead + 1).is(',')) ahead += 2;
    return ahead > 0 && peek(ahead).kind == Token::Kind::kName && peek(ahead + 1).is(':');
  }

  ExprSyntaxPtr call() {
    ExprSyntaxPtr e = make(Kind::kCall, peek().range);
    e->name = name("a function");
    const bool reduces = at_reduction();
    const bool size =
        e->name.text == "size" && peek(1).kind == Token::Kind::kName && peek(2).is(')');
    enter(take());
    if (size) {
      e->kind = Kind::kSize;
      e->indices.push_back(name("an index"));
    } else {
      if (reduces) {
        e->kind = Kind::kReduce;
        do e->indices.push_back(name("an index"));
        while (accept(','));
        expect(':', "after the indices");
      }
      if (reduces || !peek().is(')')) {
        do e->args.push_back(expression());
        while (accept(','));
      }
    }
    expect(')', "or ','");
    --nesting_;
    return finish(std::move(e));
  }

  // --- schedules ---

  void schedule() {
    take();
    Schedule schedule;
    const Name title = name("the name of the schedule");
    schedule.name = title.text;
    schedule.range = title.range;
    expect('{', "after the name of the schedule");
    ++nesting_;
    in_braces_ = true;
    while (!peek().is('}')) schedule.items.push_back(item());
    take();
    in_braces_ = false;
    --nesting_;
    model_.schedules.push_back(std::move(schedule));
  }

  void names(ScheduleItem& item, const char* what) {
    do {
      const Name n = name(what);
      item.names.push_back(n.text);
      item.name_ranges.push_back(n.range);
    } while (accept(','));
  }

  ScheduleItem item() {
    const Token& token = peek();
    ScheduleItem item;
    item.range = token.range;
    const Name keyword =
        name("'fuse', 'order', 'parallel', 'keep', 'recompute', 'block', 'skip', 'depth' or '}'");
    if (keyword.text == "fuse" || keyword.text == "keep" || keyword.text == "recompute") {
      item.kind = keyword.text == "fuse"   ? ScheduleItem::Kind::kFuse
                  : keyword.text == "keep" ? ScheduleItem::Kind::kKeep
                                           : ScheduleItem::Kind::kRecompute;
      names(item, "the name of a tensor");
    } else if (keyword.text == "order" || keyword.text == "skip") {
      item.kind = keyword.text == "skip" ? ScheduleItem::Kind::kSkip : ScheduleItem::Kind::kOrder;
      names(item, "an index");
    } else if (keyword.text == "parallel" || keyword.text == "block") {
      item.kind =
          keyword.text == "block" ? ScheduleItem::Kind::kBlock : ScheduleItem::Kind::kParallel;
      names(item, "an index");
      if (!peek().is("by")) expected("'by' and a number");
      take();
      item.number = positive("a whole number above 0");
    } else if (keyword.text == "depth") {
      item.kind = ScheduleItem::Kind::kDepth;
      depth(item);
    } else {
      fail(token, fmt::format("expected 'fuse', 'order', 'parallel', 'keep', 'recompute', "
                              "'block', 'skip', 'depth' or '}}', found '{}'",
                              keyword.text));
    }
    item.range = join(item.range, tokens_[at_ - 1].range);
    return item;
  }

  // depth auto | depth min | depth 64 | depth T auto | depth T 64 | depth T min
  void depth(ScheduleItem& item) {
    const auto word = [&](std::size_t ahead) {
      return peek(ahead).is("auto") || peek(ahead).is("min");
    };
    const bool named = peek().kind == Token::Kind::kName &&
                       (!word(0) || word(1) || peek(1).kind == Token::Kind::kNumber);
    if (named) {
      const Name n = name("the name of a tensor");
      item.names.push_back(n.text);
      item.name_ranges.push_back(n.range);
    }
    if (peek().is("auto")) {
      take();
    } else if (peek().is("min")) {
      take();
      item.minimum = true;
    } else {
      item.number = positive("'auto', 'min' or a whole number above 0");
    }
  }

  const std::vector<Token>& tokens_;
  Diagnostics& diag_;
  ModelSyntax model_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  int nesting_ = 0;
  int minuses_ = 0;
  bool in_braces_ = false;
  int errors_ = 0;
};

}  // namespace

ModelSyntax parse(const std::vector<Token>& tokens, Diagnostics& diag) {
  return Parser(tokens, diag).run();
}

std::optional<TensorFormat> parse_format(const std::vector<Token>& tokens,
                                         const std::string& tensor, int rank, Diagnostics& diag) {
  return Parser(tokens, diag).run_format(tensor, rank);
}

}  // namespace heddle::frontend
