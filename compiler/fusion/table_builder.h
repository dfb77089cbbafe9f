// TableBuilder: how build_table works, in parts: nests and reductions (build_table.cpp), joins
// (table_joins.cpp), values (table_values.cpp), places of tiles (table_places.cpp), results
// (table_results.cpp). Internal to this directory.
//
//   for each loop of the nest, outermost first:
//     reductions whose own loops start here are built: their nest, then `reduce` or `accumulate`;
//     from now on they are operands like any view join: every operand that has the index offers
//     coordinates; products intersect, sums merge, what is dense is located; operands without the
//     index are repeated
//   then the value: loads and arithmetic along the expression
//
// A join gives one coordinate stream and, aligned with it, a reference stream for each operand ("N"
// where a sum has a coordinate that the operand lacks; from there on all its fibers are empty).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/fusion/fusion_table.h"
#include "compiler/fusion/loop_nests.h"
#include "compiler/support/check.h"

namespace heddle {

/// Whether a function of zero is zero: then it is absent where its argument is.
bool zero_at_zero(UnaryOp op);
bool zero_at_zeros(BinaryOp op);

/// Where an operand stands: what is known of it after the loops so far.
struct Cursor {
  enum class Kind : std::uint8_t { kView, kIdentity, kValue, kAccumulated };
  Kind kind = Kind::kView;
  int column = 0;
  int view = -1;
  int level = 0;  // levels entered (kView), coordinate streams used (kAccumulated)
  std::optional<StreamRef>
      ref;  // aligned with the innermost loop so far; none: not entered, position 0
  bool may_be_absent = false;  // ref may be N
  // kAccumulated: the streams of its loops and its values, as the accumulator gave them
  Ids loops;
  std::vector<StreamRef> crds;
  StreamRef vals;
  // Of a value that depends on blocked indices, instead of `vals`, and of `ref` once all levels are
  // entered: a stream for each choice of places. Joins carry no such streams, they follow.
  Ids blocked;
  std::vector<StreamRef> places;

  bool is_tile() const { return !places.empty(); }
  bool entered() const {
    return kind != Kind::kAccumulated || static_cast<std::size_t>(level) == loops.size();
  }
};

/// A level joined so far.
struct Join {
  std::optional<StreamRef> crd;   // none: no operand has the index
  std::map<int, StreamRef> refs;  // by cursor; aligned with crd
  std::vector<int> free;          // cursors without the index
  int dense = -1;                 // a cursor whose dense level can be located; crd none
  std::vector<Join> optional;     // operands looked up where others are: crd or dense
  bool universal = false;         // has a value everywhere, even where all operands are absent
  std::string universal_name;     // what makes it so, for the message
  bool full = false;              // crd has every coordinate
  bool fibers_not_empty = false;
};

/// Values at the innermost loop: a stream for each choice of places of the blocked indices that
/// they depend on, the last index's places fastest.
struct Value {
  Ids blocked{};  // in ascending order
  std::vector<StreamRef> streams{};
  bool may_be_absent = false;
  bool stored = false;  // its lanes have written it: there is no stream
};

/// The place inside its tile of each blocked index, by IndexId; zero of all others.
using Places = std::vector<int>;

/// Where an expression may be absent for what is known so far.
struct PresenceOf {
  bool partial = false;          // it may be
  std::optional<StreamRef> ref;  // N where it is; none: its values will tell
};

class TableBuilder {
 public:
  TableBuilder(const FusedEinsum& einsum, const EinsumProgram& program, Diagnostics& diag)
      : e_(einsum), views_(einsum.views), program_(program), diag_(diag) {}

  std::optional<FusionTable> run();

 private:
  struct Nest {
    Ids loops;
    std::vector<StreamRef> crds;
    std::vector<bool> full;
    std::vector<bool> not_empty;
  };

  // ---- stream expressions
  // --------------------------------------------------------------------------------------------

  StreamRef add(StreamOp op, int out = 0);
  static bool same(const StreamOp& a, const StreamOp& b);
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
    while (e_.indices[first].size != e_.at(id).size || e_.indices[first].block != e_.at(id).block)
      ++first;
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

