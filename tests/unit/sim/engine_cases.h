// Cases for engines: small graphs with their data, made by hand or at random, and the comparison of
// results.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "compiler/graph/passes.h"
#include "compiler/sim/run.h"

namespace heddle::test {

inline Stream stream(const char* text) { return parse_stream(text).value(); }

struct EngineCase {
  SamGraph graph;
  RunInput input;

  EngineCase() = default;
  // A case stays where it is made, and so does its graph.
  EngineCase(const EngineCase&) = delete;
  EngineCase& operator=(const EngineCase&) = delete;

  NodeId source(const std::string& name, Stream tokens) {
    const NodeId id = graph.add_external(name);
    grow();
    input.streams[index(id)] = std::move(tokens);
    return id;
  }
  template <class P>
  NodeId block(const std::string& name, Params params = default_params(P::kSpec)) {
    const NodeId id = graph.add<P>(name, params);
    grow();
    return id;
  }
  NodeId taker(const std::string& name) {
    const NodeId id = graph.add_external(name);
    grow();
    return id;
  }
  RunInput::Block& data(NodeId id) { return input.blocks[index(id)]; }
  void connect(NodeId from, int out, NodeId to, int in) { graph.connect(from, out, to, in, ""); }
  /// Makes the graph elastic.
  void finish(int depth) {
    insert_forks(graph);
    name_channels(graph);
    set_depths(graph, depth);
    grow();
    verify(graph, Form::kElastic);
  }

 private:
  void grow() {
    input.blocks.resize(graph.node_count());
    input.streams.resize(graph.node_count());
  }
};

/// A random graph of blocks that fit together, on random well-formed streams.
class RandomCase : public EngineCase {
 public:
  explicit RandomCase(std::uint64_t seed) : random_(seed) { make(); }

 private:
  void make() {
    shapes_.push_back({0, -1});
    const NodeId root = source("root", stream("0 D"));
    ends_.push_back({root, 0, 0, false, 1});
    contents_.push_back({stream("0 D")});
    const int sources = pick(2, 5);
    for (int i = 0; i < sources; ++i) add_source();
    const int blocks = pick(3, 22);
    for (int tries = 0, made = 0; tries < 400 && made < blocks; ++tries)
      if (add_block()) ++made;
    end_some();
    finish(2);
    const int depth_style = pick(0, 3);
    for (const ChannelId id : graph.channels())
      graph.channel(id).depth = depth_style == 0 ? 1 : depth_style == 1 ? pick(1, 4) : pick(1, 60);
    if (pick(0, 2) == 0) balance_depths(graph, pick(1, 6));
    input.offer = {random_(), pick(0, 1) == 0 ? 100 : pick(30, 100)};
    input.take = {random_(), pick(0, 1) == 0 ? 100 : pick(30, 100)};
  }

  /// Streams of one shape are aligned. Shapes with the same parent have the same fibers around the
  /// innermost ones.
  struct Shape {
    int depth;
    int parent;
  };
  struct End {
    NodeId node{};
    int port = 0;
    int shape = 0;
    bool sorted = false;      // coordinates, ascending in every fiber, no N
    std::uint32_t bound = 0;  // values are below it; 0: anything, or N
  };
  static constexpr std::uint32_t kCoordinates = 12;

  int pick(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }
  bool chance(int percent) { return pick(1, 100) <= percent; }
  std::string name(const std::string& what) { return what + std::to_string(++names_); }
  int shape(int depth, int parent) {
    shapes_.push_back({depth, parent});
    return static_cast<int>(shapes_.size()) - 1;
  }

  /// Coordinates for each element of a stream whose content is known.
  void add_source() {
    std::vector<std::size_t> known;
    for (std::size_t i = 0; i < contents_.size(); ++i)
      if (shapes_[static_cast<std::size_t>(ends_[i].shape)].depth < 3) known.push_back(i);
    const std::size_t parent =
        known[static_cast<std::size_t>(pick(0, static_cast<int>(known.size()) - 1))];
    const int fill = pick(0, 100);
    Stream tokens;
    for (const Token token : contents_[parent]) {
      if (token.is_control()) {
        tokens.push_back(outward(token));
        continue;
      }
      for (std::uint32_t crd = 0; crd < kCoordinates; ++crd)
        if (chance(fill)) tokens.push_back(val(crd));
      tokens.push_back(stop(0));
    }
    const int of = ends_[parent].shape;
    ASSERT_TRUE(well_formed(tokens, shapes_[static_cast<std::size_t>(of)].depth + 1));
    const NodeId id = source(name("in"), tokens);
    // Sources come before all blocks, so that the contents are those of the first ends.
    ends_.push_back(
        {id, 0, shape(shapes_[static_cast<std::size_t>(of)].depth + 1, of), true, kCoordinates});
    contents_.push_back(std::move(tokens));
  }

