// fuse_statements: EinsumProgram -> FusedEinsum.
//   each access becomes a view of its own; an index that an access repeats is renamed and tied to
//   the first by the identity; `where` masks the statement and the reductions that carry it
#include <algorithm>
#include <functional>
#include <map>

#include "compiler/fusion/fused_einsum.h"
#include "compiler/support/check.h"

namespace heddle {
namespace {

class Fuser {
 public:
  Fuser(const EinsumProgram& program, const std::vector<std::size_t>& statements,
        const std::vector<TensorId>& kept)
      : program_(program), kept_(kept), deciding_masks_(deciding_masks(program)) {
    for (const std::size_t s : statements)
      inside_[program.statements[s].target.tensor] = &program.statements[s];
  }

  FusedEinsum run(const std::vector<std::size_t>& statements, const std::vector<TensorId>& stored) {
    for (const std::size_t s : statements) {
      const Statement& statement = program_.statements[s];
      out_.name += (out_.name.empty() ? "" : "+") + program_.tensor(statement.target.tensor).name;
      out_.type = statement.type;
      const bool store = contains(stored, statement.target.tensor);
      if (!store && !keeps(statement.target.tensor)) continue;
      result(statement);
      out_.results.back().stored = store;
    }
    return std::move(out_);
  }

 private:
  /// What the indices of a statement are in the region, for one writing out of it.
  struct Scope {
    const Statement* statement = nullptr;
    std::map<IndexId, IndexId> indices;
  };

  static bool contains(const std::vector<TensorId>& list, TensorId tensor) {
    return std::find(list.begin(), list.end(), tensor) != list.end();
  }
  bool keeps(TensorId tensor) const { return contains(kept_, tensor); }

  void result(const Statement& statement) {
    FusedResult result;
    result.kept = keeps(statement.target.tensor);
    result.tensor = statement.target.tensor;
    result.name = program_.tensor(result.tensor).name;
    result.format = program_.tensor(result.tensor).format;
    result.range = statement.range;
    Scope scope{&statement, {}};
    for (const IndexId id : statement.target.indices) index_of(scope, id);
    result.value = value(scope);
    // A repeated index on the left: a result on the diagonal.
    std::vector<IndexId> seen;
    for (const IndexId written : statement.target.indices) {
      const IndexId id = index_of(scope, written);
      IndexId use = id;
      if (std::find(seen.begin(), seen.end(), id) != seen.end()) {
        use = rename(id);
        result.value = identity(std::move(result.value), id, use);
      }
      seen.push_back(use);
      result.indices.push_back(use);
    }
    out_.results.push_back(std::move(result));
  }

  /// The value of a statement, masked if it is.
  FusedExpr value(Scope& scope) {
    const Statement& statement = *scope.statement;
    FusedExpr value = convert(*statement.value, scope);
    const auto on_left = [&](IndexId id) {
      const auto& left = statement.target.indices;
      return std::find(left.begin(), left.end(), id) != left.end();
    };
    if (statement.where &&
        std::all_of(statement.where->indices.begin(), statement.where->indices.end(), on_left))
      return masked(std::move(value), *statement.where, scope);
    return value;
  }

  /// The region's index for one of the statement's; a new one the first time.
  IndexId index_of(Scope& scope, IndexId id) {
    const auto found = scope.indices.find(id);
    if (found != scope.indices.end()) return found->second;
    const IndexVar& var = scope.statement->indices[static_cast<std::size_t>(id)];
    const auto kin =
        kin_.emplace(std::make_pair(scope.statement, var.written), static_cast<int>(kin_.size()))
            .first->second;
    const std::uint32_t length = program_.size(var.size).value.value_or(0);
    const IndexId made = add_index({var.name, var.written, var.size, length, false, kin, length});
    scope.indices[id] = made;
    return made;
  }

  IndexId rename(IndexId id) {
    FusedIndex copy = out_.at(id);
    copy.kin = static_cast<int>(kin_.size());
    kin_[std::make_pair(nullptr, std::to_string(copy.kin))] = copy.kin;
    return add_index(copy);
  }

