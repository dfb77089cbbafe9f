// Tiles: a tensor cut into boxes of one size. Tiles that have an entry are stored as the entries of
// a tensor of tiles; each place inside a tile has an array of its own, with a word for each stored
// tile.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/tensor/tensor.h"

namespace heddle {

struct Tiles {
  std::vector<int> sizes;                        // by mode: places of a tile
  Tensor pattern;                                // which tiles are stored, and where
  std::vector<std::vector<std::uint32_t>> vals;  // by place, the last mode's fastest; then by tile
  /// Bit p % 32 of bits[p / 32][tile]: whether place p has an entry. None: all places have.
  std::vector<std::vector<std::uint32_t>> bits;
};

/// Places of a tile.
std::size_t place_count(const std::vector<int>& sizes);

/// Cuts a tensor; the levels of its tiles are stored in `format`. Places without an entry, also
/// those beyond the shape, hold zero.
Tiles cut(const Tensor& tensor, const std::vector<int>& sizes, const TensorFormat& format);

/// The entries of a tensor of this shape.
EntryList entries_of(const Tiles& tiles, ValueType type, std::vector<std::uint32_t> shape);

}  // namespace heddle