  const Shape& of(const End& end) const { return shapes_[static_cast<std::size_t>(end.shape)]; }
  End any() {
    // Rather a recent one, so that graphs become deep.
    const int n = static_cast<int>(ends_.size());
    return ends_[static_cast<std::size_t>(chance(50) ? pick(0, n - 1) : pick(n / 2, n - 1))];
  }
  template <class Test>
  std::optional<End> any_that(Test test) {
    std::vector<End> found;
    for (const End& end : ends_)
      if (test(end)) found.push_back(end);
    if (found.empty()) return std::nullopt;
    return found[static_cast<std::size_t>(pick(0, static_cast<int>(found.size()) - 1))];
  }
  std::optional<End> aligned_with(const End& end) {
    return any_that([&](const End& e) { return e.shape == end.shape; });
  }
  void join(const std::vector<End>& from, NodeId to) {
    for (std::size_t i = 0; i < from.size(); ++i)
      connect(from[i].node, from[i].port, to, static_cast<int>(i));
  }
  void out(NodeId node, int port, int shape_id, bool sorted, std::uint32_t bound) {
    ends_.push_back({node, port, shape_id, sorted, bound});
  }

  bool add_block() {
    switch (pick(0, 19)) {
      case 0:
        return add_alu();
      case 1:
        return chance(50) ? add_function() : add_flatten();
      case 2:
        return add_constant();
      case 3:
        return add_ordinal();
      case 4:
        return add_merge<Union>();
      case 5:
        return add_merge<Intersect>();
      case 6:
        return add_merge<Union>();
      case 7:
        return add_merge<Intersect>();
      case 8:
        return add_val_drop();
      case 9:
        return add_crd_drop();
      case 10:
        return add_repeat();
      case 11:
        return add_reduce();
      case 12:
        return add_accumulate();
      case 13:
        return add_scan_dense();
      case 14:
        return add_scan_compressed();
      case 15:
        return add_array();
      case 16:
        return add_locate();
      case 17:
        return add_mask();
      case 18:
        return add_select();
      case 19:
        return chance(50) ? add_singleton() : add_fill();
    }
    return false;
  }

