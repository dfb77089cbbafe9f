// Mutated models: the front end must report errors or accept them, and never crash or hang.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/frontend/parse.h"

namespace heddle {
namespace {

constexpr std::string_view kModel = R"(# Everything the grammar has.
tensor A[n, n]: f32 csr = random(density: 0.5, seed: 3)
tensor X[n, 4]: f32 {dense, compressed} order (1, 0) = constant(-1.5)
tensor c[]: i32 = constant(3)
tensor B[n, n]: dcsr = random(density: 0.1)
tensor b[d]
size n = 6, d = 4
T[i, f] = A[i, k] * X[k, f] + b[f] / (1e-5 + abs(X[i, f]))
P[i, j] = softmax(j: A[i, j] * 2 - B[j, i]) where B[i, j]
N[i, f] = layernorm(f: T[i, f], 1e-5) * rmsnorm(f: X[i, f], 0.1)
m[] = max(i, f: mean(f: N[i, f])) + sum(i: A[i, i])
e[] = select(lt(c[], 2), -c[], max(c[], 7))
output P, m, e
schedule s { fuse T, N  order i, f  keep T  fuse P  parallel i by 4 }
schedule t { depth auto  depth T 64  block i, f by 2  recompute N }
)";

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t bound) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>(state_ >> 33) % bound;
  }

 private:
  std::uint64_t state_;
};

void check(const std::string& text) {
  Diagnostics diag;
  auto program = parse_model(diag.sources().add("m.ein", text), diag);
  EXPECT_NE(program.has_value(), diag.has_errors()) << text;
  if (!program) return;
  const std::string printed = to_text(*program);
  Diagnostics again;
  auto reparsed = parse_model(again.sources().add("printed", printed), again);
  ASSERT_TRUE(reparsed.has_value()) << text << "\n" << printed << "\n" << again.text();
  EXPECT_EQ(to_text(*reparsed), printed) << text;
  DataOptions options;
  auto data = bind_data(*program, options, diag);
  EXPECT_NE(data.has_value(), diag.has_errors()) << text;
  EXPECT_FALSE(diag.text().empty() && !data);
}

// Words, numbers and single symbols; blanks and line ends are tokens of their own.
std::vector<std::string> tokens(std::string_view text) {
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
  };
  std::vector<std::string> out;
  for (std::size_t n = 0; n < text.size();) {
    std::size_t end = n + 1;
    while (is_word(text[n]) && end < text.size() && is_word(text[end])) ++end;
    out.emplace_back(text.substr(n, end - n));
    n = end;
  }
  return out;
}

TEST(Mutation, OfTokensIsHandled) {
  const std::vector<std::string> original = tokens(kModel);
  Random random(1);
  for (int round = 0; round < 4000; ++round) {
    std::vector<std::string> mutated = original;
    for (std::size_t changes = 1 + random.below(3); changes > 0; --changes) {
      const std::size_t at = random.below(mutated.size());
      const std::string& other = original[random.below(original.size())];
      switch (random.below(4)) {
        case 0:
          mutated.erase(mutated.begin() + static_cast<std::ptrdiff_t>(at));
          break;
        case 1:
          mutated.insert(mutated.begin() + static_cast<std::ptrdiff_t>(at), other);
          break;
        case 2:
          mutated[at] = other;
          break;
        default:
          std::swap(mutated[at], mutated[random.below(mutated.size())]);
      }
    }
    std::string text;
    for (const std::string& token : mutated) text += token;
    check(text);
    if (HasFailure()) return;
  }
}

TEST(Mutation, OfBytesIsHandled) {
  Random random(2);
  for (int round = 0; round < 1500; ++round) {
    std::string text(kModel);
    for (std::size_t changes = 1 + random.below(8); changes > 0; --changes) {
      text[random.below(text.size())] = static_cast<char>(random.below(256));
    }
    if (random.below(4) == 0) text.resize(random.below(text.size()));
    check(text);
    if (HasFailure()) return;
  }
}

TEST(Mutation, OfNothingButGarbageIsHandled) {
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    std::string text(random.below(2000), ' ');
    for (char& c : text) c = static_cast<char>(random.below(256));
    check(text);
  }
}

}  // namespace
}  // namespace heddle
