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
  choose_formats(nest);
  const auto dense = [&](std::size_t l) {
    return table_.results.back().written.levels[l] == LevelKind::kDense;
  };

  // Coordinates whose value or fiber is absent leave, innermost first, unless all levels so far are
  // dense.
  std::vector<StreamRef> crd = nest.crds;
  std::vector<bool> full = nest.full;
  StreamRef vals = value.stream;
  std::size_t exact = n;  // first compressed level: from here on the structure must be exact
  for (std::size_t l = n; l-- > 0;)
    if (!dense(l)) exact = l;
  // Streams below a level must lose or gain what it loses or gains while a fill still has to line
  // up with them.
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
        for (std::size_t m = l + 2; m < n; ++m)
          drop(crd[m], m - l, "_" + index_name(nest.loops[m]));
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
      StreamOp o = op<Fill>("fill_" + target + "_" + index_name(nest.loops[l]) + suffix,
                            {crd[l], inner}, "what is missing in a dense level");
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
      if (m == l + 1 || aligned_below(l))
        fill(crd[m], m - l, m == l + 1 ? "" : "_" + index_name(nest.loops[m]));
    if (aligned_below(l)) fill(vals, n - 1 - l, "_val");
  }
  for (std::size_t l = 0; l < n; ++l) {
    note_cell(nest.loops[l], column, dense(l) ? "dense" : "write");
    if (dense(l)) continue;
    StreamOp o = op<WriteCompressed>("write_" + target + "_" + index_name(nest.loops[l]), {crd[l]},
                                     "level " + index_name(nest.loops[l]) + " of " + target);
    o.memories = {{MemorySource::Kind::kOutput, result_number(), MemorySource::Array::kSeg,
                   static_cast<int>(l)},
                  {MemorySource::Kind::kOutput, result_number(), MemorySource::Array::kCrd,
                   static_cast<int>(l)}};
    table_.writers.push_back(add(std::move(o)).op);
  }
  StreamOp o = op<WriteVals>("write_" + target, {vals}, "values of " + target);
  o.memories = {{MemorySource::Kind::kOutput, result_number(), MemorySource::Array::kVals, 0}};
  table_.writers.push_back(add(std::move(o)).op);
  note_value(column, "write");
}

void TableBuilder::choose_formats(const Nest& nest) {
  table_.results.push_back({r_->tensor, {}, {}, r_->indices});
  TensorFormat& written = table_.results.back().written;
  for (const IndexId id : nest.loops) {
    const auto mode = std::find(r_->indices.begin(), r_->indices.end(), id) - r_->indices.begin();
    written.order.push_back(static_cast<int>(mode));
  }
  if (r_->format) {
    written.levels = r_->format->levels;
    table_.results.back().stored = *r_->format;
    // A dense level does not say what was there, so what will be stored in another order is written
    // entry by entry.
    const bool all_dense = std::find(written.levels.begin(), written.levels.end(),
                                     LevelKind::kCompressed) == written.levels.end();
    if (written.order != r_->format->order && !all_dense)
      written.levels.assign(written.levels.size(), LevelKind::kCompressed);
    return;
  }
  for (std::size_t l = 0; l < nest.loops.size(); ++l)
    written.levels.push_back(nest.full[l] ? LevelKind::kDense : LevelKind::kCompressed);
  table_.results.back().stored = written;
}

}  // namespace heddle
