// The host of a generated design: loads its data through the load port, gives the tokens of its
// sources, waits for the end, and compares what it reads with what is expected, where something is.
//
// Files, all below one directory, words in hexadecimal, one a line:
//   loads.txt      a line for each load target:  TARGET = WORD   or   TARGET @ FILE, then # and
//   what it is expected.txt   the same for read targets; may be absent NAME.hex       the tokens of
//   the source NAME, kind above 32 bits NAME.expected  the tokens that the taker NAME should get;
//   may be absent
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <systemc>
#include <vector>

#include "systemc/design.h"

namespace heddle::sc {

class Host : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clk{"clk"};

  SC_HAS_PROCESS(Host);
  Host(const sc_core::sc_module_name& name, Design& design, std::string directory,
       std::uint64_t limit)
      : sc_module(name), design_(design), directory_(std::move(directory)), limit_(limit) {
    design.rst(rst_);
    design.load_valid(load_valid_);
    design.load_target(load_target_);
    design.load_addr(load_addr_);
    design.load_data(load_data_);
    design.read_target(read_target_);
    design.read_addr(read_addr_);
    design.read_data(read_data_);
    design.done(done_);
    design.error(error_);
    SC_THREAD(run);
    sensitive << clk.pos();
  }

  void source(InPort& port, const std::string& name) {
    ends_.push_back(std::make_unique<End>(name));
    port.bind(ends_.back()->wires);
    ends_.back()->tokens = words(name + ".hex");
    ends_.back()->gives = true;
  }
  void taker(OutPort& port, const std::string& name) {
    ends_.push_back(std::make_unique<End>(name));
    port.bind(ends_.back()->wires);
  }

  /// 0 if the run ended, and as expected.
  int status() const { return good_ ? 0 : 1; }

 private:
  /// A stream from or to the host.
  struct End {
    explicit End(const std::string& text) : name(text), wires(text) {}
    std::string name;
    Wires wires;
    bool gives = false;
    std::vector<std::uint64_t> tokens;  // to give, or taken
    std::size_t given = 0;
    bool ended() const { return gives || (!tokens.empty() && unpack(tokens.back()).is_done()); }
  };
  /// A line of loads.txt or expected.txt.
  struct Entry {
    std::uint32_t target = 0;
    std::vector<std::uint64_t> words;
    std::string what;
  };

  void run() {
    reset();
    load();
    if (stream()) compare();
    sc_core::sc_stop();
  }

  void reset() {
    rst_.write(true);
    wait();
    wait();
    rst_.write(false);
  }

  void load() {
    for (const Entry& entry : entries("loads.txt", true))
      for (std::size_t a = 0; a < entry.words.size(); ++a) {
        load_valid_.write(true);
        load_target_.write(entry.target);
        load_addr_.write(static_cast<std::uint32_t>(a));
        load_data_.write(static_cast<std::uint32_t>(entry.words[a]));
        wait();
      }
    load_valid_.write(false);
    wait();
  }

  bool stream() {
    constexpr std::uint64_t kPatience = 1000;  // no block waits so long for a token on its way
    for (auto& end : ends_) offer(*end);
    std::uint64_t cycle = 0, idle = 0;
    for (;; ++cycle) {
      wait();
      bool ended = done_.read();
      for (auto& end : ends_) ended &= end->ended();
      if (ended) break;
      if (error_.read())
        return fail("block '%s': %s", design_.fault_block(), text_of(design_.monitor().fault));
      idle = design_.moved() ? 0 : idle + 1;
      if (idle > kPatience)
        return fail("deadlock: no token has moved for %llu cycles", as_long(kPatience));
      if (cycle >= limit_) return fail("no end within %llu cycles", as_long(limit_));
      for (auto& end : ends_) step(*end);
    }
    std::printf("%s: %llu cycles\n", design_.basename(), as_long(cycle));
    if (error_.read())
      return fail("block '%s': %s", design_.fault_block(), text_of(design_.monitor().fault));
    return true;
  }

