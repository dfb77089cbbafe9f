#include "compiler/fusion/schedule.h"

#include <algorithm>

#include "compiler/support/check.h"

namespace heddle {
namespace {

using Kind = ScheduleItem::Kind;

const char* word_of(Kind kind) {
  switch (kind) {
    case Kind::kFuse: return "fuse";
    case Kind::kOrder: return "order";
    case Kind::kParallel: return "parallel";
    case Kind::kKeep: return "keep";
    case Kind::kRecompute: return "recompute";
    case Kind::kBlock: return "block";
    case Kind::kSkip: return "skip";
    case Kind::kDepth: return "depth";
  }
  return "";
}

std::optional<std::size_t> statement_of(const EinsumProgram& program, const std::string& tensor) {
  for (std::size_t s = 0; s < program.statements.size(); ++s)
    if (program.tensor(program.statements[s].target.tensor).name == tensor) return s;
  return std::nullopt;
}

/// Whether all indices that a line names occur in the region.
bool applies(const EinsumProgram& program, const Region& region, const ScheduleItem& item) {
  return std::all_of(item.names.begin(), item.names.end(), [&](const std::string& name) {
    return std::any_of(region.statements.begin(), region.statements.end(), [&](std::size_t s) {
      const auto& indices = program.statements[s].indices;
      return std::any_of(indices.begin(), indices.end(),
                         [&](const IndexVar& v) { return v.name == name || v.written == name; });
    });
  });
}

bool apply(Region& region, const ScheduleItem& item, Diagnostics& diag) {
  switch (item.kind) {
    case Kind::kOrder:
      region.order = item.names;
      region.order_ranges = item.name_ranges;
      return true;
    case Kind::kSkip:
      region.skip.insert(region.skip.end(), item.names.begin(), item.names.end());
      return true;
    case Kind::kDepth:
      if (!item.names.empty() || item.minimum) break;
      if (item.number && *item.number == 0) {
        diag.error("schedule-unsupported", item.range, "a channel has room for at least one token, found depth 0");
        return false;
      }
      if (item.number) region.depth = static_cast<int>(*item.number);
      else region.depth.reset();
      return true;
    default: break;
  }
  diag.error("schedule-unsupported", item.range,
             fmt::format("this form of '{}' is not supported by this version", word_of(item.kind)));
  return false;
}

}  // namespace

std::optional<std::vector<Region>> plan_regions(const EinsumProgram& program, const Schedule& schedule,
                                                Diagnostics& diag) {
  bool good = true;
  std::vector<Region> regions;
  std::vector<bool> taken(program.statements.size(), false);
  std::vector<std::pair<std::size_t, const ScheduleItem*>> later;  // line -> its region
  std::vector<const ScheduleItem*> common;
  for (const ScheduleItem& item : schedule.items) {
    if (item.kind != Kind::kFuse) {
      if (regions.empty()) common.push_back(&item);
      else later.emplace_back(regions.size() - 1, &item);
      continue;
    }
    Region region;
    region.range = item.range;
    for (const std::string& name : item.names)
      if (const auto s = statement_of(program, name); s && !taken[*s]) {
        taken[*s] = true;
        region.statements.push_back(*s);
      }
    if (region.statements.size() > 1) {
      diag.error("schedule-unsupported", item.range, "fusing several statements is not supported by this version");
      good = false;
    }
    regions.push_back(std::move(region));
  }
  if (!good) return std::nullopt;
  for (std::size_t s = 0; s < taken.size(); ++s)
    if (!taken[s]) {
      regions.push_back({});
      regions.back().statements = {s};
      regions.back().range = program.statements[s].range;
    }
  for (Region& region : regions) {
    std::sort(region.statements.begin(), region.statements.end());
    for (const std::size_t s : region.statements)
      region.name += (region.name.empty() ? "" : "+") + program.tensor(program.statements[s].target.tensor).name;
    for (const ScheduleItem* item : common)
      if (applies(program, region, *item)) good = apply(region, *item, diag) && good;
  }
  for (const auto& [r, item] : later) good = apply(regions[r], *item, diag) && good;
  if (!good) return std::nullopt;
  std::stable_sort(regions.begin(), regions.end(), [](const Region& a, const Region& b) {
    return a.statements.front() < b.statements.front();
  });
  return regions;
}

}  // namespace heddle