  IndexId add_index(FusedIndex copy) {
    const std::string base = copy.name;
    const auto taken = [&](const std::string& name) {
      return std::any_of(out_.indices.begin(), out_.indices.end(),
                         [&](const FusedIndex& i) { return i.name == name; });
    };
    for (int n = 2; taken(copy.name); ++n) copy.name = base + "_" + std::to_string(n);
    out_.indices.push_back(copy);
    return static_cast<IndexId>(out_.indices.size() - 1);
  }

  int add_view(View view, const std::string& name) {
    view.name = name;
    const auto taken = [&](const std::string& n) {
      return std::any_of(out_.views.begin(), out_.views.end(),
                         [&](const View& v) { return v.name == n; });
    };
    for (int n = 2; taken(view.name); ++n) view.name = name + "_" + std::to_string(n);
    out_.views.push_back(std::move(view));
    return static_cast<int>(out_.views.size()) - 1;
  }

  FusedExpr identity(FusedExpr body, IndexId a, IndexId b) {
    View view;
    view.identity = true;
    view.indices = {a, b};
    view.format = TensorFormat::compressed(2);
    view.range = body.range;
    FusedExpr expr;
    expr.kind = FusedExpr::Kind::kIdentity;
    expr.owner = body.owner;
    expr.range = body.range;
    expr.view = add_view(view, "I");
    expr.args.push_back(std::move(body));
    return expr;
  }

  using Ties = std::vector<std::pair<IndexId, IndexId>>;

  /// Gives a view the indices of an access. One that it repeats is renamed, to be tied to the
  /// first.
  Ties place(View& view, const Access& access, Scope& scope) {
    Ties ties;
    for (const IndexId written : access.indices) {
      const IndexId id = index_of(scope, written);
      IndexId use = id;
      if (std::find(view.indices.begin(), view.indices.end(), id) != view.indices.end()) {
        use = rename(id);
        out_.indices[static_cast<std::size_t>(use)].reduced = true;
        ties.emplace_back(id, use);
      }
      view.indices.push_back(use);
    }
    return ties;
  }

  /// What `expr` has where the second index of each tie equals the first: a sum of one term.
  FusedExpr tied(FusedExpr expr, const Ties& ties, const Scope& scope) {
    for (const auto& [first, second] : ties) {
      FusedExpr sum;
      sum.kind = FusedExpr::Kind::kReduce;
      sum.reduce = ReduceOp::kSum;
      sum.index = second;
      sum.range = expr.range;
      sum.owner = program_.tensor(scope.statement->target.tensor).name;
      sum.args.push_back(identity(std::move(expr), first, second));
      expr = std::move(sum);
    }
    return expr;
  }

  /// A tensor that the region defines is written out; another one becomes a view, with an index
  /// that it repeats renamed and tied to the first.
  FusedExpr access(const Access& access, Scope& scope) {
    if (const auto inside = inside_.find(access.tensor);
        inside != inside_.end() && !keeps(access.tensor))
      return write_out(*inside->second, access, scope);
    View view;
    view.tensor = access.tensor;
    view.range = access.range;
    for (std::size_t r = 0; r < out_.results.size(); ++r)
      if (keeps(access.tensor) && out_.results[r].tensor == access.tensor)
        view.kept = static_cast<int>(r);
    const Ties ties = place(view, access, scope);
    FusedExpr expr;
    expr.kind = FusedExpr::Kind::kView;
    expr.owner = program_.tensor(scope.statement->target.tensor).name;
    expr.range = access.range;
    expr.view = add_view(view, program_.tensor(access.tensor).name);
    return tied(std::move(expr), ties, scope);
  }

  /// The value of a producer at the place of a use: its left indices are the use's, its own sums
  /// are new.
  FusedExpr write_out(const Statement& producer, const Access& use, Scope& scope) {
    Scope inner{&producer, {}};
    std::vector<std::pair<IndexId, IndexId>> ties;
    for (std::size_t m = 0; m < use.indices.size(); ++m) {
      const IndexId given = index_of(scope, use.indices[m]);
      const IndexId own = producer.target.indices[m];
      // D[i, i] = ... read at [x, y]: there only where x = y.
      const auto [at, is_new] = inner.indices.emplace(own, given);
      if (!is_new && at->second != given) ties.emplace_back(at->second, given);
    }
    FusedExpr expr = value(inner);
    if (stores_zeros_for_masks(producer, *scope.statement)) expr = everywhere(std::move(expr));
    for (const auto& [a, b] : ties) expr = identity(std::move(expr), a, b);
    return expr;
  }

