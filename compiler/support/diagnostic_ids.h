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
    {"argument-count", "a function is called with another number of arguments than it takes"},
    {"capacity", "a block would need more storage than a design may have"},
    {"character", "the model holds a character that has no meaning"},
    {"data-count", "a data file holds fewer or more entries than its header announces"},
    {"data-gzip", "a gzipped data file is truncated or corrupt"},
    {"data-header", "the header of a data file is malformed or contradicts the name of the file"},
    {"data-index", "a coordinate in a data file is zero or beyond the size of its mode"},
    {"data-kind", "the name of a data file ends in none of the known kinds"},
    {"data-line", "a line of a data file has missing or surplus words"},
    {"data-name", "--data names a tensor that takes no data"},
    {"data-number", "a number in a data file cannot be read or does not fit the value type"},
    {"data-open", "a data file does not exist or cannot be read"},
    {"data-rank", "a data file has another rank than the tensor it is bound to"},
    {"data-size", "a data file, or a size in it, is larger than Heddle supports"},
    {"data-symmetry", "an entry contradicts the symmetry that its data file announces"},
    {"data-unsupported", "a data file uses a kind of values or layout that Heddle does not read"},
    {"densifies", "a statement gives every coordinate a value, but its result is declared sparse"},
    {"empty-model", "a model has no statement"},
    {"expression-size", "an expression is too large after macros and implicit sums are written out"},
    {"format", "a type or format is unknown or does not fit the tensor"},
    {"implicit-sum", "it is not clear where an index that is missing on the left is summed"},
    {"index-size", "nothing gives the size of an index"},
    {"index-twice", "one reduction names an index twice"},
    {"keep-order", "a kept tensor would be read across the order in which it is made"},
    {"mask-entries", "which entries a mask has would depend on the order of loops"},
    {"missing-data", "a tensor that no statement defines has no data"},
    {"model-open", "a model does not exist or cannot be read"},
    {"model-size", "the text of a model is too long"},
    {"nesting", "an expression is nested too deep"},
    {"number", "a number cannot be read or does not fit f32"},
    {"order", "a tensor is used before the statement that defines it"},
    {"order-repeats", "a loop order names an index twice"},
    {"rank", "a tensor has more modes than Heddle supports"},
    {"recursion", "a statement reads the tensor that it defines"},
    {"redefinition", "a name is declared or defined twice"},
    {"schedule-block", "a schedule cuts an index into tiles that cannot be made"},
    {"schedule-depth", "a schedule asks for a deeper channel than Heddle makes"},
    {"schedule-fuse", "a schedule fuses one statement twice"},
    {"schedule-keep", "a schedule keeps what no other statement of its region could read"},
    {"schedule-name", "a schedule names a tensor or index that does not exist where it is named"},
    {"schedule-unsupported", "a schedule asks for what this version does not do"},
    {"size-clash", "one size or index has two different values"},
    {"size-name", "--size names a size that the model does not have"},
    {"string", "a text in quotes is not closed or holds a zero byte"},
    {"syntax", "the text does not follow the grammar"},
    {"type-constant", "a number is not a value of the statement's type"},
    {"type-function", "a function does not exist for the statement's type"},
    {"type-mix", "operands or target of a statement have different types"},
    {"unbound-size", "neither data nor the model nor an option gives a size"},
    {"unknown-function", "there is no function of this name and form"},
    {"unknown-output", "an output is not defined by a statement"},
    {"unknown-tensor", "a statement reads a tensor that does not exist"},
    {"unused-size", "a size is given that no tensor has"},
    {"unused-statement", "a tensor is computed but neither read nor an output"},
    {"unused-tensor", "a tensor is declared but never read"},
    {"where-index", "an index of a mask does not occur in the statement"},
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
