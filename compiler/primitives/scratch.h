// Scratch: the private memory of a sparse accumulator. Words, wide enough for a WideSum, with
// presence bits, and the least present address found in a few steps through a tree of 64-bit
// summaries.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle {

class Scratch {
 public:
  void resize(int address_bits) {
    words_.assign(std::size_t{1} << address_bits, 0);
    levels_.clear();
    for (std::size_t n = words_.size();;) {
      n = (n + 63) / 64;
      levels_.emplace_back(n, 0);
      if (n == 1) break;
    }
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(words_.size()); }
  bool present(std::uint32_t a) const { return (levels_[0][a / 64] >> (a % 64)) & 1; }
  std::uint64_t get(std::uint32_t a) const { return words_[a]; }
  bool any() const { return !levels_.empty() && levels_.back()[0] != 0; }
  /// The least present address; call only if any().
  std::uint32_t first() const {
    std::uint64_t at = 0;
    for (std::size_t l = levels_.size(); l-- > 0;)
      at = at * 64 + static_cast<std::uint64_t>(__builtin_ctzll(levels_[l][at]));
    return static_cast<std::uint32_t>(at);
  }
  void put(std::uint32_t a, std::uint64_t word) {
    words_[a] = word;
    std::uint64_t at = a;
    for (auto& level : levels_) {
      const std::uint64_t bit = std::uint64_t{1} << (at % 64);
      if ((level[at / 64] & bit) != 0) return;  // then the summaries have it, too
      level[at / 64] |= bit;
      at /= 64;
    }
  }
  void erase(std::uint32_t a) {
    std::uint64_t at = a;
    for (auto& level : levels_) {
      level[at / 64] &= ~(std::uint64_t{1} << (at % 64));
      if (level[at / 64] != 0) break;
      at /= 64;
    }
  }

 private:
  std::vector<std::uint64_t> words_;
  std::vector<std::vector<std::uint64_t>> levels_;
};

}  // namespace heddle
