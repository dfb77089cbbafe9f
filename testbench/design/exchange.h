// What the program and a harness process say to each other: runs in, results out, as 64-bit words
// in a file.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace heddle::exchange {

struct Words {
  std::vector<std::uint64_t> data;
  std::size_t at = 0;
  bool bad = false;  // a read went past the end

  void put(std::uint64_t word) { data.push_back(word); }
  std::uint64_t get() {
    if (at < data.size()) return data[at++];
    bad = true;
    return 0;
  }
  bool save(const std::string& path) const {
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) return false;
    const bool written = std::fwrite(data.data(), 8, data.size(), file) == data.size();
    return std::fclose(file) == 0 && written;
  }
  bool load(const std::string& path) {
    std::FILE* file = std::fopen(path.c_str(), "rb");
    if (file == nullptr) return false;
    std::fseek(file, 0, SEEK_END);
    const long size = std::ftell(file);
    std::fseek(file, 0, SEEK_SET);
    data.resize(static_cast<std::size_t>(size) / 8);
    const bool complete = std::fread(data.data(), 8, data.size(), file) == data.size();
    std::fclose(file);
    return complete;
  }
};

struct Load {
  std::uint64_t target = 0;
  std::vector<std::uint64_t> words;  // written to addresses 0, 1, ...
};

/// One run. Tokens are kind << 32 | bits.
struct Run {
  std::vector<Load> loads;
  std::vector<std::pair<std::uint64_t, std::vector<std::uint64_t>>>
      streams;  // external end, tokens
  std::uint64_t offer_seed = 0, offer_percent = 100, take_seed = 0, take_percent = 100;
  std::uint64_t max_idle = 10000;  // cycles without any transfer after which it has stopped
  std::uint64_t max_cycles = 0;    // 0: no limit
  bool trace = false;
  // After the run: status targets to read; memories with the read target that says how many words.
  std::vector<std::uint64_t> statuses;
  struct Memory {
    std::uint64_t target = 0, count_target = 0, extra = 0;  // words: status count + extra
  };
  std::vector<Memory> memories;
};

enum class End : std::uint64_t { kDone = 0, kStopped = 1, kLimit = 2 };

struct Result {
  End end = End::kDone;
  std::uint64_t error = 0;
  std::uint64_t cycles = 0;
  std::uint64_t nanoseconds = 0;  // of the run alone, without loading and reading
  struct Channel {
    std::uint64_t pushes = 0, pops = 0, busy = 0, hash = 0;
    std::vector<std::uint64_t> trace;  // pushed, popped, token; three words a transfer
  };
  std::vector<Channel> channels;
  std::vector<std::pair<std::uint64_t, std::vector<std::uint64_t>>> taken;  // external end, tokens
  std::vector<std::uint64_t> statuses;
  std::vector<std::vector<std::uint64_t>> memories;
};

template <class T, class F>
void put_all(Words& w, const std::vector<T>& list, F put_one) {
  w.put(list.size());
  for (const T& item : list) put_one(item);
}
template <class T, class F>
void get_all(Words& w, std::vector<T>& list, F get_one) {
  const std::uint64_t n = w.get();
  for (std::uint64_t i = 0; i < n && !w.bad; ++i) list.push_back(get_one());
}
inline void put_words(Words& w, const std::vector<std::uint64_t>& list) {
  put_all(w, list, [&](std::uint64_t x) { w.put(x); });
}
inline std::vector<std::uint64_t> get_words(Words& w) {
  std::vector<std::uint64_t> list;
  get_all(w, list, [&] { return w.get(); });
  return list;
}

inline void put(Words& w, const Run& r) {
  put_all(w, r.loads, [&](const Load& l) { w.put(l.target), put_words(w, l.words); });
  put_all(w, r.streams, [&](const auto& s) { w.put(s.first), put_words(w, s.second); });
  for (const std::uint64_t x :
       {r.offer_seed, r.offer_percent, r.take_seed, r.take_percent, r.max_idle, r.max_cycles})
    w.put(x);
  w.put(r.trace ? 1 : 0);
  put_words(w, r.statuses);
  put_all(w, r.memories,
          [&](const Run::Memory& m) { w.put(m.target), w.put(m.count_target), w.put(m.extra); });
}
inline Run get_run(Words& w) {
  Run r;
  get_all(w, r.loads, [&] {
    Load l;
    l.target = w.get();
    l.words = get_words(w);
    return l;
  });
  get_all(w, r.streams, [&] {
    const std::uint64_t end = w.get();
    return std::make_pair(end, get_words(w));
  });
  for (std::uint64_t* x :
       {&r.offer_seed, &r.offer_percent, &r.take_seed, &r.take_percent, &r.max_idle, &r.max_cycles})
    *x = w.get();
  r.trace = w.get() != 0;
  r.statuses = get_words(w);
  get_all(w, r.memories, [&] {
    Run::Memory m;
    m.target = w.get();
    m.count_target = w.get();
    m.extra = w.get();
    return m;
  });
  return r;
}

inline void put(Words& w, const Result& r) {
  w.put(static_cast<std::uint64_t>(r.end));
  w.put(r.error);
  w.put(r.cycles);
  w.put(r.nanoseconds);
  put_all(w, r.channels, [&](const Result::Channel& c) {
    w.put(c.pushes), w.put(c.pops), w.put(c.busy), w.put(c.hash), put_words(w, c.trace);
  });
  put_all(w, r.taken, [&](const auto& s) { w.put(s.first), put_words(w, s.second); });
  put_words(w, r.statuses);
  put_all(w, r.memories, [&](const std::vector<std::uint64_t>& m) { put_words(w, m); });
}
inline Result get_result(Words& w) {
  Result r;
  r.end = static_cast<End>(w.get());
  r.error = w.get();
  r.cycles = w.get();
  r.nanoseconds = w.get();
  get_all(w, r.channels, [&] {
    Result::Channel c;
    c.pushes = w.get();
    c.pops = w.get();
    c.busy = w.get();
    c.hash = w.get();
    c.trace = get_words(w);
    return c;
  });
  get_all(w, r.taken, [&] {
    const std::uint64_t end = w.get();
    return std::make_pair(end, get_words(w));
  });
  r.statuses = get_words(w);
  get_all(w, r.memories, [&] { return get_words(w); });
  return r;
}

/// The outside world's pauses; the same function as heddle::Pattern::allows.
inline bool allows(std::uint64_t seed, std::uint64_t percent, std::uint64_t end,
                   std::uint64_t cycle) {
  if (percent >= 100) return true;
  std::uint64_t x = seed * 0x9e3779b97f4a7c15u + end * 0xd1b54a32d192ed03u + cycle;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return (x ^ (x >> 31)) % 100 < percent;
}

/// The same function as heddle::hash_transfer.
inline std::uint64_t hash_transfer(std::uint64_t hash, std::uint64_t popped, std::uint64_t token) {
  hash ^= popped * 0x9e3779b97f4a7c15u + token;
  hash = (hash ^ (hash >> 29)) * 0xbf58476d1ce4e5b9u;
  return hash ^ (hash >> 32);
}

}  // namespace heddle::exchange
