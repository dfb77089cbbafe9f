// Results: exact structure for compressed levels, nothing missing in dense ones, and the writers.
#include <algorithm>
#include <functional>
#include <limits>

#include "compiler/fusion/table_builder.h"

namespace heddle {

void TableBuilder::write(const Nest& nest, const Value& value) {
  const int column = static_cast<int>(table_.columns.size());
  const std::string& target = program_.tensor(r_->tensor).name;
  table_.columns.push_back(target);
  const std::size_t n = nest.loops.size();
  if (number_ == table_.results.size()) choose_formats(nest, value);
  if (!blocked_of(r_->indices).empty()) return write_tiles(nest, value);
  const auto dense = [&](std::size_t l) {
    return table_.results.back().written.levels[l] == LevelKind::kDense;
  };

  // Coordinates whose value or fiber is absent leave, innermost first, unless all levels so far are
  // dense.
  std::vector<StreamRef> crd = nest.crds;
  std::vector<bool> full = nest.full;
  StreamRef vals = value.streams[0];
  std::size_t exact = n;  // first compressed level: from here on the structure must be exact
  for (std::size_t l = n; l-- > 0;)
    if (!dense(l)) exact = l;
  // So must they where two dense levels from there outwards lose something: the outer one's fill
  // lines up with all that is inside the inner one.
  const auto filled_around = [&](std::size_t l) {
    std::size_t levels = 0;
    for (std::size_t m = exact + 1; m <= l; ++m) levels += dense(m) ? 1 : 0;
    return levels >= 2;
  };
  bool may_be_empty = false;  // fibers of the level below
  for (std::size_t l = n; l-- > exact;) {
    const std::string label = "drop_" + target + "_" + index_name(nest.loops[l]);
    if (l + 1 == n && value.may_be_absent) {
      StreamOp o = op<ValDrop>(label, {crd[l], vals}, "entries without a value");
      o.tensor = target;
      const StreamRef kept = add(std::move(o));
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
        o.tensor = target;
        o.params.value[CrdDrop::kDepth] = static_cast<int>(depth);
        const StreamRef kept = add(std::move(o));
        inner = {kept.op, CrdDrop::kInner};
        return kept;
      };
      crd[l] = drop(crd[l + 1], 1, "");
      if (fills_below(full, l) || filled_around(l)) {
        for (std::size_t m = l + 2; m < n; ++m)
          drop(crd[m], m - l, "_" + index_name(nest.loops[m]));
        drop(vals, n - 1 - l, "_val");
      }
      continue;
    }
    may_be_empty = !nest.not_empty[l];
  }
  std::vector<StreamRef> streams{vals};
  fill_levels(nest, full, crd, streams);
  std::vector<StreamRef> rows;  // of a kept result, by array
  for (std::size_t l = 0; l < n; ++l)
    note_cell(nest.loops[l], column, dense(l) ? "dense" : r_->kept ? "keep" : "write");
  write_levels(nest, crd, rows);
  write_vals(target, streams[0], "values of " + target, MemorySource::Array::kVals, 0, rows);
  note_value(column, r_->kept ? "keep" : "write");
  if (r_->kept) publish(rows);
}

bool TableBuilder::fills_below(const std::vector<bool>& full, std::size_t l) const {
  const std::vector<LevelKind>& levels = table_.results.back().written.levels;
  for (std::size_t m = l + 1; m < levels.size(); ++m)
    if (levels[m] == LevelKind::kDense && !full[m]) return true;
  return false;
}

void TableBuilder::fill_levels(const Nest& nest, std::vector<bool> full,
                               std::vector<StreamRef>& crd, std::vector<StreamRef>& vals) {
  const std::size_t n = nest.loops.size();
  const std::string& target = program_.tensor(r_->tensor).name;
  for (std::size_t l = 0; l < n; ++l) {
    if (table_.results.back().written.levels[l] != LevelKind::kDense || full[l]) continue;
    const auto fill = [&](StreamRef& inner, std::size_t depth, const std::string& suffix) {
      StreamOp o = op<Fill>("fill_" + target + "_" + index_name(nest.loops[l]) + suffix,
                            {crd[l], inner}, "what is missing in a dense level");
      o.tensor = target;
      o.params.value[Fill::kDepth] = static_cast<int>(depth);
      o.registers = {size_register(nest.loops[l])};
      inner = add(std::move(o));
    };
    const auto fill_vals = [&](std::size_t depth, const std::string& suffix) {
      std::optional<InStep> step;
      if (vals.size() > 1) step.emplace(*this);
      for (StreamRef& place : vals) fill(place, depth, suffix);
    };
    if (l + 1 == n) {
      fill_vals(0, "");
      continue;
    }
    full[l + 1] = false;  // the fibers put in are empty
    // All streams of a kept result tell its rows.
    const bool all = fills_below(full, l) || (r_->kept && l == 0);
    for (std::size_t m = l + 1; m < n; ++m)
      if (m == l + 1 || all) fill(crd[m], m - l, m == l + 1 ? "" : "_" + index_name(nest.loops[m]));
    if (all) fill_vals(n - 1 - l, "_val");
  }
}

