// A statement is evaluated over loops of its own: one per index, each restricted to the positions
// at which operands that have to be present are present (a join over sorted entries). Reductions
// inside a statement are evaluated first, into tensors over their free indices.
#include "compiler/einsum/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "compiler/einsum/reference_arithmetic.h"
#include "compiler/support/check.h"

namespace heddle {
namespace {

using Position = std::vector<std::uint32_t>;  // by IndexId; of the current iteration

/// Values that expressions read: dense ones, or the entries of a sparse input.
struct Store {
  std::vector<std::uint32_t> shape;
  const ReferenceTensor* dense = nullptr;
  EntryList entries;           // without `dense`
  std::vector<double> values;  // of the entries
  bool everywhere = false;     // every position is present
};

/// A store and the indices that it is accessed with.
struct Operand {
  const Store* store = nullptr;
  std::vector<IndexId> indices;
};

std::size_t at(IndexId id) { return static_cast<std::size_t>(id); }

double to_double(std::uint32_t bits, ValueType type) {
  return type == ValueType::kF32 ? static_cast<double>(std::bit_cast<float>(bits))
                                 : static_cast<double>(static_cast<std::int32_t>(bits));
}

Cell read_dense(const Operand& operand, const Position& position) {
  const Store& store = *operand.store;
  std::size_t n = 0;
  for (std::size_t mode = 0; mode < store.shape.size(); ++mode) {
    n = n * store.shape[mode] + position[at(operand.indices[mode])];
  }
  if (!store.everywhere && !store.dense->present[n]) return {};
  const std::vector<double>& bound = store.dense->bound;
  return {store.dense->value[n], bound.empty() ? 0 : bound[n], true};
}

Cell read(const Operand& operand, const Position& position) {
  const Store& store = *operand.store;
  if (store.dense != nullptr) return read_dense(operand, position);
  std::size_t low = 0;
  std::size_t high = store.values.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    const auto entry = store.entries.entry(middle);
    int order = 0;
    for (std::size_t mode = 0; mode < entry.size() && order == 0; ++mode) {
      const std::uint32_t wanted = position[at(operand.indices[mode])];
      order = entry[mode] < wanted ? -1 : entry[mode] > wanted ? 1 : 0;
    }
    if (order == 0) return {store.values[middle], 0, true};
    (order < 0 ? low : high) = order < 0 ? middle + 1 : middle;
  }
  return {};
}

/// How many positions are present, as far as that is worth restricting loops to: nothing if most
/// are.
std::optional<std::size_t> restricting_count(const Store& store) {
  if (store.everywhere) return std::nullopt;
  if (store.dense == nullptr) return store.values.size();
  const auto& present = store.dense->present;
  const auto count = static_cast<std::size_t>(std::count(present.begin(), present.end(), true));
  if (count * 2 > present.size()) return std::nullopt;
  return count;
}

// --- loops ---

/// The present positions of an operand as rows of coordinates, one column per distinct index in the
/// order of the loops, sorted.
class Rows {
 public:
  Rows(const Operand& operand, const std::vector<IndexId>& loops) {
    std::vector<std::size_t> modes;  // the mode each column comes from
    for (std::size_t depth = 0; depth < loops.size(); ++depth) {
      const auto found = std::ranges::find(operand.indices, loops[depth]);
      if (found == operand.indices.end()) continue;
      modes.push_back(static_cast<std::size_t>(found - operand.indices.begin()));
      depths_.push_back(depth);
    }
    width_ = modes.size();
    for_present(*operand.store, [&](std::span<const std::uint32_t> entry) {
      if (!agrees(operand, entry)) return;
      for (const std::size_t mode : modes) data_.push_back(entry[mode]);
      ++count_;
    });
    if (!std::ranges::is_sorted(modes)) sort();
  }

  std::size_t width() const { return width_; }
  std::size_t count() const { return count_; }
  /// The loop that column `n` belongs to.
  std::size_t depth(std::size_t n) const { return depths_[n]; }
  std::uint32_t at(std::size_t row, std::size_t column) const {
    return data_[row * width_ + column];
  }

  /// The first row of [begin, end) whose `column` is not below `value`; the columns before are
  /// equal.
  std::size_t lower(std::size_t begin, std::size_t end, std::size_t column,
                    std::uint64_t value) const {
    while (begin < end) {
      const std::size_t middle = (begin + end) / 2;
      (at(middle, column) < value ? begin : end) = at(middle, column) < value ? middle + 1 : middle;
    }
    return begin;
  }

 private:
  /// An index that occurs twice selects a diagonal.
  static bool agrees(const Operand& operand, std::span<const std::uint32_t> entry) {
    for (std::size_t n = 0; n < entry.size(); ++n) {
      const auto first = std::ranges::find(operand.indices, operand.indices[n]);
      if (entry[n] != entry[static_cast<std::size_t>(first - operand.indices.begin())])
        return false;
    }
    return true;
  }

