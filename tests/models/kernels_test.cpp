// The kernels of sparse tensor algebra, each in many formats, orders and densities: C++ engines and
// SystemC on all of them, RTL on each kernel's main forms, empty and full data included; and one
// RTL build on different data.
#include <gtest/gtest.h>

#include <fstream>

#include "compiler/driver/pipeline.h"
#include "compiler/netlist/netlist.h"
#include "testbench/run_rtl.h"

namespace heddle {
namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::optional<Model> model_of(const std::string& text, Diagnostics& diag) {
  auto program = parse_model(diag.sources().add("kernel.ein", text), diag);
  if (!program) return std::nullopt;
  auto inputs = bind_data(*program, {}, diag);
  if (!inputs) return std::nullopt;
  return Model{std::move(*program), std::move(*inputs)};
}

/// Every schedule of the text agrees with the reference and between engines.
void check(const std::string& text, const std::vector<Engine>& engines) {
  Diagnostics diag;
  const auto model = model_of(text, diag);
  ASSERT_TRUE(model) << text << diag.text();
  const auto reference = evaluate(model->program, model->inputs);
  RunOptions options;
  options.engines = engines;
  for (const Schedule& schedule : model->program.schedules) {
    std::map<TensorId, Tensor> outputs;
    const ScheduleReport report =
        run_schedule(*model, schedule, options, &reference, outputs, diag);
    std::string differences = report.problem;
    for (const RegionReport& r : report.regions) differences += r.difference;
    for (const OutputReport& o : report.outputs) differences += o.difference;
    ASSERT_EQ(report.state, ScheduleState::kOk) << schedule.name << "\n"
                                                << text << differences << diag.text();
  }
}

const std::vector<Engine> kCpp{Engine::kFunctional, Engine::kCycle};
const std::vector<Engine> kAll{Engine::kFunctional, Engine::kCycle, Engine::kSystemc, Engine::kRtl};
const std::vector<std::string> kMatrixFormats{"dense",
                                              "csr",
                                              "csc",
                                              "dcsr",
                                              "coo",
                                              "{compressed, dense}",
                                              "{compressed, compressed} order (1, 0)"};

/// The kernel with F, G, R as formats of first and second operand and result, P as density.
struct Kernel {
  std::string text;
  std::vector<std::string> first, second, result;
};

void sweep(const Kernel& kernel) {
  for (const std::string& f : kernel.first)
    for (const std::string& g : kernel.second)
      for (const std::string& r : kernel.result)
        for (const char* density : {"0", "0.1", "0.5", "1"}) {
          const std::string text =
              replaced(replaced(replaced(replaced(kernel.text, "<F>", f), "<G>", g), "<R>", r),
                       "<P>", density);
          check(text, kCpp);
          if (testing::Test::HasFatalFailure()) return;
        }
  // The main form in hardware too.
  for (const char* density : {"0.4", "0"}) {
    check(replaced(replaced(replaced(replaced(kernel.text, "<F>", kernel.first[0]), "<G>",
                                     kernel.second[0]),
                            "<R>", kernel.result[0]),
                   "<P>", density),
          kAll);
    if (testing::Test::HasFatalFailure()) return;
  }
}

const std::string kSizes = "size a = 7, b = 9, c = 5, r = 3\n";
const std::string kA = "tensor A[a, b]: f32 <F> = random(density: <P>, seed: 1)\n";

TEST(Kernels, MatrixTimesVector) {
  sweep({kSizes + kA +
             "tensor x[b]: f32 <G> = random(density: 0.6, seed: 2)\ntensor y[a]: f32 <R>\n"
             "y[i] = A[i, j] * x[j]\nschedule row { order i, j }\nschedule column { order j, i }\n",
         {"csr", "csc", "dcsr", "dense", "coo"},
         {"dense", "{compressed}"},
         {"dense", "{compressed}"}});
}

TEST(Kernels, MatrixProductInSixOrders) {
  sweep({kSizes + kA +
             "tensor B[b, c]: f32 <G> = random(density: 0.4, seed: 2)\ntensor Y[a, c]: f32 <R>\n"
             "Y[i, k] = A[i, j] * B[j, k]\n"
             "schedule ijk { order i, j, k }\nschedule ikj { order i, k, j }\nschedule jik { order "
             "j, i, k }\n"
             "schedule jki { order j, k, i }\nschedule kij { order k, i, j }\nschedule kji { order "
             "k, j, i }\n",
         {"csr", "csc", "dcsr", "dense"},
         {"csr", "csc", "dcsr", "dense"},
         {"dcsr", "csr", "dense", "csc"}});
}

TEST(Kernels, SampledDenseProduct) {
  sweep({kSizes + kA +
             "tensor C[a, r]: f32 dense = random(seed: 2)\ntensor D[b, r]: f32 <G> = random(seed: "
             "3)\n"
             "tensor Y[a, b]: f32 <R>\nY[i, j] = A[i, j] * C[i, k] * D[j, k]\n",
         {"dcsr", "csr", "csc"},
         {"dense", "csr"},
         {"dcsr", "csr", "dense"}});
}

TEST(Kernels, SumsAndProductsByElement) {
  const std::string head =
      kSizes + kA +
      "tensor B[a, b]: f32 <G> = random(density: 0.3, seed: 2)\ntensor Y[a, b]: f32 <R>\n";
  for (const char* value :
       {"A[i, j] + B[i, j]", "A[i, j] - B[i, j]", "A[i, j] * B[i, j]",
        "A[i, j] + B[i, j] + 2 * A[i, j]", "(A[i, j] + B[i, j]) * (A[i, j] + B[i, j] + B[i, j])",
        "max(A[i, j], B[i, j])"}) {
    sweep({head + "Y[i, j] = " + value + "\n",
           kMatrixFormats,
           {"dcsr", "csr", "csc", "dense"},
           {"dcsr", "dense"}});
    if (HasFatalFailure()) return;
  }
}

TEST(Kernels, QuotientByElement) {
  sweep({kSizes + kA +
             "tensor B[a, b]: f32 <G> = random(seed: 2)\ntensor Y[a, b]: f32 <R>\nY[i, j] = A[i, "
             "j] / B[i, j]\n",
         {"dcsr", "csr", "csc"},
         {"dense", "csr", "dcsr"},
         {"dcsr", "csr"}});
}

TEST(Kernels, Residual) {
  sweep({kSizes + kA +
             "tensor x[b]: f32 <G> = random(density: 0.7, seed: 2)\ntensor p[a]: f32 <G> = "
             "random(density: 0.5, seed: 3)\n"
             "tensor y[a]: f32 <R>\ny[i] = p[i] - A[i, j] * x[j]\n",
         {"csr", "csc", "dcsr", "dense"},
         {"{compressed}", "dense"},
         {"{compressed}", "dense"}});
}

TEST(Kernels, ScaledTransposedProduct) {
  sweep({kSizes + kA +
             "tensor d[a]: f32 <G> = random(density: 0.7, seed: 2)\ntensor f[b]: f32 <G> = "
             "random(density: 0.5, seed: 3)\n"
             "tensor alpha[]: f32 dense = constant(2)\ntensor beta[]: f32 dense = "
             "constant(0.5)\ntensor y[b]: f32 <R>\n"
             "y[i] = alpha[] * A[j, i] * d[j] + beta[] * f[i]\n",
         {"csc", "csr", "dcsr"},
         {"{compressed}", "dense"},
         {"{compressed}", "dense"}});
}

TEST(Kernels, TensorTimesVector) {
  sweep({kSizes + "tensor T[a, c, r]: f32 <F> = random(density: <P>, seed: 1)\ntensor x[r]: f32 "
                  "<G> = random(density: 0.6, seed: 2)\n"
                  "tensor Y[a, c]: f32 <R>\nY[i, j] = T[i, j, k] * x[k]\n",
         {"{compressed, compressed, compressed}", "{dense, compressed, compressed} order (2, 0, 1)",
          "coo"},
         {"{compressed}", "dense"},
         {"dcsr", "csr"}});
}

TEST(Kernels, TensorTimesMatrix) {
  sweep({kSizes + "tensor T[a, c, r]: f32 <F> = random(density: <P>, seed: 1)\ntensor M[b, r]: f32 "
                  "<G> = random(density: 0.6, seed: 2)\n"
                  "tensor Y[a, c, b]: f32 <R>\nY[i, j, k] = T[i, j, l] * M[k, l]\n",
         {"{compressed, compressed, compressed}", "coo"},
         {"dcsr", "dense"},
         {"{compressed, compressed, compressed}", "{compressed, compressed, dense}",
          "{dense, compressed, dense}"}});
}

TEST(Kernels, MatricizedTensorTimesKhatriRao) {
  sweep({kSizes + "tensor T[a, b, c]: f32 <F> = random(density: <P>, seed: 1)\ntensor V[b, r]: f32 "
                  "<G> = random(seed: 2)\n"
                  "tensor W[c, r]: f32 dense = random(seed: 3)\ntensor Y[a, r]: f32 <R>\nY[i, s] = "
                  "T[i, j, k] * V[j, s] * W[k, s]\n",
         {"{compressed, compressed, compressed}", "{dense, compressed, compressed}"},
         {"dense", "dcsr"},
         {"dense", "dcsr"}});
}

TEST(Kernels, InnerProductTraceAndDiagonal) {
  sweep({kSizes + kA +
             "tensor B[a, b]: f32 <G> = random(density: 0.5, seed: 2)\ns[] = A[i, j] * B[i, j]\n",
         {"dcsr", "csr", "csc", "dense"},
         {"dcsr", "csr", "dense"},
         {""}});
  if (HasFatalFailure()) return;
  sweep({kSizes + "tensor A[a, a]: f32 <F> = random(density: <P>, seed: 1)\ns[] = A[i, i]\n",
         kMatrixFormats,
         {""},
         {""}});
  if (HasFatalFailure()) return;
  sweep({kSizes + "tensor A[a, a]: f32 <F> = random(density: <P>, seed: 1)\ntensor d[a]: f32 "
                  "<R>\nd[i] = A[i, i]\n",
         kMatrixFormats,
         {""},
         {"{compressed}", "dense"}});
  if (HasFatalFailure()) return;
  sweep({kSizes + "tensor d[a]: f32 <F> = random(density: <P>, seed: 1)\ntensor D[a, a]: f32 "
                  "<R>\nD[i, i] = d[i]\n",
         {"{compressed}", "dense"},
         {""},
         {"dcsr", "csr", "dense"}});
}

TEST(Kernels, MatrixPlusItsTranspose) {
  sweep({kSizes + "tensor B[a, a]: f32 <F> = random(density: <P>, seed: 1)\ntensor Y[a, a]: f32 "
                  "<R>\nY[i, j] = B[i, j] + B[j, i]\n",
         {"csr", "csc", "dcsr", "dense"},
         {""},
         {"csr", "dcsr", "dense"}});
}

TEST(Kernels, OuterContractionWithSparseResult) {
  sweep({kSizes + "tensor X[a, b, c]: f32 <F> = random(density: <P>, seed: 1)\ntensor Z[a, r]: f32 "
                  "<G> = random(density: 0.6, seed: 2)\n"
                  "tensor Y[b, c, r]: f32 <R>\nY[j, k, l] = X[i, j, k] * Z[i, l]\nschedule outer { "
                  "order i, j, k, l }\nschedule inner { order j, k, l, i }\n",
         {"{compressed, compressed, compressed}"},
         {"dcsr", "dense"},
         {"{compressed, compressed, compressed}", "{dense, compressed, compressed}",
          "{compressed, dense, compressed}", "dense"}});
}

TEST(Kernels, MaskedProduct) {
  sweep({kSizes + kA +
             "tensor C[a, c]: f32 dense = random(seed: 2)\ntensor D[c, b]: f32 <G> = "
             "random(density: 0.5, seed: 3)\n"
             "tensor Y[a, b]: f32 <R>\nY[i, j] = C[i, k] * D[k, j] where A[i, j]\n",
         {"dcsr", "csr", "csc"},
         {"dense", "csr"},
         {"dcsr", "csr", "dense"}});
}

TEST(Kernels, RowSoftmaxInParts) {
  sweep({kSizes + kA +
             "M[i] = max(j: A[i, j]) where A[i, j]\nE[i, j] = exp(A[i, j] - M[i]) where A[i, j]\n"
             "S[i] = sum(j: E[i, j])\nY[i, j] = E[i, j] / S[i]\noutput Y\n",
         {"dcsr", "csr", "csc"},
         {""},
         {""}});
}

TEST(Kernels, ReductionsOverMissingEntries) {
  sweep({kSizes + kA + "tensor y[a]: f32 <R>\ny[i] = max(j: A[i, j])\n",
         {"dcsr", "csr", "csc", "dense"},
         {""},
         {"dense", "{compressed}"}});
  if (HasFatalFailure()) return;
  sweep({kSizes + kA + "tensor y[b]: f32 <R>\ny[j] = min(i: A[i, j])\n",
         {"dcsr", "csr", "csc", "dense"},
         {""},
         {"dense", "{compressed}"}});
}

TEST(Kernels, IntegersWrap) {
  sweep({kSizes + "tensor A[a, b]: i32 <F> = random(density: <P>, seed: 1)\ntensor B[b, c]: i32 "
                  "<G> = random(density: 0.5, seed: 2)\n"
                  "tensor Y[a, c]: i32 <R>\nY[i, k] = A[i, j] * B[j, k] * 1000000007\n",
         {"csr", "dcsr"},
         {"csr", "dense"},
         {"dcsr", "dense"}});
}

TEST(Kernels, EmptyAndOneByOne) {
  for (const char* sizes : {"size a = 0, b = 9, c = 5\n", "size a = 7, b = 0, c = 5\n",
                            "size a = 7, b = 9, c = 0\n", "size a = 1, b = 1, c = 1\n"})
    for (const char* f : {"csr", "dcsr", "dense", "csc"})
      for (const char* r : {"csr", "dcsr", "dense"}) {
        check(std::string(sizes) + "tensor A[a, b]: f32 " + f +
                  " = random(density: 0.5, seed: 1)\ntensor B[b, c]: f32 csr = random(density: "
                  "0.5, seed: 2)\n"
                  "tensor Y[a, c]: f32 " +
                  r + "\nY[i, k] = A[i, j] * B[j, k]\n",
              std::string(f) == "csr" && std::string(r) == "csr" ? kAll : kCpp);
        if (HasFatalFailure()) return;
      }
}

// No tensor size is in the RTL: one build, several runs without a reset in between.
TEST(Kernels, OneBuildRunsDifferentData) {
  const std::string text =
      "tensor A[a, b]: f32 csr = random(density: <P>, seed: 1)\ntensor B[b, c]: f32 csr = "
      "random(density: 0.4, seed: 2)\n"
      "tensor Y[a, c]: f32 csr\nsize a = <A>, b = <B>, c = <C>\nY[i, k] = A[i, j] * B[j, "
      "k]\nschedule row { order i, j, k depth 8 }\n";
  std::vector<RunInput> inputs;
  std::vector<RunResult> expected;
  SamGraph graph;
  const std::vector<std::array<const char*, 4>> data{{"12", "10", "13", "0.5"},
                                                     {"3", "9", "16", "0.2"},
                                                     {"1", "1", "9", "1"},
                                                     {"16", "16", "9", "0"},
                                                     {"12", "10", "13", "0.5"}};
  for (const auto& [a, b, c, p] : data) {
    Diagnostics diag;
    const auto model = model_of(
        replaced(replaced(replaced(replaced(text, "<A>", a), "<B>", b), "<C>", c), "<P>", p), diag);
    ASSERT_TRUE(model) << diag.text();
    std::map<TensorId, Tensor> tensors;
    std::string problem;
    const auto visit = [&](CompiledRegion& region, const RunResult&) {
      EXPECT_TRUE(inputs.empty() || to_text(region.graph) == to_text(graph))
          << to_text(region.graph);
      graph = region.graph;
      inputs.push_back(region.input);
      expected.push_back(run_cycle(region.graph, region.input));
      return true;
    };
    ASSERT_TRUE(
        compile_schedule(*model, model->program.schedules[0], {}, visit, tensors, diag, problem))
        << problem;
  }
  const Netlist netlist = make_netlist(graph, inputs[0], module_name("one_build"), "One build");
  std::string problem;
  const auto rtl = build_rtl(netlist, {}, problem);
  ASSERT_TRUE(rtl) << problem;
  const auto results = run_rtl(*rtl, netlist, inputs, {});
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i].outcome, Outcome::kFinished) << results[i].problem;
    EXPECT_EQ(results[i].cycles, expected[i].cycles) << "data " << i;
    EXPECT_EQ(results[i].counters, expected[i].counters) << "data " << i;
    for (const NodeId id : graph.nodes())
      for (std::size_t m = 0; m < graph.node(id).memories.size(); ++m) {
        if (graph.node(id).memories[m].kind != MemorySource::Kind::kOutput) continue;
        EXPECT_EQ(results[i].memories[index(id)][m], expected[i].memories[index(id)][m])
            << "data " << i;
      }
  }
}

}  // namespace
}  // namespace heddle
