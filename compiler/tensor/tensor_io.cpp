#include "compiler/tensor/tensor_io.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "compiler/support/check.h"
#include "compiler/tensor/file_bytes.h"
#include "compiler/tensor/line_reader.h"
#include "compiler/tensor/readers.h"

namespace heddle {
namespace {

enum class FileKind : std::uint8_t { kMatrixMarket, kFrostt, kNpy };

constexpr std::array<std::pair<std::string_view, FileKind>, 3> kKinds = {{
    {".mtx", FileKind::kMatrixMarket},
    {".tns", FileKind::kFrostt},
    {".npy", FileKind::kNpy},
}};

struct FileName {
  FileKind kind{};
  Packing packing = Packing::kPlain;
};

std::optional<FileName> parse_name(const std::filesystem::path& path, Diagnostics& diag) {
  std::string name = path.filename().string();
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  FileName result;
  if (name.ends_with(".gz")) {
    result.packing = Packing::kGzip;
    name.resize(name.size() - 3);
  }
  for (const auto& [ending, kind] : kKinds) {
    if (!name.ends_with(ending)) continue;
    result.kind = kind;
    return result;
  }
  diag.error("data-kind", Place{.file = path.string(), .text = {}},
             "the name of a data file must end in .mtx (Matrix Market), .tns (FROSTT) or .npy "
             "(NumPy), or in one of these and .gz");
  return std::nullopt;
}

std::optional<EntryList> read_entries(const FileName& name, const std::string& file,
                                      std::string_view bytes, ValueType type, int rank,
                                      const std::vector<std::uint32_t>& shape, Diagnostics& diag) {
  switch (name.kind) {
    case FileKind::kMatrixMarket:
      return read_matrix_market(file, bytes, type, diag);
    case FileKind::kFrostt:
      return read_frostt(file, bytes, type, rank, shape, diag);
    case FileKind::kNpy:
      break;
  }
  return read_npy(file, bytes, type, diag);
}

/// Leaves out sizes of one where that makes a vector or a scalar of a matrix file. False if the
/// rank differs.
bool fit_rank(EntryList& list, int rank) {
  if (list.rank() == rank) return true;
  const auto ones = std::ranges::count(list.shape, 1U);
  const bool vector = rank == 1 && list.rank() == 2 && ones > 0;
  const bool scalar = rank == 0 && ones == list.rank();
  if (!vector && !scalar) return false;
  if (scalar) {
    list.shape.clear();
    list.crd.clear();
    return true;
  }
  const std::size_t mode = list.shape[1] == 1 ? 0 : 1;
  for (std::size_t n = 0; n < list.size(); ++n) list.crd[n] = list.crd[2 * n + mode];
  list.crd.resize(list.size());
  list.shape = {list.shape[mode]};
  return true;
}

std::optional<EntryList> read_without_note(const std::filesystem::path& path, ValueType type,
                                           int rank, const std::vector<std::uint32_t>& shape,
                                           Diagnostics& diag) {
  const auto name = parse_name(path, diag);
  if (!name) return std::nullopt;
  const auto bytes = read_file(path, name->packing, diag);
  if (!bytes) return std::nullopt;
  auto list = read_entries(*name, path.string(), *bytes, type, rank, shape, diag);
  if (!list) return std::nullopt;
  const std::string sizes = shape_text(list->shape);
  const int file_rank = list->rank();
  if (!fit_rank(*list, rank)) {
    diag.error("data-rank", Place{.file = path.string(), .text = {}},
               fmt::format("the file has rank {} ({}), but the tensor has rank {}", file_rank,
                           sizes, rank));
    return std::nullopt;
  }
  normalize(*list, type);
  return list;
}

}  // namespace

std::optional<EntryList> read_tensor(const std::filesystem::path& path, ValueType type, int rank,
                                     const std::vector<std::uint32_t>& shape, SourceRange use,
                                     Diagnostics& diag) {
  HEDDLE_CHECK(rank >= 0 && rank <= kMaxRank, "rank {} is not in 0..{}", rank, kMaxRank);
  auto list = read_without_note(path, type, rank, shape, diag);
  if (!list && use.file != 0) diag.note(use, "the file is named here");
  return list;
}

std::string value_text(std::uint32_t bits, ValueType type) {
  if (type == ValueType::kI32) return fmt::format("{}", static_cast<std::int32_t>(bits));
  return fmt::format("{}", arithmetic::to_float(bits));
}

std::string shape_text(const std::vector<std::uint32_t>& shape) {
  return shape.empty() ? "no size" : fmt::format("{}", fmt::join(shape, " x "));
}

}  // namespace heddle