  // ---- names
  // ---------------------------------------------------------------------------------------------------------

  const std::string& index_name(IndexId id) const { return e_.at(id).name; }
  const std::string& column_name(int cursor) const {
    return table_
        .columns[static_cast<std::size_t>(cursors_[static_cast<std::size_t>(cursor)].column)];
  }
  void note_cell(IndexId id, int column, std::string text) {
    const auto row = std::find(e_.order.begin(), e_.order.end(), id) - e_.order.begin();
    table_.cells[{static_cast<int>(row), column}] = std::move(text);
  }
  void note_value(int column, std::string text) {
    table_.cells[{static_cast<int>(e_.order.size()), column}] = std::move(text);
  }

  // ---- operands
  // ------------------------------------------------------------------------------------------------------

  /// Calls visit(stream, depth) for what carries an operand inside the loops so far: its reference
  /// and, of an accumulator, the streams still to come, `depth` fibers further in.
  template <class Visit>
  static void each_stream(Cursor& cur, Visit visit) {
    if (cur.ref) visit(*cur.ref, std::size_t{0});
    const auto next = static_cast<std::size_t>(cur.level);
    for (StreamRef& place : cur.places) visit(place, cur.crds.size() - next);
    if (cur.kind != Cursor::Kind::kAccumulated || next >= cur.crds.size()) return;
    for (std::size_t m = next; m < cur.crds.size(); ++m) visit(cur.crds[m], m - next + 1);
    if (!cur.is_tile()) visit(cur.vals, cur.crds.size() - next);
  }
  /// From now on an expression is an operand like any view, in a column of its own.
  void make_operand(const FusedExpr& e, Cursor cur, const std::string& column,
                    const std::string& how);

  /// Views that read the same storage are one.
  void merge_views();
  void make_cursors(const FusedExpr& e);
  Cursor& cursor(int c) { return cursors_[static_cast<std::size_t>(c)]; }
  const View& view(const Cursor& c) const { return views_[static_cast<std::size_t>(c.view)]; }
  /// The memory that holds an array of the cursor's tensor.
  MemorySource source_of(const Cursor& c, MemorySource::Array array, int level = 0) const {
    const View& w = view(c);
    if (w.kept >= 0)
      return {MemorySource::Kind::kKept, static_cast<std::uint32_t>(w.kept), array, level};
    const int merged = merged_[static_cast<std::size_t>(c.view)];
    return {MemorySource::Kind::kInput, static_cast<std::uint32_t>(merged), array, level};
  }

  /// The cursors that e consists of at this point: views, and reductions that are built.
  void leaves(const FusedExpr& e, std::set<int>& out) const;

  /// A stream aligned with the innermost loop of the nest so far.
  StreamRef shape(const Nest& nest) const {
    return nest.crds.empty() ? StreamRef{} : nest.crds.back();
  }

  /// The reference of a cursor as a stream, made of zeros if it is not entered yet.
  StreamRef ref_of(const Cursor& c, const Nest& nest);

  // ---- joins
  // ---------------------------------------------------------------------------------------------------------

  Join join_cursor(int c, IndexId v, const Nest& nest);
  Join join_accumulated(int c, IndexId v);

  /// After a join that left out fibers of an accumulator's streams or put some in, the deeper ones
  /// follow.
  void follow(Cursor& cur, IndexId v);

  /// Gives a join coordinates if it has none.
  Join concrete(Join join, const FusedExpr* e, IndexId v, const Nest& nest);

  PresenceOf presence_of(const FusedExpr& e);

  /// Repeats a cursor that lacks the index along the join's coordinates.
  void attach(Join& join, int c, IndexId v);

  /// Finds a dense level's positions at the join's coordinates.
  void locate(Join& join, int c, IndexId v);
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
    constexpr std::size_t kMostOperands = 32;
    if (crds.size() > kMostOperands) {
      if (good_)
        diag_.error("capacity", r_->range,
                    fmt::format("{} streams meet at index '{}', more than {}", crds.size(),
                                index_name(v), kMostOperands));
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
      note_cell(
          v, cursor(c).column,
          std::string(verb) + " of " + table_.columns[static_cast<std::size_t>(cursor(c).column)]);
    }
    return out;
  }

