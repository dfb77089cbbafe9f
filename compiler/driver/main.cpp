// heddle: the command line. The only code that prints.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <systemc>

#include "compiler/driver/bench.h"
#include "compiler/driver/emit.h"
#include "compiler/driver/explore.h"
#include "compiler/driver/pipeline.h"
#include "compiler/driver/report.h"
#include "compiler/primitives/describe.h"
#include "compiler/tensor/tensor_io.h"

namespace fs = std::filesystem;
using namespace heddle;

namespace {

// Exit statuses (README.md of this directory).
constexpr int kAgreed = 0, kBadInput = 1, kUsage = 2, kDisagreed = 3, kDeadlocked = 4;

struct Options {
  std::string model;
  std::vector<std::string> models;
  std::string schedule;
  std::vector<std::string> data, sizes, formats;
  std::string engines;
  std::string json;
  std::string out;
  std::string stage;
  std::string primitive;
  bool package = false;
  std::string depth;
  int most = 24;
};

void say(const std::string& text) { std::fputs(text.c_str(), stdout); }
void complain(const std::string& text) { std::fputs(text.c_str(), stderr); }

/// Progress goes to a terminal only.
std::function<void(const std::string&)> progress() {
  if (isatty(STDERR_FILENO) == 0) return {};
  return [](const std::string& what) { complain("\r\033[K" + what + " ..."); };
}
void end_progress() {
  if (isatty(STDERR_FILENO) != 0) complain("\r\033[K");
}

struct UsageError {
  std::string message;
};

DataOptions data_options(const Options& o) {
  DataOptions data;
  const auto split = [](const std::string& text, const char* what) {
    const std::size_t at = text.find('=');
    if (at == std::string::npos || at == 0 || at + 1 == text.size())
      throw UsageError{fmt::format("{} takes NAME=VALUE, found '{}'", what, text)};
    return std::make_pair(text.substr(0, at), text.substr(at + 1));
  };
  // Of two values for a name one would be lost.
  const auto put = [](auto& values, auto pair, const char* what) {
    const std::string name = pair.first;
    if (!values.insert(std::move(pair)).second)
      throw UsageError{fmt::format("{} is given twice for '{}'", what, name)};
  };
  for (const std::string& d : o.data) put(data.files, split(d, "--data"), "--data");
  for (const std::string& f : o.formats) put(data.formats, split(f, "--format"), "--format");
  for (const std::string& s : o.sizes) {
    const auto [name, text] = split(s, "--size");
    std::size_t used = 0;
    unsigned long value = 0;
    try {
      value = std::stoul(text, &used);
    } catch (const std::exception&) {
      used = 0;
    }
    if (used != text.size() || value > 0xffffffffu || text[0] == '-')
      throw UsageError{fmt::format("--size takes NAME=NUMBER, found '{}'", s)};
    put(data.sizes, std::make_pair(name, static_cast<std::uint32_t>(value)), "--size");
  }
  return data;
}

std::vector<Engine> engines(const std::string& text) {
  std::vector<Engine> list;
  std::stringstream words(text);
  std::string word;
  while (std::getline(words, word, ',')) {
    bool known = false;
    for (const Engine e : {Engine::kFunctional, Engine::kCycle, Engine::kSystemc, Engine::kRtl}) {
      if (word != name(e)) continue;
      known = true;
      if (std::find(list.begin(), list.end(), e) == list.end()) list.push_back(e);
    }
    if (!known)
      throw UsageError{fmt::format("'{}' is no engine: functional, cycle, systemc, rtl", word)};
  }
  if (list.empty()) throw UsageError{"--engine names no engine"};
  return list;
}

std::vector<const Schedule*> schedules(const Model& model, const std::string& wanted) {
  std::vector<const Schedule*> chosen;
  for (const Schedule& s : model.program.schedules)
    if (wanted == "all" || s.name == wanted || (wanted.empty() && chosen.empty()))
      chosen.push_back(&s);
  if (!chosen.empty()) return chosen;
  std::string known;
  for (const Schedule& s : model.program.schedules) known += (known.empty() ? "" : ", ") + s.name;
  throw UsageError{fmt::format("there is no schedule '{}'; the model has {}", wanted, known)};
}

int status_of(ScheduleState state) {
  switch (state) {
    case ScheduleState::kOk:
      return kAgreed;
    case ScheduleState::kBadInput:
      return kBadInput;
    case ScheduleState::kDisagree:
      return kDisagreed;
    case ScheduleState::kDeadlock:
      return kDeadlocked;
  }
  return kDisagreed;
}

std::optional<DepthRule> depth_rule(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (text == "auto") return DepthRule{};
  if (text == "min") return DepthRule{DepthRule::Kind::kLeast, 0};
  std::uint32_t tokens = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), tokens);
  if (error != std::errc() || end != text.data() + text.size() || tokens < 1 ||
      tokens > kDeepestGiven)
    throw UsageError{fmt::format("--depth takes auto, min, or a number from 1 to {}, found '{}'",
                                 kDeepestGiven, text)};
  return DepthRule{DepthRule::Kind::kGiven, static_cast<int>(tokens)};
}

