// Runs the tests of this folder. Those of the rows are linked in for their stimuli only.
#include <gtest/gtest.h>

#include <string>

namespace {

/// The filter, and none of the suites of other folders.
std::string without_other_folders(std::string filter) {
  const std::string here = std::string(__FILE__).substr(0, std::string(__FILE__).rfind('/') + 1);
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    if (std::string(suite.GetTestInfo(0)->file()).starts_with(here)) continue;
    filter += filter.find('-') == std::string::npos ? "-" : ":";
    filter += std::string(suite.name()) + ".*";
  }
  return filter;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::GTEST_FLAG(filter) = without_other_folders(testing::GTEST_FLAG(filter));
  return RUN_ALL_TESTS();
}
