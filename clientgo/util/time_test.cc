// SPDX-License-Identifier: Apache-2.0
#include "capstan/time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only
using std::chrono::system_clock;
using ::testing::Eq;
using ::testing::Optional;

MicroTime At(std::chrono::microseconds since_epoch) { return MicroTime(since_epoch); }

TEST(TimeTest, FormatsLikeKubernetes) {
  EXPECT_EQ(FormatTime(Time(1767323045s)), "2026-01-02T03:04:05Z");
  EXPECT_EQ(FormatTime(At(1767323045s + 6us)), "2026-01-02T03:04:05.000006Z");
}

TEST(TimeTest, FormatsMicrosecondsBeforeEpoch) {
  EXPECT_EQ(FormatTime(At(-1us)), "1969-12-31T23:59:59.999999Z");
}

TEST(TimeTest, ParsesFractionsAndOffsets) {
  EXPECT_THAT(ParseTime("2026-01-02T03:04:05Z"), Optional(At(1767323045s)));
  EXPECT_THAT(ParseTime("2026-01-02T03:04:05.000006Z"), Optional(At(1767323045s + 6us)));
  EXPECT_THAT(ParseTime("2026-01-02T05:04:05+02:00"), Optional(At(1767323045s)));
  EXPECT_THAT(ParseTime("2026-01-01T22:34:05-04:30"), Optional(At(1767323045s)));
}

TEST(TimeTest, ParsesWhatGoParses) {
  const auto expected = ParseTime("2026-01-02T03:04:05.5Z");
  ASSERT_TRUE(expected);
  EXPECT_EQ(ParseTime("2026-01-02T3:04:05.5Z"), expected);
  EXPECT_EQ(ParseTime("2026-01-02T03:04:05,5Z"), expected);
  EXPECT_EQ(ParseTime("2026-01-03T03:04:05.5+24:00"), expected);
  EXPECT_EQ(ParseTime("2026-01-02T04:04:05.5+00:60"), expected);
  for (const char* text :
       {"2026-01-02t03:04:05Z", "2026-01-02T03:04:60Z", "2026-01-02T03:04:05+25:00",
        "2026-01-02T03:04:05+00:61", "2026-01-02T003:04:05Z"}) {
    EXPECT_EQ(ParseTime(text), std::nullopt) << text;
  }
}

TEST(TimeTest, KnowsGosZeroTime) {
  for (const char* text : {"0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z",
                           "0001-01-01T01:00:00+01:00", "0001-01-01T0:00:00Z"}) {
    EXPECT_TRUE(IsZeroTime(text)) << text;
  }
  for (const char* text : {"0001-01-01T00:00:00", "0001-01-01T00:00:00.5Z", "0001-01-01T00:00:01Z",
                           "0001-01-01T00:00:00+01:00", "2026-01-02T03:04:05Z", ""}) {
    EXPECT_FALSE(IsZeroTime(text)) << text;
  }
}

TEST(TimeTest, ParsesTimeNearestToWhatClockCanRepresent) {
  EXPECT_EQ(ParseNearestTime("9999-12-31T23:59:59Z"), std::chrono::system_clock::time_point::max());
  EXPECT_EQ(ParseNearestTime("0001-01-01T00:00:00Z"), std::chrono::system_clock::time_point::min());
  EXPECT_EQ(ParseNearestTime("2026-01-02T03:04:05Z"), ParseTime("2026-01-02T03:04:05Z"));
  EXPECT_EQ(ParseNearestTime("never"), std::nullopt);
}

TEST(TimeTest, RejectsInvalidTime) {
  for (const char* text : {"", "now", "2026-01-02", "2026-13-02T03:04:05Z", "2026-02-30T03:04:05Z",
                           "2026-01-02T25:04:05Z", "2026-01-02T03:04:05", "2026-01-02T03:04:05.Z",
                           "2026-01-02T03:04:05+2:00", "2026-01-02T03:04:05Zx"}) {
    EXPECT_EQ(ParseTime(text), std::nullopt) << text;
  }
}

