// Runs a Verilated design: loads its memories, plays the outside world, watches every channel,
// reads results.
//   harness INPUT OUTPUT
// INPUT holds any number of runs, done one after the other without a reset in between (exchange.h).
// Built with the generated pins.h, Verilator's --prefix Model; -DHEDDLE_PROBE where channels are
// watched.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "Model.h"
#include "exchange.h"
#include "pins.h"
#include "verilated.h"

using namespace heddle::exchange;

double sc_time_stamp() { return 0; }

namespace {

// A port of up to 32 bits, up to 64, or an array of 32-bit words.
template <class T>
std::uint32_t word_of(const T& port, int word) {
  if constexpr (std::is_integral_v<T>)
    return word < static_cast<int>(sizeof(T) * 8 + 31) / 32
               ? static_cast<std::uint32_t>(static_cast<std::uint64_t>(port) >> (32 * word))
               : 0;
  else
    return port[word];
}

class Harness {
 public:
  Harness() : top_(std::make_unique<Model>()) {
    Verilated::randReset(std::getenv("HEDDLE_X_SEED") != nullptr ? 2 : 0);
    if (const char* seed = std::getenv("HEDDLE_X_SEED")) Verilated::randSeed(std::atoi(seed));
    top_->clk = 0;
    top_->rst = 1;
    top_->load_valid = 0;
    top_->read_target = 0;
    top_->read_addr = 0;
    each_source(*top_, [](int, auto&, auto& valid, auto&) { valid = 0; });
    each_sink(*top_, [](int, auto&, auto&, auto& ready) { ready = 0; });
    for (int i = 0; i < 3; ++i) clock();
    top_->rst = 0;
  }

  Result run(const Run& run) {
    for (const Load& load : run.loads) {
      top_->load_valid = 1;
      top_->load_target = static_cast<std::uint16_t>(load.target);
      for (std::size_t a = 0; a < load.words.size(); ++a) {
        top_->load_addr = static_cast<std::uint32_t>(a);
        top_->load_data = static_cast<std::uint32_t>(load.words[a]);
        clock();
      }
    }
    top_->load_valid = 0;
    Result result;
    result.channels.resize(kChannels);
    in_flight_.assign(kChannels, {});
    waiting_.assign(kChannels, 0);
    waits_ = false;
    const auto start = std::chrono::steady_clock::now();
    go(run, result);
    result.nanoseconds =
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                       std::chrono::steady_clock::now() - start)
                                       .count());
    result.error = top_->error;
    for (const std::uint64_t target : run.statuses) result.statuses.push_back(read(target, 0));
    for (const Run::Memory& m : run.memories) {
      const std::uint64_t n = read(m.count_target, 0) + m.extra;
      std::vector<std::uint64_t> words;
      for (std::uint64_t a = 0; a < n && result.end == End::kDone && result.error == 0; ++a)
        words.push_back(read(m.target, a));
      result.memories.push_back(std::move(words));
    }
    return result;
  }

 private:
  void clock() {
    top_->clk = 1;
    top_->eval();
    top_->clk = 0;
    top_->eval();
  }

  std::uint64_t read(std::uint64_t target, std::uint64_t address) {
    top_->read_target = static_cast<std::uint16_t>(target);
    top_->read_addr = static_cast<std::uint32_t>(address);
    clock();
    return top_->read_data;
  }

  void go(const Run& run, Result& result) {
    std::vector<std::size_t> at(run.streams.size(), 0);
    bool begun = false;
    std::uint64_t idle = 0, last = 0;
    for (std::uint64_t cycle = 0;; ++cycle) {
      if (begun && top_->done) {
        result.cycles = cycle;
        result.end = End::kDone;
        break;
      }
      if (idle > run.max_idle || (run.max_cycles != 0 && cycle >= run.max_cycles)) {
        result.cycles = last;
        result.end = idle > run.max_idle ? End::kStopped : End::kLimit;
        break;
      }
      each_source(*top_, [&](int end, auto& data, auto& valid, auto&) {
        valid = 0;
        for (std::size_t s = 0; s < run.streams.size(); ++s) {
          if (run.streams[s].first != static_cast<std::uint64_t>(end) ||
              at[s] == run.streams[s].second.size())
            continue;
          data = run.streams[s].second[at[s]];
          valid = allows(run.offer_seed, run.offer_percent, static_cast<std::uint64_t>(end), cycle);
        }
      });
      each_sink(*top_, [&](int end, auto&, auto&, auto& ready) {
        ready = allows(run.take_seed, run.take_percent, static_cast<std::uint64_t>(end), cycle);
      });
      top_->eval();
      bool any = false;
      each_source(*top_, [&](int end, auto&, auto& valid, auto& ready) {
        if (!valid || !ready) return;
        any = begun = true;
        for (std::size_t s = 0; s < run.streams.size(); ++s)
          if (run.streams[s].first == static_cast<std::uint64_t>(end)) ++at[s];
      });
      each_sink(*top_, [&](int end, auto& data, auto& valid, auto& ready) {
        if (!valid || !ready) return;
        any = true;
        for (auto& [id, tokens] : result.taken)
          if (id == static_cast<std::uint64_t>(end)) {
            tokens.push_back(data);
            return;
          }
        result.taken.push_back({static_cast<std::uint64_t>(end), {data}});
      });
      any |= watch(run, result, cycle);
      idle = any ? 0 : idle + 1;
      if (any) last = cycle + 1;
      clock();
    }
    each_source(*top_, [](int, auto&, auto& valid, auto&) { valid = 0; });
    each_sink(*top_, [](int, auto&, auto&, auto& ready) { ready = 0; });
  }

  bool watch(const Run& run, Result& result, std::uint64_t cycle) {
#ifdef HEDDLE_PROBE
    bool any = false;
    for (int w = 0; w * 32 < kChannels; ++w)
      any |= (word_of(top_->probe_push, w) | word_of(top_->probe_pop, w)) != 0;
    if (any) count_waiting(result);
    for (int w = 0; w * 32 < kChannels; ++w) {
      const std::uint32_t push = word_of(top_->probe_push, w);
      const std::uint32_t pop = word_of(top_->probe_pop, w);
      const std::uint32_t head = word_of(top_->probe_head, w);
      for (std::uint32_t bits = push | head; bits != 0; bits &= bits - 1) {
        const int b = __builtin_ctz(bits);
        const int c = w * 32 + b;
        Result::Channel& channel = result.channels[static_cast<std::size_t>(c)];
        if ((head >> b) & 1) ++(any ? channel.busy : waiting_[static_cast<std::size_t>(c)]);
        if ((pop >> b) & 1) {
          const std::uint64_t token = token_of(c);
          ++channel.pops;
          channel.hash = hash_transfer(channel.hash, cycle, token);
          if (run.trace) {
            auto& flight = in_flight_[static_cast<std::size_t>(c)];
            // A broken design may give a token that it was never given.
            channel.trace.insert(
                channel.trace.end(),
                {flight.empty() ? ~std::uint64_t{0} : flight.front(), cycle, token});
            if (!flight.empty()) flight.erase(flight.begin());
          }
        }
        if ((push >> b) & 1) {
          ++channel.pushes;
          if (run.trace) in_flight_[static_cast<std::size_t>(c)].push_back(cycle);
        }
      }
    }
    waits_ = waits_ || !any;
    return any;
#else
    (void)run;
    (void)result;
    (void)cycle;
    return true;  // not watched: only the limit of cycles ends a stopped run
#endif
  }

