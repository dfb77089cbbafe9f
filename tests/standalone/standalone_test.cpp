// The directories of `emit verilog` and `emit systemc`, used as their readers would use them.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "compiler/driver/emit.h"

namespace heddle {
namespace fs = std::filesystem;
namespace {

/// What a shell command said, and its exit status.
struct Said {
  int status = -1;
  std::string text;
};
Said shell(const std::string& command) {
  Said outcome;
  std::FILE* pipe = popen(("(" + command + ") 2>&1 </dev/null").c_str(), "r");
  if (pipe == nullptr) return outcome;
  std::array<char, 4096> part{};
  for (std::size_t n; (n = std::fread(part.data(), 1, part.size(), pipe)) > 0;)
    outcome.text.append(part.data(), n);
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

bool installed(const std::string& tool) { return shell("command -v " + tool).status == 0; }
#define NEEDS(tool) \
  if (!installed(tool)) GTEST_SKIP() << tool << " is not installed"

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}
void write(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// Cycles in "PASS: 104 cycles in ...", or -1.
long passed_cycles(const std::string& text) {
  const std::size_t at = text.find("PASS: ");
  return at == std::string::npos ? -1 : std::stol(text.substr(at + 6));
}

struct Kernel {
  const char* name;
  const char* model;
};
void PrintTo(const Kernel& kernel, std::ostream* out) { *out << kernel.name; }

constexpr Kernel kSpmv{"spmv", R"(
tensor A[m, n]: f32 csr   = file("A.mtx")
tensor x[n]: f32 dense    = random(seed: 2)
y[i] = A[i, j] * x[j]
output y
)"};
constexpr Kernel kMasked{"masked", R"(
tensor A[m, n]: f32 csr = random(density: 0.5, seed: 1)
tensor B[m, n]: f32 dcsr = random(density: 0.4, seed: 2)
tensor s[]: f32 = constant(0.5)
size m = 5, n = 6
P[i, j] = exp(A[i, j] * s[]) + 3 where B[i, j]
output P
)"};
constexpr Kernel kOuter{"outer", R"(
tensor A[m, n]: f32 csc = random(density: 0.4, seed: 1)
tensor B[n, p]: f32 csr = random(density: 0.4, seed: 2)
tensor C[m, p]: f32 dcsr
size m = 5, n = 7, p = 6
C[i, k] = A[i, j] * B[j, k]
output C
schedule outer { order j, i, k }
)"};
constexpr const char* kMatrix =
    "%%MatrixMarket matrix coordinate real general\n4 5 6\n1 1 1.5\n1 4 -2\n2 2 0.25\n4 1 3\n4 3 "
    "-1\n4 5 8\n";

class Standalone : public testing::TestWithParam<Kernel> {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("heddle-standalone-" + std::to_string(getpid()) + "-" + std::to_string(++count_));
    fs::create_directories(folder_);
  }
  void TearDown() override {
    if (!HasFailure())
      fs::remove_all(folder_);
    else
      std::fprintf(stderr, "kept: %s\n", folder_.c_str());
  }

  /// Emits a model into a folder; with several regions there is a folder for each.
  fs::path emit(const std::string& model, const std::string& stage = "verilog",
                std::optional<int> depth = {}) {
    write(folder_ / "A.mtx", kMatrix);
    write(folder_ / "model.ein", model);
    Diagnostics diag;
    const auto loaded = load_model((folder_ / "model.ein").string(), {}, diag);
    EXPECT_TRUE(loaded) << diag.text();
    if (!loaded) return {};
    RunOptions options;
    if (depth) options.depth = DepthRule::given(*depth);
    std::string problem;
    const auto files =
        emit_stage(stage, *loaded, loaded->program.schedules[0], options, diag, problem);
    EXPECT_TRUE(files) << diag.text() << problem;
    if (!files) return {};
    const fs::path out = folder_ / stage;
    write_folder(out.string(), *files);
    // Nothing but what was written may be needed.
    fs::remove(folder_ / "A.mtx");
    fs::remove(folder_ / "model.ein");
    return out;
  }

  static Said make(const fs::path& where, const std::string& target) {
    return shell("cd / && make -s -C '" + where.string() + "' OPT=-O0 " + target);
  }

  /// Every directory with a Makefile.
  static std::vector<fs::path> designs(const fs::path& out) {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(out))
      if (entry.path().filename() == "Makefile") found.push_back(entry.path().parent_path());
    std::sort(found.begin(), found.end());
    return found;
  }

