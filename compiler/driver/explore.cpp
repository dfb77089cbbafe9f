#include "compiler/driver/explore.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/driver/depths.h"
#include "compiler/graph/passes.h"

namespace heddle {
namespace {

/// The cycles with depths as they will be. That `auto` loses none against channels without bounds
/// spares the search for it.
RunResult run_sized(CompiledRegion& region) {
  if (region.region.depth.kind == DepthRule::Kind::kAuto && region.region.depth_of.empty())
    set_depths(region.graph, kUnbounded);
  else
    size_depths(region);
  return run_cycle(region.graph, region.input, Detail::kCycles);
}

ExploredOrder try_order(const Model& model, Region region, const PredictedOrder& predicted,
                        const std::map<TensorId, Tensor>& tensors) {
  ExploredOrder tried;
  tried.order = region.order = predicted.names;
  tried.predicted = predicted.steps;
  Diagnostics diag;  // what one order cannot do is no error of the model
  auto compiled = compile_region(model, region, tensors, {}, diag);
  if (!compiled) {
    for (const Diagnostic& d : diag.all())
      if (tried.problem.empty()) tried.problem = d.message;
    return tried;
  }
  tried.blocks = compiled->graph.node_count() - 1;
  tried.channels = compiled->graph.channel_count();
  for (const View& view : compiled->einsum.views) tried.copies += view.permuted ? 1 : 0;
  for (const FusionTable::Result& r : compiled->table.results)
    tried.copies += r.written.order != r.stored.order ? 1 : 0;
  const auto untimed = run_untimed(*compiled, tried.problem);
  if (!untimed) return tried;
  tried.words_read = untimed->words_read;
  tried.words_written = untimed->words_written;
  const RunResult run = run_sized(*compiled);
  if (run.outcome == Outcome::kFinished)
    tried.cycles = run.cycles;
  else
    tried.problem = run.problem;
  return tried;
}

/// The order of a region as the orders to try are written: one index of each kin.
std::vector<std::string> order_of(const FusedEinsum& einsum) {
  std::vector<std::string> names;
  std::set<int> seen;
  for (const IndexId id : einsum.order) {
    const int kin = einsum.at(id).kin;
    if (!seen.insert(kin).second) continue;
    const auto first = std::find_if(einsum.indices.begin(), einsum.indices.end(),
                                    [&](const FusedIndex& index) { return index.kin == kin; });
    names.push_back(first->name);
  }
  return names;
}

}  // namespace

std::optional<std::vector<ExploredRegion>> explore(const Model& model, const Schedule& schedule,
                                                   std::size_t most, Diagnostics& diag,
                                                   std::string& problem) {
  std::vector<ExploredRegion> regions;
  std::map<TensorId, Tensor> tensors;
  // Each region is tried when the one before it has stored its results: `tensors` holds them
  // already.
  const auto visit = [&](CompiledRegion& compiled, const RunResult&) {
    ExploredRegion region;
    region.name = compiled.region.name;
    region.chosen = order_of(compiled.einsum);
    const auto orders = predict_orders(compiled.einsum, statistics_of(model, tensors));
    region.orders = orders.size();
    for (std::size_t n = 2; n <= orders[0].names.size(); ++n)
      region.legal *= static_cast<double>(n);
    region.as_stored = static_cast<std::size_t>(std::count_if(
        orders.begin(), orders.end(), [](const PredictedOrder& o) { return o.copies == 0; }));
    for (std::size_t o = 0; o < std::min(most, orders.size()); ++o)
      region.tried.push_back(try_order(model, compiled.region, orders[o], tensors));
    std::stable_sort(region.tried.begin(), region.tried.end(),
                     [](const ExploredOrder& a, const ExploredOrder& b) {
                       if (a.problem.empty() != b.problem.empty()) return a.problem.empty();
                       return a.cycles < b.cycles;
                     });
    regions.push_back(std::move(region));
    return true;
  };
  if (!compile_schedule(model, schedule, {}, visit, tensors, diag, problem)) return std::nullopt;
  return regions;
}

std::string explore_text(const std::vector<ExploredRegion>& regions) {
  std::string text;
  for (const ExploredRegion& r : regions) {
    text += fmt::format("region {}: {} of {} orders; by default {}\n", r.name, r.tried.size(),
                        r.orders, fmt::join(r.chosen, " "));
    const bool all = static_cast<double>(r.orders) == r.legal;
    text += fmt::format("  {:.0f} legal orders, {}{} without permuted copies\n", r.legal,
                        all ? "" : fmt::format("{} looked at, of these ", r.orders), r.as_stored);
    text +=
        fmt::format("  {:<24} {:>12} {:>12} {:>12} {:>12} {:>7} {:>9} {:>7}\n", "order", "cycles",
                    "predicted", "words read", "written", "blocks", "channels", "copies");
    for (const ExploredOrder& o : r.tried) {
      text += fmt::format("  {:<24} {:>12} {:>12.0f} {:>12} {:>12} {:>7} {:>9} {:>7}\n",
                          fmt::format("{}", fmt::join(o.order, " ")),
                          o.problem.empty() ? std::to_string(o.cycles) : "-", o.predicted,
                          o.words_read, o.words_written, o.blocks, o.channels, o.copies);
      if (!o.problem.empty()) text += "    " + o.problem.substr(0, o.problem.find('\n')) + "\n";
    }
  }
  return text;
}

}  // namespace heddle
