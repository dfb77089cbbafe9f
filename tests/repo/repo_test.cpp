// The library's four places agree: rows, modules, unit tests; and diagnostics with their error
// tests.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/primitives/registry.h"
#include "compiler/support/diagnostic_ids.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

const fs::path kRoot = HEDDLE_ROOT;

std::vector<const PrimitiveSpec*> rows() {
  std::vector<const PrimitiveSpec*> list;
  for (int i = 0; i < kPrimitiveCount; ++i) list.push_back(&spec_of(static_cast<PrimitiveId>(i)));
  return list;
}

Names row_names() {
  Names names;
  for (const PrimitiveSpec* row : rows()) names.insert(std::string(row->name));
  return names;
}

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// What stands between prefix and suffix in the names of a folder's files.
Names files_in(const fs::path& folder, const std::string& prefix, const std::string& suffix) {
  Names names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && name.ends_with(suffix) &&
        name.size() > prefix.size() + suffix.size())
      names.insert(name.substr(prefix.size(), name.size() - prefix.size() - suffix.size()));
  }
  return names;
}

/// The head of a module: lines "parameter .. Name = value" and "input|output logic [..] name".
struct Module {
  Names parameters;
  Names ports;  // "input clk"
};

Module parse_module(const fs::path& path) {
  Module module;
  std::istringstream lines(read(path));
  std::string line;
  bool inside = false;
  while (std::getline(lines, line)) {
    if (line.starts_with("module ")) inside = true;
    if (line.starts_with(");")) break;
    if (!inside) continue;
    line.resize(std::min(line.size(), line.find("//")));
    std::istringstream words(line);
    std::string kind, word, last;
    words >> kind;
    while (words >> word) {
      if (word == "=") break;
      last = word;
    }
    if (last.ends_with(',')) last.pop_back();
    if (kind == "parameter") module.parameters.insert(last);
    if (kind == "input" || kind == "output") module.ports.insert(kind + " " + last);
  }
  return module;
}

/// "accumulate_type" -> "AccumulateType"
std::string upper_camel(std::string_view name) {
  std::string text;
  bool start = true;
  for (const char c : name) {
    if (c != '_')
      text += start ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    start = c == '_';
  }
  return text;
}

/// The ports that rtl/primitives/README.md gives a row.
Names ports_of(const PrimitiveSpec& row) {
  Names ports{"input clk", "input rst"};
  for (const PortSpec& p : row.ports) {
    const std::string name(p.name);
    const bool in = p.dir == Dir::kIn;
    ports.insert((in ? "input " : "output ") + name + "_data");
    ports.insert((in ? "input " : "output ") + name + "_valid");
    ports.insert((in ? "output " : "input ") + name + "_ready");
  }
  for (const RegisterSpec& r : row.registers) ports.insert("input " + std::string(r.name));
  for (const MemorySpec& m : row.memories) {
    const std::string name(m.name);
    if (m.use == MemorySpec::Use::kScratch) continue;
    ports.insert("output " + name + "_addr");
    if (m.use == MemorySpec::Use::kRead) ports.insert("input " + name + "_data");
    if (m.use == MemorySpec::Use::kReadPair)
      ports.insert({"input " + name + "_data0", "input " + name + "_data1"});
    if (m.use == MemorySpec::Use::kWrite)
      ports.insert({"output " + name + "_we", "output " + name + "_data"});
  }
  for (const RegisterSpec& s : row.statuses) ports.insert("output " + std::string(s.name));
  if (ends_stream(row)) ports.insert("output finish");
  if (row.overflows) ports.insert("output overflow");
  return ports;
}

TEST(Repo, EveryRowHasItsHeaderAndNoOtherExists) {
  // Headers without a row.
  const Names shared{"arithmetic", "arithmetic_tables", "describe", "joining",
                     "registry",   "scratch",           "spec",     "token",
                     "wide_sum"};
  Names headers;
  for (const std::string& name : files_in(kRoot / "compiler/primitives", "", ".h"))
    if (!shared.contains(name)) headers.insert(name);
  EXPECT_EQ(headers, row_names());
}

TEST(Repo, EveryRowHasItsModuleAndNoOtherExists) {
  EXPECT_EQ(files_in(kRoot / "rtl/primitives", "sam_", ".sv"), row_names());
}

