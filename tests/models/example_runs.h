// The examples with their own data, under schedules that tests change, for tests.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "tests/models/model_runs.h"

namespace heddle {

/// How many lanes the examples are tried with.
inline const std::vector<std::uint32_t> kLanes{1, 2, 3, 5, 8};

/// A line `parallel NAME by NUMBER` or `block NAME by NUMBER`.
inline ScheduleItem schedule_line(ScheduleItem::Kind kind, const std::string& index,
                                  std::uint32_t number, SourceRange range) {
  ScheduleItem item;
  item.kind = kind;
  item.names = {index};
  item.name_ranges = {range};
  item.number = number;
  item.range = range;
  return item;
}

/// The schedule with a line for each of these indices before its own.
inline Schedule with_lines(Schedule schedule, ScheduleItem::Kind kind,
                           const std::vector<std::string>& indices, std::uint32_t number) {
  for (const std::string& index : indices)
    schedule.items.insert(schedule.items.begin(),
                          schedule_line(kind, index, number, schedule.range));
  return schedule;
}

/// "attention", {"h", "i"} -> "attention_h_i"
inline std::string label_of(std::string example, const std::vector<std::string>& indices) {
  for (const std::string& index : indices) example += "_" + index;
  return example;
}

/// The folders of examples/ that hold a model.
inline std::set<std::string> example_folders() {
  std::set<std::string> names;
  for (const auto& folder : std::filesystem::directory_iterator(HEDDLE_ROOT "/examples")) {
    if (!folder.is_directory()) continue;
    for (const auto& file : std::filesystem::directory_iterator(folder))
      if (file.path().extension() == ".ein") names.insert(folder.path().filename().string());
  }
  return names;
}

/// The models of examples/kernels: "kernels/gcn/relu".
inline std::set<std::string> example_kernels() {
  const std::filesystem::path root = HEDDLE_ROOT "/examples";
  std::set<std::string> paths;
  for (const auto& file : std::filesystem::recursive_directory_iterator(root / "kernels"))
    if (file.path().extension() == ".ein")
      paths.insert(std::filesystem::relative(file.path(), root).replace_extension().string());
  return paths;
}

/// An example, by name or path, with its own data, under its own schedules but those with lines of
/// some kinds.
class LoadedExample {
 public:
  LoadedExample(const std::string& name, const std::set<ScheduleItem::Kind>& without)
      : model_(load_model(path_of(name), {}, diag_)) {
    EXPECT_TRUE(model_) << diag_.text();
    if (!model_) return;
    reference_ = evaluate(model_->program, model_->inputs);
    for (const Schedule& s : model_->program.schedules)
      if (std::none_of(s.items.begin(), s.items.end(),
                       [&](const ScheduleItem& item) { return without.count(item.kind) > 0; }))
        schedules_.push_back(s);
    EXPECT_FALSE(schedules_.empty());
  }

  static std::string path_of(const std::string& name) {
    const bool is_path = name.find('/') != std::string::npos;
    return fmt::format("{}/examples/{}.ein", HEDDLE_ROOT, is_path ? name : name + "/" + name);
  }

  const std::vector<Schedule>& schedules() const { return schedules_; }

  /// The names of the indices of its statements.
  std::set<std::string> indices() const {
    std::set<std::string> names;
    for (const Statement& s : model_->program.statements)
      for (const IndexVar& index : s.indices) names.insert(index.written);
    return names;
  }

  /// The messages of an error are in `problem` of the report.
  Ran run(const Schedule& schedule, const std::vector<Engine>& engines,
          std::optional<DepthRule> depth = {}, ScheduleState expected = ScheduleState::kOk) {
    Ran ran;
    RunOptions options;
    options.engines = engines;
    options.depth = depth;
    Diagnostics diag = diag_;  // the places in the model
    ran.report = run_schedule(*model_, schedule, options, &reference_, ran.outputs, diag);
    ran.report.problem += diag.text();
    EXPECT_EQ(ran.report.state, expected) << schedule.name << ": " << problem_of(ran.report);
    return ran;
  }

 private:
  Diagnostics diag_;
  std::optional<Model> model_;
  std::map<TensorId, ReferenceTensor> reference_;
  std::vector<Schedule> schedules_;
};

}  // namespace heddle
