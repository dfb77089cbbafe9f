#include "compiler/driver/standalone.h"

#include <algorithm>
#include <stdexcept>

#include "compiler/netlist/netlist.h"
#include "compiler/support/check.h"
#include "systemc/emit.h"

namespace heddle {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

/// A template of testbench/design/ with each @FIELD@ replaced.
std::string fill(const std::string& name, const Fields& fields) {
  std::string text = embedded_file("testbench/design/standalone_" + name);
  for (const auto& [field, value] : fields) {
    const std::string mark = "@" + field + "@";
    for (std::size_t at = text.find(mark); at != std::string::npos;
         at = text.find(mark, at + value.size()))
      text.replace(at, mark.size(), value);
  }
  return text;
}

/// "y[i] = sum(j: mul(A[i, j], X[j]))"
std::string statement_text(const FusedEinsum& einsum) {
  // Names of tensors are all that is printed of a program.
  EinsumProgram names;
  std::size_t count = 0;
  for (const FusedResult& r : einsum.results)
    count = std::max(count, static_cast<std::size_t>(r.tensor) + 1);
  for (const View& v : einsum.views)
    count = std::max(count, static_cast<std::size_t>(v.tensor) + 1);
  names.tensors.resize(count);
  for (const FusedResult& r : einsum.results) names.tensor(r.tensor).name = einsum.name;
  const std::string text = to_text(einsum, names);
  return text.substr(0, text.find('\n'));
}

/// Words as $readmemh reads them.
std::string hex_lines(const std::vector<std::uint32_t>& words) {
  std::string text;
  for (const std::uint32_t word : words) text += fmt::format("{:08x}\n", word);
  return text;
}

/// The folder data/: what is loaded before a run and what is read after it, by target.
std::vector<OutputFile> data_files(const Netlist& netlist, const RunInput& input,
                                   const RunResult& expected, std::uint64_t cycles) {
  std::vector<OutputFile> files;
  std::string loads, reads;
  const auto memory = [&](std::string& list, std::size_t target, const std::string& node,
                          std::string_view name, const char* extension,
                          const std::vector<std::uint32_t>& words) {
    const std::string file = fmt::format("{}_{}.{}", node, name, extension);
    list += fmt::format("{} @ {} # {}.{}\n", target, file, node, name);
    files.push_back({"data/" + file, hex_lines(words)});
  };
  const auto word = [&](std::string& list, std::size_t target, const std::string& node,
                        std::string_view name, std::uint32_t value) {
    list += fmt::format("{} = {:08x} # {}.{}\n", target, value, node, name);
  };
  for (std::size_t t = 0; t < netlist.loads.size(); ++t) {
    const LoadTarget& load = netlist.loads[t];
    const Node& node = netlist.graph.node(load.node);
    const PrimitiveSpec& spec = spec_of(*node.primitive);
    const RunInput::Block& block = input.blocks[index(load.node)];
    const auto n = static_cast<std::size_t>(load.number);
    if (load.is_memory)
      memory(loads, t, node.name, spec.memories[n].name, "hex", block.memories[n]);
    else
      word(loads, t, node.name, spec.registers[n].name, block.registers[n]);
  }
  for (std::size_t t = 0; t < netlist.reads.size(); ++t) {
    const ReadTarget& read = netlist.reads[t];
    const Node& node = netlist.graph.node(read.node);
    const PrimitiveSpec& spec = spec_of(*node.primitive);
    const auto n = static_cast<std::size_t>(read.number);
    if (read.is_memory)
      memory(reads, t, node.name, spec.memories[n].name, "expected",
             expected.memories[index(read.node)][n]);
    else
      word(reads, t, node.name, spec.statuses[n].name, expected.statuses[index(read.node)][n]);
  }
  files.push_back({"data/loads.txt", loads});
  files.push_back({"data/expected.txt", reads});
  files.push_back({"data/cycles.txt", fmt::format("{}\n", cycles)});
  return files;
}

/// The testbenches drive one source, root, with the tokens 0 and D.
void check_ends(const CompiledRegion& region) {
  for (const NodeId id : region.graph.nodes())
    HEDDLE_CHECK(!region.graph.node(id).external() ||
                     region.input.streams[index(id)] == (Stream{val(0), done()}),
                 "'{}' is not a source of 0 and D", region.graph.node(id).name);
}

/// What the testbenches must count. A design that does not come to an end is not written.
std::uint64_t cycles_of(const CompiledRegion& region) {
  const RunResult run = run_cycle(region.graph, region.input);
  if (run.outcome != Outcome::kFinished)
    throw std::runtime_error(
        fmt::format("region '{}' does not come to an end: {}", region.region.name, run.problem));
  return run.cycles;
}

}  // namespace

std::vector<OutputFile> standalone_verilog(const CompiledRegion& region,
                                           const RunResult& expected) {
  check_ends(region);
  const std::string what = statement_text(region.einsum);
  const Netlist netlist =
      make_netlist(region.graph, region.input, module_name(region.region.name), what);
  const SamGraph& graph = netlist.graph;
  const std::uint64_t cycles = cycles_of(region);

  std::vector<OutputFile> files;
  std::string sources, names, waiting;
  for (const LibraryFile& f : library_files(netlist)) {
    files.push_back({f.name, f.text});
    if (f.name.ends_with(".sv")) sources += f.name + " \\\n  ";
  }
  sources += netlist.name + ".sv";
  for (const ChannelId c : graph.channels()) {
    const std::string& name = graph.channel(c).name;
    names += fmt::format("{}    \"{}\",", names.empty() ? "" : "\n", name);
    waiting +=
        fmt::format("{0}    if (probe_head[{1}]) waiting(\"{2}\", probe_data[{3}:{4}]);",
                    waiting.empty() ? "" : "\n", index(c), name, index(c) * 34 + 33, index(c) * 34);
  }
  const Fields fields{{"TOP", netlist.name},
                      {"WHAT", what},
                      {"CYCLES", std::to_string(cycles)},
                      {"CHANNELS", std::to_string(graph.channel_count())},
                      {"BLOCKS", std::to_string(graph.node_count() - 1)},
                      {"SOURCES", sources},
                      {"NAMES", names},
                      {"WAITING", waiting}};
  files.push_back({netlist.name + ".sv", to_verilog(netlist)});
  files.push_back({netlist.name + "_tb.sv", fill("tb.sv", fields)});
  files.push_back({netlist.name + "_pnr.sv", fill("pnr.sv", fields)});
  files.push_back({"slowest_path.awk", fill("slowest_path.awk", fields)});
  files.push_back({"sim_main.cpp", fill("main.cpp", fields)});
  files.push_back({"Makefile", fill("Makefile", fields)});
  files.push_back({"README.md", fill("README.md", fields)});
  files.push_back({"lint/waivers.vlt", embedded_file("rtl/lint/waivers.vlt")});
  for (OutputFile& file : data_files(netlist, region.input, expected, cycles))
    files.push_back(std::move(file));
  return files;
}

std::vector<OutputFile> standalone_systemc(const CompiledRegion& region,
                                           const RunResult& expected) {
  check_ends(region);
  SystemcOptions options;
  options.name = module_name(region.region.name);
  options.title = statement_text(region.einsum);
  // The generated program compares results; the cycles are those of a timed run.
  RunResult compared = expected;
  compared.cycles = cycles_of(region);
  options.expected = &compared;
  std::vector<OutputFile> files;
  for (auto& [name, text] : emit_systemc(region.graph, region.input, options))
    files.push_back({name, std::move(text)});
  return files;
}

}  // namespace heddle
