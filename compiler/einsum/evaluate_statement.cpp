#include "compiler/einsum/evaluate_statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "compiler/support/check.h"

namespace heddle::reference {
namespace {

constexpr std::uint64_t kMaxComputed = 1 << 26;  // positions of a sum that is computed on its own

/// An expression ready to be evaluated position by position.
struct Node {
  Expr::Kind kind = Expr::Kind::kConstant;
  UnaryOp unary{};
  BinaryOp binary{};
  Cell constant;
  Operand operand;
  std::vector<Node> args;
};

Cell evaluate_at(const Node& node, const Position& position, ValueType type) {
  switch (node.kind) {
    case Expr::Kind::kAccess:
      return read(node.operand, position);
    case Expr::Kind::kUnary:
      return apply_reference(node.unary, type, evaluate_at(node.args[0], position, type));
    case Expr::Kind::kBinary:
      return apply_reference(node.binary, type, evaluate_at(node.args[0], position, type),
                             evaluate_at(node.args[1], position, type));
    case Expr::Kind::kSelect:
      return select_reference(evaluate_at(node.args[0], position, type),
                              evaluate_at(node.args[1], position, type),
                              evaluate_at(node.args[2], position, type));
    default:
      return node.constant;
  }
}

bool is_binary(const Expr& e, BinaryOp op) {
  return e.kind == Expr::Kind::kBinary && e.binary == op;
}

bool keeps_absence(const Expr& e) {
  if (e.kind != Expr::Kind::kUnary) return false;
  return !apply_reference(e.unary, ValueType::kF32, Cell{}).present;
}

ReferenceTensor make_tensor(std::vector<std::uint32_t> shape) {
  ReferenceTensor tensor;
  const auto size = static_cast<std::size_t>(dense_size(shape));
  tensor.shape = std::move(shape);
  tensor.value.assign(size, 0);
  tensor.bound.assign(size, 0);
  tensor.present.assign(size, false);
  return tensor;
}

void set(ReferenceTensor& tensor, std::size_t n, const Cell& cell) {
  tensor.value[n] = cell.value;
  tensor.bound[n] = cell.bound;
  tensor.present[n] = true;
}

std::size_t offset(const std::vector<std::uint32_t>& shape, const std::vector<IndexId>& indices,
                   const Position& position) {
  std::size_t n = 0;
  for (std::size_t mode = 0; mode < shape.size(); ++mode) {
    n = n * shape[mode] + position[at(indices[mode])];
  }
  return n;
}

/// An expression as text in which indices are numbered as they occur: the same for expressions that
/// differ in the names of their indices only, whose free indices then correspond one by one.
class Shape {
 public:
  static std::string of(const Expr& e, const std::vector<std::uint32_t>& sizes) {
    Shape shape(sizes);
    shape.append(e);
    return std::move(shape.text_);
  }

 private:
  explicit Shape(const std::vector<std::uint32_t>& sizes) : sizes_(sizes) {}

  std::size_t number(IndexId id) {
    const auto found = std::ranges::find(indices_, id);
    if (found == indices_.end()) indices_.push_back(id);
    return static_cast<std::size_t>(std::ranges::find(indices_, id) - indices_.begin());
  }

  void append(const Access& access) {
    text_ += fmt::format("t{}", static_cast<std::uint32_t>(access.tensor));
    for (const IndexId id : access.indices) text_ += fmt::format(".{}", number(id));
  }

  void append(const Expr& e) {
    text_ += fmt::format("({} ", static_cast<int>(e.kind));
    switch (e.kind) {
      case Expr::Kind::kAccess:
        append(e.access);
        break;
      case Expr::Kind::kConstant:
        text_ += fmt::format("{}", e.value);
        break;
      case Expr::Kind::kUnary:
        text_ += name(e.unary);
        break;
      case Expr::Kind::kBinary:
        text_ += name(e.binary);
        break;
      case Expr::Kind::kReduce:
        text_ += fmt::format("{} {}", static_cast<int>(e.reduce), number(e.index));
        break;
      case Expr::Kind::kIndexSize:
        text_ += fmt::format("{}", sizes_[at(e.index)]);
        break;
      case Expr::Kind::kSelect:
        break;
    }
    for (const ExprPtr& arg : e.args) append(*arg);
    if (e.where) append(*e.where);
    text_ += ')';
  }