  /// Whether the entries of a mask depend on the zeros that a dense tensor would have stored.
  bool stores_zeros_for_masks(const Statement& producer, const Statement& reader) const {
    const std::optional<TensorFormat>& format = program_.tensor(producer.target.tensor).format;
    return format && format->all_dense() && deciding_masks_.count(reader.target.tensor) > 0;
  }

  /// `expr`, and zero where it has no entry.
  static FusedExpr everywhere(FusedExpr expr) {
    FusedExpr zero;
    zero.kind = FusedExpr::Kind::kConstant;
    zero.owner = expr.owner;
    zero.range = expr.range;
    FusedExpr sum;
    sum.kind = FusedExpr::Kind::kBinary;
    sum.binary = BinaryOp::kAdd;
    sum.owner = expr.owner;
    sum.range = expr.range;
    sum.args.push_back(std::move(expr));
    sum.args.push_back(std::move(zero));
    return sum;
  }

  /// Restricts `body` to the pattern of `mask`.
  FusedExpr masked(FusedExpr body, const Access& mask, Scope& scope) {
    View view;
    view.tensor = mask.tensor;
    view.mask = true;
    view.range = mask.range;
    const Ties ties = place(view, mask, scope);
    FusedExpr expr;
    expr.kind = FusedExpr::Kind::kMask;
    expr.range = mask.range;
    expr.view = add_view(view, program_.tensor(mask.tensor).name);
    expr.args.push_back(std::move(body));
    return tied(std::move(expr), ties, scope);
  }

  FusedExpr convert(const Expr& e, Scope& scope) {
    FusedExpr out;
    out.range = e.range;
    out.owner = program_.tensor(scope.statement->target.tensor).name;
    switch (e.kind) {
      case Expr::Kind::kAccess:
        return access(e.access, scope);
      case Expr::Kind::kConstant:
        out.kind = FusedExpr::Kind::kConstant;
        out.value = e.value;
        return out;
      case Expr::Kind::kIndexSize:
        out.kind = FusedExpr::Kind::kIndexSize;
        out.index = index_of(scope, e.index);
        return out;
      case Expr::Kind::kUnary:
        out.kind = FusedExpr::Kind::kUnary;
        out.unary = e.unary;
        break;
      case Expr::Kind::kBinary:
        out.kind = FusedExpr::Kind::kBinary;
        out.binary = e.binary;
        break;
      case Expr::Kind::kSelect:
        out.kind = FusedExpr::Kind::kSelect;
        break;
      case Expr::Kind::kReduce:
        out.kind = FusedExpr::Kind::kReduce;
        out.reduce = e.reduce;
        out.index = index_of(scope, e.index);
        out_.indices[static_cast<std::size_t>(out.index)].reduced = true;
        out.missing_are_zeros = e.reduce != ReduceOp::kSum && !scope.statement->where;
        break;
    }
    for (const ExprPtr& arg : e.args) out.args.push_back(convert(*arg, scope));
    if (e.where) out.args[0] = masked(std::move(out.args[0]), *e.where, scope);
    return out;
  }