  static std::string top(const fs::path& design) {
    for (const auto& entry : fs::directory_iterator(design))
      if (const std::string name = entry.path().filename().string(); name.ends_with("_tb.sv"))
        return name.substr(0, name.size() - 6);
    return {};
  }

  static long expected_cycles(const fs::path& design) {
    return std::stol(read(design / "data/cycles.txt"));
  }

  static void expect_pass(const Said& outcome, const fs::path& design) {
    EXPECT_EQ(outcome.status, 0) << outcome.text;
    EXPECT_EQ(passed_cycles(outcome.text), expected_cycles(design)) << outcome.text;
  }
  static void expect_lint(const fs::path& design) {
    const Said lint = make(design, "lint");
    EXPECT_EQ(lint.status, 0) << design << "\n" << lint.text;
    EXPECT_EQ(lint.text.find("%Warning"), std::string::npos) << design << "\n" << lint.text;
  }
  static void expect_synth(const fs::path& design) {
    const Said synth = make(design, "synth");
    EXPECT_EQ(synth.status, 0) << design << "\n" << synth.text;
  }

  fs::path folder_;

 private:
  static inline int count_ = 0;
};

class StandaloneKernel : public Standalone {};

TEST_P(StandaloneKernel, LintsWithoutWarnings) {
  NEEDS("verilator");
  expect_lint(emit(GetParam().model));
}

TEST_P(StandaloneKernel, RunsInIcarus) {
  NEEDS("iverilog");
  const fs::path design = emit(GetParam().model);
  const Said run = make(design, "iverilog");
  expect_pass(run, design);
  EXPECT_EQ(run.text.find("warning"), std::string::npos) << run.text;
}

TEST_P(StandaloneKernel, RunsInVerilator) {
  NEEDS("verilator");
  const fs::path design = emit(GetParam().model);
  expect_pass(make(design, "verilator"), design);
}

TEST_P(StandaloneKernel, PassesYosys) {
  NEEDS("yosys");
  const Said synth = make(emit(GetParam().model), "synth");
  EXPECT_EQ(synth.status, 0) << synth.text;
  EXPECT_NE(synth.text.find("Number of cells"), std::string::npos) << synth.text;
  EXPECT_NE(synth.text.find("$mem_v2"), std::string::npos) << "memories are gone:\n" << synth.text;
  EXPECT_EQ(synth.text.find("$dlatch"), std::string::npos) << synth.text;
}

INSTANTIATE_TEST_SUITE_P(Kernels, StandaloneKernel, testing::Values(kSpmv, kMasked, kOuter),
                         [](const auto& test) { return std::string(test.param.name); });

// Small enough to be placed and routed in seconds.
constexpr const char* kSmall = R"(
tensor a[n]: i32 {compressed} = random(density: 0.5, seed: 1)
tensor y[n]: i32 {compressed}
size n = 20
y[i] = abs(a[i])
output y
)";

TEST_F(Standalone, PlacesAndRoutes) {
  NEEDS("yosys");
  NEEDS("nextpnr-ice40");
  const Said pnr = make(emit(kSmall, "verilog", 1), "pnr");
  EXPECT_EQ(pnr.status, 0) << pnr.text;
  int cells = 0, memories = 0;
  double clock = 0;
  std::istringstream words(pnr.text);
  for (std::string word; words >> word;) {
    if (word == "ICESTORM_LC:") words >> cells;
    if (word == "ICESTORM_RAM:") words >> memories;
    if (word == "clk:") words >> clock;
  }
  // The two memories that are read and the three that are written; a word of 32 bits takes two
  // blocks.
  EXPECT_GE(memories, 10) << pnr.text;
  EXPECT_GT(cells, 500) << pnr.text;
  EXPECT_LT(cells, 5000) << pnr.text;
  EXPECT_GT(clock, 20) << pnr.text;
  EXPECT_NE(pnr.text.find("Slowest path: in "), std::string::npos) << pnr.text;
}

/// A log of nextpnr with a path between two cells. The first is a register that was packed into the
/// cell of a lookup table.
std::string path_log(const std::string& from, const std::string& to) {
  return "Info: packed cell $abc$7 into $abc$7_LC\nInfo: found attached dff " + from +
         "\nInfo: Critical path report for clock 'clk' (posedge -> posedge):\n"
         "Info:  0.5  0.5  Source $abc$7_LC.O\nInfo:                Sink $abc$9_LC.I3\n"
         "Info:  0.4  0.9  Source $abc$9_LC.O\nInfo:                Sink " +
         to + ".I0\nInfo: Critical path report for cross-domain path:\nInfo:  Source other.Q\n";
}

