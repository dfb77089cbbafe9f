// Blocks alone, in every engine and in the RTL: each transfer on each port must happen in the same
// cycle.
//
// A bench is one graph of many islands, each a block with its channels and external ends. One RTL
// model of it serves any number of trials, because data comes through load ports and streams; the
// trials follow each other without a reset, so they also show that the end of a run leaves every
// block as it was at the start.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/graph/sam_graph.h"
#include "compiler/sim/run.h"
#include "testbench/run_rtl.h"
#include "testbench/stimulus.h"

namespace heddle {

/// How the outside world offers and takes tokens.
enum class Traffic : std::uint8_t { kSteady, kGaps, kBackPressure, kBoth };
inline constexpr std::array kAllTraffic{Traffic::kSteady, Traffic::kGaps, Traffic::kBackPressure,
                                        Traffic::kBoth};
std::string_view to_text(Traffic traffic);

struct Trial {
  std::uint64_t seed = 0;
  Traffic traffic = Traffic::kSteady;
};
/// Every traffic with each of the seeds first .. first + count - 1.
std::vector<Trial> make_trials(std::uint64_t first, int count);

struct Island {
  PrimitiveId row{};
  Params params;
  int depth = 0;  // of its channels; 0: as the compiler makes them
  NodeId node{};
  std::vector<NodeId> sources;      // by input port
  std::vector<ChannelId> channels;  // inputs first
};

class Bench {
 public:
  void add(PrimitiveId row, const Params& params, int depth);
  /// Every parameter set of the row in the stimulus table.
  void add_all(PrimitiveId row, int depth);
  /// Every row; where a row has many parameter sets, all of them for depth 0 and a third each for
  /// the others.
  void add_all(int depth);

  const SamGraph& graph() const { return graph_; }
  const std::vector<Island>& islands() const { return islands_; }
  Netlist netlist() const;
  RunInput input(const Trial& trial) const;
  /// "union n=3, depth 2".
  std::string describe(const Island& island) const;

 private:
  SamGraph graph_;
  std::vector<Island> islands_;
};

/// The first difference between two runs of a bench in words, earliest cycle first; empty if there
/// is none.
std::string find_difference(const Bench& bench, const Trial& trial, std::string_view name_a,
                            const RunResult& a, std::string_view name_b, const RunResult& b);

/// Runs the trials in run_stepped and in run_cycle and, if asked for, SystemC; the first
/// difference.
std::string compare_engines(const Bench& bench, const std::vector<Trial>& trials, bool systemc);
/// Runs the trials in run_stepped and, one after the other, in the RTL; the first difference.
std::string compare_rtl(const Bench& bench, const std::vector<Trial>& trials,
                        const RtlOptions& options);

/// Ways to fire, by row: "crd_in:v val_in:N > crd:v". Ports in row order, operands of a repeated
/// port together; kinds v (value), N, S (the stop of an innermost fiber), T (a stop further out),
/// D.
using Firings = std::map<std::string, std::set<std::string>, std::less<>>;
/// Adds those of a run with its trace.
void add_firings(const Bench& bench, const RunResult& result, Firings& firings);

}  // namespace heddle
