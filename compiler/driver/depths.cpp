#include "compiler/driver/depths.h"

#include <algorithm>

#include "compiler/graph/passes.h"

namespace heddle {
namespace {

/// The tensor whose coordinates, positions or values a channel carries, forks or not.
const std::string& tensor_of(const SamGraph& graph, ChannelId channel) {
  NodeId from = graph.source(channel);
  while (!graph.node(from).external() && graph.node(from).is<Fork>())
    from = graph.source(graph.inputs(from)[0]);
  return graph.node(from).tensor;
}

DepthRule rule_of(const CompiledRegion& region, ChannelId channel) {
  const auto own = region.region.depth_of.find(tensor_of(region.graph, channel));
  return own == region.region.depth_of.end() ? region.region.depth : own->second;
}

// Deeper channels never delay anything and never cause a deadlock. So a channel that cannot have
// less keeps that property when others get less, and one pass over the channels finds depths of
// which none can be less.
class Sizing {
 public:
  explicit Sizing(CompiledRegion& region) : region_(region), graph_(region.graph) {
    for (const ChannelId c : graph_.channels()) {
      shallow_.push_back(depth(c));
      const DepthRule::Kind kind = rule_of(region, c).kind;
      if (kind == DepthRule::Kind::kAuto) auto_.push_back(c);
      if (kind == DepthRule::Kind::kLeast) least_.push_back(c);
    }
  }

  void run() {
    if (auto_.empty() && least_.empty()) return;
    if (!auto_.empty()) {
      if (!end_without_bounds()) return;
      if (!avoid_deadlock(join(auto_, least_))) return;
      lose_no_cycles();
    }
    if (!least_.empty()) {
      most_cycles_ = 0;
      for (const ChannelId c : least_) {
        depth(c) = shallow_[index(c)] = graph_.channel(c).least;
        deep_.erase(c);
      }
      avoid_deadlock(least_);
    }
    for (auto& [c, deep] : deep_) {
      deep.channel = c;
      deep.name = graph_.channel(c).name;
      deep.depth = depth(c);
      region_.deep.push_back(deep);
    }
  }

 private:
  using Group = std::vector<ChannelId>;

  int& depth(ChannelId c) { return graph_.channel(c).depth; }
  void set(const Group& group, const std::vector<int>& depths) {
    for (const ChannelId c : group) depth(c) = depths[index(c)];
  }
  std::vector<int> depths() {
    std::vector<int> all;
    for (const ChannelId c : graph_.channels()) all.push_back(depth(c));
    return all;
  }
  static Group join(Group a, const Group& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }

  /// Whether the depths as they are will do. Most graphs need no more than the first such run, so
  /// that one counts all that a report has.
  bool good() {
    const Detail detail = firings_ == 0 ? Detail::kTotals : Detail::kCycles;
    RunResult run = run_cycle(graph_, region_.input, detail);
    for (const std::uint64_t firings : run.firings) firings_ += firings;
    ends_ = run.outcome == Outcome::kFinished;
    if (ends_ && (most_cycles_ == 0 || run.cycles <= most_cycles_)) {
      region_.timed.reset();
      if (detail == Detail::kTotals) region_.timed = std::move(run);
      return true;
    }
    lost_ = run.cycles - std::min(run.cycles, most_cycles_);
    return false;
  }
  bool time_left() const { return firings_ < kMostFirings; }
  /// Notes what the last run showed: that a channel cannot have `less`.
  void note(ChannelId channel, int less) {
    DeepChannel& deep = deep_[channel];
    if (!ends_) {
      deep.deadlocks_with = less;
      deep.loses_with = 0;
    } else {
      deep.loses_with = less;
      deep.lost = lost_;
    }
  }

  bool end_without_bounds() {
    const Group free = join(auto_, least_);
    for (const ChannelId c : free) depth(c) = kUnbounded;
    RunResult run = run_cycle(graph_, region_.input, Detail::kCycles);
    region_.unbounded_cycles = run.cycles;
    // What blocks in step wait with is better held once, before the fork to them.
    const Group in_step = in_step_of(free);
    set(in_step, shallow_);
    if (!in_step.empty() && run.outcome == Outcome::kFinished) {
      RunResult held = run_cycle(graph_, region_.input, Detail::kCycles);
      if (held.outcome == Outcome::kFinished && held.cycles == run.cycles) run = std::move(held);
    }
    set(free, shallow_);
    most_ = run.most;
    return run.outcome == Outcome::kFinished;
  }

  Group in_step_of(const Group& group) {
    Group some;
    for (const ChannelId c : group)
      if (graph_.channel(c).in_step) some.push_back(c);
    return some;
  }

  // Where the graph gets stuck a channel gets another place. Then each of those is tried with less.
  bool avoid_deadlock(const Group& group) {
    std::vector<bool> may_grow(graph_.channel_count(), false);
    for (const ChannelId c : group) may_grow[index(c)] = !graph_.channel(c).in_step;
    auto grown = grow_depths(graph_, region_.input, may_grow);
    if (!grown) {
      for (const ChannelId c : group) may_grow[index(c)] = true;
      grown = grow_depths(graph_, region_.input, may_grow);
    }
    if (!grown) return false;
    set(group, *grown);
    region_.timed.reset();
    for (const ChannelId c : group) {
      const int enough = depth(c);
      if (enough == shallow_[index(c)]) continue;
      depth(c) = enough - 1;
      if (!good()) {
        depth(c) = enough;
        note(c, enough - 1);
        continue;
      }
      depth(c) = shallow_[index(c)];
      if (good()) continue;
      note(c, depth(c));
      depth(c) = enough - 1;
      shorten(c, shallow_[index(c)], true);
    }
    return true;
  }