  const std::vector<std::uint32_t>& sizes_;  // by IndexId
  std::string text_;
  std::vector<IndexId> indices_;
};

class StatementEvaluator {
 public:
  StatementEvaluator(const EinsumProgram& program, const Statement& statement,
                     const std::vector<const Store*>& tensors)
      : program_(program), statement_(statement), tensors_(tensors) {
    for (const IndexVar& index : statement.indices) {
      const std::optional<std::uint32_t> size = program.size(index.size).value;
      HEDDLE_CHECK(size.has_value(), "index '{}' has no size", index.name);
      sizes_.push_back(*size);
    }
    position_.resize(sizes_.size());
  }

  ReferenceTensor run() {
    const std::vector<IndexId>& target = statement_.target.indices;
    std::vector<IndexId> indices;
    for (const IndexId id : target) {
      if (std::ranges::find(indices, id) == indices.end()) indices.push_back(id);
    }
    std::vector<Operand> restrictions;
    const bool masked = statement_.where && within(statement_.where->indices, indices);
    if (masked) restrictions.push_back(mask(*statement_.where));
    const Node body = prepare(*statement_.value, restrictions, !masked);

    ReferenceTensor result = make_tensor(shape(target));
    Loops(indices, restrictions, sizes_, position_).run([&] {
      if (masked && !read(restrictions[0], position_).present) return;
      const Cell cell = evaluate_at(body, position_, statement_.type);
      if (cell.present || masked) set(result, offset(result.shape, target, position_), cell);
    });
    return result;
  }

 private:
  static bool within(const std::vector<IndexId>& some, const std::vector<IndexId>& all) {
    return std::ranges::all_of(some,
                               [&](IndexId id) { return std::ranges::find(all, id) != all.end(); });
  }

  Operand operand(const Access& access) const {
    return {tensors_[static_cast<std::size_t>(access.tensor)], access.indices};
  }

  Operand mask(const Access& access) const {
    Operand mask = operand(access);
    if (mask.store->stored != nullptr) mask.store = mask.store->stored;
    return mask;
  }

  std::vector<std::uint32_t> shape(const std::vector<IndexId>& indices) const {
    std::vector<std::uint32_t> result;
    for (const IndexId id : indices) result.push_back(sizes_[at(id)]);
    return result;
  }

  /// Compiles `e` for loops that `restrictions` restrict. With `prune`, operands without which `e`
  /// is absent are added to them.
  Node prepare(const Expr& e, std::vector<Operand>& restrictions, bool prune) {
    if (prune) add_accesses(e, restrictions);
    // Operands that are computed here restrict the loops, but not each other.
    std::vector<Operand> computed;
    Node node = compile(e, restrictions, prune, prune ? &computed : nullptr);
    restrictions.insert(restrictions.end(), computed.begin(), computed.end());
    return node;
  }

  /// The accesses without which `e` is absent.
  void add_accesses(const Expr& e, std::vector<Operand>& needed) const {
    if (e.kind == Expr::Kind::kAccess) {
      needed.push_back(operand(e.access));
    } else if (is_binary(e, BinaryOp::kMul)) {
      add_accesses(*e.args[0], needed);
      add_accesses(*e.args[1], needed);
    } else if (is_binary(e, BinaryOp::kDiv) || keeps_absence(e)) {
      add_accesses(*e.args[0], needed);
    }
  }

  /// `computed`: where to add what `e` needs besides accesses; null if `e` may be absent. `top`:
  /// nothing but operations that keep absence is above.
  Node compile(const Expr& e, const std::vector<Operand>& restrictions, bool top,
               std::vector<Operand>* computed) {
    Node node;
    node.kind = e.kind;
    node.unary = e.unary;
    node.binary = e.binary;
    switch (e.kind) {
      case Expr::Kind::kAccess:
        node.operand = operand(e.access);
        break;
      case Expr::Kind::kConstant:
        node.constant = constant_cell(e.value, statement_.type);
        break;
      case Expr::Kind::kIndexSize:
        node.constant = constant_cell(sizes_[at(e.index)], statement_.type);
        break;
      case Expr::Kind::kReduce:
        return computed_node(reduce(e, restrictions), computed);
      default:
        compile_arguments(e, restrictions, top, computed, node);
    }
    return node;
  }