  /// Lets the scans among the joins leap over what cannot match: they become one join, with the
  /// streams that scanning and intersecting would give. Such a scanner follows one intersection, so
  /// it serves nothing else.
  std::vector<Join> leap(std::vector<Join> joins, IndexId v);

  /// base's coordinates, with o's references where it has them and N elsewhere.
  Join left_join(Join base, const Join& o, IndexId v, const Nest& nest);
  Join intersect(std::vector<Join> joins, IndexId v, const Nest& nest);
  Join unite(const std::vector<Join>& joins, const std::vector<const FusedExpr*>& exprs, IndexId v,
             const Nest& nest);

  /// Sums of sums meet in one merge.
  static void flatten(const FusedExpr& e, std::vector<const FusedExpr*>& out);
  static bool merges(const FusedExpr& e);
  static void flatten_sum(const FusedExpr& e, std::vector<const FusedExpr*>& out);
  Join join(const FusedExpr& e, IndexId v, const Nest& nest);
  static Join both_free(Join a, const Join& b) {
    a.free.insert(a.free.end(), b.free.begin(), b.free.end());
    a.optional.insert(a.optional.end(), b.optional.begin(), b.optional.end());
    return a;
  }

  /// A dense operand, looked up wherever the body is.
  Join beside(Join body, const FusedExpr& e, int c, IndexId v, const Nest& nest);
  /// A value that exists where its operands do not.
  static Join everywhere(std::vector<Join> args, std::string what);

  // ---- nests
  // ---------------------------------------------------------------------------------------------------------

  /// Reductions in e that are not built and branch off the nest around e: those directly in it, and
  /// those inside another one that leave the shared loops before that one does.
  void reductions(const FusedExpr& e, int before, std::vector<const FusedExpr*>& out) const;
  /// The loops of a nest from the given one on, then the value of its body.
  Value run_nest(const FusedExpr& body, Nest& nest, std::size_t from,
                 std::optional<std::size_t> flatten_after, bool root = false);
  /// What is inside loop q, once for each lane. The lanes store their parts of the result, or their
  /// streams are taken back in turn.
  Value run_lanes(const FusedExpr& body, Nest& nest, std::size_t q, int lanes,
                  std::optional<std::size_t> flatten_after, bool root);
  /// What is inside loop q of the result, in one lane, to the memories of that lane.
  void store_lane(const FusedExpr& body, Nest nest, std::size_t q, int lane, int lanes);
  /// A stream dealt to lanes: lane l is output l. Elements are `depth` fibers deep.
  StreamRef deal(StreamRef stream, int lanes, std::size_t depth, const std::string& label);
  StreamRef take_back(const std::vector<StreamRef>& lanes, std::size_t depth,
                      const std::string& label);

  /// Factors of a product that lack the loops from q on are computed before these, once for all
  /// their rounds; from now on they are operands like any view.
  void compute_early(const FusedExpr& body, const Nest& nest, std::size_t q);

  /// An operand whose pattern the result could take: it is compressed at v and has indices of the
  /// result only.
  const View* sparse_operand(const FusedExpr& e, IndexId v) const;

  /// "A[i, j]"
  std::string access_text(const View& view) const;

  /// A result that would have an entry everywhere must not be declared sparse at this index.
  void check_densifies(IndexId v, const Join& joined);

  /// Holds the reference of a kept tensor's row back until the row is complete.
  void await_row(int c, IndexId v);

  /// Moves all cursors of the body to the joined level.
  void settle(const FusedExpr& body, const Join& joined, IndexId v);
  void settle_one(int c, const Join& joined, IndexId v);
  void flatten(const FusedExpr& body, Join& joined);
  StreamRef flatten_one(StreamRef stream, std::size_t level, const std::string& label);
  void build_reduction(const FusedExpr& r, const Nest& around);

  Value reduce(const Value& value, const FusedExpr& r, const std::string& label);

