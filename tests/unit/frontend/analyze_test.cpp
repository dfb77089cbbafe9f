#include "compiler/frontend/analyze.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/frontend/parse.h"
#include "compiler/support/check.h"

namespace heddle {
namespace {

EinsumProgram analyzed(const std::string& text) {
  Diagnostics diag;
  auto program = parse_model(diag.sources().add("t.ein", text), diag);
  HEDDLE_CHECK(program.has_value(), "{}", diag.text());
  return std::move(*program);
}

std::string first_error(const std::string& text) {
  Diagnostics diag;
  parse_model(diag.sources().add("t.ein", text), diag);
  return diag.all().empty() ? "" : diag.all()[0].id;
}

std::string index_names(const Statement& statement) {
  std::string out;
  for (const IndexVar& index : statement.indices) {
    out += fmt::format("{}{}", out.empty() ? "" : " ", index.name);
  }
  return out;
}

TEST(Analyze, GivesEveryReductionAnIndexOfItsOwn) {
  const EinsumProgram program = analyzed(
      "tensor A[m, n]\ny[i, j] = A[i, j] / sum(j: A[i, j]) + max(j: A[i, j])\n"
      "z[j_2] = sum(j: A[j_2, j]) + max(j: A[j_2, j])");
  EXPECT_EQ(index_names(program.statements[0]), "i j j_2 j_3");
  EXPECT_EQ(program.statements[0].indices[3].written, "j");
  EXPECT_EQ(index_names(program.statements[1]), "j_2 j j_3");
}

TEST(Analyze, ShapesIntermediatesByTheirIndices) {
  const EinsumProgram program =
      analyzed("tensor A[m, n]\ntensor B[n, 7]\nT[i, k] = A[i, j] * B[j, k]\ns[] = T[i, k]");
  const TensorDecl& t = program.tensor(program.statements[0].target.tensor);
  EXPECT_EQ(program.size(t.modes[0]).name, "m");
  EXPECT_EQ(program.size(t.modes[1]).value, 7U);
  EXPECT_FALSE(t.declared);
}

TEST(Analyze, TakesUnreadTensorsAsOutputs) {
  const EinsumProgram program = analyzed("tensor a[n]\nb[i] = a[i]\nc[i] = b[i]\nd[i] = b[i]");
  ASSERT_EQ(program.outputs.size(), 2U);
  EXPECT_EQ(program.tensor(program.outputs[0]).name, "c");
  EXPECT_TRUE(program.tensor(program.outputs[1]).output);
  ASSERT_EQ(program.schedules.size(), 1U);
  EXPECT_EQ(program.schedules[0].name, "default");
}

TEST(Analyze, InfersTypesFromOperands) {
  const EinsumProgram program = analyzed("tensor a[n]: i32\nb[i] = a[i] * 2\nc[i] = b[i]");
  EXPECT_EQ(program.statements[1].type, ValueType::kI32);
  EXPECT_EQ(program.tensors[2].type, ValueType::kI32);
  EXPECT_EQ(first_error("tensor a[n]: i32\nb[i] = sqrt(a[i])"), "type-function");
  EXPECT_EQ(first_error("tensor a[n]: i32\ntensor b[n]: f32\nb[i] = a[i]"), "type-mix");
}

TEST(Analyze, GivesReductionsTheMaskOverTheirIndex) {
  const EinsumProgram program = analyzed(
      "tensor S[m, n]\ntensor B[m, n]\nP[i, j] = S[i, j] / sum(j: S[i, j]) where B[i, j]\n"
      "t[] = sum(i: sum(j: S[i, j])) where B[i, j]\nu[] = sum(i, j: S[i, j]) where B[i, j]\n"
      "v[i, j] = max(i: max(j: S[i, j])) where B[i, j]\nw[i] = max(k: S[i, k]) where B[i, k]\n"
      "x[i, k] = sum(j: S[i, j] * S[k, j]) where B[i, k]\n"
      "y[i] = sum(j: S[k, j]) where B[i, j]\n");
  const auto mask = [&](const Expr& e, std::size_t statement) {
    std::string out;
    if (!e.where) return out;
    for (const IndexId id : e.where->indices) {
      out += program.statements[statement].indices[static_cast<std::size_t>(id)].name;
    }
    return out;
  };
  const auto value = [&](std::size_t n) -> const Expr& { return *program.statements[n].value; };
  EXPECT_EQ(mask(*value(0).args[1], 0), "ij_2");
  EXPECT_EQ(mask(value(1), 1), "");
  EXPECT_EQ(mask(*value(1).args[0], 1), "ij");
  EXPECT_EQ(mask(value(2), 2), "");
  EXPECT_EQ(mask(*value(2).args[0], 2), "ij");
  EXPECT_EQ(mask(value(3), 3), "");  // the j of the target is hidden where i_2 is reduced
  EXPECT_EQ(mask(*value(3).args[0], 3), "i_2j_2");
  EXPECT_EQ(mask(value(4), 4), "ik");
  EXPECT_EQ(mask(value(5), 5), "");
  EXPECT_TRUE(program.statements[5].where.has_value());
  EXPECT_EQ(mask(value(6), 6), "ij");
}

TEST(Analyze, AcceptsNamesThatAreKeywordsElsewhere) {
  const EinsumProgram program = analyzed(
      "tensor input[n, m]\ntensor wire[m]\ntensor Wire[m]\ntensor A__B[m]\ntensor _x[m]\n"
      "tensor " +
      std::string(200, 'a') +
      "[m]\n"
      "reg[i] = input[i, end] * wire[end] * Wire[end] * A__B[end] * _x[end]\n"
      "class[int] = reg[int]\n");
  EXPECT_EQ(program.statements.size(), 2U);
}

TEST(Analyze, AcceptsDeclarationsAfterTheirUse) {
  const EinsumProgram program = analyzed("y[i] = x[i]\ntensor x[n]\nsize n = 3");
  EXPECT_EQ(program.sizes[0].value, 3U);
}

TEST(Analyze, KeepsTheIndicesOfAccesses) {
  const EinsumProgram program = analyzed("tensor A[n, n]\ns[] = A[i, i]\nD[i, i] = A[i, j]");
  const Access& access = program.statements[0].value->args[0]->access;
  EXPECT_EQ(access.indices[0], access.indices[1]);
  EXPECT_EQ(program.statements[1].target.indices[0], program.statements[1].target.indices[1]);
}

TEST(Analyze, ReportsWhatIsWrongInEveryStatement) {
  Diagnostics diag;
  EXPECT_FALSE(parse_model(diag.sources().add("t.ein",
                                              "tensor a[n]\nb[i] = c[i]\n"
                                              "d[i] = b[i, i] + e[i]\nf[i] = d[i]"),
                           diag));
  std::string ids;
  for (const Diagnostic& d : diag.all()) {
    if (!d.id.empty()) ids += d.id + " ";
  }
  EXPECT_EQ(ids, "unknown-tensor access-rank unknown-tensor ");
}

}  // namespace
}  // namespace heddle
