// A token on signals, and the two ends of a stream. The wires are those of the RTL: data, valid and
// ready; a token moves at a clock edge at which valid and ready are both high.
#pragma once

#include <cstdint>
#include <string>
#include <systemc>

#include "compiler/primitives/token.h"

namespace heddle::sc {

/// A token as the RTL has it on wires: the kind above 32 bits of coordinate, reference or value.
using Word = std::uint64_t;
inline constexpr int kWordBits = 34;

constexpr Word pack(Token token) {
  return (Word{static_cast<std::uint32_t>(token.kind)} << 32) | token.bits;
}
constexpr Token unpack(Word word) {
  return {static_cast<Kind>(static_cast<std::uint32_t>(word >> 32)),
          static_cast<std::uint32_t>(word)};
}

/// The wires of one stream.
struct Wires {
  sc_core::sc_signal<Word> data;
  sc_core::sc_signal<bool> valid;
  sc_core::sc_signal<bool> ready;

  explicit Wires(const std::string& name)
      : data((name + "_data").c_str()),
        valid((name + "_valid").c_str()),
        ready((name + "_ready").c_str()) {}
};

/// The end of a stream at which tokens arrive.
struct InPort {
  sc_core::sc_in<Word> data;
  sc_core::sc_in<bool> valid;
  sc_core::sc_out<bool> ready;

  explicit InPort(const std::string& name)
      : data((name + "_data").c_str()),
        valid((name + "_valid").c_str()),
        ready((name + "_ready").c_str()) {}
  /// To wires, or to the port of a module around this one.
  template <class Stream>
  void bind(Stream& stream) {
    data.bind(stream.data);
    valid.bind(stream.valid);
    ready.bind(stream.ready);
  }
  void take(bool taken) {
    if (taken == taken_) return;
    taken_ = taken;
    ready.write(taken);
  }

 private:
  bool taken_ = false;  // what `ready` is driven to
};

/// The end of a stream at which tokens leave.
struct OutPort {
  sc_core::sc_out<Word> data;
  sc_core::sc_out<bool> valid;
  sc_core::sc_in<bool> ready;

  explicit OutPort(const std::string& name)
      : data((name + "_data").c_str()),
        valid((name + "_valid").c_str()),
        ready((name + "_ready").c_str()) {}
  template <class Stream>
  void bind(Stream& stream) {
    data.bind(stream.data);
    valid.bind(stream.valid);
    ready.bind(stream.ready);
  }
  void give(Word word) {
    data.write(word);
    if (given_) return;
    given_ = true;
    valid.write(true);
  }
  void give_nothing() {
    if (!given_) return;
    given_ = false;
    valid.write(false);
  }

 private:
  bool given_ = false;  // what `valid` is driven to
};

}  // namespace heddle::sc
