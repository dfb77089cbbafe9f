// Test vectors of the blocks, in every kind of engine.
//
// All files become one graph of islands, a block or a few for each set of parameters, so that one
// RTL model serves all: round r runs vector r of each. Ports of the files are named by what they
// carry; `make_island` says which ours are.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "compiler/graph/passes.h"
#include "testbench/run_rtl.h"

namespace heddle {
namespace {

using nlohmann::json;

constexpr std::uint32_t kWords = 256;
constexpr int kCoordinateBits = 4;  // of a coordinate in the files of accumulators

const std::vector<std::string> kFiles{"accumulate1", "accumulate2",     "alu",        "array",
                                      "crd_drop",    "intersect",       "locate",     "reduce",
                                      "repeat",      "scan_compressed", "scan_dense", "union",
                                      "val_drop",    "write_compressed"};

struct Island {
  std::string file;
  std::string params;                     // those that need a block of their own
  std::map<std::string, NodeId> in, out;  // external ends by the file's port
  std::vector<NodeId> registers;          // blocks that take the parameter "size"
  std::map<std::string, std::pair<NodeId, std::size_t>> memories, written;  // by the file's memory
  std::vector<json> vectors;
};

template <std::size_t N>
std::int32_t number_of(const std::array<std::string_view, N>& names, const std::string& name) {
  const auto at = std::find(names.begin(), names.end(), name);
  HEDDLE_CHECK(at != names.end(), "no '{}'", name);
  return static_cast<std::int32_t>(at - names.begin());
}

class Golden {
 public:
  Golden() {
    for (const std::string& file : kFiles) {
      std::ifstream text(std::string(BLOCKS_FOLDER) + "/" + file + ".json");
      for (json& vector : json::parse(text))
        island_of(file, vector["params"]).vectors.push_back(std::move(vector));
    }
    name_channels(graph_);
    set_depths(graph_, 2);
    verify(graph_, Form::kElastic);
  }

  const SamGraph& graph() const { return graph_; }
  const std::vector<Island>& islands() const { return islands_; }
  std::size_t rounds() const {
    std::size_t n = 0;
    for (const Island& i : islands_) n = std::max(n, i.vectors.size());
    return n;
  }
  static const json& vector(const Island& island, std::size_t round) {
    return island.vectors[round % island.vectors.size()];
  }

  RunInput input(std::size_t round) const {
    RunInput input;
    input.blocks.resize(graph_.node_count());
    input.streams.resize(graph_.node_count());
    for (const NodeId id : graph_.nodes()) {
      if (graph_.node(id).external()) continue;
      const PrimitiveSpec& spec = spec_of(*graph_.node(id).primitive);
      input.blocks[index(id)].registers.resize(spec.registers.size());
      input.blocks[index(id)].memories.resize(spec.memories.size());
      input.blocks[index(id)].capacity.assign(spec.memories.size(), kWords);
    }
    for (const Island& island : islands_) {
      const json& v = vector(island, round);
      for (const auto& [port, end] : island.in)
        input.streams[index(end)] = parse_stream(v["in"][port].get<std::string>()).value();
      for (const NodeId block : island.registers)
        input.blocks[index(block)].registers = {v["params"]["size"].get<std::uint32_t>()};
      for (const auto& [name, place] : island.memories)
        for (const json& word : v["memory"][name])
          input.blocks[index(place.first)].memories[place.second].push_back(
              static_cast<std::uint32_t>(word.get<std::int64_t>()));
    }
    return input;
  }

  /// Checks what a run of that round gave.
  void check(std::size_t round, const RunResult& result, const char* engine) const {
    ASSERT_EQ(result.outcome, Outcome::kFinished)
        << engine << ", round " << round << ": " << result.problem;
    for (const Island& island : islands_) {
      const json& v = vector(island, round);
      const std::string where = island.file + " " + island.params + ", " + engine + ": " + v.dump();
      for (const auto& [port, expected] : expected_streams(island, v)) {
        ASSERT_TRUE(island.out.contains(port)) << where;
        EXPECT_EQ(to_text(result.streams[index(island.out.at(port))]), to_text(expected)) << where;
      }
      if (!v.contains("written")) continue;
      for (const auto& [name, words] : v["written"].items()) {
        const auto& [block, memory] = island.written.at(name);
        EXPECT_EQ(result.memories[index(block)][memory], words.get<std::vector<std::uint32_t>>())
            << where;
      }
    }
  }

