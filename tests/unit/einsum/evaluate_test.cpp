#include "compiler/einsum/evaluate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <utility>

#include "compiler/einsum/reference_arithmetic.h"
#include "compiler/frontend/parse.h"
#include "compiler/support/check.h"
#include "compiler/tensor/tensor_io.h"

namespace heddle {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Entries of a matrix "1 . 2; . 3 ." (a vector without ';'), where '.' is absent.
EntryList entries(const std::string& text, int rank, ValueType type) {
  EntryList list;
  std::istringstream rows(text);
  std::string row;
  std::uint32_t i = 0;
  std::uint32_t columns = 0;
  for (; std::getline(rows, row, ';'); ++i) {
    std::istringstream words(row);
    std::string word;
    std::uint32_t j = 0;
    for (; words >> word; ++j) {
      if (word == ".") continue;
      if (rank == 2) list.crd.push_back(i);
      if (rank >= 1) list.crd.push_back(j);
      list.vals.push_back(type == ValueType::kF32 ? std::bit_cast<std::uint32_t>(std::stof(word))
                                                  : static_cast<std::uint32_t>(std::stol(word)));
    }
    columns = j;
  }
  if (rank == 2) list.shape = {i, columns};
  if (rank == 1) list.shape = {columns};
  return list;
}

using Data = std::map<std::string, std::string>;

class Model {
 public:
  Model(const std::string& text, const Data& data) {
    Diagnostics diag;
    auto program = parse_model(diag.sources().add("test.ein", text), diag);
    HEDDLE_CHECK(program.has_value(), "{}", diag.text());
    program_ = std::move(*program);
    std::map<TensorId, EntryList> inputs;
    for (const auto& [name, values] : data) {
      const TensorId id = find(name);
      const TensorDecl& decl = program_.tensor(id);
      EntryList list = entries(values, static_cast<int>(decl.modes.size()), decl.type);
      for (std::size_t n = 0; n < decl.modes.size(); ++n) {
        program_.size(decl.modes[n]).value = list.shape[n];
      }
      inputs.emplace(id, std::move(list));
    }
    results_ = evaluate(program_, inputs);
  }

  const ReferenceTensor& operator[](const std::string& name) const {
    return results_.at(find(name));
  }

  /// The values in order, '.' for absent ones.
  std::string show(const std::string& name) const {
    const ReferenceTensor& tensor = (*this)[name];
    std::string out;
    for (std::size_t n = 0; n < tensor.value.size(); ++n) {
      if (n > 0) out += tensor.shape.size() == 2 && n % tensor.shape[1] == 0 ? "; " : " ";
      out += !tensor.present[n]            ? "."
             : std::isnan(tensor.value[n]) ? "nan"
                                           : fmt::format("{:.6g}", tensor.value[n]);
      EXPECT_TRUE(tensor.present[n] || (tensor.value[n] == 0 && tensor.bound[n] == 0));
    }
    return out;
  }

 private:
  TensorId find(const std::string& name) const {
    for (std::size_t n = 0; n < program_.tensors.size(); ++n) {
      if (program_.tensors[n].name == name) return static_cast<TensorId>(n);
    }
    HEDDLE_CHECK(false, "no tensor '{}'", name);
  }

