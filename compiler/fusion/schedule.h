// Regions: which statements become one graph, and what the schedule says about each.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/fusion/fused_einsum.h"

namespace heddle {

/// How deep a channel is to be.
struct DepthRule {
  enum class Kind : std::uint8_t {
    kAuto,   // so deep that no cycles are lost
    kLeast,  // so deep that nothing deadlocks
    kGiven
  };
  Kind kind = Kind::kAuto;
  int tokens = 0;  // kGiven
  static DepthRule given(int tokens) { return {Kind::kGiven, tokens}; }
};

struct Region {
  std::string name;  // "T1+H"
  std::vector<std::size_t> statements;
  std::vector<std::string> order;  // wanted loop order, possibly partial
  std::vector<SourceRange> order_ranges;
  std::vector<std::string> skip;                      // indices at which scanners may leap
  std::vector<std::pair<std::string, int>> parallel;  // indices as written, and lanes
  std::vector<BlockRule> blocks;                      // indices that are cut into tiles
  std::vector<TensorId> keep;                         // intermediates that are kept on chip
  DepthRule depth;                                    // of every channel, but
  std::map<std::string, DepthRule> depth_of;          // by tensor: those that carry it
  SourceRange range;
};

/// The tensors a region must store: outputs of the model, and what other statements read.
std::vector<TensorId> stored_by(const EinsumProgram& program, const Region& region);

/// The regions of a schedule in the order in which they run. Errors: `schedule-unsupported`.
std::optional<std::vector<Region>> plan_regions(const EinsumProgram& program,
                                                const Schedule& schedule, Diagnostics& diag);

}  // namespace heddle
