// What every generated design has beside its blocks: the ports through which a host loads and
// reads, and the two signals that say how a run went. The ports are those of the generated Verilog.
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "systemc/channel.h"
#include "systemc/primitive.h"

namespace heddle::sc {

class Design : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clk{"clk"};
  sc_core::sc_in<bool> rst{"rst"};

  // A word for a register, or for an input memory, at each edge.
  sc_core::sc_in<bool> load_valid{"load_valid"};
  sc_core::sc_in<std::uint32_t> load_target{"load_target"};
  sc_core::sc_in<std::uint32_t> load_addr{"load_addr"};
  sc_core::sc_in<std::uint32_t> load_data{"load_data"};
  // A word of an output memory, or a status register, one cycle after its address.
  sc_core::sc_in<std::uint32_t> read_target{"read_target"};
  sc_core::sc_in<std::uint32_t> read_addr{"read_addr"};
  sc_core::sc_out<std::uint32_t> read_data{"read_data"};
  // All streams have ended, until the next run begins; something was out of range or out of room.
  sc_core::sc_out<bool> done{"done"};
  sc_core::sc_out<bool> error{"error"};

  SC_HAS_PROCESS(Design);
  const Monitor& monitor() const { return monitor_; }
  /// Whether a block fired since the last time this was asked.
  bool moved() {
    const bool moved = monitor_.moved;
    monitor_.moved = false;
    return moved;
  }
  /// The name of the block that reported the error.
  const char* fault_block() const {
    for (const Block* block : blocks_)
      if (block->number() == monitor_.fault_block) return block->basename();
    return "?";
  }

 protected:
  explicit Design(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_METHOD(serve);
    sensitive << clk.pos();
    dont_initialize();
    SC_METHOD(report);
    sensitive << monitor_.changed;
  }

  void place(Channel& channel) {
    channel.clk(clk);
    channel.rst(rst);
  }
  void place(Block& block) {
    block.clk(clk);
    block.rst(rst);
    blocks_.push_back(&block);
  }
  /// A run begins with a token here.
  void begins_at(InPort& port) { begins_.push_back(&port); }

  // Targets are numbered in the order of these calls.
  void loads_register(PrimitiveBase& block, int number) {
    loads_.push_back({&block, false, number});
  }
  void loads_memory(PrimitiveBase& block, int number) { loads_.push_back({&block, true, number}); }
  void reads_memory(PrimitiveBase& block, int number) { reads_.push_back({&block, true, number}); }
  void reads_status(PrimitiveBase& block, int number) { reads_.push_back({&block, false, number}); }

  Monitor monitor_;

 private:
  struct Target {
    PrimitiveBase* block;
    bool is_memory;
    int number;
  };

  void serve() {
    if (load_valid.read() && load_target.read() < loads_.size()) {
      const Target& target = loads_[load_target.read()];
      if (target.is_memory)
        target.block->storage().store(target.number, load_addr.read(), load_data.read());
      else
        target.block->storage().registers[static_cast<std::size_t>(target.number)] =
            load_data.read();
    }
    std::uint32_t word = 0;
    if (read_target.read() < reads_.size()) {
      const Target& target = reads_[read_target.read()];
      word = target.is_memory
                 ? target.block->storage().word(target.number, read_addr.read())
                 : target.block->storage().statuses[static_cast<std::size_t>(target.number)];
    }
    read_data.write(word);

    bool begins = rst.read();
    for (const InPort* port : begins_) begins |= done_ && port->valid.read() && port->ready.read();
    if (!begins) return;
    for (Block* block : blocks_) block->restart();
    monitor_.fault = Fault::kNone;
    monitor_.changed.notify(sc_core::SC_ZERO_TIME);
  }

  void report() {
    done_ = monitor_.running == 0;
    done.write(done_);
    error.write(monitor_.fault != Fault::kNone);
  }

  std::vector<Block*> blocks_;
  std::vector<InPort*> begins_;
  std::vector<Target> loads_;
  std::vector<Target> reads_;
  bool done_ = false;
};

}  // namespace heddle::sc
