// Small models with data given in the test, run in engines and compared.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "compiler/driver/pipeline.h"

namespace heddle {

/// A missing entry; a 0 is stored.
inline constexpr float kNone = std::numeric_limits<float>::infinity();

/// An input with all its positions in row-major order.
struct Input {
  std::string name;
  std::vector<std::uint32_t> shape;
  std::string format;
  std::vector<float> values;
  bool keep_zeros = false;  // else a 0 is missing, too
};

const std::vector<Engine> kCpp{Engine::kFunctional, Engine::kCycle};
const std::vector<Engine> kAll{Engine::kFunctional, Engine::kCycle, Engine::kSystemc, Engine::kRtl};

/// What came of a model.
struct Ran {
  std::string errors;  // diagnostics, if it was refused
  ScheduleReport report;
  std::map<std::string, Tensor> outputs;

  std::size_t engines = 0;

  /// Accepted, run in every engine, all alike and within the bounds of the reference.
  bool ok() const {
    bool all = errors.empty() && report.state == ScheduleState::kOk && !outputs.empty();
    for (const RegionReport& r : report.regions)
      all &= r.runs.size() == engines && r.cycles_equal && r.values_equal;
    return all;
  }
  std::string why() const {
    std::string text = errors + report.problem;
    for (const RegionReport& r : report.regions) text += "\n" + r.difference;
    for (const OutputReport& o : report.outputs) text += "\n" + o.name + ": " + o.difference;
    return text;
  }
  /// All positions of an output, row-major; missing ones are 0.
  std::vector<float> dense(const std::string& name) const {
    const Tensor& tensor = outputs.at(name);
    std::vector<float> values(dense_size(tensor.shape), 0.0F);
    const EntryList list = unpack(tensor);
    for (std::size_t n = 0; n < list.size(); ++n) {
      std::size_t at = 0;
      for (std::size_t m = 0; m < tensor.shape.size(); ++m)
        at = at * tensor.shape[m] + list.entry(n)[m];
      values[at] = arithmetic::to_float(list.vals[n]);
    }
    return values;
  }
  std::size_t stored(const std::string& name) const { return outputs.at(name).vals.size(); }
};

inline EntryList entries(const Input& input) {
  EntryList list;
  list.shape = input.shape;
  for (std::size_t n = 0; n < input.values.size(); ++n) {
    if (input.values[n] == kNone || (input.values[n] == 0 && !input.keep_zeros)) continue;
    std::vector<std::uint32_t> at(input.shape.size());
    std::size_t rest = n;
    for (std::size_t m = at.size(); m-- > 0; rest /= input.shape[m])
      at[m] = static_cast<std::uint32_t>(rest % input.shape[m]);
    list.crd.insert(list.crd.end(), at.begin(), at.end());
    list.vals.push_back(arithmetic::from_float(input.values[n]));
  }
  return list;
}

/// Runs `text` (all but the inputs, sizes as numbers) and compares engines with each other and with
/// the reference.
inline Ran run_case(const std::vector<Input>& inputs, const std::string& text,
                    const std::vector<Engine>& engines, std::optional<int> depth = {}) {
  std::string model_text;
  for (const Input& input : inputs) {
    std::string modes;
    for (const std::uint32_t size : input.shape)
      modes += (modes.empty() ? "" : ", ") + std::to_string(size);
    model_text +=
        "tensor " + input.name + "[" + modes + "]: f32 " + input.format + " = constant(0)\n";
  }
  model_text += text;
  Ran ran;
  ran.engines = engines.size();
  Diagnostics diag;
  auto program = parse_model(diag.sources().add("case.ein", model_text), diag);
  std::optional<std::map<TensorId, EntryList>> data;
  if (program) data = bind_data(*program, {}, diag);
  if (!data) {
    ran.errors = diag.text();
    return ran;
  }
  for (auto& [id, list] : *data)
    for (const Input& input : inputs)
      if (program->tensor(id).name == input.name) list = entries(input);
  const Model model{std::move(*program), std::move(*data)};
  const auto reference = evaluate(model.program, model.inputs);
  RunOptions options;
  options.engines = engines;
  if (depth) options.depth = DepthRule::given(*depth);
  for (const Schedule& schedule : model.program.schedules) {
    std::map<TensorId, Tensor> outputs;
    ran.report = run_schedule(model, schedule, options, &reference, outputs, diag);
    if (diag.has_errors()) ran.errors = diag.text();
    for (auto& [id, tensor] : outputs)
      ran.outputs[model.program.tensor(id).name] = std::move(tensor);
    if (!ran.ok()) break;
  }
  return ran;
}

}  // namespace heddle
