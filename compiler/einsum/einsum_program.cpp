#include "compiler/einsum/einsum_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "compiler/support/check.h"

namespace heddle {
namespace {

// Binding strength of an expression's outermost operator.
enum class Strength : std::uint8_t { kSum, kProduct, kUnary, kAtom };

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out += '"';
}

bool is_number(const std::string& name) {
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) != 0;
}

class Printer {
 public:
  Printer(const EinsumProgram& program, const Statement& statement)
      : program_(program), statement_(statement) {}

  std::string access(const Access& access) const {
    std::string out = program_.tensor(access.tensor).name;
    out += '[';
    for (std::size_t n = 0; n < access.indices.size(); ++n) {
      if (n > 0) out += ", ";
      out += index(access.indices[n]);
    }
    return out += ']';
  }

  std::string expr(const Expr& e, Strength needed) const {
    const std::string text = bare(e);
    return strength(e) < needed ? fmt::format("({})", text) : text;
  }

 private:
  // Names as written: scopes nest in the text as they do in the expression.
  std::string index(IndexId id) const {
    const IndexVar& var = statement_.indices[static_cast<std::size_t>(id)];
    return var.written.empty() ? var.name : var.written;
  }

  // sum(j: x) / size(j)
  static bool is_mean(const Expr& e) {
    if (e.kind != Expr::Kind::kBinary || e.binary != BinaryOp::kDiv) return false;
    const Expr& sum = *e.args[0];
    const Expr& size = *e.args[1];
    return sum.kind == Expr::Kind::kReduce && sum.reduce == ReduceOp::kSum &&
           size.kind == Expr::Kind::kIndexSize && size.index == sum.index;
  }

  static Strength strength(const Expr& e) {
    if (e.kind == Expr::Kind::kConstant && e.value < 0) return Strength::kUnary;
    if (e.kind == Expr::Kind::kUnary && e.unary == UnaryOp::kNeg) return Strength::kUnary;
    if (e.kind != Expr::Kind::kBinary || is_mean(e)) return Strength::kAtom;
    switch (e.binary) {
      case BinaryOp::kAdd:
      case BinaryOp::kSub:
        return Strength::kSum;
      case BinaryOp::kMul:
      case BinaryOp::kDiv:
        return Strength::kProduct;
      default:
        return Strength::kAtom;
    }
  }

  std::string reduction(std::string_view name, IndexId over, const Expr& body) const {
    return fmt::format("{}({}: {})", name, index(over), expr(body, Strength::kSum));
  }

  std::string infix(const Expr& e, char op, Strength left) const {
    const auto right = static_cast<Strength>(static_cast<int>(left) + 1);
    return fmt::format("{} {} {}", expr(*e.args[0], left), op, expr(*e.args[1], right));
  }

  std::string call(std::string_view name, const Expr& e) const {
    std::string out(name);
    out += '(';
    for (std::size_t n = 0; n < e.args.size(); ++n) {
      if (n > 0) out += ", ";
      out += expr(*e.args[n], Strength::kSum);
    }
    return out += ')';
  }

  std::string binary(const Expr& e) const {
    if (is_mean(e)) return reduction("mean", e.args[0]->index, *e.args[0]->args[0]);
    switch (e.binary) {
      case BinaryOp::kAdd:
        return infix(e, '+', Strength::kSum);
      case BinaryOp::kSub:
        return infix(e, '-', Strength::kSum);
      case BinaryOp::kMul:
        return infix(e, '*', Strength::kProduct);
      case BinaryOp::kDiv:
        return infix(e, '/', Strength::kProduct);
      default:
        return call(name(e.binary), e);
    }
  }

