#include "compiler/frontend/check_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "compiler/frontend/suggest.h"

namespace heddle::frontend {
namespace {

/// A line belongs to the region of the last `fuse` before it.
class ScheduleChecker {
 public:
  ScheduleChecker(const EinsumProgram& program, Diagnostics& diag)
      : program_(program), diag_(diag) {
    for (std::size_t n = 0; n < program.statements.size(); ++n) {
      const Statement& statement = program.statements[n];
      by_target_.emplace(program.tensor(statement.target.tensor).name, n);
      for (const IndexVar& index : statement.indices) {
        all_indices_.insert(index.written);
        all_indices_.insert(index.name);
      }
    }
    for (const TensorDecl& decl : program.tensors) all_tensors_.insert(decl.name);
  }

  void run(const Schedule& schedule) {
    std::map<std::string, SourceRange> fused;
    const ScheduleItem* region = nullptr;
    Said said;
    for (const ScheduleItem& item : schedule.items) {
      if (item.kind == ScheduleItem::Kind::kFuse) {
        region = &item;
        check_fuse(item, fused);
      } else {
        check_names(item, region);
      }
      check_twice(item);
      check_again(item, region, said);
      check_depth(item);
    }
  }

 private:
  using Said = std::map<std::tuple<const ScheduleItem*, ScheduleItem::Kind, std::string>,
                        const ScheduleItem*>;

  void check_fuse(const ScheduleItem& item, std::map<std::string, SourceRange>& fused) {
    for (std::size_t n = 0; n < item.names.size(); ++n) {
      const std::string& name = item.names[n];
      if (by_target_.count(name) == 0) {
        unknown(item, n, "statement defines a tensor", targets());
        continue;
      }
      const auto [at, inserted] = fused.emplace(name, item.name_ranges[n]);
      if (inserted) continue;
      diag_.error("schedule-fuse", item.name_ranges[n],
                  fmt::format("'{}' is fused twice in this schedule", name));
      diag_.note(at->second, "here first");
    }
  }

  void check_twice(const ScheduleItem& item) {
    if (item.kind == ScheduleItem::Kind::kFuse) return;
    std::set<std::string> seen;
    for (std::size_t n = 0; n < item.names.size(); ++n) {
      if (seen.insert(item.names[n]).second) continue;
      diag_.error("schedule-name", item.name_ranges[n],
                  fmt::format("'{}' is named twice in this line", item.names[n]));
    }
  }

  /// One region is told once how an index is cut or dealt, and its order: of two lines one would be
  /// lost. Those before the first `fuse` may be meant for different regions.
  void check_again(const ScheduleItem& item, const ScheduleItem* region, Said& said) {
    using Kind = ScheduleItem::Kind;
    if (region == nullptr ||
        (item.kind != Kind::kParallel && item.kind != Kind::kBlock && item.kind != Kind::kOrder))
      return;
    for (std::size_t n = 0; n < item.names.size(); ++n) {
      const std::string name = item.kind == Kind::kOrder ? "" : item.names[n];
      const auto [at, inserted] = said.emplace(std::tuple(region, item.kind, name), &item);
      if (inserted || at->second == &item) continue;
      diag_.error("schedule-name", item.kind == Kind::kOrder ? item.range : item.name_ranges[n],
                  item.kind == Kind::kOrder ? "this region has an order already"
                  : item.kind == Kind::kBlock
                      ? fmt::format("'{}' is cut into tiles already in this region", name)
                      : fmt::format("'{}' has lanes already in this region", name));
      diag_.note(at->second->range, "here first");
      if (item.kind == Kind::kOrder) return;
    }
  }

  void check_depth(const ScheduleItem& item) {
    if (item.kind != ScheduleItem::Kind::kDepth || item.number.value_or(0) <= kDeepestGiven) return;
    diag_.error("schedule-depth", item.range,
                fmt::format("a channel has room for at most {} tokens, found {}", kDeepestGiven,
                            *item.number));
  }

