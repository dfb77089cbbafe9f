// Writes the SystemVerilog that the arithmetic tests simulate.
//
//   write_bench units                  every unit on shared operands, combinational and pipelined
//   write_bench vectors OPS COUNT      a self-checking test of some units, for any simulator
//
// Names and latencies come from arithmetic.h, so the modules must agree with it to elaborate.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "tests/arithmetic/stimulus.h"
#include "tests/arithmetic/units.h"

namespace heddle {
namespace {

void write_instance(const Unit& unit, int stages, const std::string& instance,
                    const std::string& y) {
  std::printf("  %s #(.Op(\"%s\"), .Type(\"%s\"), .Stages(%d)) %s (.clk, .a, %s.y(%s));\n",
              unit.binary ? "sam_binary" : "sam_unary", unit.op().c_str(),
              std::string(name(unit.type)).c_str(), stages, instance.c_str(),
              unit.binary ? ".b, " : "", y.c_str());
}

void write_units() {
  const std::vector<Unit> units = all_units();
  const std::size_t count = units.size();
  std::printf(
      "module arithmetic_bench (\n  input  logic clk,\n  input  logic [31:0] a,\n"
      "  input  logic [31:0] b,\n  output logic [%zu:0] now,\n  output logic [%zu:0] later\n);\n",
      32 * count - 1, 32 * count - 1);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string index = std::to_string(i);
    const std::string word = "[" + std::to_string(32 * i) + " +: 32]";
    write_instance(units[i], 0, "u_now_" + index, "now" + word);
    write_instance(units[i], units[i].stages(), "u_later_" + index, "later" + word);
  }
  std::printf("endmodule\n");
}

void write_vectors(std::string_view ops, int count) {
  std::vector<Unit> units;
  for (const Unit& unit : all_units()) {
    if (unit.type == ValueType::kF32 &&
        ("," + std::string(ops) + ",").find("," + unit.op() + ",") != std::string::npos) {
      units.push_back(unit);
    }
  }
  std::printf(
      "`timescale 1ns/1ns\nmodule arithmetic_vectors;\n"
      "  logic clk;\n  logic [31:0] a, b;\n  int failures;\n");
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::string index = std::to_string(i);
    std::printf("  logic [31:0] y%zu;\n", i);
    write_instance(units[i], units[i].stages(), "u_" + index, "y" + index);
  }
  std::printf(
      "  task cycle(input logic [31:0] next_a, input logic [31:0] next_b);\n"
      "    begin a = next_a; b = next_b; #1 clk = 1; #1 clk = 0; end\n  endtask\n"
      "  task check(input logic [31:0] got, input logic [31:0] expected, input int unit);\n"
      "    if (got !== expected) begin\n      failures = failures + 1;\n"
      "      $display(\"unit %%0d at %%0t: %%h instead of %%h\", unit, $time, got, expected);\n"
      "    end\n  endtask\n"
      "  initial begin\n    clk = 0;\n    failures = 0;\n");
  Stimulus stimulus(7);
  std::vector<Operands> sent;
  for (int n = 0; n < count; ++n) {
    sent.push_back(stimulus.next());
    std::printf("    cycle(32'h%08x, 32'h%08x);\n", sent.back().a, sent.back().b);
    for (std::size_t i = 0; i < units.size(); ++i) {
      const int from = n + 1 - units[i].stages();
      if (from < 0 || from >= count || units[i].stages() == 0) continue;
      const Operands& pair = sent[static_cast<std::size_t>(from)];
      std::printf("    check(y%zu, 32'h%08x, %zu);\n", i, units[i].expect(pair.a, pair.b), i);
    }
  }
  std::printf(
      "    if (failures == 0) $display(\"all %d vectors agree\");\n    $finish;\n  end\n"
      "endmodule\n",
      count);
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) {
  const std::vector<std::string_view> args(argv + 1, argv + argc);
  if (args.size() == 1 && args[0] == "units") {
    heddle::write_units();
  } else if (args.size() == 3 && args[0] == "vectors") {
    heddle::write_vectors(args[1], std::atoi(argv[3]));
  } else {
    std::fprintf(stderr, "usage: write_bench units | vectors OPS COUNT\n");
    return 2;
  }
  return 0;
}