  EinsumProgram program_;
  std::map<TensorId, ReferenceTensor> results_;
};

TEST(Evaluate, AddsBroadcastVectorsWhereEitherIsPresent) {
  const Model m("tensor B[m]: {compressed}\ntensor C[n]: {compressed}\nA[i, j] = B[i] + C[j]",
                {{"B", "5 . ."}, {"C", ". -2 . 1"}});
  EXPECT_EQ(m.show("A"), "5 3 5 6; . -2 . 1; . -2 . 1");
}

TEST(Evaluate, ReadsAndWritesDiagonals) {
  const Model m(
      "tensor A[n, n]: dcsr\ntensor b[n]: {compressed}\n"
      "a[i] = A[i, i]\ns[] = A[i, i]\nD[i, i] = b[i]\nx[k] = A[i, i] * A[i, k]",
      {{"A", "2 . 1; . . 3; 4 . -5"}, {"b", "7 . 9"}});
  EXPECT_EQ(m.show("a"), "2 . -5");
  EXPECT_EQ(m.show("s"), "-3");
  EXPECT_EQ(m.show("D"), "7 . .; . . .; . . 9");
  EXPECT_EQ(m.show("x"), "-16 . 27");
}

TEST(Evaluate, AddsATensorToItsTransposeAndToItself) {
  const Model m("tensor B[n, n]: csr\nA[i, j] = B[i, j] + B[j, i]\nC[i, j] = B[i, j] + B[i, j]",
                {{"B", ". 1 .; 2 . .; . 3 4"}});
  EXPECT_EQ(m.show("A"), ". 3 .; 3 . 3; . 3 8");
  EXPECT_EQ(m.show("C"), ". 2 .; 4 . .; . 6 8");
}

TEST(Evaluate, TakesADenseInputAsPresentEverywhere) {
  const Model m(
      "tensor A[n, m]: dense\ntensor B[n, m]: csr\n"
      "X[i, j] = relu(A[i, j])\nY[i, j] = relu(B[i, j])",
      {{"A", "1 . -2"}, {"B", "0 . -2"}});
  EXPECT_EQ(m.show("X"), "1 0 0");
  EXPECT_EQ(m.show("Y"), "0 . 0");
}

TEST(Evaluate, FillsDenseLevelsBelowACompressedOne) {
  const Model m("tensor A[n, m]: {compressed, dense}\nY[i, j] = 2 * A[i, j]", {{"A", "1 . ; . ."}});
  EXPECT_EQ(m.show("Y"), "2 0; . .");
}

TEST(Evaluate, MultipliesPresentFactorsOnly) {
  // Absent times infinite is absent.
  const Model m("tensor A[n]: {compressed}\ntensor B[n]: {compressed}\ny[i] = A[i] * B[i]",
                {{"A", "2 . inf 0"}, {"B", "3 inf . inf"}});
  EXPECT_EQ(m.show("y"), "6 . . nan");
  EXPECT_EQ(m["y"].bound[3], 0);
}

TEST(Evaluate, DividesWhereTheNumeratorIsPresent) {
  const Model m("tensor A[n]: {compressed}\ntensor B[n]: {compressed}\ny[i] = A[i] / B[i]",
                {{"A", "6 . . 1"}, {"B", "3 5 . ."}});
  EXPECT_EQ(m.show("y"), "2 . . inf");
}

TEST(Evaluate, ComputesFunctionsThatKeepNoZeroEverywhere) {
  const Model m(
      "tensor A[n]: {compressed}\na[i] = exp(A[i])\nb[i] = A[i] + 1\nc[i] = 3 * A[i]\n"
      "d[i] = sqrt(A[i])\ne[i] = eq(A[i], A[i])\nf[i] = lt(A[i], 1)\ng[i] = -A[i]",
      {{"A", "0 . 4"}});
  EXPECT_EQ(m.show("a"), "1 1 54.5982");
  EXPECT_EQ(m.show("b"), "1 1 5");
  EXPECT_EQ(m.show("c"), "0 . 12");
  EXPECT_EQ(m.show("d"), "0 . 2");
  EXPECT_EQ(m.show("e"), "1 1 1");
  EXPECT_EQ(m.show("f"), "1 1 0");
  EXPECT_EQ(m.show("g"), "-0 . -4");
}

TEST(Evaluate, AddsABiasToEmptyRows) {
  const Model m(
      "tensor A[n, m]: csr\ntensor x[m]: dense\ntensor b[n]: dense\n"
      "y[i] = A[i, j] * x[j] + b[i]\nz[i] = A[i, j] * x[j]",
      {{"A", "1 2; . ."}, {"x", "10 1"}, {"b", "100 200"}});
  EXPECT_EQ(m.show("y"), "112 200");
  EXPECT_EQ(m.show("z"), "12 .");
}

TEST(Evaluate, IncludesMissingZerosInExtremes) {
  const Model m(
      "tensor A[n, m]: csr\nM[i] = max(j: A[i, j])\nN[i] = min(j: A[i, j])\n"
      "t[] = max(i, j: A[i, j])",
      {{"A", "-1 . -2; -1 -3 -2; . . .; 5 . 6"}});
  EXPECT_EQ(m.show("M"), "0 -1 . 6");
  EXPECT_EQ(m.show("N"), "-2 -3 . 0");
  EXPECT_EQ(m.show("t"), "6");
}

TEST(Evaluate, LeavesAbsentPositionsOutOfExtremesInsideAMask) {
  // The second row has a stored entry where the operand has none: it counts as a zero.
  const Model m("tensor A[n, m]: csr\ntensor B[n, m]: csr\nM[i] = max(j: A[i, j]) where B[i, j]",
                {{"A", "-1 . -2; -1 -3 .; 1 1 1"}, {"B", "1 . 1; 1 . 1; . . ."}});
  EXPECT_EQ(m.show("M"), "-1 0 .");
}

TEST(Evaluate, RestrictsSoftmaxToTheMask) {
  const std::string model = "tensor S[n, m]: csr\nP[i, j] = softmax(j: S[i, j]) where S[i, j]";
  EXPECT_EQ(Model(model, {{"S", "1 2; . ."}}).show("P"), "0.268941 0.731059; . .");
  EXPECT_EQ(Model(model, {{"S", "2 . 1; 4 2 0; . -6 ."}}).show("P"),
            "0.731059 . 0.268941; 0.866813 0.11731 0.0158762; . 1 .");
  EXPECT_EQ(Model(model, {{"S", "1000 999 -1000"}}).show("P"), "0.731059 0.268941 0");
  EXPECT_EQ(Model(model, {{"S", "1000 999; -1000 -999"}}).show("P"),
            "0.731059 0.268941; 0.268941 0.731059");
}

TEST(Evaluate, RestrictsToWhatTheFormatOfAComputedMaskStores) {
  const auto masked = [](const std::string& format) {
    const Model m("tensor A[n, m]: dcsr\ntensor B[n, m]: dense\ntensor M[n, m]: " + format +
                      "\nM[i, j] = A[i, j]\nY[i, j] = B[i, j] where M[i, j]\n"
                      "s[i] = sum(j: B[i, j]) where M[i, j]",
                  {{"A", "5 . .; . . ."}, {"B", "1 2 3; 4 5 6"}});
    EXPECT_EQ(m.show("M"), "5 . .; . . .");
    return m.show("Y") + " | " + m.show("s");
  };
  EXPECT_EQ(masked("dcsr"), "1 . .; . . . | 1 .");
  EXPECT_EQ(masked("csr"), "1 . .; . . . | 1 .");
  EXPECT_EQ(masked("dense"), "1 2 3; 4 5 6 | 6 15");
  EXPECT_EQ(masked("{compressed, dense}"), "1 2 3; . . . | 6 .");
  EXPECT_EQ(masked("{compressed, dense} order (1, 0)"), "1 . .; 4 . . | 1 4");
}

TEST(Evaluate, ComputesMasksFromWhatIsStored) {
  const auto masked = [](const std::string& format) {
    const Model m("tensor A[n, m]: dcsr\ntensor B[n, m]: dense\ntensor D[n, m]: " + format +
                      "\nD[i, j] = A[i, j]\nM[i, j] = D[i, j] * B[i, j]\nE[i, j] = D[i, j]\n"
                      "Y[i, j] = B[i, j] where M[i, j]",
                  {{"A", "5 . .; . . ."}, {"B", "1 2 3; 4 5 6"}});
    EXPECT_EQ(m.show("E"), "5 . .; . . .");
    return m.show("M") + " | " + m.show("Y");
  };
  EXPECT_EQ(masked("csr"), "5 . .; . . . | 1 . .; . . .");
  EXPECT_EQ(masked("dense"), "5 0 0; 0 0 0 | 1 2 3; 4 5 6");
  EXPECT_EQ(masked("{compressed, dense}"), "5 0 0; . . . | 1 2 3; . . .");
}

TEST(Evaluate, RestrictsADenseStatementToTheMask) {
  const Model m(
      "tensor S[n, m]: dense\ntensor B[n, m]: dcsr\n"
      "P[i, j] = softmax(j: S[i, j]) where B[i, j]\nr[i] = sum(j: S[i, j]) where B[i, j]\n"
      "t[] = sum(i: sum(j: S[i, j])) where B[i, j]\nE[i, j] = exp(S[i, j]) where B[i, j]",
      {{"S", "0 0 9; 1 2 3"}, {"B", "1 1 .; . . ."}});
  EXPECT_EQ(m.show("P"), "0.5 0.5 .; . . .");
  EXPECT_EQ(m.show("r"), "0 .");
  EXPECT_EQ(m.show("t"), "0");
  EXPECT_EQ(m.show("E"), "1 1 .; . . .");
}

TEST(Evaluate, NormalizesLayersWithoutCancellation) {
  const std::string rows = "50000 50001 50002 50003; 7 7 7 7; 0 0 0 0; -3 0 0 9";
  const Model m("tensor X[n, d]: dense\nY[i, o] = layernorm(o: X[i, o], 1e-5)", {{"X", rows}});
  const std::vector<double> expected = {-1.3416354, -0.4472118, 0.4472118,  1.3416354, 0, 0,
                                        0,          0,          0,          0,         0, 0,
                                        -1,         -0.3333333, -0.3333333, 1.6666663};
  for (std::size_t n = 0; n < expected.size(); ++n) {
    EXPECT_NEAR(m["Y"].value[n], expected[n], 1e-6) << n;
    EXPECT_LE(m["Y"].bound[n], n < 4 ? 0.05 : 1e-2) << n;
  }
  // A sparse row is divided by its length, not by the number of its entries.
  const Model sparse("tensor X[n, d]: csr\nY[i, o] = layernorm(o: X[i, o], 1e-5)",
                     {{"X", "-3 . . 9"}});
  EXPECT_EQ(sparse.show("Y"), "-1 -0.333333 -0.333333 1.66667");
}

TEST(Evaluate, GivesNodesWithoutNeighboursAnAbsentMean) {
  const std::string model =
      "tensor A[n, n]: csr\ntensor X[n, f]: dense\n"
      "S[i, f] = A[i, k] * X[k, f]\nD[i] = A[i, k]\nM[i, f] = S[i, f] / D[i]\n"
      "X2[i, f] = max(k: A[i, k] * X[k, f])";
  const Model m(model, {{"A", ". 1 1; . . .; . . ."}, {"X", "-1; -2; -5"}});
  EXPECT_EQ(m.show("M"), "-3.5; .; .");
  EXPECT_EQ(m.show("X2"), "0; .; .");
  EXPECT_EQ(Model(model, {{"A", ". . .; . . .; . . ."}, {"X", "-1; -2; -5"}}).show("M"), ".; .; .");
}

TEST(Evaluate, NormalizesAGraph) {
  // Self loops are added whether or not there is one already.
  const Model m(
      "tensor A[n, n]: csr\ntensor I[n, n]: csr\ntensor X[n]: dense\n"
      "B[i, j] = A[i, j] + I[i, j]\nd[i] = rsqrt(sum(j: B[i, j]))\n"
      "y[i] = d[i] * B[i, j] * d[j] * X[j]",
      {{"A", "1 1 .; 1 . .; . . ."}, {"I", "1 . .; . 1 .; . . 1"}, {"X", "1 1 1"}});
  EXPECT_EQ(m.show("B"), "2 1 .; 1 1 .; . . 1");
  EXPECT_EQ(m.show("y"), "1.07491 0.908248 1");
}

TEST(Evaluate, SelectsByCondition) {
  const Model m("tensor A[n]: {compressed}\ny[i] = select(lt(A[i], 0), 10 * A[i], A[i])",
                {{"A", "-2 . 3"}});
  EXPECT_EQ(m.show("y"), "-20 0 3");  // a comparison with a constant is present everywhere
}

TEST(Evaluate, BroadcastsOverAnIndexOfTheTargetAlone) {
  const Model m(
      "tensor Y[n, m]\ntensor b[n]: {compressed}\ntensor c[m]: dense\n"
      "Y[i, j] = b[i]\nz[j] = c[j]",
      {{"b", "1 ."}, {"c", "0 0 0"}});
  EXPECT_EQ(m.show("Y"), "1 1 1; . . .");
}

TEST(Evaluate, SumsOverUnionsAndNestedProducts) {
  const Model m(
      "tensor A[n, m]: csr\ntensor B[n, m]: csr\ntensor x[m]: dense\n"
      "y[i] = (A[i, j] + B[i, j]) * x[j]\nz[i] = sum(j: A[i, j] - B[i, j])\n"
      "w[] = sum(i: relu(sum(j: A[i, j] * x[j])) * (y[i] - z[i]))",
      {{"A", "1 . 2; . . .; . 1 ."}, {"B", "1 . .; . . .; . . 5"}, {"x", "1 10 100"}});
  EXPECT_EQ(m.show("y"), "202 . 510");
  EXPECT_EQ(m.show("z"), "2 . -4");
  EXPECT_EQ(m.show("w"), "45340");  // 201 * 200 + 10 * 514
}

TEST(Evaluate, WrapsIntegers) {
  const Model m(
      "tensor a[n]: i32 dense\ntensor b[n]: i32 dense\n"
      "p[i] = a[i] * b[i]\ns[] = sum(i: a[i])\nq[i] = a[i] / b[i]\nr[i] = -a[i]\n"
      "d[i] = a[i] - b[i]",
      {{"a", "2147483647 -2147483648 7"}, {"b", "3 -1 0"}});
  EXPECT_EQ(m["p"].value, (std::vector<double>{2147483645, -2147483648.0, 0}));
  EXPECT_EQ(m["s"].value[0], 6);
  EXPECT_EQ(m["q"].value, (std::vector<double>{715827882, -2147483648.0, -1}));
  EXPECT_EQ(m["r"].value, (std::vector<double>{-2147483647, -2147483648.0, -7}));
  EXPECT_EQ(m["d"].value, (std::vector<double>{2147483644, -2147483647, 7}));
  EXPECT_EQ(m["p"].bound[0], 0);
}

TEST(Evaluate, OverflowsAsF32Does) {
  const Model m("tensor a[n]: dense\ny[i] = a[i] * a[i]\nz[i] = y[i] - y[i]\nw[i] = exp(a[i])",
                {{"a", "1e30 -1000 100"}});
  EXPECT_EQ(m["y"].value[0], kInfinity);
  EXPECT_TRUE(std::isnan(m["z"].value[0]));
  EXPECT_EQ(m["w"].value, (std::vector<double>{kInfinity, 0, kInfinity}));
}

// The bound holds for f32 sums in several orders, and is not much larger than what they show.
TEST(Evaluate, BoundsRoundingOfSums) {
  const EntryList a = random_entries({1000}, ValueType::kF32, 1, 1);
  const EntryList b = random_entries({1000}, ValueType::kF32, 1, 2);
  Diagnostics diag;
  auto program = parse_model(
      diag.sources().add("t", "tensor a[n]: dense\ntensor b[n]: dense\ns[] = a[i] * b[i]"), diag);
  ASSERT_TRUE(program);
  program->sizes[0].value = 1000;
  const auto results = evaluate(*program, {{TensorId{0}, a}, {TensorId{1}, b}});
  const ReferenceTensor& s = results.at(TensorId{2});
  float up = 0;
  float down = 0;
  for (std::size_t n = 0; n < 1000; ++n) {
    up += std::bit_cast<float>(a.vals[n]) * std::bit_cast<float>(b.vals[n]);
    down += std::bit_cast<float>(a.vals[999 - n]) * std::bit_cast<float>(b.vals[999 - n]);
  }
  EXPECT_LE(std::abs(up - s.value[0]), s.bound[0]);
  EXPECT_LE(std::abs(down - s.value[0]), s.bound[0]);
  EXPECT_LT(s.bound[0], 0.05);
}

// A plain recursion over the whole index space, with the same arithmetic.
class Plain {
 public:
  Plain(const EinsumProgram& program, const Statement& statement,
        const std::map<TensorId, EntryList>& inputs)
      : program_(program), statement_(statement), inputs_(inputs), at_(statement.indices.size()) {}

