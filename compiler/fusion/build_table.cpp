// build_table: from a region's expression to its streams.
//
//   for each loop of the nest, outermost first:
//     reductions whose own loops start here are built: their nest, then `reduce` or `accumulate`; from now on they
//     are operands like any view
//     join: every operand that has the index offers coordinates; products intersect, sums merge, what is dense is
//     located; operands without the index are repeated
//   then the value: loads and arithmetic along the expression
//
// A join gives one coordinate stream and, aligned with it, a reference stream for each operand ("N" where a sum
// has a coordinate that the operand lacks; from there on all its fibers are empty).
#include <algorithm>
#include <functional>
#include <limits>
#include <set>

#include "compiler/fusion/fusion_table.h"
#include "compiler/support/check.h"

namespace heddle {
namespace {

using Ids = std::vector<IndexId>;

bool zero_at_zero(UnaryOp op) {
  switch (op) {
    case UnaryOp::kNeg:
    case UnaryOp::kAbs:
    case UnaryOp::kRelu:
    case UnaryOp::kSqrt:
    case UnaryOp::kTanh:
    case UnaryOp::kGelu: return true;
    case UnaryOp::kExp:
    case UnaryOp::kLog:
    case UnaryOp::kRsqrt:
    case UnaryOp::kReciprocal:
    case UnaryOp::kSigmoid: return false;
  }
  return false;
}
bool zero_at_zeros(BinaryOp op) { return op != BinaryOp::kLe && op != BinaryOp::kEq; }

/// Where an operand stands: what is known of it after the loops so far.
struct Cursor {
  enum class Kind : std::uint8_t { kView, kIdentity, kValue, kAccumulated };
  Kind kind = Kind::kView;
  int column = 0;
  int view = -1;
  int level = 0;                    // levels entered (kView), coordinate streams used (kAccumulated)
  std::optional<StreamRef> ref;     // aligned with the innermost loop so far; none: not entered, position 0
  bool may_be_absent = false;       // ref may be N
  // kAccumulated: the streams of its loops and its values, as the accumulator gave them
  Ids loops;
  std::vector<StreamRef> crds;
  StreamRef vals;
};

/// A level joined so far.
struct Join {
  std::optional<StreamRef> crd;            // none: no operand has the index
  std::map<int, StreamRef> refs;           // by cursor; aligned with crd
  std::vector<int> free;                   // cursors without the index
  int dense = -1;                          // a cursor whose dense level can be located; crd none
  std::vector<Join> optional;              // operands looked up where others are: crd or dense
  bool universal = false;                  // has a value everywhere, even where all operands are absent
  std::string universal_name;              // what makes it so, for the message
  bool full = false;                       // crd has every coordinate
  bool fibers_not_empty = false;
};

struct Value {
  StreamRef stream;
  bool may_be_absent = false;
};

class Builder {
 public:
  Builder(const FusedEinsum& einsum, const EinsumProgram& program, Diagnostics& diag)
      : e_(einsum), program_(program), diag_(diag) {}

  std::optional<FusionTable> run() {
    merge_views();
    for (const IndexId id : e_.order) table_.rows.push_back(e_.at(id).name);
    table_.rows.push_back("value");
    for (const View& v : e_.views) table_.columns.push_back(v.identity ? "I" : v.name);

    for (const FusedResult& result : e_.results) {
      r_ = &result;
      Ids nest;
      for (const IndexId id : e_.order)
        if (std::find(result.indices.begin(), result.indices.end(), id) != result.indices.end()) nest.push_back(id);
      make_cursors(result.value);
      Nest root{nest, {}, {}, {}};
      run_nest(result.value, root, 0, std::nullopt, true);
      if (!good_) return std::nullopt;
      const Value value = value_of(result.value, root, false);
      write(root, value);
      if (!good_) return std::nullopt;
    }
    for (const IndexId id : e_.skip)
      if (skipped_.count(id) == 0)
        table_.remarks.push_back(
            fmt::format("'skip {}' has no effect: no two factors are scanned together there", index_name(id)));
    return std::move(table_);
  }

 private:
  struct Nest {
    Ids loops;
    std::vector<StreamRef> crds;
    std::vector<bool> full;
    std::vector<bool> not_empty;
  };

  // ---- stream expressions -------------------------------------------------------------------------------------

  StreamRef add(StreamOp op, int out = 0) {
    const PrimitiveSpec& spec = spec_of(op.primitive);
    op.registers.resize(spec.registers.size());
    op.memories.resize(spec.memories.size());
    for (std::size_t i = 0; i < table_.ops.size(); ++i)
      if (same(table_.ops[i], op)) return {static_cast<int>(i), out};
    std::string base = op.label;
    for (int n = 2; !labels_.insert(op.label).second; ++n) op.label = base + "_" + std::to_string(n);
    table_.ops.push_back(std::move(op));
    return {static_cast<int>(table_.ops.size()) - 1, out};
  }
  static bool same(const StreamOp& a, const StreamOp& b) {
    const auto registers_same = [&] {
      for (std::size_t i = 0; i < a.registers.size(); ++i)
        if (a.registers[i].kind != b.registers[i].kind || a.registers[i].value != b.registers[i].value)
          return false;
      return true;
    };
    const auto memories_same = [&] {
      for (std::size_t i = 0; i < a.memories.size(); ++i)
        if (a.memories[i].kind != b.memories[i].kind || a.memories[i].view != b.memories[i].view ||
            a.memories[i].array != b.memories[i].array || a.memories[i].level != b.memories[i].level)
          return false;
      return true;
    };
    return a.primitive == b.primitive && a.params == b.params && a.inputs == b.inputs &&
           registers_same() && memories_same();
  }
  template <class P>
  StreamOp op(std::string label, std::vector<StreamRef> inputs, std::string what = {}) {
    StreamOp o;
    o.primitive = id_of<P>();
    o.params = default_params(P::kSpec);
    o.inputs = std::move(inputs);
    o.label = std::move(label);
    o.what = std::move(what);
    return o;
  }
  /// Indices of one size share it, so that equal work is equal.
  RegisterSource size_register(IndexId id) const {
    std::uint32_t first = 0;
    while (e_.indices[first].size != e_.at(id).size) ++first;
    return {RegisterSource::Kind::kIndexSize, first};
  }
  StreamRef constant(StreamRef shape, std::uint32_t word, const std::string& label) {
    StreamOp o = op<Constant>(label, {shape});
    o.registers = {{RegisterSource::Kind::kConstant, word}};
    return add(std::move(o));
  }
  StreamRef repeat(StreamRef in, StreamRef crd, const std::string& label) {
    return add(op<Repeat>(label, {in, crd}));
  }

  // ---- names --------------------------------------------------------------------------------------------------