  std::string bare(const Expr& e) const {
    switch (e.kind) {
      case Expr::Kind::kAccess:
        return access(e.access);
      case Expr::Kind::kConstant:
        return fmt::format("{}", e.value);
      case Expr::Kind::kIndexSize:
        return fmt::format("size({})", index(e.index));
      case Expr::Kind::kUnary:
        if (e.unary != UnaryOp::kNeg) return call(name(e.unary), e);
        // A number after the sign would be read as one negative number.
        return e.args[0]->kind == Expr::Kind::kConstant
                   ? fmt::format("-({})", bare(*e.args[0]))
                   : fmt::format("-{}", expr(*e.args[0], Strength::kUnary));
      case Expr::Kind::kBinary:
        return binary(e);
      case Expr::Kind::kSelect:
        return call("select", e);
      case Expr::Kind::kReduce:
        switch (e.reduce) {
          case ReduceOp::kSum:
            return reduction("sum", e.index, *e.args[0]);
          case ReduceOp::kMax:
            return reduction("max", e.index, *e.args[0]);
          case ReduceOp::kMin:
            return reduction("min", e.index, *e.args[0]);
        }
    }
    HEDDLE_CHECK(false, "unknown kind of expression");
  }

  const EinsumProgram& program_;
  const Statement& statement_;
};

std::string list(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string to_text(const ScheduleItem& item) {
  switch (item.kind) {
    case ScheduleItem::Kind::kFuse:
      return fmt::format("fuse {}", list(item.names));
    case ScheduleItem::Kind::kOrder:
      return fmt::format("order {}", list(item.names));
    case ScheduleItem::Kind::kParallel:
      return fmt::format("parallel {} by {}", list(item.names), item.number.value_or(1));
    case ScheduleItem::Kind::kKeep:
      return fmt::format("keep {}", list(item.names));
    case ScheduleItem::Kind::kRecompute:
      return fmt::format("recompute {}", list(item.names));
    case ScheduleItem::Kind::kBlock:
      return fmt::format("block {} by {}", list(item.names), item.number.value_or(1));
    case ScheduleItem::Kind::kSkip:
      return fmt::format("skip {}", list(item.names));
    case ScheduleItem::Kind::kDepth:
      break;
  }
  std::string out = "depth";
  if (!item.names.empty()) out += fmt::format(" {}", list(item.names));
  if (item.minimum) return out += " min";
  return item.number ? fmt::format("{} {}", out, *item.number) : out += " auto";
}

std::string to_text(const Binding& binding) {
  switch (binding.kind) {
    case Binding::Kind::kNone:
      return "";
    case Binding::Kind::kFile:
      return fmt::format(" = file({})", quoted(binding.path));
    case Binding::Kind::kRandom:
      return fmt::format(" = random(density: {}, seed: {})", binding.density, binding.seed);
    case Binding::Kind::kConstant:
      return fmt::format(" = constant({})", binding.value);
  }
  return "";
}

std::string to_text(const EinsumProgram& program, const TensorDecl& tensor) {
  std::vector<std::string> modes;
  for (const SizeId mode : tensor.modes) modes.push_back(program.size(mode).name);
  return fmt::format("tensor {}[{}]: {}{}{}\n", tensor.name, list(modes), name(tensor.type),
                     tensor.format ? fmt::format(" {}", to_text(*tensor.format)) : "",
                     to_text(tensor.binding));
}

void collect(const Expr& e, std::vector<IndexId>& bound, std::vector<IndexId>& found) {
  const auto note = [&](IndexId id) {
    if (std::ranges::find(bound, id) == bound.end() &&
        std::ranges::find(found, id) == found.end()) {
      found.push_back(id);
    }
  };
  if (e.kind == Expr::Kind::kAccess) std::ranges::for_each(e.access.indices, note);
  const bool reduces = e.kind == Expr::Kind::kReduce;
  if (reduces) bound.push_back(e.index);
  for (const ExprPtr& arg : e.args) collect(*arg, bound, found);
  if (e.where) std::ranges::for_each(e.where->indices, note);
  if (reduces) bound.pop_back();
}

void add_accesses(const Expr& e, std::set<TensorId>& tensors) {
  if (e.kind == Expr::Kind::kAccess) tensors.insert(e.access.tensor);
  for (const ExprPtr& arg : e.args) add_accesses(*arg, tensors);
}

void add_masks(const Expr& e, std::set<TensorId>& tensors) {
  if (e.where) tensors.insert(e.where->tensor);
  for (const ExprPtr& arg : e.args) add_masks(*arg, tensors);
}

std::set<TensorId> masks_of(const Statement& statement) {
  std::set<TensorId> masks;
  add_masks(*statement.value, masks);
  if (statement.where) masks.insert(statement.where->tensor);
  return masks;
}

}  // namespace