  const EinsumProgram& program_;
  const std::vector<TensorId>& kept_;
  const std::set<TensorId> deciding_masks_;
  std::map<TensorId, const Statement*> inside_;  // by the tensor it defines
  std::map<std::pair<const Statement*, std::string>, int> kin_;
  FusedEinsum out_;
};

/// How tight an expression binds, and the sign that it is written with, if any.
std::pair<int, const char*> sign_of(const FusedExpr& e) {
  constexpr int kSum = 1, kProduct = 2, kAlone = 3;
  if (e.kind != FusedExpr::Kind::kBinary) return {kAlone, nullptr};
  switch (e.binary) {
    case BinaryOp::kAdd:
      return {kSum, "+"};
    case BinaryOp::kSub:
      return {kSum, "-"};
    case BinaryOp::kMul:
      return {kProduct, "*"};
    case BinaryOp::kDiv:
      return {kProduct, "/"};
    default:
      return {kAlone, nullptr};
  }
}

std::string expr_text(const FusedEinsum& einsum, const FusedExpr& e) {
  const auto operand = [&](const FusedExpr& arg, int least) {
    const std::string text = expr_text(einsum, arg);
    return sign_of(arg).first < least ? "(" + text + ")" : text;
  };
  const auto args = [&] {
    std::string text;
    for (const FusedExpr& arg : e.args) text += (text.empty() ? "" : ", ") + expr_text(einsum, arg);
    return text;
  };
  const auto view = [&] {
    const View& v = einsum.views[static_cast<std::size_t>(e.view)];
    std::string text;
    for (const IndexId id : v.indices) text += (text.empty() ? "" : ", ") + einsum.at(id).name;
    return v.name + "[" + text + "]";
  };
  switch (e.kind) {
    case FusedExpr::Kind::kView:
      return view();
    case FusedExpr::Kind::kConstant:
      return fmt::format("{}", e.value);
    case FusedExpr::Kind::kIndexSize:
      return "size(" + einsum.at(e.index).name + ")";
    case FusedExpr::Kind::kUnary:
      return std::string(name(e.unary)) + "(" + args() + ")";
    case FusedExpr::Kind::kBinary: {
      const auto [tightness, sign] = sign_of(e);
      if (sign == nullptr) return std::string(name(e.binary)) + "(" + args() + ")";
      // The second operand is no part of the same chain: what is grouped stays grouped.
      return fmt::format("{} {} {}", operand(e.args[0], tightness), sign,
                         operand(e.args[1], tightness + 1));
    }
    case FusedExpr::Kind::kSelect:
      return "select(" + args() + ")";
    case FusedExpr::Kind::kMask:
      return "(" + args() + " where " + view() + ")";
    case FusedExpr::Kind::kIdentity:
      return "(" + args() + " on " + view() + ")";
    case FusedExpr::Kind::kPlaces:
      return fmt::format("tile({}: {})", einsum.at(e.index).name, args());
    case FusedExpr::Kind::kReduce: {
      const char* op = e.reduce == ReduceOp::kSum   ? "sum"
                       : e.reduce == ReduceOp::kMax ? "max"
                                                    : "min";
      return fmt::format("{}({}: {})", op, einsum.at(e.index).name, args());
    }
  }
  return "";
}

}  // namespace

FusedEinsum fuse_statements(const EinsumProgram& program,
                            const std::vector<std::size_t>& statements,
                            const std::vector<TensorId>& stored,
                            const std::vector<TensorId>& kept) {
  return Fuser(program, statements, kept).run(statements, stored);
}

std::string to_text(const FusedEinsum& einsum, const EinsumProgram& program) {
  std::string text;
  for (const FusedResult& result : einsum.results) {
    std::string left;
    for (const IndexId id : result.indices) left += (left.empty() ? "" : ", ") + einsum.at(id).name;
    text += fmt::format("{}{}[{}] = {}\n", result.kept ? "keep " : "",
                        program.tensor(result.tensor).name, left, expr_text(einsum, result.value));
  }
  text += "order";
  for (const IndexId id : einsum.order) text += " " + einsum.at(id).name;
  text += "\n";
  for (const FusedIndex& i : einsum.indices)
    if (i.block > 1) text += fmt::format("tiles of {} {}\n", i.block, i.name);
  for (const View& v : einsum.views) {
    if (!v.of_tensor()) continue;
    std::string levels;
    for (std::size_t l = 0; l < v.format.levels.size(); ++l)
      levels += fmt::format("{}{} {}", l == 0 ? "" : ", ",
                            v.format.levels[l] == LevelKind::kDense ? "dense" : "compressed",
                            einsum.at(v.storage_order()[l]).name);
    text += fmt::format("view {} = {}: {}{}\n", v.name, program.tensor(v.tensor).name,
                        levels.empty() ? "scalar" : levels,
                        v.kept >= 0  ? " (kept)"
                        : v.permuted ? " (a permuted copy)"
                                     : "");
  }
  for (const std::string& remark : einsum.remarks) text += "remark: " + remark + "\n";
  return text;
}

}  // namespace heddle
