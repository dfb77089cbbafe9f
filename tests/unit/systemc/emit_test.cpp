// Generated SystemC: compiled by its own Makefile, run, and compared with the C++ engine.
#include "systemc/emit.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/unit/sim/engine_cases.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;
using test::EngineCase;
using test::stream;

/// A directory that goes away with its test.
class Directory {
 public:
  Directory() {
    std::string path = (fs::temp_directory_path() / "heddle_emit_XXXXXX").string();
    path_ = ::mkdtemp(path.data());
  }
  ~Directory() { fs::remove_all(path_); }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  void write(const std::map<std::string, std::string>& files) const {
    for (const auto& [name, text] : files) {
      fs::create_directories((path_ / name).parent_path());
      std::ofstream(path_ / name) << text;
    }
  }
  /// Whether `make ARGS` succeeds; what it says goes to a file.
  bool make(const std::string& args) const {
    const std::string command = "make -s -C " + path_.string() +
                                " CXXFLAGS='-O0 -Wall -Wextra -Werror' " + args + " > " +
                                (path_ / "log").string() + " 2>&1";
    return std::system(command.c_str()) == 0;
  }
  std::string log() const {
    std::ostringstream text;
    text << std::ifstream(path_ / "log").rdbuf();
    return text.str();
  }

 private:
  fs::path path_;
};

/// Rows of a compressed matrix summed up by column, stored; and the coordinates once more, outside.
void make_column_sums(EngineCase& c) {
  const NodeId root = c.source("root", stream("0 D"));
  const NodeId rows = c.block<ScanDense>("rows");
  c.data(rows).registers = {3};
  const NodeId segment = c.block<Segment>("segment");
  c.data(segment).memories = {{0, 2, 2, 5}};
  const NodeId cols = c.block<ScanCompressed>("cols");
  c.data(cols).memories = {{1, 3, 0, 1, 2}};
  const NodeId vals = c.block<Array>("vals");
  c.data(vals).memories = {{10, 20, 30, 40, 50}};
  const NodeId sums = c.block<Accumulate>("union", {{0, 1, 4, 1}});  // a name that C++ has taken
  const NodeId crds = c.block<WriteCompressed>("y crds");
  c.data(crds).capacity = {16, 16};
  const NodeId words = c.block<WriteVals>("y_vals");
  c.data(words).capacity = {16};
  const NodeId again = c.taker("again");
  c.connect(root, 0, rows, 0);
  c.connect(rows, 1, segment, 0);
  c.connect(segment, 0, cols, 0);
  c.connect(segment, 1, cols, 1);
  c.connect(cols, 1, vals, 0);
  c.connect(cols, 0, sums, 0);
  c.connect(vals, 0, sums, 1);
  c.connect(sums, 0, crds, 0);
  c.connect(sums, 1, words, 0);
  c.connect(sums, 0, again, 0);
  c.finish(4);
}

TEST(Emit, MakesADirectoryThatRunsAlone) {
  EngineCase c;
  make_column_sums(c);
  const RunResult expected = run_cycle(c.graph, c.input);
  ASSERT_EQ(expected.outcome, Outcome::kFinished) << expected.problem;
  auto files =
      emit_systemc(c.graph, c.input, {"column_sums", "y(j) = sum of A(i, j)", {}, &expected});
  const Directory directory;
  directory.write(files);
  ASSERT_TRUE(directory.make("all")) << directory.log();
  ASSERT_TRUE(directory.make("run")) << directory.log();
  EXPECT_NE(directory.log().find("column_sums: " + std::to_string(expected.cycles) + " cycles\n"),
            std::string::npos)
      << directory.log();
  EXPECT_NE(directory.log().find("all as expected"), std::string::npos) << directory.log();

  // A wrong word is found.
  files["data/y_vals_vals.expected"][0] = '7';
  directory.write(files);
  EXPECT_FALSE(directory.make("run"));
  EXPECT_NE(directory.log().find("error: y_vals.vals, word 0: 0000001e, expected 7000001e"),
            std::string::npos)
      << directory.log();

  // A run that cannot go on is given up: a reference stream without its end.
  files["data/root.hex"] = "000000000\n";
  directory.write(files);
  EXPECT_FALSE(directory.make("run"));
  EXPECT_NE(directory.log().find("error: deadlock"), std::string::npos) << directory.log();

  // A position outside of a memory is named with its block.
  files["data/root.hex"] = "000000001\n300000000\n";
  directory.write(files);
  EXPECT_FALSE(directory.make("run"));
  EXPECT_NE(
      directory.log().find("error: block 'segment': a position or coordinate is out of range"),
      std::string::npos)
      << directory.log();
}

TEST(Emit, NumbersTargetsInNodeOrder) {
  EngineCase c;
  make_column_sums(c);
  const auto files = emit_systemc(c.graph, c.input, {"column_sums", "", {}, nullptr});
  EXPECT_EQ(files.at("data/loads.txt"),
            "0 = 00000003  # rows.size\n"
            "1 @ segment_seg.hex  # segment.seg\n"
            "2 @ cols_crds.hex  # cols.crds\n"
            "3 @ vals_vals.hex  # vals.vals\n");
  const std::string& header = files.at("column_sums.h");
  EXPECT_NE(header.find("reads_memory(y_crds, 1);  // read target 1: crds"), std::string::npos);
  EXPECT_NE(header.find("reads_status(y_crds, 0);  // read target 2: fibers"), std::string::npos);
  EXPECT_NE(header.find("reads_memory(y_vals, 0);  // read target 4: vals"), std::string::npos);
  EXPECT_EQ(files.count("data/expected.txt"), 0u);
}

}  // namespace
}  // namespace heddle