  /// What accumulating gives: the coordinates of the loops that it kept apart, and the values.
  struct Accumulated {
    std::vector<StreamRef> crds;
    StreamRef vals;
  };
  /// Bits of a coordinate of each loop that is kept apart; none after an error.
  std::optional<std::vector<int>> coordinate_bits(const Cursor& cur, const FusedExpr& r);
  /// Joins the loops inside the reduced one into a single coordinate, accumulates, and splits them
  /// again. With `all`, coordinates are those of it, and values N where there is none.
  Accumulated accumulate(const Cursor& cur, const Nest& nest, const std::vector<int>& bits,
                         StreamRef vals, const FusedExpr& r, const std::string& label,
                         const std::optional<StreamRef>& all);
  StreamRef accumulator(const Cursor& cur, const Nest& nest, const std::vector<int>& bits,
                        StreamRef vals, const FusedExpr& r, const std::string& label);
  void accumulate_all(Cursor& cur, const Nest& nest, const Value& value, const FusedExpr& r,
                      const std::string& label);

  // ---- values
  // --------------------------------------------------------------------------------------------------------

  std::uint32_t word(double value) const;

  /// `present`: absent operands count as zero, the value is never N (inside a mask).
  Value value_of(const FusedExpr& e, const Nest& nest, bool present);
  Value maybe_present(Value v, bool present, const std::string& label);
  Value load(const Cursor& cur, const Nest& nest, bool present);
  Value binary(const FusedExpr& e, const Nest& nest, bool present);
  /// The value of a mask's operand, N where the mask has no entry, of places that the joins let
  /// through.
  Value masked(const FusedExpr& e, const Nest& nest, bool present);

  // ---- places of tiles
  // --------------------------------------------------------------------------------------------------------

  Ids blocked_of(const Ids& indices) const;
  std::size_t count_places(const Ids& blocked) const;
  /// While it lives, what is made works in step, at the places of one value.
  class InStep {
   public:
    explicit InStep(TableBuilder& table) : number_(table.beside_), outer_(table.beside_) {
      number_ = ++table.steps_;
    }
    InStep(const InStep&) = delete;
    InStep& operator=(const InStep&) = delete;
    ~InStep() { number_ = outer_; }

   private:
    int& number_;
    int outer_;
  };
  /// Calls visit(places, suffix) for each choice of places; the suffix names it.
  template <class Visit>
  void each_place(const Ids& blocked, Visit visit) {
    Places at(e_.indices.size(), 0);
    const InStep step(*this);
    for (std::size_t n = count_places(blocked); n-- > 0;) {
      std::string suffix;
      for (const IndexId id : blocked) suffix += "_" + std::to_string(place(at, id));
      visit(std::as_const(at), std::as_const(suffix));
      next_place(blocked, at);
    }
  }
  static int& place(Places& at, IndexId id) { return at[static_cast<std::size_t>(id)]; }
  void next_place(const Ids& blocked, Places& at) const;
  /// The stream of a value at these places.
  StreamRef stream_at(const Value& value, const Places& at) const;
  /// The blocked indices of all these values.
  Ids meet(const std::vector<Value>& values);
  Ids join_blocked(Ids some, const Ids& more);
  void check_places(const Ids& blocked);
  /// make(streams, suffix) for each place at which the values meet.
  template <class Make>
  Value for_places(const std::vector<Value>& values, bool may_be_absent, Make make) {
    Value out{meet(values), {}, may_be_absent};
    if (!good_) return out;
    each_place(out.blocked, [&](const Places& at, const std::string& suffix) {
      std::vector<StreamRef> streams;
      for (const Value& v : values) streams.push_back(stream_at(v, at));
      out.streams.push_back(make(std::move(streams), suffix));
    });
    return out;
  }
  /// Which place of a view's tile it is.
  int place_in(const std::vector<IndexId>& indices, const Places& at) const;
  Value value_of_cursor(const Cursor& cur) const;
  static Cursor cursor_of_value(const Value& value);
  /// Which places of a view's tiles have an entry: a bit of a word. None: all have.
  bool has_bits(const View& view) const;
  StreamRef gate(StreamRef stream, const Cursor& cur, const Nest& nest, const Places& at,
                 const std::string& suffix);
  StreamRef gate(StreamRef stream, StreamRef bits, int bit, const std::string& label);
  /// A word for each element: bit n is set where stream n is not N.
  StreamRef flags(const std::vector<StreamRef>& streams, const std::string& label);
  Value combine_places(const FusedExpr& e, const Nest& nest);
  StreamRef combine(const FusedExpr& e, std::vector<StreamRef> streams, int absent,
                    const std::string& suffix);
  void write_tiles(const Nest& nest, const Value& value);
  void write_bits(const std::vector<StreamRef>& places, std::vector<StreamRef>& rows);
  std::string owner_of(const FusedExpr& e) const;
  std::string label_of(const FusedExpr& e) const;

