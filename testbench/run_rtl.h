// The RTL engine: emits a netlist, builds it with Verilator (once per content), and runs it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "compiler/netlist/netlist.h"
#include "compiler/sim/run.h"

namespace heddle {

struct RtlOptions {
  bool watched = true;  // per-channel counters and hashes; off for speed measurements
  std::vector<std::string> mutations;  // sed-like "file:from:to" for tests of the tests
  std::optional<int> x_seed;           // random initial values instead of zeros
};

struct RtlModel {
  std::filesystem::path program;
  double build_seconds = 0;  // 0 if it was there
};

/// Builds the design, or finds it in the cache ($HEDDLE_CACHE, else ~/.cache/heddle). On failure:
/// nothing, and the tool's output in `problem`.
std::optional<RtlModel> build_rtl(const Netlist& netlist, const RtlOptions& options,
                                  std::string& problem);

/// Runs the model on each input, without a reset in between.
std::vector<RunResult> run_rtl(const RtlModel& model, const Netlist& netlist,
                               const std::vector<RunInput>& inputs, const RtlOptions& options,
                               Detail detail = Detail::kTotals);

}  // namespace heddle