  template <typename Function>
  static void for_present(const Store& store, Function function) {
    if (store.dense == nullptr) {
      for (std::size_t n = 0; n < store.entries.size(); ++n) function(store.entries.entry(n));
      return;
    }
    std::vector<std::uint32_t> crd(store.shape.size(), 0);
    for (const bool present : store.dense->present) {
      if (present) function(std::span<const std::uint32_t>(crd));
      for (std::size_t mode = crd.size(); mode-- > 0;) {
        if (++crd[mode] < store.shape[mode]) break;
        crd[mode] = 0;
      }
    }
  }

  void sort() {
    std::vector<std::uint32_t> order(count_);
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
      return std::lexicographical_compare(
          data_.begin() + static_cast<std::ptrdiff_t>(a * width_),
          data_.begin() + static_cast<std::ptrdiff_t>((a + 1) * width_),
          data_.begin() + static_cast<std::ptrdiff_t>(b * width_),
          data_.begin() + static_cast<std::ptrdiff_t>((b + 1) * width_));
    });
    std::vector<std::uint32_t> sorted;
    sorted.reserve(data_.size());
    for (const std::size_t row : order) {
      for (std::size_t n = 0; n < width_; ++n) sorted.push_back(data_[row * width_ + n]);
    }
    data_ = std::move(sorted);
  }

  std::size_t width_ = 0;
  std::size_t count_ = 0;
  std::vector<std::size_t> depths_;
  std::vector<std::uint32_t> data_;
};

/// Indices in an order in which restrictions help early: those of the smallest operand first, then
/// operands that share an index with what is there, then what nothing restricts.
std::vector<IndexId> loop_order(const std::vector<IndexId>& indices,
                                const std::vector<std::pair<std::size_t, Operand>>& restrictions) {
  std::vector<IndexId> order;
  const auto placed = [&](IndexId id) { return std::ranges::find(order, id) != order.end(); };
  std::vector<bool> used(restrictions.size(), false);
  for (std::size_t round = 0; round < restrictions.size(); ++round) {
    std::size_t best = restrictions.size();
    bool best_joined = false;
    for (std::size_t n = 0; n < restrictions.size(); ++n) {
      if (used[n]) continue;
      const bool joined = std::ranges::any_of(restrictions[n].second.indices, placed);
      const bool better =
          best == restrictions.size() || (joined && !best_joined) ||
          (joined == best_joined && restrictions[n].first < restrictions[best].first);
      if (better) best = n, best_joined = joined;
    }
    used[best] = true;
    for (const IndexId id : restrictions[best].second.indices) {
      if (!placed(id)) order.push_back(id);
    }
  }
  for (const IndexId id : indices) {
    if (!placed(id)) order.push_back(id);
  }
  return order;
}

/// Visits every position of `indices` at which all the restricting operands are present.
class Loops {
 public:
  Loops(const std::vector<IndexId>& indices, const std::vector<Operand>& operands,
        const std::vector<std::uint32_t>& sizes, Position& position)
      : sizes_(sizes), position_(position) {
    std::vector<std::pair<std::size_t, Operand>> restrictions;
    for (const Operand& operand : operands) {
      if (restrictions.size() == kMaxJoined)
        break;  // the others are looked at position by position
      if (const auto count = restricting_count(*operand.store)) {
        restrictions.emplace_back(*count, operand);
      }
    }
    order_ = loop_order(indices, restrictions);
    joined_.resize(order_.size());
    for (const auto& [count, operand] : restrictions) {
      const std::size_t n = rows_.size();
      rows_.emplace_back(operand, order_);
      ranges_.push_back({0, rows_.back().count(), 0});
      empty_ = empty_ || rows_.back().count() == 0;
      for (std::size_t column = 0; column < rows_.back().width(); ++column) {
        joined_[rows_.back().depth(column)].push_back(n);
      }
    }
  }

  template <typename Visit>
  void run(const Visit& visit) {
    if (!empty_) level(0, visit);
  }

 private:
  struct Range {
    std::size_t begin;
    std::size_t end;
    std::size_t column;  // the next to restrict
  };

