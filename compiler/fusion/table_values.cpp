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
  if (const auto built = built_.find(&e); built != built_.end())
    return maybe_present(value_of_cursor(cursor(built->second)), present, label_of(e));
  const auto one = [](StreamRef stream) { return Value{{}, {stream}, false}; };
  switch (e.kind) {
    case FusedExpr::Kind::kView:
      return load(cursor(cursor_of_view_.at(e.view)), nest, present);
    case FusedExpr::Kind::kConstant:
      return one(constant(shape(nest), word(e.value), "constant"));
    case FusedExpr::Kind::kIndexSize:
      return one(constant(shape(nest), word(e_.at(e.index).length), "size_" + index_name(e.index)));
    case FusedExpr::Kind::kUnary: {
      const Value arg = value_of(e.args[0], nest, false);
      const bool keeps = zero_at_zero(e.unary) && !present;
      return for_places({arg}, keeps && arg.may_be_absent, [&](auto streams, auto& suffix) {
        StreamOp o = op<Function>(label_of(e) + suffix, std::move(streams));
        o.tensor = owner_of(e);
        o.params.value[Function::kOp] = static_cast<int>(e.unary);
        o.params.value[Function::kType] = static_cast<int>(e_.type);
        o.params.value[Function::kAbsent] = keeps ? 0 : 1;
        return add(std::move(o));
      });
    }
    case FusedExpr::Kind::kBinary:
      return binary(e, nest, present);
    case FusedExpr::Kind::kSelect: {
      const Value c = value_of(e.args[0], nest, false);
      const Value a = value_of(e.args[1], nest, false);
      const Value b = value_of(e.args[2], nest, false);
      const bool absent = !present && c.may_be_absent && a.may_be_absent && b.may_be_absent;
      return for_places({c, a, b}, absent, [&](auto streams, auto& suffix) {
        StreamOp o = op<Select>(label_of(e) + suffix, std::move(streams));
        o.tensor = owner_of(e);
        o.params.value[Select::kType] = static_cast<int>(e_.type);
        o.params.value[Select::kAbsent] = present ? 0 : 1;
        return add(std::move(o));
      });
    }
    case FusedExpr::Kind::kMask:
      return masked(e, nest, present);
    case FusedExpr::Kind::kIdentity:
      return value_of(e.args[0], nest, present);
    case FusedExpr::Kind::kPlaces:
      return combine_places(e, nest);
    case FusedExpr::Kind::kReduce:
      break;
  }
  HEDDLE_CHECK(false, "a reduction was not built");
  return {};
}

Value TableBuilder::load(const Cursor& cur, const Nest& nest, bool present) {
  const View& w = view(cur);
  Value value{blocked_of(w.indices), {}, !present && (cur.may_be_absent || has_bits(w))};
  note_value(cur.column, "load");
  each_place(value.blocked, [&](const Places& at, const std::string& suffix) {
    StreamOp o = op<Array>("load_" + w.name + suffix, {ref_of(cur, nest)}, "values of " + w.name);
    o.params.value[Array::kAbsent] = present ? 1 : 0;
    o.memories = {source_of(cur, MemorySource::Array::kVals, place_in(w.indices, at))};
    o.tensor = program_.tensor(w.tensor).name;
    const StreamRef stream = add(std::move(o));
    // What is not there is stored as zero.
    value.streams.push_back(present ? stream : gate(stream, cur, nest, at, suffix));
  });
  return value;
}

Value TableBuilder::binary(const FusedExpr& e, const Nest& nest, bool present) {
  const Value a = value_of(e.args[0], nest, false);
  const Value b = value_of(e.args[1], nest, false);
  int absent = e.binary == BinaryOp::kMul   ? Alu::kAny
               : e.binary == BinaryOp::kDiv ? Alu::kLeft
               : zero_at_zeros(e.binary)    ? Alu::kBoth
                                            : Alu::kZero;
  if (present) absent = Alu::kZero;
  const bool may_be_absent = Alu::absent(absent, a.may_be_absent, b.may_be_absent);
  return for_places({a, b}, may_be_absent, [&](auto streams, auto& suffix) {
    StreamOp o = op<Alu>(label_of(e) + suffix, std::move(streams));
    o.tensor = owner_of(e);
    o.params.value[Alu::kOp] = static_cast<int>(e.binary);
    o.params.value[Alu::kType] = static_cast<int>(e_.type);
    o.params.value[Alu::kAbsent] = absent;
    return add(std::move(o));
  });
}

Value TableBuilder::maybe_present(Value v, bool present, const std::string& label) {
  if (!present || !v.may_be_absent) return v;
  // max(x, x) is x, and N counts as zero.
  return for_places({v, v}, false, [&](auto streams, auto& suffix) {
    StreamOp o = op<Alu>("present_" + label + suffix, std::move(streams));
    o.params.value[Alu::kOp] = static_cast<int>(BinaryOp::kMax);
    o.params.value[Alu::kType] = static_cast<int>(e_.type);
    o.params.value[Alu::kAbsent] = Alu::kZero;
    return add(std::move(o));
  });
}

Value TableBuilder::masked(const FusedExpr& e, const Nest& nest, bool present) {
  const Cursor& mask = cursor(cursor_of_view_.at(e.view));
  const bool tiles = has_bits(view(mask));
  if (!tiles && !mask.may_be_absent) return value_of(e.args[0], nest, true);
  // Its position tells where the mask has an entry. Inside the same mask nobody asks elsewhere.
  const std::pair<int, StreamRef> entries{merged_[static_cast<std::size_t>(mask.view)], *mask.ref};
  if (std::find(masks_.begin(), masks_.end(), entries) != masks_.end())
    return value_of(e.args[0], nest, true);
  masks_.push_back(entries);
  const Value value = value_of(e.args[0], nest, true);
  masks_.pop_back();
  Value out = tiles ? Value{join_blocked(value.blocked, blocked_of(view(mask).indices)), {}, true}
                    : Value{value.blocked, {}, true};
  if (!good_) return out;
  each_place(out.blocked, [&](const Places& at, const std::string& suffix) {
    const StreamRef stream = stream_at(value, at);
    out.streams.push_back(tiles ? gate(stream, mask, nest, at, suffix)
                                : gate(stream, flags({*mask.ref}, view(mask).name), 0,
                                       "gate_" + view(mask).name + suffix));
  });
  return maybe_present(std::move(out), present, label_of(e));
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