  ReferenceTensor run() {
    ReferenceTensor result;
    for (const IndexId id : statement_.target.indices) result.shape.push_back(size(id));
    targets(0, result);
    return result;
  }

 private:
  std::uint32_t size(IndexId id) const {
    return *program_.size(statement_.indices[static_cast<std::size_t>(id)].size).value;
  }
  std::uint32_t& at(IndexId id) { return at_[static_cast<std::size_t>(id)]; }

  void targets(std::size_t depth, ReferenceTensor& result) {
    const std::vector<IndexId>& indices = statement_.target.indices;
    if (depth < indices.size()) {
      const IndexId id = indices[depth];
      for (std::uint32_t n = 0; n < size(id); ++n) at(id) = n, targets(depth + 1, result);
      return;
    }
    Cell cell = cell_of(*statement_.value);
    if (statement_.where) {
      if (!read(*statement_.where).present) cell = {};
      cell.present = read(*statement_.where).present;
    }
    result.value.push_back(cell.value);
    result.bound.push_back(cell.bound);
    result.present.push_back(cell.present);
  }

  Cell read(const Access& access) {
    const EntryList& list = inputs_.at(access.tensor);
    for (std::size_t n = 0; n < list.size(); ++n) {
      bool equal = true;
      for (std::size_t mode = 0; mode < access.indices.size(); ++mode) {
        equal = equal && list.entry(n)[mode] == at(access.indices[mode]);
      }
      if (equal) return {static_cast<double>(std::bit_cast<float>(list.vals[n])), 0, true};
    }
    return {};
  }

