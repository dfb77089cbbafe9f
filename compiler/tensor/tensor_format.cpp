#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "compiler/support/check.h"
#include "compiler/tensor/tensor.h"

namespace heddle {
namespace {

TensorFormat uniform(LevelKind kind, int rank) {
  HEDDLE_CHECK(rank >= 0 && rank <= kMaxRank, "rank {} is not in 0..{}", rank, kMaxRank);
  TensorFormat format;
  format.levels.assign(static_cast<std::size_t>(rank), kind);
  format.order.resize(static_cast<std::size_t>(rank));
  std::iota(format.order.begin(), format.order.end(), 0);
  return format;
}

TensorFormat matrix(LevelKind outer, LevelKind inner, int outer_mode) {
  return {.levels = {outer, inner}, .order = {outer_mode, 1 - outer_mode}};
}

std::string spelled(const TensorFormat& format) {
  std::string text = "{";
  for (std::size_t l = 0; l < format.levels.size(); ++l) {
    text += l == 0 ? "" : ", ";
    text += format.levels[l] == LevelKind::kDense ? "dense" : "compressed";
  }
  text += "}";
  if (!std::ranges::is_sorted(format.order)) {
    text += fmt::format(" order ({})", fmt::join(format.order, ", "));
  }
  return text;
}

}  // namespace

TensorFormat TensorFormat::dense(int rank) { return uniform(LevelKind::kDense, rank); }

TensorFormat TensorFormat::compressed(int rank) { return uniform(LevelKind::kCompressed, rank); }

std::optional<TensorFormat> TensorFormat::named(std::string_view name, int rank) {
  if (rank < 0 || rank > kMaxRank) return std::nullopt;
  if (name == "dense") return dense(rank);
  if (name == "coo") {
    TensorFormat format = compressed(rank);
    format.coordinate_list = true;
    return format;
  }
  if (rank != 2) return std::nullopt;
  if (name == "csr") return matrix(LevelKind::kDense, LevelKind::kCompressed, 0);
  if (name == "csc") return matrix(LevelKind::kDense, LevelKind::kCompressed, 1);
  if (name == "dcsr") return compressed(2);
  return std::nullopt;
}

std::string to_text(const TensorFormat& format) {
  for (const char* name : {"dense", "csr", "csc", "dcsr", "coo"}) {
    if (TensorFormat::named(name, format.rank()) == format) return name;
  }
  return spelled(format);
}

}  // namespace heddle