 private:
  Island& island_of(const std::string& file, json params) {
    params.erase("size");  // a register
    for (Island& i : islands_)
      if (i.file == file && i.params == params.dump()) return i;
    islands_.push_back({file, params.dump(), {}, {}, {}, {}, {}, {}});
    make_island(islands_.back(), params);
    return islands_.back();
  }

  std::string name(const Island& island, const std::string& what) const {
    return fmt::format("{}_{}_{}", island.file, islands_.size(), what);
  }
  template <class P>
  NodeId block(const Island& island, Params params = default_params(P::kSpec)) {
    return graph_.add<P>(name(island, fmt::format("{}_block", P::kSpec.name)), params);
  }
  void take(Island& island, const std::string& port, NodeId node, int in) {
    island.in[port] = graph_.add_external(name(island, port + "_in"));
    graph_.connect(island.in[port], 0, node, in, "");
  }
  void give(Island& island, const std::string& port, NodeId node, int out) {
    island.out[port] = graph_.add_external(name(island, port + "_out"));
    graph_.connect(node, out, island.out[port], 0, "");
  }
  /// One block whose ports come in this order.
  template <class P>
  NodeId simple(Island& island, const std::vector<std::string>& in,
                const std::vector<std::string>& out, Params params = default_params(P::kSpec)) {
    const NodeId node = block<P>(island, params);
    for (std::size_t p = 0; p < in.size(); ++p) take(island, in[p], node, static_cast<int>(p));
    for (std::size_t p = 0; p < out.size(); ++p) give(island, out[p], node, static_cast<int>(p));
    return node;
  }
  template <class P>
  void merge(Island& island, const json& params) {
    const int n = params["operands"].get<int>();
    std::vector<std::string> crds, refs, out{"crd"};
    for (int i = 0; i < n; ++i) {
      crds.push_back(fmt::format("crd{}", i));
      refs.push_back(fmt::format("ref{}", i));
    }
    out.insert(out.end(), refs.begin(), refs.end());
    crds.insert(crds.end(), refs.begin(), refs.end());
    simple<P>(island, crds, out, {{n}});
  }

  void make_island(Island& island, const json& params) {
    constexpr auto kI32 = static_cast<std::int32_t>(ValueType::kI32);
    const auto text = [&](const char* key) { return params[key].get<std::string>(); };
    if (island.file == "accumulate1") {
      simple<Accumulate>(island, {"crd", "val"}, {"crd", "val"}, {{0, kI32, kCoordinateBits, 1}});
    } else if (island.file == "accumulate2") {
      const NodeId pack = block<Pack>(island, {{kCoordinateBits}});
      const NodeId sum = block<Accumulate>(island, {{0, kI32, 2 * kCoordinateBits, 1}});
      const NodeId unpack = block<Unpack>(island, {{kCoordinateBits}});
      take(island, "outer_crd", pack, Pack::kOuter);
      take(island, "crd", pack, Pack::kInner);
      take(island, "val", pack, Pack::kValIn);
      for (int p = 0; p < 2; ++p) {
        graph_.connect(pack, p, sum, p, "");
        graph_.connect(sum, p, unpack, p, "");
      }
      give(island, "outer_crd", unpack, Unpack::kOuter);
      give(island, "crd", unpack, Unpack::kInner);
      give(island, "val", unpack, Unpack::kVal);
    } else if (island.file == "alu") {
      simple<Alu>(island, {"a", "b"}, {"val"},
                  {{number_of(kBinaryNames, text("op")), kI32, Alu::kZero}});
    } else if (island.file == "array") {
      const NodeId node =
          simple<Array>(island, {"ref"}, {"val"}, {{text("absent") == "N" ? 0 : 1}});
      island.memories["vals"] = {node, Array::kVals};
    } else if (island.file == "crd_drop") {
      simple<CrdDrop>(island, {"outer_crd", "crd"}, {"outer_crd", "crd"}, {{1}});
    } else if (island.file == "intersect") {
      merge<Intersect>(island, params);
    } else if (island.file == "locate") {
      island.registers.push_back(simple<Locate>(island, {"crd", "ref"}, {"ref"}));
    } else if (island.file == "reduce") {
      simple<Reduce>(
          island, {"val"}, {"val"},
          {{number_of(kReduceNames, text("op")), kI32, text("empty") == "N" ? 0 : 1, 0}});
    } else if (island.file == "repeat") {
      simple<Repeat>(island, {"ref", "crd"}, {"ref"});
    } else if (island.file == "scan_compressed") {
      const NodeId segment = block<Segment>(island);
      const NodeId scan = block<ScanCompressed>(island);
      take(island, "ref", segment, Segment::kRef);
      graph_.connect(segment, Segment::kLo, scan, ScanCompressed::kLo, "");
      graph_.connect(segment, Segment::kHi, scan, ScanCompressed::kHi, "");
      give(island, "crd", scan, ScanCompressed::kCrd);
      give(island, "ref", scan, ScanCompressed::kPos);
      island.memories["seg"] = {segment, Segment::kSeg};
      island.memories["crd"] = {scan, ScanCompressed::kCrdArray};
    } else if (island.file == "scan_dense") {
      island.registers.push_back(simple<ScanDense>(island, {"ref"}, {"crd", "ref"}));
    } else if (island.file == "union") {
      merge<Union>(island, params);
    } else if (island.file == "val_drop") {
      simple<ValDrop>(island, {"crd", "val"}, {"crd", "val"});
    } else if (island.file == "write_compressed") {
      const NodeId node = simple<WriteCompressed>(island, {"crd"}, {});
      island.written["seg"] = {node, WriteCompressed::kSeg};
      island.written["crd"] = {node, WriteCompressed::kCrdArray};
    } else {
      FAIL() << "no block for " << island.file;
    }
  }

