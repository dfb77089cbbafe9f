// build_table: the nests of a region and the reductions in them (see table_builder.h).
#include <algorithm>
#include <functional>
#include <limits>

#include "compiler/fusion/table_builder.h"

namespace heddle {

std::optional<FusionTable> TableBuilder::run() {
  merge_views();
  for (const IndexId id : e_.order) table_.rows.push_back(e_.at(id).name);
  table_.rows.push_back("value");
  for (const View& v : e_.views) table_.columns.push_back(v.identity ? "I" : v.name);

  for (const FusedResult& result : e_.results) {
    r_ = &result;
    number_ = static_cast<std::uint32_t>(table_.results.size());
    part_ = result.kept ? 1 + static_cast<int>(table_.results.size()) : 0;
    Ids nest;
    for (const IndexId id : e_.order)
      if (std::find(result.indices.begin(), result.indices.end(), id) != result.indices.end())
        nest.push_back(id);
    make_cursors(result.value);
    Nest root{nest, {}, {}, {}};
    const Value value = run_nest(result.value, root, 0, std::nullopt, true);
    if (!good_) return std::nullopt;
    if (!value.stored) write(root, value);
    if (!good_) return std::nullopt;
  }
  for (const IndexId id : e_.skip)
    if (skipped_.count(id) == 0)
      table_.remarks.push_back(fmt::format(
          "'skip {}' has no effect: no two factors are scanned together there", index_name(id)));
  return std::move(table_);
}

StreamRef TableBuilder::add(StreamOp op, int out) {
  const PrimitiveSpec& spec = spec_of(op.primitive);
  op.registers.resize(spec.registers.size());
  op.memories.resize(spec.memories.size());
  op.part = part_;
  op.beside = beside_;
  for (std::size_t i = 0; i < table_.ops.size(); ++i)
    if (same(table_.ops[i], op)) return {static_cast<int>(i), out};
  std::string base = op.label;
  for (int n = 2; !labels_.insert(op.label).second; ++n) op.label = base + "_" + std::to_string(n);
  table_.ops.push_back(std::move(op));
  return {static_cast<int>(table_.ops.size()) - 1, out};
}

bool TableBuilder::same(const StreamOp& a, const StreamOp& b) {
  const auto registers_same = [&] {
    for (std::size_t i = 0; i < a.registers.size(); ++i)
      if (a.registers[i].kind != b.registers[i].kind ||
          a.registers[i].value != b.registers[i].value)
        return false;
    return true;
  };
  const auto memories_same = [&] {
    for (std::size_t i = 0; i < a.memories.size(); ++i)
      if (a.memories[i].kind != b.memories[i].kind || !a.memories[i].same_array(b.memories[i]))
        return false;
    return true;
  };
  return a.part == b.part && a.primitive == b.primitive && a.params == b.params &&
         a.inputs == b.inputs && registers_same() && memories_same();
}

void TableBuilder::merge_views() {
  for (std::size_t v = 0; v < e_.views.size(); ++v) {
    const View& view = e_.views[v];
    const auto found =
        std::find_if(table_.views.begin(), table_.views.end(), [&](const View& other) {
          return view.of_tensor() && other.of_tensor() && view.tensor == other.tensor &&
                 view.format == other.format && view.tiles == other.tiles;
        });
    merged_.push_back(static_cast<int>(found - table_.views.begin()));
    if (found == table_.views.end()) table_.views.push_back(view);
  }
}

void TableBuilder::make_cursors(const FusedExpr& e) {
  if (e.view >= 0 && cursor_of_view_.find(e.view) == cursor_of_view_.end()) {
    Cursor c;
    c.view = e.view;
    c.column = e.view;
    if (e_.views[static_cast<std::size_t>(e.view)].identity) c.kind = Cursor::Kind::kIdentity;
    cursor_of_view_[e.view] = static_cast<int>(cursors_.size());
    cursors_.push_back(c);
  }
  for (const FusedExpr& arg : e.args) make_cursors(arg);
}

void TableBuilder::leaves(const FusedExpr& e, std::set<int>& out) const {
  if (const auto built = built_.find(&e); built != built_.end()) {
    out.insert(built->second);
    return;
  }
  if (e.view >= 0) out.insert(cursor_of_view_.at(e.view));
  for (const FusedExpr& arg : e.args) leaves(arg, out);
}

StreamRef TableBuilder::ref_of(const Cursor& c, const Nest& nest) {
  if (c.ref) return *c.ref;
  if (nest.crds.empty()) return {};
  return constant(nest.crds.back(), 0,
                  "root_of_" + table_.columns[static_cast<std::size_t>(c.column)]);
}

void TableBuilder::reductions(const FusedExpr& e, int before,
                              std::vector<const FusedExpr*>& out) const {
  if (built_.count(&e) > 0) return;
  if (e.kind == FusedExpr::Kind::kReduce) {
    if (e.shared < before) out.push_back(&e);
    before = std::min(before, e.shared);
  }
  for (const FusedExpr& arg : e.args) reductions(arg, before, out);
}

Value TableBuilder::run_nest(const FusedExpr& body, Nest& nest, std::size_t from,
                             std::optional<std::size_t> flatten_after, bool root) {
  for (std::size_t q = from; good_; ++q) {
    std::vector<const FusedExpr*> inside;
    reductions(body, std::numeric_limits<int>::max(), inside);
    for (const FusedExpr* r : inside)
      if (good_ && static_cast<std::size_t>(r->shared) == q) build_reduction(*r, nest);
    if (q == nest.loops.size() && good_) return value_of(body, nest, false);
    if (!good_) break;
    compute_early(body, nest, q);
    const IndexId v = nest.loops[q];
    absent_.clear();
    Join joined = join(body, v, nest);
    if (root && joined.universal && !joined.crd) check_densifies(v, joined);
    joined = concrete(std::move(joined), &body, v, nest);
    settle(body, joined, v);
    // An accumulator does not need to know where the fibers of its reduced loop end, only where all
    // of them do: the first loop inside becomes one long fiber, and the loops below it save a stop
    // for each of the old ones.
    const bool flat = flatten_after && q == *flatten_after && q + 1 < nest.loops.size();
    if (flat) flatten(body, joined);
    nest.crds.push_back(*joined.crd);
    nest.full.push_back(joined.full);
    nest.not_empty.push_back(joined.fibers_not_empty);
    const auto lanes = e_.lanes.find(v);
    if (lanes != e_.lanes.end() && lanes->second > 1)
      return run_lanes(body, nest, q, lanes->second, flatten_after, root);
  }
  return {};
}

void TableBuilder::compute_early(const FusedExpr& body, const Nest& nest, std::size_t q) {
  std::vector<const FusedExpr*> factors;
  flatten(body.kind == FusedExpr::Kind::kPlaces ? body.args[0] : body, factors);
  const auto has = [&](const FusedExpr& e, std::size_t from, std::size_t to) {
    const Ids free = free_of(e_, e);
    return std::any_of(nest.loops.begin() + static_cast<std::ptrdiff_t>(from),
                       nest.loops.begin() + static_cast<std::ptrdiff_t>(to),
                       [&](IndexId id) { return contains(free, id); });
  };
  // Another factor must decide where the loop runs.
  if (q == 0 || std::none_of(factors.begin(), factors.end(),
                             [&](const FusedExpr* f) { return has(*f, q, q + 1); }))
    return;
  for (const FusedExpr* f : factors) {
    const FusedExpr& inner = f->kind == FusedExpr::Kind::kMask ? f->args[0] : *f;
    const bool computes = inner.kind == FusedExpr::Kind::kUnary ||
                          inner.kind == FusedExpr::Kind::kBinary ||
                          inner.kind == FusedExpr::Kind::kSelect;
    std::set<int> operands;
    leaves(*f, operands);
    if (!computes || built_.count(f) > 0 || operands.empty() || has(*f, q, nest.loops.size()))
      continue;
    make_operand(*f, cursor_of_value(value_of(*f, nest, false)), label_of(*f), "early");
  }
}

void TableBuilder::make_operand(const FusedExpr& e, Cursor cur, const std::string& column,
                                const std::string& how) {
  cur.column = static_cast<int>(table_.columns.size());
  table_.columns.push_back(column);
  note_value(cur.column, how);
  built_[&e] = static_cast<int>(cursors_.size());
  cursors_.push_back(std::move(cur));
}

const View* TableBuilder::sparse_operand(const FusedExpr& e, IndexId v) const {
  if (e.kind == FusedExpr::Kind::kView) {
    const View& view = e_.views[static_cast<std::size_t>(e.view)];
    bool fits = false;
    for (std::size_t l = 0; l < view.format.levels.size(); ++l)
      fits |= view.storage_order()[l] == v && view.format.levels[l] == LevelKind::kCompressed;
    for (const IndexId i : view.indices)
      fits &= std::find(r_->indices.begin(), r_->indices.end(), i) != r_->indices.end();
    return fits && view.of_tensor() ? &view : nullptr;
  }
  for (const FusedExpr& arg : e.args)
    if (const View* found = sparse_operand(arg, v)) return found;
  return nullptr;
}

std::string TableBuilder::access_text(const View& view) const {
  std::string text;
  for (const IndexId i : view.indices) text += (text.empty() ? "" : ", ") + index_name(i);
  return program_.tensor(view.tensor).name + "[" + text + "]";
}

void TableBuilder::check_densifies(IndexId v, const Join& joined) {
  if (!r_->format) return;
  for (std::size_t l = 0; l < r_->format->levels.size(); ++l) {
    const auto mode = static_cast<std::size_t>(r_->format->order[l]);
    if (r_->indices[mode] != v || r_->format->levels[l] == LevelKind::kDense) continue;
    const FusedExpr* value = &r_->value;
    diag_.error(
        "densifies", value->range,
        fmt::format("{} has a value at every '{}', also where its operands have no entry, but '{}' "
                    "is declared sparse there",
                    joined.universal_name, index_name(v), program_.tensor(r_->tensor).name));
    const View* sparse = sparse_operand(r_->value, v);
    const std::string access = sparse == nullptr ? "B[...]" : access_text(*sparse);
    if (sparse != nullptr)
      diag_.note(fmt::format("'{}' is sparse at '{}'", program_.tensor(sparse->tensor).name,
                             index_name(v)));
    diag_.note("declare the result dense, or restrict the statement: ... where " + access);
    good_ = false;
    return;
  }
}

void TableBuilder::settle(const FusedExpr& body, const Join& joined, IndexId v) {
  std::set<int> all;
  leaves(body, all);
  for (const int c : all) settle_one(c, joined, v);
}

void TableBuilder::settle_one(int c, const Join& joined, IndexId v) {
  Cursor& cur = cursor(c);
  const auto found = joined.refs.find(c);
  const bool has = cur.kind == Cursor::Kind::kView
                       ? cur.level < view(cur).format.rank() &&
                             view(cur).storage_order()[static_cast<std::size_t>(cur.level)] == v
                       : cur.kind == Cursor::Kind::kAccumulated && !cur.entered() &&
                             cur.loops[static_cast<std::size_t>(cur.level)] == v;
  if (cur.is_tile() && cur.entered()) {
    const InStep step(*this);
    for (StreamRef& place : cur.places)
      place = repeat(place, *joined.crd, "repeat_" + column_name(c) + "_" + index_name(v));
  }
  if (found == joined.refs.end()) {
    HEDDLE_CHECK(!cur.ref && !has, "operand '{}' lost its stream at '{}'", column_name(c),
                 index_name(v));
    return;
  }
  if (absent_.count(c) > 0) cur.may_be_absent = true;
  const bool changed = cur.kind == Cursor::Kind::kAccumulated && has &&
                       *joined.crd != cur.crds[static_cast<std::size_t>(cur.level)];
  cur.ref = found->second;
  if (changed) follow(cur, v);
  if (has && cur.kind == Cursor::Kind::kView && view(cur).kept >= 0 && cur.level == 0)
    await_row(c, v);
  if (has) ++cur.level;
  if (cur.is_tile() && cur.entered()) cur.ref.reset();
}

void TableBuilder::await_row(int c, IndexId v) {
  Cursor& cur = cursor(c);
  StreamOp o = op<Await>("await_" + column_name(c), {*cur.ref, complete_.at(view(cur).kept)},
                         "rows of " + column_name(c) + " that are complete");
  o.holds = static_cast<int>(e_.at(v).extent) + 2;  // so that its writer never waits
  cur.ref = add(std::move(o));
}

StreamRef TableBuilder::flatten_one(StreamRef stream, std::size_t level, const std::string& label) {
  StreamOp o = op<Flatten>("flatten_" + label, {stream}, "the reduced loop's fibers as one");
  o.params.value[Flatten::kLevel] = static_cast<int>(level);
  return add(std::move(o));
}

void TableBuilder::flatten(const FusedExpr& body, Join& joined) {
  const StreamRef before = *joined.crd;
  joined.crd = flatten_one(before, 0, table_.ops[static_cast<std::size_t>(before.op)].label);
  joined.full = false;
  std::set<int> all;
  leaves(body, all);
  // Streams of an accumulator that are still to come carry the level too, further out.
  for (const int c : all)
    each_stream(cursor(c), [&](StreamRef& stream, std::size_t depth) {
      stream = flatten_one(stream, depth, column_name(c));
    });
}

void TableBuilder::build_reduction(const FusedExpr& r, const Nest& around) {
  const auto shared = static_cast<std::size_t>(r.shared);
  Nest nest{r.nest, {}, {}, {}};
  nest.crds.assign(around.crds.begin(), around.crds.begin() + static_cast<std::ptrdiff_t>(shared));
  nest.full.assign(around.full.begin(), around.full.begin() + static_cast<std::ptrdiff_t>(shared));
  nest.not_empty.assign(shared, false);
  const Value value = run_nest(r.args[0], nest, shared, shared + 1);
  if (!good_) return;
  const std::string label = owner_of(r) + "_" + index_name(r.index);
  const char* verb = r.reduce == ReduceOp::kSum   ? "sum"
                     : r.reduce == ReduceOp::kMax ? "max"
                                                  : "min";

  Cursor cur;
  cur.loops.assign(r.nest.begin() + r.shared + 1, r.nest.end());
  const char* how = cur.loops.empty() ? "reduce" : "accumulate";
  if (cur.loops.empty())
    cur = cursor_of_value(reduce(value, r, std::string(verb) + "_" + label));
  else
    accumulate_all(cur, nest, value, r, label);
  if (!good_) return;
  make_operand(r, std::move(cur), std::string(verb) + "_" + index_name(r.index), how);
}

Value TableBuilder::reduce(const Value& value, const FusedExpr& r, const std::string& label) {
  const bool masked = r.args[0].kind == FusedExpr::Kind::kMask;
  return for_places({value}, true, [&](auto streams, auto& suffix) {
    StreamOp o = op<Reduce>(label + suffix, std::move(streams), "over " + index_name(r.index));
    o.tensor = owner_of(r);
    o.params.value[Reduce::kOp] = static_cast<int>(r.reduce);
    o.params.value[Reduce::kType] = static_cast<int>(e_.type);
    o.params.value[Reduce::kZeros] = r.missing_are_zeros && !masked ? 1 : 0;
    o.registers = {size_register(r.index)};
    if (o.params[Reduce::kZeros] == 0) o.registers[0] = {};
    return add(std::move(o));
  });
}

std::optional<std::vector<int>> TableBuilder::coordinate_bits(const Cursor& cur,
                                                              const FusedExpr& r) {
  std::vector<int> bits;
  int total = 0;
  for (const IndexId id : cur.loops) {
    int b = 1;
    while (b < 32 && (std::uint64_t{1} << b) < e_.at(id).extent) ++b;
    bits.push_back(b);
    total += b;
  }
  if (total <= 26) return bits;
  diag_.error("capacity", r.range,
              fmt::format("the accumulator over '{}' would need 2^{} places, more than 2^26",
                          index_name(r.index), total));
  diag_.note("choose an order with '" + index_name(r.index) + "' further inside");
  good_ = false;
  return std::nullopt;
}

// Places of a tile have entries of their own where values may be absent; then one more accumulator,
// of nothing but coordinates, says which ones any of them may have.
void TableBuilder::accumulate_all(Cursor& cur, const Nest& nest, const Value& value,
                                  const FusedExpr& r, const std::string& label) {
  const auto bits = coordinate_bits(cur, r);
  if (!bits) return;
  cur.kind = Cursor::Kind::kAccumulated;
  cur.may_be_absent = true;
  cur.blocked = value.blocked;
  std::optional<StreamRef> all;
  if (!value.blocked.empty() && value.may_be_absent)
    all = accumulator(cur, nest, *bits, constant(nest.crds.back(), 0, "all_" + label), r,
                      label + "_all");
  const InStep step(*this);
  for (std::size_t n = 0; n < value.streams.size(); ++n) {
    Accumulated one = accumulate(cur, nest, *bits, value.streams[n], r, label, all);
    if (n == 0) cur.crds = std::move(one.crds);
    if (value.blocked.empty())
      cur.vals = one.vals;
    else
      cur.places.push_back(one.vals);
  }
}

StreamRef TableBuilder::accumulator(const Cursor& cur, const Nest& nest,
                                    const std::vector<int>& bits, StreamRef vals,
                                    const FusedExpr& r, const std::string& label) {
  const std::size_t n = cur.loops.size();
  const std::size_t first = nest.loops.size() - n;
  StreamRef crd = nest.crds.back();
  int inner = bits.back();
  for (std::size_t i = n - 1; i-- > 0;) {
    StreamOp pack = op<Pack>("pack_" + label + "_" + index_name(cur.loops[i]),
                             {nest.crds[first + i], crd, vals});
    pack.tensor = owner_of(r);
    pack.params.value[Pack::kBits] = inner;
    crd = add(std::move(pack));
    vals = {crd.op, Pack::kVal};
    inner += bits[i];
  }
  StreamOp acc = op<Accumulate>("accumulate_" + label, {crd, vals}, "over " + index_name(r.index));
  acc.tensor = owner_of(r);
  acc.params.value[Accumulate::kOp] = static_cast<int>(r.reduce);
  acc.params.value[Accumulate::kType] = static_cast<int>(e_.type);
  acc.params.value[Accumulate::kBits] = inner;
  acc.params.value[Accumulate::kLevel] =
      n > 1 ? 0 : 1;  // of several loops the first is flattened (run_nest)
  return add(std::move(acc));
}

TableBuilder::Accumulated TableBuilder::accumulate(const Cursor& cur, const Nest& nest,
                                                   const std::vector<int>& bits, StreamRef vals,
                                                   const FusedExpr& r, const std::string& label,
                                                   const std::optional<StreamRef>& all) {
  StreamRef crd = accumulator(cur, nest, bits, vals, r, label);
  vals = {crd.op, Accumulate::kVal};
  if (all) {
    StreamOp o = op<Union>("all_" + label, {*all, crd, *all, vals});
    o.params.value[Union::kN] = 2;
    crd = add(std::move(o));
    vals = {crd.op, 2};
  }
  Accumulated out;
  int inner = 0;
  for (const int b : bits) inner += b;
  for (std::size_t i = 0; i + 1 < bits.size(); ++i) {
    inner -= bits[i];
    StreamOp unpack = op<Unpack>("unpack_" + label + "_" + index_name(cur.loops[i]), {crd, vals});
    unpack.tensor = owner_of(r);
    unpack.params.value[Unpack::kBits] = inner;
    const StreamRef outer = add(std::move(unpack));
    out.crds.push_back(outer);
    crd = {outer.op, Unpack::kInner};
    vals = {outer.op, Unpack::kVal};
  }
  out.crds.push_back(crd);
  out.vals = vals;
  return out;
}

std::optional<FusionTable> build_table(const FusedEinsum& einsum, const EinsumProgram& program,
                                       Diagnostics& diag) {
  return TableBuilder(einsum, program, diag).run();
}

}  // namespace heddle
