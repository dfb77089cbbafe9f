// fuse_statement: EinsumProgram -> FusedEinsum.
//   each access becomes a view of its own; an index that an access repeats is renamed and tied to the first by the
//   identity; `where` masks the statement and the reductions that carry it
#include <algorithm>
#include <functional>
#include <map>

#include "compiler/fusion/fused_einsum.h"
#include "compiler/support/check.h"

namespace heddle {
namespace {

class Fuser {
 public:
  Fuser(const EinsumProgram& program, const Statement& statement)
      : program_(program), statement_(statement) {
    for (const IndexVar& var : statement.indices)
      out_.indices.push_back({var.name, var.size, program.size(var.size).value.value_or(0), false});
  }

  FusedEinsum run() {
    out_.name = program_.tensor(statement_.target.tensor).name;
    out_.type = statement_.type;
    FusedResult& result = out_.result;
    result.tensor = statement_.target.tensor;
    result.format = program_.tensor(result.tensor).format;
    result.range = statement_.range;
    result.value = convert(*statement_.value);
    const auto on_left = [&](IndexId id) {
      const auto& left = statement_.target.indices;
      return std::find(left.begin(), left.end(), id) != left.end();
    };
    if (statement_.where && std::all_of(statement_.where->indices.begin(), statement_.where->indices.end(), on_left))
      result.value = masked(std::move(result.value), *statement_.where);
    // A repeated index on the left: a result on the diagonal.
    std::vector<IndexId> seen;
    for (const IndexId id : statement_.target.indices) {
      IndexId use = id;
      if (std::find(seen.begin(), seen.end(), id) != seen.end()) {
        use = rename(id);
        result.value = identity(std::move(result.value), id, use);
      }
      seen.push_back(use);
      result.indices.push_back(use);
    }
    return std::move(out_);
  }

 private:
  IndexId rename(IndexId id) {
    FusedIndex copy = out_.at(id);
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
      return std::any_of(out_.views.begin(), out_.views.end(), [&](const View& v) { return v.name == n; });
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
    expr.range = body.range;
    expr.view = add_view(view, "I");
    expr.args.push_back(std::move(body));
    return expr;
  }

  /// The access as a view; indices it repeats come back in `ties` and must be summed by the caller.
  FusedExpr access(const Access& access) {
    View view;
    view.tensor = access.tensor;
    view.range = access.range;
    std::vector<std::pair<IndexId, IndexId>> ties;
    for (const IndexId id : access.indices) {
      IndexId use = id;
      if (std::find(view.indices.begin(), view.indices.end(), id) != view.indices.end()) {
        use = rename(id);
        out_.indices[static_cast<std::size_t>(use)].reduced = true;
        ties.emplace_back(id, use);
      }
      view.indices.push_back(use);
    }
    FusedExpr expr;
    expr.kind = FusedExpr::Kind::kView;
    expr.range = access.range;
    expr.view = add_view(view, program_.tensor(access.tensor).name);
    for (const auto& [first, second] : ties) {
      expr = identity(std::move(expr), first, second);
      FusedExpr sum;
      sum.kind = FusedExpr::Kind::kReduce;
      sum.reduce = ReduceOp::kSum;
      sum.index = second;
      sum.range = access.range;
      sum.args.push_back(std::move(expr));
      expr = std::move(sum);
    }
    return expr;
  }

  /// Restricts `body` to the pattern of `mask`.
  FusedExpr masked(FusedExpr body, const Access& mask) {
    View view;
    view.tensor = mask.tensor;
    view.mask = true;
    view.range = mask.range;
    view.indices = mask.indices;
    FusedExpr expr;
    expr.kind = FusedExpr::Kind::kMask;
    expr.range = mask.range;
    expr.view = add_view(view, program_.tensor(mask.tensor).name);
    expr.args.push_back(std::move(body));
    return expr;
  }