  /// At an edge: what has just passed, and what is next.
  static void step(End& end) {
    const bool passed = end.wires.valid.read() && end.wires.ready.read();
    if (!end.gives) {
      if (passed) end.tokens.push_back(end.wires.data.read());
    } else if (passed) {
      ++end.given;
      offer(end);
    }
  }
  static void offer(End& end) {
    if (!end.gives) {
      end.wires.ready.write(true);
      return;
    }
    const bool more = end.given < end.tokens.size();
    end.wires.valid.write(more);
    if (more) end.wires.data.write(end.tokens[end.given]);
  }

  void compare() {
    std::uint64_t compared = 0;
    for (const Entry& entry : entries("expected.txt", false))
      for (std::size_t a = 0; a < entry.words.size(); ++a, ++compared) {
        read_target_.write(entry.target);
        read_addr_.write(static_cast<std::uint32_t>(a));
        wait();  // the design sees the address from now on
        wait();  // the word is there from now on
        wait();
        if (read_data_.read() == entry.words[a]) continue;
        fail("%s, word %llu: %08x, expected %08x", entry.what.c_str(), as_long(a),
             read_data_.read(), static_cast<unsigned>(entry.words[a]));
        return;
      }
    for (const auto& end : ends_) {
      const std::string file = end->name + ".expected";
      if (end->gives || !std::ifstream(directory_ + "/" + file)) continue;
      if (words(file) != end->tokens) {
        fail("stream '%s' differs from %s/%s", end->name.c_str(), directory_.c_str(), file.c_str());
        return;
      }
      compared += end->tokens.size();
    }
    std::printf("%s: %llu words compared, all as expected\n", design_.basename(),
                as_long(compared));
  }

  std::vector<std::uint64_t> words(const std::string& file) {
    std::vector<std::uint64_t> found;
    std::ifstream in(directory_ + "/" + file);
    if (!in) {
      fail("cannot read %s/%s", directory_.c_str(), file.c_str());
      std::exit(1);
    }
    std::string word;
    while (in >> word) found.push_back(std::strtoull(word.c_str(), nullptr, 16));
    return found;
  }

  std::vector<Entry> entries(const std::string& file, bool required) {
    std::vector<Entry> found;
    std::ifstream in(directory_ + "/" + file);
    if (!in && required) {
      fail("cannot read %s/%s", directory_.c_str(), file.c_str());
      std::exit(1);
    }
    for (std::string line; std::getline(in, line);) {
      std::istringstream text(line);
      Entry entry;
      std::string how, value, hash;
      if (!(text >> entry.target >> how >> value)) continue;
      if (how == "@")
        entry.words = words(value);
      else
        entry.words = {std::strtoull(value.c_str(), nullptr, 16)};
      text >> hash >> std::ws;
      std::getline(text, entry.what);
      found.push_back(std::move(entry));
    }
    return found;
  }

  template <class... Args>
  bool fail(const char* format, Args... args) {
    good_ = false;
    std::fprintf(stderr, "error: ");
    std::fprintf(stderr, format, args...);
    std::fprintf(stderr, "\n");
    return false;
  }
  static unsigned long long as_long(std::uint64_t n) { return n; }
  static const char* text_of(Fault fault) { return to_text(fault).data(); }

  Design& design_;
  std::string directory_;
  std::uint64_t limit_;
  bool good_ = true;
  sc_core::sc_signal<bool> rst_{"rst", true};
  sc_core::sc_signal<bool> load_valid_{"load_valid"};
  sc_core::sc_signal<std::uint32_t> load_target_{"load_target"};
  sc_core::sc_signal<std::uint32_t> load_addr_{"load_addr"};
  sc_core::sc_signal<std::uint32_t> load_data_{"load_data"};
  sc_core::sc_signal<std::uint32_t> read_target_{"read_target"};
  sc_core::sc_signal<std::uint32_t> read_addr_{"read_addr"};
  sc_core::sc_signal<std::uint32_t> read_data_{"read_data"};
  sc_core::sc_signal<bool> done_{"done"};
  sc_core::sc_signal<bool> error_{"error"};
  std::vector<std::unique_ptr<End>> ends_;
};

}  // namespace heddle::sc