TEST_F(Standalone, TellsWhereTheSlowestPathLies) {
  const fs::path design = emit(kSpmv.model);
  const auto told = [&](const std::string& from, const std::string& to) {
    write(folder_ / "path.log", path_log(from, to));
    return shell(fmt::format("cd '{}' && awk -f slowest_path.awk {}.sv ../path.log",
                             design.string(), top(design)));
  };
  const std::string scanned = "$flatten\\dut.\\u_scan_A_j_pos.$auto$3";
  const std::string loaded = "dut.u_load_A_val.words[0][1]\\SB_DFFE_DFFLC";
  EXPECT_EQ(told(scanned, loaded).text, "Slowest path: in load_A (sam_array)\n");
  EXPECT_EQ(told(scanned, scanned).text, "Slowest path: in scan_A_j_pos (sam_channel)\n");
  EXPECT_EQ(told("dut.u_load_A_vals_mem.words.0.1", loaded).text,
            "Slowest path: in load_A (sam_array)\n");
  EXPECT_EQ(told("dut.scan_A_i_size_q[3]\\SB_DFFE", "dut.u_scan_A_i_pos.words[0][1]").text,
            "Slowest path: in scan_A_i (sam_scan_dense)\n");
  EXPECT_EQ(told("chain_q[3]\\SB_DFF", "dut.u_load_A_vals_mem.words.0.1").text,
            "Slowest path: in load_A_vals_mem (sam_memory)\n");
  EXPECT_EQ(told("dut.u_scan_A_i.next_q[0]", "dut.error_q").text,
            "Slowest path: in scan_A_i (sam_scan_dense)\n");
  for (const char* beyond : {"dut.u_mul_y_val.taken_q[0]", "dut.u_sum_y_j.sum_q[0]"}) {
    const Said crossing = told(scanned, beyond);
    EXPECT_EQ(crossing.status, 1) << crossing.text;
    EXPECT_EQ(crossing.text.find("Slowest path: through two blocks, from scan_A_j_pos to "), 0u)
        << crossing.text;
  }
}

TEST_F(Standalone, SaysThatPlaceAndRouteIsMissing) {
  NEEDS("yosys");
  const Said pnr = make(emit(kSmall, "verilog", 1), "pnr NEXTPNR=no-such-nextpnr");
  EXPECT_NE(pnr.status, 0);
  EXPECT_NE(pnr.text.find("no-such-nextpnr is not installed"), std::string::npos) << pnr.text;
}

TEST_F(Standalone, StartsFromAnyState) {
  NEEDS("verilator");
  const fs::path design = emit(kOuter.model);
  const std::string unknown =
      "BUILD=build/unknown VERILATOR_FLAGS='--x-assign unique --x-initial unique'";
  for (const int seed : {1, 2, 3})
    expect_pass(
        make(design,
             fmt::format("verilator {} RUN_FLAGS='+verilator+seed+{} +verilator+rand+reset+2'",
                         unknown, seed)),
        design);
}

TEST_F(Standalone, TestbenchRunsInVerilator) {
  NEEDS("verilator");
  const fs::path design = emit(kSpmv.model);
  const Said run =
      shell(fmt::format("cd '{0}' && verilator --binary --timing -Wno-fatal -DHEDDLE_PROBE "
                        "-Iinclude --top-module {1}_tb --Mdir tb "
                        "lint/waivers.vlt sam_pkg.sv */sam_*.sv {1}.sv {1}_tb.sv && tb/V{1}_tb",
                        design.string(), top(design)));
  expect_pass(run, design);
}

TEST_F(Standalone, RunsFromAnotherFolder) {
  NEEDS("iverilog");
  const fs::path design = emit(kSpmv.model);
  ASSERT_EQ(make(design, "iverilog").status, 0);
  const std::string program = (design / "build" / (top(design) + ".vvp")).string();
  expect_pass(shell("cd / && vvp -N '" + program + "' '+data=" + (design / "data").string() + "'"),
              design);
  // Without being told where the data is, it says what it looked for.
  const Said lost = shell("cd / && vvp -N '" + program + "'");
  EXPECT_NE(lost.status, 0);
  EXPECT_NE(lost.text.find("cannot read data/"), std::string::npos) << lost.text;
}

TEST_F(Standalone, WorksInAFolderWithASpace) {
  // Except the C++ model: Verilator's own makefile refuses.
  NEEDS("iverilog");
  const fs::path design = folder_ / "with space";
  fs::rename(emit(kSpmv.model), design);
  expect_pass(make(design, "iverilog"), design);
  if (installed("verilator")) expect_lint(design);
  if (installed("yosys")) expect_synth(design);
}

