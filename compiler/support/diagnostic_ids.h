// Every id that a diagnostic may carry, sorted, each with one line that explains it.
// To add one: a line here, in its place, and tests/errors/<id>.ein that provokes it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace heddle {

struct DiagnosticId {
  std::string_view id;
  std::string_view explanation;
};

// clang-format off
inline constexpr auto kDiagnosticIds = std::to_array<DiagnosticId>({
    {"access-rank", "a tensor is accessed with another number of indices than it has modes"},
    {"data-count", "a data file holds fewer or more entries than its header announces"},
    {"data-gzip", "a gzipped data file is truncated or corrupt"},
    {"data-header", "the header of a data file is malformed or contradicts the name of the file"},
    {"data-index", "a coordinate in a data file is zero or beyond the size of its mode"},
    {"data-kind", "the name of a data file ends in none of the known kinds"},
    {"data-line", "a line of a data file has missing or surplus words"},
    {"data-number", "a number in a data file cannot be read or does not fit the value type"},
    {"data-open", "a data file does not exist or cannot be read"},
    {"data-rank", "a data file has another rank than the tensor it is bound to"},
    {"data-size", "a data file, or a size in it, is larger than Heddle supports"},
    {"data-symmetry", "an entry contradicts the symmetry that its data file announces"},
    {"data-unsupported", "a data file uses a kind of values or layout that Heddle does not read"},
});
// clang-format on

constexpr bool diagnostic_ids_are_sorted() {
  for (std::size_t n = 1; n < kDiagnosticIds.size(); ++n) {
    if (kDiagnosticIds[n - 1].id >= kDiagnosticIds[n].id) return false;
  }
  return true;
}
static_assert(diagnostic_ids_are_sorted(), "keep kDiagnosticIds sorted and without duplicates");

constexpr bool is_diagnostic_id(std::string_view id) {
  return std::ranges::binary_search(kDiagnosticIds, id, {}, &DiagnosticId::id);
}

}  // namespace heddle