  const std::string& index_name(IndexId id) const { return e_.at(id).name; }
  const std::string& column_name(int cursor) const {
    return table_.columns[static_cast<std::size_t>(cursors_[static_cast<std::size_t>(cursor)].column)];
  }
  void note_cell(IndexId id, int column, std::string text) {
    const auto row = std::find(e_.order.begin(), e_.order.end(), id) - e_.order.begin();
    table_.cells[{static_cast<int>(row), column}] = std::move(text);
  }
  void note_value(int column, std::string text) {
    table_.cells[{static_cast<int>(e_.order.size()), column}] = std::move(text);
  }

  // ---- operands -----------------------------------------------------------------------------------------------

  /// Views that read the same storage are one.
  void merge_views() {
    for (std::size_t v = 0; v < e_.views.size(); ++v) {
      const View& view = e_.views[v];
      const auto found = std::find_if(table_.views.begin(), table_.views.end(), [&](const View& other) {
        return !view.identity && !other.identity && view.tensor == other.tensor && view.format == other.format;
      });
      merged_.push_back(static_cast<int>(found - table_.views.begin()));
      if (found == table_.views.end()) table_.views.push_back(view);
    }
  }

  void make_cursors(const FusedExpr& e) {
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
  Cursor& cursor(int c) { return cursors_[static_cast<std::size_t>(c)]; }
  const View& view(const Cursor& c) const { return e_.views[static_cast<std::size_t>(c.view)]; }

  /// The cursors that e consists of at this point: views, and reductions that are built.
  void leaves(const FusedExpr& e, std::vector<int>& out) const {
    if (const auto built = built_.find(&e); built != built_.end()) {
      out.push_back(built->second);
      return;
    }
    if (e.view >= 0) out.push_back(cursor_of_view_.at(e.view));
    for (const FusedExpr& arg : e.args) leaves(arg, out);
  }

  /// A stream aligned with the innermost loop of the nest so far.
  StreamRef shape(const Nest& nest) const { return nest.crds.empty() ? StreamRef{} : nest.crds.back(); }
  /// The reference of a cursor as a stream, made of zeros if it is not entered yet.
  StreamRef ref_of(const Cursor& c, const Nest& nest) {
    if (c.ref) return *c.ref;
    if (nest.crds.empty()) return {};
    return constant(nest.crds.back(), 0, "root_of_" + table_.columns[static_cast<std::size_t>(c.column)]);
  }

  // ---- joins --------------------------------------------------------------------------------------------------

  Join join_cursor(int c, IndexId v, const Nest& nest) {
    Cursor& cur = cursor(c);
    Join join;
    const std::string label = column_name(c) + "_" + index_name(v);
    if (cur.kind == Cursor::Kind::kView) {
      const View& w = view(cur);
      const Ids order = w.storage_order();
      if (cur.level >= w.format.rank() || order[static_cast<std::size_t>(cur.level)] != v) {
        join.free = {c};
        return join;
      }
      if (w.format.levels[static_cast<std::size_t>(cur.level)] == LevelKind::kDense) {
        join.dense = c;
        return join;
      }
      const auto merged = static_cast<std::uint32_t>(merged_[static_cast<std::size_t>(cur.view)]);
      StreamOp segment = op<Segment>("segment_" + label, {ref_of(cur, nest)},
                                     "where the fibers " + index_name(v) + " of " + w.name + " are");
      segment.memories = {{MemorySource::Kind::kInput, merged, MemorySource::Array::kSeg, cur.level}};
      const StreamRef lo = add(std::move(segment));
      StreamOp scan = op<ScanCompressed>("scan_" + label, {lo, {lo.op, Segment::kHi}},
                                         "coordinates " + index_name(v) + " of " + w.name);
      scan.memories = {{MemorySource::Kind::kInput, merged, MemorySource::Array::kCrd, cur.level}};
      const StreamRef crd = add(std::move(scan));
      join.crd = crd;
      join.refs[c] = {crd.op, ScanCompressed::kPos};
      join.fibers_not_empty =
          cur.level == 0 || w.format.levels[static_cast<std::size_t>(cur.level) - 1] == LevelKind::kCompressed;
      note_cell(v, cur.column, "scan");
      return join;
    }
    if (cur.kind == Cursor::Kind::kIdentity && view(cur).indices[1] == v) {
      join.crd = add(op<Singleton>("same_" + label, {ref_of(cur, nest)},
                                   "the coordinate " + index_name(view(cur).indices[0]) + " alone"));
      join.refs[c] = *join.crd;
      note_cell(v, cur.column, "singleton");
      return join;
    }
    if (cur.kind == Cursor::Kind::kAccumulated &&
        cur.level < static_cast<int>(cur.loops.size()) &&
        cur.loops[static_cast<std::size_t>(cur.level)] == v)
      return join_accumulated(c, v);
    join.free = {c};
    return join;
  }

  Join join_accumulated(int c, IndexId v) {
    Cursor& cur = cursor(c);
    const auto level = static_cast<std::size_t>(cur.level);
    const bool last = level + 1 == cur.loops.size();
    Join join;
    join.crd = cur.crds[level];
    join.refs[c] = last ? cur.vals
                        : add(op<Ordinal>("number_" + column_name(c) + "_" + index_name(v), {cur.crds[level]}));
    note_cell(v, cur.column, "accumulated");
    return join;
  }

  /// After a join that left out fibers of an accumulator's streams or put some in, the deeper ones follow.
  void follow(Cursor& cur, IndexId v) {
    const auto level = static_cast<std::size_t>(cur.level);  // the one just joined
    const auto pick = [&](StreamRef stream, std::size_t depth) {
      StreamOp o = op<Pick>("pick_" + table_.columns[static_cast<std::size_t>(cur.column)] + "_" + index_name(v), {*cur.ref, stream});
      o.params.value[Pick::kDepth] = static_cast<int>(depth);
      return add(std::move(o));
    };
    for (std::size_t m = level + 1; m < cur.crds.size(); ++m) cur.crds[m] = pick(cur.crds[m], m - level);
    if (level + 1 < cur.crds.size()) cur.vals = pick(cur.vals, cur.crds.size() - 1 - level);
    note_cell(v, cur.column, "pick");
  }

  /// Gives a join coordinates if it has none.
  Join concrete(Join join, const FusedExpr* e, IndexId v, const Nest& nest) {
    if (join.crd) return join;
    const std::string& name = index_name(v);
    if (join.dense >= 0) {
      const int c = join.dense;
      const Cursor& cur = cursor(c);
      StreamOp scan = op<ScanDense>("scan_" + column_name(c) + "_" + name, {ref_of(cur, nest)},
                                    "all coordinates " + name + " of " + column_name(c));
      scan.registers = {size_register(v)};
      const StreamRef crd = add(std::move(scan));
      join.crd = crd;
      join.refs[c] = {crd.op, ScanDense::kPos};
      join.full = !cur.may_be_absent;
      join.dense = -1;
      join.fibers_not_empty = true;
      note_cell(v, cur.column, "scan dense");
      return join;
    }
    // Nothing has the index. A value that exists everywhere needs every coordinate; one that depends on
    // operands needs them where the operands are.
    std::optional<StreamRef> presence;
    if (!join.universal && e != nullptr) presence = presence_of(*e);
    StreamOp scan = op<ScanDense>(
        "all_" + name,
        {presence ? *presence : nest.crds.empty() ? StreamRef{} : constant(nest.crds.back(), 0, "each_" + name)},
        "all coordinates " + name);
    scan.registers = {size_register(v)};
    join.crd = add(std::move(scan));
    join.full = !presence;
    join.fibers_not_empty = true;
    for (const int c : join.free) attach(join, c, v);
    join.free.clear();
    const std::vector<Join> optional = std::move(join.optional);
    join.optional.clear();
    for (const Join& o : optional) join = left_join(std::move(join), o, v, nest);
    return join;
  }

  /// A stream that is N wherever e is absent for what is known so far; none if nothing tells.
  std::optional<StreamRef> presence_of(const FusedExpr& e) {
    const auto of_cursor = [&](int c) {
      return cursor(c).may_be_absent ? cursor(c).ref : std::nullopt;
    };
    if (const auto built = built_.find(&e); built != built_.end()) return of_cursor(built->second);
    switch (e.kind) {
      case FusedExpr::Kind::kView: return of_cursor(cursor_of_view_.at(e.view));
      case FusedExpr::Kind::kReduce: return presence_of(e.args[0]);
      case FusedExpr::Kind::kUnary:
        return zero_at_zero(e.unary) ? presence_of(e.args[0]) : std::nullopt;
      case FusedExpr::Kind::kBinary:
        if (e.binary == BinaryOp::kDiv) return presence_of(e.args[0]);
        if (e.binary != BinaryOp::kMul) return std::nullopt;  // absent only if both are: its values will tell
        for (const FusedExpr& arg : e.args)
          if (const auto presence = presence_of(arg)) return presence;
        return std::nullopt;
      default: return std::nullopt;
    }
  }

  /// Repeats a cursor that lacks the index along the join's coordinates.
  void attach(Join& join, int c, IndexId v) {
    Cursor& cur = cursor(c);
    if (cur.kind == Cursor::Kind::kIdentity && view(cur).indices[0] == v) {
      join.refs[c] = *join.crd;  // the coordinate itself is what the inner index must equal
      note_cell(v, cur.column, "coordinate");
      return;
    }
    if (!cur.ref) return;  // not entered: still position 0
    join.refs[c] = repeat(*cur.ref, *join.crd, "repeat_" + column_name(c) + "_" + index_name(v));
    note_cell(v, cur.column, "repeat");
  }

  /// Finds a dense level's positions at the join's coordinates.
  void locate(Join& join, int c, IndexId v) {
    Cursor& cur = cursor(c);
    if (!cur.ref) {  // below position 0 a position is the coordinate
      join.refs[c] = *join.crd;
      note_cell(v, cur.column, "coordinate");
      return;
    }
    const std::string label = column_name(c) + "_" + index_name(v);
    const StreamRef parent = repeat(*cur.ref, *join.crd, "repeat_" + label);
    StreamOp o = op<Locate>("locate_" + label, {*join.crd, parent}, "positions in " + column_name(c));
    o.registers = {size_register(v)};
    join.refs[c] = add(std::move(o));
    note_cell(v, cur.column, "locate");
  }

  template <class P>
  Join merge(const std::vector<Join>& joins, IndexId v, const char* verb) {
    Join out;
    std::vector<StreamRef> crds, refs;
    std::vector<int> owners;
    bool same = true;
    for (const Join& j : joins) {
      same = same && *j.crd == *joins[0].crd;
      for (const auto& [c, ref] : j.refs) {
        crds.push_back(*j.crd);
        refs.push_back(ref);
        owners.push_back(c);
      }
      if (j.refs.empty()) {  // coordinates alone
        crds.push_back(*j.crd);
        refs.push_back(*j.crd);
        owners.push_back(-1);
      }
    }
    if (same) {
      out.crd = joins[0].crd;
      for (const Join& j : joins) out.refs.insert(j.refs.begin(), j.refs.end());
      return out;
    }
    // Several references of one operand ride on copies of its coordinates.
    constexpr std::size_t kMostOperands = 16;
    if (crds.size() > kMostOperands) {
      if (good_)
        diag_.error("capacity", r_->range,
                    fmt::format("{} streams meet at index '{}', more than {}", crds.size(), index_name(v), kMostOperands));
      good_ = false;
      out.crd = joins[0].crd;
      for (const Join& j : joins) out.refs.insert(j.refs.begin(), j.refs.end());
      return out;
    }
    const int n = static_cast<int>(crds.size());
    std::vector<StreamRef> inputs = crds;
    inputs.insert(inputs.end(), refs.begin(), refs.end());
    StreamOp o = op<P>(std::string(verb) + "_" + index_name(v), std::move(inputs));
    o.params.value[P::kN] = n;
    const StreamRef crd = add(std::move(o));
    out.crd = crd;
    for (int i = 0; i < n; ++i) {
      const int c = owners[static_cast<std::size_t>(i)];
      if (c < 0) continue;
      out.refs[c] = {crd.op, 1 + i};
      note_cell(v, cursor(c).column, std::string(verb) + " of " + table_.columns[static_cast<std::size_t>(cursor(c).column)]);
    }
    return out;
  }

  /// Lets the scans among the joins leap over what cannot match: they become one join, with the streams that scanning
  /// and intersecting would give. Such a scanner follows one intersection, so it serves nothing else.
  std::vector<Join> leap(std::vector<Join> joins, IndexId v) {
    if (std::find(e_.skip.begin(), e_.skip.end(), v) == e_.skip.end()) return joins;
    std::vector<StreamRef> scans;
    std::vector<int> owners;
    std::vector<Join> rest;
    for (const Join& j : joins) {
      const bool alone = j.refs.size() == 1 && j.refs.begin()->second.op == j.crd->op && j.crd->op >= 0 &&
                         table_.ops[static_cast<std::size_t>(j.crd->op)].primitive == id_of<ScanCompressed>();
      if (alone && std::find(scans.begin(), scans.end(), *j.crd) == scans.end()) {
        scans.push_back(*j.crd);
        owners.push_back(j.refs.begin()->first);
      } else {
        rest.push_back(j);
      }
    }
    if (scans.size() < 2) return joins;
    skipped_.insert(v);
    const auto n = static_cast<int>(scans.size());
    const auto [pair, is_new] = leaps_.emplace(scans, static_cast<int>(table_.ops.size()) + n);
    const int meet = pair->second;
    Join out;
    out.crd = StreamRef{meet, 0};
    std::vector<StreamRef> crds, refs;
    for (int i = 0; i < n; ++i) {
      const int c = owners[static_cast<std::size_t>(i)];
      out.refs[c] = {meet, 1 + i};
      note_cell(v, cursor(c).column, "leap of " + table_.columns[static_cast<std::size_t>(cursor(c).column)]);
      if (!is_new) continue;
      const StreamOp scan = table_.ops[static_cast<std::size_t>(scans[static_cast<std::size_t>(i)].op)];
      StreamOp o = op<ScanSkip>("leap_" + column_name(c) + "_" + index_name(v),
                                {scan.inputs[ScanCompressed::kLo], scan.inputs[ScanCompressed::kHi], {meet, 1 + n + i}},
                                scan.what);
      o.memories = scan.memories;
      crds.push_back(add(std::move(o)));
      refs.push_back({crds.back().op, ScanSkip::kPos});
    }
    if (is_new) {
      crds.insert(crds.end(), refs.begin(), refs.end());
      StreamOp o = op<IntersectSkip>("intersect_" + index_name(v), std::move(crds));
      o.params.value[IntersectSkip::kN] = n;
      HEDDLE_CHECK(add(std::move(o)).op == meet, "the scanners at '{}' wait for another block", index_name(v));
    }
    rest.insert(rest.begin(), std::move(out));
    return rest;
  }

  /// base's coordinates, with o's references where it has them and N elsewhere.
  Join left_join(Join base, const Join& o, IndexId v, const Nest& nest) {
    if (o.dense >= 0) {
      locate(base, o.dense, v);
      return base;
    }
    if (!o.crd) {
      for (const int c : o.free) attach(base, c, v);
      for (const Join& inner : o.optional) base = left_join(std::move(base), inner, v, nest);
      return base;
    }
    if (*o.crd == *base.crd) {
      base.refs.insert(o.refs.begin(), o.refs.end());
      return base;
    }
    Join coordinates;
    coordinates.crd = base.crd;
    Join merged = merge<Union>({coordinates, o}, v, "union");
    for (const auto& [c, ref] : o.refs) absent_.insert(c);
    if (base.full) {  // nothing outside it: the merged coordinates are the same ones
      Join out = base;
      out.refs.insert(merged.refs.begin(), merged.refs.end());
      return out;
    }
    Join out = merge<Intersect>({base, merged}, v, "within");
    out.full = base.full;
    out.universal = base.universal;
    out.fibers_not_empty = base.fibers_not_empty;
    return out;
  }

  Join intersect(std::vector<Join> joins, IndexId v, const Nest& nest) {
    std::vector<Join> concretes;
    std::vector<int> dense;
    Join out;
    out.universal = true;
    std::vector<Join> optional;
    std::vector<int> free;
    for (Join& j : joins) {
      if (j.crd) {
        concretes.push_back(std::move(j));
        continue;
      }
      if (j.dense >= 0) dense.push_back(j.dense);
      else out.universal = out.universal && j.universal;
      if (j.universal) out.universal_name = j.universal_name;
      free.insert(free.end(), j.free.begin(), j.free.end());
      for (Join& o : j.optional) optional.push_back(std::move(o));
    }
    if (concretes.empty() && dense.empty()) {
      out.free = free;
      out.optional = std::move(optional);
      return out;
    }
    if (concretes.empty() && dense.size() == 1 && free.empty() && optional.empty() && joins.size() == 1) {
      out.universal = false;
      out.dense = dense[0];
      return out;
    }
    if (concretes.empty()) {
      Join first;
      first.dense = dense[0];
      dense.erase(dense.begin());
      concretes.push_back(concrete(std::move(first), nullptr, v, nest));
    }
    bool full = true;
    for (const Join& j : concretes) full = full && j.full;
    concretes = leap(std::move(concretes), v);
    const bool one = concretes.size() == 1;
    const bool not_empty = one && concretes[0].fibers_not_empty;
    out = one ? std::move(concretes[0]) : merge<Intersect>(concretes, v, "intersect");
    out.full = full;
    out.universal = false;
    out.fibers_not_empty = not_empty;
    for (const int c : dense) locate(out, c, v);
    for (const int c : free) attach(out, c, v);
    for (const Join& o : optional) out = left_join(std::move(out), o, v, nest);
    return out;
  }

  Join unite(const std::vector<Join>& joins, const std::vector<const FusedExpr*>& exprs, IndexId v,
             const Nest& nest) {
    // No operand has the index: nor has the sum.
    bool any = false, universal = false;
    std::string universal_name;
    for (const Join& j : joins) {
      any = any || j.crd || j.dense >= 0;
      universal = universal || j.universal;
      if (j.universal) universal_name = j.universal_name;
    }
    if (!any || universal) {
      Join out;
      out.universal = universal;
      out.universal_name = universal_name;
      for (const Join& j : joins) {
        if (j.crd || j.dense >= 0) {
          out.optional.push_back(j);
          continue;
        }
        out.free.insert(out.free.end(), j.free.begin(), j.free.end());
        out.optional.insert(out.optional.end(), j.optional.begin(), j.optional.end());
      }
      return out;
    }
    // All dense and present: one scan serves all.
    bool all_dense = true;
    for (const Join& j : joins)
      all_dense = all_dense && j.dense >= 0 && !cursor(j.dense).may_be_absent;
    if (all_dense) {
      Join out = concrete(joins[0], nullptr, v, nest);
      for (std::size_t i = 1; i < joins.size(); ++i) locate(out, joins[i].dense, v);
      return out;
    }
    std::vector<Join> concretes;
    bool full = false, not_empty = true, differ = false;
    for (std::size_t i = 0; i < joins.size(); ++i) {
      concretes.push_back(concrete(joins[i], exprs[i], v, nest));
      full = full || concretes.back().full;
      not_empty = not_empty && concretes.back().fibers_not_empty;
      differ = differ || *concretes.back().crd != *concretes[0].crd;
    }
    Join out = merge<Union>(concretes, v, "union");
    out.full = full;
    out.fibers_not_empty = not_empty;
    if (differ)
      for (const Join& j : concretes)
        if (!j.full)
          for (const auto& [c, ref] : j.refs) absent_.insert(c);
    return out;
  }

  /// Sums of sums meet in one merge.
  static void flatten(const FusedExpr& e, std::vector<const FusedExpr*>& out) {
    if (e.kind == FusedExpr::Kind::kBinary && e.binary == BinaryOp::kMul) {
      for (const FusedExpr& arg : e.args) flatten(arg, out);
    } else {
      out.push_back(&e);
    }
  }
  static bool merges(const FusedExpr& e) {
    return e.kind == FusedExpr::Kind::kSelect ||
           (e.kind == FusedExpr::Kind::kBinary && e.binary != BinaryOp::kMul && e.binary != BinaryOp::kDiv &&
            zero_at_zeros(e.binary));
  }
  static void flatten_sum(const FusedExpr& e, std::vector<const FusedExpr*>& out) {
    if (merges(e)) {
      for (const FusedExpr& arg : e.args) flatten_sum(arg, out);
    } else {
      out.push_back(&e);
    }
  }

  Join join(const FusedExpr& e, IndexId v, const Nest& nest) {
    if (const auto built = built_.find(&e); built != built_.end())
      return join_cursor(built->second, v, nest);
    switch (e.kind) {
      case FusedExpr::Kind::kView: return join_cursor(cursor_of_view_.at(e.view), v, nest);
      case FusedExpr::Kind::kConstant:
      case FusedExpr::Kind::kIndexSize: {
        Join out;
        out.universal = true;
        out.universal_name = "a constant";
        return out;
      }
      case FusedExpr::Kind::kUnary: {
        Join arg = join(e.args[0], v, nest);
        if (zero_at_zero(e.unary)) return arg;
        return everywhere({std::move(arg)}, std::string(name(e.unary)));
      }
      case FusedExpr::Kind::kBinary:
        if (e.binary == BinaryOp::kMul) {
          std::vector<const FusedExpr*> factors;
          flatten(e, factors);
          std::vector<Join> joins;
          for (const FusedExpr* f : factors) joins.push_back(join(*f, v, nest));
          return intersect(std::move(joins), v, nest);
        }
        if (e.binary == BinaryOp::kDiv) {
          Join over = join(e.args[0], v, nest);
          Join under = join(e.args[1], v, nest);
          if (over.crd || over.dense >= 0)
            return left_join(concrete(std::move(over), &e.args[0], v, nest), under, v, nest);
          if (under.crd || under.dense >= 0) over.optional.push_back(std::move(under));
          else over = both_free(std::move(over), under);
          return over;
        }
        if (!zero_at_zeros(e.binary))
          return everywhere({join(e.args[0], v, nest), join(e.args[1], v, nest)},
                            std::string(name(e.binary)));
        [[fallthrough]];
      case FusedExpr::Kind::kSelect: {
        std::vector<const FusedExpr*> terms;
        flatten_sum(e, terms);
        std::vector<Join> joins;
        for (const FusedExpr* t : terms) joins.push_back(join(*t, v, nest));
        return unite(joins, terms, v, nest);
      }
      case FusedExpr::Kind::kReduce: return join(e.args[0], v, nest);
      case FusedExpr::Kind::kIdentity: {
        std::vector<Join> joins;
        joins.push_back(join(e.args[0], v, nest));
        joins.push_back(join_cursor(cursor_of_view_.at(e.view), v, nest));
        return intersect(std::move(joins), v, nest);
      }
      case FusedExpr::Kind::kMask: {
        Join mask = join_cursor(cursor_of_view_.at(e.view), v, nest);
        Join body = join(e.args[0], v, nest);
        if (!mask.crd && mask.dense < 0) {
          if (body.crd || body.dense >= 0) {
            // The mask does not have this index; the body alone decides.
            Join out = concrete(std::move(body), &e.args[0], v, nest);
            for (const int c : mask.free) attach(out, c, v);
            return out;
          }
          return both_free(std::move(body), mask);
        }
        return left_join(concrete(std::move(mask), nullptr, v, nest), body, v, nest);
      }
    }
    HEDDLE_CHECK(false, "an expression without a join");
    return {};
  }

  static Join both_free(Join a, const Join& b) {
    a.free.insert(a.free.end(), b.free.begin(), b.free.end());
    a.optional.insert(a.optional.end(), b.optional.begin(), b.optional.end());
    return a;
  }

  /// A value that exists where its operands do not.
  static Join everywhere(std::vector<Join> args, std::string what) {
    Join out;
    out.universal = true;
    out.universal_name = std::move(what);
    for (Join& a : args) {
      if (a.crd || a.dense >= 0) {
        out.optional.push_back(std::move(a));
      } else {
        out = both_free(std::move(out), a);
      }
    }
    return out;
  }

  // ---- nests --------------------------------------------------------------------------------------------------

  /// Reductions in e that are not built and branch off the nest around e: those directly in it, and those inside
  /// another one that leave the shared loops before that one does.
  void reductions(const FusedExpr& e, int before, std::vector<const FusedExpr*>& out) const {
    if (built_.count(&e) > 0) return;
    if (e.kind == FusedExpr::Kind::kReduce) {
      if (e.shared < before) out.push_back(&e);
      before = std::min(before, e.shared);
    }
    for (const FusedExpr& arg : e.args) reductions(arg, before, out);
  }

  void run_nest(const FusedExpr& body, Nest& nest, std::size_t from, std::optional<std::size_t> flatten_after,
                bool root = false) {
    for (std::size_t q = from; good_; ++q) {
      std::vector<const FusedExpr*> inside;
      reductions(body, std::numeric_limits<int>::max(), inside);
      for (const FusedExpr* r : inside)
        if (good_ && static_cast<std::size_t>(r->shared) == q) build_reduction(*r, nest);
      if (q == nest.loops.size() || !good_) return;
      const IndexId v = nest.loops[q];
      absent_.clear();
      Join joined = join(body, v, nest);
      if (root && joined.universal && !joined.crd) check_densifies(v, joined);
      joined = concrete(std::move(joined), &body, v, nest);
      settle(body, joined, v);
      // An accumulator does not need to know where the fibers of its reduced loop end, only where all of them do:
      // the first loop inside becomes one long fiber, and the loops below it save a stop for each of the old ones.
      const bool flat = flatten_after && q == *flatten_after && q + 1 < nest.loops.size();
      if (flat) flatten(body, joined);
      nest.crds.push_back(*joined.crd);
      nest.full.push_back(joined.full);
      nest.not_empty.push_back(joined.fibers_not_empty);
    }
  }

  /// An operand whose pattern the result could take: it is compressed at v and has indices of the result only.
  const View* sparse_operand(const FusedExpr& e, IndexId v) const {
    if (e.kind == FusedExpr::Kind::kView) {
      const View& view = e_.views[static_cast<std::size_t>(e.view)];
      bool fits = false;
      for (std::size_t l = 0; l < view.format.levels.size(); ++l)
        fits |= view.storage_order()[l] == v && view.format.levels[l] == LevelKind::kCompressed;
      for (const IndexId i : view.indices)
        fits &= std::find(r_->indices.begin(), r_->indices.end(), i) != r_->indices.end();
      return fits && !view.identity ? &view : nullptr;
    }
    for (const FusedExpr& arg : e.args)
      if (const View* found = sparse_operand(arg, v)) return found;
    return nullptr;
  }

  /// "A[i, j]"
  std::string access_text(const View& view) const {
    std::string text;
    for (const IndexId i : view.indices) text += (text.empty() ? "" : ", ") + index_name(i);
    return program_.tensor(view.tensor).name + "[" + text + "]";
  }

  /// A result that would have an entry everywhere must not be declared sparse at this index.
  void check_densifies(IndexId v, const Join& joined) {
    if (!r_->format) return;
    for (std::size_t l = 0; l < r_->format->levels.size(); ++l) {
      const auto mode = static_cast<std::size_t>(r_->format->order[l]);
      if (r_->indices[mode] != v || r_->format->levels[l] == LevelKind::kDense) continue;
      const FusedExpr* value = &r_->value;
      diag_.error("densifies", value->range,
                  fmt::format("{} has a value at every '{}', also where its operands have no entry, but '{}' "
                              "is declared sparse there",
                              joined.universal_name, index_name(v),
                              program_.tensor(r_->tensor).name));
      const View* sparse = sparse_operand(r_->value, v);
      const std::string access = sparse == nullptr ? "B[...]" : access_text(*sparse);
      if (sparse != nullptr)
        diag_.note(fmt::format("'{}' is sparse at '{}'", program_.tensor(sparse->tensor).name, index_name(v)));
      diag_.note("declare the result dense, or restrict the statement: ... where " + access);
      good_ = false;
      return;
    }
  }

  /// Moves all cursors of the body to the joined level.
  void settle(const FusedExpr& body, const Join& joined, IndexId v) {
    std::vector<int> all;
    leaves(body, all);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    for (const int c : all) {
      Cursor& cur = cursor(c);
      const auto found = joined.refs.find(c);
      const bool has = cur.kind == Cursor::Kind::kView
                           ? cur.level < view(cur).format.rank() &&
                                 view(cur).storage_order()[static_cast<std::size_t>(cur.level)] == v
                           : cur.kind == Cursor::Kind::kAccumulated &&
                                 cur.level < static_cast<int>(cur.loops.size()) &&
                                 cur.loops[static_cast<std::size_t>(cur.level)] == v;
      if (found == joined.refs.end()) {
        HEDDLE_CHECK(!cur.ref && !has, "operand '{}' lost its stream at '{}'", column_name(c), index_name(v));
        continue;
      }
      if (absent_.count(c) > 0) cur.may_be_absent = true;
      const bool changed = cur.kind == Cursor::Kind::kAccumulated && has &&
                           *joined.crd != cur.crds[static_cast<std::size_t>(cur.level)];
      cur.ref = found->second;
      if (changed) follow(cur, v);
      if (has) ++cur.level;
    }
  }

  void flatten(const FusedExpr& body, Join& joined) {
    const auto one = [&](StreamRef stream, const std::string& label, std::size_t level = 0) {
      StreamOp o = op<Flatten>("flatten_" + label, {stream}, "the reduced loop's fibers as one");
      o.params.value[Flatten::kLevel] = static_cast<int>(level);
      return add(std::move(o));
    };
    const StreamRef before = *joined.crd;
    joined.crd = one(before, table_.ops[static_cast<std::size_t>(before.op)].label);
    joined.full = false;
    std::vector<int> all;
    leaves(body, all);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    for (const int c : all) {
      Cursor& cur = cursor(c);
      if (cur.ref) cur.ref = one(*cur.ref, column_name(c));
      // Streams of an accumulator that are still to come carry the level too, further out.
      const auto next = static_cast<std::size_t>(cur.level);
      if (cur.kind != Cursor::Kind::kAccumulated || next >= cur.loops.size()) continue;
      for (std::size_t m = next; m < cur.crds.size(); ++m) cur.crds[m] = one(cur.crds[m], column_name(c), m - next + 1);
      cur.vals = one(cur.vals, column_name(c), cur.crds.size() - next);
    }
  }

  void build_reduction(const FusedExpr& r, const Nest& around) {
    const auto shared = static_cast<std::size_t>(r.shared);
    Nest nest{r.nest, {}, {}, {}};
    nest.crds.assign(around.crds.begin(), around.crds.begin() + static_cast<std::ptrdiff_t>(shared));
    nest.full.assign(around.full.begin(), around.full.begin() + static_cast<std::ptrdiff_t>(shared));
    nest.not_empty.assign(shared, false);
    run_nest(r.args[0], nest, shared, shared + 1);
    if (!good_) return;
    const bool masked = r.args[0].kind == FusedExpr::Kind::kMask;
    const Value value = value_of(r.args[0], nest, false);
    const std::string label = owner_of(r) + "_" + index_name(r.index);
    const char* verb = r.reduce == ReduceOp::kSum ? "sum" : r.reduce == ReduceOp::kMax ? "max" : "min";

    Cursor cur;
    cur.column = static_cast<int>(table_.columns.size());
    table_.columns.push_back(std::string(verb) + "_" + index_name(r.index));
    cur.loops.assign(r.nest.begin() + r.shared + 1, r.nest.end());
    if (cur.loops.empty()) {
      StreamOp o = op<Reduce>(std::string(verb) + "_" + label, {value.stream}, "over " + index_name(r.index));
      o.params.value[Reduce::kOp] = static_cast<int>(r.reduce);
      o.params.value[Reduce::kType] = static_cast<int>(e_.type);
      o.params.value[Reduce::kZeros] = r.missing_are_zeros && !masked ? 1 : 0;
      o.registers = {size_register(r.index)};
      if (o.params[Reduce::kZeros] == 0) o.registers[0] = {};
      cur.kind = Cursor::Kind::kValue;
      cur.ref = add(std::move(o));
      note_value(cur.column, "reduce");
    } else {
      cur.kind = Cursor::Kind::kAccumulated;
      accumulate(cur, nest, value, r, label);
      note_value(cur.column, "accumulate");
      if (shared > 0) {  // its fibers are those of the loop around it
      }
    }
    cur.may_be_absent = true;
    built_[&r] = static_cast<int>(cursors_.size());
    cursors_.push_back(std::move(cur));
  }

  /// Joins the loops inside the reduced one into a single coordinate, accumulates, and splits them again.
  void accumulate(Cursor& cur, const Nest& nest, const Value& value, const FusedExpr& r,
                  const std::string& label) {
    const std::size_t n = cur.loops.size();
    const std::size_t first = nest.loops.size() - n;
    std::vector<int> bits;
    for (const IndexId id : cur.loops) {
      int b = 1;
      while (b < 32 && (std::uint64_t{1} << b) < e_.at(id).extent) ++b;
      bits.push_back(b);
    }
    int total = 0;
    for (const int b : bits) total += b;
    if (total > 26) {
      diag_.error("capacity", r.range,
                  fmt::format("the accumulator over '{}' would need 2^{} places, more than 2^26",
                              index_name(r.index), total));
      diag_.note("choose an order with '" + index_name(r.index) + "' further inside");
      good_ = false;
      return;
    }
    StreamRef crd = nest.crds.back();
    StreamRef vals = value.stream;
    int inner = bits.back();
    std::vector<int> split;  // bits of the inner part at each join, innermost first
    for (std::size_t i = n - 1; i-- > 0;) {
      StreamOp pack = op<Pack>("pack_" + label + "_" + index_name(cur.loops[i]), {nest.crds[first + i], crd, vals});
      pack.params.value[Pack::kBits] = inner;
      crd = add(std::move(pack));
      vals = {crd.op, Pack::kVal};
      split.push_back(inner);
      inner += bits[i];
    }
    StreamOp acc = op<Accumulate>("accumulate_" + label, {crd, vals}, "over " + index_name(r.index));
    acc.params.value[Accumulate::kOp] = static_cast<int>(r.reduce);
    acc.params.value[Accumulate::kType] = static_cast<int>(e_.type);
    acc.params.value[Accumulate::kBits] = inner;
    acc.params.value[Accumulate::kLevel] = n > 1 ? 0 : 1;  // of several loops the first is flattened (run_nest)
    crd = add(std::move(acc));
    vals = {crd.op, Accumulate::kVal};
    for (std::size_t i = 0; i + 1 < n; ++i) {
      StreamOp unpack = op<Unpack>("unpack_" + label + "_" + index_name(cur.loops[i]), {crd, vals});
      unpack.params.value[Unpack::kBits] = split[split.size() - 1 - i];
      const StreamRef outer = add(std::move(unpack));
      cur.crds.push_back(outer);
      crd = {outer.op, Unpack::kInner};
      vals = {outer.op, Unpack::kVal};
    }
    cur.crds.push_back(crd);
    cur.vals = vals;
  }

  // ---- values -------------------------------------------------------------------------------------------------

  std::uint32_t word(double value) const {
    if (e_.type == ValueType::kI32) return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
    const auto f = static_cast<float>(value);
    std::uint32_t bits;
    static_assert(sizeof bits == sizeof f);
    __builtin_memcpy(&bits, &f, sizeof bits);
    return bits;
  }

  /// `present`: absent operands count as zero, the value is never N (inside a mask).
  Value value_of(const FusedExpr& e, const Nest& nest, bool present) {
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
        o.memories = {{MemorySource::Kind::kInput,
                       static_cast<std::uint32_t>(merged_[static_cast<std::size_t>(cur.view)]),
                       MemorySource::Array::kVals, 0}};
        note_value(cur.column, "load");
        return {add(std::move(o)), !present && cur.may_be_absent};
      }
      case FusedExpr::Kind::kConstant: return {constant(shape(nest), word(e.value), "constant"), false};
      case FusedExpr::Kind::kIndexSize:
        return {constant(shape(nest), word(e_.at(e.index).extent), "size_" + index_name(e.index)), false};
      case FusedExpr::Kind::kUnary: {
        const Value arg = value_of(e.args[0], nest, false);
        const bool keeps = zero_at_zero(e.unary) && !present;
        StreamOp o = op<Function>(label_of(e), {arg.stream});
        o.params.value[Function::kOp] = static_cast<int>(e.unary);
        o.params.value[Function::kType] = static_cast<int>(e_.type);
        o.params.value[Function::kAbsent] = keeps ? 0 : 1;
        return {add(std::move(o)), keeps && arg.may_be_absent};
      }
      case FusedExpr::Kind::kBinary: {
        const Value a = value_of(e.args[0], nest, false);
        const Value b = value_of(e.args[1], nest, false);
        StreamOp o = op<Alu>(label_of(e), {a.stream, b.stream});
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
        o.params.value[Select::kType] = static_cast<int>(e_.type);
        o.params.value[Select::kAbsent] = present ? 0 : 1;
        return {add(std::move(o)), !present && c.may_be_absent && a.may_be_absent && b.may_be_absent};
      }
      case FusedExpr::Kind::kMask: return value_of(e.args[0], nest, true);
      case FusedExpr::Kind::kIdentity: return value_of(e.args[0], nest, present);
      case FusedExpr::Kind::kReduce: break;
    }
    HEDDLE_CHECK(false, "a reduction was not built");
    return {};
  }

