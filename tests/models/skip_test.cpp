// The schedule item `skip`: the same values as without it in every engine, in fewer cycles where it
// is made for.
#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "compiler/driver/pipeline.h"

namespace heddle {
namespace {

/// The entries of a row or vector: coordinates.
using Fiber = std::vector<std::uint32_t>;

Fiber every(std::uint32_t stride, std::uint32_t count, std::uint32_t from = 0) {
  Fiber f;
  for (std::uint32_t i = 0; i < count; ++i) f.push_back(from + i * stride);
  return f;
}

struct Case {
  Diagnostics diag;
  std::optional<Model> model;

  /// The text's inputs are constants; set() replaces them.
  explicit Case(const std::string& text) {
    auto program = parse_model(diag.sources().add("skip.ein", text), diag);
    if (!program) return;
    auto inputs = bind_data(*program, {}, diag);
    if (inputs) model = Model{std::move(*program), std::move(*inputs)};
  }
  void set(const std::string& name, const std::vector<Fiber>& rows) {
    for (auto& [id, list] : model->inputs) {
      if (model->program.tensor(id).name != name) continue;
      list.crd.clear();
      list.vals.clear();
      for (std::uint32_t r = 0; r < rows.size(); ++r)
        for (const std::uint32_t c : rows[r]) {
          if (list.rank() == 2) list.crd.push_back(r);
          list.crd.push_back(c);
          list.vals.push_back(
              std::bit_cast<std::uint32_t>(0.25f + static_cast<float>(list.vals.size() % 7)));
        }
    }
  }
  ScheduleReport run(const std::string& schedule, const std::vector<Engine>& engines,
                     std::map<TensorId, Tensor>& out) {
    const auto reference = evaluate(model->program, model->inputs);
    RunOptions options;
    options.engines = engines;
    for (const Schedule& s : model->program.schedules)
      if (s.name == schedule) return run_schedule(*model, s, options, &reference, out, diag);
    ADD_FAILURE() << "no schedule " << schedule;
    return {};
  }
};

const std::vector<Engine> kAll{Engine::kFunctional, Engine::kCycle, Engine::kSystemc, Engine::kRtl};
const std::vector<Engine> kExact{Engine::kFunctional, Engine::kCycle, Engine::kSystemc};

struct Cycles {
  std::uint64_t plain = 0, skip = 0;
};

Cycles compare(Case& c, const std::vector<Engine>& engines) {
  std::map<TensorId, Tensor> plain_out, skip_out;
  const ScheduleReport plain = c.run("plain", {Engine::kCycle}, plain_out);
  const ScheduleReport skip = c.run("skip", engines, skip_out);
  EXPECT_EQ(plain.state, ScheduleState::kOk) << plain.problem;
  EXPECT_EQ(skip.state, ScheduleState::kOk)
      << skip.problem << (skip.regions.empty() ? "" : skip.regions[0].difference) << c.diag.text();
  EXPECT_EQ(plain_out.size(), skip_out.size());
  for (const auto& [id, tensor] : plain_out) {
    EXPECT_EQ(tensor.vals, skip_out.at(id).vals);
    for (std::size_t l = 0; l < tensor.levels.size(); ++l) {
      EXPECT_EQ(tensor.levels[l].seg, skip_out.at(id).levels[l].seg);
      EXPECT_EQ(tensor.levels[l].crd, skip_out.at(id).levels[l].crd);
    }
  }
  return {plain.cycles, skip.cycles};
}

void report(const char* what, Cycles c) {
  std::printf("%-34s %8d cycles, with skips %8d\n", what, static_cast<int>(c.plain),
              static_cast<int>(c.skip));
}

const char* const kSpmv =
    "tensor A[12, 1000]: f32 csr = constant(1)\ntensor x[1000]: f32 {compressed} = constant(1)\n"
    "y[i] = A[i, j] * x[j]\nschedule plain {}\nschedule skip { skip j }\n";

TEST(Skip, NearlyEmptyVector) {
  Case c(kSpmv);
  ASSERT_TRUE(c.model) << c.diag.text();
  std::vector<Fiber> rows;
  for (std::uint32_t r = 0; r < 12; ++r) rows.push_back(every(1 + r % 3, 330));
  c.set("A", rows);
  c.set("x", {{17, 300}});
  const Cycles cycles = compare(c, kAll);
  report("SpMV, nearly empty vector", cycles);
  EXPECT_LT(cycles.skip * 4, cycles.plain);
}

TEST(Skip, EmptyVectorAndEmptyRows) {
  Case c(kSpmv);
  c.set("A", {{}, every(1, 1000), {}, {999}, {0}});
  c.set("x", {{}});
  report("SpMV, empty vector", compare(c, kExact));
  c.set("A", {});
  c.set("x", {every(1, 1000)});
  report("SpMV, empty matrix", compare(c, kExact));
}

TEST(Skip, ElementwiseProductWithLongRuns) {
  Case c(
      "tensor A[14, 1000]: f32 {compressed, compressed} = constant(1)\n"
      "tensor B[14, 1000]: f32 {compressed, compressed} = constant(1)\n"
      "C[i, j] = A[i, j] * B[i, j]\nschedule plain {}\nschedule skip { skip i, j }\n");
  ASSERT_TRUE(c.model) << c.diag.text();
  Fiber runs_a = every(1, 300), runs_b = every(1, 300, 290);
  for (const std::uint32_t x : every(1, 200, 700)) runs_a.push_back(x);
  for (const std::uint32_t x : every(1, 100, 890)) runs_b.push_back(x);
  const std::vector<Fiber> a{{},
                             every(1, 1000),
                             {},
                             {5},
                             {5},
                             {999},
                             every(1, 400),
                             every(1, 400, 500),
                             every(2, 500),
                             every(1, 1000),
                             runs_a,
                             every(3, 300),
                             {},
                             every(1, 1000)};
  const std::vector<Fiber> b{{},
                             {},
                             every(1, 1000),
                             {5},
                             {6},
                             every(1, 1000),
                             every(1, 400, 500),
                             every(1, 400),
                             every(2, 500, 1),
                             every(1, 1000),
                             runs_b,
                             {3, 6, 600},
                             every(1, 10),
                             {999}};
  c.set("A", a);
  c.set("B", b);
  report("A * B, every kind of fiber", compare(c, kAll));
  // Runs alone: where one has coordinates the other has not.
  c.set("A", std::vector<Fiber>(14, runs_a));
  c.set("B", std::vector<Fiber>(14, runs_b));
  const Cycles cycles = compare(c, kExact);
  report("A * B, long runs", cycles);
  EXPECT_LT(cycles.skip * 2, cycles.plain);
}

TEST(Skip, MatrixProductAndThreeFactors) {
  for (const char* statement :
       {"C[i, k] = A[i, j] * B[k, j]", "C[i, k] = sum(j: A[i, j] * B[k, j] * x[j])",
        "C[i, k] = sum(j: A[i, j] * x[j]) * B[k, i]", "C[i, k] = A[i, j] * A[i, j] * B[k, j]"}) {
    Case c(std::string(
               "tensor A[30, 30]: f32 csr = constant(1)\ntensor B[30, 30]: f32 csr = constant(1)\n"
               "tensor x[30]: f32 {compressed} = constant(1)\ntensor C[30, 30]: f32\n") +
           statement +
           "\nz[i] = x[i] * x[i]\noutput C, z\nschedule plain { order i, k, j }\n"
           "schedule skip { order i, k, j skip i, j, k }\n");
    ASSERT_TRUE(c.model) << c.diag.text();
    for (unsigned seed = 1; seed <= 8; ++seed) {
      std::mt19937 random(seed);
      const auto sparse = [&](std::size_t rows) {
        std::vector<Fiber> fibers(rows);
        for (Fiber& f : fibers) {
          const auto percent = random() % 2 == 0 ? 5 : random() % 100;
          for (std::uint32_t i = 0; i < 30; ++i)
            if (random() % 100 < percent) f.push_back(i);
        }
        return fibers;
      };
      c.set("A", sparse(30));
      c.set("B", sparse(30));
      c.set("x", sparse(1));
      compare(c, kExact);
      ASSERT_FALSE(HasFailure()) << statement << ", seed " << seed;
    }
  }
}

TEST(Skip, SaysWhereItHasNoEffect) {
  Case c(
      "tensor A[4, 5]: f32 csr = constant(1)\ntensor x[5]: f32 dense = constant(1)\n"
      "y[i] = A[i, j] * x[j]\nschedule skip { skip j }\n");
  std::map<TensorId, Tensor> out;
  const ScheduleReport report = c.run("skip", {Engine::kCycle}, out);
  EXPECT_EQ(report.state, ScheduleState::kOk);
  ASSERT_EQ(report.regions.size(), 1U);
  EXPECT_EQ(report.regions[0].remarks,
            std::vector<std::string>{
                "'skip j' has no effect: no two factors are scanned together there"});
}

}  // namespace
}  // namespace heddle
