// Joins: how the operands of an expression meet at one index.
#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "compiler/fusion/table_builder.h"

namespace heddle {

bool zero_at_zero(UnaryOp op) {
  switch (op) {
    case UnaryOp::kNeg:
    case UnaryOp::kAbs:
    case UnaryOp::kRelu:
    case UnaryOp::kSqrt:
    case UnaryOp::kTanh:
    case UnaryOp::kGelu:
      return true;
    case UnaryOp::kExp:
    case UnaryOp::kLog:
    case UnaryOp::kRsqrt:
    case UnaryOp::kReciprocal:
    case UnaryOp::kSigmoid:
      return false;
  }
  return false;
}
bool zero_at_zeros(BinaryOp op) { return op != BinaryOp::kLe && op != BinaryOp::kEq; }

Join TableBuilder::join_cursor(int c, IndexId v, const Nest& nest) {
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
    StreamOp segment = op<Segment>("segment_" + label, {ref_of(cur, nest)},
                                   "where the fibers " + index_name(v) + " of " + w.name + " are");
    segment.memories = {source_of(cur, MemorySource::Array::kSeg, cur.level)};
    segment.tensor = program_.tensor(w.tensor).name;
    const StreamRef lo = add(std::move(segment));
    StreamOp scan = op<ScanCompressed>("scan_" + label, {lo, {lo.op, Segment::kHi}},
                                       "coordinates " + index_name(v) + " of " + w.name);
    scan.index = index_name(v);
    scan.memories = {source_of(cur, MemorySource::Array::kCrd, cur.level)};
    scan.tensor = program_.tensor(w.tensor).name;
    const StreamRef crd = add(std::move(scan));
    join.crd = crd;
    join.refs[c] = {crd.op, ScanCompressed::kPos};
    join.fibers_not_empty =
        cur.level == 0 ||
        w.format.levels[static_cast<std::size_t>(cur.level) - 1] == LevelKind::kCompressed;
    note_cell(v, cur.column, "scan");
    return join;
  }
  if (cur.kind == Cursor::Kind::kIdentity && view(cur).indices[1] == v) {
    StreamOp same = op<Singleton>("same_" + label, {ref_of(cur, nest)},
                                  "the coordinate " + index_name(view(cur).indices[0]) + " alone");
    same.index = index_name(v);
    join.crd = add(std::move(same));
    join.refs[c] = *join.crd;
    note_cell(v, cur.column, "singleton");
    return join;
  }
  if (cur.kind == Cursor::Kind::kAccumulated && cur.level < static_cast<int>(cur.loops.size()) &&
      cur.loops[static_cast<std::size_t>(cur.level)] == v)
    return join_accumulated(c, v);
  join.free = {c};
  return join;
}

Join TableBuilder::join_accumulated(int c, IndexId v) {
  Cursor& cur = cursor(c);
  const auto level = static_cast<std::size_t>(cur.level);
  const bool last = level + 1 == cur.loops.size();
  Join join;
  join.crd = cur.crds[level];
  join.refs[c] =
      last && !cur.is_tile()
          ? cur.vals
          : add(op<Ordinal>("number_" + column_name(c) + "_" + index_name(v), {cur.crds[level]}));
  note_cell(v, cur.column, "accumulated");
  return join;
}

void TableBuilder::follow(Cursor& cur, IndexId v) {
  const auto level = static_cast<std::size_t>(cur.level);  // the one just joined
  const auto pick = [&](StreamRef stream, std::size_t depth) {
    StreamOp o = op<Pick>(
        "pick_" + table_.columns[static_cast<std::size_t>(cur.column)] + "_" + index_name(v),
        {*cur.ref, stream});
    o.params.value[Pick::kDepth] = static_cast<int>(depth);
    return add(std::move(o));
  };
  for (std::size_t m = level + 1; m < cur.crds.size(); ++m)
    cur.crds[m] = pick(cur.crds[m], m - level);
  const std::size_t below = cur.crds.size() - 1 - level;
  {
    const InStep step(*this);
    for (StreamRef& place : cur.places) place = pick(place, below);
  }
  if (!cur.is_tile() && below > 0) cur.vals = pick(cur.vals, below);
  note_cell(v, cur.column, "pick");
}