  Value maybe_present(Value v, bool present, const std::string& label) {
    if (!present || !v.may_be_absent) return v;
    // max(x, x) is x, and N counts as zero.
    StreamOp o = op<Alu>("present_" + label, {v.stream, v.stream});
    o.params.value[Alu::kOp] = static_cast<int>(BinaryOp::kMax);
    o.params.value[Alu::kType] = static_cast<int>(e_.type);
    o.params.value[Alu::kAbsent] = Alu::kZero;
    return {add(std::move(o)), false};
  }

  std::string owner_of(const FusedExpr& e) const {
    return e.owner.empty() ? program_.tensor(r_->tensor).name : e.owner;
  }
  std::string label_of(const FusedExpr& e) const {
    const std::string target = owner_of(e);
    if (e.kind == FusedExpr::Kind::kUnary) return std::string(name(e.unary)) + "_" + target;
    if (e.kind == FusedExpr::Kind::kBinary) return std::string(name(e.binary)) + "_" + target;
    if (e.kind == FusedExpr::Kind::kSelect) return "select_" + target;
    return "value_" + target;
  }

  // ---- the result ---------------------------------------------------------------------------------------------

  void write(const Nest& nest, const Value& value) {
    const int column = static_cast<int>(table_.columns.size());
    const std::string& target = program_.tensor(r_->tensor).name;
    table_.columns.push_back(target);
    const std::size_t n = nest.loops.size();
    choose_formats(nest);
    const auto dense = [&](std::size_t l) {
      return table_.results.back().written.levels[l] == LevelKind::kDense;
    };

    // Coordinates whose value or fiber is absent leave, innermost first, unless all levels so far are dense.
    std::vector<StreamRef> crd = nest.crds;
    std::vector<bool> full = nest.full;
    StreamRef vals = value.stream;
    std::size_t exact = n;  // first compressed level: from here on the structure must be exact
    for (std::size_t l = n; l-- > 0;)
      if (!dense(l)) exact = l;
    // Streams below a level must lose or gain what it loses or gains while a fill still has to line up with them.
    const auto aligned_below = [&](std::size_t l) {
      for (std::size_t m = l + 1; m < n; ++m)
        if (dense(m) && !full[m]) return true;
      return false;
    };
    bool may_be_empty = false;  // fibers of the level below
    for (std::size_t l = n; l-- > exact;) {
      const std::string label = "drop_" + target + "_" + index_name(nest.loops[l]);
      if (l + 1 == n && value.may_be_absent) {
        const StreamRef kept = add(op<ValDrop>(label, {crd[l], vals}, "entries without a value"));
        crd[l] = kept;
        vals = {kept.op, ValDrop::kVal};
        full[l] = false;
        may_be_empty = true;
        continue;
      }
      if (l + 1 < n && may_be_empty) {
        full[l] = false;
        const StreamRef outer = crd[l];
        const auto drop = [&](StreamRef& inner, std::size_t depth, const std::string& suffix) {
          StreamOp o = op<CrdDrop>(label + suffix, {outer, inner}, "empty fibers");
          o.params.value[CrdDrop::kDepth] = static_cast<int>(depth);
          const StreamRef kept = add(std::move(o));
          inner = {kept.op, CrdDrop::kInner};
          return kept;
        };
        crd[l] = drop(crd[l + 1], 1, "");
        if (aligned_below(l)) {
          for (std::size_t m = l + 2; m < n; ++m) drop(crd[m], m - l, "_" + index_name(nest.loops[m]));
          drop(vals, n - 1 - l, "_val");
        }
        continue;
      }
      may_be_empty = !nest.not_empty[l];
    }
    // Dense levels get what is missing.
    for (std::size_t l = 0; l < n; ++l) {
      if (!dense(l) || full[l]) continue;
      const auto fill = [&](StreamRef& inner, std::size_t depth, const std::string& suffix) {
        StreamOp o = op<Fill>("fill_" + target + "_" + index_name(nest.loops[l]) + suffix, {crd[l], inner},
                              "what is missing in a dense level");
        o.params.value[Fill::kDepth] = static_cast<int>(depth);
        o.registers = {size_register(nest.loops[l])};
        inner = add(std::move(o));
      };
      if (l + 1 == n) {
        fill(vals, 0, "");
        continue;
      }
      full[l + 1] = false;  // the fibers put in are empty
      for (std::size_t m = l + 1; m < n; ++m)
        if (m == l + 1 || aligned_below(l)) fill(crd[m], m - l, m == l + 1 ? "" : "_" + index_name(nest.loops[m]));
      if (aligned_below(l)) fill(vals, n - 1 - l, "_val");
    }
    for (std::size_t l = 0; l < n; ++l) {
      note_cell(nest.loops[l], column, dense(l) ? "dense" : "write");
      if (dense(l)) continue;
      StreamOp o = op<WriteCompressed>("write_" + target + "_" + index_name(nest.loops[l]), {crd[l]},
                                       "level " + index_name(nest.loops[l]) + " of " + target);
      o.memories = {{MemorySource::Kind::kOutput, result_number(), MemorySource::Array::kSeg, static_cast<int>(l)},
                    {MemorySource::Kind::kOutput, result_number(), MemorySource::Array::kCrd, static_cast<int>(l)}};
      table_.writers.push_back(add(std::move(o)).op);
    }
    StreamOp o = op<WriteVals>("write_" + target, {vals}, "values of " + target);
    o.memories = {{MemorySource::Kind::kOutput, result_number(), MemorySource::Array::kVals, 0}};
    table_.writers.push_back(add(std::move(o)).op);
    note_value(column, "write");
  }

