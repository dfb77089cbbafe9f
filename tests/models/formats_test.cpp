// Results of four indices in every format: what dense levels lack is put in, what compressed ones
// do not need is left out.
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

}  // namespace
}  // namespace heddle
