#include "compiler/fusion/schedule.h"

#include <algorithm>
#include <set>

#include "compiler/support/check.h"

namespace heddle {
namespace {

using Kind = ScheduleItem::Kind;

std::optional<std::size_t> statement_of(const EinsumProgram& program, const std::string& tensor) {
  for (std::size_t s = 0; s < program.statements.size(); ++s)
    if (program.tensor(program.statements[s].target.tensor).name == tensor) return s;
  return std::nullopt;
}

bool defines(const EinsumProgram& program, const Region& region, const std::string& tensor) {
  const auto s = statement_of(program, tensor);
  return s && std::find(region.statements.begin(), region.statements.end(), *s) !=
                  region.statements.end();
}

/// Whether all indices or tensors that a line names occur in the region.
bool applies(const EinsumProgram& program, const Region& region, const ScheduleItem& item) {
  const auto reads = [&](std::size_t s, const std::string& name) {
    std::set<TensorId> tensors = tensors_read(program.statements[s]);
    return std::any_of(tensors.begin(), tensors.end(),
                       [&](TensorId t) { return program.tensor(t).name == name; });
  };
  const bool tensors = item.kind == Kind::kKeep || item.kind == Kind::kRecompute;
  return std::all_of(item.names.begin(), item.names.end(), [&](const std::string& name) {
    if (tensors) return defines(program, region, name);
    if (item.kind == Kind::kDepth && defines(program, region, name)) return true;
    return std::any_of(region.statements.begin(), region.statements.end(), [&](std::size_t s) {
      if (item.kind == Kind::kDepth) return reads(s, name);
      const auto& indices = program.statements[s].indices;
      return std::any_of(indices.begin(), indices.end(),
                         [&](const IndexVar& v) { return v.name == name || v.written == name; });
    });
  });
}

void apply_depth(Region& region, const ScheduleItem& item) {
  DepthRule rule;
  if (item.minimum) rule.kind = DepthRule::Kind::kLeast;
  if (item.number) rule = {DepthRule::Kind::kGiven, static_cast<int>(*item.number)};
  if (item.names.empty()) region.depth = rule;
  for (const std::string& name : item.names) region.depth_of[name] = rule;
}

/// Adds a tensor to those that the region keeps on chip.
bool keep(const EinsumProgram& program, Region& region, const std::string& name, SourceRange range,
          Diagnostics& diag) {
  const std::size_t own = *statement_of(program, name);
  const TensorId tensor = program.statements[own].target.tensor;
  const auto refuse = [&](const std::string& why) {
    diag.error("schedule-keep", range, why);
    diag.note(program.statements[own].range, fmt::format("'{}' is defined here", name));
    return false;
  };
  if (program.statements[own].target.indices.empty())
    return refuse(fmt::format("'{}' is a single value: there are no rows to keep", name));
  // On chip, every row is there.
  const std::optional<TensorFormat>& format = program.tensor(tensor).format;
  const bool has_all_rows =
      format && (format->all_dense() ||
                 (format->levels.size() > 1 && format->levels.back() == LevelKind::kCompressed));
  if (!has_all_rows && deciding_masks(program).count(tensor) > 0)
    return refuse(
        fmt::format("the entries of a mask are those of '{}', and kept it would have more: declare "
                    "it as dense, "
                    "or as csr",
                    name));
  const bool read =
      std::any_of(region.statements.begin(), region.statements.end(), [&](std::size_t s) {
        return s != own && tensors_read(program.statements[s]).count(tensor) > 0;
      });
  if (!read)
    return refuse(fmt::format(
        "no other statement of this region reads '{}': there is nothing to keep it for", name));
  region.keep.push_back(tensor);
  return true;
}

bool apply_block(Region& region, const ScheduleItem& item, Diagnostics& diag) {
  constexpr std::uint32_t kLongestTile = 64;
  if (*item.number > kLongestTile) {
    diag.error("schedule-block", item.range,
               fmt::format("a tile has at most {} places along an index, found {}", kLongestTile,
                           *item.number));
    return false;
  }
  for (std::size_t n = 0; n < item.names.size(); ++n) {
    std::erase_if(region.blocks, [&](const BlockRule& r) { return r.index == item.names[n]; });
    region.blocks.push_back({item.names[n], static_cast<int>(*item.number), item.name_ranges[n]});
  }
  return true;
}

bool apply(const EinsumProgram& program, Region& region, const ScheduleItem& item,
           Diagnostics& diag) {
  switch (item.kind) {
    case Kind::kKeep:
    case Kind::kRecompute: {
      bool good = true;
      for (std::size_t n = 0; n < item.names.size(); ++n) {
        std::erase(region.keep,
                   program.statements[*statement_of(program, item.names[n])].target.tensor);
        if (item.kind == Kind::kKeep)
          good = keep(program, region, item.names[n], item.name_ranges[n], diag) && good;
      }
      return good;
    }
    case Kind::kOrder:
      region.order = item.names;
      region.order_ranges = item.name_ranges;
      return true;
    case Kind::kParallel: {
      constexpr std::uint32_t kMostLanes = 64;
      if (*item.number > kMostLanes) {
        diag.error("schedule-unsupported", item.range,
                   fmt::format("at most {} lanes, found {}", kMostLanes, *item.number));
        return false;
      }
      for (const std::string& name : item.names) {
        std::erase_if(region.parallel, [&](const auto& p) { return p.first == name; });
        region.parallel.emplace_back(name, static_cast<int>(*item.number));
      }
      return true;
    }
    case Kind::kBlock:
      return apply_block(region, item, diag);
    case Kind::kSkip:
      region.skip.insert(region.skip.end(), item.names.begin(), item.names.end());
      return true;
    case Kind::kDepth:
      apply_depth(region, item);
      return true;
    case Kind::kFuse:
      break;
  }
  HEDDLE_CHECK(false, "a fuse line makes a region, it does not change one");
  return false;
}

/// What `statement` reads within the region of the entries that dense levels below compressed ones
/// add, where the entries of a mask depend on it.
std::optional<TensorId> entries_not_streamed(const EinsumProgram& program, const Region& region,
                                             const Statement& statement) {
  if (deciding_masks(program).count(statement.target.tensor) == 0) return std::nullopt;
  for (const TensorId read : tensors_read(statement)) {
    const TensorDecl& decl = program.tensor(read);
    if (defines(program, region, decl.name) && decl.format && !decl.format->all_dense() &&
        decl.format->levels.back() == LevelKind::kDense)
      return read;
  }
  return std::nullopt;
}

/// What fits into one graph: one type of values, masks that are stored before it runs.
bool fits(const EinsumProgram& program, const Region& region, Diagnostics& diag) {
  for (const std::size_t s : region.statements) {
    const Statement& statement = program.statements[s];
    const auto refuse = [&](const std::string& message) {
      diag.error("schedule-unsupported", region.range, message);
      diag.note(statement.range, "this statement");
      return false;
    };
    if (statement.type != program.statements[region.statements[0]].type)
      return refuse("statements of different types cannot be fused");
    if (const auto read = entries_not_streamed(program, region, statement))
      return refuse(
          fmt::format("the entries of a mask are those that '{}' stores: leave it out of "
                      "this fusion",
                      program.tensor(*read).name));
    if (!statement.where) continue;
    for (const std::size_t other : region.statements)
      if (program.statements[other].target.tensor == statement.where->tensor)
        return refuse(
            fmt::format("the mask '{}' must be computed before: leave it out of this fusion",
                        program.tensor(statement.where->tensor).name));
  }
  return true;
}

/// Regions in an order in which each finds what it reads: the first in line that can run goes next.
std::optional<std::vector<Region>> in_order(const EinsumProgram& program,
                                            std::vector<Region> regions, Diagnostics& diag) {
  for (const Region& region : regions)
    if (!fits(program, region, diag)) return std::nullopt;
  std::set<TensorId> missing;
  for (const Statement& s : program.statements) missing.insert(s.target.tensor);
  std::vector<Region> order;
  while (!regions.empty()) {
    auto next = regions.end();
    for (auto r = regions.begin(); r != regions.end(); ++r) {
      std::set<TensorId> needs;
      for (const std::size_t s : r->statements)
        for (const TensorId read : tensors_read(program.statements[s])) needs.insert(read);
      for (const std::size_t s : r->statements) needs.erase(program.statements[s].target.tensor);
      const bool ready = std::none_of(needs.begin(), needs.end(),
                                      [&](TensorId t) { return missing.count(t) > 0; });
      if (ready && (next == regions.end() || r->statements.front() < next->statements.front()))
        next = r;
    }
    if (next == regions.end()) {
      std::string names;
      for (const Region& r : regions) names += (names.empty() ? "" : ", ") + r.name;
      diag.error("schedule-unsupported", regions.front().range,
                 fmt::format("these regions wait for each other's results: {}", names));
      return std::nullopt;
    }
    for (const std::size_t s : next->statements) missing.erase(program.statements[s].target.tensor);
    order.push_back(std::move(*next));
    regions.erase(next);
  }
  return order;
}

}  // namespace

std::optional<std::vector<Region>> plan_regions(const EinsumProgram& program,
                                                const Schedule& schedule, Diagnostics& diag) {
  bool good = true;
  std::vector<Region> regions;
  std::vector<bool> taken(program.statements.size(), false);
  std::vector<std::pair<std::size_t, const ScheduleItem*>> later;  // line -> its region
  std::vector<const ScheduleItem*> common;
  std::set<const ScheduleItem*> used;  // of these
  for (const ScheduleItem& item : schedule.items) {
    if (item.kind != Kind::kFuse) {
      if (regions.empty())
        common.push_back(&item);
      else
        later.emplace_back(regions.size() - 1, &item);
      continue;
    }
    Region region;
    region.range = item.range;
    for (const std::string& name : item.names)
      if (const auto s = statement_of(program, name); s && !taken[*s]) {
        taken[*s] = true;
        region.statements.push_back(*s);
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
      region.name += (region.name.empty() ? "" : "+") +
                     program.tensor(program.statements[s].target.tensor).name;
    for (const ScheduleItem* item : common) {
      if (!applies(program, region, *item)) continue;
      used.insert(item);
      good = apply(program, region, *item, diag) && good;
    }
  }
  for (const ScheduleItem* item : common)
    if (used.count(item) == 0)
      diag.warning("schedule-name", item->range,
                   fmt::format("no region has all of {}: this line has no effect",
                               fmt::join(item->names, ", ")));
  for (const auto& [r, item] : later) good = apply(program, regions[r], *item, diag) && good;
  if (!good) return std::nullopt;
  return in_order(program, std::move(regions), diag);
}

std::vector<TensorId> stored_by(const EinsumProgram& program, const Region& region) {
  std::set<TensorId> wanted(program.outputs.begin(), program.outputs.end());
  for (std::size_t s = 0; s < program.statements.size(); ++s)
    if (std::find(region.statements.begin(), region.statements.end(), s) == region.statements.end())
      for (const TensorId read : tensors_read(program.statements[s])) wanted.insert(read);
  std::vector<TensorId> stored;
  for (const std::size_t s : region.statements)
    if (wanted.count(program.statements[s].target.tensor) > 0)
      stored.push_back(program.statements[s].target.tensor);
  return stored;
}

}  // namespace heddle
