// WideSum: the sum of a stream of f32, taken in a window of fixed-point numbers and rounded once.
//
// A rounded addition takes long, and the next one would have to wait for it. So `reduce` and
// `accumulate` add f32 as integers, one a cycle, and round when the sum is asked for.
//
// A term +-m * 2^(e - 150), with e = 1 for subnormals, is the integer +-m << (e % 8 + 20) in units
// of its bucket e / 8; the unit of bucket k is 2^(8k - 170). Terms are added in the order in which
// they come. The window is in the highest bucket that a term has had, and moves up by one more
// when the sum gets near its top. What is below the unit when an integer moves to a higher bucket
// is cut off (towards minus infinity; all of it beyond 6 buckets). So
//   - the sum of one term is that term, and a sum whose terms have exponents within 20 of each
//     other is exact before it is rounded, while it is below 2^52 units;
//   - in general, n terms lose less than n * 2^-42 of the sum of their magnitudes, and then comes
//     one rounding, to nearest even, of what is left;
//   - only the final sum can overflow.
// An infinity or NaN decides the sum, infinities of both signs make a NaN. A sum that cancels is
// +0, one of -0 alone is -0.
//
// The modules rtl/arithmetic/sam_f32_sum_*.sv compute the same bits.
#pragma once

#include <algorithm>
#include <cstdint>

#include "compiler/primitives/arithmetic.h"

namespace heddle {

class WideSum {
 public:
  /// Of no terms.
  constexpr WideSum() = default;
  /// One that was stored as its word.
  explicit constexpr WideSum(std::uint64_t word) : word_(word) {}
  constexpr std::uint64_t word() const { return word_; }

  [[gnu::always_inline]] constexpr void add(std::uint32_t f32) {
    const int exponent = static_cast<int>((f32 >> 23) & 0xff);
    const std::int64_t m = (f32 & 0x7fffff) | (exponent != 0 ? 0x800000 : 0);
    const std::int64_t integer =
        ((f32 >> 31) != 0 ? -m : m) * (kOne << (std::max(exponent, 1) % 8));
    const int from = exponent / 8;  // that of exponents 0 and 1 is 0
    const int to = std::max(bucket() + static_cast<int>(word_ >> kGrowBit & 1), from);
    const int up = to - bucket();
    // Of the sum before this term: so the next bucket is known early.
    const bool grow = up == 0 && near_top();
    const std::uint64_t sum = static_cast<std::uint64_t>(moved(units(), up)) +
                              static_cast<std::uint64_t>(moved(integer, to - from));
    word_ = sum << kUnitsBit | static_cast<std::uint64_t>(to) << kBucketBit |
            static_cast<std::uint64_t>(grow) << kGrowBit | (word_ & kKinds) | kind(f32);
  }

  /// The sum as f32.
  constexpr std::uint32_t rounded() const {
    const bool plus = (word_ & kPlusInfinity) != 0;
    const bool minus = (word_ & kMinusInfinity) != 0;
    if (plus || minus) return plus && minus ? arithmetic::kNan : plus ? kInf : kSign | kInf;
    const std::int64_t sum = units();
    if (sum == 0) return (word_ & kOther) != 0 ? 0 : kSign;
    const auto magnitude = static_cast<std::uint64_t>(sum < 0 ? -sum : sum);
    const int zeros = __builtin_clzll(magnitude);
    const std::uint64_t high = magnitude << zeros;
    const std::uint32_t lost = (high & 0xffffffff) != 0 ? 1 : 0;
    return arithmetic::round_f32(sum < 0, 8 * bucket() + 20 - zeros,
                                 static_cast<std::uint32_t>(high >> 32) | lost);
  }

 private:
  // The word, from its top: 54 bits of the sum, 6 of the bucket, whether to move up, and the kinds
  // of terms that there were.
  static constexpr int kUnitsBit = 10;
  static constexpr int kBucketBit = 4;
  static constexpr int kGrowBit = 3;
  static constexpr std::uint64_t kPlusInfinity = 4;
  static constexpr std::uint64_t kMinusInfinity = 2;
  static constexpr std::uint64_t kOther = 1;  // other than -0
  static constexpr std::uint64_t kKinds = kPlusInfinity | kMinusInfinity | kOther;
  static constexpr std::int64_t kOne = 1 << 20;  // a unit of a term's fraction with e % 8 = 0
  static constexpr std::uint32_t kInf = arithmetic::kInf;
  static constexpr std::uint32_t kSign = arithmetic::kSign;

  constexpr std::int64_t units() const { return static_cast<std::int64_t>(word_) >> kUnitsBit; }
  constexpr int bucket() const { return static_cast<int>(word_ >> kBucketBit & 63); }
  /// Whether the sum is 2^52 or more, or less than -2^52. Two more terms make less than 2^53.
  constexpr bool near_top() const { return ((word_ ^ word_ << 1) >> 63) != 0; }
  static constexpr std::int64_t moved(std::int64_t units, int buckets) {
    return buckets > 6 ? 0 : units >> (8 * buckets);
  }
  static constexpr std::uint64_t kind(std::uint32_t f32) {
    if ((f32 & ~kSign) >= kInf) [[unlikely]]
      return arithmetic::is_nan(f32) ? kKinds
             : f32 == kInf           ? kPlusInfinity | kOther
                                     : kMinusInfinity | kOther;
    return f32 == kSign ? 0 : kOther;
  }

  std::uint64_t word_ = 0;
};

/// Cycles of a sum in hardware, of which the first two are those of a term, the next two those of
/// the addition, and the others those of normalizing and rounding.
inline constexpr int kWideSumLatency = 9;

}  // namespace heddle
