// Operands worth trying: special values, and random ones drawn where rounding is hard.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace heddle {

struct Operands {
  std::uint32_t a;
  std::uint32_t b;
};

// Zeros, subnormals, the ends of the normal range, infinities, NaNs, powers of two and their
// neighbours, halfway cases and range limits of the functions; each with both signs.
inline std::vector<std::uint32_t> special_values() {
  std::vector<std::uint32_t> values = {
      0x00000000, 0x00000001, 0x00000002, 0x00000003, 0x00000005, 0x00000007,
      0x0000000a, 0x003fffff, 0x00400000, 0x00400001, 0x007ffffe, 0x007fffff,  // subnormal
      0x00800000, 0x00800001, 0x00ffffff, 0x01000000, 0x01000001, 0x0c000000,  // small
      0x7effffff, 0x7f000000, 0x7f7ffffe, 0x7f7fffff,                          // large
      0x7f800000, 0x7f800001, 0x7fbfffff, 0x7fc00000, 0x7fc00001, 0x7fffffff,  // infinite, NaN
      0x3f7fffff, 0x3f800000, 0x3f800001, 0x3f7ffffe, 0x3f800002,              // around 1
      0x3effffff, 0x3f000000, 0x3f000001, 0x3fffffff, 0x40000000, 0x40000001,  // 0.5 and 2
      0x3fc00000, 0x3fc00001, 0x3fbfffff, 0x3f400000, 0x3eaaaaab, 0x40400000,  // 1.5, 0.75, 1/3, 3
      0x33000000, 0x33800000, 0x33800001, 0x34000000, 0x34000001, 0x33ffffff,  // halves of an ulp
      0x4b000000, 0x4b7fffff, 0x4b800000, 0x4b800001, 0x4c000000, 0x4bffffff,  // 2^23 to 2^25
      0x1f800000, 0x20000000, 0x1fffffff, 0x5f000000, 0x5f800000, 0x5effffff,  // roots of limits
      0x3fb504f3, 0x3fb504f4, 0x3f3504f3, 0x3f317218, 0x402df854, 0x3fb8aa3b,  // sqrt 2, ln 2, e
      0x42b17217, 0x42b17218, 0x42b17219, 0x42aeac4f, 0x42aeac50, 0x42cff1b5,  // limits of exp
      0x42ce8ed0, 0x42d00000, 0x42ffffff, 0x43000000, 0x437fffff,              // and of sigmoid
      0x417fffff, 0x41800000, 0x4110cb8a, 0x41100000, 0x41653333, 0x41680000,  // of tanh, gelu
      0x397fffff, 0x39800000, 0x39800001, 0x3d000000, 0x3d7fffff, 0x41000000,  // and their rows
      0x012238ed, 0x06cb3eee, 0x071cd2dd, 0x3a447bbf, 0x76cdbd96,              // log: exact ln 2
      0x00000010, 0x00000064, 0x0000ffff, 0x00010000, 0x00010001, 0x55555555,  // integers
      0x2aaaaaaa, 0x12345678, 0x00d00d00};
  const std::size_t count = values.size();
  for (std::size_t i = 0; i < count; ++i) values.push_back(values[i] | 0x80000000);
  for (const std::uint32_t integer : {0xfffffffeU, 0xffffff9cU, 0xffff0000U}) {
    values.push_back(integer);
  }
  return values;
}

// Random operands; each draw picks one of several shapes.
class Stimulus {
 public:
  explicit Stimulus(std::uint64_t seed) : random_(seed) {}

  Operands next() {
    Operands pair = {bits(), bits()};
    switch (bits() % 10) {
      case 0:  // any bits
        break;
      case 1:  // near each other: sums cancel
        pair.b = pair.a ^ (bits() & 1 ? 0x80000000 : 0);
        pair.b += below(64) - 32;
        break;
      case 2:  // exponents within the reach of a sum
        pair.b = with_exponent(pair.b, exponent(pair.a) + static_cast<int>(below(56)) - 28);
        break;
      case 3:  // products about the smallest normal number
        pair.b = with_exponent(pair.b, 127 - exponent(pair.a) + static_cast<int>(below(30)) - 26);
        break;
      case 4:  // quotients about the smallest normal number
        pair.b = with_exponent(pair.b, exponent(pair.a) + 126 + static_cast<int>(below(30)) - 4);
        break;
      case 5:  // results about the largest number
        pair.a = with_exponent(pair.a, 127 + static_cast<int>(below(128)));
        pair.b = with_exponent(pair.b, 381 - exponent(pair.a) + static_cast<int>(below(4)) - 2);
        break;
      case 6:  // few digits: exact and halfway results
        pair.a = few_digits(pair.a);
        pair.b =
            few_digits(with_exponent(pair.b, exponent(pair.a) + static_cast<int>(below(50)) - 25));
        break;
      case 7:  // subnormal and small
        pair.a &= 0x80ffffff;
        if (bits() & 1) pair.b &= 0x80ffffff;
        pair.a >>= below(2) * below(20);
        break;
      case 8:  // arguments of functions
        pair.a = with_exponent(pair.a, 100 + static_cast<int>(below(36)));
        pair.b = with_exponent(pair.b, 100 + static_cast<int>(below(36)));
        break;
      default:  // integers of any length
        pair.a = static_cast<std::uint32_t>(static_cast<std::int32_t>(pair.a) >> below(32));
        pair.b = static_cast<std::uint32_t>(static_cast<std::int32_t>(pair.b) >> below(32));
        break;
    }
    return pair;
  }

 private:
  std::uint32_t bits() { return static_cast<std::uint32_t>(random_() >> 32); }
  std::uint32_t below(std::uint32_t limit) { return bits() % limit; }

  static int exponent(std::uint32_t value) { return static_cast<int>((value >> 23) & 0xff); }
  static std::uint32_t with_exponent(std::uint32_t value, int exponent) {
    const int clamped = exponent < 0 ? 0 : exponent > 254 ? 254 : exponent;
    return (value & 0x807fffff) | (static_cast<std::uint32_t>(clamped) << 23);
  }
  std::uint32_t few_digits(std::uint32_t value) {
    const std::uint32_t mask = ~std::uint32_t{0} << below(24);
    return bits() & 1 ? value & mask : (value & 0xff800000) | (~mask & 0x7fffff);
  }

  std::mt19937_64 random_;
};

}  // namespace heddle
