// Published token streams: whole graphs against traces of the SAM simulator.
//
// A file of traces/ names each stream by what it carries. The same words are given to the channels
// of our graph, by rules that know no kernel (`Streams`); streams of the same name have to be equal
// once our stops are merged. What differs for a reason stands in the table `kDifferences`.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "compiler/driver/pipeline.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::vector<fs::path> files() {
  std::vector<fs::path> list;
  for (const auto& entry : fs::directory_iterator(TRACES_FOLDER))
    if (entry.path().extension() == ".json") list.push_back(entry.path());
  std::sort(list.begin(), list.end());
  return list;
}

// ------------------------------------------------------------------------------------------ the
// model of a file

/// The model of a file; data is put in afterwards.
std::string model_text(const json& file) {
  const std::string statement = file["statement"];
  const std::string target = statement.substr(0, statement.find('['));
  std::string text;
  for (const auto& [name, tensor] : file["tensors"].items()) {
    std::string modes;
    for (const int size : tensor["shape"])
      modes += (modes.empty() ? "" : ", ") + std::to_string(size);
    text += "tensor " + name + "[" + modes + "]: f32 " + tensor["format"].get<std::string>() +
            (name == target ? "" : " = constant(0)") + "\n";
  }
  return text + statement + "\noutput " + target + "\nschedule published { order " +
         file["order"].get<std::string>() + " }\n";
}

/// The entries of a nested list that are not zero (all, if `zeros`).
void collect(const json& values, bool zeros, std::vector<std::uint32_t>& at, EntryList& list) {
  if (values.is_array()) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      at.push_back(static_cast<std::uint32_t>(i));
      collect(values[i], zeros, at, list);
      at.pop_back();
    }
    return;
  }
  if (!zeros && values.get<float>() == 0) return;
  list.crd.insert(list.crd.end(), at.begin(), at.end());
  list.vals.push_back(std::bit_cast<std::uint32_t>(values.get<float>()));
}

EntryList entries(const json& tensor, bool zeros) {
  EntryList list;
  for (const std::uint32_t size : tensor["shape"]) list.shape.push_back(size);
  std::vector<std::uint32_t> at;
  collect(tensor["dense"], zeros, at, list);
  return list;
}

std::optional<Model> make_model(const json& file, Diagnostics& diag) {
  auto program = parse_model(diag.sources().add("trace.ein", model_text(file)), diag);
  if (!program) return std::nullopt;
  auto inputs = bind_data(*program, {}, diag);
  if (!inputs) return std::nullopt;
  for (auto& [id, list] : *inputs) list = entries(file["tensors"][program->tensor(id).name], false);
  return Model{std::move(*program), std::move(*inputs)};
}

// ------------------------------------------------------------------------------------------ names
// of our streams

/// The streams of a run by the words of the files:
///   scan T i crd|ref     what the scanner of T's level i gives
///   join i crd, join T i ref     coordinates of loop i, and where T is there
///   repeat T i ref       T's reference, once for each coordinate of loop i
///   val A,B/k            values made of A and B, reduced over k
///   accumulate i crd     coordinates that an accumulator gives
///   write crd i, write val       what is stored
class Streams {
 public:
  Streams(const CompiledRegion& region, const RunResult& run) : graph_(region.graph), run_(run) {
    for (const FusedIndex& i : region.einsum.indices)
      if (i.reduced) reduced_.insert(i.name);
    const FusionTable::Result& result = region.table.results[0];
    for (const int mode : result.written.order)
      result_.push_back(region.einsum.at(result.indices[static_cast<std::size_t>(mode)]).name);
    for (const NodeId id : graph_.nodes())
      if (!graph_.node(id).external()) name_outputs(id);
    // A loop with one scanner needs no joiner: what is scanned is what is joined.
    for (const auto& [index, tensors] : scanned_) {
      if (tensors.size() != 1) continue;
      const std::string& tensor = *tensors.begin();
      alias("join " + index + " crd", "scan " + tensor + " " + index + " crd");
      alias("join " + tensor + " " + index + " ref", "scan " + tensor + " " + index + " ref");
    }
    // A drop gives the coordinates that are stored, or for a loop that is reduced those it was
    // given.
    for (const std::string& index : result_) alias("drop " + index + " crd", "write crd " + index);
    for (const std::string& index : reduced_)
      alias("drop " + index + " crd", "join " + index + " crd");
  }

