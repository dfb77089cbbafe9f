// The account of a channel: what went out of it, and when.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "compiler/sim/run.h"

namespace heddle::sim {

class Account {
 public:
  explicit Account(Detail detail) : detail_(detail) {}

  /// Whether more than the number of tokens is asked for.
  bool watches() const { return detail_ != Detail::kCycles; }

  /// A token that was pushed, came to the head's place by `visible`, and was popped.
  void note(const TraceEvent& event, std::uint64_t visible) {
    busy_ += event.popped + 1 - std::max(visible, free_);
    free_ = event.popped + 1;
    hash_ = hash_transfer(hash_, event.popped, event.token);
    if (detail_ == Detail::kTrace) [[unlikely]]
      trace_.push_back(event);
  }

  /// After a run of so many cycles. A token that is left in one that did not finish stays at the
  /// head to its end: since `left_visible`, null if there is none.
  ChannelCounters counters(std::uint64_t cycles, std::uint64_t tokens,
                           const std::uint64_t* left_visible) const {
    ChannelCounters c;
    c.tokens = tokens;
    if (!watches()) return c;
    c.busy = busy_;
    if (left_visible != nullptr) {
      const std::uint64_t from = std::max(*left_visible, free_);
      if (cycles > from) c.busy += cycles - from;
    }
    c.stalled = c.busy - c.tokens;
    c.starved = cycles - c.busy;
    return c;
  }
  std::uint64_t hash() const { return hash_; }
  std::vector<TraceEvent>& trace() { return trace_; }

 private:
  Detail detail_;
  std::uint64_t free_ = 0;  // the cycle after the last pop
  std::uint64_t busy_ = 0;
  std::uint64_t hash_ = 0;
  std::vector<TraceEvent> trace_;
};

}  // namespace heddle::sim