  FusedExpr convert(const Expr& e) {
    FusedExpr out;
    out.range = e.range;
    switch (e.kind) {
      case Expr::Kind::kAccess: return access(e.access);
      case Expr::Kind::kConstant:
        out.kind = FusedExpr::Kind::kConstant;
        out.value = e.value;
        return out;
      case Expr::Kind::kIndexSize:
        out.kind = FusedExpr::Kind::kIndexSize;
        out.index = e.index;
        return out;
      case Expr::Kind::kUnary:
        out.kind = FusedExpr::Kind::kUnary;
        out.unary = e.unary;
        break;
      case Expr::Kind::kBinary:
        out.kind = FusedExpr::Kind::kBinary;
        out.binary = e.binary;
        break;
      case Expr::Kind::kSelect: out.kind = FusedExpr::Kind::kSelect; break;
      case Expr::Kind::kReduce:
        out.kind = FusedExpr::Kind::kReduce;
        out.reduce = e.reduce;
        out.index = e.index;
        out_.indices[static_cast<std::size_t>(e.index)].reduced = true;
        out.missing_are_zeros = e.reduce != ReduceOp::kSum && !statement_.where;
        break;
    }
    for (const ExprPtr& arg : e.args) out.args.push_back(convert(*arg));
    if (e.where) out.args[0] = masked(std::move(out.args[0]), *e.where);
    return out;
  }

  const EinsumProgram& program_;
  const Statement& statement_;
  FusedEinsum out_;
};

std::string expr_text(const FusedEinsum& einsum, const FusedExpr& e) {
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
    case FusedExpr::Kind::kView: return view();
    case FusedExpr::Kind::kConstant: return fmt::format("{}", e.value);
    case FusedExpr::Kind::kIndexSize: return "size(" + einsum.at(e.index).name + ")";
    case FusedExpr::Kind::kUnary: return std::string(name(e.unary)) + "(" + args() + ")";
    case FusedExpr::Kind::kBinary: return std::string(name(e.binary)) + "(" + args() + ")";
    case FusedExpr::Kind::kSelect: return "select(" + args() + ")";
    case FusedExpr::Kind::kMask: return "(" + args() + " where " + view() + ")";
    case FusedExpr::Kind::kIdentity: return "(" + args() + " on " + view() + ")";
    case FusedExpr::Kind::kReduce: {
      const char* op = e.reduce == ReduceOp::kSum ? "sum" : e.reduce == ReduceOp::kMax ? "max" : "min";
      return fmt::format("{}({}: {})", op, einsum.at(e.index).name, args());
    }
  }
  return "";
}

}  // namespace

FusedEinsum fuse_statement(const EinsumProgram& program, const Statement& statement) {
  return Fuser(program, statement).run();
}

std::string to_text(const FusedEinsum& einsum, const EinsumProgram& program) {
  std::string left;
  for (const IndexId id : einsum.result.indices)
    left += (left.empty() ? "" : ", ") + einsum.at(id).name;
  std::string text = fmt::format("{}[{}] = {}\n", program.tensor(einsum.result.tensor).name, left,
                                 expr_text(einsum, einsum.result.value));
  text += "order";
  for (const IndexId id : einsum.order) text += " " + einsum.at(id).name;
  text += "\n";
  for (const View& v : einsum.views) {
    if (v.identity) continue;
    std::string levels;
    for (std::size_t l = 0; l < v.format.levels.size(); ++l)
      levels += fmt::format("{}{} {}", l == 0 ? "" : ", ",
                            v.format.levels[l] == LevelKind::kDense ? "dense" : "compressed",
                            einsum.at(v.storage_order()[l]).name);
    text += fmt::format("view {} = {}: {}{}\n", v.name, program.tensor(v.tensor).name,
                        levels.empty() ? "scalar" : levels, v.permuted ? " (a permuted copy)" : "");
  }
  for (const std::string& remark : einsum.remarks) text += "remark: " + remark + "\n";
  return text;
}

}  // namespace heddle