  /// Null if our graph has no such stream.
  const Stream* find(const std::string& name) const {
    const auto at = named_.find(name);
    return at == named_.end() ? nullptr : &at->second;
  }

 private:
  struct Value {
    std::set<std::string> tensors;
    bool reduced = false;
  };

  static std::vector<std::string> words(const std::string& name) {
    std::vector<std::string> list{""};
    for (const char c : name) {
      if (c == '_')
        list.emplace_back();
      else
        list.back() += c;
    }
    return list;
  }

  NodeId before(NodeId id, int port) const {
    NodeId from = graph_.source(graph_.inputs(id)[static_cast<std::size_t>(port)]);
    while (!graph_.node(from).external() && graph_.node(from).is<Fork>())
      from = graph_.source(graph_.inputs(from)[0]);
    return from;
  }
  /// The tensors of the blocks that take a stream.
  std::set<std::string> readers(ChannelId channel) const {
    const NodeId to = graph_.target(channel);
    if (!graph_.node(to).is<Fork>()) return {words(graph_.node(to).name)[1]};
    std::set<std::string> all;
    for (const ChannelId branch : graph_.outputs(to)) all.merge(readers(branch));
    return all;
  }
  bool followed_by_unpack(NodeId id) const {
    for (const ChannelId c : graph_.outputs(id))
      if (graph_.node(graph_.target(c)).is<Unpack>()) return true;
    return false;
  }

  void put(const std::string& name, ChannelId channel) {
    Stream stream;
    for (const TraceEvent& event : run_.trace[index(channel)]) stream.push_back(event.token);
    named_.try_emplace(name, merge_stops(stream));
  }
  void alias(const std::string& name, const std::string& other) {
    if (const Stream* stream = find(other)) named_.try_emplace(name, *stream);
  }

  /// What a value stream is made of.
  Value value(NodeId id) const {
    const Node& node = graph_.node(id);
    if (node.is<Array>()) return {{words(node.name)[1]}, false};
    Value all;
    for (int port = 0; port < static_cast<int>(graph_.inputs(id).size()); ++port) {
      const PortRef ref = port_at(spec_of(*node.primitive), node.params, Dir::kIn, port);
      if (ref.spec->payload == Payload::kCrd || ref.spec->payload == Payload::kRef) continue;
      if (node.is<Pack>() && ref.spec->name != "val_in") continue;
      const Value one = value(before(id, port));
      all.tensors.insert(one.tensors.begin(), one.tensors.end());
      all.reduced |= one.reduced;
    }
    if (node.is<Reduce>() || node.is<Accumulate>()) all.reduced = true;
    return all;
  }
  std::string value_name(NodeId id) const {
    const Value v = value(id);
    std::string name;
    for (const std::string& tensor : v.tensors) name += (name.empty() ? "val " : ",") + tensor;
    if (!v.reduced) return name;
    char before = '/';
    for (const std::string& i : reduced_) {
      name += before + i;
      before = ',';
    }
    return name;
  }

  void name_outputs(NodeId id) {
    const Node& node = graph_.node(id);
    const std::vector<ChannelId> in = graph_.inputs(id), out = graph_.outputs(id);
    const std::vector<std::string> w = words(node.name);
    const auto output = [&](std::string_view port) {
      for (std::size_t i = 0; i < out.size(); ++i)
        if (port_name(spec_of(*node.primitive), node.params, Dir::kOut, static_cast<int>(i)) ==
            port)
          return out[i];
      ADD_FAILURE() << node.name << " has no output " << port;
      return out[0];
    };
    if (node.is<ScanCompressed>() || node.is<ScanDense>()) {  // scan_B_i
      scanned_[w[2]].insert(w[1]);
      put("scan " + w[1] + " " + w[2] + " crd", output("crd"));
      put("scan " + w[1] + " " + w[2] + " ref", output("pos"));
    } else if (node.is<Locate>()) {  // locate_D_k
      put("join " + w[1] + " " + w[2] + " ref", output("pos"));
    } else if (node.is<Intersect>() || node.is<Union>()) {  // union_i
      put("join " + w[1] + " crd", output("crd"));
      const int n = static_cast<int>(out.size()) - 1;
      for (int i = 0; i < n; ++i)
        put("join " + words(graph_.node(before(id, n + i)).name)[1] + " " + w[1] + " ref",
            out[static_cast<std::size_t>(1 + i)]);
    } else if (node.is<Repeat>()) {  // repeat_B_k
      put("repeat " + w[1] + " " + w[2] + " ref", output("out"));
    } else if (node.is<Constant>()) {  // the root of a tensor, for each coordinate of a loop
      for (const std::string& tensor : readers(output("out")))
        put("repeat " + tensor + " " + words(graph_.node(before(id, 0)).name).back() + " ref",
            output("out"));
    } else if (node.is<Array>() || node.is<Alu>() || node.is<Reduce>()) {
      put(value_name(id), output("val"));
    } else if ((node.is<Accumulate>() && !followed_by_unpack(id)) || node.is<Unpack>()) {
      put(value_name(id), output("val"));
      const bool pair = node.is<Unpack>();
      put("accumulate " + result_.back() + " crd", output(pair ? "inner" : "crd"));
      if (pair) put("accumulate " + result_[result_.size() - 2] + " crd", output("outer"));
    } else if (node.is<WriteCompressed>()) {  // write_X_i
      put("write crd " + w[2], in[0]);
    } else if (node.is<WriteVals>()) {
      put("write val", in[0]);
    }
  }