RunOptions run_options(const Options& o) {
  RunOptions options;
  options.engines = engines(o.engines);
  options.depth = depth_rule(o.depth);
  options.progress = progress();
  return options;
}

int check(const Options& o, Diagnostics& diag) {
  const RunOptions options = run_options(o);
  const auto model = load_model(o.model, data_options(o), diag);
  if (!model) return kBadInput;
  const auto chosen = schedules(*model, o.schedule);
  const auto reference = evaluate(model->program, model->inputs);
  std::vector<ScheduleReport> reports;
  int worst = kAgreed;
  for (const Schedule* s : chosen) {
    std::map<TensorId, Tensor> outputs;
    reports.push_back(run_schedule(*model, *s, options, &reference, outputs, diag));
    end_progress();
    say(check_text(reports.back()));
    worst = std::max(worst, status_of(reports.back().state));
    if (diag.has_errors()) return kBadInput;
  }
  say(summary_text(reports));
  if (!o.json.empty()) replace_file(o.json, check_json(o.model, reports).dump(2) + "\n");
  return worst;
}

int run(const Options& o, Diagnostics& diag) {
  RunOptions options = run_options(o);
  if (options.engines.size() != 1) throw UsageError{"run takes one engine"};
  const auto model = load_model(o.model, data_options(o), diag);
  if (!model) return kBadInput;
  const auto chosen = schedules(*model, o.schedule);
  if (chosen.size() != 1) throw UsageError{"run takes one schedule"};
  std::map<TensorId, Tensor> outputs;
  const ScheduleReport report = run_schedule(*model, *chosen[0], options, nullptr, outputs, diag);
  end_progress();
  if (diag.has_errors()) return kBadInput;
  say(run_text(report));
  if (report.state != ScheduleState::kOk) return status_of(report.state);
  if (o.out.empty()) return kAgreed;
  make_folder(o.out);
  for (const auto& [id, tensor] : outputs) {
    const fs::path base = fs::path(o.out) / model->program.tensor(id).name;
    if (tensor.rank() <= 2)
      replace_file(base.string() + ".mtx", to_matrix_market(tensor));
    else
      replace_file(base.string() + ".tns", to_frostt(tensor));
    const bool dense = std::all_of(tensor.format.levels.begin(), tensor.format.levels.end(),
                                   [](LevelKind k) { return k == LevelKind::kDense; });
    if (dense) replace_file(base.string() + ".npy", to_npy(tensor));
  }
  return kAgreed;
}

int emit(const Options& o, Diagnostics& diag) {
  if (!is_stage(o.stage))
    throw UsageError{fmt::format("'{}' is no stage: {}", o.stage, stage_names())};
  const auto model = load_model(o.model, data_options(o), diag);
  if (!model) return kBadInput;
  const auto chosen = schedules(*model, o.schedule);
  if (chosen.size() != 1) throw UsageError{"emit takes one schedule"};
  RunOptions options;
  options.depth = depth_rule(o.depth);
  std::string problem;
  const auto files = emit_stage(o.stage, *model, *chosen[0], options, diag, problem);
  if (!files) {
    if (!problem.empty()) complain("heddle: " + problem + "\n");
    return diag.has_errors() ? kBadInput : kDisagreed;
  }
  if (o.out.empty()) {
    if (files->size() != 1)
      throw UsageError{"this stage makes several files: name a folder with -o"};
    say(files->front().text);
    return kAgreed;
  }
  write_folder(o.out, *files);
  return kAgreed;
}

int explore_orders(const Options& o, Diagnostics& diag) {
  const auto model = load_model(o.model, data_options(o), diag);
  if (!model) return kBadInput;
  const auto chosen = schedules(*model, o.schedule);
  if (chosen.size() != 1) throw UsageError{"explore takes one schedule"};
  std::string problem;
  const auto regions = explore(*model, *chosen[0], static_cast<std::size_t>(o.most), diag, problem);
  if (!regions) {
    if (!problem.empty()) complain("heddle: " + problem + "\n");
    return diag.has_errors() ? kBadInput : kDisagreed;
  }
  say(explore_text(*regions));
  return kAgreed;
}

int bench(const Options& o, Diagnostics& diag) {
  std::vector<BenchRow> rows;
  for (const std::string& path : o.models) {
    const auto model = load_model(path, data_options(o), diag);
    if (!model) return kBadInput;
    for (const Schedule* s : schedules(*model, o.schedule)) {
      std::string problem;
      const auto more = bench_schedule(path, *model, *s, false, diag, problem);
      rows.insert(rows.end(), more.begin(), more.end());
      if (diag.has_errors()) return kBadInput;
      if (!problem.empty()) {
        complain("heddle: " + problem + "\n");
        return kDisagreed;
      }
    }
  }
  say(bench_table(rows));
  if (!o.json.empty()) replace_file(o.json, bench_json(rows).dump(2) + "\n");
  return std::all_of(rows.begin(), rows.end(), [](const BenchRow& r) { return r.equal; })
             ? kAgreed
             : kDisagreed;
}

