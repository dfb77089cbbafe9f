// The SystemC engine: a graph as modules, simulated by the SystemC kernel.
#pragma once

#include "compiler/sim/run.h"

namespace heddle {

/// Exact cycles, as run_cycle, by modules and signals. Each run is a process of its own, because
/// the kernel can elaborate only one design in the life of a process.
RunResult run_systemc(const SamGraph& graph, const RunInput& input,
                      Detail detail = Detail::kTotals);

}  // namespace heddle
