// The outside world of a design under simulation: modules that offer a stream, or take one, when a
// pattern allows.
#pragma once

#include "compiler/sim/run.h"
#include "systemc/primitive.h"

namespace heddle::sc {

class Source : public Block {
 public:
  SC_HAS_PROCESS(Source);
  Source(const sc_core::sc_module_name& name, const Stream& stream, Pattern pattern,
         Monitor& monitor, std::uint32_t number)
      : Block(name, monitor, number), stream_(stream), pattern_(pattern) {
    outs_.push_back(std::make_unique<OutPort>("out"));
    SC_METHOD(fire);
    sensitive << outs_[0]->ready << state_changed_;
    SC_METHOD(commit);
    sensitive << clk.pos();
    dont_initialize();
  }

 private:
  void fire() {
    fires_ = at_ < stream_.size() && outs_[0]->ready.read() && pattern_.allows(number_, cycle_);
    if (fires_)
      outs_[0]->give(pack(stream_[at_]));
    else
      outs_[0]->give_nothing();
  }
  void commit() {
    if (rst.read()) {
      at_ = 0;
      cycle_ = 0;
      restart();
      state_changed_.notify(sc_core::SC_ZERO_TIME);
      return;
    }
    ++cycle_;
    if (fires_) {
      fired();
      ++at_;
    }
    if (at_ < stream_.size() || fires_) state_changed_.notify(sc_core::SC_ZERO_TIME);
  }

  const Stream& stream_;
  Pattern pattern_;
  std::size_t at_ = 0;
  std::uint64_t cycle_ = 0;
  bool fires_ = false;
  sc_core::sc_event state_changed_;
};

class Taker : public Block {
 public:
  SC_HAS_PROCESS(Taker);
  Taker(const sc_core::sc_module_name& name, Pattern pattern, Monitor& monitor,
        std::uint32_t number)
      : Block(name, monitor, number), pattern_(pattern) {
    ins_.push_back(std::make_unique<InPort>("in"));
    must_end();
    SC_METHOD(fire);
    sensitive << ins_[0]->valid << ins_[0]->data << state_changed_;
    SC_METHOD(commit);
    sensitive << clk.pos();
    dont_initialize();
  }
  const Stream& taken() const { return taken_; }

 private:
  void fire() {
    fires_ = ins_[0]->valid.read() && pattern_.allows(number_, cycle_);
    ins_[0]->take(fires_);
  }
  void commit() {
    if (rst.read()) {
      taken_.clear();
      cycle_ = 0;
      restart();
      state_changed_.notify(sc_core::SC_ZERO_TIME);
      return;
    }
    ++cycle_;
    if (fires_) {
      fired();
      taken_.push_back(unpack(ins_[0]->data.read()));
      if (taken_.back().is_done()) ended();
    }
    if (pattern_.percent < 100) state_changed_.notify(sc_core::SC_ZERO_TIME);
  }

  Pattern pattern_;
  Stream taken_;
  std::uint64_t cycle_ = 0;
  bool fires_ = false;
  sc_core::sc_event state_changed_;
};

}  // namespace heddle::sc
