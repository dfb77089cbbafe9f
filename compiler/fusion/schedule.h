// Regions: which statements become one graph, and what the schedule says about each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/einsum/einsum_program.h"

namespace heddle {

struct Region {
  std::string name;  // "T1+H"
  std::vector<std::size_t> statements;
  std::vector<std::string> order;  // wanted loop order, possibly partial
  std::vector<SourceRange> order_ranges;
  std::vector<std::string> skip;  // indices at which scanners may leap
  std::vector<TensorId> keep;     // intermediates that are kept on chip
  std::optional<int> depth;       // of every channel; none: balanced
  SourceRange range;
};

/// The tensors a region must store: outputs of the model, and what other statements read.
std::vector<TensorId> stored_by(const EinsumProgram& program, const Region& region);

/// The regions of a schedule in the order in which they run. Errors: `schedule-unsupported`.
std::optional<std::vector<Region>> plan_regions(const EinsumProgram& program,
                                                const Schedule& schedule, Diagnostics& diag);

}  // namespace heddle
