// The model examples on data they were not written for: graphs with isolated nodes and none at all,
// everything of size 1, sizes that nothing divides. Every schedule, against the dense reference.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "compiler/driver/pipeline.h"

namespace heddle {
namespace {

const std::vector<Engine> kCpp{Engine::kFunctional, Engine::kCycle, Engine::kSystemc};
const std::vector<Engine> kAll{Engine::kFunctional, Engine::kCycle, Engine::kSystemc, Engine::kRtl};

struct Case {
  std::string label;
  std::uint32_t n;     // rows of the graph, the mask or the samples
  std::uint32_t wide;  // the first of the other sizes; the next are one less each, at least 1
  const char* density;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.label; }
const Case kCases[]{{"Single", 1, 1, "1"},
                    {"SingleWithoutEdges", 1, 1, "0"},
                    {"WithoutEdges", 7, 3, "0"},
                    {"WithIsolatedNodes", 13, 5, "0.06"},
                    {"Complete", 5, 7, "1"}};

std::string text_of(const std::string& name, const Case& c) {
  std::ifstream file(std::string(HEDDLE_ROOT) + "/examples/" + name + "/" + name + ".ein");
  std::stringstream text, model;
  text << file.rdbuf();
  for (std::string line; std::getline(text, line);) {
    // The graph or mask; its size comes from the data otherwise.
    if (const std::size_t at = line.find("file("); at != std::string::npos)
      line = line.substr(0, at) + "random(density: " + c.density +
             ", seed: 99)\nsize n = " + std::to_string(c.n);
    if (line.starts_with("size ") && line.find("n =") == std::string::npos) {
      std::uint32_t wide = c.wide;
      std::string sizes;
      for (std::size_t at = 5; at < line.size(); at = line.find(", ", at)) {
        if (line[at] == ',') at += 2;
        sizes +=
            (sizes.empty() ? "size " : ", ") + line.substr(at, 1) + " = " + std::to_string(wide);
        if (wide > 1) --wide;
        if (line.find(", ", at) == std::string::npos) break;
      }
      line = sizes;
    }
    model << line << "\n";
  }
  return model.str();
}

void check(const std::string& name, const Case& c, const std::vector<Engine>& engines,
           const std::string& only = {}) {
  Diagnostics diag;
  const std::string text = text_of(name, c);
  auto program = parse_model(diag.sources().add(name, text), diag);
  ASSERT_TRUE(program) << text << diag.text();
  auto inputs = bind_data(*program, {}, diag);
  ASSERT_TRUE(inputs) << text << diag.text();
  if (std::getenv("HEDDLE_VERBOSE") != nullptr) std::fprintf(stderr, "%s\n", text.c_str());
  const Model model{std::move(*program), std::move(*inputs)};
  const auto reference = evaluate(model.program, model.inputs);
  RunOptions options;
  options.engines = engines;
  for (const Schedule& schedule : model.program.schedules) {
    if (!only.empty() && schedule.name != only) continue;
    std::map<TensorId, Tensor> outputs;
    const ScheduleReport report = run_schedule(model, schedule, options, &reference, outputs, diag);
    EXPECT_EQ(report.state, ScheduleState::kOk)
        << text << schedule.name << ": " << report.problem << diag.text()
        << (report.regions.empty() ? "" : report.regions.back().difference)
        << (report.outputs.empty() ? "" : report.outputs.back().difference);
  }
}

class Example : public testing::TestWithParam<std::tuple<std::string, Case>> {};
std::string label(const testing::TestParamInfo<std::tuple<std::string, Case>>& info) {
  return std::get<0>(info.param) + "_" + std::get<1>(info.param).label;
}
INSTANTIATE_TEST_SUITE_P(
    Every, Example,
    testing::Combine(testing::Values<std::string>("gcn", "graphsage_mean", "graphsage_max",
                                                  "autoencoder", "attention", "gpt_block"),
                     testing::ValuesIn(kCases)),
    label);

TEST_P(Example, AgreesWithTheReference) {
  check(std::get<0>(GetParam()), std::get<1>(GetParam()), kCpp);
}

TEST(ExampleInHardware, KeptOnAGraphWithIsolatedNodes) {
  check("gcn", kCases[3], kAll, "kept");
  check("graphsage_max", kCases[3], kAll, "kept");
}

}  // namespace
}  // namespace heddle