  void check_names(const ScheduleItem& item, const ScheduleItem* region) {
    for (std::size_t n = 0; n < item.names.size(); ++n) {
      const std::string& name = item.names[n];
      switch (item.kind) {
        case ScheduleItem::Kind::kOrder:
        case ScheduleItem::Kind::kParallel:
        case ScheduleItem::Kind::kBlock:
        case ScheduleItem::Kind::kSkip:
          if (all_indices_.count(name) == 0) {
            unknown(item, n, "statement has an index", sorted(all_indices_));
          } else if (region != nullptr && indices_of(*region).count(name) == 0) {
            outside(item, n, *region, "index");
          }
          break;
        case ScheduleItem::Kind::kDepth:
          if (all_tensors_.count(name) == 0) {
            unknown(item, n, "line declares or defines a tensor", sorted(all_tensors_));
          } else if (region != nullptr && tensors_of(*region).count(name) == 0) {
            outside(item, n, *region, "tensor");
          }
          break;
        default:
          if (by_target_.count(name) == 0) {
            unknown(item, n, "statement defines a tensor", targets());
          } else if (region != nullptr &&
                     std::ranges::find(region->names, name) == region->names.end()) {
            outside(item, n, *region, "tensor");
          }
      }
    }
  }

  void unknown(const ScheduleItem& item, std::size_t n, const char* what,
               const std::vector<std::string>& known) {
    diag_.error("schedule-name", item.name_ranges[n],
                fmt::format("no {} '{}'{}", what, item.names[n], suggestion(item.names[n], known)));
  }

  void outside(const ScheduleItem& item, std::size_t n, const ScheduleItem& region,
               const char* what) {
    diag_.error("schedule-name", item.name_ranges[n],
                fmt::format("the {} '{}' does not occur in the region that this line belongs to",
                            what, item.names[n]));
    diag_.note(region.range, "the region");
  }

  std::set<std::string> indices_of(const ScheduleItem& region) const {
    std::set<std::string> names;
    for (const std::string& target : region.names) {
      const auto at = by_target_.find(target);
      if (at == by_target_.end()) continue;
      for (const IndexVar& index : program_.statements[at->second].indices) {
        names.insert(index.written);
        names.insert(index.name);
      }
    }
    return names;
  }

  void add_tensors(const Expr& e, std::set<std::string>& names) const {
    if (e.kind == Expr::Kind::kAccess) names.insert(program_.tensor(e.access.tensor).name);
    if (e.where) names.insert(program_.tensor(e.where->tensor).name);
    for (const ExprPtr& arg : e.args) add_tensors(*arg, names);
  }

  /// What a region computes and reads.
  std::set<std::string> tensors_of(const ScheduleItem& region) const {
    std::set<std::string> names;
    for (const std::string& target : region.names) {
      const auto at = by_target_.find(target);
      if (at == by_target_.end()) continue;
      const Statement& statement = program_.statements[at->second];
      names.insert(target);
      add_tensors(*statement.value, names);
      if (statement.where) names.insert(program_.tensor(statement.where->tensor).name);
    }
    return names;
  }

  std::vector<std::string> targets() const {
    std::vector<std::string> names;
    for (const Statement& statement : program_.statements) {
      names.push_back(program_.tensor(statement.target.tensor).name);
    }
    return names;
  }

  static std::vector<std::string> sorted(const std::set<std::string>& names) {
    return {names.begin(), names.end()};
  }

  const EinsumProgram& program_;
  Diagnostics& diag_;
  std::map<std::string, std::size_t> by_target_;
  std::set<std::string> all_indices_;
  std::set<std::string> all_tensors_;
};

}  // namespace

void check_schedule(const Schedule& schedule, const EinsumProgram& program, Diagnostics& diag) {
  ScheduleChecker(program, diag).run(schedule);
}

}  // namespace heddle::frontend