TEST(Repo, EveryRowHasItsUnitTest) {
  const Names tests = files_in(kRoot / "tests/unit/primitives", "", "_test.cpp");
  for (const std::string& name : row_names())
    EXPECT_TRUE(tests.contains(name)) << name << "_test.cpp is missing";
}

TEST(Repo, EveryUnitTestSaysHowItsRowIsTried) {
  for (const std::string& name : row_names()) {
    const std::string text = read(kRoot / "tests/unit/primitives" / (name + "_test.cpp"));
    const std::string wanted = "const StimulusOf<" + upper_camel(name) + "> ";
    EXPECT_NE(text.find(wanted), std::string::npos) << name << "_test.cpp lacks " << wanted;
  }
}

TEST(Repo, ModulesHaveTheirRowsPorts) {
  for (const PrimitiveSpec* row : rows()) {
    const std::string name(row->name);
    const Module module = parse_module(kRoot / "rtl/primitives" / ("sam_" + name + ".sv"));
    EXPECT_EQ(module.ports, ports_of(*row)) << name;
  }
}

TEST(Repo, ModulesHaveTheirRowsParameters) {
  for (const PrimitiveSpec* row : rows()) {
    const std::string name(row->name);
    Names parameters = parse_module(kRoot / "rtl/primitives" / ("sam_" + name + ".sv")).parameters;
    Names wanted{"W"};
    for (const ParamSpec& p : row->params) wanted.insert(upper_camel(p.name));
    // Follows from the other parameters, by the row's function `latency`.
    parameters.erase("Latency");
    EXPECT_EQ(parameters, wanted) << name;
  }
}

/// The id that a model is named after: "format", or "size-clash" of "size-clash-data".
std::string tested_id(std::string name) {
  while (!is_diagnostic_id(name) && name.find('-') != std::string::npos)
    name.resize(name.rfind('-'));
  return name;
}

TEST(Repo, EveryDiagnosticIsProvokedByATest) {
  const Names exceptions{
      "data-kind",      // a file name of no known kind: tests/unit/tensor/tensor_io_test.cpp
      "model-open",     // needs a model that is not there: tests/errors_driver/driver_test.sh
      "order-repeats",  // the front end refuses such a line first, as schedule-name
  };
  Names tested;
  for (const char* folder : {"tests/errors", "tests/errors_driver"})
    for (const std::string& name : files_in(kRoot / folder, "", ".ein"))
      tested.insert(tested_id(name));
  for (const DiagnosticId& entry : kDiagnosticIds) {
    const std::string id(entry.id);
    EXPECT_NE(tested.contains(id), exceptions.contains(id))
        << id << (tested.contains(id) ? " is an exception, but has a model" : ".ein is missing");
  }
  for (const std::string& id : exceptions)
    EXPECT_TRUE(is_diagnostic_id(id)) << id << " is no id any more";
}

TEST(Repo, EveryErrorModelHasItsText) {
  for (const char* folder : {"tests/errors", "tests/errors_driver"})
    for (const std::string& name : files_in(kRoot / folder, "", ".ein")) {
      if (!is_diagnostic_id(tested_id(name))) continue;
      EXPECT_TRUE(fs::exists(kRoot / folder / (name + ".expect"))) << folder << "/" << name;
    }
}

// Scripts that measure and lint blocks name their latencies by hand.
TEST(Repo, ScriptsHaveTheLatenciesOfOperations) {
  const std::regex named(
      R"re(sam_(alu|function) Op="(\w+)"(?: Type="(\w+)")?[^'\n]* Latency=(\d+))re");
  for (const char* script : {"scripts/area.sh", "scripts/lint_rtl.sh"}) {
    const std::string text = read(kRoot / script);
    auto found = std::sregex_iterator(text.begin(), text.end(), named);
    EXPECT_NE(found, std::sregex_iterator()) << script << " names no latency";
    for (; found != std::sregex_iterator(); ++found) {
      const std::smatch& m = *found;
      const ValueType type = m[3] == "i32" ? ValueType::kI32 : ValueType::kF32;
      const int expected = m[1] == "alu" ? latency(parse_binary_op(m[2].str()).value(), type)
                                         : latency(parse_unary_op(m[2].str()).value(), type);
      EXPECT_EQ(std::stoi(m[4]), expected) << script << ": " << m[0];
    }
  }
}

}  // namespace
}  // namespace heddle
