// What fusion is worth: whole models under their schedules, counted by the cycle engine. The graphs
// are real where HEDDLE_DATA names a folder with them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/driver/pipeline.h"
#include "tests/models/bigbird.h"

namespace heddle {
namespace {

/// What one schedule takes, all regions together.
struct Totals {
  double cycles = 0, flops = 0, words = 0;
};

class Measured {
 public:
  Measured(const std::string& text, const DataOptions& data) {
    auto program = parse_model(diag_.sources().add("model.ein", text), diag_);
    std::optional<std::map<TensorId, EntryList>> inputs;
    if (program) inputs = bind_data(*program, data, diag_);
    EXPECT_TRUE(inputs) << diag_.text();
    if (inputs) model_ = Model{std::move(*program), std::move(*inputs)};
  }

  Totals operator()(const std::string& schedule) {
    Totals totals;
    if (!model_) return totals;
    if (!reference_) reference_ = evaluate(model_->program, model_->inputs);
    RunOptions options;
    options.engines = {Engine::kFunctional, Engine::kCycle};
    for (const Schedule& s : model_->program.schedules) {
      if (s.name != schedule) continue;
      std::map<TensorId, Tensor> outputs;
      const ScheduleReport report = run_schedule(*model_, s, options, &*reference_, outputs, diag_);
      EXPECT_EQ(report.state, ScheduleState::kOk) << report.problem << diag_.text();
      totals.cycles = static_cast<double>(report.cycles);
      totals.flops = static_cast<double>(report.flops);
      totals.words = static_cast<double>(report.words_read + report.words_written);
      std::printf("%-8s %12.0f cycles %12.0f flops %12.0f words\n", schedule.c_str(), totals.cycles,
                  totals.flops, totals.words);
      return totals;
    }
    ADD_FAILURE() << "no schedule " << schedule;
    return totals;
  }

 private:
  Diagnostics diag_;
  std::optional<Model> model_;
  std::optional<std::map<TensorId, ReferenceTensor>> reference_;
};

std::string example(const std::string& name) {
  std::ifstream file(std::string(HEDDLE_ROOT) + "/examples/" + name + "/" + name + ".ein");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

struct Graph {
  const char* name;
  std::uint32_t features, classes;
};
constexpr Graph kCora{"cora", 1433, 7}, kCiteseer{"citeseer", 3703, 6};

std::optional<DataOptions> data_of(const Graph& graph, const std::string& features) {
  const char* folder = std::getenv("HEDDLE_DATA");
  const std::string path = std::string(folder == nullptr ? "" : folder) + "/" + graph.name;
  if (!std::filesystem::exists(path + "_adj_norm.mtx.gz")) return std::nullopt;
  return DataOptions{{{"A", path + "_adj_norm.mtx.gz"}, {"X", path + "_features.mtx.gz"}},
                     {{"d", graph.features}, {"h", 16}, {"c", graph.classes}},
                     {{"X", features}}};
}

/// Full fusion that keeps the hidden layer: no recomputation, no trip to memory, no slower.
void check_kept(const std::string& model, const Graph& graph) {
  const auto data = data_of(graph, "csr");
  if (!data) GTEST_SKIP() << "HEDDLE_DATA names no folder with this graph: not run";
  Measured measure(example(model), *data);
  const Totals unfused = measure("unfused"), partial = measure("partial"), kept = measure("kept");
  EXPECT_LE(kept.flops, 1.05 * unfused.flops);
  EXPECT_LE(kept.words, partial.words);
  EXPECT_LT(kept.cycles, partial.cycles);
  EXPECT_LT(partial.cycles, unfused.cycles);
}

TEST(Kept, GcnOnCora) { check_kept("gcn", kCora); }
TEST(Kept, GraphSageOnCora) { check_kept("graphsage_mean", kCora); }
TEST(Kept, SlowGcnOnCiteseer) { check_kept("gcn", kCiteseer); }
TEST(Kept, SlowGraphSageOnCiteseer) { check_kept("graphsage_mean", kCiteseer); }

/// The published configuration: features stored dense, six of ten weights zero.
void check_published(const Graph& graph, const std::string& model,
                     const std::vector<std::string>& weights) {
  const auto data = data_of(graph, "dense");
  if (!data) GTEST_SKIP() << "HEDDLE_DATA names no folder with this graph: not run";
  std::string text = example(model);
  for (const std::string& w : weights) {
    const std::size_t line = text.find("tensor " + w);
    const std::size_t at = text.find("dense = random(", line);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, 15, "csr = random(density: 0.4, ");
  }
  Measured measure(text, *data);
  EXPECT_GE(measure("unfused").cycles, 1.6 * measure("partial").cycles);
}

TEST(Partial, SlowGcnOnCoraStoredDense) { check_published(kCora, "gcn", {"W1", "W2"}); }
TEST(Partial, SlowGraphSageOnCoraStoredDense) {
  check_published(kCora, "graphsage_mean", {"S1", "N1", "S2", "N2"});
}

/// One head, 64 wide. As the example has it, the scores are restricted to the mask; as statements
/// often read, they are dense and masked after.
void check_attention(std::uint32_t n) {
  const DataOptions data{{{"B", bigbird(n)}}, {{"h", 1}, {"d", 64}}, {}};
  const std::string text = example("attention");
  Measured restricted(text, data);
  Measured dense(replaced(text, "sqrt(size(k)) where B[i, j]", "sqrt(size(k))"), data);
  const Totals full = restricted("full");
  EXPECT_GE(restricted("unfused").cycles, 1.9 * full.cycles);
  EXPECT_GE(dense("unfused").cycles, 2.7 * full.cycles);
}

TEST(Attention, Of256Positions) { check_attention(256); }
TEST(Attention, SlowOf1024Positions) { check_attention(1024); }

}  // namespace
}  // namespace heddle