  void compile_arguments(const Expr& e, const std::vector<Operand>& restrictions, bool top,
                         std::vector<Operand>* computed, Node& node) {
    const bool product = is_binary(e, BinaryOp::kMul);
    const bool quotient = is_binary(e, BinaryOp::kDiv);
    for (std::size_t n = 0; n < e.args.size(); ++n) {
      const bool needed =
          computed != nullptr && (product || ((quotient || keeps_absence(e)) && n == 0));
      const Expr& arg = *e.args[n];
      // A sum among factors: computed on its own, it can restrict the loops of the others.
      if (needed && (product || !top) && is_union(arg) &&
          dense_size(shape(free_indices(arg))) <= kMaxComputed) {
        node.args.push_back(computed_node(elementwise(arg, restrictions), computed));
      } else {
        node.args.push_back(
            compile(arg, restrictions, top && !product, needed ? computed : nullptr));
      }
    }
  }

  /// Present where any operand is.
  static bool is_union(const Expr& e) {
    return e.kind == Expr::Kind::kSelect ||
           (e.kind == Expr::Kind::kBinary && e.binary != BinaryOp::kMul &&
            e.binary != BinaryOp::kDiv);
  }

  static Node computed_node(Operand operand, std::vector<Operand>* computed) {
    Node node;
    node.kind = Expr::Kind::kAccess;
    node.operand = std::move(operand);
    if (computed != nullptr) computed->push_back(node.operand);
    return node;
  }

  Operand keep(ReferenceTensor tensor, std::vector<IndexId> indices) {
    results_.push_back(std::move(tensor));
    Store store;
    store.shape = results_.back().shape;
    store.dense = &results_.back();
    const std::vector<bool>& present = store.dense->present;
    store.everywhere = std::ranges::find(present, false) == present.end();
    stores_.push_back(std::move(store));
    return {&stores_.back(), std::move(indices)};
  }

  /// Those that say something about every iteration over `indices`.
  static std::vector<Operand> applicable(const std::vector<Operand>& restrictions,
                                         const std::vector<IndexId>& indices) {
    std::vector<Operand> result;
    std::ranges::copy_if(restrictions, std::back_inserter(result),
                         [&](const Operand& o) { return within(o.indices, indices); });
    return result;
  }

  /// What `compute` gives for `e`, or what it gave for the like: macros repeat their arguments.
  template <typename Compute>
  Operand once(const Expr& e, const std::vector<Operand>& outer, Compute compute) {
    std::vector<IndexId> free = free_indices(e);
    if (!applicable(outer, free).empty()) return compute();
    const std::string shape = Shape::of(e, sizes_);
    const auto known = known_.find(shape);
    if (known != known_.end()) return {known->second, std::move(free)};
    const Operand operand = compute();
    known_.emplace(shape, operand.store);
    return operand;
  }

  Operand elementwise(const Expr& e, const std::vector<Operand>& outer) {
    return once(e, outer, [&] { return compute_elementwise(e, outer); });
  }

  Operand reduce(const Expr& e, const std::vector<Operand>& outer) {
    return once(e, outer, [&] { return compute_reduction(e, outer); });
  }

  Operand compute_elementwise(const Expr& e, const std::vector<Operand>& outer) {
    const std::vector<IndexId> indices = free_indices(e);
    std::vector<Operand> restrictions = applicable(outer, indices);
    const Node body = prepare(e, restrictions, true);
    ReferenceTensor result = make_tensor(shape(indices));
    Loops(indices, restrictions, sizes_, position_).run([&] {
      const Cell cell = evaluate_at(body, position_, statement_.type);
      if (cell.present) set(result, offset(result.shape, indices, position_), cell);
    });
    return keep(std::move(result), indices);
  }

