// A channel between two blocks: a bounded FIFO. A token that is pushed in cycle t can be popped
// from cycle t + latency on; the place of a token that is popped in cycle t can be used from cycle
// t + 1 on. What it drives comes from registers only, so that no block sees through it
// (rtl/channel/sam_channel.sv is the same).
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "systemc/stream.h"

namespace heddle::sc {

/// Hears of the tokens that pass a channel. Cycle 0 is the first edge after reset.
class ChannelObserver {
 public:
  virtual ~ChannelObserver() = default;
  virtual void pushed(std::uint64_t cycle, Token token) = 0;
  virtual void popped(std::uint64_t cycle, Token token) = 0;
};

class Channel : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clk{"clk"};
  sc_core::sc_in<bool> rst{"rst"};
  InPort in{"in"};
  OutPort out{"out"};

  SC_HAS_PROCESS(Channel);
  Channel(sc_core::sc_module_name name, int depth, int latency)
      : sc_module(name),
        depth_(static_cast<std::uint64_t>(depth)),
        latency_(static_cast<std::uint64_t>(latency)) {
    std::size_t size = 1;
    while (size < depth_) size *= 2;
    ring_.resize(size);
    SC_METHOD(commit);
    sensitive << clk.pos();
    dont_initialize();
  }

  void observe(ChannelObserver* observer) { observer_ = observer; }

 private:
  struct Slot {
    Word word = 0;
    std::uint64_t visible = 0;  // the first cycle in which it can be popped
  };
  Slot& slot(std::uint64_t number) { return ring_[number & (ring_.size() - 1)]; }

  void commit() {
    if (rst.read()) {
      written_ = read_ = cycle_ = 0;
      out.give_nothing();
      valid_ = false;
      in.take(ready_ = true);
      return;
    }
    const std::uint64_t now = cycle_++;
    const bool push = ready_ && in.valid.read();
    const bool pop = valid_ && out.ready.read();
    if (!push && !pop && (valid_ || written_ == read_)) return;
    if (push) {
      slot(written_++) = {in.data.read(), now + latency_};
      if (observer_ != nullptr) observer_->pushed(now, unpack(slot(written_ - 1).word));
    }
    if (pop) {
      if (observer_ != nullptr) observer_->popped(now, unpack(slot(read_).word));
      ++read_;
    }
    in.take(ready_ = written_ - read_ < depth_);
    valid_ = written_ != read_ && slot(read_).visible <= now + 1;
    if (valid_)
      out.give(slot(read_).word);
    else
      out.give_nothing();
  }

  std::vector<Slot> ring_;  // a power of two of them
  std::uint64_t depth_;
  std::uint64_t latency_;
  std::uint64_t written_ = 0;
  std::uint64_t read_ = 0;
  std::uint64_t cycle_ = 0;
  bool ready_ = false;
  bool valid_ = false;
  ChannelObserver* observer_ = nullptr;
};

}  // namespace heddle::sc