TEST_F(Standalone, MissingOrWrongDataFails) {
  NEEDS("iverilog");
  const fs::path design = emit(kSpmv.model);
  ASSERT_EQ(make(design, "iverilog").status, 0);
  std::vector<std::string> programs{"iverilog"};
  if (installed("verilator")) programs.push_back("verilator");
  const auto expect_failure = [&](const std::string& what) {
    for (const std::string& program : programs) {
      const Said run = make(design, program);
      EXPECT_NE(run.status, 0) << run.text;
      EXPECT_NE(run.text.find("FAIL: "), std::string::npos) << run.text;
      EXPECT_EQ(run.text.find("PASS"), std::string::npos) << run.text;
      EXPECT_NE(run.text.find(what), std::string::npos) << run.text;
    }
  };
  std::vector<fs::path> data;
  for (const auto& entry : fs::directory_iterator(design / "data")) data.push_back(entry.path());
  for (const fs::path& file : data) {
    const std::string text = read(file);
    fs::remove(file);
    expect_failure(file.filename().string());
    write(file, text);
  }
  const fs::path cycles = design / "data/cycles.txt",
                 result = design / "data/write_y_vals.expected";
  const std::string right = read(cycles), words = read(result);
  write(cycles, std::to_string(expected_cycles(design) + 1) + "\n");
  expect_failure("expected");
  write(cycles, right);
  write(result, "deadbeef\n" + words.substr(9));
  expect_failure("expected deadbeef");
  // The last word may lack its newline.
  write(result, words.substr(0, words.size() - 1));
  for (const std::string& program : programs) expect_pass(make(design, program), design);
}

TEST_F(Standalone, SaysWhereItHangs) {
  NEEDS("iverilog");
  const fs::path design = emit(kSpmv.model);
  const Said run = make(design, "iverilog RUN_FLAGS=+max_cycles=20");
  EXPECT_NE(run.status, 0);
  EXPECT_NE(run.text.find("no end after 20 cycles"), std::string::npos) << run.text;
  EXPECT_NE(run.text.find("mul_y_val: kind 0"), std::string::npos) << run.text;
}

TEST_F(Standalone, TakesEmptyArraysAndSmallSizes) {
  NEEDS("iverilog");
  const std::string model = R"(
tensor A[m, n]: f32 csr = random(density: 0, seed: 1)
tensor B[one, one]: f32 csr = constant(2)
tensor x[one]: f32 dense = constant(3)
tensor y[m]: f32 {compressed}
size m = 3, n = 4, one = 1
y[i] = A[i, j] * 2
z[i] = B[i, j] * x[j]
output y, z
)";
  for (const std::optional<int> depth : {std::optional<int>(), std::optional<int>(1)})
    for (const fs::path& design : designs(emit(model, "verilog", depth))) {
      const Said run = make(design, "clean iverilog");
      expect_pass(run, design);
      EXPECT_EQ(run.text.find("WARNING"), std::string::npos) << run.text;
      if (installed("verilator")) expect_lint(design);
      if (installed("yosys")) expect_synth(design);
    }
}

TEST_F(Standalone, TakesAnyName) {
  NEEDS("iverilog");
  const std::string longest(200, 'L');
  const std::string model = R"(
tensor input[reg, end]: f32 csr = random(density: 0.5, seed: 1)
tensor wire[end]: f32 dense = random(seed: 2)
tensor rst[class]: f32 dense = random(seed: 3)
tensor A__B[reg, class]: f32 dcsr = random(density: 0.5, seed: 4)
tensor _x[reg, class]: f32 csr = random(density: 0.5, seed: 5)
tensor a__b[reg, class]: f32 dcsr = random(density: 0.5, seed: 6)
tensor )" + longest + R"([reg, class]: f32 csr = random(density: 0.5, seed: 7)
tensor )" + longest + R"(2[reg, class]: f32 csr = random(density: 0.5, seed: 7)
size reg = 5, end = 6, class = 4
reg[i] = input[i, end] * wire[end]
clk[i, clk] = A__B[i, clk] * a__b[i, clk] + _x[i, clk] * rst[clk] + )" +
                            longest + "[i, clk] - " + longest + R"(2[i, clk]