void TableBuilder::write_levels(const Nest& nest, const std::vector<StreamRef>& crd,
                                std::vector<StreamRef>& rows) {
  const std::string& target = program_.tensor(r_->tensor).name;
  for (std::size_t l = 0; l < nest.loops.size(); ++l) {
    if (table_.results.back().written.levels[l] == LevelKind::kDense) continue;
    const std::string& index = index_name(nest.loops[l]);
    const auto level = static_cast<int>(l);
    write_array<WriteCompressed, KeepCompressed>(
        target + "_" + index, crd[l], "level " + index + " of " + target, level,
        {MemorySource::Array::kSeg, MemorySource::Array::kCrd}, level, rows);
  }
}

void TableBuilder::write_vals(const std::string& label, StreamRef stream, const std::string& what,
                              MemorySource::Array array, int number, std::vector<StreamRef>& rows) {
  const int depth = table_.results.back().written.rank() - 1;
  write_array<WriteVals, KeepVals>(label, stream, what, depth, {array}, number, rows);
}

template <class Write, class Keep>
void TableBuilder::write_array(const std::string& label, StreamRef stream, const std::string& what,
                               int depth, const std::vector<MemorySource::Array>& arrays,
                               int number, std::vector<StreamRef>& rows) {
  StreamOp o = r_->kept ? op<Keep>("keep_" + label, {stream}, what)
                        : op<Write>("write_" + label + lane_name(), {stream}, what);
  if (r_->kept) o.params.value[Keep::kDepth] = depth;
  rows.push_back(store(std::move(o), arrays, number));
}

StreamRef TableBuilder::store(StreamOp o, const std::vector<MemorySource::Array>& arrays,
                              int level) {
  o.tensor = program_.tensor(r_->tensor).name;
  const auto kind = r_->stored ? MemorySource::Kind::kOutput : MemorySource::Kind::kKept;
  for (const MemorySource::Array array : arrays)
    o.memories.push_back({kind, number_, array, level, lane_number()});
  const StreamRef written = add(std::move(o));
  table_.writers.push_back(written.op);
  return written;
}

void TableBuilder::publish(std::vector<StreamRef> rows) {
  const auto number = static_cast<int>(number_);
  while (rows.size() > 1) {
    std::vector<StreamRef> half;
    for (std::size_t n = 0; n + 1 < rows.size(); n += 2) {
      StreamOp o = op<Alu>("complete_" + program_.tensor(r_->tensor).name, {rows[n], rows[n + 1]},
                           "rows that are complete in both");
      o.params.value[Alu::kOp] = static_cast<int>(BinaryOp::kMax);
      o.params.value[Alu::kType] = static_cast<int>(ValueType::kI32);
      o.tensor = program_.tensor(r_->tensor).name;
      half.push_back(add(std::move(o)));
    }
    if (rows.size() % 2 == 1) half.push_back(rows.back());
    rows = std::move(half);
  }
  complete_[number] = rows[0];
  for (std::size_t v = 0; v < views_.size(); ++v) {
    if (views_[v].kept != number) continue;
    views_[v].format = table_.results.back().written;
    table_.views[static_cast<std::size_t>(merged_[v])].format = views_[v].format;
  }
}

std::vector<int> TableBuilder::modes_of(const Ids& loops) const {
  std::vector<int> modes;
  for (const IndexId id : loops)
    modes.push_back(static_cast<int>(std::find(r_->indices.begin(), r_->indices.end(), id) -
                                     r_->indices.begin()));
  return modes;
}

LevelKind TableBuilder::written_level(const Nest& nest, std::size_t l) const {
  // Of tiles the host stores the entries as declared.
  if (!r_->format || !blocked_of(r_->indices).empty())
    return nest.full[l] ? LevelKind::kDense : LevelKind::kCompressed;
  // A dense level does not say what was there, so what will be stored in another order is written
  // entry by entry.
  if (modes_of(nest.loops) != r_->format->order && !r_->format->all_dense())
    return LevelKind::kCompressed;
  return r_->format->levels[l];
}

void TableBuilder::choose_formats(const Nest& nest, const Value& value) {
  TensorFormat written{.levels = {}, .order = modes_of(nest.loops)};
  if (r_->kept)
    written.levels = kept_levels(nest, written);
  else
    for (std::size_t l = 0; l < nest.loops.size(); ++l)
      written.levels.push_back(written_level(nest, l));
  // Values that are absent are no entries of a mask.
  if (!r_->format && !written.levels.empty() && value.may_be_absent &&
      deciding_masks(program_).count(r_->tensor) > 0)
    written.levels.back() = LevelKind::kCompressed;
  table_.results.push_back(
      {r_->tensor, written, r_->format.value_or(written), r_->indices, r_->stored, lanes_, {}});
  if (blocked_of(r_->indices).empty()) return;
  for (const IndexId id : r_->indices) table_.results.back().tiles.push_back(e_.at(id).block);
}

/// Readers ask for rows by number, so rows are dense; inside them what is declared, if it is
/// declared in this order, or all that comes anyway.
std::vector<LevelKind> TableBuilder::kept_levels(const Nest& nest,
                                                 const TensorFormat& written) const {
  std::vector<LevelKind> levels{LevelKind::kDense};
  const auto& declared = r_->format;
  for (std::size_t l = 1; l < nest.loops.size(); ++l) {
    LevelKind kind = nest.full[l] ? LevelKind::kDense : LevelKind::kCompressed;
    if (declared && declared->order == written.order) kind = declared->levels[l];
    if (declared && declared->all_dense()) kind = LevelKind::kDense;
    levels.push_back(kind);
  }
  return levels;
}

}  // namespace heddle