  // With as many places as were in use at once without bounds nothing is delayed. Most of those are
  // the lead of a fast block, which gains nothing: first all get as little as will do, then groups
  // of channels are tried without, then each alone with less.
  void lose_no_cycles() {
    most_cycles_ = region_.unbounded_cycles;
    if (good()) return;
    shallow_ = depths();
    Group deep;
    for (const ChannelId c : join(auto_, least_))
      if (most_[index(c)] > static_cast<std::uint64_t>(depth(c))) deep.push_back(c);
    const auto most = [&](ChannelId c) { return static_cast<int>(most_[index(c)]); };
    for (int scale = 2;; scale *= 4) {
      bool all = true;
      for (const ChannelId c : deep) {
        all = all && most(c) / scale <= shallow_[index(c)];
        depth(c) = most(c) / scale < shallow_[index(c)] ? most(c) : shallow_[index(c)] * scale;
      }
      if (good() || all) break;
    }
    shorten(deep);
  }

  void shorten(const Group& group) {
    if (group.empty()) return;
    const std::vector<int> deep = depths();
    set(group, shallow_);
    if (time_left() && good()) return;
    set(group, deep);
    if (group.size() > 1) {
      const auto half = group.begin() + static_cast<std::ptrdiff_t>(group.size() / 2);
      shorten(Group(group.begin(), half));
      shorten(Group(half, group.end()));
    } else if (time_left()) {
      shorten(group[0], shallow_[index(group[0])], false);
    } else {
      deep_[group[0]].tried = false;
    }
  }

  /// The least depth of a channel that will do, if not `exactly` then to within a sixteenth. It was
  /// just found that `less` will not.
  void shorten(ChannelId channel, int less, bool exactly) {
    int enough = depth(channel);
    note(channel, less);
    int step = less;
    while (enough - less > (exactly ? 1 : std::max(1, enough / 16))) {
      depth(channel) = less + std::min(step, (enough - less) / 2);
      if (good()) {
        enough = depth(channel);
        step = enough;  // the least lies between: halve from now on
      } else {
        less = depth(channel);
        note(channel, less);
        step = step > less ? step : 2 * step;
      }
    }
    depth(channel) = enough;
  }

  // What the search for lost cycles may cost: some seconds.
  static constexpr std::uint64_t kMostFirings = 400'000'000;

  CompiledRegion& region_;
  SamGraph& graph_;
  std::vector<int> shallow_;  // by ChannelId: what each has at least
  Group auto_, least_;
  std::vector<std::uint64_t> most_;  // by ChannelId: places in use at once without bounds
  std::uint64_t most_cycles_ = 0;    // 0: any number will do
  std::uint64_t firings_ = 0;        // of all runs so far
  bool ends_ = false;                // the last run that was not good, and what it lost
  std::uint64_t lost_ = 0;
  std::map<ChannelId, DeepChannel> deep_;
};

}  // namespace

namespace {

/// Of a channel that holds what blocks in step wait with, the one to the first of them: it would
/// hold the same.
ChannelId reader_in_step(const SamGraph& graph, ChannelId channel) {
  for (;;) {
    const NodeId to = graph.target(channel);
    if (graph.node(to).external() || !graph.node(to).is<Fork>()) return channel;
    const ChannelId first = graph.outputs(to)[0];
    if (!graph.channel(first).in_step) return channel;
    channel = first;
  }
}

}  // namespace

void give_depths(CompiledRegion& region) {
  balance_depths(region.graph);
  for (const ChannelId c : region.graph.channels()) {
    const DepthRule rule = rule_of(region, c);
    ChannelInfo& channel = region.graph.channel(c);
    if (rule.kind == DepthRule::Kind::kGiven) channel.depth = std::max(rule.tokens, channel.least);
  }
}

void size_depths(CompiledRegion& region) {
  Sizing(region).run();
  std::stable_sort(region.deep.begin(), region.deep.end(),
                   [](const DeepChannel& a, const DeepChannel& b) { return a.depth > b.depth; });
  // What the deepest hold; a graph of many lanes has too many to look at all.
  constexpr std::size_t kExplained = 32;
  std::vector<ChannelId> deepest;
  for (const DeepChannel& c : region.deep)
    if (deepest.size() < kExplained) deepest.push_back(reader_in_step(region.graph, c.channel));
  const auto bypasses = find_bypasses(region.graph, region.einsum, deepest);
  for (std::size_t n = 0; n < deepest.size(); ++n) {
    const auto found = bypasses.find(deepest[n]);
    if (found == bypasses.end()) continue;
    region.deep[n].bypass = found->second;
    region.deep[n].former = region.graph.node(found->second.former).name;
  }
}

}  // namespace heddle