Join TableBuilder::concrete(Join join, const FusedExpr* e, IndexId v, const Nest& nest) {
  if (join.crd) return join;
  const std::string& name = index_name(v);
  if (join.dense >= 0) {
    const int c = join.dense;
    const Cursor& cur = cursor(c);
    StreamOp scan = op<ScanDense>("scan_" + column_name(c) + "_" + name, {ref_of(cur, nest)},
                                  "all coordinates " + name + " of " + column_name(c));
    scan.index = name;
    scan.registers = {size_register(v)};
    scan.params.value[ScanDense::kFiber] = cur.ref ? 0 : 1;
    scan.tensor = program_.tensor(view(cur).tensor).name;
    const StreamRef crd = add(std::move(scan));
    join.crd = crd;
    join.refs[c] = {crd.op, ScanDense::kPos};
    join.full = !cur.may_be_absent;
    join.dense = -1;
    join.fibers_not_empty = true;
    note_cell(v, cur.column, "scan dense");
    return join;
  }
  // Nothing has the index. A value that exists everywhere needs every coordinate; one that depends
  // on operands needs them where the operands are.
  PresenceOf presence;
  if (!join.universal && e != nullptr) presence = presence_of(*e);
  StreamOp scan =
      op<ScanDense>("all_" + name,
                    {presence.ref        ? *presence.ref
                     : nest.crds.empty() ? StreamRef{}
                                         : constant(nest.crds.back(), 0, "each_" + name)},
                    "all coordinates " + name);
  scan.index = name;
  scan.registers = {size_register(v)};
  scan.params.value[ScanDense::kFiber] = presence.ref ? 0 : 1;
  join.crd = add(std::move(scan));
  join.full = !presence.partial;
  join.fibers_not_empty = true;
  for (const int c : join.free) attach(join, c, v);
  join.free.clear();
  const std::vector<Join> optional = std::move(join.optional);
  join.optional.clear();
  for (const Join& o : optional) join = left_join(std::move(join), o, v, nest);
  return join;
}

PresenceOf TableBuilder::presence_of(const FusedExpr& e) {
  const auto of_cursor = [&](int c) -> PresenceOf {
    if (!cursor(c).may_be_absent) return {};
    return {cursor(c).ref || cursor(c).is_tile(), cursor(c).ref};
  };
  if (const auto built = built_.find(&e); built != built_.end()) return of_cursor(built->second);
  switch (e.kind) {
    case FusedExpr::Kind::kView:
      return of_cursor(cursor_of_view_.at(e.view));
    case FusedExpr::Kind::kReduce:
    case FusedExpr::Kind::kPlaces:
      return presence_of(e.args[0]);
    case FusedExpr::Kind::kUnary:
      return zero_at_zero(e.unary) ? presence_of(e.args[0]) : PresenceOf{};
    case FusedExpr::Kind::kBinary: {
      if (e.binary == BinaryOp::kDiv) return presence_of(e.args[0]);
      if (e.binary != BinaryOp::kMul) return {};  // absent only if both are: its values will tell
      PresenceOf all;
      for (const FusedExpr& arg : e.args) {
        const PresenceOf one = presence_of(arg);
        all.partial = all.partial || one.partial;
        if (!all.ref) all.ref = one.ref;
      }
      return all;
    }
    default:
      return {};
  }
}

