// A graph as a directory of SystemC that compiles and runs alone.
#pragma once

#include <map>
#include <string>

#include "compiler/sim/run.h"

namespace heddle {

struct SystemcOptions {
  std::string name;                       // of the design: letters, digits and underscores
  std::string title;                      // what it computes, one line
  std::map<NodeId, std::string> outputs;  // what a writing block stores: "crd j of Y"
  const RunResult* expected =
      nullptr;  // a run on the same input; the generated program compares with it
};

/// Files by name: the design, its host program, the headers they need, data, a Makefile, a README.
/// Registers and input memories in node order, registers of a node first, have the load targets 0,
/// 1, 2, ...; output memories and statuses in node order, memories of a node first, have the read
/// targets 0, 1, 2, ...
std::map<std::string, std::string> emit_systemc(const SamGraph& graph, const RunInput& input,
                                                const SystemcOptions& options);

}  // namespace heddle
