// The emitted design in a simulator with unknown values: a few blocks in Icarus Verilog, every
// transfer compared.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "testbench/lockstep.h"

namespace heddle {
namespace {
namespace fs = std::filesystem;

fs::path make_folder() {
  std::string pattern = (fs::temp_directory_path() / "heddle-icarus-XXXXXX").string();
  return mkdtemp(pattern.data()) != nullptr ? fs::path(pattern) : fs::path();
}

void write_file(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

/// A bit for each cycle, last cycle first: whether the end may move a token.
std::string allowed_bits(const Pattern& pattern, NodeId end, std::uint64_t cycles) {
  std::string bits;
  for (std::uint64_t t = cycles; t-- > 0;)
    bits += pattern.allows(static_cast<std::uint32_t>(index(end)), t) ? '1' : '0';
  return fmt::format("{}'b{}", cycles, bits);
}

/// A testbench that holds data, tokens and pauses as literals, and prints a line for each push and
/// pop of a channel.
std::string testbench(const Netlist& n, const RunInput& input, std::uint64_t cycles) {
  const SamGraph& g = n.graph;
  std::string declare, connect, load, drive;
  const auto channels = g.channel_count();
  for (const NodeId id : g.nodes()) {
    const std::string& name = g.node(id).name;
    if (!g.node(id).external()) continue;
    connect += fmt::format(
        "    .{0}_data({0}_data), .{0}_valid({0}_valid), .{0}_ready({0}_ready),\n", name);
    const bool source = !g.outputs(id).empty();
    declare += fmt::format(
        "  wire [33:0] {0}_data;\n  wire {0}_valid, {0}_ready;\n  reg [{1}:0] {0}_may;\n", name,
        cycles - 1);
    load += fmt::format("    {}_may = {};\n", name,
                        allowed_bits(source ? input.offer : input.take, id, cycles));
    if (!source) {
      declare += fmt::format("  assign {0}_ready = running && {0}_may[cycle];\n", name);
      continue;
    }
    const Stream& stream = input.streams[index(id)];
    declare += fmt::format(
        "  reg [33:0] {0}_tokens [0:{1}];\n  integer {0}_at;\n"
        "  assign {0}_data = {0}_tokens[{0}_at];\n"
        "  assign {0}_valid = running && {0}_at < {1} && {0}_may[cycle];\n",
        name, stream.size());
    load += fmt::format("    {}_at = 0;\n", name);
    for (std::size_t t = 0; t < stream.size(); ++t)
      load += fmt::format("    {}_tokens[{}] = {{2'd{}, 32'h{:x}}};\n", name, t,
                          static_cast<unsigned>(stream[t].kind), stream[t].bits);
    drive += fmt::format("      if ({0}_valid && {0}_ready) {0}_at <= {0}_at + 1;\n", name);
  }
  std::string loads;
  for (std::size_t t = 0; t < n.loads.size(); ++t) {
    const RunInput::Block& block = input.blocks[index(n.loads[t].node)];
    const auto number = static_cast<std::size_t>(n.loads[t].number);
    const std::vector<std::uint32_t> words =
        n.loads[t].is_memory ? block.memories[number]
                             : std::vector<std::uint32_t>{block.registers[number]};
    for (std::size_t a = 0; a < words.size(); ++a)
      loads += fmt::format("    put({}, {}, 32'h{:x});\n", t, a, words[a]);
  }
  return fmt::format(R"(`timescale 1ns/1ns
module bench;
  reg clk, rst, running, load_valid;
  reg [15:0] load_target;
  reg [31:0] load_addr, load_data;
  integer cycle, c;
  wire [{channels}-1:0] push, pop, head;
  wire [{channels}*34-1:0] data;
  wire [31:0] read_data;
  wire done, error;
{declare}
  {top} u_top (
    .clk(clk), .rst(rst),
{connect}    .load_valid(load_valid), .load_target(load_target), .load_addr(load_addr), .load_data(load_data),
    .read_target(16'd0), .read_addr(32'd0), .read_data(read_data),
    .probe_push(push), .probe_pop(pop), .probe_head(head), .probe_data(data),
    .done(done), .error(error)
  );
  task put(input [15:0] target, input [31:0] address, input [31:0] word);
    begin
      load_valid = 1; load_target = target; load_addr = address; load_data = word;
      #5 clk = 1; #5 clk = 0;
    end
  endtask
  initial begin
    clk = 0; rst = 1; running = 0; load_valid = 0; load_target = 0; load_addr = 0; load_data = 0; cycle = 0;
{load}
    repeat (3) begin #5 clk = 1; #5 clk = 0; end
    rst = 0;
{loads}    load_valid = 0; running = 1;
    #1;
    while (done !== 1'b1 && cycle < {cycles}) begin
      for (c = 0; c < {channels}; c = c + 1) begin
        if (push[c] !== 1'b0) $display("push %0d %0d %b", c, cycle, push[c]);
        if (pop[c] !== 1'b0) $display("pop %0d %0d %b %0d %0d", c, cycle, pop[c], data[c*34+32 +: 2], data[c*34 +: 32]);
      end
      #4 clk = 1; #5 clk = 0; #1;
    end
    $display("end %0d %b", cycle, error);
    $finish;
  end
  always @(posedge clk) if (running) begin
    cycle <= cycle + 1;
{drive}  end
endmodule
)",
                     fmt::arg("channels", channels), fmt::arg("declare", declare),
                     fmt::arg("top", n.name), fmt::arg("connect", connect), fmt::arg("load", load),
                     fmt::arg("loads", loads), fmt::arg("cycles", cycles),
                     fmt::arg("drive", drive));
}

TEST(Icarus, MakesTheSameTransfers) {
  if (std::system("iverilog -V > /dev/null 2>&1") != 0) GTEST_SKIP() << "iverilog is not installed";
  Bench bench;
  bench.add(id_of<Intersect>(), {{3}}, 2);
  bench.add(id_of<ScanCompressed>(), {}, 2);
  bench.add(id_of<Accumulate>(), {{0, 0, 7, 1}}, 1);
  bench.add(id_of<Alu>(), {{2, 0, 1}}, 2);
  bench.add(id_of<Fill>(), {{1}}, 2);
  const Netlist netlist = bench.netlist();
  const fs::path folder = make_folder();
  ASSERT_FALSE(folder.empty());
  std::string files;
  for (const LibraryFile& f : library_files(netlist)) {
    write_file(folder / f.name, f.text);
    if (f.name.ends_with(".sv")) files += " " + f.name;
  }
  write_file(folder / "top.sv", to_verilog(netlist));

  for (const Trial& trial : make_trials(7, 2)) {
    const RunInput input = bench.input(trial);
    const RunResult expected = run_stepped(bench.graph(), input, Detail::kTrace);
    ASSERT_EQ(expected.outcome, Outcome::kFinished);
    write_file(folder / "bench.sv", testbench(netlist, input, expected.cycles + 20));
    const std::string command = fmt::format(
        "cd '{}' && iverilog -g2012 -DHEDDLE_PROBE -Iinclude -s bench -o bench{} top.sv bench.sv > "
        "log 2>&1 "
        "&& vvp -n bench > out 2>> log",
        folder.string(), files);
    const int status = std::system(command.c_str());
    std::stringstream log;
    log << std::ifstream(folder / "log").rdbuf();
    ASSERT_EQ(status, 0) << log.str();

    RunResult result;
    result.trace.resize(bench.graph().channel_count());
    std::vector<std::vector<std::uint64_t>> pushes(bench.graph().channel_count());
    std::ifstream out(folder / "out");
    std::string line;
    while (std::getline(out, line)) {
      std::istringstream words(line);
      std::string what, bit;
      std::size_t channel = 0;
      std::uint64_t cycle = 0;
      words >> what;
      if (what == "end") {
        words >> result.cycles >> bit;
        EXPECT_EQ(bit, "0") << "error";
        continue;
      }
      words >> channel >> cycle >> bit;
      ASSERT_EQ(bit, "1") << "an unknown value: " << line;
      if (what == "push") {
        pushes[channel].push_back(cycle);
        continue;
      }
      std::uint32_t kind = 0, bits = 0;
      ASSERT_TRUE(words >> kind >> bits) << "an unknown token: " << line;
      auto& trace = result.trace[channel];
      ASSERT_LT(trace.size(), pushes[channel].size());
      trace.push_back({pushes[channel][trace.size()], cycle, {static_cast<Kind>(kind), bits}});
    }
    // What is left to Verilator: the other counters, memories and statuses.
    result.counters = expected.counters;
    for (std::size_t c = 0; c < result.trace.size(); ++c)
      result.counters[c].tokens = result.trace[c].size();
    result.hashes = expected.hashes;
    EXPECT_EQ(find_difference(bench, trial, "stepped", expected, "Icarus", result), "");
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace heddle