  Cell cell_of(const Expr& e) {
    switch (e.kind) {
      case Expr::Kind::kAccess:
        return read(e.access);
      case Expr::Kind::kConstant:
        return constant_cell(e.value, ValueType::kF32);
      case Expr::Kind::kIndexSize:
        return constant_cell(size(e.index), ValueType::kF32);
      case Expr::Kind::kUnary:
        return apply_reference(e.unary, ValueType::kF32, cell_of(*e.args[0]));
      case Expr::Kind::kBinary:
        return apply_reference(e.binary, ValueType::kF32, cell_of(*e.args[0]), cell_of(*e.args[1]));
      case Expr::Kind::kSelect:
        return select_reference(cell_of(*e.args[0]), cell_of(*e.args[1]), cell_of(*e.args[2]));
      case Expr::Kind::kReduce:
        break;
    }
    SumCell sum;
    Cell extreme;
    std::uint32_t terms = 0;
    const BinaryOp op = e.reduce == ReduceOp::kMax ? BinaryOp::kMax : BinaryOp::kMin;
    const std::uint32_t end = size(e.index);
    for (std::uint32_t n = 0; n < end; ++n) {
      at(e.index) = n;
      if (e.where && !read(*e.where).present) continue;
      Cell term = cell_of(*e.args[0]);
      at(e.index) = n;
      term.present = term.present || e.where;
      if (!term.present) continue;
      sum.add(term, ValueType::kF32);
      extreme = terms++ == 0 ? term : apply_reference(op, ValueType::kF32, extreme, term);
    }
    if (e.reduce == ReduceOp::kSum) return sum.result(ValueType::kF32);
    if (terms > 0 && terms < end && !statement_.where) {
      extreme = apply_reference(op, ValueType::kF32, extreme, {0, 0, true});
    }
    return extreme;
  }

