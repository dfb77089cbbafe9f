#include "compiler/frontend/suggest.h"

#include <gtest/gtest.h>

namespace heddle::frontend {
namespace {

TEST(Suggest, ListsAFewNames) {
  EXPECT_EQ(suggestion("M", {"A", "x"}), "; known are A, x");
  EXPECT_EQ(suggestion("M", {}), "");
}

TEST(Suggest, NamesTheClosestOfMany) {
  std::vector<std::string> names;
  for (int n = 0; n < 30; ++n) names.push_back("weight" + std::to_string(n));
  names.emplace_back("bias");
  EXPECT_EQ(suggestion("bais", names), "; did you mean 'bias'?");
  EXPECT_EQ(suggestion("elephant", names), "");
}

}  // namespace
}  // namespace heddle::frontend
