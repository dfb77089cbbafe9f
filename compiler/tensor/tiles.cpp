#include "compiler/tensor/tiles.h"

#include <algorithm>
#include <numeric>

namespace heddle {
namespace {

constexpr std::size_t kWordBits = 32;

std::uint32_t bit(std::size_t place) { return std::uint32_t{1} << (place % kWordBits); }

/// Coordinates of the tile of each entry, entry-major; `places` gets the place inside it.
EntryList tiles_of(const EntryList& list, const std::vector<int>& sizes,
                   std::vector<std::size_t>& places) {
  EntryList tiles;
  for (std::size_t m = 0; m < sizes.size(); ++m) {
    const auto size = static_cast<std::uint32_t>(sizes[m]);
    tiles.shape.push_back(list.shape[m] / size + (list.shape[m] % size != 0 ? 1 : 0));
  }
  for (std::size_t n = 0; n < list.size(); ++n) {
    std::size_t place = 0;
    for (std::size_t m = 0; m < sizes.size(); ++m) {
      const auto size = static_cast<std::uint32_t>(sizes[m]);
      tiles.crd.push_back(list.entry(n)[m] / size);
      place = place * size + list.entry(n)[m] % size;
    }
    places.push_back(place);
  }
  tiles.vals.assign(list.size(), 0);
  return tiles;
}

/// Each tile once, numbered from 1 on in its value; `number` says which one an entry is in.
EntryList unique(const EntryList& tiles, std::vector<std::uint32_t>& number) {
  std::vector<std::size_t> order(tiles.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto before = [&](std::size_t a, std::size_t b) {
    return std::ranges::lexicographical_compare(tiles.entry(a), tiles.entry(b));
  };
  std::ranges::sort(order, before);
  EntryList once{.shape = tiles.shape, .crd = {}, .vals = {}};
  number.resize(tiles.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || before(order[i - 1], order[i])) {
      const auto entry = tiles.entry(order[i]);
      once.crd.insert(once.crd.end(), entry.begin(), entry.end());
      once.vals.push_back(static_cast<std::uint32_t>(once.size()) + 1);
    }
    number[order[i]] = once.vals.back();
  }
  return once;
}

}  // namespace

std::size_t place_count(const std::vector<int>& sizes) {
  std::size_t count = 1;
  for (const int size : sizes) count *= static_cast<std::size_t>(size);
  return count;
}

Tiles cut(const Tensor& tensor, const std::vector<int>& sizes, const TensorFormat& format,
          Tensor& pattern) {
  const EntryList list = unpack(tensor);
  std::vector<std::size_t> places;
  std::vector<std::uint32_t> number;
  const EntryList once = unique(tiles_of(list, sizes, places), number);
  Tiles tiles;
  tiles.sizes = sizes;
  pattern = pack(once, ValueType::kI32, format);
  const std::vector<std::uint32_t> numbers = pattern.vals;
  std::iota(pattern.vals.begin(), pattern.vals.end(), 0u);
  std::vector<std::size_t> position(once.size() + 1);  // by number
  for (std::size_t p = 0; p < numbers.size(); ++p) position[numbers[p]] = p;
  const std::size_t count = place_count(sizes);
  tiles.vals.assign(count, std::vector<std::uint32_t>(numbers.size(), 0));
  tiles.bits.assign((count + kWordBits - 1) / kWordBits,
                    std::vector<std::uint32_t>(numbers.size(), 0));
  for (std::size_t n = 0; n < list.size(); ++n) {
    const std::size_t at = position[number[n]];
    tiles.vals[places[n]][at] = list.vals[n];
    tiles.bits[places[n] / kWordBits][at] |= bit(places[n]);
  }
  return tiles;
}

EntryList numbered_tiles(Tensor pattern) {
  std::iota(pattern.vals.begin(), pattern.vals.end(), 0u);
  return unpack(pattern);
}

EntryList entries_of(const Tiles& tiles, const EntryList& numbered,
                     std::vector<std::uint32_t> shape) {
  const std::size_t rank = shape.size();
  EntryList list{.shape = std::move(shape), .crd = {}, .vals = {}};
  std::vector<std::uint32_t> crd(rank);
  for (std::size_t place = 0; place < tiles.vals.size(); ++place)
    for (std::size_t n = 0; n < numbered.size(); ++n) {
      const std::uint32_t at = numbered.vals[n];
      bool there = tiles.bits.empty() || (tiles.bits[place / kWordBits][at] & bit(place)) != 0;
      std::size_t rest = place;
      for (std::size_t m = rank; m-- > 0;) {
        const auto size = static_cast<std::size_t>(tiles.sizes[m]);
        crd[m] = static_cast<std::uint32_t>(numbered.entry(n)[m] * size + rest % size);
        rest /= size;
        there = there && crd[m] < list.shape[m];
      }
      if (!there) continue;
      list.crd.insert(list.crd.end(), crd.begin(), crd.end());
      list.vals.push_back(tiles.vals[place][at]);
    }
  return list;
}

}  // namespace heddle