  bool add_alu() {
    const End a = any(), b = *aligned_with(a);
    const NodeId id = block<Alu>(name("alu"), {{pick(0, 9), pick(0, 1), pick(0, 3)}});
    join({a, b}, id);
    out(id, 0, a.shape, false, 0);
    return true;
  }
  bool add_function() {
    const End a = any();
    const NodeId id = block<Function>(name("function"), {{pick(0, 2), pick(0, 1), pick(0, 1)}});
    join({a}, id);
    out(id, 0, a.shape, false, 0);
    return true;
  }
  bool add_constant() {
    const End a = any();
    const NodeId id = block<Constant>(name("constant"));
    data(id).registers = {static_cast<std::uint32_t>(pick(0, 5))};
    join({a}, id);
    out(id, 0, a.shape, false, 6);
    return true;
  }
  bool add_ordinal() {
    const End a = any();
    const NodeId id = block<Ordinal>(name("ordinal"));
    join({a}, id);
    out(id, 0, a.shape, false, 0);
    return true;
  }
  template <class P>
  bool add_merge() {
    const auto first = any_that([](const End& e) { return e.sorted; });
    if (!first) return false;
    const int n = chance(70) ? 2 : pick(2, 4);
    std::vector<End> crds{*first}, refs;
    for (int i = 1; i < n; ++i)
      crds.push_back(*any_that([&](const End& e) {
        return e.sorted && of(e).parent == of(*first).parent && of(e).depth == of(*first).depth;
      }));
    for (const End& crd : crds) refs.push_back(*aligned_with(crd));
    const NodeId id = block<P>(name(std::string(P::kSpec.name)), {{n}});
    std::vector<End> all = crds;
    all.insert(all.end(), refs.begin(), refs.end());
    join(all, id);
    const int merged = shape(of(*first).depth, of(*first).parent);
    const bool keeps_bounds = std::is_same_v<P, Intersect>;
    std::uint32_t bound = 0;
    for (const End& crd : crds) bound = std::max(bound, crd.bound);
    out(id, 0, merged, true, bound);
    for (int i = 0; i < n; ++i)
      out(id, 1 + i, merged, false, keeps_bounds ? refs[static_cast<std::size_t>(i)].bound : 0);
    return true;
  }
  bool add_val_drop() {
    const auto crd = any_that([](const End& e) { return e.sorted; });
    if (!crd) return false;
    const End value = *aligned_with(*crd);
    const NodeId id = block<ValDrop>(name("val_drop"));
    join({*crd, value}, id);
    const int dropped = shape(of(*crd).depth, of(*crd).parent);
    out(id, 0, dropped, true, crd->bound);
    out(id, 1, dropped, false, value.bound);
    return true;
  }
  bool add_crd_drop() {
    const auto inner = any_that([&](const End& e) { return of(e).depth >= 2; });
    if (!inner) return false;
    const auto outer = any_that([&](const End& e) { return e.shape == of(*inner).parent; });
    if (!outer) return false;
    const NodeId id = block<CrdDrop>(name("crd_drop"), {{1}});
    join({*outer, *inner}, id);
    const int outer_shape = shape(of(*outer).depth, of(*outer).parent);
    out(id, 0, outer_shape, outer->sorted, outer->bound);
    out(id, 1, shape(of(*inner).depth, outer_shape), inner->sorted, inner->bound);
    return true;
  }
  bool add_repeat() {
    const auto crd = any_that([&](const End& e) { return of(e).depth >= 1; });
    if (!crd) return false;
    const auto in = any_that([&](const End& e) { return e.shape == of(*crd).parent; });
    if (!in) return false;
    const NodeId id = block<Repeat>(name("repeat"));
    join({*in, *crd}, id);
    out(id, 0, crd->shape, false, in->bound);
    return true;
  }
  bool add_reduce() {
    const auto in = any_that([&](const End& e) { return of(e).depth >= 1; });
    if (!in) return false;
    const NodeId id =
        block<Reduce>(name("reduce"), {{pick(0, 2), pick(0, 1), pick(0, 1), pick(0, 1)}});
    data(id).registers = {kCoordinates};
    join({*in}, id);
    out(id, 0, of(*in).parent, false, 0);
    return true;
  }
  bool add_accumulate() {
    const auto crd =
        any_that([&](const End& e) { return of(e).depth >= 1 && e.sorted && e.bound <= 1024; });
    if (!crd) return false;
    const End value = *aligned_with(*crd);
    const int level = pick(0, of(*crd).depth - 1);
    const NodeId id = block<Accumulate>(name("accumulate"), {{pick(0, 2), pick(0, 1), 10, level}});
    join({*crd, value}, id);
    int parent = crd->shape;
    for (int i = 0; i <= level; ++i) parent = shapes_[static_cast<std::size_t>(parent)].parent;
    const int made = shape(of(*crd).depth - level, parent);
    out(id, 0, made, true, crd->bound);
    out(id, 1, made, false, 0);
    return true;
  }
  bool add_flatten() {
    const auto in = any_that([&](const End& e) { return of(e).depth >= 2; });
    if (!in) return false;
    const NodeId id = block<Flatten>(name("flatten"));
    join({*in}, id);
    out(id, 0, shape(of(*in).depth - 1, shapes_[static_cast<std::size_t>(of(*in).parent)].parent),
        false, in->bound);
    return true;
  }
  bool add_scan_dense() {
    const auto ref = any_that([&](const End& e) { return of(e).depth <= 2; });
    if (!ref) return false;
    const NodeId id = block<ScanDense>(name("scan_dense"));
    const auto size = static_cast<std::uint32_t>(pick(0, 5));
    data(id).registers = {size};
    join({*ref}, id);
    const int made = shape(of(*ref).depth + 1, ref->shape);
    out(id, 0, made, true, size + 1);
    out(id, 1, made, false, ref->bound * size);
    return true;
  }
  bool add_scan_compressed() {
    const auto ref =
        any_that([&](const End& e) { return of(e).depth <= 2 && e.bound > 0 && e.bound < 500; });
    if (!ref) return false;
    const NodeId segment = block<Segment>(name("segment"));
    const NodeId scan = block<ScanCompressed>(name("scan_compressed"));
    std::vector<std::uint32_t> seg{0}, crds;
    const int fill = pick(0, 60);
    for (std::uint32_t r = 0; r < ref->bound; ++r) {
      for (std::uint32_t crd = 0; crd < kCoordinates; ++crd)
        if (chance(fill)) crds.push_back(crd);
      seg.push_back(static_cast<std::uint32_t>(crds.size()));
    }
    const auto positions = static_cast<std::uint32_t>(crds.size());
    data(segment).memories = {seg};
    data(scan).memories = {crds};
    join({*ref}, segment);
    connect(segment, 0, scan, 0);
    connect(segment, 1, scan, 1);
    const int made = shape(of(*ref).depth + 1, ref->shape);
    out(scan, 0, made, true, kCoordinates);
    out(scan, 1, made, false, positions);
    return true;
  }
  bool add_array() {
    const auto ref = any_that([](const End& e) { return e.bound > 0 && e.bound < 4096; });
    if (!ref) return false;
    const NodeId id = block<Array>(name("array"), {{pick(0, 1)}});
    std::vector<std::uint32_t> words(ref->bound);
    for (std::uint32_t& word : words)
      word = std::bit_cast<std::uint32_t>(static_cast<float>(pick(-9, 9)));
    data(id).memories = {words};
    join({*ref}, id);
    out(id, 0, ref->shape, false, 0);
    return true;
  }
  bool add_locate() {
    const auto crd = any_that([](const End& e) { return e.sorted && e.bound > 0; });
    if (!crd) return false;
    const End ref = *aligned_with(*crd);
    const NodeId id = block<Locate>(name("locate"));
    data(id).registers = {crd->bound};
    join({*crd, ref}, id);
    out(id, 0, crd->shape, false, ref.bound * crd->bound);
    return true;
  }
  bool add_mask() {
    const auto crd = any_that([](const End& e) { return e.sorted; });
    if (!crd) return false;
    const End ref = *aligned_with(*crd);
    const End keep = *any_that([&](const End& e) {
      return e.sorted && of(e).parent == of(*crd).parent && of(e).depth == of(*crd).depth;
    });
    const NodeId id = block<Mask>(name("mask"));
    join({*crd, ref, keep}, id);
    const int made = shape(of(*crd).depth, of(*crd).parent);
    out(id, 0, made, true, crd->bound);
    out(id, 1, made, false, ref.bound);
    return true;
  }
  bool add_select() {
    const End c = any();
    const NodeId id = block<Select>(name("select"), {{pick(0, 1), pick(0, 1)}});
    join({c, *aligned_with(c), *aligned_with(c)}, id);
    out(id, 0, c.shape, false, 0);
    return true;
  }
  bool add_singleton() {
    const auto crd = any_that([&](const End& e) { return of(e).depth <= 2 && e.sorted; });
    if (!crd) return false;
    const NodeId id = block<Singleton>(name("singleton"));
    join({*crd}, id);
    out(id, 0, shape(of(*crd).depth + 1, crd->shape), true, crd->bound);
    return true;
  }
  bool add_fill() {
    const auto crd = any_that(
        [&](const End& e) { return e.sorted && e.bound > 0 && e.bound < 64 && of(e).depth >= 1; });
    if (!crd) return false;
    const NodeId id = block<Fill>(name("fill"), {{0}});
    data(id).registers = {crd->bound};
    join({*crd, *aligned_with(*crd)}, id);
    out(id, 0, shape(of(*crd).depth, of(*crd).parent), false, 0);
    return true;
  }

