#include "compiler/frontend/analyze_statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "compiler/frontend/expand.h"
#include "compiler/frontend/suggest.h"

namespace heddle::frontend {
namespace {

std::string plural(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

class StatementAnalyzer {
 public:
  StatementAnalyzer(EinsumProgram& program, Names& names, const Definitions& definitions,
                    std::set<TensorId>& read, Diagnostics& diag)
      : program_(program), names_(names), definitions_(definitions), read_(read), diag_(diag) {}

  void run(StatementSyntax syntax) {
    statement_.range = syntax.range;
    statement_.target.range = syntax.target.range;
    collect_names(syntax);
    where_ = syntax.where ? &*syntax.where : nullptr;
    const std::optional<TensorId> declared = names_.find_tensor(syntax.target.tensor.text);
    bind_target(syntax.target, declared);
    bool good = place_implicit_sums(syntax.value, syntax.target.indices, diag_) &&
                expand_macros(syntax.value, diag_);
    if (where_ != nullptr) where_tensor_ = tensor(*where_);
    if (good) statement_.value = resolve(*syntax.value);
    good = good && statement_.value != nullptr;
    if (where_ != nullptr && good) statement_.where = resolve_where();
    if (good) check_sizes();
    statement_.type = declared ? program_.tensor(*declared).type : operand_type();
    if (good) check_types(syntax, declared);
    statement_.target.tensor = declared ? *declared : define(syntax.target);
    if (good) program_.statements.push_back(std::move(statement_));
  }

 private:
  // --- indices ---

  void note_name(const Name& name) { written_.insert(name.text); }

  void collect_names(const ExprSyntax& e) {
    for (const Name& name : e.access.indices) note_name(name);
    for (const Name& name : e.indices) note_name(name);
    for (const ExprSyntaxPtr& arg : e.args) collect_names(*arg);
  }

  void collect_names(const StatementSyntax& syntax) {
    for (const Name& name : syntax.target.indices) note_name(name);
    collect_names(*syntax.value);
    if (syntax.where) {
      for (const Name& name : syntax.where->indices) note_name(name);
    }
  }

  IndexId add_index(const Name& name) {
    std::string unique = name.text;
    int& count = copies_[name.text];
    while (count > 0 &&
           (unique == name.text || written_.count(unique) > 0 || taken_.count(unique) > 0)) {
      unique = fmt::format("{}_{}", name.text, ++count);
    }
    if (count == 0) count = 1;
    taken_.insert(unique);
    statement_.indices.push_back({unique, name.text, SizeId{}, name.range});
    sized_.push_back(false);
    return static_cast<IndexId>(statement_.indices.size() - 1);
  }

  std::optional<IndexId> in_scope(const std::string& name) const {
    for (auto at = scope_.rbegin(); at != scope_.rend(); ++at) {
      if (at->first == name) return at->second;
    }
    return std::nullopt;
  }

  void give_size(IndexId index, SizeId size) {
    const auto n = static_cast<std::size_t>(index);
    if (sized_[n]) return;
    sized_[n] = true;
    statement_.indices[n].size = size;
  }

  // --- the target ---

  void bind_target(const AccessSyntax& target, std::optional<TensorId> declared) {
    for (const Name& name : target.indices) {
      std::optional<IndexId> index = in_scope(name.text);
      if (!index) {
        index = add_index(name);
        scope_.emplace_back(name.text, *index);
      }
      statement_.target.indices.push_back(*index);
    }
    if (declared && rank_matches(target, *declared)) {
      const TensorDecl& decl = program_.tensor(*declared);
      for (std::size_t n = 0; n < decl.modes.size(); ++n) {
        give_size(statement_.target.indices[n], decl.modes[n]);
      }
    }
  }

  TensorId define(const AccessSyntax& target) {
    TensorDecl decl;
    decl.name = target.tensor.text;
    decl.range = target.tensor.range;
    decl.type = statement_.type;
    for (std::size_t n = 0; n < target.indices.size(); ++n) {
      const auto index = static_cast<std::size_t>(statement_.target.indices[n]);
      // After an error a size may be unknown; then it has the name of the index.
      decl.modes.push_back(sized_[index] ? statement_.indices[index].size
                                         : names_.size(target.indices[n]));
    }
    return names_.add_tensor(std::move(decl));
  }

  void check_sizes() {
    for (std::size_t n = 0; n < statement_.indices.size(); ++n) {
      if (sized_[n]) continue;
      const IndexVar& index = statement_.indices[n];
      diag_.error("index-size", index.range,
                  fmt::format("nothing gives the size of the index '{}'", index.written));
      diag_.note(
          "an index on the left that nothing on the right uses needs a declared target, "
          "and a reduced index has to occur in the expression");
    }
  }

  // --- accesses ---

  bool rank_matches(const AccessSyntax& access, TensorId id) {
    const TensorDecl& decl = program_.tensor(id);
    if (decl.modes.size() == access.indices.size()) return true;
    diag_.error("access-rank", access.range,
                fmt::format("'{}' is accessed with {} but has {}", access.tensor.text,
                            plural(access.indices.size(), "index", "indices"),
                            plural(decl.modes.size(), "mode", "modes")));
    diag_.note(decl.range, decl.declared ? "declared here" : "defined here");
    return false;
  }

  /// The tensor that may be read here under this name.
  std::optional<TensorId> tensor(const AccessSyntax& access) {
    const std::string& name = access.tensor.text;
    const std::optional<TensorId> id = names_.find_tensor(name);
    const bool has_data = id && program_.tensor(*id).binding.kind != Binding::Kind::kNone;
    const auto defined = definitions_.statement.find(name);
    if (!has_data && defined != definitions_.statement.end() &&
        defined->second >= definitions_.current) {
      const bool recursive = defined->second == definitions_.current;
      diag_.error(recursive ? "recursion" : "order", access.tensor.range,
                  fmt::format("'{}' is {}", name,
                              recursive ? "defined by itself"
                                        : "used before the statement that defines it"));
      diag_.note(definitions_.targets[defined->second], "defined here");
      return std::nullopt;
    }
    if (!id) {
      diag_.error(
          "unknown-tensor", access.tensor.range,
          fmt::format("there is no tensor '{}'{}", name, suggestion(name, names_.tensor_names())));
      return std::nullopt;
    }
    read_.insert(*id);
    return rank_matches(access, *id) ? id : std::nullopt;
  }

  std::optional<Access> resolve_access(const AccessSyntax& syntax, TensorId id) {
    Access access;
    access.tensor = id;
    access.range = syntax.range;
    for (std::size_t n = 0; n < syntax.indices.size(); ++n) {
      const std::optional<IndexId> index = in_scope(syntax.indices[n].text);
      if (!index) return std::nullopt;
      access.indices.push_back(*index);
      give_size(*index, program_.tensor(id).modes[n]);
    }
    return access;
  }

  // --- where ---

  static bool names_index(const std::vector<Name>& names, const std::string& index) {
    return std::ranges::any_of(names, [&](const Name& name) { return name.text == index; });
  }

  static bool rebinds(const ExprSyntax& e, const std::string& index) {
    return (e.kind == ExprSyntax::Kind::kReduce && names_index(e.indices, index)) ||
           std::ranges::any_of(e.args, [&](const ExprSyntaxPtr& a) { return rebinds(*a, index); });
  }

  /// The mask as the reduction over index `n` of `syntax` sees it. It has to have that index, and
  /// all its others have to be known here: one that only reductions further inside use is theirs.
  std::optional<Access> where_inside(const ExprSyntax& syntax, std::size_t n) {
    if (where_ == nullptr || !where_tensor_) return std::nullopt;
    if (!names_index(where_->indices, syntax.indices[n].text)) return std::nullopt;
    const ExprSyntax& body = *syntax.args[0];
    for (const Name& name : where_->indices) {
      const bool later = std::any_of(syntax.indices.begin() + static_cast<std::ptrdiff_t>(n) + 1,
                                     syntax.indices.end(),
                                     [&](const Name& other) { return other.text == name.text; });
      if (later || (rebinds(body, name.text) && !uses(body, name.text))) return std::nullopt;
    }
    return resolve_access(*where_, *where_tensor_);
  }

  std::optional<Access> resolve_where() {
    if (!where_tensor_) return std::nullopt;
    // Indices that are not on the left are those of the first reduction of that name.
    for (const Name& name : where_->indices) {
      if (in_scope(name.text)) continue;
      const auto found = std::ranges::find(statement_.indices, name.text, &IndexVar::written);
      if (found == statement_.indices.end()) {
        diag_.error(
            "where-index", name.range,
            fmt::format("the index '{}' of 'where' occurs nowhere in the statement", name.text));
        return std::nullopt;
      }
      scope_.emplace_back(name.text, static_cast<IndexId>(found - statement_.indices.begin()));
    }
    return resolve_access(*where_, *where_tensor_);
  }

  // --- expressions: null after an error; all errors are reported ---

  static ExprPtr make(Expr::Kind kind, SourceRange range) {
    auto e = std::make_unique<Expr>();
    e->kind = kind;
    e->range = range;
    return e;
  }

  ExprPtr resolve(const ExprSyntax& syntax) {
    switch (syntax.kind) {
      case ExprSyntax::Kind::kNumber: {
        ExprPtr e = make(Expr::Kind::kConstant, syntax.range);
        e->value = syntax.number;
        constants_.push_back(e.get());
        return e;
      }
      case ExprSyntax::Kind::kAccess:
        return access(syntax);
      case ExprSyntax::Kind::kNegate: {
        ExprPtr e = make(Expr::Kind::kUnary, syntax.range);
        e->unary = UnaryOp::kNeg;
        return arguments(std::move(e), syntax);
      }
      case ExprSyntax::Kind::kInfix: {
        ExprPtr e = make(Expr::Kind::kBinary, syntax.range);
        e->binary = syntax.op == '+'   ? BinaryOp::kAdd
                    : syntax.op == '-' ? BinaryOp::kSub
                    : syntax.op == '*' ? BinaryOp::kMul
                                       : BinaryOp::kDiv;
        return arguments(std::move(e), syntax);
      }
      case ExprSyntax::Kind::kCall:
        return call(syntax);
      case ExprSyntax::Kind::kReduce:
        return reduce(syntax);
      case ExprSyntax::Kind::kSize:
        return size(syntax);
    }
    return nullptr;
  }

  ExprPtr access(const ExprSyntax& syntax) {
    const std::optional<TensorId> id = tensor(syntax.access);
    if (!id) return nullptr;
    ExprPtr e = make(Expr::Kind::kAccess, syntax.range);
    std::optional<Access> found = resolve_access(syntax.access, *id);
    if (!found) return nullptr;
    e->access = std::move(*found);
    accesses_.push_back(e->access);
    return e;
  }

  ExprPtr arguments(ExprPtr e, const ExprSyntax& syntax) {
    bool good = true;
    for (const ExprSyntaxPtr& arg : syntax.args) {
      e->args.push_back(resolve(*arg));
      good = good && e->args.back() != nullptr;
    }
    return good ? std::move(e) : nullptr;
  }

  ExprPtr size(const ExprSyntax& syntax) {
    const Name& name = syntax.indices[0];
    std::optional<IndexId> index = in_scope(name.text);
    if (!index) {
      const auto found = std::ranges::find(statement_.indices, name.text, &IndexVar::written);
      if (found == statement_.indices.end()) {
        diag_.error("index-size", name.range,
                    fmt::format("there is no index '{}' whose size could be taken", name.text));
        return nullptr;
      }
      index = static_cast<IndexId>(found - statement_.indices.begin());
    }
    ExprPtr e = make(Expr::Kind::kIndexSize, syntax.range);
    e->index = *index;
    return e;
  }

  static const std::vector<std::string>& function_names() {
    static const std::vector<std::string> names = {
        "relu", "exp", "log", "sqrt", "rsqrt", "reciprocal", "tanh", "sigmoid", "gelu",
        "abs",  "max", "min", "lt",   "le",    "eq",         "ne",   "select"};
    return names;
  }

  static bool is_function(const std::string& name) {
    return std::ranges::find(function_names(), name) != function_names().end();
  }

  static const std::vector<std::string>& reduction_names() {
    static const std::vector<std::string> names = {"sum",     "max",       "min",    "mean",
                                                   "softmax", "layernorm", "rmsnorm"};
    return names;
  }

  static bool is_reduction(const std::string& name) {
    return std::ranges::find(reduction_names(), name) != reduction_names().end();
  }

  ExprPtr call(const ExprSyntax& syntax) {
    const std::string& name = syntax.name.text;
    if (!is_function(name)) {
      if (is_reduction(name)) {
        diag_.error("unknown-function", syntax.name.range,
                    fmt::format("'{0}' needs its indices: {0}(j: ...)", name));
      } else {
        diag_.error("unknown-function", syntax.name.range,
                    fmt::format("there is no function '{}'; functions are {}; over indices as "
                                "in sum(j: x) go {}",
                                name, fmt::join(function_names(), ", "),
                                fmt::join(reduction_names(), ", ")));
      }
      return nullptr;
    }
    ExprPtr e = make(Expr::Kind::kSelect, syntax.range);
    std::size_t count = 3;
    if (const auto unary = parse_unary_op(name)) {
      e->kind = Expr::Kind::kUnary;
      e->unary = *unary;
      unaries_.push_back({*unary, syntax.name.range});
      count = 1;
    } else if (const auto binary = parse_binary_op(name)) {
      e->kind = Expr::Kind::kBinary;
      e->binary = *binary;
      count = 2;
    }
    if (!check_count(syntax, count)) return nullptr;
    return arguments(std::move(e), syntax);
  }

  bool check_count(const ExprSyntax& syntax, std::size_t count) {
    if (syntax.args.size() == count) return true;
    diag_.error("argument-count", syntax.name.range,
                fmt::format("'{}' takes {}, found {}", syntax.name.text,
                            plural(count, "argument", "arguments"), syntax.args.size()));
    return false;
  }

  ExprPtr reduce(const ExprSyntax& syntax) {
    const std::string& name = syntax.name.text;
    if (!is_reduction(name)) {
      diag_.error("unknown-function", syntax.name.range,
                  fmt::format("'{}' {} over indices; {} do", name,
                              is_function(name) ? "does not go" : "is no function that goes",
                              fmt::join(reduction_names(), ", ")));
      return nullptr;
    }
    if (!check_count(syntax, 1)) return nullptr;
    const std::size_t outer = scope_.size();
    std::vector<IndexId> indices;
    std::vector<std::optional<Access>> masks;
    for (const Name& index : syntax.indices) {
      const bool twice =
          std::any_of(scope_.begin() + static_cast<std::ptrdiff_t>(outer), scope_.end(),
                      [&](const auto& known) { return known.first == index.text; });
      if (twice) {
        diag_.error("index-twice", index.range,
                    fmt::format("'{}' is reduced twice here", index.text));
        scope_.resize(outer);
        return nullptr;
      }
      indices.push_back(add_index(index));
      scope_.emplace_back(index.text, indices.back());
    }
    for (std::size_t n = 0; n < indices.size(); ++n) masks.push_back(where_inside(syntax, n));
    ExprPtr body = resolve(*syntax.args[0]);
    scope_.resize(outer);
    if (body == nullptr) return nullptr;
    for (std::size_t n = indices.size(); n-- > 0;) {
      body = reduction(name, indices[n], std::move(body), std::move(masks[n]), syntax.range);
    }
    return body;
  }

  static ExprPtr reduction(const std::string& name, IndexId index, ExprPtr body,
                           std::optional<Access> mask, SourceRange range) {
    ExprPtr e = make(Expr::Kind::kReduce, range);
    e->reduce = name == "max" ? ReduceOp::kMax : name == "min" ? ReduceOp::kMin : ReduceOp::kSum;
    e->index = index;
    e->args.push_back(std::move(body));
    e->where = std::move(mask);
    if (name != "mean") return e;
    ExprPtr size = make(Expr::Kind::kIndexSize, range);
    size->index = index;
    ExprPtr mean = make(Expr::Kind::kBinary, range);
    mean->binary = BinaryOp::kDiv;
    mean->args.push_back(std::move(e));
    mean->args.push_back(std::move(size));
    return mean;
  }

  // --- types ---

  ValueType operand_type() const {
    return accesses_.empty() ? ValueType::kF32 : program_.tensor(accesses_[0].tensor).type;
  }

  void check_types(const StatementSyntax& syntax, std::optional<TensorId> declared) {
    const ValueType type = statement_.type;
    for (const Access& access : accesses_) {
      const TensorDecl& decl = program_.tensor(access.tensor);
      if (decl.type == type) continue;
      diag_.error(
          "type-mix", access.range,
          fmt::format("'{}' is {} in a statement of {}", decl.name, name(decl.type), name(type)));
      if (declared) {
        diag_.note(program_.tensor(*declared).range,
                   fmt::format("'{}' is declared here", syntax.target.tensor.text));
      } else {
        diag_.note(accesses_[0].range, fmt::format("{} because of this operand", name(type)));
      }
      return;
    }
    for (const auto& [op, range] : unaries_) {
      if (supports(op, type)) continue;
      diag_.error("type-function", range,
                  fmt::format("'{}' does not exist for {}", name(op), name(type)));
    }
    if (type != ValueType::kI32) return;
    for (const Expr* constant : constants_) {
      const double v = constant->value;
      if (v == std::floor(v) && v >= std::numeric_limits<std::int32_t>::min() &&
          v <= std::numeric_limits<std::int32_t>::max()) {
        continue;
      }
      diag_.error("type-constant", constant->range,
                  fmt::format("{} is not an i32 number, and this statement is of i32", v));
    }
  }

  struct Use {
    UnaryOp op;
    SourceRange range;
  };

  EinsumProgram& program_;
  Names& names_;
  const Definitions& definitions_;
  std::set<TensorId>& read_;
  Diagnostics& diag_;

  Statement statement_;
  const AccessSyntax* where_ = nullptr;
  std::optional<TensorId> where_tensor_;
  std::vector<std::pair<std::string, IndexId>> scope_;  // innermost last
  std::vector<bool> sized_;                             // by index
  std::set<std::string> written_;                       // every index name of the statement
  std::set<std::string> taken_;
  std::map<std::string, int> copies_;
  std::vector<Access> accesses_;
  std::vector<const Expr*> constants_;
  std::vector<Use> unaries_;
};

}  // namespace

void analyze_statement(StatementSyntax syntax, EinsumProgram& program, Names& names,
                       const Definitions& definitions, std::set<TensorId>& read,
                       Diagnostics& diag) {
  StatementAnalyzer(program, names, definitions, read, diag).run(std::move(syntax));
}

}  // namespace heddle::frontend
