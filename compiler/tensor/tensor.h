// Tensors as they are stored: a stack of levels in storage order, values at the bottom.
// Shapes are by mode (declared order); levels are by storage order. Values are raw 32-bit words.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/primitives/arithmetic.h"

namespace heddle {

inline constexpr int kMaxRank = 8;

enum class LevelKind : std::uint8_t { kDense, kCompressed };

/// Level kinds in storage order and the mode each level stores. Immutable in use; rank 0 is a
/// scalar.
struct TensorFormat {
  std::vector<LevelKind> levels;
  std::vector<int> order;        // order[l]: the mode stored at level l
  bool coordinate_list = false;  // declared `coo`: a list of entries; stored as all-compressed

  int rank() const { return static_cast<int>(levels.size()); }
  bool all_dense() const {
    return std::find(levels.begin(), levels.end(), LevelKind::kCompressed) == levels.end();
  }
  bool operator==(const TensorFormat&) const = default;

  static TensorFormat dense(int rank);
  static TensorFormat compressed(int rank);
  /// `dense`, `csr`, `csc`, `dcsr`, `coo` for the rank, or nothing if the name does not fit it.
  /// dense and coo fit any rank, the matrix names rank 2 only.
  static std::optional<TensorFormat> named(std::string_view name, int rank);
};
/// The shortest text that parses back: a name where one fits, else spelled as in
/// "{dense, compressed} order (1, 0)".
std::string to_text(const TensorFormat& format);

/// Entries in no particular format: coordinates by mode, lexicographically sorted, unique; values
/// raw words.
struct EntryList {
  std::vector<std::uint32_t> shape;  // by mode
  std::vector<std::uint32_t> crd;    // size() * rank, entry-major
  std::vector<std::uint32_t> vals;   // raw bits
  int rank() const { return static_cast<int>(shape.size()); }
  std::size_t size() const { return vals.size(); }
  std::span<const std::uint32_t> entry(std::size_t n) const {
    return {crd.data() + n * shape.size(), shape.size()};
  }
};
/// Sorts entries and adds up duplicates (in the order given, by the type's own addition).
void normalize(EntryList& list, ValueType type);

struct Level {
  LevelKind kind = LevelKind::kDense;
  std::uint32_t size = 0;          // of the mode stored here
  std::vector<std::uint32_t> seg;  // compressed only: positions + 1 entries, starts with 0
  std::vector<std::uint32_t> crd;  // compressed only
};

struct Tensor {
  ValueType type = ValueType::kF32;
  std::vector<std::uint32_t> shape;  // by mode
  TensorFormat format;
  std::vector<Level> levels;  // storage order
  std::vector<std::uint32_t> vals;
  int rank() const { return format.rank(); }
};

/// Number of positions at the bottom if stored dense; saturates at UINT64_MAX.
std::uint64_t dense_size(std::span<const std::uint32_t> shape);
/// Largest number of 32-bit words that one entry list or one stored tensor may take. Callers that
/// get shapes from users check before they make entries or pack.
inline constexpr std::uint64_t kMaxWords = std::uint64_t{1} << 31;
/// Words that `entries` entries of this shape take as a list; saturates at UINT64_MAX.
std::uint64_t list_words(std::span<const std::uint32_t> shape, std::uint64_t entries);
/// At most how many words `entries` entries take in `format`; saturates at UINT64_MAX.
std::uint64_t storage_words(std::span<const std::uint32_t> shape, std::uint64_t entries,
                            const TensorFormat& format);
/// Stores a normalized list. Dense levels store zeros where the list has nothing.
Tensor pack(const EntryList& list, ValueType type, const TensorFormat& format);
/// Every stored entry (including stored zeros; for dense levels every position), sorted by mode
/// order.
EntryList unpack(const Tensor& tensor);
/// The same entries in another format. If the innermost level of `tensor` is dense, a zero (+0 or
/// -0) cannot be told from a missing entry and counts as one; entries of a compressed innermost
/// level are all kept.
Tensor convert(const Tensor& tensor, const TensorFormat& format);
/// Checks every invariant (monotone segments, sorted unique coordinates, sizes); the text of the
/// first violation, or nothing.
std::optional<std::string> broken(const Tensor& tensor);

}  // namespace heddle
