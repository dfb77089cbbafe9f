#include "compiler/primitives/token.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

Stream stream(const char* text) { return parse_stream(text).value(); }

TEST(Token, PrintsAsItParses) {
  for (const char* text : {"1 3 S0 N S0 S1 D", "S2 D", "4294967295 D", "N D", "D"})
    EXPECT_EQ(to_text(stream(text)), text);
}

TEST(Token, ParsesNegativeValuesAsTwosComplement) {
  EXPECT_EQ(stream("-1 D"), (Stream{val(0xffffffffu), done()}));
  EXPECT_EQ(stream("-2147483648 D")[0], val(0x80000000u));
}

TEST(Token, RefusesTextThatIsNoStream) {
  for (const char* text : {"1 x D", "S D", "1.5 D", "S-1 D", "1,2 D", "4294967296 D"})
    EXPECT_FALSE(parse_stream(text).has_value()) << text;
}

TEST(Token, KnowsItsKind) {
  EXPECT_TRUE(val(3).is_element());
  EXPECT_TRUE(empty().is_element());
  EXPECT_TRUE(stop(1).is_control());
  EXPECT_TRUE(done().is_control());
  EXPECT_TRUE(stop(1).is_stop(1));
  EXPECT_FALSE(stop(1).is_stop(0));
  EXPECT_FALSE(val(1).is_stop(1));
}

TEST(Token, MovesStopsByLevels) {
  EXPECT_EQ(outward(stop(0)), stop(1));
  EXPECT_EQ(outward(stop(1), 3), stop(4));
  EXPECT_EQ(inward(stop(1)), stop(0));
  EXPECT_EQ(inward(stop(4), 2), stop(2));
  EXPECT_EQ(outward(done()), done());
  EXPECT_EQ(inward(done()), done());
}

TEST(WellFormed, AcceptsFlattenedLevels) {
  EXPECT_TRUE(well_formed(stream("7 D"), 0));
  EXPECT_TRUE(well_formed(stream("N D"), 0));
  EXPECT_TRUE(well_formed(stream("S0 D"), 1));
  EXPECT_TRUE(well_formed(stream("S1 D"), 2));
  EXPECT_TRUE(well_formed(stream("1 S0 S0 2 S0 S1 D"), 2));
  EXPECT_TRUE(well_formed(stream("1 S0 S1 S1 S0 S1 S2 D"), 3));
}

TEST(WellFormed, RefusesEverythingElse) {
  EXPECT_FALSE(well_formed(stream("D"), 0));
  EXPECT_FALSE(well_formed(stream("1 2 D"), 0));
  EXPECT_FALSE(well_formed(stream("1 D"), 1));
  EXPECT_FALSE(well_formed(stream("1 S1 D"), 2));
  EXPECT_FALSE(well_formed(stream("1 S0 D"), 2));
  EXPECT_FALSE(well_formed(stream("1 S0 S1"), 2));
  EXPECT_FALSE(well_formed(stream("1 S0 D D"), 1));
  EXPECT_FALSE(well_formed(stream("1 S0 2 S0 D"), 1));
  EXPECT_FALSE(well_formed({}, 1));
}

TEST(MergeStops, GivesTheFormOfPublishedTraces) {
  EXPECT_EQ(to_text(merge_stops(stream("1 2 S0 3 S0 S1 D"))), "1 2 S0 3 S1 D");
  EXPECT_EQ(to_text(merge_stops(stream("1 S0 S0 2 S0 S1 D"))), "1 S0 S0 2 S1 D");
  EXPECT_EQ(to_text(merge_stops(stream("S0 S1 D"))), "S1 D");
  EXPECT_EQ(to_text(merge_stops(stream("S1 D"))), "S1 D");
  EXPECT_EQ(to_text(merge_stops(stream("1 S0 S1 S2 D"))), "1 S2 D");
}

}  // namespace
}  // namespace heddle