void TableBuilder::attach(Join& join, int c, IndexId v) {
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

void TableBuilder::locate(Join& join, int c, IndexId v) {
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
  o.tensor = program_.tensor(view(cur).tensor).name;
  join.refs[c] = add(std::move(o));
  note_cell(v, cur.column, "locate");
}

std::vector<Join> TableBuilder::leap(std::vector<Join> joins, IndexId v) {
  if (std::find(e_.skip.begin(), e_.skip.end(), v) == e_.skip.end()) return joins;
  std::vector<StreamRef> scans;
  std::vector<int> owners;
  std::vector<Join> rest;
  for (const Join& j : joins) {
    const bool alone =
        j.refs.size() == 1 && j.refs.begin()->second.op == j.crd->op && j.crd->op >= 0 &&
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
    note_cell(v, cursor(c).column,
              "leap of " + table_.columns[static_cast<std::size_t>(cursor(c).column)]);
    if (!is_new) continue;
    const StreamOp scan =
        table_.ops[static_cast<std::size_t>(scans[static_cast<std::size_t>(i)].op)];
    StreamOp o = op<ScanSkip>(
        "leap_" + column_name(c) + "_" + index_name(v),
        {scan.inputs[ScanCompressed::kLo], scan.inputs[ScanCompressed::kHi], {meet, 1 + n + i}},
        scan.what);
    o.index = scan.index;
    o.memories = scan.memories;
    o.tensor = scan.tensor;
    crds.push_back(add(std::move(o)));
    refs.push_back({crds.back().op, ScanSkip::kPos});
  }
  if (is_new) {
    crds.insert(crds.end(), refs.begin(), refs.end());
    StreamOp o = op<IntersectSkip>("intersect_" + index_name(v), std::move(crds));
    o.params.value[IntersectSkip::kN] = n;
    HEDDLE_CHECK(add(std::move(o)).op == meet, "the scanners at '{}' wait for another block",
                 index_name(v));
  }
  rest.insert(rest.begin(), std::move(out));
  return rest;
}

Join TableBuilder::left_join(Join base, const Join& o, IndexId v, const Nest& nest) {
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

Join TableBuilder::intersect(std::vector<Join> joins, IndexId v, const Nest& nest) {
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
    if (j.dense >= 0)
      dense.push_back(j.dense);
    else
      out.universal = out.universal && j.universal;
    if (j.universal) out.universal_name = j.universal_name;
    free.insert(free.end(), j.free.begin(), j.free.end());
    for (Join& o : j.optional) optional.push_back(std::move(o));
  }
  if (concretes.empty() && dense.empty()) {
    out.free = free;
    out.optional = std::move(optional);
    return out;
  }
  if (concretes.empty() && dense.size() == 1 && free.empty() && optional.empty() &&
      joins.size() == 1) {
    out.universal = false;
    out.dense = dense[0];
    return out;
  }
  if (concretes.empty() && masked_) {  // the mask asks for single coordinates: nothing is scanned
    out.universal = false;
    out.free = free;
    out.optional = std::move(optional);
    for (const int c : dense) {
      out.optional.emplace_back();
      out.optional.back().dense = c;
    }
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

Join TableBuilder::unite(const std::vector<Join>& joins, const std::vector<const FusedExpr*>& exprs,
                         IndexId v, const Nest& nest) {
  // No operand has the index: nor has the sum.
  bool any = false, universal = false;
  std::string universal_name;
  for (const Join& j : joins) {
    any = any || j.crd || j.dense >= 0;
    // A term without the index has a value at each of its coordinates, but only those of the mask
    // are asked for.
    universal = universal || (masked_ && !j.crd && j.dense < 0);
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

void TableBuilder::flatten(const FusedExpr& e, std::vector<const FusedExpr*>& out) {
  if (e.kind == FusedExpr::Kind::kBinary && e.binary == BinaryOp::kMul) {
    for (const FusedExpr& arg : e.args) flatten(arg, out);
  } else {
    out.push_back(&e);
  }
}

bool TableBuilder::merges(const FusedExpr& e) {
  return e.kind == FusedExpr::Kind::kSelect ||
         (e.kind == FusedExpr::Kind::kBinary && e.binary != BinaryOp::kMul &&
          e.binary != BinaryOp::kDiv && zero_at_zeros(e.binary));
}

void TableBuilder::flatten_sum(const FusedExpr& e, std::vector<const FusedExpr*>& out) {
  if (merges(e)) {
    for (const FusedExpr& arg : e.args) flatten_sum(arg, out);
  } else {
    out.push_back(&e);
  }
}

Join TableBuilder::join(const FusedExpr& e, IndexId v, const Nest& nest) {
  if (const auto built = built_.find(&e); built != built_.end())
    return join_cursor(built->second, v, nest);
  switch (e.kind) {
    case FusedExpr::Kind::kView:
      return join_cursor(cursor_of_view_.at(e.view), v, nest);
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
        if (under.crd || under.dense >= 0)
          over.optional.push_back(std::move(under));
        else
          over = both_free(std::move(over), under);
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
    case FusedExpr::Kind::kReduce:
      return join(e.args[0], v, nest);
    case FusedExpr::Kind::kPlaces: {
      Join body = join(e.args[0], v, nest);
      if (e.view < 0) return body;
      return beside(std::move(body), e.args[0], cursor_of_view_.at(e.view), v, nest);
    }
    case FusedExpr::Kind::kIdentity: {
      std::vector<Join> joins;
      joins.push_back(join(e.args[0], v, nest));
      joins.push_back(join_cursor(cursor_of_view_.at(e.view), v, nest));
      return intersect(std::move(joins), v, nest);
    }
    case FusedExpr::Kind::kMask: {
      Join mask = join_cursor(cursor_of_view_.at(e.view), v, nest);
      const bool outer = std::exchange(masked_, masked_ || mask.crd || mask.dense >= 0);
      Join body = join(e.args[0], v, nest);
      masked_ = outer;
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

Join TableBuilder::beside(Join body, const FusedExpr& e, int c, IndexId v, const Nest& nest) {
  const Join own = join_cursor(c, v, nest);
  if (own.dense < 0 && !cursor(c).ref) return body;
  if (body.crd || body.dense >= 0)
    return left_join(concrete(std::move(body), &e, v, nest), own, v, nest);
  if (own.dense < 0) return both_free(std::move(body), own);
  body.optional.push_back(own);
  return body;
}

Join TableBuilder::everywhere(std::vector<Join> args, std::string what) {
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

}  // namespace heddle