  // ---- the result
  // ----------------------------------------------------------------------------------------------------

  void write(const Nest& nest, const Value& value);
  /// Whether the lanes over loop q of the result store their parts themselves, each into memories
  /// of its own.
  bool lanes_store(const Nest& nest, std::size_t q) const;
  /// Its lane among those that store the result, as a number and as part of a name.
  int lane_number() const;
  std::string lane_name() const;

  /// As declared, with the levels in loop order; or inferred: dense where the loop sees every
  /// coordinate.
  void choose_formats(const Nest& nest, const Value& value);
  LevelKind written_level(const Nest& nest, std::size_t l) const;
  std::vector<int> modes_of(const Ids& loops) const;
  std::vector<LevelKind> kept_levels(const Nest& nest, const TensorFormat& written) const;

  /// Whether a dense level inside level l lacks something.
  bool fills_below(const std::vector<bool>& full, std::size_t l) const;
  /// Puts in what dense levels lack: empty fibers, zeros among the values of each place.
  void fill_levels(const Nest& nest, std::vector<bool> full, std::vector<StreamRef>& crd,
                   std::vector<StreamRef>& vals);
  /// Stores the compressed levels of the result that is built.
  void write_levels(const Nest& nest, const std::vector<StreamRef>& crd,
                    std::vector<StreamRef>& rows);
  /// Stores an array with a word for each of its values.
  void write_vals(const std::string& label, StreamRef stream, const std::string& what,
                  MemorySource::Array array, int number, std::vector<StreamRef>& rows);
  /// Stores arrays from a stream in which a row is `depth` fibers deep, as writers tell.
  template <class Write, class Keep>
  void write_array(const std::string& label, StreamRef stream, const std::string& what, int depth,
                   const std::vector<MemorySource::Array>& arrays, int number,
                   std::vector<StreamRef>& rows);
  /// A block that writes arrays of the result that is built.
  StreamRef store(StreamOp o, const std::vector<MemorySource::Array>& arrays, int level);
  /// Rows of a kept result can be read from now on: those that are complete in all its arrays.
  void publish(std::vector<StreamRef> rows);

  const FusedEinsum& e_;
  std::vector<View> views_;         // of e_; formats of kept ones are known once they are written
  const FusedResult* r_ = nullptr;  // the result that is being built
  std::uint32_t number_ = 0;        // its number
  int beside_ = 0, steps_ = 0;      // what is made for each place: its number, and the last one
  int part_ = 0;                    // the part of the graph it belongs to
  std::vector<int> lane_, lanes_;   // of its outermost loops: which lane is built, of how many
  std::map<int, StreamRef> complete_;  // by kept result: the numbers of its complete rows
  const EinsumProgram& program_;
  Diagnostics& diag_;
  FusionTable table_;
  std::set<std::string> labels_;
  std::vector<int> merged_;  // by view of the einsum: its view of the table
  std::vector<Cursor> cursors_;
  std::map<int, int> cursor_of_view_;
  std::map<const FusedExpr*, int> built_;  // reductions that are operands now
  std::map<std::vector<StreamRef>, int>
      leaps_;                  // scans that leap: the intersection that they follow
  std::set<IndexId> skipped_;  // indices at which some do
  std::set<int> absent_;       // cursors that this level's join may leave out
  std::vector<std::pair<int, StreamRef>> masks_;  // around the value that is made: view, position
  bool masked_ = false;  // the operand of a mask that has the index is being joined
  bool good_ = true;
};

}  // namespace heddle
