#include "compiler/driver/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace heddle {
namespace {

/// Cycles over the firings of the block that fires most: 1 is the limit of one firing a cycle.
double ratio_of(const RegionReport& r) {
  return r.busiest_firings == 0
             ? 0
             : static_cast<double>(r.cycles) / static_cast<double>(r.busiest_firings);
}

/// Whether an engine that counts cycles has run.
bool timed(const RegionReport& r) {
  return std::any_of(r.runs.begin(), r.runs.end(),
                     [](const EngineRun& run) { return run.timed(); });
}

/// "scan_A_j 226 (1.102 cycles a firing)", without time "scan_A_j 226".
std::string busiest_text(const RegionReport& r) {
  std::string text = fmt::format("busiest {} {}", r.busiest, r.busiest_firings);
  if (timed(r)) text += fmt::format(" ({:.3f} cycles a firing)", ratio_of(r));
  return text;
}

/// What limits a region that takes a twentieth more than that.
std::string limit_line(const RegionReport& r, const std::string& indent) {
  constexpr double kClose = 1.05;
  if (!r.limit || ratio_of(r) <= kClose) return {};
  return indent + "limit: " + to_text(*r.limit) + "\n";
}

nlohmann::ordered_json limit_json(const Limit& limit) {
  nlohmann::ordered_json json;
  json["waits_for"] = limit.kind == Limit::Kind::kTokens ? "tokens"
                      : limit.kind == Limit::Kind::kRoom ? "room"
                                                         : "others";
  if (!limit.channel.empty()) json["channel"] = limit.channel;
  json["block"] = limit.block;
  json["cycles"] = limit.cycles;
  return json;
}

}  // namespace

/// "channel 'c' has room for 66 tokens: with 65 the graph deadlocks on this data"
std::string deep_text(const DeepChannel& c) {
  std::string why;
  if (c.bypass)
    why = fmt::format("it holds {} while {} is formed, for which {} = {} are enough",
                      c.bypass->fiber, c.former, c.bypass->bound, c.bypass->value);
  if (c.deadlocks_with > 0)
    why += (why.empty() ? "" : "; ") +
           fmt::format("with {} the graph deadlocks on this data", c.deadlocks_with);
  if (c.loses_with > 0)
    why += (why.empty() ? "" : "; ") + fmt::format("with {} it takes {} cycle{} more", c.loses_with,
                                                   c.lost, c.lost == 1 ? "" : "s");
  if (!c.tried) why += why.empty() ? "less was not tried" : "; less was not tried in full";
  return fmt::format("channel '{}' has room for {} tokens: {}", c.name, c.depth, why);
}

namespace {

/// Channels that are deep or that could deadlock, each with its reason; the others in one line.
std::string deep_lines(const std::vector<DeepChannel>& channels, const std::string& indent) {
  constexpr int kFew = 16, kShown = 12;
  std::string text;
  int named = 0, others = 0, most = 0;
  for (const DeepChannel& c : channels) {
    if (c.depth > kFew || c.deadlocks_with > 0) {
      if (++named <= kShown) text += indent + "deep " + deep_text(c) + "\n";
    } else {
      ++others;
      most = std::max(most, c.depth);
    }
  }
  if (named > kShown)
    text += fmt::format("{}{} more deep channels: see the report\n", indent, named - kShown);
  if (others > 0)
    text += fmt::format("{}{} channel{} of up to {} tokens: with less it takes more cycles\n",
                        indent, others, others == 1 ? "" : "s", most);
  return text;
}

}  // namespace

