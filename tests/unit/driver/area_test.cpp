// The estimate of a design's area, against designs that were synthesized whole (rtl/AREA.md).
#include "compiler/netlist/area.h"

#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <sstream>

#include "compiler/driver/pipeline.h"
#include "compiler/netlist/netlist.h"

namespace heddle {
namespace {

/// The estimate of a model's only region.
AreaEstimate estimate(const std::string& text, int depth = 0) {
  Diagnostics diag;
  auto program = parse_model(diag.sources().add("model.ein", text), diag);
  auto inputs = program ? bind_data(*program, {}, diag) : std::nullopt;
  if (!inputs) {
    ADD_FAILURE() << diag.text();
    return {};
  }
  const Model model{std::move(*program), std::move(*inputs)};
  AreaEstimate found;
  RunOptions options;
  if (depth > 0) options.depth = DepthRule::given(depth);
  std::map<TensorId, Tensor> tensors;
  std::string problem;
  const auto visit = [&](CompiledRegion& region, const RunResult&) {
    found = estimate_area(region.graph, memory_sizes(region.graph, region.input));
    return true;
  };
  EXPECT_TRUE(
      compile_schedule(model, model.program.schedules[0], options, visit, tensors, diag, problem))
      << diag.text() << problem;
  return found;
}

std::string model(const std::string& name, const std::string& type) {
  std::ifstream file(std::string(HEDDLE_AREA_MODELS) + "/" + name + ".ein");
  std::stringstream text;
  for (std::string line; std::getline(file, line);) {
    for (std::size_t at = line.find("f32"); at != std::string::npos; at = line.find("f32", at + 3))
      line.replace(at, 3, type);
    text << line << "\n";
  }
  return text.str();
}

struct Synthesized {
  double lookup_tables = 0, registers = 0, memories = 0;
};

/// The row of a design.
std::optional<Synthesized> synthesized(const std::string& row) {
  std::istringstream lines(embedded_file("rtl/AREA.md"));
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("| `" + row + "` |", 0) != 0) continue;
    std::istringstream cells(line);
    std::string bar, name;
    Synthesized found;
    cells >> bar >> name >> bar >> found.lookup_tables >> bar >> found.registers >> bar >>
        found.memories;
    return found;
  }
  return std::nullopt;
}

TEST(Area, IsCloseToSynthesis) {
  for (const char* type : {"i32", "f32"})
    for (const char* name : {"spmv", "spmm", "gcn_layer"}) {
      SCOPED_TRACE(std::string(name) + " " + type);
      const auto found = synthesized(std::string(name) + "_" + type);
      ASSERT_TRUE(found) << "rtl/AREA.md lacks it";
      const AreaEstimate guess = estimate(model(name, type));
      const auto near = [](std::uint64_t guessed, double is) {
        EXPECT_NEAR(static_cast<double>(guessed), is, 0.3 * is);
      };
      near(guess.total().lookup_tables, found->lookup_tables);
      near(guess.total().registers, found->registers);
      near(guess.total().memories, found->memories);
      EXPECT_EQ(guess.unmeasured, std::vector<std::string>{});
    }
}

TEST(Area, GrowsWithWhatIsBuilt) {
  const std::string product = model("spmv", "f32");
  const AreaEstimate one = estimate(product);
  const AreaEstimate lanes = estimate(product + "schedule lanes { parallel i by 4 }\n");
  EXPECT_GT(lanes.blocks.lookup_tables, 3 * one.blocks.lookup_tables);
  EXPECT_LT(lanes.blocks.lookup_tables, 6 * one.blocks.lookup_tables);
  const AreaEstimate shallow = estimate(product, 4), deep = estimate(product, 64);
  EXPECT_EQ(shallow.channels.memories, 0u);
  EXPECT_GE(deep.channels.memories, 3u);
  EXPECT_LT(deep.channels.registers, shallow.channels.registers);
}

}  // namespace
}  // namespace heddle
