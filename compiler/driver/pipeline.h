// The pipeline from a model to runs: plans regions, compiles each, runs it in the chosen engines,
// compares.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compiler/driver/limit.h"
#include "compiler/einsum/evaluate.h"
#include "compiler/frontend/parse.h"
#include "compiler/fusion/bypasses.h"
#include "compiler/fusion/fusion_table.h"
#include "compiler/fusion/schedule.h"
#include "compiler/netlist/area.h"
#include "compiler/sim/run.h"

namespace heddle {

enum class Engine : std::uint8_t { kFunctional, kCycle, kSystemc, kRtl };
const char* name(Engine engine);

/// A channel that is deeper than its place in the graph asks for, and what it would be with less.
struct DeepChannel {
  ChannelId channel{};
  std::string name;
  int depth = 0;
  int deadlocks_with = 0;        // so many places; 0: with what its place asks for it does not
  int loses_with = 0;            // so many places; 0: loses nothing
  std::uint64_t lost = 0;        // cycles
  bool tried = true;             // else perhaps less would do
  std::optional<Bypass> bypass;  // what it holds, if that follows from the graph
  std::string former;            // the block of the bypass
};

/// A region compiled for the data at hand.
struct CompiledRegion {
  Region region;
  FusedEinsum einsum;
  FusionTable table;
  SamGraph graph;                      // elastic
  RunInput input;                      // with the data, capacities found by an untimed run
  std::vector<DeepChannel> deep;       // the deepest first
  std::uint64_t unbounded_cycles = 0;  // with channels that are never full; 0: not measured
  std::optional<RunResult> timed;      // by the cycle engine, if it ran with these depths and data
};

struct EngineRun {
  Engine engine{};
  RunResult result;
  double build_seconds = 0;
  bool not_built = false;  // the RTL

  /// Whether it counted cycles.
  bool timed() const { return engine != Engine::kFunctional && !not_built; }
};

struct RegionReport {
  std::string name;
  std::vector<std::string> statements;
  std::vector<std::string> remarks;
  std::vector<DeepChannel> deep;
  std::uint64_t unbounded_cycles = 0;
  std::vector<EngineRun> runs;
  bool cycles_equal = true;
  bool values_equal = true;
  std::string difference;    // the first one, for people
  std::uint64_t cycles = 0;  // of the timed engines
  std::uint64_t flops = 0;
  std::uint64_t words_read = 0;
  std::uint64_t words_written = 0;
  std::size_t blocks = 0;
  std::size_t channels = 0;
  AreaEstimate area;
  std::string busiest;
  std::uint64_t busiest_firings = 0;
  std::optional<Limit> limit;  // why it does not fire in every cycle, if that is known
  std::vector<std::pair<std::string, ChannelCounters>> counters;
};

struct OutputReport {
  std::string name;
  std::uint64_t stored = 0;
  double max_abs_error = 0;
  double bound = 0;  // at the position of the greatest error
  bool within_bound = true;
  std::string difference;
};

enum class ScheduleState : std::uint8_t { kOk, kBadInput, kDisagree, kDeadlock };

struct ScheduleReport {
  std::string name;
  ScheduleState state = ScheduleState::kOk;
  std::string problem;  // a deadlock or fault, for people
  // All regions together.
  std::uint64_t cycles = 0;
  std::uint64_t flops = 0;
  std::uint64_t words_read = 0;
  std::uint64_t words_written = 0;
  std::vector<RegionReport> regions;
  std::vector<OutputReport> outputs;
};

/// A model with its data.
struct Model {
  EinsumProgram program;
  std::map<TensorId, EntryList> inputs;
};
std::optional<Model> load_model(const std::string& path, const DataOptions& options,
                                Diagnostics& diag);

struct RunOptions {
  std::vector<Engine> engines;
  std::optional<DepthRule> depth;  // of every channel, over the schedule
  bool inspect = false;  // the compiled graph is all that is wanted: it is seen before it runs
  std::function<void(const std::string&)> progress;  // may be empty
};

/// Runs one schedule. `reference` may be null. Outputs come back by tensor.
ScheduleReport run_schedule(const Model& model, const Schedule& schedule, const RunOptions& options,
                            const std::map<TensorId, ReferenceTensor>* reference,
                            std::map<TensorId, Tensor>& outputs, Diagnostics& diag);

/// Format and number of stored values of each tensor, by TensorId.
std::vector<TensorStatistics> statistics_of(const Model& model,
                                            const std::map<TensorId, Tensor>& tensors);

/// A region as an elastic graph with its data; output memories are without limit.
std::optional<CompiledRegion> compile_region(const Model& model, const Region& region,
                                             const std::map<TensorId, Tensor>& tensors,
                                             const RunOptions& options, Diagnostics& diag);

/// Runs a region untimed; sets the capacities of its output memories.
std::optional<RunResult> run_untimed(CompiledRegion& compiled, std::string& problem);

/// Compiles the regions of a schedule one after another (running each untimed, for the data of the
/// next) and calls visit. False after an error.
bool compile_schedule(const Model& model, const Schedule& schedule, const RunOptions& options,
                      const std::function<bool(CompiledRegion&, const RunResult& untimed)>& visit,
                      std::map<TensorId, Tensor>& tensors, Diagnostics& diag, std::string& problem);

/// A result tensor of a region from the memories of a run, as declared.
Tensor collect_result(const CompiledRegion& region, const RunResult& run, std::size_t number);

}  // namespace heddle