int[i] = A__B[i, load_valid] * rst[load_valid] + reg[i]
module[i_crd] = A__B[i_crd, i] * rst[i]
verilator[i] = _x[i, crd] * rst[crd]
output reg, clk, int, module, verilator
)";
  const std::vector<fs::path> all = designs(emit(model));
  EXPECT_EQ(all.size(), 5u);
  for (const fs::path& design : all) {
    expect_pass(make(design, "iverilog"), design);
    if (installed("verilator")) expect_lint(design);
    if (installed("yosys")) expect_synth(design);
  }
  // Renamed blocks are listed, and no file has a name of its own only by case.
  const fs::path design = folder_ / "verilog/clk";
  EXPECT_NE(read(design / "heddle_clk.sv").find("Names that are not as in the model"),
            std::string::npos);
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(design / "data")) {
    std::string name = entry.path().filename().string();
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_LT(name.size(), 100u);
  }
}

TEST_F(Standalone, LintsEveryKindOfBlock) {
  NEEDS("verilator");
  const fs::path out = emit(R"(
tensor A[m, n]: f32 csr = random(density: 0.4, seed: 1)
tensor B[m, n]: f32 dcsr = random(density: 0.4, seed: 2)
tensor C[n, p]: f32 csr = random(density: 0.4, seed: 3)
tensor E[n, n]: f32 csr = random(density: 0.4, seed: 4)
tensor T[m, n, p]: f32 {compressed, compressed, compressed} = random(density: 0.2, seed: 5)
tensor I[m, n]: i32 csr = random(density: 0.5, seed: 6)
tensor s[]: f32 = constant(2)
tensor Q[m, p]: f32 dense
tensor Z[p, m]: f32 csr
tensor U[n, p]: f32 csr
size m = 4, n = 5, p = 3
t[] = A[i, j] * s[]
P[i, j] = softmax(j: A[i, j]) where B[i, j]
Q[i, k] = rsqrt(abs(A[i, j])) * C[j, k]
R[i, j] = gelu(B[i, j]) / 3 - tanh(A[i, j])
S[i, j] = min(A[i, j], B[i, j])
V[i, k] = select(A[i, j] - s[], exp(A[i, j]), sigmoid(C[j, k])) + 3
Z[k, i] = A[i, j] * C[j, k]
D[i] = E[i, i] * 2
K[i, j] = I[i, j] * I[i, j] - 3
M[i] = max(j: A[i, j])
U[j, k] = T[i, j, k] * 2
output t, P, Q, R, S, V, Z, D, K, M, U
)");
  for (const fs::path& design : designs(out)) {
    expect_lint(design);
    if (installed("iverilog")) expect_pass(make(design, "iverilog"), design);
  }
}

TEST_F(Standalone, NeedsNothingElse) {
  const fs::path design = emit(kOuter.model);
  std::set<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(design))
    files.insert(entry.path().filename().string());
  for (const auto& entry : fs::recursive_directory_iterator(design)) {
    if (!entry.is_regular_file()) continue;
    const std::string text = read(entry.path());
    EXPECT_EQ(text.find(folder_.string()), std::string::npos) << entry.path();
    EXPECT_EQ(text.find(fs::path(__FILE__).parent_path().string()), std::string::npos)
        << entry.path();
    EXPECT_EQ(text.find('@' + std::string("TOP@")), std::string::npos) << entry.path();
    for (std::size_t at = text.find("include \""); at != std::string::npos;
         at = text.find("include \"", at + 1)) {
      const std::string name = text.substr(at + 9, text.find('"', at + 9) - at - 9);
      EXPECT_TRUE(files.contains(name) || name == "Vtop.h" || name == "verilated.h")
          << entry.path() << ": " << name;
    }
  }
  const std::string readme = read(design / "README.md");
  EXPECT_LE(std::count(readme.begin(), readme.end(), '\n'), 15);
}

TEST_F(Standalone, CleanRemovesWhatWasBuilt) {
  NEEDS("iverilog");
  const fs::path design = emit(kSpmv.model);
  ASSERT_EQ(make(design, "iverilog").status, 0);
  EXPECT_TRUE(fs::exists(design / "build"));
  EXPECT_EQ(make(design, "clean").status, 0);
  EXPECT_FALSE(fs::exists(design / "build"));
}

TEST_F(Standalone, SystemcRunsAlone) {
  NEEDS("pkg-config");
  if (shell("pkg-config --exists systemc").status != 0) GTEST_SKIP() << "SystemC is not installed";
  const fs::path design = emit(kSpmv.model, "systemc");
  const Said run = make(design, "run CXXFLAGS=-O0");
  EXPECT_EQ(run.status, 0) << run.text;
  EXPECT_NE(run.text.find("all as expected"), std::string::npos) << run.text;
}

}  // namespace
}  // namespace heddle
