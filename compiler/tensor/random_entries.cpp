// Random data that is the same on every machine: integer arithmetic, and single IEEE operations in
// double where each is rounded on its own. No function of the C library takes part.
#include <bit>
#include <cmath>
#include <limits>

#include "compiler/support/check.h"
#include "compiler/tensor/tensor_io.h"

namespace heddle {
namespace {

/// xoshiro256** of Blackman and Vigna, its state filled by splitmix64 from the seed.
class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (std::uint64_t& word : state_) {
      seed += 0x9e3779b97f4a7c15U;
      std::uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
      word = z ^ (z >> 31);
    }
  }

  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

 private:
  std::array<std::uint64_t, 4> state_{};
};

/// How many positions to leave out before the next entry, if each is an entry with probability
/// `density`.
///
/// That number is geometric: at least n with probability q^n, q = 1 - density. Its binary digits
/// are independent of each other: digit k is 1 with probability q^(2^k) / (1 + q^(2^k)). So it
/// takes one comparison per digit and no logarithm.
class GeometricSkip {
 public:
  explicit GeometricSkip(double density) {
    double power = 1 - density;  // q^(2^k)
    for (std::uint64_t& threshold : thresholds_) {
      threshold = static_cast<std::uint64_t>(power / (1 + power) * 0x1p53);
      digits_ += threshold > 0 ? 1 : 0;
      power = power * power;
    }
  }

  std::uint64_t next(Random& random) const {
    std::uint64_t skip = 0;
    for (std::size_t k = 0; k < digits_; ++k) {
      if (random.next() >> 11 < thresholds_[k]) skip |= std::uint64_t{1} << k;
    }
    return skip;
  }

 private:
  std::array<std::uint64_t, 64> thresholds_{};  // in units of 2^-53; they fall
  std::size_t digits_ = 0;                      // thresholds that are not zero
};

std::uint32_t random_value(Random& random, ValueType type) {
  const std::uint64_t bits = random.next();
  if (type == ValueType::kI32) return static_cast<std::uint32_t>(bits >> 60) - 8;
  // 24 bits of which every value is exact: -1, -1 + 2^-23, ..., 1 - 2^-23.
  const auto number = static_cast<std::int32_t>(bits >> 40) - (1 << 23);
  return arithmetic::from_float(static_cast<float>(number) * 0x1p-23F);
}

void append(EntryList& list, std::uint64_t position, std::uint32_t value) {
  const std::size_t rank = list.shape.size();
  list.crd.resize(list.crd.size() + rank);
  for (std::size_t k = 1; k <= rank; ++k) {
    const std::uint32_t size = list.shape[rank - k];
    list.crd[list.crd.size() - k] = static_cast<std::uint32_t>(position % size);
    position /= size;
  }
  list.vals.push_back(value);
}

}  // namespace

EntryList random_entries(const std::vector<std::uint32_t>& shape, ValueType type, double density,
                         std::uint64_t seed) {
  EntryList list{.shape = shape, .crd = {}, .vals = {}};
  if (!(density > 0)) return list;
  const std::uint64_t size = dense_size(shape);
  HEDDLE_CHECK(std::min(density, 1.0) * static_cast<double>(list_words(shape, size)) <=
                   static_cast<double>(kMaxWords),
               "{} positions of density {} are too many", size, density);
  Random random(seed);
  const bool all = density >= 1;
  const GeometricSkip skip(all ? 0.5 : density);
  for (std::uint64_t position = 0; position < size; ++position) {
    const std::uint64_t left_out = all ? 0 : skip.next(random);
    if (left_out >= size - position) break;
    position += left_out;
    append(list, position, random_value(random, type));
  }
  return list;
}

}  // namespace heddle
