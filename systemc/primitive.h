// Primitive<P>: any row with its rule as a module. Two processes, the same for every block: `fire`
// tries the rule on a copy of the state and drives the handshakes; `commit` applies it at the clock
// edge, and is the only writer of state, memories, scratch and statuses. `fire` may run any number
// of times a cycle.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <type_traits>
#include <vector>

#include "compiler/primitives/scratch.h"
#include "compiler/primitives/spec.h"
#include "systemc/stream.h"

namespace heddle::sc {

/// What the blocks of a design report beside their streams.
struct Monitor {
  bool moved = false;          // a block fired; whoever looks clears it
  int running = 0;             // streams that have not ended
  Fault fault = Fault::kNone;  // the first one; in one cycle, that of the first block
  std::uint32_t fault_block = 0;
  std::uint64_t words_read = 0;
  std::uint64_t words_written = 0;
  sc_core::sc_event changed;  // `running` or `fault`

  void report(Fault what, std::uint32_t block) {
    if (fault != Fault::kNone && fault_block <= block) return;
    fault = what;
    fault_block = block;
    changed.notify(sc_core::SC_ZERO_TIME);
  }
};

/// The registers and memories next to a block.
struct Storage {
  std::vector<std::uint32_t> registers;
  std::vector<std::uint32_t> statuses;
  std::vector<std::vector<std::uint32_t>> memories;
  std::vector<const std::vector<std::uint32_t>*> kept;  // read in place of a memory of its own
  std::vector<bool> on_chip;            // by memory: what moves there is no outside traffic
  std::vector<std::uint32_t> capacity;  // words of each memory
  std::vector<Scratch> scratch;

  Storage(const PrimitiveSpec& spec, const Params& params)
      : registers(spec.registers.size()),
        statuses(spec.statuses.size()),
        memories(spec.memories.size()),
        kept(spec.memories.size(), nullptr),
        on_chip(spec.memories.size(), false),
        capacity(spec.memories.size(), 0xffffffffu),
        scratch(spec.memories.size()) {
    for (std::size_t m = 0; m < spec.memories.size(); ++m) {
      if (spec.memories[m].use != MemorySpec::Use::kScratch) continue;
      for (std::size_t p = 0; p < spec.params.size(); ++p)
        if (spec.params[p].name == "bits") scratch[m].resize(params[static_cast<int>(p)]);
    }
  }

  /// Reads what another block keeps.
  void share(int memory, const Storage& writer, int its_memory) {
    kept[static_cast<std::size_t>(memory)] = &writer.memories[static_cast<std::size_t>(its_memory)];
  }
  const std::vector<std::uint32_t>& words(int memory) const {
    const auto m = static_cast<std::size_t>(memory);
    return kept[m] != nullptr ? *kept[m] : memories[m];
  }
  std::uint32_t word(int memory, std::uint32_t address) const {
    return holds(memory, address) ? words(memory)[address] : 0;
  }
  bool holds(int memory, std::uint32_t address) const { return address < words(memory).size(); }
  /// Whether there was room for it.
  bool store(int memory, std::uint32_t address, std::uint32_t word) {
    const auto m = static_cast<std::size_t>(memory);
    if (address >= capacity[m]) return false;
    if (address >= memories[m].size()) memories[m].resize(address + std::size_t{1}, 0);
    memories[m][address] = word;
    return true;
  }
};

/// A module with streams: a block, or an end of a stream outside the design.
class Block : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clk{"clk"};
  sc_core::sc_in<bool> rst{"rst"};

  InPort& in(int i) { return *ins_[static_cast<std::size_t>(i)]; }
  OutPort& out(int o) { return *outs_[static_cast<std::size_t>(o)]; }
  std::uint64_t firings() const { return firings_; }
  std::uint32_t number() const { return number_; }
  /// Before another run.
  void restart() {
    if (has_ended_) ++monitor_.running;
    has_ended_ = false;
    firings_ = 0;
  }

 protected:
  Block(const sc_core::sc_module_name& name, Monitor& monitor, std::uint32_t number)
      : sc_module(name), monitor_(monitor), number_(number) {}
  /// To be called from an edge.
  void fired() {
    ++firings_;
    monitor_.moved = true;
  }
  void must_end() {
    ends_ = true;
    ++monitor_.running;
  }
  void ended() {
    if (!ends_ || has_ended_) return;
    has_ended_ = true;
    --monitor_.running;
    monitor_.changed.notify(sc_core::SC_ZERO_TIME);
  }

  std::vector<std::unique_ptr<InPort>> ins_;
  std::vector<std::unique_ptr<OutPort>> outs_;
  Monitor& monitor_;
  std::uint32_t number_;  // of the block, for reports

 private:
  std::uint64_t firings_ = 0;
  bool ends_ = false;
  bool has_ended_ = false;
};

/// A block with storage.
class PrimitiveBase : public Block {
 public:
  Storage& storage() { return storage_; }
  const Storage& storage() const { return storage_; }

 protected:
  PrimitiveBase(const sc_core::sc_module_name& name, const PrimitiveSpec& spec,
                const Params& params, Monitor& monitor, std::uint32_t number)
      : Block(name, monitor, number), params_(params), storage_(spec, params) {
    for (int i = 0; i < port_count(spec, params, Dir::kIn); ++i)
      ins_.push_back(std::make_unique<InPort>(port_name(spec, params, Dir::kIn, i)));
    for (int o = 0; o < port_count(spec, params, Dir::kOut); ++o)
      outs_.push_back(std::make_unique<OutPort>(port_name(spec, params, Dir::kOut, o)));
    heads_.resize(ins_.size());
    pushed_.resize(outs_.size());
    if (ends_stream(spec)) must_end();
  }

