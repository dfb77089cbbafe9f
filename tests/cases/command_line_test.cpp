// Cases of input files and of what the program says about them: exit statuses and messages.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {

namespace fs = std::filesystem;

struct Said {
  int status = -1;
  std::string text;
};

class CommandLine : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("heddle-cases-" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  std::string read(const std::string& name) const {
    std::ifstream in(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  Said heddle(const std::string& arguments) const {
    return shell("timeout 60 '" HEDDLE_PROGRAM "' " + arguments);
  }
  Said shell(const std::string& line) const {
    Said said;
    const std::string command = "cd '" + folder_.string() + "' && " + line + " 2>&1";
    FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return said;
    char buffer[4096];
    while (const std::size_t n = fread(buffer, 1, sizeof buffer, pipe)) said.text.append(buffer, n);
    const int status = pclose(pipe);
    said.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return said;
  }
  /// The program refuses: status 1, each of the words, and nothing written.
  void expect_refused(const std::string& model, const std::string& options,
                      const std::vector<std::string>& words) const {
    write("model.ein", model);
    for (const std::string command : {"check model.ein --engine functional,cycle ",
                                      "run model.ein -o refused ", "emit graph model.ein "}) {
      const Said said = heddle(command + options);
      EXPECT_EQ(said.status, 1) << command << said.text;
      for (const std::string& word : words)
        EXPECT_NE(said.text.find(word), std::string::npos) << word << "\n" << said.text;
      EXPECT_FALSE(fs::exists(folder_ / "refused"));
    }
  }
  /// y = A x with x = (1, 10, 100), as run by the cycle engine and compared by `check`.
  std::string product(const std::string& matrix) const {
    write("A.mtx", matrix);
    write("x.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n10\n100\n");
    write("model.ein",
          "tensor A[m, n]: f32 csr = file(\"A.mtx\")\ntensor x[n]: f32 dense = "
          "file(\"x.mtx\")\ny[i] = A[i, j] * x[j]\n");
    const Said checked = heddle("check model.ein --engine functional,cycle");
    EXPECT_EQ(checked.status, 0) << checked.text;
    EXPECT_EQ(heddle("run model.ein -o out").status, 0);
    return read("out/y.mtx");
  }

  fs::path folder_;
};

const std::string kProduct = "y[i] = A[i, j] * x[j]\n";
const std::string kHeader = "%%MatrixMarket matrix coordinate real general\n";

TEST_F(CommandLine, D08_DataForANameThatIsNotInTheModel) {
  write("m.mtx", kHeader + "1 1 1\n1 1 1\n");
  expect_refused(
      "tensor A[2, 2]: f32 csr = constant(1)\ntensor x[2]: f32 dense = constant(1)\n" + kProduct,
      "--data M=m.mtx", {"error: ", "'M'", "A, x"});
}

TEST_F(CommandLine, D08_IndexWithTwoSizes) {
  write("A.mtx", kHeader + "3 4 1\n1 1 1\n");
  write("x.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n");
  expect_refused(
      "tensor A[m, n]: f32 csr = file(\"A.mtx\")\ntensor x[p]: f32 dense = file(\"x.mtx\")\n" +
          kProduct,
      "", {"error: ", "'j'", "4 vs 3"});
  // The same with one symbol: both files are named.
  expect_refused(
      "tensor A[m, n]: f32 csr = file(\"A.mtx\")\ntensor x[n]: f32 dense = file(\"x.mtx\")\n" +
          kProduct,
      "", {"error: ", "A.mtx", "x.mtx", "4", "3"});
}

TEST_F(CommandLine, D08_TensorWithoutData) {
  expect_refused("tensor A[3, 4]: f32 csr = constant(1)\ntensor x[4]: f32 dense\n" + kProduct, "",
                 {"error: ", "'x'", "no data"});
  expect_refused(
      "tensor A[3, 4]: f32 csr = constant(1)\ntensor x[4]: f32 dense = file(\"absent.mtx\")\n" +
          kProduct,
      "", {"error: ", "absent.mtx"});
  expect_refused("tensor A[3, 4]: f32 csr = constant(1)\n" + kProduct, "", {"error: ", "'x'"});
}

TEST_F(CommandLine, D09_SymmetricAndSkewSymmetricFiles) {
  EXPECT_EQ(product("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 2\n3 2 7\n"),
            product(kHeader + "3 3 4\n2 1 2\n3 2 7\n1 2 -2\n2 3 -7\n"));
  const std::string symmetric =
      product("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 5\n2 1 2\n3 2 7\n");
  EXPECT_EQ(symmetric, product(kHeader + "3 3 5\n1 1 5\n2 1 2\n3 2 7\n1 2 2\n2 3 7\n"));
  for (const char* value : {" 25\n", " 702\n", " 70\n"})
    EXPECT_NE(symmetric.find(value), std::string::npos) << symmetric;
}

TEST_F(CommandLine, D10_UntidyFiles) {
  const std::string tidy = product(kHeader + "3 3 2\n1 2 7\n2 1 -1\n");
  EXPECT_EQ(product("%%MatrixMarket MATRIX Coordinate Real General\r\n% c\r\n\r\n  3 3 2\r\n\r\n 1 "
                    " 2 7\r\n2 1 -1"),
            tidy);
  write("A.mtx", "%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n");
  expect_refused("tensor A[n, n]: f32 csr = file(\"A.mtx\")\ny[i] = A[i, j]\n", "",
                 {"A.mtx:1:", "%%MatrixMarket"});
}

TEST_F(CommandLine, D11_CountsAndIndicesThatDoNotFit) {
  const std::string model = "tensor A[n, n]: f32 csr = file(\"A.mtx\")\ny[i] = A[i, j]\n";
  write("A.mtx", kHeader + "3 3 4\n1 1 1\n2 2 1\n");
  expect_refused(model, "", {"A.mtx:", "4", "2"});
  write("A.mtx", kHeader + "3 3 1\n4 1 1.0\n");
  expect_refused(model, "", {"A.mtx:3:", "4"});
}

TEST_F(CommandLine, D12_FrosttFiles) {
  write("T.tns", "# c\n1 1 2 1.5\n2 3 1 -2\n\n");
  write("v.mtx", "%%MatrixMarket matrix array real general\n2 1\n10\n1\n");
  const std::string text =
      "]: f32 {compressed, compressed, compressed} = file(\"T.tns\")\n"
      "tensor v[k]: f32 dense = file(\"v.mtx\")\nA[i, j] = T[i, j, l] * v[l]\n";
  write("model.ein", "tensor T[m, n, k" + text);
  EXPECT_EQ(heddle("check model.ein --engine functional,cycle").status, 0);
  EXPECT_EQ(heddle("run model.ein -o small").status, 0);
  const std::string small = read("small/A.mtx");
  EXPECT_NE(small.find("2 3 2\n1 1 1.5\n2 3 -20\n"), std::string::npos) << small;
  // Declared sizes win over the largest coordinate.
  write("model.ein", "tensor T[5, n, k" + text);
  EXPECT_EQ(heddle("run model.ein --size n=7 -o large").status, 0);
  const std::string large = read("large/A.mtx");
  EXPECT_NE(large.find("5 7 2\n1 1 1.5\n2 3 -20\n"), std::string::npos) << large;
  write("T.tns", "1 1 2 1.5\n0 3 1 -2\n");
  expect_refused("tensor T[m, n, k" + text, "", {"T.tns:2:"});
  write("T.tns", "1 1 2 1.5\n2 3 1\n");
  expect_refused("tensor T[m, n, k" + text, "", {"T.tns:2:"});
}

TEST_F(CommandLine, D25_OlderStandardsAreRefusedByName) {
  if (shell("pkg-config --exists systemc").status != 0) GTEST_SKIP() << "SystemC is not installed";
  write("model.ein",
        "tensor A[2, 2]: f32 csr = constant(1)\ntensor x[2]: f32 dense = constant(1)\n" + kProduct);
  ASSERT_EQ(heddle("emit systemc model.ein -o design").status, 0);
  for (const std::string standard : {"14", "17"}) {
    const Said made =
        shell("make -C design CXXFLAGS='-O0 -Wfatal-errors -std=c++" + standard + "'");
    EXPECT_NE(made.status, 0);
    EXPECT_NE(made.text.find("build with -std=c++20"), std::string::npos) << made.text;
  }
}

}  // namespace