  const SamGraph& graph_;
  const RunResult& run_;
  std::set<std::string> reduced_;
  std::vector<std::string> result_;  // indices of the result by level
  std::map<std::string, std::set<std::string>> scanned_;
  std::map<std::string, Stream> named_;
};

// ------------------------------------------------------------------------------------------
// comparison

/// Equal; equal without the phantoms of published unions; equal but for stops; not in our graph;
/// anything else.
enum class How : std::uint8_t { kEqual, kPhantoms, kNesting, kAbsent, kDiffers };
const char* const kHow[] = {"equal", "equal without phantoms", "equal but for stops",
                            "not in our graph", "different"};

/// A published stream with our spelling: values as bits, the value of what is absent as 0.
Stream published(const std::string& name, const std::string& text) {
  const bool values = name.starts_with("val ") || name == "write val";
  Stream stream;
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    if (word == "D")
      stream.push_back(done());
    else if (word == "N")
      stream.push_back(empty());
    else if (word[0] == 'S')
      stream.push_back(stop(static_cast<std::uint32_t>(std::stoul(word.substr(1)))));
    else if (values)
      stream.push_back(val(std::bit_cast<std::uint32_t>(std::stof(word))));
    else
      stream.push_back(val(static_cast<std::uint32_t>(std::stoul(word))));
  }
  return stream;
}

/// Where the innermost loop's coordinates are N, by element: the published union invents such an
/// element for an operand that lacks a fiber, and all streams of that loop have it.
std::vector<bool> phantoms(const json& file) {
  const std::string order = file["order"],
                    name = "join " + order.substr(order.rfind(' ') + 1) + " crd";
  std::vector<bool> list;
  if (file["streams"].contains(name))
    for (const Token t : published(name, file["streams"][name]))
      if (t.is_element()) list.push_back(t.is_empty());
  return list;
}

Stream without_phantoms(const std::string& name, const Stream& stream,
                        const std::vector<bool>& phantoms) {
  const std::size_t elements = static_cast<std::size_t>(
      std::count_if(stream.begin(), stream.end(), [](Token t) { return t.is_element(); }));
  // Neither coordinates nor what a scanner gives can be absent.
  const bool never_absent =
      name.ends_with(" crd") || name.starts_with("scan ") || name.starts_with("write crd ");
  Stream rest;
  std::size_t element = 0;
  for (const Token t : stream) {
    const bool invented = elements == phantoms.size() && t.is_element() && phantoms[element];
    const bool drop = never_absent ? t.is_empty() : invented;
    if (t.is_element()) ++element;
    if (!drop) rest.push_back(t);
  }
  return rest;
}

Stream without_stops(const Stream& stream) {
  Stream rest;
  std::copy_if(stream.begin(), stream.end(), std::back_inserter(rest),
               [](Token t) { return !t.is_stop(); });
  return rest;
}

/// A repeat signal is a coordinate stream of which only the places of elements and stops are left.
std::string repeat_signal(const Stream& stream) {
  std::string text;
  for (const Token t : stream) text += t.is_done() ? "D" : t.is_stop() ? "S " : "R ";
  return text;
}

