// Scratch: the private memory of a sparse accumulator. Words, wide enough for a WideSum, with
// presence bits, and the least present address found in a few steps through a tree of 64-bit
// summaries.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace heddle {

class Scratch {
 public:
  void resize(int address_bits) {
    words_.assign(std::size_t{1} << address_bits, 0);
    levels_ = 0;
    std::size_t total = 0, n = words_.size();
    do {
      n = (n + 63) / 64;
      level_[levels_++] = total;
      total += n;
    } while (n > 1);
    presence_.assign(total, 0);
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(words_.size()); }
  bool present(std::uint32_t a) const { return (presence_[a / 64] >> (a % 64)) & 1; }
  std::uint64_t get(std::uint32_t a) const { return words_[a]; }
  bool any() const { return levels_ > 0 && presence_.back() != 0; }
  /// The least present address; call only if any().
  std::uint32_t first() const {
    std::uint64_t at = 0;
    for (std::size_t l = levels_; l-- > 0;)
      at = at * 64 + static_cast<std::uint64_t>(__builtin_ctzll(presence_[level_[l] + at]));
    return static_cast<std::uint32_t>(at);
  }
  // Neither of these two leaves the tree early: how far up they have to go is hard to foretell.
  void put(std::uint32_t a, std::uint64_t word) {
    words_[a] = word;
    std::uint64_t at = a;
    for (std::size_t l = 0; l < levels_; ++l, at /= 64)
      presence_[level_[l] + at / 64] |= std::uint64_t{1} << (at % 64);
  }
  void erase(std::uint32_t a) {
    std::uint64_t at = a, gone = 1;
    for (std::size_t l = 0; l < levels_; ++l, at /= 64) {
      std::uint64_t& bits = presence_[level_[l] + at / 64];
      bits &= ~(gone << (at % 64));
      gone = bits == 0 ? 1 : 0;
    }
  }

 private:
  static constexpr std::size_t kMostLevels = 6;  // of addresses of 32 bits
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> presence_;  // level after level, the last is one word
  std::array<std::size_t, kMostLevels> level_{};
  std::size_t levels_ = 0;
};

}  // namespace heddle
