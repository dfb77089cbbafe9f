// A channel of the engines that step a clock: tokens that remember when they were pushed, and the
// account that is kept of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "compiler/sim/run.h"

namespace heddle::sim {

class Channel {
 public:
  Channel(int depth, int latency, Detail detail)
      : depth_(static_cast<std::uint64_t>(depth)),
        latency_(static_cast<std::uint64_t>(latency)),
        detail_(detail) {}

  bool empty() const { return tokens_.empty(); }
  bool full() const { return tokens_.size() >= depth_; }
  std::uint64_t fill() const { return tokens_.size(); }

  const Token& head() const { return tokens_.front().token; }
  /// First cycle in which the head can be taken.
  std::uint64_t visible() const { return tokens_.front().pushed + latency_; }
  /// First cycle in which the next push finds room.
  std::uint64_t room_from() const { return written_ < depth_ ? 0 : free_.front(); }

  void push(Token token, std::uint64_t now) {
    if (written_++ >= depth_) free_.pop_front();
    tokens_.push_back({token, now});
  }
  void pop(std::uint64_t now) {
    if (detail_ != Detail::kCycles) watch(now);
    free_.push_back(now + 1);
    tokens_.pop_front();
    ++read_;
  }

  ChannelCounters counters(std::uint64_t cycles) const {
    ChannelCounters c;
    c.tokens = read_;
    if (detail_ == Detail::kCycles) return c;  // nobody watched
    c.busy = busy_;
    // Tokens that are left in a run that did not finish stay at the head to its end.
    if (!empty()) {
      const std::uint64_t from = std::max(visible(), last_free_);
      if (cycles > from) c.busy += cycles - from;
    }
    c.stalled = c.busy - c.tokens;
    c.starved = cycles - c.busy;
    return c;
  }
  std::uint64_t hash() const { return hash_; }
  std::vector<TraceEvent>& trace() { return trace_; }

 private:
  struct Waiting {
    Token token;
    std::uint64_t pushed = 0;
  };

  void watch(std::uint64_t now) {
    busy_ += now + 1 - std::max(visible(), last_free_);
    last_free_ = now + 1;
    hash_ = hash_transfer(hash_, now, head());
    if (detail_ == Detail::kTrace) trace_.push_back({tokens_.front().pushed, now, head()});
  }

  std::deque<Waiting> tokens_;
  std::deque<std::uint64_t> free_;  // the cycles after the last pops, one for each push to come
  std::uint64_t depth_;
  std::uint64_t latency_;
  std::uint64_t written_ = 0;
  std::uint64_t read_ = 0;
  std::uint64_t last_free_ = 0;  // the cycle after the last pop
  std::uint64_t busy_ = 0;
  std::uint64_t hash_ = 0;
  Detail detail_;
  std::vector<TraceEvent> trace_;
};

}  // namespace heddle::sim