std::string check_text(const ScheduleReport& report) {
  std::string text = fmt::format("schedule {}\n", report.name);
  for (const RegionReport& r : report.regions) {
    text += fmt::format("  region {:<12}", r.name);
    for (const EngineRun& run : r.runs) {
      if (!run.timed()) continue;
      text += fmt::format(" {} {}", name(run.engine), run.result.cycles);
    }
    text +=
        timed(r) ? fmt::format(" | cycles {}", r.cycles_equal ? "equal" : "DIFFER") : " untimed";
    text +=
        fmt::format(" | values {} | {}\n", r.values_equal ? "equal" : "DIFFER", busiest_text(r));
    text += limit_line(r, "    ");
    for (const std::string& remark : r.remarks) text += "    note: " + remark + "\n";
    text += deep_lines(r.deep, "    ");
    if (!r.difference.empty()) text += "    " + r.difference + "\n";
  }
  for (const OutputReport& o : report.outputs) {
    text += fmt::format("  output {:<12} {} stored | max error {:.3g} | bound {:.3g} | {}\n",
                        o.name, o.stored, o.max_abs_error, o.bound,
                        o.within_bound ? "within bound" : "OUT OF BOUND");
    if (!o.difference.empty()) text += "    " + o.difference + "\n";
  }
  if (!report.problem.empty()) text += "  " + report.problem + "\n";
  return text;
}

std::string summary_text(const std::vector<ScheduleReport>& reports) {
  std::string text = fmt::format("{:<16} {:>12} {:>12} {:>12} {:>8} {:>9}  {}\n", "schedule",
                                 "cycles", "flops", "words", "regions", "channels", "result");
  for (const ScheduleReport& r : reports) {
    std::size_t channels = 0;
    for (const RegionReport& region : r.regions) channels += region.channels;
    const char* result = r.state == ScheduleState::kOk         ? "all agree"
                         : r.state == ScheduleState::kDeadlock ? "DEADLOCK"
                         : r.state == ScheduleState::kBadInput ? "bad input"
                         : !r.problem.empty()                  ? "FAILED"
                                                               : "DISAGREE";
    text += fmt::format("{:<16} {:>12} {:>12} {:>12} {:>8} {:>9}  {}\n", r.name, r.cycles, r.flops,
                        r.words_read + r.words_written, r.regions.size(), channels, result);
  }
  return text;
}

nlohmann::ordered_json deep_json(const std::vector<DeepChannel>& channels) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const DeepChannel& c : channels) {
    nlohmann::ordered_json j{{"name", c.name}, {"depth", c.depth}};
    if (c.deadlocks_with > 0) j["deadlocks_with"] = c.deadlocks_with;
    if (c.loses_with > 0) {
      j["loses_with"] = c.loses_with;
      j["cycles_lost"] = c.lost;
    }
    if (c.bypass)
      j["holds"] = {{"what", c.bypass->fiber},
                    {"while", c.former},
                    {"bound", c.bypass->bound},
                    {"tokens", c.bypass->value}};
    if (!c.tried) j["less_was_tried"] = false;
    list.push_back(j);
  }
  return list;
}

/// On an iCE40; see rtl/AREA.md.
nlohmann::ordered_json area_json(const AreaEstimate& estimate) {
  const auto part = [](const Area& area) {
    return nlohmann::ordered_json{{"lookup_tables", area.lookup_tables},
                                  {"registers", area.registers},
                                  {"memories", area.memories}};
  };
  nlohmann::ordered_json json = part(estimate.total());
  json["of_blocks"] = part(estimate.blocks);
  json["of_channels"] = part(estimate.channels);
  json["of_memories"] = part(estimate.memories);
  if (!estimate.unmeasured.empty()) json["unmeasured"] = estimate.unmeasured;
  return json;
}

