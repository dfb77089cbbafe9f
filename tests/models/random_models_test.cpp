// Random statements against the dense reference, untimed and cycle-exact.
#include "tests/models/random_models.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "compiler/driver/pipeline.h"

namespace heddle {
namespace {

/// Problems that a random model may have; anything else is a fault of the generator or of Heddle.
bool expected(const std::string& id) {
  for (const char* known :
       {"densifies", "implicit-sum", "capacity", "index-size", "size-clash-index", "type-constant",
        "where-index", "schedule-unsupported", "schedule-keep", "keep-order", "schedule-block"})
    if (id == known) return true;
  return false;
}

/// Tiles store what single elements store. (A dense level inside a compressed one stores zeros,
/// too, more or fewer of them.)
void expect_same_entries(const Tensor& tiles, const Tensor& plain, const std::string& what) {
  const auto& levels = plain.format.levels;
  const auto first = std::find(levels.begin(), levels.end(), LevelKind::kCompressed);
  if (std::find(first, levels.end(), LevelKind::kDense) != levels.end()) return;
  EXPECT_EQ(unpack(tiles).crd, unpack(plain).crd) << what;
}

/// Where values other than zero are stored. What a kept tensor lacks is stored as zero in its dense
/// levels, and which are dense depends on the order of the loops.
std::vector<std::uint32_t> not_zero(const Tensor& tensor) {
  const EntryList all = unpack(tensor);
  const std::size_t rank = all.shape.size();
  std::vector<std::uint32_t> crd;
  const std::uint32_t sign = tensor.type == ValueType::kF32 ? 0x80000000u : 0;
  for (std::size_t n = 0; n < all.vals.size(); ++n)
    if ((all.vals[n] & ~sign) != 0)
      crd.insert(crd.end(), all.crd.begin() + static_cast<std::ptrdiff_t>(n * rank),
                 all.crd.begin() + static_cast<std::ptrdiff_t>((n + 1) * rank));
  return crd;
}

struct Tally {
  int run = 0;
  int refused = 0;
};

void check_model(std::uint64_t seed, const std::vector<Engine>& engines, Tally& tally,
                 bool with_tiles = true) {
  std::string text = RandomModel(seed).text();
  if (!with_tiles) text.resize(std::min(text.size(), text.find("schedule tiles")));
  if (std::getenv("HEDDLE_VERBOSE") != nullptr)
    std::fprintf(stderr, "seed %d\n%s\n", static_cast<int>(seed), text.c_str());
  Diagnostics diag;
  auto program = parse_model(diag.sources().add("random.ein", text), diag);
  std::optional<std::map<TensorId, EntryList>> inputs;
  if (program) inputs = bind_data(*program, {}, diag);
  const auto refuse = [&] {
    ++tally.refused;
    for (const Diagnostic& d : diag.all()) {
      const bool good = d.severity != Severity::kError || expected(d.id);
      EXPECT_TRUE(good) << "seed " << seed << "\n" << text << diag.text();
    }
  };
  if (!inputs) return refuse();
  const Model model{std::move(*program), std::move(*inputs)};
  const auto reference = evaluate(model.program, model.inputs);
  RunOptions options;
  options.engines = engines;
  std::map<std::string, std::map<TensorId, Tensor>> ran;
  for (const Schedule& schedule : model.program.schedules) {
    std::map<TensorId, Tensor>& outputs = ran[schedule.name];
    const ScheduleReport report = run_schedule(model, schedule, options, &reference, outputs, diag);
    if (diag.has_errors()) return refuse();
    ++tally.run;
    ASSERT_EQ(report.state, ScheduleState::kOk)
        << "seed " << seed << ", schedule " << schedule.name << "\n"
        << text << report.problem << (report.regions.empty() ? "" : report.regions[0].difference)
        << (report.outputs.empty() ? "" : report.outputs[0].difference);
  }
  const TensorId output = model.program.outputs[0];
  if (ran.count("tiles") == 0 || !model.program.tensor(output).format) return;
  const bool two = model.program.statements.size() > 1;
  std::vector<std::pair<const char*, const char*>> alike{{two ? "fused" : "default", "tiles"},
                                                         {"tiles", "tile_lanes"}};
  for (const auto& [plain, tiles] : alike)
    expect_same_entries(ran.at(tiles).at(output), ran.at(plain).at(output),
                        "seed " + std::to_string(seed) + "\n" + text);
  if (!two) return;
  EXPECT_EQ(not_zero(ran.at("kept_tiles").at(output)), not_zero(ran.at("kept").at(output)))
      << "seed " << seed << "\n"
      << text;
}

TEST(RandomModels, AgreeWithTheReference) {
  // HEDDLE_RANDOM=FIRST:COUNT runs others.
  std::uint64_t first = 1, count = 1500;
  if (const char* range = std::getenv("HEDDLE_RANDOM")) {
    char* rest = nullptr;
    first = std::strtoull(range, &rest, 10);
    if (rest != nullptr && *rest == ':') count = std::strtoull(rest + 1, nullptr, 10);
  }
  Tally tally;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    check_model(seed, {Engine::kFunctional, Engine::kCycle}, tally);
    if (HasFatalFailure()) return;
  }
  std::printf("%d runs, %d models refused\n", tally.run, tally.refused);
  EXPECT_GE(tally.run * 2, static_cast<int>(count));
}

// Without tiles: most of these are large, and built for a minute (tiles_test has some).
void check_in_hardware(std::uint64_t first, std::uint64_t count) {
  Tally tally;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    check_model(seed, {Engine::kFunctional, Engine::kCycle, Engine::kSystemc, Engine::kRtl}, tally,
                false);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GE(tally.run * 2, static_cast<int>(count));
}

TEST(RandomModels, AgreeInHardware) { check_in_hardware(20001, 12); }

TEST(RandomModels, SlowAgreeInHardware) { check_in_hardware(30001, 40); }

}  // namespace
}  // namespace heddle