ExprPtr clone(const Expr& expr) {
  auto copy = std::make_unique<Expr>();
  copy->kind = expr.kind;
  copy->access = expr.access;
  copy->value = expr.value;
  copy->unary = expr.unary;
  copy->binary = expr.binary;
  copy->reduce = expr.reduce;
  copy->index = expr.index;
  copy->where = expr.where;
  copy->range = expr.range;
  for (const ExprPtr& arg : expr.args) copy->args.push_back(clone(*arg));
  return copy;
}

std::vector<IndexId> free_indices(const Expr& expr) {
  std::vector<IndexId> bound;
  std::vector<IndexId> found;
  collect(expr, bound, found);
  return found;
}

std::set<TensorId> tensors_read(const Statement& statement) {
  std::set<TensorId> reads = masks_of(statement);
  add_accesses(*statement.value, reads);
  return reads;
}

std::set<TensorId> deciding_masks(const EinsumProgram& program) {
  std::set<TensorId> deciding;
  for (const Statement& s : program.statements) deciding.merge(masks_of(s));
  // What a statement reads is defined above it.
  for (auto s = program.statements.rbegin(); s != program.statements.rend(); ++s)
    if (deciding.count(s->target.tensor) > 0) deciding.merge(tensors_read(*s));
  return deciding;
}

std::optional<IndexId> lacking_in_mask(const Statement& statement) {
  if (!statement.where) return std::nullopt;
  const std::vector<IndexId>& has = statement.where->indices;
  const auto lacking = std::ranges::find_if(statement.target.indices, [&](IndexId id) {
    return std::ranges::find(has, id) == has.end();
  });
  if (lacking == statement.target.indices.end()) return std::nullopt;
  return *lacking;
}

const Statement* definition(const EinsumProgram& program, TensorId tensor) {
  const auto found = std::ranges::find_if(
      program.statements, [&](const Statement& s) { return s.target.tensor == tensor; });
  return found == program.statements.end() ? nullptr : &*found;
}

std::string to_text(const EinsumProgram& program, const Statement& statement, const Expr& expr) {
  return Printer(program, statement).expr(expr, Strength::kSum);
}

std::string to_text(const EinsumProgram& program, const Statement& statement) {
  const Printer printer(program, statement);
  std::string out = fmt::format("{} = {}", printer.access(statement.target),
                                printer.expr(*statement.value, Strength::kSum));
  if (statement.where) out += fmt::format(" where {}", printer.access(*statement.where));
  return out;
}

std::string to_text(const EinsumProgram& program) {
  std::string out;
  for (const TensorDecl& tensor : program.tensors) {
    if (tensor.declared) out += to_text(program, tensor);
  }
  for (const Size& size : program.sizes) {
    if (size.value && !is_number(size.name)) {
      out += fmt::format("size {} = {}\n", size.name, *size.value);
    }
  }
  out += '\n';
  for (const Statement& statement : program.statements) {
    out += fmt::format("{}\n", to_text(program, statement));
  }
  if (!program.outputs.empty()) {
    std::vector<std::string> names;
    for (const TensorId id : program.outputs) names.push_back(program.tensor(id).name);
    out += fmt::format("output {}\n\n", list(names));
  }
  for (const Schedule& schedule : program.schedules) {
    out += fmt::format("schedule {} {{", schedule.name);
    for (const ScheduleItem& item : schedule.items) out += "\n  " + to_text(item);
    out += schedule.items.empty() ? "}\n" : "\n}\n";
  }
  return out;
}

}  // namespace heddle
