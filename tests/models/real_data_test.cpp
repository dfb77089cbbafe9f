// Real matrices, where HEDDLE_DATA names a folder with them; and the rate at which large random
// ones pass.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "compiler/driver/pipeline.h"

namespace heddle {
namespace {

std::optional<std::string> data_folder() {
  const char* folder = std::getenv("HEDDLE_DATA");
  if (folder == nullptr || !std::filesystem::exists(std::string(folder) + "/lp_scsd1.mtx"))
    return std::nullopt;
  return folder;
}

std::optional<Model> model_of(const std::string& text, Diagnostics& diag) {
  auto program = parse_model(diag.sources().add("real.ein", text), diag);
  if (!program) return std::nullopt;
  auto inputs = bind_data(*program, {}, diag);
  if (!inputs) return std::nullopt;
  return Model{std::move(*program), std::move(*inputs)};
}

ScheduleReport report_of(const Model& model, const std::vector<Engine>& engines) {
  Diagnostics diag;
  const auto reference = evaluate(model.program, model.inputs);
  RunOptions options;
  options.engines = engines;
  std::map<TensorId, Tensor> outputs;
  return run_schedule(model, model.program.schedules[0], options, &reference, outputs, diag);
}

const std::vector<Engine> kAll{Engine::kFunctional, Engine::kCycle, Engine::kSystemc, Engine::kRtl};

/// lp_scsd1 in A; in B the same pattern one column further, with every value 2, as the published
/// runs have it.
std::optional<Model> shifted(const std::string& folder, const std::string& body,
                             Diagnostics& diag) {
  const std::string file = " = file(\"" + folder + "/lp_scsd1.mtx\")\n";
  auto model = model_of("tensor A[m, n]: f32 dcsr" + file + "tensor B[m, n]: f32 dcsr" + file +
                            "tensor C[m, n]: f32 dcsr" + file + body,
                        diag);
  if (!model) return model;
  for (std::size_t t = 0; t < model->program.tensors.size(); ++t) {
    const std::string& name = model->program.tensors[t].name;
    if (name != "B" && name != "C") continue;
    EntryList& list = model->inputs.at(static_cast<TensorId>(t));
    const std::uint32_t by = name == "B" ? 1 : 2;
    for (std::size_t n = 0; n < list.size(); ++n) {
      list.crd[n * 2 + 1] = (list.crd[n * 2 + 1] + by) % list.shape[1];
      list.vals[n] = 0x40000000;  // 2.0f
    }
    normalize(list, ValueType::kF32);
  }
  return model;
}

struct Published {
  const char* body;
  std::uint64_t cycles;
};

TEST(RealData, NoMoreCyclesThanPublishedForSam) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << "HEDDLE_DATA names no folder with lp_scsd1.mtx: not run";
  constexpr std::uint64_t kFill = 64;
  for (const Published& p :
       {Published{"tensor X[m, n]: f32 dcsr\nX[i, j] = A[i, j] + B[i, j]\noutput X\n", 3177},
        Published{"tensor X[m, n]: f32 dcsr\nX[i, j] = A[i, j] * B[i, j]\noutput X\n", 3177},
        Published{"tensor X[m, n]: f32 dcsr\nX[i, j] = A[i, j] + B[i, j] + C[i, j]\noutput X\n",
                  3885},
        Published{"tensor X[m, m]: f32 dcsr\nX[i, j] = A[i, k] * B[j, k]\noutput X\nschedule kij { "
                  "order k, i, j }\n",
                  12898}}) {
    Diagnostics diag;
    const auto model = shifted(*folder, p.body, diag);
    ASSERT_TRUE(model) << diag.text();
    const ScheduleReport report = report_of(*model, kAll);
    EXPECT_EQ(report.state, ScheduleState::kOk) << p.body << report.problem;
    EXPECT_LE(report.cycles, p.cycles + kFill) << p.body;
    std::printf("%llu cycles, published %llu: %s\n", static_cast<unsigned long long>(report.cycles),
                static_cast<unsigned long long>(p.cycles),
                std::string(p.body).substr(std::string(p.body).find('\n') + 1).c_str());
  }
}

TEST(RealData, CoraProductsAreEqualInAllTimedEngines) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << "HEDDLE_DATA names no folder with the Cora graph: not run";
  Diagnostics diag;
  const auto model =
      model_of("tensor A[n, n]: f32 csr = file(\"" + *folder +
                   "/cora_adj_norm.mtx.gz\")\n"
                   "tensor X[n, d]: f32 csr = file(\"" +
                   *folder +
                   "/cora_features.mtx.gz\")\n"
                   "tensor H[n, h]: f32 dense = random(seed: 3)\nsize h = 16\n"
                   "T[i, f] = A[i, k] * X[k, f]\nU[i, u] = A[i, k] * H[k, u]\noutput T, U\n",
               diag);
  ASSERT_TRUE(model) << diag.text();
  const ScheduleReport report = report_of(*model, kAll);
  EXPECT_EQ(report.state, ScheduleState::kOk) << report.problem;
  for (const RegionReport& r : report.regions)
    EXPECT_LE(static_cast<double>(r.cycles), 1.10 * static_cast<double>(r.busiest_firings) + 200)
        << r.name;
}

TEST(Rate, OneFiringACycle) {
  for (const char* body :
       {"tensor x[b]: f32 dense = random(seed: 2)\ny[i] = A[i, j] * x[j]\n",
        "tensor B[a, b]: f32 csr = random(density: 0.02, seed: 2)\ntensor Y[a, b]: f32 csr\nY[i, "
        "j] = A[i, j] * B[i, j]\n",
        "tensor B[a, b]: f32 csr = random(density: 0.02, seed: 2)\ntensor Y[a, b]: f32 csr\nY[i, "
        "j] = A[i, j] + B[i, j]\n",
        "tensor B[a, b]: f32 dcsr = random(density: 0.02, seed: 2)\ntensor Y[a, b]: f32 dcsr\nY[i, "
        "j] = A[i, j] - B[i, j]\n",
        "tensor B[b, c]: f32 csr = random(density: 0.02, seed: 2)\ntensor Y[a, c]: f32 csr\nY[i, "
        "k] = A[i, j] * B[j, k]\nschedule row { order i, j, k }\n",
        "tensor B[b, c]: f32 dense = random(seed: 2)\nY[i, k] = A[i, j] * B[j, k]\nschedule row { "
        "order i, j, k }\n"}) {
    for (const char* density : {"0.002", "0.02", "0.3"}) {
      Diagnostics diag;
      const auto model =
          model_of("size a = 300, b = 400, c = 64\ntensor A[a, b]: f32 csr = random(density: " +
                       std::string(density) + ", seed: 1)\n" + body,
                   diag);
      ASSERT_TRUE(model) << diag.text();
      const ScheduleReport report = report_of(*model, {Engine::kFunctional, Engine::kCycle});
      ASSERT_EQ(report.state, ScheduleState::kOk) << body << report.problem;
      const RegionReport& r = report.regions[0];
      EXPECT_LE(static_cast<double>(r.cycles), 1.10 * static_cast<double>(r.busiest_firings) + 200)
          << body << "density " << density << ", busiest " << r.busiest;
    }
  }
}

}  // namespace
}  // namespace heddle
