// A channel of the C++ engines: a ring of tokens that remember when they were pushed and taken. The
// ring of a deep channel grows with what it has to hold.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
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
    while (size < depth_ && size < kFirstRing) size *= 2;
    ring_.resize(size);
    mask_ = size - 1;
    if (size < depth_) wall_ = size;
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
    return written_ - gone_ < depth_ ? 0 : ring_[(written_ - depth_) & mask_].popped + 1;
  }

  [[gnu::always_inline]] void push(Token token, std::uint64_t now) {
    if (written_ == wall_) [[unlikely]]
      make_room();
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

  /// At the end of a run: the most places that were in use at once; with so many, all times are the
  /// same. 0 if the ring was as large as the channel from the start, which nobody watches.
  std::uint64_t most() {
    if (wall_ == kNever) return 0;
    look_back(true);
    return most_;
  }

  /// More places for a channel that is stuck. Where it had been full before, times no longer tell
  /// when a run with so many from the start would do what.
  void deepen(std::uint64_t depth) {
    depth_ = depth;
    while (ring_.size() < depth_) grow();
  }
  std::vector<TraceEvent>& trace() { return trace_; }

 private:
  static constexpr std::size_t kFirstRing = 64;
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  Slot& slot(std::uint64_t number) { return ring_[number & mask_]; }

  // Takes account of the pushes since the last time: how many tokens were gone when each came. Of a
  // push that no pop has followed yet that is not known, except at the end.
  void look_back(bool end) {
    for (; seen_ < written_; ++seen_) {
      const std::uint64_t now = slot(seen_).pushed;
      while (gone_ < read_ && slot(gone_).popped < now) ++gone_;
      if (gone_ == read_ && !end) return;
      most_ = std::max(most_, seen_ + 1 - gone_);
    }
  }

  // Tokens that are gone leave their places in the ring to others; if most are not, it grows.
  [[gnu::noinline]] void make_room() {
    look_back(false);
    if (written_ >= depth_) gone_ = std::max(gone_, written_ + 1 - depth_);
    if (written_ - gone_ > mask_ / 2 && ring_.size() < depth_) grow();
    wall_ = gone_ + ring_.size();
  }

  void grow() {
    std::vector<Slot> larger(2 * ring_.size());
    const std::uint64_t oldest = written_ - std::min<std::uint64_t>(written_, ring_.size());
    for (std::uint64_t n = oldest; n < written_; ++n) larger[n & (larger.size() - 1)] = slot(n);
    ring_ = std::move(larger);
    mask_ = ring_.size() - 1;
  }

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
  std::uint64_t wall_ = kNever;  // the push that first has to make room in the ring
  std::uint64_t seen_ = 0;       // pushes that were looked back at
  std::uint64_t gone_ = 0;       // tokens that had been taken before the last of them
  std::uint64_t most_ = 0;
  std::uint64_t last_pop_ = 0;  // the cycle after the last pop
  std::uint64_t busy_ = 0;
  std::uint64_t hash_ = 0;
  Detail detail_;
  std::vector<TraceEvent> trace_;
};

}  // namespace heddle::sim