  const EinsumProgram& program_;
  const Statement& statement_;
  const std::map<TensorId, EntryList>& inputs_;
  std::vector<std::uint32_t> at_;
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(seed * 2 + 1) {}

  std::string statement() {
    std::string text = fmt::format("Y[i, j] = {}", expr(4, "ij"));
    const char* masks[] = {
        "", "", " where B[i, j]", " where B[j, i]", " where v[j]", " where B[i, i]"};
    return text + masks[below(6)];
  }

 private:
  std::size_t below(std::size_t n) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>(state_ >> 33) % n;
  }

  std::string index(const std::string& scope) { return std::string(1, scope[below(scope.size())]); }

  // Every index in sight is bound: no implicit sums.
  std::string expr(int depth, const std::string& scope) {
    const std::size_t choice = depth == 0 ? below(3) : below(14);
    const auto sub = [&] { return expr(depth - 1, scope); };
    switch (choice) {
      case 0:
        return fmt::format("A[{}, {}]", index(scope), index(scope));
      case 1:
        return fmt::format("B[{}, {}]", index(scope), index(scope));
      case 2:
        return below(4) == 0 ? "2" : fmt::format("v[{}]", index(scope));
      case 3:
      case 4:
      case 5:
        return fmt::format("({} * {})", sub(), sub());
      case 6:
        return fmt::format("({} + {})", sub(), sub());
      case 7:
        return fmt::format("({} - {})", sub(), sub());
      case 8:
        return fmt::format("({} / {})", sub(), sub());
      case 9:
        return fmt::format("relu({})", sub());
      case 10:
        return fmt::format("max({}, {})", sub(), sub());
      case 11:
        return fmt::format("select({}, {}, {})", sub(), sub(), sub());
      default: {
        const char* names[] = {"sum", "sum", "max", "min", "mean"};
        const char fresh = "ijkl"[below(4)];
        std::string inner = scope;
        if (inner.find(fresh) == std::string::npos) inner += fresh;
        // The reduced index has to occur.
        return fmt::format("{}({}: {} * v[{}])", names[below(5)], fresh, expr(depth - 1, inner),
                           fresh);
      }
    }
  }