  void end_some() {
    for (std::size_t i = ends_.size(); i-- > 0;) {
      const End end = ends_[i];
      if (!graph.outputs(end.node).empty() && chance(80)) continue;
      const int what = pick(0, 3);
      if (what == 0) continue;  // insert_forks adds a sink if nobody reads it
      const NodeId id = what == 1    ? taker(name("taker"))
                        : what == 2  ? block<WriteVals>(name("write_vals"))
                        : end.sorted ? block<WriteCompressed>(name("write_compressed"))
                                     : block<WriteVals>(name("write_vals"));
      connect(end.node, end.port, id, 0);
    }
  }

  std::mt19937_64 random_;
  std::vector<Shape> shapes_;
  std::vector<End> ends_;
  std::vector<Stream> contents_;  // of the first ends
  int names_ = 0;
};

/// That two timed engines did the same, to the cycle.
inline void expect_same(const SamGraph& graph, const RunResult& a, const RunResult& b) {
  EXPECT_EQ(a.outcome, b.outcome);
  EXPECT_EQ(a.problem, b.problem);
  EXPECT_EQ(a.fault, b.fault);
  EXPECT_EQ(a.fault_node, b.fault_node);
  EXPECT_EQ(a.cycles, b.cycles);
  EXPECT_EQ(a.firings, b.firings);
  EXPECT_EQ(a.memories, b.memories);
  EXPECT_EQ(a.statuses, b.statuses);
  EXPECT_EQ(a.streams, b.streams);
  EXPECT_EQ(a.words_read, b.words_read);
  EXPECT_EQ(a.words_written, b.words_written);
  ASSERT_EQ(a.counters.size(), b.counters.size());
  ASSERT_EQ(a.hashes.size(), b.hashes.size());
  ASSERT_EQ(a.trace.size(), b.trace.size());
  for (const ChannelId id : graph.channels()) {
    const std::size_t c = index(id);
    EXPECT_EQ(a.counters[c], b.counters[c]) << "channel " << graph.channel(id).name;
    EXPECT_EQ(a.hashes[c], b.hashes[c]) << "channel " << graph.channel(id).name;
    EXPECT_EQ(a.trace[c], b.trace[c]) << "channel " << graph.channel(id).name;
  }
}

}  // namespace heddle::test
