// Exploring orders: all of a nested product run and agree, they are counted right, the one taken by
// default is near the best; and a copy says which orders go round in a circle.
#include "compiler/driver/explore.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace heddle {
namespace {

Model model_of(const std::string& text) {
  Diagnostics diag;
  auto program = parse_model(diag.sources().add("model.ein", text), diag);
  EXPECT_TRUE(program) << text << diag.text();
  auto inputs = bind_data(*program, {}, diag);
  EXPECT_TRUE(inputs) << text << diag.text();
  return {std::move(*program), std::move(*inputs)};
}

RunOptions untimed() {
  RunOptions options;
  options.engines = {Engine::kFunctional};
  return options;
}

TEST(Explore, RunsEveryOrderOfANestedProduct) {
  const Model model = model_of(
      "size n = 30\n"
      "tensor A[n, n]: f32 csr = random(density: 0.1, seed: 1)\n"
      "tensor B[n, n]: f32 csr = random(density: 0.15, seed: 2)\n"
      "tensor C[n, n]: f32 csr = random(density: 0.1, seed: 3)\n"
      "T[j, l] = B[j, k] * C[k, l]\nY[i, l] = A[i, j] * T[j, l]\noutput Y\n"
      "schedule full { fuse T, Y }\n");
  Diagnostics diag;
  std::string problem;
  const auto regions = explore(model, model.program.schedules[0], 1000, diag, problem);
  ASSERT_TRUE(regions) << problem << diag.text();
  ASSERT_EQ(regions->size(), 1u);
  const ExploredRegion& region = (*regions)[0];
  EXPECT_EQ(region.orders, 24u);  // 4!
  ASSERT_EQ(region.tried.size(), 24u);
  std::uint64_t by_default = 0;
  for (const ExploredOrder& o : region.tried) {
    EXPECT_TRUE(o.problem.empty()) << o.problem;
    if (o.order == region.chosen) by_default = o.cycles;
  }
  EXPECT_LE(static_cast<double>(by_default),
            1.10 * static_cast<double>(region.tried.front().cycles));
  const std::string text = explore_text(*regions);
  EXPECT_EQ(text.find("region T+Y: 24 of 24 orders"), 0u) << text;
  EXPECT_NE(text.find("\n  24 legal orders, 1 without permuted copies\n"), std::string::npos)
      << text;
}

// ----------------------------------------------------------------------------- counted by force

using Names = std::vector<std::string>;

std::size_t place(const Names& names, const std::string& name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

/// A product of a chain of matrices M0[i0, i1] * M1[i1, i2] * ..., a statement for each pair of
/// brackets, all fused. Formats and brackets are random; with data from a file, formats are sparse
/// and brackets M0 * (M1 * (...)).
class Chain {
 public:
  Chain(std::size_t matrices, std::uint32_t seed, const std::string& data)
      : random_(seed), nested_(!data.empty()) {
    static const Names formats{"csr", "csc", "dcsr", "dense", "{dense, dense} order (1, 0)"};
    for (std::size_t m = 0; m < matrices; ++m) {
      const std::string format = formats[random_() % (nested_ ? 3 : formats.size())];
      by_columns_.push_back(format == "csc" || format.back() == ')');
      text_ += "tensor M" + std::to_string(m) + "[n, n]: f32 " + format + " = " +
               (data.empty() ? "random(density: 0.4, seed: " + std::to_string(random_() % 99) + ")"
                             : data) +
               "\n";
    }
    root_ = bracket(0, matrices);
    text_ += "output " + name(root_) + "\nschedule all { fuse " + fused_.substr(2) + " }\n";
    if (data.empty()) text_ += "size n = 4\n";
    for (std::size_t i = 0; i <= matrices; ++i) indices_.push_back("i" + std::to_string(i));
  }

  const std::string& text() const { return text_; }
  const Names& indices() const { return indices_; }

  /// Whether every matrix is read as it is stored if the loops go in this order. A sum goes where
  /// the order has it, but inside the loops around it that its result does not have and that lie
  /// outside of the last one that it does have: for each of them it is computed anew.
  bool fits(const Names& order) const {
    Names nest{index(root_.first), index(root_.last)};
    std::sort(nest.begin(), nest.end(),
              [&](const auto& a, const auto& b) { return place(order, a) < place(order, b); });
    return fits(root_, nest, order);
  }

 private:
  struct Product {  // of the matrices first to last - 1: left ones up to `middle`, then right ones
    std::size_t first, middle, last;
    std::vector<Product> parts;
  };
  static std::string index(std::size_t i) { return "i" + std::to_string(i); }
  static std::string name(const Product& p) {
    return (p.last == p.first + 1 ? "M" : "T" + std::to_string(p.last) + "_") +
           std::to_string(p.first);
  }
  static std::string access(const Product& p) {
    return name(p) + "[" + index(p.first) + ", " + index(p.last) + "]";
  }

  Product bracket(std::size_t first, std::size_t last) {
    Product p{first, first, last, {}};
    if (last == first + 1) return p;
    p.middle = first + 1 + (nested_ ? 0 : random_() % (last - first - 1));
    p.parts = {bracket(first, p.middle), bracket(p.middle, last)};
    text_ += access(p) + " = " + access(p.parts[0]) + " * " + access(p.parts[1]) + "\n";
    fused_ += ", " + name(p);
    return p;
  }

  bool fits(const Product& p, const Names& around, const Names& order) const {
    if (p.parts.empty()) {
      const bool rows_first = place(around, index(p.first)) < place(around, index(p.last));
      return rows_first != by_columns_[p.first];
    }
    const std::string own = index(p.middle);
    const std::size_t end =
        1 + std::max(place(around, index(p.first)), place(around, index(p.last)));
    Names nest(around.begin(), around.begin() + static_cast<std::ptrdiff_t>(end));
    std::size_t at = 0;
    while (at < nest.size() && place(order, nest[at]) < place(order, own)) ++at;
    for (std::size_t n = at; n < nest.size(); ++n)
      if (nest[n] != index(p.first) && nest[n] != index(p.last)) at = n + 1;
    nest.insert(nest.begin() + static_cast<std::ptrdiff_t>(at), own);
    return fits(p.parts[0], nest, order) && fits(p.parts[1], nest, order);
  }

  std::mt19937 random_;
  bool nested_;
  std::vector<bool> by_columns_;
  std::string text_, fused_;
  Names indices_;
  Product root_{};
};

/// Compares the counts with those over all permutations: each is compiled, and runs if wanted, as
/// an order of its own; it needs a copy if and only if the chain says so.
void count_by_force(const Chain& chain, bool run) {
  SCOPED_TRACE(chain.text());
  const Model model = model_of(chain.text());
  const Schedule& fused = model.program.schedules[0];
  const auto reference = evaluate(model.program, model.inputs);
  Diagnostics diag;
  std::string problem;
  const auto regions = explore(model, fused, 1, diag, problem);
  ASSERT_TRUE(regions) << problem << diag.text();
  Region region;
  std::map<TensorId, Tensor> tensors;
  const auto keep = [&](const CompiledRegion& compiled, const RunResult&) {
    region = compiled.region;
    return true;
  };
  ASSERT_TRUE(compile_schedule(model, fused, {}, keep, tensors, diag, problem)) << problem;
  std::size_t legal = 0, as_stored = 0;
  Names order = chain.indices();
  do {
    SCOPED_TRACE(fmt::format("{}", fmt::join(order, " ")));
    region.order = order;
    const auto compiled = compile_region(model, region, tensors, {}, diag);
    ASSERT_TRUE(compiled) << diag.text();
    const auto& views = compiled->einsum.views;
    const bool copied =
        std::any_of(views.begin(), views.end(), [](const View& view) { return view.permuted; });
    EXPECT_EQ(!copied, chain.fits(order));
    ++legal;
    as_stored += copied ? 0 : 1;
    if (!run) continue;
    Schedule schedule = fused;
    schedule.items.push_back({});
    schedule.items.back().kind = ScheduleItem::Kind::kOrder;
    schedule.items.back().names = order;
    std::map<TensorId, Tensor> outputs;
    const ScheduleReport report =
        run_schedule(model, schedule, untimed(), &reference, outputs, diag);
    EXPECT_EQ(report.state, ScheduleState::kOk) << diag.text() << report.problem;
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ((*regions)[0].legal, static_cast<double>(legal));
  EXPECT_EQ((*regions)[0].orders, legal);
  EXPECT_EQ((*regions)[0].as_stored, as_stored);
}

TEST(Explore, CountsTheOrdersOfNestedProductsOnTheKarateClub) {
  const std::string club = "file(\"" HEDDLE_ROOT "/examples/kernels/data/karate_norm.mtx\")";
  for (const std::uint32_t seed : {1u, 2u, 3u}) count_by_force(Chain(4, seed, club), false);
  count_by_force(Chain(3, 4, club), true);
}

TEST(Explore, CountsTheOrdersOfSmallProducts) {
  for (std::uint32_t seed = 1; seed <= 30; ++seed)
    count_by_force(Chain(2 + seed % 3, seed, ""), true);
}

TEST(Explore, TellsTheDefaultAsTheOrdersThatAreTried) {
  // The maxima and sums of softmax have indices of their own, which follow the first.
  const Model model = model_of(
      "tensor X[n, n]: f32 dense = random(seed: 1)\nsize n = 3\nY[i, j] = softmax(j: X[i, j])\n");
  Diagnostics diag;
  std::string problem;
  const auto regions = explore(model, model.program.schedules[0], 10, diag, problem);
  ASSERT_TRUE(regions) << problem << diag.text();
  EXPECT_EQ((*regions)[0].chosen, (std::vector<std::string>{"i", "j"}));
}

// ------------------------------------------------------------------------------- round in circles

/// What is told of a model's only region.
std::string told(const std::string& text) {
  const Model model = model_of(text + "size n = 6\n");
  Diagnostics diag;
  std::map<TensorId, Tensor> outputs;
  const ScheduleReport report =
      run_schedule(model, model.program.schedules[0], untimed(), nullptr, outputs, diag);
  EXPECT_EQ(report.state, ScheduleState::kOk) << diag.text() << report.problem;
  return fmt::format("{}", fmt::join(report.regions.at(0).remarks, "\n"));
}

TEST(Orders, ACopyNamesTheCycleThatItBreaks) {
  const std::string a = "tensor A[n, n]: f32 csr = random(density: 0.9, seed: 1)\n";
  const std::string b = "tensor B[n, n]: f32 csr = random(density: 0.1, seed: 2)\n";
  EXPECT_EQ(told(a + b + "tensor Y[n, n]: f32 csr\nY[i, k] = A[i, k] * B[k, i]\n"),
            "'B' is stored as csr but read in the order i, k: a permuted copy is made; "
            "the cycle is i before k (A), k before i (B)");
  const std::string c = "tensor C[n, n]: f32 csr = random(density: 0.9, seed: 3)\n";
  EXPECT_EQ(told(a + b + c + "s[] = A[i, j] * C[j, k] * B[k, i]\n"),
            "'B' is stored as csr but read in the order i, k: a permuted copy is made; "
            "the cycle is i before j (A), j before k (C), k before i (B)");
  EXPECT_EQ(told(a + "y[i] = A[i, k]\nschedule down { order k, i }\n"),
            "'A' is stored as csr but read in the order k, i: a permuted copy is made; "
            "the cycle is k before i (order), i before k (A)");
  EXPECT_EQ(told(a + "y[k] = max(i: A[i, k])\n"),
            "'A' is stored as csr but read in the order k, i: a permuted copy is made; "
            "the cycle is k before i (maximum over i), i before k (A)");
  EXPECT_EQ(told(a + "y[i] = A[i, k]\n"), "");
}

TEST(Orders, ASumThatCannotStandWhereTheOrderHasItIsTold) {
  const std::string text =
      "tensor A[n, n]: f32 csr = random(density: 0.3, seed: 1)\n"
      "tensor B[n, n]: f32 csc = random(density: 0.3, seed: 2)\n"
      "tensor C[n, n]: f32 csr = random(density: 0.3, seed: 3)\n"
      "T[j, l] = B[j, k] * C[k, l]\nY[i, l] = A[i, j] * T[j, l]\noutput Y\n";
  EXPECT_NE(told(text + "schedule s { fuse T, Y order k, i, j, l }\n")
                .find("the order has 'k' around 'i', but the sum over 'k' runs inside of 'i'"),
            std::string::npos);
  EXPECT_EQ(told(text + "schedule s { fuse T, Y order i, j, k, l }\n").find("the order has"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle
