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
  std::vector<std::vector<std::uint32_t>> vals;  // by place, the last mode's fastest; then by tile
  /// Bit p % 32 of bits[p / 32][tile]: whether place p has an entry. None: all places have.
  std::vector<std::vector<std::uint32_t>> bits;
};

/// Places of a tile.
std::size_t place_count(const std::vector<int>& sizes);

/// Cuts a tensor. `pattern` becomes the tensor of its tiles, stored in `format`, each with its
/// position for a value.
/// Places without an entry, also those beyond the shape, hold zero.
Tiles cut(const Tensor& tensor, const std::vector<int>& sizes, const TensorFormat& format,
          Tensor& pattern);

/// The stored tiles of a pattern; the value of each is its position.
EntryList numbered_tiles(Tensor pattern);

/// The entries of a tensor of this shape, from its tiles by coordinate and position, in no order.
EntryList entries_of(const Tiles& tiles, const EntryList& numbered,
                     std::vector<std::uint32_t> shape);

}  // namespace heddle