#ifdef HEDDLE_PROBE
  /// Tokens that waited while nothing moved were busy, now that something does. In a run that
  /// stops, what waits after the last transfer does not count.
  void count_waiting(Result& result) {
    if (!waits_) return;
    for (std::size_t c = 0; c < waiting_.size(); ++c) {
      result.channels[c].busy += waiting_[c];
      waiting_[c] = 0;
    }
    waits_ = false;
  }

  /// The 34 bits at channel c of probe_data.
  std::uint64_t token_of(int c) const {
    const int bit = c * 34, word = bit / 32, shift = bit % 32;
    std::uint64_t low = word_of(top_->probe_data, word),
                  middle = word_of(top_->probe_data, word + 1);
    std::uint64_t bits = (low | (middle << 32)) >> shift;
    if (shift > 30) bits |= std::uint64_t{word_of(top_->probe_data, word + 2)} << (64 - shift);
    return bits & 0x3ffffffffu;
  }
#endif

  std::unique_ptr<Model> top_;
  std::vector<std::vector<std::uint64_t>> in_flight_;
  std::vector<std::uint64_t> waiting_;  // by channel: cycles with a head since anything moved
  bool waits_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s INPUT OUTPUT\n", argv[0]);
    return 2;
  }
  Words in, out;
  if (!in.load(argv[1])) {
    std::fprintf(stderr, "%s: cannot read\n", argv[1]);
    return 1;
  }
  Harness harness;
  const std::uint64_t runs = in.get();
  out.put(runs);
  for (std::uint64_t r = 0; r < runs; ++r) {
    const Run run = get_run(in);
    if (in.bad) return 1;
    put(out, harness.run(run));
  }
  return out.save(argv[2]) ? 0 : 1;
}
