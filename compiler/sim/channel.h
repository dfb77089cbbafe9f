// A channel of the C++ engines: a ring of tokens that remember when they were pushed and taken.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "compiler/sim/run.h"

namespace heddle::sim {

struct Slot {
  Token token;
  std::uint64_t pushed = 0;
  std::uint64_t popped = 0;
};

class Channel {
 public:
  Channel(int depth, int latency, Detail detail)
      : depth_(static_cast<std::uint64_t>(depth)),
        latency_(static_cast<std::uint64_t>(latency)),
        detail_(detail) {
    std::size_t size = 1;
    while (size < depth_) size *= 2;
    ring_.resize(size);
    mask_ = size - 1;
  }

  bool empty() const { return read_ == written_; }
  bool full() const { return written_ - read_ >= depth_; }
  std::uint64_t fill() const { return written_ - read_; }
  std::uint64_t written() const { return written_; }
  std::uint64_t taken() const { return read_; }

  const Token& head() const { return ring_[read_ & mask_].token; }
  /// First cycle in which the head can be taken.
  std::uint64_t visible() const { return ring_[read_ & mask_].pushed + latency_; }
  /// First cycle in which the next push finds room.
  std::uint64_t room_from() const {
    return written_ < depth_ ? 0 : ring_[(written_ - depth_) & mask_].popped + 1;
  }

  [[gnu::always_inline]] void push(Token token, std::uint64_t now) {
    Slot& slot = ring_[written_ & mask_];
    slot.token = token;
    slot.pushed = now;
    ++written_;
  }
  [[gnu::always_inline]] void pop(std::uint64_t now) {
    Slot& slot = ring_[read_ & mask_];
    slot.popped = now;
    ++read_;
    if (detail_ != Detail::kCycles) watch(slot);
  }

  ChannelCounters counters(std::uint64_t cycles) const {
    ChannelCounters c;
    c.tokens = read_;
    if (detail_ == Detail::kCycles) return c;  // nobody watched
    c.busy = busy_;
    // Tokens that are left in a run that did not finish stay at the head to its end.
    if (!empty()) {
      const std::uint64_t from = std::max(visible(), last_pop_);
      if (cycles > from) c.busy += cycles - from;
    }
    c.stalled = c.busy - c.tokens;
    c.starved = cycles - c.busy;
    return c;
  }
  std::uint64_t hash() const { return hash_; }
  std::vector<TraceEvent>& trace() { return trace_; }

 private:
  [[gnu::always_inline]] void watch(const Slot& slot) {
    const std::uint64_t from = std::max(slot.pushed + latency_, last_pop_);
    last_pop_ = slot.popped + 1;
    busy_ += last_pop_ - from;
    hash_ = hash_transfer(hash_, slot.popped, slot.token);
    if (detail_ == Detail::kTrace) [[unlikely]]
      record(slot);
  }

  [[gnu::noinline]] void record(const Slot& slot) {
    trace_.push_back({slot.pushed, slot.popped, slot.token});
  }

  std::vector<Slot> ring_;
  std::uint64_t mask_ = 0;
  std::uint64_t depth_;
  std::uint64_t latency_;
  std::uint64_t written_ = 0;
  std::uint64_t read_ = 0;
  std::uint64_t last_pop_ = 0;  // the cycle after the last pop
  std::uint64_t busy_ = 0;
  std::uint64_t hash_ = 0;
  Detail detail_;
  std::vector<TraceEvent> trace_;
};

}  // namespace heddle::sim
