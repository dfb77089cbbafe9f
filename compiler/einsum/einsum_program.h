// EinsumProgram: what a model says, independent of the text it came from. Macros (softmax,
// layernorm, ...) are expanded and implicit sums are explicit `Reduce` nodes; names are resolved to
// ids.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/primitives/arithmetic.h"
#include "compiler/support/diagnostics.h"
#include "compiler/tensor/tensor.h"

namespace heddle {

enum class TensorId : std::uint32_t {};
enum class IndexId : std::uint32_t {};  // an index variable; local to a statement
enum class SizeId : std::uint32_t {};   // a size symbol

struct Size {
  std::string name;                    // symbol, or the number itself if written as one
  std::optional<std::uint32_t> value;  // once bound
  SourceRange bound_at;                // where the value came from (declaration, `size` line, data)
  std::string bound_by;                // in words: "size h = 16", "mode 1 of 'A' (a.mtx)"
};

struct Binding {
  enum class Kind : std::uint8_t { kNone, kFile, kRandom, kConstant };
  Kind kind = Kind::kNone;
  std::string path;        // kFile, as written
  double density = 1.0;    // kRandom
  std::uint64_t seed = 0;  // kRandom
  double value = 0;        // kConstant
  SourceRange range;
};

struct TensorDecl {
  std::string name;
  std::vector<SizeId> modes;
  ValueType type = ValueType::kF32;
  std::optional<TensorFormat> format;  // none: inferred
  Binding binding;
  bool declared = false;  // has a `tensor` line (else it is known from its statement alone)
  bool output = false;
  SourceRange range;  // the name where it was declared or first defined
};

struct Access {
  TensorId tensor{};
  std::vector<IndexId> indices;  // may repeat
  SourceRange range;
};

enum class ReduceOp : std::uint8_t { kSum, kMax, kMin };

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

struct Expr {
  enum class Kind : std::uint8_t {
    kAccess,     // access
    kConstant,   // value
    kIndexSize,  // the size of `index` as a number (from mean)
    kUnary,      // unary(args[0])
    kBinary,     // binary(args[0], args[1])
    kSelect,     // args[0] != 0 ? args[1] : args[2]
    kReduce,     // reduce over `index` of args[0]
  };
  Kind kind = Kind::kConstant;
  Access access;
  double value = 0;
  UnaryOp unary{};
  BinaryOp binary{};
  ReduceOp reduce{};
  IndexId index{};
  std::vector<ExprPtr> args;
  /// kReduce: only positions stored in this access take part. It is the statement's `where`, seen
  /// from inside the reduction: a reduction over a `j` inside `where B[i, j]` runs over the stored
  /// part of B's row.
  std::optional<Access> where;
  SourceRange range;
};

ExprPtr clone(const Expr& expr);

struct IndexVar {
  std::string name;     // unique within the statement; a repeated reduction name gets a suffix
  std::string written;  // the name in the model, which the innermost reduction of that name binds
  SizeId size{};
  SourceRange range;
};

struct Statement {
  Access target;
  ExprPtr value;
  /// Restricts the statement to the stored pattern of this access. Where all its indices occur on
  /// the left, it restricts the target; the reductions it restricts carry it too, with their own
  /// indices.
  std::optional<Access> where;
  std::vector<IndexVar> indices;  // IndexId indexes this
  ValueType type = ValueType::kF32;
  SourceRange range;
};

/// The greatest depth that a schedule may give a channel.
constexpr std::uint32_t kDeepestGiven = 1 << 22;

/// One line of a schedule, as written, with names (their meaning is checked against the program).
struct ScheduleItem {
  enum class Kind : std::uint8_t {
    kFuse,
    kOrder,
    kParallel,
    kKeep,
    kRecompute,
    kBlock,
    kSkip,
    kDepth
  };
  Kind kind{};
  std::vector<std::string> names;  // tensors of fuse/keep/recompute/depth, else indices
  std::vector<SourceRange> name_ranges;
  std::optional<std::uint32_t> number;  // lanes, block size, depth (none: auto)
  bool minimum = false;                 // depth min
  SourceRange range;
};

struct Schedule {
  std::string name;
  std::vector<ScheduleItem> items;
  SourceRange range;
};

struct EinsumProgram {
  std::string file;  // for relative paths and reports
  std::vector<Size> sizes;
  std::vector<TensorDecl> tensors;
  std::vector<Statement> statements;
  std::vector<TensorId> outputs;
  std::vector<Schedule> schedules;  // at least one

  const TensorDecl& tensor(TensorId id) const { return tensors[static_cast<std::size_t>(id)]; }
  TensorDecl& tensor(TensorId id) { return tensors[static_cast<std::size_t>(id)]; }
  const Size& size(SizeId id) const { return sizes[static_cast<std::size_t>(id)]; }
  Size& size(SizeId id) { return sizes[static_cast<std::size_t>(id)]; }
};

/// The index variables that occur in `expr` and are not reduced inside it, in order of first
/// occurrence.
std::vector<IndexId> free_indices(const Expr& expr);
/// The tensors that a statement reads, masks among them.
std::set<TensorId> tensors_read(const Statement& statement);
/// Whose stored entries decide which entries a mask has: masks, and what they are computed from.
std::set<TensorId> deciding_masks(const EinsumProgram& program);
/// The first index on the left that the statement's own mask lacks, if it has a mask. There
/// operands decide which zeros are stored, in ways that depend on the order of loops.
std::optional<IndexId> lacking_in_mask(const Statement& statement);
/// The first statement that defines `tensor`, or null for an input.
const Statement* definition(const EinsumProgram& program, TensorId tensor);
/// The model as text that parses back to the same program (macros stay expanded).
std::string to_text(const EinsumProgram& program);
std::string to_text(const EinsumProgram& program, const Statement& statement);
std::string to_text(const EinsumProgram& program, const Statement& statement, const Expr& expr);

}  // namespace heddle
