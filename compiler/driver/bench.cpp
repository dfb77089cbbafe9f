#include "compiler/driver/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "compiler/driver/limit.h"
#include "compiler/frontend/parse.h"
#include "compiler/netlist/netlist.h"
#include "compiler/support/check.h"
#include "systemc/run_systemc.h"
#include "testbench/run_rtl.h"

namespace heddle {
namespace {

/// The best of a few runs: what the machine can do when nothing else disturbs it.
template <class Run>
double best_seconds(Run run) {
  double best = 0, total = 0;
  for (int n = 0; n < 20 && (n < 3 || total < 0.3); ++n) {
    const double seconds = run();
    total += seconds;
    if (n == 0 || seconds < best) best = seconds;
  }
  return std::max(best, 1e-9);
}

/// Reads the text of a model again, to be timed.
void parse_again(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  Diagnostics diag;
  HEDDLE_CHECK(parse_model(diag.sources().add(path, text.str()), diag), "it parsed before");
}

/// The rows of a model with one of its schedules, together.
struct Total {
  double cycle_seconds = 0, rtl_seconds = 0, compile_ms = 0;
  double ratio() const { return rtl_seconds / cycle_seconds; }
};

std::map<std::string, Total> totals_of(const std::vector<BenchRow>& rows) {
  std::map<std::string, Total> totals;
  for (const BenchRow& r : rows) {
    Total& total = totals[fmt::format("{}, schedule {}", r.model, r.schedule)];
    total.cycle_seconds += static_cast<double>(r.cycles) / r.cycle_rate;
    total.rtl_seconds += static_cast<double>(r.cycles) / r.rtl_rate;
    total.compile_ms += r.compile_ms;
  }
  return totals;
}

std::string summary(const std::vector<BenchRow>& rows) {
  std::vector<double> ratios;
  std::pair<double, std::string> least, longest;
  for (const auto& [name, total] : totals_of(rows)) {
    if (ratios.empty() || total.ratio() < least.first) least = {total.ratio(), name};
    if (ratios.empty() || total.compile_ms > longest.first) longest = {total.compile_ms, name};
    ratios.push_back(total.ratio());
  }
  std::sort(ratios.begin(), ratios.end());
  return fmt::format(
      "C++ engine against Verilator, by schedule: median {:.1f}, least {:.1f} ({})\n"
      "Compile time from text to graph: at most {:.0f} ms ({})\n",
      ratios[ratios.size() / 2], least.first, least.second, longest.first, longest.second);
}

}  // namespace

std::vector<BenchRow> bench_schedule(const std::string& name, const Model& model,
                                     const Schedule& schedule, bool with_systemc, Diagnostics& diag,
                                     std::string& problem) {
  std::vector<BenchRow> rows;
  std::map<TensorId, Tensor> tensors;
  auto start = std::chrono::steady_clock::now();
  parse_again(name);
  const auto visit = [&](CompiledRegion& region, const RunResult&) {
    BenchRow row;
    row.model = name;
    row.schedule = schedule.name;
    row.region = region.region.name;
    row.compile_ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    RunResult run;
    const double cycle_seconds = best_seconds([&] {
      run = run_cycle(region.graph, region.input, Detail::kCycles);
      return run.seconds;
    });
    row.cycles = run.cycles;
    row.cycle_rate = static_cast<double>(run.cycles) / cycle_seconds;
    const auto busiest = busiest_block(region.graph, run);
    const std::uint64_t firings = busiest ? run.firings[index(*busiest)] : 1;
    row.per_firing = static_cast<double>(run.cycles) / static_cast<double>(firings);
    RtlOptions options;
    options.watched = false;
    RunInput input = region.input;
    input.max_cycles = run.cycles + 100000;
    const Netlist netlist = make_netlist(region.graph, input, module_name(region.region.name),
                                         "Region " + region.region.name);
    const auto rtl = build_rtl(netlist, options, problem);
    if (!rtl) return false;
    row.build_seconds = rtl->build_seconds;
    RunResult rtl_run;
    row.rtl_rate = static_cast<double>(run.cycles) / best_seconds([&] {
                     rtl_run = run_rtl(*rtl, netlist, {input}, options)[0];
                     return rtl_run.seconds;
                   });
    row.equal = rtl_run.outcome == run.outcome && rtl_run.cycles == run.cycles;
    if (with_systemc) {
      const RunResult systemc = run_systemc(region.graph, input);
      row.systemc_rate = static_cast<double>(run.cycles) / std::max(systemc.seconds, 1e-9);
      row.equal = row.equal && systemc.cycles == run.cycles;
    }
    rows.push_back(row);
    start = std::chrono::steady_clock::now();
    return true;
  };
  compile_schedule(model, schedule, {}, visit, tensors, diag, problem);
  return rows;
}

std::string bench_table(const std::vector<BenchRow>& rows) {
  std::string text =
      "| model | region | cycles | cycles a firing | C++ kcycles/s | Verilator kcycles/s | ratio | "
      "compile ms | Verilator build s |\n"
      "|---|---|---|---|---|---|---|---|---|\n";
  for (const BenchRow& r : rows) {
    text += fmt::format(
        "| {} | {} | {}{} | {:.3f} | {:.0f} | {:.0f} | {:.1f} | {:.0f} | {:.1f} |\n", r.model,
        r.region, r.cycles, r.equal ? "" : " (DIFFER)", r.per_firing, r.cycle_rate / 1e3,
        r.rtl_rate / 1e3, r.cycle_rate / r.rtl_rate, r.compile_ms, r.build_seconds);
  }
  return rows.empty() ? text : text + "\n" + summary(rows);
}

nlohmann::ordered_json bench_json(const std::vector<BenchRow>& rows) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const BenchRow& r : rows)
    json.push_back({{"model", r.model},
                    {"schedule", r.schedule},
                    {"region", r.region},
                    {"cycles", r.cycles},
                    {"equal", r.equal},
                    {"ratio", r.cycle_rate / r.rtl_rate},
                    {"cycle_rate", r.cycle_rate},
                    {"rtl_rate", r.rtl_rate},
                    {"systemc_rate", r.systemc_rate},
                    {"cycles_per_firing", r.per_firing},
                    {"compile_ms", r.compile_ms},
                    {"build_seconds", r.build_seconds}});
  return json;
}

}  // namespace heddle
