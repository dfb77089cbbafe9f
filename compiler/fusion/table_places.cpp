// Places of tiles: values that depend on blocked indices are streams side by side, one for each
// place inside a tile. Coordinates and references exist once for all of them.
#include <algorithm>

#include "compiler/fusion/table_builder.h"

namespace heddle {

// Streams that one value may have.
constexpr std::size_t kMostPlaces = 4096;
// Places whose presence is in one word.
constexpr int kWordBits = 32;

Ids TableBuilder::blocked_of(const Ids& indices) const {
  Ids blocked;
  for (const IndexId id : indices)
    if (e_.at(id).block > 1) blocked.push_back(id);
  std::sort(blocked.begin(), blocked.end());
  return blocked;
}

std::size_t TableBuilder::count_places(const Ids& blocked) const {
  std::size_t count = 1;
  for (const IndexId id : blocked) count *= static_cast<std::size_t>(e_.at(id).block);
  return count;
}

void TableBuilder::next_place(const Ids& blocked, Places& at) const {
  for (std::size_t n = blocked.size(); n-- > 0;) {
    int& place = at[static_cast<std::size_t>(blocked[n])];
    if (++place < e_.at(blocked[n]).block) return;
    place = 0;
  }
}

StreamRef TableBuilder::stream_at(const Value& value, const Places& at) const {
  std::size_t n = 0;
  for (const IndexId id : value.blocked)
    n = n * static_cast<std::size_t>(e_.at(id).block) +
        static_cast<std::size_t>(at[static_cast<std::size_t>(id)]);
  return value.streams[n];
}

Ids TableBuilder::meet(const std::vector<Value>& values) {
  Ids all;
  for (const Value& v : values) all = join_blocked(std::move(all), v.blocked);
  return all;
}

Ids TableBuilder::join_blocked(Ids some, const Ids& more) {
  for (const IndexId id : more)
    if (!contains(some, id)) some.push_back(id);
  std::sort(some.begin(), some.end());
  check_places(some);
  return some;
}

void TableBuilder::check_places(const Ids& blocked) {
  const std::size_t count = count_places(blocked);
  if (count <= kMostPlaces || !good_) return;
  std::string names;
  for (const IndexId id : blocked) names += (names.empty() ? "" : ", ") + index_name(id);
  diag_.error("schedule-block", r_->range,
              fmt::format("tiles of {} have {} places, more than {}", names, count, kMostPlaces));
  diag_.note("make the tiles smaller, or block fewer of these indices");
  good_ = false;
}

int TableBuilder::place_in(const std::vector<IndexId>& indices, const Places& at) const {
  int n = 0;
  for (const IndexId id : indices) n = n * e_.at(id).block + at[static_cast<std::size_t>(id)];
  return n;
}

Value TableBuilder::value_of_cursor(const Cursor& cur) const {
  if (cur.is_tile()) return {cur.blocked, cur.places, true};
  return {{}, {*cur.ref}, true};
}

Cursor TableBuilder::cursor_of_value(const Value& value) {
  Cursor cur;
  cur.kind = Cursor::Kind::kValue;
  cur.may_be_absent = value.may_be_absent;
  cur.blocked = value.blocked;
  if (value.blocked.empty())
    cur.ref = value.streams[0];
  else
    cur.places = value.streams;
  return cur;
}

// ---- which places have an entry
// ------------------------------------------------------------------------------------------------

// Places beyond the end of an index need no bits: sums leave them out, results do not take them.
bool TableBuilder::has_bits(const View& view) const {
  return !view.tiles.empty() && !view.format.all_dense();
}

StreamRef TableBuilder::gate(StreamRef stream, StreamRef bits, int bit, const std::string& label) {
  StreamOp o = op<Gate>(label, {stream, bits});
  o.params.value[Gate::kBit] = bit;
  return add(std::move(o));
}

StreamRef TableBuilder::gate(StreamRef stream, const Cursor& cur, const Nest& nest,
                             const Places& at, const std::string& suffix) {
  const View& w = view(cur);
  if (!has_bits(w)) return stream;
  const int place = place_in(w.indices, at);
  StreamOp o = op<Array>(fmt::format("load_{}_bits_{}", w.name, place / kWordBits),
                         {ref_of(cur, nest)}, "places of " + w.name + " that have an entry");
  o.memories = {source_of(cur, MemorySource::Array::kBits, place / kWordBits)};
  o.tensor = program_.tensor(w.tensor).name;
  return gate(stream, add(std::move(o)), place % kWordBits, "gate_" + w.name + suffix);
}

StreamRef TableBuilder::flags(const std::vector<StreamRef>& streams, const std::string& label) {
  StreamOp o = op<Flags>("flags_" + label, streams, "which of them are there");
  o.params.value[Flags::kN] = static_cast<int>(streams.size());
  return add(std::move(o));
}

// ---- reductions inside a tile
// ----------------------------------------------------------------------------------------------------

// The places of a whole tile in a balanced tree. If the last tile lacks some, those which it has
// and those which it lacks are a tree each, and of the last tile the second one is left out.
Value TableBuilder::combine_places(const FusedExpr& e, const Nest& nest) {
  const Value body = value_of(e.args[0], nest, false);
  const FusedIndex& index = e_.at(e.index);
  const auto block = static_cast<std::uint32_t>(index.block);
  const std::uint32_t rest = index.length % block;
  const std::uint32_t always = rest == 0 ? block : rest;
  // N is left out, or counts as a zero where another place has something.
  const int absent = e.missing_are_zeros ? Alu::kBoth : Alu::kNeutral;
  Value out{body.blocked, {}, body.may_be_absent};
  std::erase(out.blocked, e.index);
  if (!good_) return out;
  each_place(out.blocked, [&](const Places& at, const std::string& suffix) {
    Places inner = at;
    std::vector<StreamRef> first, second;
    for (std::uint32_t p = 0; p < block; ++p) {
      place(inner, e.index) = static_cast<int>(p);
      (p < always ? first : second).push_back(stream_at(body, inner));
    }
    StreamRef sum = combine(e, first, absent, suffix);
    if (e.view >= 0) {
      const Cursor& whole = cursor(cursor_of_view_.at(e.view));
      StreamOp load = op<Array>("load_" + view(whole).name, {ref_of(whole, nest)},
                                "tiles of " + index.name + " that have all places");
      load.memories = {source_of(whole, MemorySource::Array::kVals)};
      StreamRef others = combine(e, second, absent, suffix);
      if (e.missing_are_zeros) others = combine(e, {others, sum}, absent, suffix);
      others = gate(others, add(std::move(load)), 0, "gate_" + view(whole).name + suffix);
      sum = combine(e, {sum, others}, Alu::kNeutral, suffix);
    }
    out.streams.push_back(sum);
  });
  return out;
}

StreamRef TableBuilder::combine(const FusedExpr& e, std::vector<StreamRef> streams, int absent,
                                const std::string& suffix) {
  while (streams.size() > 1) {
    std::vector<StreamRef> half;
    for (std::size_t n = 0; n + 1 < streams.size(); n += 2) {
      StreamOp o = op<Alu>("tile_" + owner_of(e) + "_" + index_name(e.index) + suffix,
                           {streams[n], streams[n + 1]}, "places of " + index_name(e.index));
      o.tensor = owner_of(e);
      o.params.value[Alu::kOp] = static_cast<int>(binary_of_reduction(static_cast<int>(e.reduce)));
      o.params.value[Alu::kType] = static_cast<int>(e_.type);
      o.params.value[Alu::kAbsent] = absent;
      half.push_back(add(std::move(o)));
    }
    if (streams.size() % 2 == 1) half.push_back(streams.back());
    streams = std::move(half);
  }
  return streams[0];
}

// ---- results
// ---------------------------------------------------------------------------------------------------------------------

// All tiles that come are written, each place by a block of its own. Who reads them, the host or a
// view of a kept result, leaves out what lies beyond the shape and, where the bits say so, what is
// not there.
void TableBuilder::write_tiles(const Nest& nest, const Value& value) {
  const FusionTable::Result& result = table_.results.back();
  const std::string& target = program_.tensor(r_->tensor).name;
  const Ids blocked = blocked_of(r_->indices);
  check_places(blocked);
  if (!good_) return;
  std::vector<StreamRef> crd = nest.crds, places(count_places(blocked));
  each_place(blocked, [&](const Places& at, const std::string&) {
    places[static_cast<std::size_t>(place_in(r_->indices, at))] = stream_at(value, at);
  });
  if (r_->kept) fill_levels(nest, nest.full, crd, places);
  std::vector<StreamRef> rows;  // of a kept result, by array
  write_levels(nest, crd, rows);
  each_place(blocked, [&](const Places& at, const std::string& suffix) {
    const int place = place_in(r_->indices, at);
    write_vals(target + suffix, places[static_cast<std::size_t>(place)], "values of " + target,
               MemorySource::Array::kVals, place, rows);
  });
  const bool bits_of_view = r_->kept && !result.written.all_dense();
  if (bits_of_view || (value.may_be_absent && !result.stored.all_dense())) write_bits(places, rows);
  if (r_->kept) publish(std::move(rows));
}

void TableBuilder::write_bits(const std::vector<StreamRef>& places, std::vector<StreamRef>& rows) {
  const std::string& target = program_.tensor(r_->tensor).name;
  const std::string what = "places of " + target + " that have an entry";
  for (std::size_t first = 0; first < places.size(); first += kWordBits) {
    const std::size_t last = std::min(places.size(), first + kWordBits);
    const auto number = static_cast<int>(first / kWordBits);
    const StreamRef bits = flags({places.begin() + static_cast<std::ptrdiff_t>(first),
                                  places.begin() + static_cast<std::ptrdiff_t>(last)},
                                 fmt::format("{}_{}", target, number));
    write_vals(fmt::format("{}_bits_{}", target, number), bits, what, MemorySource::Array::kBits,
               number, rows);
  }
}

}  // namespace heddle