How compare(const std::string& name, const std::string& text, const std::vector<bool>& phantoms,
            const Streams& ours, std::string& shown) {
  if (name.starts_with("repsig ")) {
    const Stream* stream = ours.find("join " + name.substr(7) + " crd");
    if (stream == nullptr) return How::kAbsent;
    shown = repeat_signal(*stream);
    return shown == text ? How::kEqual : How::kDiffers;
  }
  const Stream* found = ours.find(name);
  if (found == nullptr) return How::kAbsent;
  Stream stream = *found;
  if (name.starts_with("val "))
    for (Token& t : stream)
      if (t.is_empty()) t = val(0);
  shown = to_text(stream);
  const Stream theirs = published(name, text);
  if (stream == theirs) return How::kEqual;
  if (stream == without_phantoms(name, theirs, phantoms)) return How::kPhantoms;
  return without_stops(stream) == without_stops(theirs) ? How::kNesting : How::kDiffers;
}

/// Streams that differ for a reason. `*` at the end of a name stands for any rest.
struct Difference {
  const char* kernel;
  const char* stream;
  How how;
  const char* reason;
};
const Difference kDifferences[] = {
    {"mat_elemadd*", "*", How::kPhantoms,
     "the published union gives N for an operand without a fiber"},
    {"tensor3_elemadd", "*", How::kPhantoms,
     "the published union gives N for an operand without a fiber"},

    {"matmul_k*", "*", How::kNesting, "loops above an accumulator are flattened to one"},
    {"mat_spacc_simple", "*", How::kNesting, "loops above an accumulator are flattened to one"},
    {"tensor3_elemmul", "drop *", How::kNesting,
     "the published drop keeps the stops of fibers that it dropped"},
    {"tensor3_elemmul", "write crd *", How::kNesting,
     "the published drop keeps the stops of fibers that it dropped"},

    {"mat_identity_dense", "write crd *", How::kAbsent,
     "a dense level of the result needs no coordinates"},
    {"tensor3_identity_dense", "write crd *", How::kAbsent,
     "a dense level of the result needs no coordinates"},
    {"mat_sddmm", "scan C i *", How::kAbsent, "a dense level is located, not scanned"},
    {"mat_sddmm", "join C i ref", How::kAbsent,
     "in an outermost dense level the coordinate is the position"},
    {"mat_sddmm", "repeat D i ref", How::kAbsent,
     "in an outermost dense level the coordinate is the position"},
    {"mat_sddmm", "scan D *", How::kAbsent, "a dense level is located, not scanned"},
    {"mat_sddmm", "join D j ref", How::kAbsent,
     "in an outermost dense level the coordinate is the position"},
    {"mat_mattransmul_HAND", "repeat b i ref", How::kAbsent,
     "a scalar is repeated once, in the innermost loop"},

    {"mat_mattransmul_HAND", "write *", How::kDiffers,
     "the published reducer stores 0 for a sum of nothing"},
    {"mat_residual_HAND", "write *", How::kDiffers,
     "the published reducer stores 0 for a sum of nothing"},
};

/// Of the streams of a file, so many have to be equal (phantoms aside).
constexpr int kLeastPercent = 70;

bool fits(const char* pattern, const std::string& name) {
  const std::string p = pattern;
  return p.back() == '*' ? name.starts_with(p.substr(0, p.size() - 1)) : p == name;
}

struct Totals {
  int files = 0, streams = 0;
  std::map<How, int> counts;
};

std::string in_words(const std::map<How, int>& counts) {
  std::string text;
  for (const auto& [how, n] : counts)
    if (n > 0)
      text += (text.empty() ? "" : ", ") + std::to_string(n) + " " + kHow[static_cast<int>(how)];
  return text;
}