int describe(const Options& o) {
  if (o.package) {
    say(package_text());
    return kAgreed;
  }
  if (o.primitive.empty()) {
    say(library_table());
    return kAgreed;
  }
  const auto id = find_primitive(o.primitive);
  if (!id)
    throw UsageError{
        fmt::format("there is no block '{}'; heddle describe lists them", o.primitive)};
  say(primitive_text(spec_of(*id)));
  return kAgreed;
}

void add_model_options(CLI::App& command, Options& o) {
  command.add_option("model", o.model, "the model, a .ein file")->required();
  const bool several = command.get_name() == "check";
  command.add_option(
      "--schedule", o.schedule,
      fmt::format("a schedule of the model{} (default: the first)", several ? ", or all" : ""));
  command.add_option("--data", o.data, "NAME=FILE: data of a tensor, over the model's")
      ->allow_extra_args(false);
  command.add_option("--size", o.sizes, "NAME=NUMBER: value of a size")->allow_extra_args(false);
  command
      .add_option("--format", o.formats, "NAME=FORMAT: how a tensor is stored, over the model's")
      ->allow_extra_args(false);
  command.add_option("--depth", o.depth, "auto, min, or the room of every channel in tokens");
}

void add_path(CLI::App& command, const char* option, std::string& path, const char* what) {
  command.add_option(option, path, what)->check([](const std::string& given) {
    return std::string(given.empty() ? "the name is empty" : "");
  });
}

std::string unknown_command(const CLI::App& app, const std::string& command) {
  std::string known;
  for (const CLI::App* c : app.get_subcommands({}))
    known += (known.empty() ? "" : ", ") + c->get_name();
  return fmt::format("there is no command '{}'; known are {}", command, known);
}

int main_of(int argc, char** argv, Diagnostics& diag) {
  Options o;
  CLI::App app{"heddle: compiles sparse models to fused dataflow hardware"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "heddle 0.1");
  CLI::App* check_command = app.add_subcommand(
      "check", "run the engines, compare them with each other and with the reference");
  add_model_options(*check_command, o);
  std::string check_engines = "functional,cycle,systemc,rtl", run_engines = "cycle";
  check_command->add_option("--engine", check_engines, "engines, separated by commas")
      ->capture_default_str();
  add_path(*check_command, "--json", o.json, "write the report to this file");
  CLI::App* run_command = app.add_subcommand("run", "run one engine");
  add_model_options(*run_command, o);
  run_command->add_option("--engine", run_engines, "the engine")->capture_default_str();
  add_path(*run_command, "-o", o.out, "write outputs to this folder");
  CLI::App* emit_command =
      app.add_subcommand("emit", "write a stage of the compilation: " + stage_names());
  emit_command->add_option("stage", o.stage, "the stage")->required();
  add_model_options(*emit_command, o);
  add_path(*emit_command, "-o", o.out, "folder to write to (default: print)");
  CLI::App* explore_command = app.add_subcommand(
      "explore", "try the loop orders of each region: predicted and simulated, best first");
  add_model_options(*explore_command, o);
  explore_command->add_option("--most", o.most, "orders to run in each region")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  CLI::App* bench_command =
      app.add_subcommand("bench", "measure the speed of the engines against each other");
  bench_command->add_option("models", o.models, "models, .ein files")->required();
  bench_command->add_option("--schedule", o.schedule,
                            "a schedule of each model, or all (default: the first)");
  bench_command->add_option("--data", o.data, "NAME=FILE: data of a tensor, over the model's")
      ->allow_extra_args(false);
  add_path(*bench_command, "--json", o.json, "write the numbers to this file");
  CLI::App* describe_command =
      app.add_subcommand("describe", "describe the block library, or one block");
  describe_command->add_option("block", o.primitive, "the block");
  describe_command->add_flag("--sv", o.package, "print rtl/sam_pkg.sv")
      ->group("");  // for scripts/update_generated.sh
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (app.get_subcommands().empty() && argc > 1 && argv[1][0] != '-')
      throw UsageError{unknown_command(app, argv[1])};
    return app.exit(e) == 0 ? kAgreed : kUsage;
  }
  if (check_command->parsed()) {
    o.engines = check_engines;
    return check(o, diag);
  }
  if (run_command->parsed()) {
    o.engines = run_engines;
    return run(o, diag);
  }
  if (emit_command->parsed()) return emit(o, diag);
  if (bench_command->parsed()) return bench(o, diag);
  if (explore_command->parsed()) return explore_orders(o, diag);
  return describe(o);
}

}  // namespace

int main(int argc, char** argv) {
  Diagnostics diag;
  int status = kDisagreed;
  try {
    status = main_of(argc, argv, diag);
  } catch (const UsageError& e) {
    complain("heddle: " + e.message + "\n");
    status = kUsage;
  } catch (const std::exception& e) {
    const char* folder = std::getenv("TMPDIR");
    std::error_code none;
    if (folder != nullptr && !std::filesystem::is_directory(folder, none))
      complain(fmt::format("heddle: TMPDIR names '{}', which is no folder\n", folder));
    complain(fmt::format("heddle: {}\n", e.what()));
    status = kBadInput;
  }
  complain(diag.text());
  return status;
}
