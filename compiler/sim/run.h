// What an engine is given beside the graph, and what it gives back. All engines, the RTL harness
// too, take and give these; a cross-check is a comparison of two RunResults.
//
// Time: cycle 0 is the first clock edge at which a source may push. A run takes as many cycles as
// there are edges up to and including the one at which the last stream ends (its D is taken).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/sam_graph.h"

namespace heddle {

/// When the outside world offers or takes tokens: in cycle t if a hash of (seed, channel, t)
/// allows.
struct Pattern {
  std::uint64_t seed = 0;
  int percent = 100;  // of the cycles
  bool allows(std::uint32_t end, std::uint64_t cycle) const {
    if (percent >= 100) return true;
    std::uint64_t x = seed * 0x9e3779b97f4a7c15u + end * 0xd1b54a32d192ed03u + cycle;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return static_cast<int>((x ^ (x >> 31)) % 100) < percent;
  }
};

/// The data of one run, by node: everything the host loads.
struct RunInput {
  struct Block {
    std::vector<std::uint32_t> registers;
    std::vector<std::vector<std::uint32_t>> memories;  // contents of input memories
    std::vector<std::uint32_t> capacity;               // words of each memory (outputs: at most)
  };
  std::vector<Block> blocks;     // by NodeId
  std::vector<Stream> streams;   // by NodeId: tokens of an external source
  Pattern offer;                 // external sources
  Pattern take;                  // external sinks
  std::uint64_t max_cycles = 0;  // 0: no limit; a guard for engines that step
};

struct ChannelCounters {
  std::uint64_t tokens = 0;   // tokens taken out
  std::uint64_t busy = 0;     // cycles with a token at the head
  std::uint64_t stalled = 0;  // busy cycles in which it was not taken
  std::uint64_t starved = 0;  // cycles without
  friend bool operator==(const ChannelCounters&, const ChannelCounters&) = default;
};

/// One transfer out of a channel.
struct TraceEvent {
  std::uint64_t pushed = 0;
  std::uint64_t popped = 0;
  Token token;
  friend bool operator==(const TraceEvent&, const TraceEvent&) = default;
};

enum class Outcome : std::uint8_t { kFinished, kDeadlock, kFault, kTimeout };

struct RunResult {
  Outcome outcome = Outcome::kFinished;
  std::string problem;  // for people, if not finished
  Fault fault = Fault::kNone;
  NodeId fault_node{};
  std::vector<std::uint32_t> fill;  // by ChannelId: tokens left in each channel, if deadlocked
  std::uint64_t cycles = 0;
  std::vector<std::uint64_t> firings;     // by NodeId
  std::vector<std::uint64_t> active;      // by NodeId: cycles up to its last firing (run_cycle)
  std::vector<ChannelCounters> counters;  // by ChannelId
  std::vector<std::uint64_t> most;        // by ChannelId: see kUnbounded
  std::vector<std::uint64_t> hashes;      // by ChannelId: of (push, pop, token) of every transfer
  std::vector<std::vector<TraceEvent>> trace;  // by ChannelId, if asked for
  std::vector<Stream> streams;                 // by NodeId: what external sinks took
  std::vector<std::vector<std::vector<std::uint32_t>>> memories;  // by NodeId: output memories
  std::vector<std::vector<std::uint32_t>> statuses;               // by NodeId
  std::uint64_t words_read = 0;
  std::uint64_t words_written = 0;
  double seconds = 0;  // of the run alone: data is loaded before, results are read after it
};

/// How closely channels are watched: tokens are counted; all counters and a hash of all transfers;
/// also the transfers.
enum class Detail : std::uint8_t { kCycles, kTotals, kTrace };

/// The hash that `hashes` holds, one transfer at a time.
constexpr std::uint64_t hash_transfer(std::uint64_t hash, std::uint64_t popped, Token token) {
  hash ^= popped * 0x9e3779b97f4a7c15u +
          (std::uint64_t{static_cast<std::uint32_t>(token.kind)} << 32) + token.bits;
  hash = (hash ^ (hash >> 29)) * 0xbf58476d1ce4e5b9u;
  return hash ^ (hash >> 32);
}

/// Untimed: unbounded channels, no cycles. For values alone.
RunResult run_functional(const SamGraph& graph, const RunInput& input,
                         Detail detail = Detail::kTotals);
/// Exact cycles by a time per token: blocks run ahead through bursts, there is no clock.
RunResult run_cycle(const SamGraph& graph, const RunInput& input, Detail detail = Detail::kTotals);
/// A depth that no run fills. `most` says how many places run_cycle saw in use at once in each
/// channel that has it: with no more than those, every token moves in the same cycle.
constexpr int kUnbounded = 1 << 24;
/// Exact cycles by stepping a clock: slow and plain, the oracle for run_cycle.
RunResult run_stepped(const SamGraph& graph, const RunInput& input,
                      Detail detail = Detail::kTotals);

/// A block that waits for another: for room in a full channel, or for a token from an empty one.
struct Wait {
  NodeId on{};
  ChannelId channel{};
  bool full = false;
};
/// The blocks of a deadlocked graph that wait for each other in a cycle, by what they wait for;
/// empty if there is none with a full channel in it.
std::vector<Wait> blocked_cycle(const SamGraph& graph, const std::vector<std::uint32_t>& fill);
/// Depths with which the graph ends on this data: its own, but of `channels` (by ChannelId) those
/// that it gets stuck without get more, one place at a time. None if that does not help.
std::optional<std::vector<int>> grow_depths(SamGraph graph, const RunInput& input,
                                            const std::vector<bool>& channels);
/// Where a deadlocked graph waits, for people: the cycle, or if there is none all full channels.
std::string explain_deadlock(const SamGraph& graph, const std::vector<std::uint32_t>& fill);

}  // namespace heddle