  /// Reductions of one kind directly inside each other are one, over several indices: their terms
  /// may meet in any order.
  struct Reduction {
    ReduceOp op{};
    std::vector<IndexId> reduced;
    std::vector<Operand> masks;
    const Expr* body = nullptr;
  };

  Reduction flatten(const Expr& e) const {
    Reduction reduction;
    reduction.op = e.reduce;
    const Expr* inner = &e;
    for (; inner->kind == Expr::Kind::kReduce && inner->reduce == e.reduce;
         inner = inner->args[0].get()) {
      reduction.reduced.push_back(inner->index);
      if (inner->where) reduction.masks.push_back(mask(*inner->where));
    }
    reduction.body = inner;
    return reduction;
  }

  Operand compute_reduction(const Expr& e, const std::vector<Operand>& outer) {
    const Reduction reduction = flatten(e);
    const std::vector<IndexId> free = free_indices(e);
    const bool masked = !reduction.masks.empty();
    std::vector<Operand> restrictions = applicable(outer, free);
    restrictions.insert(restrictions.end(), reduction.masks.begin(), reduction.masks.end());
    // Inside a mask, absent terms count as zeros.
    const Node body = prepare(*reduction.body, restrictions, !masked);
    std::vector<IndexId> indices = free;
    indices.insert(indices.end(), reduction.reduced.begin(), reduction.reduced.end());

    Loops loops(indices, restrictions, sizes_, position_);
    const std::vector<std::uint32_t> sizes = shape(free);
    const auto for_terms = [&](const auto& use) {
      loops.run([&] {
        for (const Operand& mask : reduction.masks) {
          if (!read(mask, position_).present) return;
        }
        Cell cell = evaluate_at(body, position_, statement_.type);
        cell.present = cell.present || masked;
        if (cell.present) use(offset(sizes, free, position_), cell);
      });
    };
    ReferenceTensor result = make_tensor(sizes);
    if (reduction.op == ReduceOp::kSum) {
      sum(for_terms, result);
    } else {
      extreme(for_terms, reduction, result);
    }
    return keep(std::move(result), free);
  }

  template <typename Terms>
  void sum(const Terms& for_terms, ReferenceTensor& result) const {
    std::vector<SumCell> sums(result.value.size());
    for_terms([&](std::size_t n, const Cell& term) {
      sums[n].add(term, statement_.type);
      result.present[n] = true;
    });
    for (std::size_t n = 0; n < sums.size(); ++n) {
      if (result.present[n]) set(result, n, sums[n].result(statement_.type));
    }
  }

  template <typename Terms>
  void extreme(const Terms& for_terms, const Reduction& reduction, ReferenceTensor& result) const {
    const BinaryOp op = reduction.op == ReduceOp::kMax ? BinaryOp::kMax : BinaryOp::kMin;
    const auto include = [&](std::size_t n, const Cell& term) {
      const Cell so_far{result.value[n], result.bound[n], true};
      set(result, n, result.present[n] ? apply_reference(op, statement_.type, so_far, term) : term);
    };
    std::vector<std::uint64_t> terms(result.value.size(), 0);
    for_terms([&](std::size_t n, const Cell& term) {
      include(n, term);
      ++terms[n];
    });
    if (statement_.where) return;  // what is absent takes no part
    std::uint64_t all = 1;
    for (const IndexId id : reduction.reduced) all *= sizes_[at(id)];
    const Cell zero{0, 0, true};
    for (std::size_t n = 0; n < terms.size(); ++n) {
      if (result.present[n] && terms[n] < all) include(n, zero);
    }
  }

  const EinsumProgram& program_;
  const Statement& statement_;
  const std::vector<const Store*>& tensors_;
  std::vector<std::uint32_t> sizes_;  // by IndexId
  Position position_;
  std::deque<ReferenceTensor> results_;  // of inner reductions; deques keep addresses
  std::deque<Store> stores_;
  std::map<std::string, const Store*> known_;  // by Shape
};

}  // namespace

ReferenceTensor evaluate_statement(const EinsumProgram& program, const Statement& statement,
                                   const std::vector<const Store*>& tensors) {
  return StatementEvaluator(program, statement, tensors).run();
}

}  // namespace heddle::reference