  std::uint32_t result_number() const { return static_cast<std::uint32_t>(table_.results.size()) - 1; }

  /// As declared, with the levels in loop order; or inferred: dense where the loop sees every coordinate.
  void choose_formats(const Nest& nest) {
    table_.results.push_back({r_->tensor, {}, {}, r_->indices});
    TensorFormat& written = table_.results.back().written;
    for (const IndexId id : nest.loops) {
      const auto mode = std::find(r_->indices.begin(), r_->indices.end(), id) - r_->indices.begin();
      written.order.push_back(static_cast<int>(mode));
    }
    if (r_->format) {
      written.levels = r_->format->levels;
      table_.results.back().stored = *r_->format;
      // A dense level does not say what was there, so what will be stored in another order is written entry by entry.
      const bool all_dense = std::find(written.levels.begin(), written.levels.end(), LevelKind::kCompressed) == written.levels.end();
      if (written.order != r_->format->order && !all_dense)
        written.levels.assign(written.levels.size(), LevelKind::kCompressed);
      return;
    }
    for (std::size_t l = 0; l < nest.loops.size(); ++l)
      written.levels.push_back(nest.full[l] ? LevelKind::kDense : LevelKind::kCompressed);
    table_.results.back().stored = written;
  }

  const FusedEinsum& e_;
  const FusedResult* r_ = nullptr;              // the result that is being built
  const EinsumProgram& program_;
  Diagnostics& diag_;
  FusionTable table_;
  std::set<std::string> labels_;
  std::vector<int> merged_;                     // by view of the einsum: its view of the table
  std::vector<Cursor> cursors_;
  std::map<int, int> cursor_of_view_;
  std::map<const FusedExpr*, int> built_;       // reductions that are operands now
  std::map<std::vector<StreamRef>, int> leaps_;  // scans that leap: the intersection that they follow
  std::set<IndexId> skipped_;                   // indices at which some do
  std::set<int> absent_;                        // cursors that this level's join may leave out
  bool good_ = true;
};

}  // namespace