  std::uint64_t state_;
};

TEST(Evaluate, AgreesWithAPlainRecursion) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const std::string text =
        "tensor A[n, n]: csr\ntensor B[n, n]: dcsr\ntensor v[n]: "
        "{compressed}\ntensor Y[n, n]\nsize n = 5\n" +
        Generator(seed).statement() + "\noutput Y\n";
    Diagnostics diag;
    auto program = parse_model(diag.sources().add("t", text), diag);
    ASSERT_TRUE(program) << text << diag.text();
    std::map<TensorId, EntryList> inputs;
    inputs.emplace(TensorId{0}, random_entries({5, 5}, ValueType::kF32, 0.3, seed));
    inputs.emplace(TensorId{1}, random_entries({5, 5}, ValueType::kF32, 0.4, seed + 1000));
    inputs.emplace(TensorId{2}, random_entries({5}, ValueType::kF32, 0.7, seed + 2000));
    const ReferenceTensor expected = Plain(*program, program->statements[0], inputs).run();
    const ReferenceTensor actual = evaluate(*program, inputs).at(program->outputs[0]);
    ASSERT_EQ(actual.present, expected.present) << text;
    for (std::size_t n = 0; n < actual.value.size(); ++n) {
      const double a = actual.value[n];
      const double e = expected.value[n];
      // A bound that is not finite makes no promise.
      if (!std::isfinite(actual.bound[n]) || !std::isfinite(expected.bound[n])) continue;
      if (std::isnan(a) && std::isnan(e)) continue;
      ASSERT_TRUE(a == e || std::abs(a - e) <= 1e-9 * std::abs(e) + 1e-12)
          << text << n << ": " << a << " for " << e;
    }
  }
}

TEST(Evaluate, IsFastOnSparseProducts) {
  const EntryList a = random_entries({2708, 2708}, ValueType::kF32, 13264.0 / 2708 / 2708, 1);
  const EntryList x = random_entries({2708, 1433}, ValueType::kF32, 49216.0 / 2708 / 1433, 2);
  Diagnostics diag;
  auto program =
      parse_model(diag.sources().add("t",
                                     "tensor A[n, n]: csr\ntensor X[n, d]: csr\n"
                                     "Y[i, f] = A[i, k] * X[k, f]\nZ[i, f] = exp(Y[i, f]) + 1"),
                  diag);
  ASSERT_TRUE(program);
  program->sizes[0].value = 2708;
  program->sizes[1].value = 1433;
  const auto start = std::chrono::steady_clock::now();
  const auto results = evaluate(*program, {{TensorId{0}, a}, {TensorId{1}, x}});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(results.size(), 2U);
  EXPECT_LT(seconds.count(), 30);  // about 0.5 when optimized; a dense loop takes minutes
}

}  // namespace
}  // namespace heddle
