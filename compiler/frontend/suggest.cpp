#include "compiler/frontend/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace heddle::frontend {
namespace {

constexpr std::size_t kMaxListed = 20;
constexpr std::size_t kMaxCompared = 40;  // characters

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string suggestion(std::string_view wrong, const std::vector<std::string>& names) {
  if (names.empty()) return "";
  if (names.size() <= kMaxListed) return fmt::format("; known are {}", fmt::join(names, ", "));
  const std::string* best = nullptr;
  std::size_t best_distance = 3;
  for (const std::string& name : names) {
    if (wrong.size() > kMaxCompared || name.size() > kMaxCompared) continue;
    const std::size_t distance = edit_distance(wrong, name);
    if (distance < best_distance) best = &name, best_distance = distance;
  }
  return best != nullptr ? fmt::format("; did you mean '{}'?", *best) : "";
}

}  // namespace heddle::frontend