void check_file(const fs::path& path, Totals& totals, std::set<const Difference*>& used) {
  std::ifstream in(path);
  const json file = json::parse(in);
  const std::string kernel = file["kernel"];
  SCOPED_TRACE(path.filename().string());
  Diagnostics diag;
  const auto model = make_model(file, diag);
  ASSERT_TRUE(model) << diag.text() << model_text(file);

  // The levels of operands are stored alike.
  for (const auto& [id, list] : model->inputs) {
    const TensorDecl& decl = model->program.tensor(id);
    const json& tensor = file["tensors"][decl.name];
    if (!tensor.contains("storage")) continue;
    const Tensor packed = pack(list, decl.type, *decl.format);
    for (std::size_t l = 0; l < packed.levels.size(); ++l) {
      if (packed.levels[l].kind == LevelKind::kDense) continue;
      EXPECT_EQ(json(packed.levels[l].seg), tensor["storage"][l]["seg"]) << decl.name << l;
      EXPECT_EQ(json(packed.levels[l].crd), tensor["storage"][l]["crd"]) << decl.name << l;
    }
    std::vector<std::uint32_t> vals;
    for (const float v : tensor["vals"]) vals.push_back(std::bit_cast<std::uint32_t>(v));
    EXPECT_EQ(packed.vals, vals) << decl.name;
  }

  std::map<TensorId, Tensor> tensors;
  std::string problem;
  std::map<How, int> counts;
  const std::vector<bool> extra = phantoms(file);
  const auto visit = [&](CompiledRegion& region, const RunResult&) {
    const RunResult run = run_cycle(region.graph, region.input, Detail::kTrace);
    EXPECT_EQ(run.outcome, Outcome::kFinished) << run.problem;
    const Streams ours(region, run);
    for (const auto& [name, text] : file["streams"].items()) {
      std::string shown;
      const How how = compare(name, text, extra, ours, shown);
      ++counts[how];
      if (how == How::kEqual) continue;
      const Difference* reason = nullptr;
      for (const Difference& d : kDifferences)
        if (reason == nullptr && d.how == how && fits(d.kernel, kernel) && fits(d.stream, name))
          reason = &d;
      if (reason != nullptr)
        used.insert(reason);
      else
        ADD_FAILURE() << name << ": " << kHow[static_cast<int>(how)] << "\n  published " << text
                      << "\n  ours      " << shown;
    }
    return true;
  };
  ASSERT_TRUE(
      compile_schedule(*model, model->program.schedules[0], {}, visit, tensors, diag, problem))
      << diag.text() << problem;

  // The result is the one that numpy gave, and what the language means.
  const TensorId target = model->program.outputs[0];
  std::map<std::vector<std::uint32_t>, float> stored, right;
  const EntryList result = unpack(tensors.at(target));
  for (std::size_t n = 0; n < result.size(); ++n)
    stored[{result.entry(n).begin(), result.entry(n).end()}] = std::bit_cast<float>(result.vals[n]);
  const EntryList wanted = entries(file["tensors"][model->program.tensor(target).name], true);
  for (std::size_t n = 0; n < wanted.size(); ++n)
    right[{wanted.entry(n).begin(), wanted.entry(n).end()}] = std::bit_cast<float>(wanted.vals[n]);
  for (const auto& [at, value] : right) EXPECT_EQ(stored.contains(at) ? stored[at] : 0.0f, value);
  const auto reference = evaluate(model->program, model->inputs);
  for (std::size_t n = 0; n < wanted.size(); ++n) {
    const std::vector<std::uint32_t> at(wanted.entry(n).begin(), wanted.entry(n).end());
    EXPECT_EQ(reference.at(target).value[n], right[at]);
    if (tensors.at(target).format != TensorFormat::dense(result.rank())) {
      EXPECT_EQ(stored.contains(at), reference.at(target).present[n]);
    }
  }

  const int all = static_cast<int>(file["streams"].size());
  const int matched = counts[How::kEqual] + counts[How::kPhantoms];
  EXPECT_GE(matched * 100, all * kLeastPercent) << matched << " of " << all << " are equal";
  std::printf("%-28s %3d streams: %s\n", path.stem().c_str(), all, in_words(counts).c_str());
  ++totals.files;
  totals.streams += all;
  for (const auto& [how, n] : counts) totals.counts[how] += n;
}

TEST(Traces, EqualThePublishedOnes) {
  Totals totals;
  std::set<const Difference*> used;
  for (const fs::path& path : files()) check_file(path, totals, used);
  std::printf("%d files, %d streams: %s\n", totals.files, totals.streams,
              in_words(totals.counts).c_str());
  EXPECT_GE(totals.files, 45);
  for (const Difference& d : kDifferences)
    EXPECT_TRUE(used.contains(&d)) << "never seen: " << d.kernel << ", " << d.stream;
}

}  // namespace
}  // namespace heddle
