// What a design takes on a chip, estimated from blocks that were measured each alone (rtl/AREA.md,
// which scripts/area.sh writes): for comparisons between designs, not in place of synthesis.
#pragma once

#include <string>
#include <vector>

#include "compiler/netlist/netlist.h"

namespace heddle {

/// On a Lattice iCE40: tables of four inputs, and memories of 4096 bits.
struct Area {
  std::uint64_t lookup_tables = 0;
  std::uint64_t registers = 0;
  std::uint64_t memories = 0;
};

struct AreaEstimate {
  Area blocks, channels,
      memories;  // memories: those beside the blocks, which the host loads or reads
  std::vector<std::string> unmeasured;  // rows of the table that are missing, sorted: not counted

  Area total() const;
};

/// `sizes`: see memory_sizes.
AreaEstimate estimate_area(const SamGraph& graph,
                           const std::vector<std::vector<std::uint32_t>>& sizes);

}  // namespace heddle
