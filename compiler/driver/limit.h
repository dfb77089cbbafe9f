// Why a region takes more cycles than its busiest block has firings.
#pragma once

#include <optional>
#include <string>

#include "compiler/sim/run.h"

namespace heddle {

/// The block that fires most often, the first of several; none if nothing fired.
std::optional<NodeId> busiest_block(const SamGraph& graph, const RunResult& run);

/// What keeps the busiest block from firing in every cycle.
struct Limit {
  enum class Kind : std::uint8_t {
    kTokens,  // `channel` is empty: `block` does not fill it
    kRoom,    // `channel` is full: `block` does not empty it
    kOthers,  // `block`, the busiest of those that end later, goes on alone
  };
  Kind kind{};
  std::string busiest;
  std::string channel;  // kTokens, kRoom
  std::string block;
  std::uint64_t cycles = 0;  // lost to it
};

/// From the counters of a run of the cycle engine, which knows when blocks end; none of another.
/// Where the busiest block lacks tokens because another lacks some, the first in that row is named.
/// `roomy`: channels are so deep that more would gain nothing, so none is to blame for being full.
std::optional<Limit> find_limit(const SamGraph& graph, const RunResult& run, bool roomy);

/// "mul_y waits 12 cycles for tokens of 'load_x_val' from load_x"
std::string to_text(const Limit& limit);

}  // namespace heddle
