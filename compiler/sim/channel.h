// A channel of the engines that step a clock: tokens that remember when they were pushed, and the
// account that is kept of them.
#pragma once

#include <cstdint>
#include <deque>

#include "compiler/sim/account.h"

namespace heddle::sim {

class Channel {
 public:
  Channel(int depth, int latency, Detail detail)
      : depth_(static_cast<std::uint64_t>(depth)),
        latency_(static_cast<std::uint64_t>(latency)),
        account_(detail) {}

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
    if (account_.watches()) account_.note({tokens_.front().pushed, now, head()}, visible());
    free_.push_back(now + 1);
    tokens_.pop_front();
    ++read_;
  }

  ChannelCounters counters(std::uint64_t cycles) const {
    if (empty()) return account_.counters(cycles, read_, nullptr);
    const std::uint64_t since = visible();
    return account_.counters(cycles, read_, &since);
  }
  std::uint64_t hash() const { return account_.hash(); }
  std::vector<TraceEvent>& trace() { return account_.trace(); }

 private:
  struct Waiting {
    Token token;
    std::uint64_t pushed = 0;
  };

  std::deque<Waiting> tokens_;
  std::deque<std::uint64_t> free_;  // the cycles after the last pops, one for each push to come
  std::uint64_t depth_;
  std::uint64_t latency_;
  std::uint64_t written_ = 0;
  std::uint64_t read_ = 0;
  Account account_;
};

}  // namespace heddle::sim
