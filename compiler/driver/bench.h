// bench: how fast the engines are, as ratios taken in one run.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "compiler/driver/pipeline.h"

namespace heddle {

/// One region of one schedule. Rates are simulated cycles per second, build time aside.
struct BenchRow {
  std::string model, schedule, region;
  std::uint64_t cycles = 0;
  double cycle_rate = 0;  // the C++ engine
  double rtl_rate = 0;    // the Verilated model, nothing watched, built with -O3
  double systemc_rate = 0;
  double build_seconds = 0;  // of the Verilated model
  double compile_ms = 0;     // from text (in the first region) to the graph with its depths, data
                             // loaded
  double per_firing = 0;     // cycles over the firings of the busiest block
  bool equal = true;         // the engines' cycles
};

/// Measures every region of a schedule of the model in file `name`; each engine runs until it has
/// taken long enough to be timed.
std::vector<BenchRow> bench_schedule(const std::string& name, const Model& model,
                                     const Schedule& schedule, bool with_systemc, Diagnostics& diag,
                                     std::string& problem);

/// A Markdown table. Below it the ratios and compile times of schedules, all their regions
/// together: the median and least ratio, the greatest compile time.
std::string bench_table(const std::vector<BenchRow>& rows);
nlohmann::ordered_json bench_json(const std::vector<BenchRow>& rows);

}  // namespace heddle
