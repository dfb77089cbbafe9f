// Netlist: an elastic graph with everything that a hardware description needs and a graph does not
// have: final names, memory sizes, and the addresses at which the host loads and reads. Writers
// only print it.
#pragma once

#include <string>
#include <vector>

#include "compiler/graph/sam_graph.h"
#include "compiler/sim/run.h"

namespace heddle {

/// A place the host writes before a run: a register, or a memory.
struct LoadTarget {
  NodeId node{};
  bool is_memory = false;
  int number = 0;  // of the register or memory in its row
};
/// A place the host reads after a run: an output memory, or a status register.
struct ReadTarget {
  NodeId node{};
  bool is_memory = false;
  int number = 0;
};

struct Netlist {
  std::string name;   // of the top module
  std::string title;  // what it computes, for the header comment
  SamGraph graph;
  std::vector<std::vector<std::uint32_t>> capacity;  // words of each memory, by node
  std::vector<LoadTarget> loads;  // number = load_target; node order, registers first
  std::vector<ReadTarget> reads;  // number = read_target; node order, memories first
  std::vector<std::pair<std::string, std::string>>
      renamed;  // blocks and channels: name in `graph` before, and now
};

/// Words of each memory, by node, that hold at least what `input` needs: the next power of two, 64
/// or more.
std::vector<std::vector<std::uint32_t>> memory_sizes(const SamGraph& graph, const RunInput& input);

/// With memories of these sizes.
Netlist make_netlist(const SamGraph& graph, const RunInput& input, std::string name,
                     std::string title);

/// The top module in the SystemVerilog subset of the block library.
std::string to_verilog(const Netlist& netlist);
/// Glue for the C++ harness: which pin of the Verilated model is which.
std::string to_harness_header(const Netlist& netlist);

/// Renames what could not stand in Verilog as it is: characters, length, names that would meet
/// others.
void make_names_legal(Netlist& netlist);

/// A legal module name made of any text: "heddle_" and its letters, digits and underscores.
std::string module_name(const std::string& text);

/// Files of the library that the top module needs, in compile order: name (path below rtl/) and
/// text.
struct LibraryFile {
  std::string name;
  std::string text;
};
std::vector<LibraryFile> library_files(const Netlist& netlist);
/// A file built into this program by its path in the repository ("testbench/harness.h"); aborts if
/// there is none.
const std::string& embedded_file(const std::string& path);

}  // namespace heddle
