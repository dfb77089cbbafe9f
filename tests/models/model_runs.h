// Models under a schedule, run and compared, for tests.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "compiler/driver/pipeline.h"

namespace heddle {

inline const std::vector<Engine> kCpp{Engine::kFunctional, Engine::kCycle, Engine::kSystemc};
inline const std::vector<Engine> kAll{Engine::kFunctional, Engine::kCycle, Engine::kSystemc,
                                      Engine::kRtl};

struct Ran {
  ScheduleReport report;
  std::map<TensorId, Tensor> outputs;
};

inline std::string problem_of(const ScheduleReport& report) {
  std::string text = report.problem;
  for (const RegionReport& r : report.regions) text += r.difference;
  for (const OutputReport& o : report.outputs) text += o.difference;
  return text;
}

/// The model under one schedule, given as its lines.
inline Ran run(const std::string& model, const std::string& lines, const DataOptions& data,
               const std::vector<Engine>& engines, ScheduleState expected = ScheduleState::kOk) {
  Ran ran;
  Diagnostics diag;
  const std::string text = model + "schedule s { " + lines + " }\n";
  auto program = parse_model(diag.sources().add("model.ein", text), diag);
  std::optional<std::map<TensorId, EntryList>> inputs;
  if (program) inputs = bind_data(*program, data, diag);
  EXPECT_TRUE(inputs) << text << diag.text();
  if (!inputs) return ran;
  const Model bound{std::move(*program), std::move(*inputs)};
  const auto reference = evaluate(bound.program, bound.inputs);
  RunOptions options;
  options.engines = engines;
  ran.report =
      run_schedule(bound, bound.program.schedules[0], options, &reference, ran.outputs, diag);
  EXPECT_EQ(ran.report.state, expected) << text << diag.text() << problem_of(ran.report);
  return ran;
}

inline void expect_same(const Ran& one, const Ran& lanes, const std::string& what) {
  for (const auto& [id, tensor] : one.outputs) {
    const Tensor& other = lanes.outputs.at(id);
    EXPECT_EQ(tensor.vals, other.vals) << what;
    for (std::size_t l = 0; l < tensor.levels.size(); ++l) {
      EXPECT_EQ(tensor.levels[l].seg, other.levels[l].seg) << what;
      EXPECT_EQ(tensor.levels[l].crd, other.levels[l].crd) << what;
    }
  }
}

inline void expect_same_entries(const Ran& plain, const Ran& tiles, const std::string& what) {
  for (const auto& [id, tensor] : plain.outputs)
    EXPECT_EQ(unpack(tensor).crd, unpack(tiles.outputs.at(id)).crd) << what;
}

/// An example without its schedules.
inline std::string example(const std::string& name) {
  std::ifstream file(std::string(HEDDLE_ROOT) + "/examples/" + name + "/" + name + ".ein");
  std::stringstream text;
  text << file.rdbuf();
  return text.str().substr(0, text.str().find("schedule"));
}

}  // namespace heddle
