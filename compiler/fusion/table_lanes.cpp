// Lanes: what is inside a parallel loop, several times side by side.
//
//   the coordinates of the loop and the references of all operands are dealt to the lanes in turn
//   each lane builds the loops inside and the value, as one lane alone would
//   their streams are taken back in turn: the order is that of one lane
#include <algorithm>

#include "compiler/fusion/table_builder.h"

namespace heddle {

StreamRef TableBuilder::deal(StreamRef stream, int lanes, std::size_t depth,
                             const std::string& label) {
  StreamOp o = op<Parallelize>("deal_" + label, {stream});
  o.params.value[Parallelize::kN] = lanes;
  o.params.value[Parallelize::kDepth] = static_cast<int>(depth);
  return add(std::move(o));
}

StreamRef TableBuilder::take_back(const std::vector<StreamRef>& lanes, std::size_t depth,
                                  const std::string& label) {
  StreamOp o = op<Serialize>("gather_" + label, lanes);
  o.params.value[Serialize::kN] = static_cast<int>(lanes.size());
  o.params.value[Serialize::kDepth] = static_cast<int>(depth);
  return add(std::move(o));
}

Value TableBuilder::run_lanes(const FusedExpr& body, Nest& nest, std::size_t q, int lanes,
                              std::optional<std::size_t> flatten_after, bool root) {
  const std::string& name = index_name(nest.loops[q]);
  const StreamRef crd = deal(nest.crds[q], lanes, 0, name);
  std::set<int> operands;
  leaves(body, operands);
  for (const int c : operands)
    each_stream(cursor(c), [&](StreamRef& stream, std::size_t depth) {
      stream = deal(stream, lanes, depth, column_name(c) + "_" + name);
    });
  const std::vector<Cursor> dealt = cursors_;
  const std::map<const FusedExpr*, int> built = built_;
  const std::size_t columns = table_.columns.size();

  // Lanes over a reduced index need the ends of its fibers until they are taken back.
  const bool flattens = flatten_after && *flatten_after == q + 1 && q + 2 < nest.loops.size();
  std::vector<Nest> inside;
  std::vector<StreamRef> values;
  Value value;
  for (int lane = 0; lane < lanes; ++lane) {
    cursors_ = dealt;
    built_ = built;
    table_.columns.resize(columns);
    for (const int c : operands)
      each_stream(cursor(c), [&](StreamRef& stream, std::size_t) { stream.out = lane; });
    inside.push_back(nest);
    inside.back().crds[q] = {crd.op, lane};
    const Value one =
        run_nest(body, inside.back(), q + 1, flattens ? std::nullopt : flatten_after, root);
    if (!good_) return {};
    values.push_back(one.stream);
    value.may_be_absent = value.may_be_absent || one.may_be_absent;
  }
  for (std::size_t m = q + 1; m < nest.loops.size(); ++m) {
    std::vector<StreamRef> crds;
    for (const Nest& lane : inside) crds.push_back(lane.crds[m]);
    StreamRef stream = take_back(crds, m - q, index_name(nest.loops[m]));
    if (flattens) stream = flatten_one(stream, m - q - 1, index_name(nest.loops[m]));
    nest.crds.push_back(stream);
    nest.full.push_back(inside[0].full[m] && !(flattens && m == q + 1));
    nest.not_empty.push_back(inside[0].not_empty[m]);
  }
  const std::size_t depth = nest.loops.size() - 1 - q;
  value.stream = take_back(values, depth, label_of(body));
  if (flattens) value.stream = flatten_one(value.stream, depth - 1, label_of(body));
  return value;
}

}  // namespace heddle
