#include "compiler/frontend/expand.h"

#include <gtest/gtest.h>

#include "compiler/frontend/parse.h"

namespace heddle {
namespace {

/// The first statement as it is printed, with sums and macros written out.
std::string expanded(const std::string& statement) {
  Diagnostics diag;
  const auto program = parse_model(
      diag.sources().add("t",
                         "tensor A[m, n]\ntensor B[m, n]\ntensor C[n, p]\ntensor W[p, q]\n"
                         "tensor b[m]\ntensor x[n]\ntensor y[n]\n" +
                             statement),
      diag);
  return program ? to_text(*program, program->statements[0]) : diag.text();
}

TEST(Expand, SumsTheSmallestProduct) {
  EXPECT_EQ(expanded("a[i] = b[i] + A[i, j]"), "a[i] = b[i] + sum(j: A[i, j])");
  EXPECT_EQ(expanded("a[i] = A[i, j] * x[j] + b[i]"), "a[i] = sum(j: A[i, j] * x[j]) + b[i]");
  EXPECT_EQ(expanded("a[i, u] = relu(A[i, f] * C[f, u] + b[i])"),
            "a[i, u] = relu(sum(f: A[i, f] * C[f, u]) + b[i])");
  EXPECT_EQ(expanded("a[i] = b[i] * (b[i] + A[i, j])"), "a[i] = b[i] * (b[i] + sum(j: A[i, j]))");
}

TEST(Expand, TakesAChainOfFactorsAsOneProduct) {
  EXPECT_EQ(expanded("a[i, l] = A[i, j] * C[j, k] * W[k, l]"),
            "a[i, l] = sum(j: sum(k: A[i, j] * C[j, k] * W[k, l]))");
  EXPECT_EQ(expanded("a[i, l] = (A[i, j] * C[j, k]) * W[k, l]"),
            "a[i, l] = sum(k: sum(j: A[i, j] * C[j, k]) * W[k, l])");
  EXPECT_EQ(expanded("a[i] = 2 * A[i, j]"), "a[i] = sum(j: 2 * A[i, j])");
}

TEST(Expand, SumsTermsOneByOne) {
  EXPECT_EQ(expanded("a[i] = A[i, j] * x[j] - B[i, j] * y[j]"),
            "a[i] = sum(j: A[i, j] * x[j]) - sum(j: B[i, j] * y[j])");
  EXPECT_EQ(expanded("a[i] = (A[i, j] + B[i, j]) * x[j]"),
            "a[i] = sum(j: (A[i, j] + B[i, j]) * x[j])");
}

TEST(Expand, SumsAQuotientWhereBothSidesUseTheIndex) {
  EXPECT_EQ(expanded("a[i] = A[i, j] * x[j] / b[i]"), "a[i] = sum(j: A[i, j] * x[j]) / b[i]");
  EXPECT_EQ(expanded("a[i] = A[i, j] / x[j]"), "a[i] = sum(j: A[i, j] / x[j])");
  EXPECT_EQ(expanded("a[i] = b[i] / (1 + x[j])"), "a[i] = b[i] / (1 + sum(j: x[j]))");
}

TEST(Expand, SumsAroundAFunctionOfSeveralUses) {
  EXPECT_EQ(expanded("a[i] = max(A[i, j], B[i, j])"), "a[i] = sum(j: max(A[i, j], B[i, j]))");
  EXPECT_EQ(expanded("a[i] = relu(A[i, j]) * x[j]"), "a[i] = sum(j: relu(A[i, j]) * x[j])");
  EXPECT_EQ(expanded("a[i] = max(j: A[i, j] * C[j, k])"),
            "a[i] = max(j: sum(k: A[i, j] * C[j, k]))");
}

TEST(Expand, SumsInsideAMacroWhatOnlyItsArgumentUses) {
  EXPECT_EQ(expanded("a[i, k] = softmax(k: A[i, j] * C[j, k])"),
            "a[i, k] = exp(sum(j: A[i, j] * C[j, k]) - max(k: sum(j: A[i, j] * C[j, k]))) / "
            "sum(k: exp(sum(j: A[i, j] * C[j, k]) - max(k: sum(j: A[i, j] * C[j, k]))))");
  EXPECT_EQ(expanded("a[i, k] = softmax(j: A[i, j]) * C[j, k]"),
            "a[i, k] = sum(j: exp(A[i, j] - max(j: A[i, j])) / "
            "sum(j: exp(A[i, j] - max(j: A[i, j]))) * C[j, k])");
}

TEST(Expand, WritesOutNorms) {
  EXPECT_EQ(expanded("a[i, j] = rmsnorm(j: A[i, j], 0.5)"),
            "a[i, j] = A[i, j] * rsqrt(mean(j: A[i, j] * A[i, j]) + 0.5)");
  EXPECT_EQ(expanded("a[i, j] = layernorm(j: A[i, j], 0.5)"),
            "a[i, j] = (A[i, j] - mean(j: A[i, j])) * rsqrt(mean(j: (A[i, j] - mean(j: A[i, j])) "
            "* (A[i, j] - mean(j: A[i, j]))) + 0.5)");
}

TEST(Expand, ReducesOverSeveralIndices) {
  EXPECT_EQ(expanded("a[] = max(i, j: A[i, j])"), "a[] = max(i: max(j: A[i, j]))");
  EXPECT_EQ(expanded("a[] = mean(i, j: A[i, j])"), "a[] = mean(i: mean(j: A[i, j]))");
}

}  // namespace
}  // namespace heddle
