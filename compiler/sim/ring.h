// A channel of the engine that runs ahead: a ring of tokens that remember when they were pushed and
// taken. The ring of a deep channel grows with what it has to hold.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "compiler/sim/account.h"

namespace heddle::sim {

struct Slot {
  Token token;
  std::uint64_t visible = 0;  // first cycle in which the token can be taken
  std::uint64_t free = 0;     // the cycle after that in which it was: the slot takes another one

  // The token goes in by one store: who takes it soon after loads both halves at once.
  [[gnu::always_inline]] void put(Token t, std::uint64_t when) {
    const std::uint64_t both = static_cast<std::uint64_t>(t.bits) << 32 |
                               static_cast<std::uint64_t>(static_cast<std::uint32_t>(t.kind));
    std::memcpy(static_cast<void*>(&token), &both, sizeof token);
    visible = when;
  }
};

/// A place in a ring.
struct Place {
  Slot* at = nullptr;
  Slot* first = nullptr;
  Slot* end = nullptr;

  Slot& operator*() const { return *at; }
  Slot* operator->() const { return at; }
  [[gnu::always_inline]] void advance() { at = at + 1 == end ? first : at + 1; }
};

class Ring {
 public:
  /// The slots that a channel of this depth starts with.
  static std::size_t first_slots(int depth) {
    return static_cast<std::size_t>(std::min(depth, kFirstRing));
  }
  Ring(int depth, int latency, Detail detail, Slot* slots)
      : depth_(static_cast<std::uint64_t>(depth)),
        latency_(static_cast<std::uint64_t>(latency)),
        account_(detail),
        slots_(slots),
        size_(first_slots(depth)) {
    if (size_ < depth_) wall_ = size_;
    find_places();
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  bool empty() const { return read_ == written_; }
  bool full() const { return written_ - read_ >= depth_; }
  std::uint64_t fill() const { return written_ - read_; }
  std::uint64_t taken() const { return read_; }

  /// The head, and the first cycle in which it can be taken.
  const Token& head() const { return take_->token; }
  std::uint64_t visible() const { return take_->visible; }
  /// First cycle in which the next push finds room. (In a ring with fewer slots than the channel
  /// has places, the slot is one that has been free for long.)
  std::uint64_t room_from() const { return written_ == wall_ && size_ < depth_ ? 0 : give_->free; }

  void push(Token token, std::uint64_t now) {
    if (written_ == wall_) [[unlikely]]
      make_room();
    give_->put(token, now + latency_);
    give_.advance();
    ++written_;
  }
  void pop(std::uint64_t now) {
    take_->free = now + 1;
    if (account_.watches()) watch(*take_);
    take_.advance();
    ++read_;
  }

  ChannelCounters counters(std::uint64_t cycles) const {
    return account_.counters(cycles, read_, empty() ? nullptr : &take_->visible);
  }
  std::uint64_t hash() const { return account_.hash(); }

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
    grow(depth);
  }
  std::vector<TraceEvent>& trace() { return account_.trace(); }

  class TakingEnd;
  class GivingEnd;

  /// What its producer and its consumer wait for to change.
  const std::uint64_t* pushes() const { return &written_; }
  const std::uint64_t* pops() const { return &read_; }

 private:
  static constexpr int kFirstRing = 64;
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  Place place_of(std::uint64_t number) { return {slots_ + number % size_, slots_, slots_ + size_}; }
  void find_places() {
    take_ = place_of(read_);
    give_ = place_of(written_);
  }

  // Takes account of the pushes since the last time: how many tokens were gone when each came. Of a
  // push that no pop has followed yet that is not known, except at the end.
  void look_back(bool end) {
    Place seen = place_of(seen_), gone = place_of(gone_);
    for (; seen_ < written_; ++seen_, seen.advance()) {
      const std::uint64_t pushed = seen->visible - latency_;
      for (; gone_ < read_ && gone->free <= pushed; gone.advance()) ++gone_;
      if (gone_ == read_ && !end) return;
      most_ = std::max(most_, seen_ + 1 - gone_);
    }
  }

