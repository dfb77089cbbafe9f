// Every diagnostic of the front end has a model that provokes it, <id>.ein (or <id>-<more>.ein),
// and the exact text that it prints, <id>.expect. UPDATE_EXPECT=1 rewrites the texts.
//
// A model may start with comments for this test: "# options: --data A=FILE --size n=3" and "# pad:
// N", which appends N spaces.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/frontend/parse.h"
#include "compiler/support/diagnostic_ids.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

/// Ids that the front end and the readers of data files report; those of later stages are tested
/// with them.
constexpr std::string_view kFrontEndIds[] = {
    "access-rank",
    "argument-count",
    "character",
    "data-count",
    "data-gzip",
    "data-header",
    "data-index",
    "data-line",
    "data-name",
    "data-number",
    "data-open",
    "data-rank",
    "data-size",
    "data-symmetry",
    "data-unsupported",
    "empty-model",
    "expression-size",
    "format",
    "implicit-sum",
    "index-size",
    "index-twice",
    "mask-entries",
    "missing-data",
    "model-size",
    "nesting",
    "number",
    "order",
    "rank",
    "recursion",
    "redefinition",
    "schedule-depth",
    "schedule-fuse",
    "schedule-name",
    "size-clash",
    "size-name",
    "string",
    "syntax",
    "type-constant",
    "type-function",
    "type-mix",
    "unbound-size",
    "unknown-function",
    "unknown-output",
    "unknown-tensor",
    "unused-size",
    "unused-statement",
    "unused-tensor",
    "where-index",
};

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The id that `name` (without extension) tests: itself, or what is left without "-<more>".
std::string tested_id(std::string name) {
  while (!is_diagnostic_id(name) && name.find('-') != std::string::npos) {
    name.resize(name.rfind('-'));
  }
  return name;
}

bool is_front_end(const std::string& id) {
  return std::ranges::find(kFrontEndIds, id) != std::end(kFrontEndIds);
}

std::vector<fs::path> models() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(".")) {
    const fs::path path = entry.path().filename();
    if (path.extension() == ".ein" && is_front_end(tested_id(path.stem().string()))) {
      found.push_back(path);
    }
  }
  std::ranges::sort(found);
  return found;
}

void apply_directives(std::string& text, DataOptions& options) {
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line) && line.starts_with("# ")) {
    std::istringstream words(line.substr(2));
    std::string word;
    words >> word;
    if (word == "pad:") {
      std::size_t count = 0;
      words >> count;
      text.append(count, ' ');
    }
    if (word != "options:") continue;
    std::string binding;
    while (words >> word >> binding) {
      const std::size_t equals = binding.find('=');
      const std::string name = binding.substr(0, equals);
      const std::string value = binding.substr(equals + 1);
      if (word == "--data") options.files[name] = value;
      if (word == "--format") options.formats[name] = value;
      if (word == "--size") {
        options.sizes[name] = static_cast<std::uint32_t>(std::stoul(value));
      }
    }
  }
}

std::string diagnose(const fs::path& path) {
  Diagnostics diag;
  DataOptions options;
  std::string text = read(path);
  apply_directives(text, options);
  std::optional<EinsumProgram> program =
      parse_model(diag.sources().add(path.string(), std::move(text)), diag);
  if (program) bind_data(*program, options, diag);
  return diag.text();
}

class Errors : public testing::Test {
 protected:
  static void SetUpTestSuite() { fs::current_path(HEDDLE_ERRORS_DIR); }
};

TEST_F(Errors, AreReportedAsExpected) {
  const bool update = std::getenv("UPDATE_EXPECT") != nullptr;
  for (const fs::path& model : models()) {
    const std::string actual = diagnose(model);
    const fs::path expect = fs::path(model).replace_extension(".expect");
    if (update) std::ofstream(expect, std::ios::binary) << actual;
    EXPECT_EQ(actual, read(expect)) << model;
    const std::string id = fmt::format("[{}]", tested_id(model.stem().string()));
    EXPECT_NE(actual.find(id), std::string::npos) << model << " does not provoke " << id;
  }
}

TEST_F(Errors, EveryIdOfTheFrontEndHasAModel) {
  for (const std::string_view id : kFrontEndIds) {
    EXPECT_TRUE(is_diagnostic_id(id)) << id << " is not listed in diagnostic_ids.h";
    EXPECT_TRUE(fs::exists(fmt::format("{}.ein", id))) << id << ".ein is missing";
  }
}

TEST_F(Errors, EveryModelIsNamedAfterAnId) {
  for (const auto& entry : fs::directory_iterator(".")) {
    if (entry.path().extension() != ".ein") continue;
    EXPECT_TRUE(is_diagnostic_id(tested_id(entry.path().stem().string()))) << entry.path();
  }
}

}  // namespace
}  // namespace heddle
