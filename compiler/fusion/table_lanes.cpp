// Lanes: what is inside a parallel loop, several times side by side.
//
//   the coordinates of the loop and the references of all operands are dealt to the lanes in turn
//   each lane builds the loops inside and the value, as one lane alone would
//   their streams are taken back in turn: the order is that of one lane
//   or, where the outermost loops of a result are dealt, each lane stores its part of the result
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

bool TableBuilder::lanes_store(const Nest& nest, std::size_t q) const {
  if (r_->kept || lane_.size() != q) return false;
  // What a dense level lacks, or loses because a level around it must be exact, is put in where all
  // its coordinates pass.
  bool exact = false;
  for (std::size_t l = 0; l <= q; ++l) {
    const bool dense = written_level(nest, l) == LevelKind::kDense;
    if (dense && (exact || !nest.full[l])) return false;
    exact = exact || !dense;
  }
  return true;
}

int TableBuilder::lane_number() const {
  int number = 0;
  for (std::size_t l = 0; l < lane_.size(); ++l) number = number * lanes_[l] + lane_[l];
  return number;
}

std::string TableBuilder::lane_name() const {
  std::string name;
  for (const int lane : lane_) name += (name.empty() ? "_lane_" : "_") + std::to_string(lane);
  return name;
}

void TableBuilder::store_lane(const FusedExpr& body, Nest nest, std::size_t q, int lane,
                              int lanes) {
  nest.not_empty[q] = false;  // there may be fewer elements than lanes
  lane_.push_back(lane);
  lanes_.push_back(lanes);
  const Value value = run_nest(body, nest, q + 1, std::nullopt, true);
  if (good_ && !value.stored) write(nest, value);
  lane_.pop_back();
  lanes_.pop_back();
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
  const auto enter = [&](int lane) {
    cursors_ = dealt;
    built_ = built;
    table_.columns.resize(columns);
    for (const int c : operands)
      each_stream(cursor(c), [&](StreamRef& stream, std::size_t) { stream.out = lane; });
    Nest inside = nest;
    inside.crds[q] = {crd.op, lane};
    return inside;
  };
  if (root && lanes_store(nest, q)) {
    for (int lane = 0; lane < lanes && good_; ++lane) store_lane(body, enter(lane), q, lane, lanes);
    return {.stored = true};
  }

  // Lanes over a reduced index need the ends of its fibers until they are taken back.
  const bool flattens = flatten_after && *flatten_after == q + 1 && q + 2 < nest.loops.size();
  std::vector<Nest> inside;
  std::vector<Value> values;
  Value value;
  for (int lane = 0; lane < lanes; ++lane) {
    inside.push_back(enter(lane));
    const Value one =
        run_nest(body, inside.back(), q + 1, flattens ? std::nullopt : flatten_after, root);
    if (!good_) return {};
    values.push_back(one);
    value.blocked = one.blocked;
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
  for (std::size_t n = 0; n < values[0].streams.size(); ++n) {
    std::vector<StreamRef> streams;
    for (const Value& lane : values) streams.push_back(lane.streams[n]);
    value.streams.push_back(take_back(streams, depth, label_of(body)));
    StreamRef& stream = value.streams.back();
    if (flattens) stream = flatten_one(stream, depth - 1, label_of(body));
  }
  return value;
}

}  // namespace heddle
