// Values: loads and arithmetic, once all loops of a nest are joined.
#include <algorithm>
#include <functional>
#include <limits>

#include "compiler/fusion/table_builder.h"

namespace heddle {

std::uint32_t TableBuilder::word(double value) const {
  if (e_.type == ValueType::kI32)
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
  const auto f = static_cast<float>(value);
  std::uint32_t bits;
  static_assert(sizeof bits == sizeof f);
  __builtin_memcpy(&bits, &f, sizeof bits);
  return bits;
}

Value TableBuilder::value_of(const FusedExpr& e, const Nest& nest, bool present) {
  if (const auto built = built_.find(&e); built != built_.end()) {
    const Cursor& cur = cursor(built->second);
    return maybe_present({*cur.ref, true}, present, label_of(e));
  }
  switch (e.kind) {
    case FusedExpr::Kind::kView: {
      const Cursor& cur = cursor(cursor_of_view_.at(e.view));
      const View& w = view(cur);
      StreamOp o = op<Array>("load_" + w.name, {ref_of(cur, nest)}, "values of " + w.name);
      o.params.value[Array::kAbsent] = present ? 1 : 0;
      o.memories = {source_of(cur, MemorySource::Array::kVals)};
      o.tensor = program_.tensor(w.tensor).name;
      note_value(cur.column, "load");
      return {add(std::move(o)), !present && cur.may_be_absent};
    }
    case FusedExpr::Kind::kConstant:
      return {constant(shape(nest), word(e.value), "constant"), false};
    case FusedExpr::Kind::kIndexSize:
      return {constant(shape(nest), word(e_.at(e.index).extent), "size_" + index_name(e.index)),
              false};
    case FusedExpr::Kind::kUnary: {
      const Value arg = value_of(e.args[0], nest, false);
      const bool keeps = zero_at_zero(e.unary) && !present;
      StreamOp o = op<Function>(label_of(e), {arg.stream});
      o.tensor = owner_of(e);
      o.params.value[Function::kOp] = static_cast<int>(e.unary);
      o.params.value[Function::kType] = static_cast<int>(e_.type);
      o.params.value[Function::kAbsent] = keeps ? 0 : 1;
      return {add(std::move(o)), keeps && arg.may_be_absent};
    }
    case FusedExpr::Kind::kBinary: {
      const Value a = value_of(e.args[0], nest, false);
      const Value b = value_of(e.args[1], nest, false);
      StreamOp o = op<Alu>(label_of(e), {a.stream, b.stream});
      o.tensor = owner_of(e);
      o.params.value[Alu::kOp] = static_cast<int>(e.binary);
      o.params.value[Alu::kType] = static_cast<int>(e_.type);
      int absent = e.binary == BinaryOp::kMul   ? Alu::kAny
                   : e.binary == BinaryOp::kDiv ? Alu::kLeft
                   : zero_at_zeros(e.binary)    ? Alu::kBoth
                                                : Alu::kZero;
      if (present) absent = Alu::kZero;
      o.params.value[Alu::kAbsent] = absent;
      return {add(std::move(o)), Alu::absent(absent, a.may_be_absent, b.may_be_absent)};
    }
    case FusedExpr::Kind::kSelect: {
      const Value c = value_of(e.args[0], nest, false);
      const Value a = value_of(e.args[1], nest, false);
      const Value b = value_of(e.args[2], nest, false);
      StreamOp o = op<Select>(label_of(e), {c.stream, a.stream, b.stream});
      o.tensor = owner_of(e);
      o.params.value[Select::kType] = static_cast<int>(e_.type);
      o.params.value[Select::kAbsent] = present ? 0 : 1;
      return {add(std::move(o)), !present && c.may_be_absent && a.may_be_absent && b.may_be_absent};
    }
    case FusedExpr::Kind::kMask:
      return value_of(e.args[0], nest, true);
    case FusedExpr::Kind::kIdentity:
      return value_of(e.args[0], nest, present);
    case FusedExpr::Kind::kReduce:
      break;
  }
  HEDDLE_CHECK(false, "a reduction was not built");
  return {};
}

Value TableBuilder::maybe_present(Value v, bool present, const std::string& label) {
  if (!present || !v.may_be_absent) return v;
  // max(x, x) is x, and N counts as zero.
  StreamOp o = op<Alu>("present_" + label, {v.stream, v.stream});
  o.params.value[Alu::kOp] = static_cast<int>(BinaryOp::kMax);
  o.params.value[Alu::kType] = static_cast<int>(e_.type);
  o.params.value[Alu::kAbsent] = Alu::kZero;
  return {add(std::move(o)), false};
}

std::string TableBuilder::owner_of(const FusedExpr& e) const {
  return e.owner.empty() ? program_.tensor(r_->tensor).name : e.owner;
}

std::string TableBuilder::label_of(const FusedExpr& e) const {
  const std::string target = owner_of(e);
  if (e.kind == FusedExpr::Kind::kUnary) return std::string(name(e.unary)) + "_" + target;
  if (e.kind == FusedExpr::Kind::kBinary) return std::string(name(e.binary)) + "_" + target;
  if (e.kind == FusedExpr::Kind::kSelect) return "select_" + target;
  return "value_" + target;
}

}  // namespace heddle