  /// The vector's output. An outer coordinate to which no value contributes stays in the vectors of
  /// accumulate2, with an empty fiber; the joined coordinates of ours are those of values, so it
  /// does not come back.
  static std::map<std::string, Stream> expected_streams(const Island& island, const json& v) {
    std::map<std::string, Stream> streams;
    for (const auto& [port, text] : v["out"].items())
      streams[port] = parse_stream(text.get<std::string>()).value();
    if (island.file != "accumulate2") return streams;
    Stream outer, crd, value;
    std::size_t in = 0;
    for (const Token t : streams["outer_crd"]) {
      if (t.is_control()) {
        outer.push_back(t);
        crd.push_back(streams["crd"][in]);
        value.push_back(streams["val"][in++]);
        continue;
      }
      const bool kept = !streams["crd"][in].is_stop(0);
      if (kept) outer.push_back(t);
      for (bool last = false; !last; ++in) {
        last = streams["crd"][in].is_stop(0);
        if (!kept) continue;
        crd.push_back(streams["crd"][in]);
        value.push_back(streams["val"][in]);
      }
    }
    return {{"outer_crd", outer}, {"crd", crd}, {"val", value}};
  }

  SamGraph graph_;
  std::vector<Island> islands_;
};

TEST(Blocks, HaveVectors) {
  const Golden golden;
  std::size_t vectors = 0;
  for (const Island& island : golden.islands()) vectors += island.vectors.size();
  EXPECT_EQ(vectors, 528u);
  EXPECT_EQ(golden.rounds(), 24u);
}

TEST(Blocks, GiveTheVectorsUntimed) {
  const Golden golden;
  for (std::size_t r = 0; r < golden.rounds(); ++r)
    golden.check(r, run_functional(golden.graph(), golden.input(r)), "untimed");
}

TEST(Blocks, GiveTheVectorsInCycles) {
  const Golden golden;
  for (std::size_t r = 0; r < golden.rounds(); ++r) {
    RunInput input = golden.input(r);
    for (const int percent : {100, 60}) {
      input.offer = input.take = {r, percent};
      golden.check(r, run_cycle(golden.graph(), input), "cycle");
    }
  }
}

TEST(Blocks, GiveTheVectorsInRtl) {
  const Golden golden;
  RunInput sizes = golden.input(0);
  for (RunInput::Block& block : sizes.blocks)
    for (auto& memory : block.memories) memory.resize(kWords);
  const Netlist netlist =
      make_netlist(golden.graph(), sizes, "heddle_golden", "Blocks with test vectors");
  std::string problem;
  const auto model = build_rtl(netlist, {}, problem);
  ASSERT_TRUE(model.has_value()) << problem;
  std::vector<RunInput> inputs;
  for (std::size_t r = 0; r < golden.rounds(); ++r) {
    inputs.push_back(golden.input(r));
    inputs.back().offer = inputs.back().take = {r, r % 2 == 0 ? 100 : 60};
  }
  const std::vector<RunResult> results = run_rtl(*model, netlist, inputs, {});
  for (std::size_t r = 0; r < golden.rounds(); ++r) golden.check(r, results[r], "RTL");
}

}  // namespace
}  // namespace heddle