  /// What the two Firings below have in common.
  class Seen {
   public:
    explicit Seen(PrimitiveBase& block) : block_(block) {}
    const Token* head(int i) {
      const InPort& port = block_.in(i);
      if (!port.valid.read()) return nullptr;
      Token& token = block_.heads_[static_cast<std::size_t>(i)];
      token = unpack(port.data.read());
      return &token;
    }
    bool room(int o) { return block_.out(o).ready.read(); }
    std::uint32_t reg(int r) const {
      return block_.storage_.registers[static_cast<std::size_t>(r)];
    }
    const Scratch& scratch(int memory) const {
      return block_.storage_.scratch[static_cast<std::size_t>(memory)];
    }

   protected:
    PrimitiveBase& block_;
  };

  /// Notes what the rule would do.
  class Trial : public Seen {
   public:
    using Seen::Seen;
    void pop(int i) { popped |= std::uint64_t{1} << i; }
    void push(int o, Token token) {
      pushed |= std::uint64_t{1} << o;
      block_.pushed_[static_cast<std::size_t>(o)] = pack(token);
    }
    std::uint32_t read(int memory, std::uint32_t address) {
      return block_.storage_.word(memory, address);
    }
    void write(int, std::uint32_t, std::uint32_t) {}
    void put(int, std::uint32_t, std::uint64_t) {}
    void erase(int, std::uint32_t) {}
    void status(int, std::uint32_t) {}
    void finish() {}
    bool fault(Fault) {
      faulted = true;
      return false;
    }

    std::uint64_t popped = 0;
    std::uint64_t pushed = 0;
    bool faulted = false;
  };

  /// Does it. The tokens move by the handshakes that the last trial drove.
  class Edge : public Seen {
   public:
    using Seen::Seen;
    void pop(int) {}
    void push(int, Token) {}
    std::uint32_t read(int memory, std::uint32_t address) {
      if (block_.storage_.kept[static_cast<std::size_t>(memory)] == nullptr)
        ++block_.monitor_.words_read;
      if (!block_.storage_.holds(memory, address)) fault(Fault::kOutOfRange);
      return block_.storage_.word(memory, address);
    }
    void write(int memory, std::uint32_t address, std::uint32_t word) {
      if (!block_.storage_.on_chip[static_cast<std::size_t>(memory)])
        ++block_.monitor_.words_written;
      if (!block_.storage_.store(memory, address, word)) fault(Fault::kOverflow);
    }
    void put(int memory, std::uint32_t address, std::uint64_t word) {
      block_.storage_.scratch[static_cast<std::size_t>(memory)].put(address, word);
    }
    void erase(int memory, std::uint32_t address) {
      block_.storage_.scratch[static_cast<std::size_t>(memory)].erase(address);
    }
    void status(int s, std::uint32_t word) {
      block_.storage_.statuses[static_cast<std::size_t>(s)] = word;
    }
    void finish() { block_.ended(); }
    bool fault(Fault fault) {
      block_.monitor_.report(fault, block_.number_);
      return false;
    }
  };

  /// Drives the handshakes of a trial.
  void drive(const Trial& trial) {
    for (std::size_t i = 0; i < ins_.size(); ++i) ins_[i]->take(((trial.popped >> i) & 1) != 0);
    for (std::size_t o = 0; o < outs_.size(); ++o) {
      if (((trial.pushed >> o) & 1) != 0)
        outs_[o]->give(pushed_[o]);
      else
        outs_[o]->give_nothing();
    }
  }
  void drive_nothing() {
    for (auto& port : ins_) port->take(false);
    for (auto& port : outs_) port->give_nothing();
  }

  Params params_;
  Storage storage_;
  std::vector<Token> heads_;
  std::vector<Word> pushed_;
  bool fires_ = false;  // at the next edge, as things are
  sc_core::sc_event state_changed_;
};

template <class P>
class Primitive : public PrimitiveBase {
 public:
  SC_HAS_PROCESS(Primitive);
  Primitive(const sc_core::sc_module_name& name, const Params& params, Monitor& monitor,
            std::uint32_t number)
      : PrimitiveBase(name, P::kSpec, params, monitor, number) {
    SC_METHOD(fire);
    for (auto& port : ins_) sensitive << port->data << port->valid;
    for (auto& port : outs_) sensitive << port->ready;
    sensitive << state_changed_;
    SC_METHOD(commit);
    sensitive << clk.pos();
    dont_initialize();
  }

 private:
  static constexpr bool has_scratch() {
    for (const MemorySpec& memory : P::kSpec.memories)
      if (memory.use == MemorySpec::Use::kScratch) return true;
    return false;
  }

  void fire() {
    typename P::State next = state_;
    Trial trial(*this);
    const bool fires = P::step(next, params_, trial);
    fires_ = fires || trial.faulted;
    if (fires)
      drive(trial);
    else
      drive_nothing();
  }

  void commit() {
    if (rst.read()) {
      state_ = {};
      for (Scratch& scratch : storage_.scratch)
        while (scratch.any()) scratch.erase(scratch.first());
      restart();
      state_changed_.notify(sc_core::SC_ZERO_TIME);
      return;
    }
    if (!fires_) return;
    Edge edge(*this);
    if (!P::step(state_, params_, edge)) return;
    fired();
    if constexpr (!std::is_empty_v<typename P::State> || has_scratch())
      state_changed_.notify(sc_core::SC_ZERO_TIME);
  }

  typename P::State state_{};
};

}  // namespace heddle::sc
