#include "compiler/frontend/parser.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace heddle::frontend {
namespace {

struct Parsed {
  ModelSyntax model;
  std::string errors;
};

Parsed parsed(const std::string& text) {
  Diagnostics diag;
  const std::vector<Token> tokens = lex(diag.sources().add("t", text), diag);
  ModelSyntax model = parse(tokens, diag);
  std::string errors;
  for (const Diagnostic& d : diag.all()) {
    errors += fmt::format("{}:{} {}\n", d.place.line, d.place.column, d.message);
  }
  return {std::move(model), std::move(errors)};
}

// Fully parenthesized.
std::string shown(const ExprSyntax& e) {
  using Kind = ExprSyntax::Kind;
  std::string args;
  for (const ExprSyntaxPtr& arg : e.args) {
    if (!args.empty()) args += e.kind == Kind::kInfix ? fmt::format(" {} ", e.op) : ", ";
    args += shown(*arg);
  }
  std::string indices;
  for (const Name& index : e.indices) indices += index.text;
  switch (e.kind) {
    case Kind::kNumber:
      return fmt::format("{}", e.number);
    case Kind::kAccess:
      return e.access.tensor.text;
    case Kind::kNegate:
      return fmt::format("(-{})", args);
    case Kind::kInfix:
      return fmt::format("({})", args);
    case Kind::kCall:
      return fmt::format("{}({})", e.name.text, args);
    case Kind::kReduce:
      return fmt::format("{}({}: {})", e.name.text, indices, args);
    case Kind::kSize:
      return fmt::format("size({})", indices);
  }
  return "?";
}

std::string expression(const std::string& text) {
  const Parsed p = parsed("y[] = " + text);
  if (!p.errors.empty()) return p.errors;
  return p.model.statements.size() == 1 ? shown(*p.model.statements[0].value) : "?";
}

TEST(Parser, BindsOperatorsAsUsual) {
  EXPECT_EQ(expression("a[] - b[] - c[] * d[] / e[]"), "((a - b) - ((c * d) / e))");
  EXPECT_EQ(expression("-a[] * -b[] + -2 - -3"), "((((-a) * (-b)) + -2) - -3)");
  EXPECT_EQ(expression("a[] * (b[] + c[])"), "(a * (b + c))");
  EXPECT_EQ(expression("- -a[]"), "(-(-a))");
}

TEST(Parser, TellsReductionsFromCalls) {
  EXPECT_EQ(expression("max(j, k: max(a[j], b[k]))"), "max(jk: max(a, b))");
  EXPECT_EQ(expression("layernorm(o: a[o], 1e-5)"), "layernorm(o: a, 1e-05)");
  EXPECT_EQ(expression("size(i) * sum(i: a[i])"), "(size(i) * sum(i: a))");
}

TEST(Parser, EndsStatementsAtLineEnds) {
  const Parsed p = parsed("y[i] = a[i]\nz[i] = (a[i]\n  + b[i]) *\n  2\nw[\ni] = 1 where a[i]\n");
  EXPECT_EQ(p.errors, "");
  ASSERT_EQ(p.model.statements.size(), 3U);
  EXPECT_EQ(shown(*p.model.statements[1].value), "((a + b) * 2)");
  EXPECT_TRUE(p.model.statements[2].where.has_value());
  EXPECT_EQ(parsed("y[i] = a[i]\n  + b[i]").errors,
            "2:3 expected a statement or 'tensor', 'size', 'output' or 'schedule' with a name, "
            "found '+'\n");
}

TEST(Parser, ReadsTensorLines) {
  const Parsed p = parsed(
      "tensor A[n, 4]: f32 csr = file(\"a.mtx\")\ntensor B[n, m]: {dense, compressed} order (1, "
      "0)\ntensor c[]: i32 = constant(-2)\ntensor d[n]\ntensor e[n]: dense = random()\n"
      "tensor f[n] = random(seed: 3, density: 0.5)\ntensor g[a, b, c]: f32 coo\n");
  EXPECT_EQ(p.errors, "");
  const std::vector<TensorSyntax>& t = p.model.tensors;
  ASSERT_EQ(t.size(), 7U);
  EXPECT_EQ(t[0].modes[1].text, "4");
  EXPECT_EQ(to_text(*t[0].format), "csr");
  EXPECT_EQ(t[0].binding.path, "a.mtx");
  EXPECT_EQ(t[1].format->order, (std::vector<int>{1, 0}));
  EXPECT_EQ(t[2].type, ValueType::kI32);
  EXPECT_EQ(t[2].binding.value, -2);
  EXPECT_FALSE(t[3].format.has_value());
  EXPECT_EQ(t[4].binding.kind, Binding::Kind::kRandom);
  EXPECT_EQ(t[5].binding.seed, 3U);
  EXPECT_EQ(t[5].binding.density, 0.5);
  EXPECT_TRUE(t[6].format->coordinate_list);
}

TEST(Parser, ReadsSchedules) {
  const Parsed p = parsed(
      "schedule a { fuse T1, H   fuse T2, L order i, k keep H\n recompute L\n parallel i by 4\n"
      "block i, j by 16 depth auto depth t 64 depth min depth auto auto skip k, i }\nschedule b "
      "{}\n");
  EXPECT_EQ(p.errors, "");
  ASSERT_EQ(p.model.schedules.size(), 2U);
  const std::vector<ScheduleItem>& items = p.model.schedules[0].items;
  ASSERT_EQ(items.size(), 12U);
  EXPECT_EQ(items[0].names, (std::vector<std::string>{"T1", "H"}));
  EXPECT_EQ(items[5].number, 4U);
  EXPECT_EQ(items[6].number, 16U);
  EXPECT_FALSE(items[7].number.has_value());
  EXPECT_EQ(items[8].number, 64U);
  EXPECT_TRUE(items[9].minimum);
  EXPECT_EQ(items[11].kind, ScheduleItem::Kind::kSkip);
  EXPECT_EQ(items[11].names, (std::vector<std::string>{"k", "i"}));
}

TEST(Parser, TakesKeywordsAsNames) {
  const Parsed p = parsed(
      "tensor tensor[size]\ntensor fuse[size]\nsize size = 3\nreg[where] = tensor[where] * "
      "fuse[where] where sum[where]\noutput output\nschedule schedule { fuse fuse keep keep order "
      "order depth depth 3 }\noutput[int] = class[end, int]\nsize[i] = max[i]\n");
  EXPECT_EQ(p.errors, "");
  EXPECT_EQ(p.model.statements.size(), 3U);
  EXPECT_EQ(p.model.schedules[0].items.size(), 4U);
}

TEST(Parser, GoesOnAfterAnError) {
  const Parsed p =
      parsed("y[i] = 1\nz[i] = )\nschedule a { what\n is this }\nw[i] = a[i]\ntensor b[n: f32\n");
  EXPECT_EQ(
      p.errors,
      "2:8 expected an expression, found ')'\n"
      "3:14 expected 'fuse', 'order', 'parallel', 'keep', 'recompute', 'block', 'skip', 'depth' "
      "or '}', found 'what'\n6:11 expected ']' or ',', found ':'\n");
  EXPECT_EQ(p.model.statements.size(), 2U);
}

TEST(Parser, CapsNesting) {
  EXPECT_EQ(parsed("y[] = " + std::string(200, '(') + "1" + std::string(200, ')')).errors, "");
  EXPECT_NE(parsed("y[] = " + std::string(201, '(') + "1" + std::string(201, ')')).errors, "");
  EXPECT_NE(parsed("y[] = " + std::string(100000, '-') + "a[]").errors, "");
  EXPECT_NE(parsed("y[] = " + std::string(100000, '(')).errors, "");
  std::string terms = "y[] = 1";
  for (int n = 0; n < 900; ++n) terms += " + 1";
  EXPECT_EQ(parsed(terms).errors, "");
  for (int n = 0; n < 900; ++n) terms += " + 1";
  EXPECT_NE(parsed(terms).errors, "");
}

}  // namespace
}  // namespace heddle::frontend