  template <typename Visit>
  void level(std::size_t depth, const Visit& visit) {
    if (depth == order_.size()) return visit();
    std::uint32_t& crd = position_[at(order_[depth])];
    const std::vector<std::size_t>& joined = joined_[depth];
    if (joined.empty()) {
      const std::uint32_t size = sizes_[at(order_[depth])];
      for (crd = 0; crd < size; ++crd) level(depth + 1, visit);
      return;
    }
    std::array<Range, kMaxJoined> saved;
    std::size_t driver = joined[0];
    for (std::size_t n = 0; n < joined.size(); ++n) {
      saved[n] = ranges_[joined[n]];
      const auto length = [&](std::size_t m) { return ranges_[m].end - ranges_[m].begin; };
      if (length(joined[n]) < length(driver)) driver = joined[n];
    }
    const Range all = ranges_[driver];
    std::size_t next = all.begin;
    while (next < all.end) {
      crd = rows_[driver].at(next, all.column);
      bool meet = true;
      for (std::size_t n = 0; n < joined.size() && meet; ++n) {
        meet = narrow(joined[n], saved[n], crd, joined[n] == driver ? next : saved[n].begin);
      }
      next = rows_[driver].lower(next, all.end, all.column, std::uint64_t{crd} + 1);
      if (meet) level(depth + 1, visit);
    }
    for (std::size_t n = 0; n < joined.size(); ++n) ranges_[joined[n]] = saved[n];
  }

  /// Restricts operand `n` to rows with this coordinate; false if there are none.
  bool narrow(std::size_t n, const Range& from, std::uint32_t crd, std::size_t begin) {
    const Rows& rows = rows_[n];
    Range& range = ranges_[n];
    range.begin = rows.lower(begin, from.end, from.column, crd);
    range.end = rows.lower(range.begin, from.end, from.column, std::uint64_t{crd} + 1);
    range.column = from.column + 1;
    return range.begin < range.end;
  }

  static constexpr std::size_t kMaxJoined = 16;

  const std::vector<std::uint32_t>& sizes_;
  Position& position_;
  std::vector<IndexId> order_;
  std::vector<Rows> rows_;
  std::vector<Range> ranges_;
  std::vector<std::vector<std::size_t>> joined_;  // by depth: operands that have the index
  bool empty_ = false;
};

// --- expressions ---

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
    if (masked) restrictions.push_back(operand(*statement_.where));
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
      if (inner->where) reduction.masks.push_back(operand(*inner->where));
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

// --- inputs ---

bool is_all_dense(const TensorFormat& format) {
  return std::ranges::find(format.levels, LevelKind::kCompressed) == format.levels.end();
}

/// The entries as they are stored: dense levels below a compressed one store zeros, too.
EntryList stored(const TensorDecl& decl, const EntryList& list) {
  const bool fills = decl.format && !decl.format->levels.empty() &&
                     decl.format->levels.back() == LevelKind::kDense && !is_all_dense(*decl.format);
  return fills ? unpack(pack(list, decl.type, *decl.format)) : list;
}

ReferenceTensor dense_input(const EntryList& list, ValueType type) {
  ReferenceTensor tensor;
  tensor.shape = list.shape;
  tensor.value.assign(static_cast<std::size_t>(dense_size(list.shape)), 0);
  for (std::size_t n = 0; n < list.size(); ++n) {
    std::size_t position = 0;
    for (std::size_t mode = 0; mode < list.shape.size(); ++mode) {
      position = position * list.shape[mode] + list.entry(n)[mode];
    }
    tensor.value[position] = to_double(list.vals[n], type);
  }
  return tensor;
}

}  // namespace

std::map<TensorId, ReferenceTensor> evaluate(const EinsumProgram& program,
                                             const std::map<TensorId, EntryList>& inputs) {
  std::deque<ReferenceTensor> dense_inputs;
  std::deque<Store> stores;
  std::vector<const Store*> tensors(program.tensors.size(), nullptr);
  for (const auto& [id, list] : inputs) {
    const TensorDecl& decl = program.tensor(id);
    Store store;
    store.shape = list.shape;
    store.entries = stored(decl, list);
    store.everywhere = (decl.format && is_all_dense(*decl.format)) ||
                       store.entries.size() == dense_size(list.shape);
    if (store.everywhere) {
      dense_inputs.push_back(dense_input(list, decl.type));
      store.dense = &dense_inputs.back();
    } else {
      for (const std::uint32_t bits : store.entries.vals) {
        store.values.push_back(to_double(bits, decl.type));
      }
    }
    stores.push_back(std::move(store));
    tensors[static_cast<std::size_t>(id)] = &stores.back();
  }

  std::map<TensorId, ReferenceTensor> results;
  for (const Statement& statement : program.statements) {
    ReferenceTensor result = StatementEvaluator(program, statement, tensors).run();
    const TensorId id = statement.target.tensor;
    const ReferenceTensor& kept = results.emplace(id, std::move(result)).first->second;
    Store store;
    store.shape = kept.shape;
    store.dense = &kept;
    store.everywhere = std::ranges::find(kept.present, false) == kept.present.end();
    stores.push_back(std::move(store));
    tensors[static_cast<std::size_t>(id)] = &stores.back();
  }
  return results;
}

}  // namespace heddle
