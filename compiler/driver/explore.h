// explore: the loop orders of a model's regions, predicted and simulated.
#pragma once

#include <string>
#include <vector>

#include "compiler/driver/pipeline.h"

namespace heddle {

struct ExploredOrder {
  std::vector<std::string> order;
  double predicted = 0;      // steps
  std::uint64_t cycles = 0;  // of the cycle engine; 0 with a problem
  std::uint64_t words_read = 0;
  std::uint64_t words_written = 0;
  std::size_t blocks = 0;
  std::size_t channels = 0;
  int copies = 0;  // permuted copies that it needs
  std::string problem;
};

struct ExploredRegion {
  std::string name;
  double legal = 1;                  // orders of the region: copies make any of them fit
  std::size_t orders = 0;            // of these, looked at
  std::size_t as_stored = 0;         // of those, without permuted copies
  std::vector<ExploredOrder> tried;  // fewest cycles first
  std::vector<std::string> chosen;   // by default
};

/// Runs the `most` orders of each region that promise most, one after the other.
std::optional<std::vector<ExploredRegion>> explore(const Model& model, const Schedule& schedule,
                                                   std::size_t most, Diagnostics& diag,
                                                   std::string& problem);

std::string explore_text(const std::vector<ExploredRegion>& regions);

}  // namespace heddle