  // Tokens that are gone leave their places in the ring to others; if most are not, it grows.
  [[gnu::noinline]] void make_room() {
    look_back(false);
    if (written_ >= depth_) gone_ = std::max(gone_, written_ + 1 - depth_);
    if (written_ - gone_ > size_ / 2 && size_ < depth_) grow(std::min(depth_, 2 * size_));
    wall_ = gone_ + size_;
  }

  void grow(std::uint64_t size) {
    std::vector<Slot> larger(size);
    const std::uint64_t oldest = written_ - std::min(written_, size_);
    for (std::uint64_t n = oldest; n < written_; ++n) larger[n % size] = *place_of(n);
    grown_ = std::move(larger);
    slots_ = grown_.data();
    size_ = size;
    find_places();
  }

  void watch(const Slot& slot) {
    account_.note({slot.visible - latency_, slot.free - 1, slot.token}, slot.visible);
  }
  [[gnu::noinline]] void watch(Place place, std::uint64_t count) {
    for (; count > 0; --count, place.advance()) watch(*place);
  }

  // What every burst needs comes first.
  Place take_, give_;
  std::uint64_t written_ = 0;
  std::uint64_t read_ = 0;
  std::uint64_t depth_;
  std::uint64_t latency_;
  std::uint64_t wall_ = kNever;  // the push that first has to make room in the ring
  Account account_;
  Slot* slots_;
  std::uint64_t size_;
  std::vector<Slot> grown_;  // the slots, once they are more
  std::uint64_t seen_ = 0;   // pushes that were looked back at
  std::uint64_t gone_ = 0;   // tokens that had been taken before the last of them
  std::uint64_t most_ = 0;
};

/// The end that a block takes tokens from, during a burst of that block. The other end stands still
/// meanwhile, so all that is known of the channel stays in variables of the burst.
class Ring::TakingEnd {
 public:
  explicit TakingEnd(const Ring& c) : place_(c.take_), number_(c.read_), end_(c.written_) {}

  bool empty() const { return number_ >= end_; }  // a firing that broke an obligation may still pop
  const Token& head() const { return place_->token; }
  std::uint64_t visible() const { return place_->visible; }
  [[gnu::always_inline]] void pop(std::uint64_t now) {
    place_->free = now + 1;
    place_.advance();
    ++number_;
  }
  /// Nothing more is taken in this burst.
  void close() { end_ = number_; }

  /// The burst is over.
  [[gnu::always_inline]] void leave(Ring& c) const {
    if (c.account_.watches()) [[unlikely]]
      c.watch(c.take_, number_ - c.read_);
    c.take_.at = place_.at;
    c.read_ = number_;
  }

 private:
  Place place_;
  std::uint64_t number_;  // of the next pop
  std::uint64_t end_;
};

/// The end that a block gives tokens to, likewise.
class Ring::GivingEnd {
 public:
  explicit GivingEnd(Ring& c) {
    if (c.written_ == c.wall_) [[unlikely]]
      c.make_room();
    place_ = c.give_;
    number_ = c.written_;
    end_ = std::min(c.read_ + c.depth_, c.wall_);
    latency_ = c.latency_;
  }

  bool full() const { return number_ == end_; }
  std::uint64_t room_from() const { return place_->free; }
  [[gnu::always_inline]] void push(Token token, std::uint64_t now) {
    place_->put(token, now + latency_);
    place_.advance();
    ++number_;
  }

  /// The burst is over.
  [[gnu::always_inline]] void leave(Ring& c) const {
    c.give_.at = place_.at;
    c.written_ = number_;
  }

 private:
  Place place_;
  std::uint64_t number_;  // of the next push
  std::uint64_t end_;
  std::uint64_t latency_;
};

}  // namespace heddle::sim
