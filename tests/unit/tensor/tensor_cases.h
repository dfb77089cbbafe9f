// What several tests of tensors need: short ways to write values, lists and formats.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "compiler/tensor/tensor.h"

namespace heddle {

using Words = std::vector<std::uint32_t>;

inline std::uint32_t f32(float value) { return arithmetic::from_float(value); }
inline std::uint32_t i32(std::int32_t value) { return static_cast<std::uint32_t>(value); }

inline Words f32s(std::initializer_list<float> values) {
  Words words;
  for (const float value : values) words.push_back(f32(value));
  return words;
}

inline EntryList entries(Words shape, Words crd, Words vals) {
  return {.shape = std::move(shape), .crd = std::move(crd), .vals = std::move(vals)};
}

inline bool operator==(const EntryList& a, const EntryList& b) {
  return a.shape == b.shape && a.crd == b.crd && a.vals == b.vals;
}

inline void PrintTo(const EntryList& list, std::ostream* os) {
  *os << "shape";
  for (const std::uint32_t size : list.shape) *os << ' ' << size;
  for (std::size_t n = 0; n < list.size(); ++n) {
    *os << "\n (";
    for (const std::uint32_t crd : list.entry(n)) *os << ' ' << crd;
    *os << " ) " << std::hex << list.vals[n] << std::dec;
  }
}

/// Every stack of level kinds in every order, `coo` too.
inline std::vector<TensorFormat> all_formats(int rank) {
  std::vector<TensorFormat> formats;
  TensorFormat format = TensorFormat::dense(rank);
  do {
    for (unsigned kinds = 0; kinds < (1U << rank); ++kinds) {
      for (int l = 0; l < rank; ++l) {
        format.levels[static_cast<std::size_t>(l)] =
            ((kinds >> l) & 1U) != 0 ? LevelKind::kCompressed : LevelKind::kDense;
      }
      formats.push_back(format);
    }
  } while (std::ranges::next_permutation(format.order).found);
  formats.push_back(*TensorFormat::named("coo", rank));
  return formats;
}

}  // namespace heddle