nlohmann::ordered_json check_json(const std::string& model,
                                  const std::vector<ScheduleReport>& reports) {
  nlohmann::ordered_json json;
  json["model"] = model;
  bool ok = true;
  for (const ScheduleReport& r : reports) ok = ok && r.state == ScheduleState::kOk;
  json["ok"] = ok;
  json["schedules"] = nlohmann::ordered_json::array();
  for (const ScheduleReport& r : reports) {
    nlohmann::ordered_json s;
    s["name"] = r.name;
    s["ok"] = r.state == ScheduleState::kOk;
    if (!r.problem.empty()) s["problem"] = r.problem;
    s["cycles"] = r.cycles;
    s["flops"] = r.flops;
    s["words_read"] = r.words_read;
    s["words_written"] = r.words_written;
    s["regions"] = nlohmann::ordered_json::array();
    for (const RegionReport& g : r.regions) {
      nlohmann::ordered_json j;
      j["name"] = g.name;
      j["statements"] = g.statements;
      j["cycles_equal"] = g.cycles_equal;
      j["values_equal"] = g.values_equal;
      if (!g.difference.empty()) j["difference"] = g.difference;
      if (!g.remarks.empty()) j["remarks"] = g.remarks;
      if (!g.deep.empty()) j["deep_channels"] = deep_json(g.deep);
      if (g.unbounded_cycles > 0) j["unbounded_cycles"] = g.unbounded_cycles;
      j["engines"] = nlohmann::ordered_json::object();
      for (const EngineRun& run : g.runs) {
        if (run.not_built) continue;
        nlohmann::ordered_json e;
        if (run.engine != Engine::kFunctional) e["cycles"] = run.result.cycles;
        e["seconds"] = run.result.seconds;
        if (run.engine == Engine::kRtl) e["build_seconds"] = run.build_seconds;
        if (!run.result.firings.empty()) {
          std::uint64_t firings = 0;
          for (const std::uint64_t f : run.result.firings) firings += f;
          e["firings"] = firings;
        }
        j["engines"][name(run.engine)] = e;
      }
      j["flops"] = g.flops;
      j["words_read"] = g.words_read;
      j["words_written"] = g.words_written;
      j["blocks"] = g.blocks;
      j["channels"] = g.channels;
      j["area"] = area_json(g.area);
      j["busiest"] = {{"block", g.busiest}, {"firings", g.busiest_firings}};
      j["cycles_per_firing"] = ratio_of(g);
      if (g.limit) j["limit"] = limit_json(*g.limit);
      nlohmann::ordered_json counters = nlohmann::ordered_json::object();
      for (const auto& [channel, c] : g.counters)
        counters[channel] = {
            {"tokens", c.tokens}, {"busy", c.busy}, {"stalled", c.stalled}, {"starved", c.starved}};
      j["counters"] = counters;
      s["regions"].push_back(j);
    }
    s["outputs"] = nlohmann::ordered_json::array();
    for (const OutputReport& o : r.outputs) {
      nlohmann::ordered_json j;
      j["name"] = o.name;
      j["stored"] = o.stored;
      j["max_abs_error"] = o.max_abs_error;
      j["bound"] = o.bound;
      j["within_bound"] = o.within_bound;
      if (!o.difference.empty()) j["difference"] = o.difference;
      s["outputs"].push_back(j);
    }
    json["schedules"].push_back(s);
  }
  return json;
}

/// The counters of every channel; without time only tokens are counted.
std::string counters_text(const RegionReport& r) {
  std::string text = fmt::format("  {:<44} {:>10}", "channel", "tokens");
  if (timed(r)) text += fmt::format(" {:>10} {:>10} {:>10}", "busy", "stalled", "starved");
  for (const auto& [channel, c] : r.counters) {
    text += fmt::format("\n  {:<44} {:>10}", channel, c.tokens);
    if (timed(r)) text += fmt::format(" {:>10} {:>10} {:>10}", c.busy, c.stalled, c.starved);
  }
  return text + "\n";
}

std::string run_text(const ScheduleReport& report) {
  std::string text;
  bool counted = false;
  for (const RegionReport& r : report.regions) {
    if (r.runs[0].not_built) continue;  // it takes one engine
    counted |= timed(r);
    text += fmt::format("region {}: {}, {} flops, {} words read, {} words written\n", r.name,
                        timed(r) ? fmt::format("{} cycles", r.cycles) : "untimed", r.flops,
                        r.words_read, r.words_written);
    for (const std::string& remark : r.remarks) text += "  note: " + remark + "\n";
    text += deep_lines(r.deep, "  ");
    text += fmt::format("  busiest block {}: {} firings", r.busiest, r.busiest_firings);
    if (timed(r)) text += fmt::format(", {:.3f} cycles a firing", ratio_of(r));
    text += "\n" + limit_line(r, "  ") + counters_text(r);
  }
  if (!report.problem.empty()) text += report.problem + "\n";
  if (counted) text += fmt::format("{} cycles\n", report.cycles);
  return text;
}

}  // namespace heddle
