#include "compiler/support/diagnostics.h"

#include <gtest/gtest.h>

#include "compiler/support/diagnostic_ids.h"

namespace heddle {
namespace {

constexpr const char* kModel =
    "tensor A(64, 64): csr\n"
    "\n"
    "T(i, j) = A(i, k, l) * X(k, j)\n";

SourceRange range_of(const Diagnostics& diag, std::uint32_t file, std::string_view part) {
  const auto begin = static_cast<std::uint32_t>(diag.sources().text(file).find(part));
  return {file, begin, begin + static_cast<std::uint32_t>(part.size())};
}

TEST(Diagnostics, ShowsTheLineTheCaretAndTheNote) {
  Diagnostics diag;
  const auto file = diag.sources().add("gcn.ein", kModel);
  diag.error("access-rank", range_of(diag, file, "A(i, k, l)"),
             "'A' is accessed with 3 indices but has 2 modes");
  diag.note(range_of(diag, file, "A(64, 64)"), "declared here");
  EXPECT_EQ(diag.text(),
            "gcn.ein:3:11: error: 'A' is accessed with 3 indices but has 2 modes [access-rank]\n"
            "  T(i, j) = A(i, k, l) * X(k, j)\n"
            "            ^~~~~~~~~~\n"
            "gcn.ein:1:8: note: declared here\n"
            "  tensor A(64, 64): csr\n"
            "         ^~~~~~~~~\n");
  EXPECT_TRUE(diag.has_errors());
}

TEST(Diagnostics, WarningsAndNotesAreNoErrors) {
  Diagnostics diag;
  diag.warning("access-rank", SourceRange{}, "looks odd");
  diag.note("read twice");
  EXPECT_FALSE(diag.has_errors());
  EXPECT_EQ(diag.text(), "warning: looks odd [access-rank]\nnote: read twice\n");
}

TEST(Diagnostics, APlaceMayLackColumnOrLine) {
  Diagnostics diag;
  diag.error("data-open", Place{.file = "a.mtx", .text = {}}, "no such file");
  diag.error("data-line", Place{.file = "a.mtx", .line = 4, .text = {}}, "too short");
  EXPECT_EQ(diag.text(),
            "a.mtx: error: no such file [data-open]\na.mtx:4: error: too short [data-line]\n");
}

TEST(Diagnostics, ARangeOverLinesIsCutAtTheFirst) {
  Diagnostics diag;
  const auto file = diag.sources().add("m.ein", "ab cd\r\nef\r\n");
  const Place place = diag.sources().place({file, 3, 9});
  EXPECT_EQ(place.line, 1);
  EXPECT_EQ(place.column, 4);
  EXPECT_EQ(place.length, 2);
  EXPECT_EQ(place.text, "ab cd");
}

TEST(Diagnostics, TheEndOfTheFileIsShownBehindItsLastText) {
  Diagnostics diag;
  const auto file = diag.sources().add("m.ein", "ab\ncd =\n\n");
  diag.error("access-rank", SourceRange{file, 9, 9}, "expected an expression");
  EXPECT_EQ(diag.text(),
            "m.ein:2:5: error: expected an expression [access-rank]\n  cd =\n      ^\n");
}

TEST(Diagnostics, AnEmptyFileHasAPlace) {
  Diagnostics diag;
  const auto file = diag.sources().add("m.ein", "");
  diag.error("access-rank", SourceRange{file, 0, 0}, "nothing here");
  EXPECT_EQ(diag.text(), "m.ein:1:1: error: nothing here [access-rank]\n");
}

TEST(Diagnostics, EveryRangeOfATextHasAPlace) {
  Sources sources;
  const std::string text = "\r\n\ta\xc3\xa9\n\n\xff z \n";
  const auto file = sources.add("m.ein", text);
  const auto size = static_cast<std::uint32_t>(text.size());
  for (std::uint32_t begin = 0; begin <= size; ++begin) {
    for (std::uint32_t end = begin; end <= size; ++end) {
      const Place place = sources.place({file, begin, end});
      EXPECT_GE(place.line, 1);
      EXPECT_GE(place.column, 1);
      EXPECT_GE(place.length, 1);
    }
  }
}

TEST(Diagnostics, CaretsCountCharactersAndTabsAreOneSpace) {
  Diagnostics diag;
  const auto file = diag.sources().add("m.ein", "\t\xc3\xa9 = x\x01\xff");
  diag.error("access-rank", range_of(diag, file, "x"), "unknown \x1b[31m\xc3\xa9");
  EXPECT_EQ(diag.text(),
            "m.ein:1:7: error: unknown ?[31m\xc3\xa9 [access-rank]\n   \xc3\xa9 = x??\n       ^\n");
}

TEST(Diagnostics, LongLinesAreCutAroundTheCaret) {
  Diagnostics diag;
  const std::string text = std::string(1000, 'a') + "X" + std::string(1000, 'b');
  const auto file = diag.sources().add("m.ein", text);
  diag.error("access-rank", range_of(diag, file, "X"), "found");
  EXPECT_EQ(diag.text(), "m.ein:1:1001: error: found [access-rank]\n  ..." + std::string(80, 'a') +
                             "X" + std::string(79, 'b') + "...\n  " + std::string(83, ' ') + "^\n");
}

TEST(DiagnosticsDeathTest, AnUnlistedIdIsABug) {
  Diagnostics diag;
  EXPECT_DEATH(diag.error("no-such-id", SourceRange{}, "x"), "not listed");
}

TEST(Diagnostics, IdsAreKebabCaseAndExplained) {
  for (const DiagnosticId& id : kDiagnosticIds) {
    EXPECT_EQ(id.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"),
              std::string_view::npos)
        << id.id;
    EXPECT_FALSE(id.explanation.empty()) << id.id;
  }
  EXPECT_TRUE(is_diagnostic_id("data-open"));
  EXPECT_FALSE(is_diagnostic_id("data"));
}

}  // namespace
}  // namespace heddle
