// Results of four indices in every format: what dense levels lack is put in, what compressed ones
// do not need is left out. And what a mask is computed from in every format: which entries the mask
// has is the same under every schedule.
#include <fmt/format.h>

#include "tests/models/model_runs.h"

namespace heddle {
namespace {

std::string levels(unsigned mask) {
  std::string text;
  for (unsigned l = 0; l < 4; ++l)
    text += std::string(l == 0 ? "" : ", ") + ((mask >> l & 1) != 0 ? "compressed" : "dense");
  return text;
}

/// Y[i, k, l, j] of rows that may be empty, at every (k, l).
void check(const char* rows, const char* value, const char* density) {
  for (unsigned mask = 0; mask < 16; ++mask) {
    const std::string model = fmt::format(
        "tensor A[n, m]: f32 {} = random(density: {}, seed: 1)\n"
        "tensor U[p]: f32 dense = random(seed: 2)\ntensor V[q]: f32 dense = random(seed: 3)\n"
        "tensor Y[n, p, q, m]: f32 {{{}}}\nsize n = 5, m = 3, p = 2, q = 2\n"
        "Y[i, k, l, j] = {}\noutput Y\n",
        rows, density, levels(mask), value);
    for (const char* order : {"order i, k, l, j", "order k, i, l, j"})
      run(model, order, {}, {Engine::kFunctional, Engine::kCycle});
  }
}

TEST(Formats, OfEmptyRowsAtEveryPlace) {
  for (const char* rows : {"csr", "dcsr"})
    for (const char* density : {"0", "0.3", "1"}) check(rows, "A[i, j] * U[k] * V[l]", density);
}
TEST(Formats, OfRowsWithHoles) {
  for (const char* density : {"0", "0.3"})
    check("csr", "A[i, j] * U[k] * V[l] where A[i, j]", density);
}

constexpr const char* kFormats[]{"", "dense", "csr", "dcsr", "{compressed, dense}"};

/// D feeds M, and M is the mask of Y.
std::string masks_from(const std::string& d, const std::string& m, const std::string& value) {
  const auto declared = [](const std::string& tensor, const std::string& format) {
    return format.empty() ? "" : fmt::format("tensor {}[n, m]: f32 {}\n", tensor, format);
  };
  return "tensor A[n, m]: f32 dcsr = random(density: 0.3, seed: 3)\n"
         "tensor C[n, m]: f32 dcsr = random(density: 0.5, seed: 5)\nsize n = 6, m = 3\n" +
         declared("D", d) + declared("M", m) + "D[i, j] = A[i, j]\nM[i, j] = " + value +
         "\nZ[i, j] = M[i, j] + D[i, j]\nY[i, j] = C[i, j] where M[i, j]\noutput Y, Z\n";
}

TEST(Formats, OfWhatAMaskIsComputedFrom) {
  const std::vector<Engine> engines{Engine::kFunctional, Engine::kCycle};
  for (const std::string d : kFormats)
    for (const std::string m : kFormats)
      for (const char* value :
           {"D[i, j] * C[i, j]", "D[i, j] where C[i, j]", "D[i, j] - C[i, j]"}) {
        const std::string model = masks_from(d, m, value);
        // Zeros everywhere do not go into a result that is declared sparse.
        const bool densifies =
            d == "dense" && value == std::string("D[i, j] - C[i, j]") && !m.empty() && m != "dense";
        const bool partly = d == "{compressed, dense}";
        const auto expected = [](bool refused) {
          return refused ? ScheduleState::kBadInput : ScheduleState::kOk;
        };
        run(model, "", {}, engines);
        run(model, "fuse D, M", {}, engines, expected(partly || densifies));
        run(model, "fuse D, M, Z", {}, engines, expected(partly || densifies));
        run(model, "fuse D, M, Z keep D", {}, engines, expected(d.empty() || partly));
        run(model, "fuse M, Z keep M", {}, engines,
            expected(m.empty() || m == "{compressed, dense}"));
      }
}

// Every coordinate comes, but no value: nothing of it is an entry of the mask.
TEST(Formats, OfMasksWithoutValues) {
  for (const char* density : {"0", "0.3"})
    for (const char* schedule : {"", "block i by 2", "parallel i by 2", "order u, k, i",
                                 "parallel u by 3 block i, k by 2"})
      run(fmt::format("tensor e[k]: f32 {{compressed}} = random(density: {}, seed: 3)\n"
                      "tensor C[n, p]: f32 dense = random(seed: 6)\nsize n = 6, k = 5, p = 3\n"
                      "T[i, u] = e[k] * C[i, u]\nD[i, u] = C[i, u] where T[i, u]\noutput D\n",
                      density),
          schedule, {}, {Engine::kFunctional, Engine::kCycle});
}

}  // namespace
}  // namespace heddle