TEST(TimeTest, ParsesEveryYearOfRfc3339) {
  for (const char* text : {"0000-01-01T00:00:00Z", "1677-09-21T00:12:43Z", "2400-02-29T00:00:00Z",
                           "9999-12-31T23:59:59Z"}) {
    ASSERT_TRUE(ParseTime(text).has_value()) << text;
    EXPECT_EQ(FormatTime(std::chrono::floor<std::chrono::seconds>(*ParseTime(text))), text);
  }
  // An offset moves them to another year.
  for (const char* text : {"0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01"}) {
    EXPECT_EQ(ParseTime(text), std::nullopt) << text;
  }
}

TEST(TimeTest, FormatsATimeOutsideOfRfc3339AsItsFirstOrLastSecond) {
  using std::chrono::hours;
  constexpr int kHoursOfYear = 8766;
  EXPECT_EQ(FormatTime(Time(hours(38000 * kHoursOfYear))), "9999-12-31T23:59:59Z");
  EXPECT_EQ(FormatTime(Time(hours(-38000 * kHoursOfYear))), "0000-01-01T00:00:00Z");
}

TEST(TimeTest, DropsTheFractionOfTheClock) {
  const system_clock::time_point now(1500ms);
  EXPECT_EQ(FormatTime(ToTime(now)), "1970-01-01T00:00:01Z");
  EXPECT_EQ(FormatTime(ToMicroTime(now)), "1970-01-01T00:00:01.500000Z");
}

struct DurationCase {
  std::chrono::nanoseconds value;
  const char* text;
};

TEST(DurationTest, FormatsAndParsesLikeGo) {
  for (const auto& [value, text] :
       {DurationCase{0ns, "0s"}, DurationCase{1ns, "1ns"}, DurationCase{1500ns, "1.5\u00b5s"},
        DurationCase{100ms, "100ms"}, DurationCase{1s, "1s"}, DurationCase{90s, "1m30s"},
        DurationCase{60s, "1m0s"}, DurationCase{1h, "1h0m0s"}, DurationCase{-2s, "-2s"},
        DurationCase{2500ms, "2.5s"},
        // More digits than a double has, and both ends.
        DurationCase{5000h + 1ns, "5000h0m0.000000001s"},
        DurationCase{std::chrono::nanoseconds::max(), "2562047h47m16.854775807s"},
        DurationCase{std::chrono::nanoseconds::min(), "-2562047h47m16.854775808s"}}) {
    EXPECT_EQ(FormatDuration(value), text);
    EXPECT_THAT(ParseDuration(text), Optional(Eq(value))) << text;
  }
}

TEST(DurationTest, ParsesTermsInAnyOrderAndFractions) {
  EXPECT_THAT(ParseDuration("1.5h"), Optional(Eq(90min)));
  EXPECT_THAT(ParseDuration("30s1m"), Optional(Eq(90s)));
  EXPECT_THAT(ParseDuration("+5us"), Optional(Eq(5us)));
  EXPECT_THAT(ParseDuration("0"), Optional(Eq(0ns)));
  EXPECT_THAT(ParseDuration("1us1\u00b5s1\u03bcs"), Optional(Eq(3us)));
  EXPECT_THAT(ParseDuration(".5s"), Optional(Eq(500ms)));
  EXPECT_THAT(ParseDuration("0.30000000000000000000000004s"), Optional(Eq(300ms)));
}

TEST(DurationTest, ReadsAsManyDigitsOfAFractionAsGo) {
  EXPECT_EQ(ParseDuration("0.3333333333333333333h"), std::chrono::minutes(20));
  EXPECT_EQ(ParseDuration("0.1000000000000000000m"), std::chrono::seconds(6));
  EXPECT_EQ(ParseDuration("0.99999999999999999999999s"), std::chrono::seconds(1));
}

TEST(DurationTest, RejectsInvalidDuration) {
  for (const char* text :
       {"", "-", "5", "s", "5x", "1m 30s", "1..5s", ".s", "five", "1e3s", "999999999999h",
        "2562047h47m16.854775808s", "9223372036854775808ns", "99999999999999999999ns",
        "9223372036854775808ns9223372036854775808ns"}) {
    EXPECT_EQ(ParseDuration(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace capstan
