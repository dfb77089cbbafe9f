// The SystemC engine: a graph as modules, simulated by the SystemC kernel.
#pragma once

#include <string>

#include "compiler/sim/run.h"

namespace heddle {

/// Exact cycles, as run_cycle, by modules and signals. Each run is a process of its own, because
/// the kernel can elaborate only one design in the life of a process.
RunResult run_systemc(const SamGraph& graph, const RunInput& input,
                      Detail detail = Detail::kTotals);

/// The same while the caller does something else, which may also drop the graph and the input.
class SystemcRun {
 public:
  SystemcRun(const SamGraph& graph, const RunInput& input, Detail detail);
  /// Stops the process, if its result was not taken.
  ~SystemcRun();
  SystemcRun(const SystemcRun&) = delete;
  SystemcRun& operator=(const SystemcRun&) = delete;

  /// Waits for the end. To be called once.
  RunResult result();

 private:
  int wait();  // for the exit status

  int child_ = -1;
  int from_child_ = -1;
  std::string problem_;  // if there is no child
};

}  // namespace heddle