std::optional<FusionTable> build_table(const FusedEinsum& einsum, const EinsumProgram& program,
                                       Diagnostics& diag) {
  return Builder(einsum, program, diag).run();
}

std::string to_text(const FusionTable& table) {
  std::vector<std::vector<std::string>> grid(table.rows.size() + 1,
                                             std::vector<std::string>(table.columns.size() + 1));
  for (std::size_t c = 0; c < table.columns.size(); ++c) grid[0][c + 1] = table.columns[c];
  for (std::size_t r = 0; r < table.rows.size(); ++r) grid[r + 1][0] = table.rows[r];
  for (const auto& [at, text] : table.cells)
    grid[static_cast<std::size_t>(at.first) + 1][static_cast<std::size_t>(at.second) + 1] = text;
  std::vector<std::size_t> width(table.columns.size() + 1, 0);
  for (const auto& row : grid)
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  std::string text;
  for (const auto& row : grid) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) line += fmt::format("{}{:<{}}", c == 0 ? "" : " | ", row[c], width[c]);
    while (!line.empty() && line.back() == ' ') line.pop_back();
    text += line + "\n";
  }
  text += "\n";
  const auto ref_text = [&](StreamRef ref) {
    if (ref.op < 0) return std::string("root");
    const StreamOp& o = table.ops[static_cast<std::size_t>(ref.op)];
    return o.label + "." + port_name(spec_of(o.primitive), o.params, Dir::kOut, ref.out);
  };
  for (const StreamOp& o : table.ops) {
    std::string inputs;
    for (const StreamRef in : o.inputs) inputs += (inputs.empty() ? "" : ", ") + ref_text(in);
    text += fmt::format("{} = {}({})\n", o.label, spec_of(o.primitive).name, inputs);
  }
  return text;
}

}  // namespace heddle
