// SPDX-License-Identifier: Apache-2.0
// The wanted values are those of Go's package time.
#include "clientgo/cel/time_zones.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "clientgo/cel/testing/show.h"

namespace capstan::cel {
namespace {

// Returns the date, the hour and the minute in a zone.
std::string Clock(const std::string& time, const std::string& zone) {
  const std::string of = "timestamp('" + time + "').";
  const std::string in = "('" + zone + "')";
  return Show("[" + of + "getDate" + in + ", " + of + "getHours" + in + ", " + of + "getMinutes" +
              in + "]");
}

TEST(TimeZonesTest, KnowsOffsetsInThePastAndInTheFuture) {
  if (!std::filesystem::exists("/usr/share/zoneinfo/Europe/Dublin")) {
    GTEST_SKIP() << "tzdata is not installed";
  }
  EXPECT_EQ(Clock("1800-01-01T00:00:00Z", "America/New_York"), "[31, 19, 3]");
  EXPECT_EQ(Clock("2026-03-08T06:59:59Z", "America/New_York"), "[8, 1, 59]");
  EXPECT_EQ(Clock("2026-03-08T07:00:00Z", "America/New_York"), "[8, 3, 0]");
  EXPECT_EQ(Clock("2400-03-12T07:00:00Z", "America/New_York"), "[12, 3, 0]");
  EXPECT_EQ(Clock("2400-10-29T01:30:00Z", "America/New_York"), "[28, 21, 30]");
  EXPECT_EQ(Clock("2400-07-01T12:00:00Z", "Australia/Lord_Howe"), "[1, 22, 30]");
  EXPECT_EQ(Clock("2400-10-29T01:30:00Z", "Australia/Lord_Howe"), "[29, 12, 30]");
  EXPECT_EQ(Clock("2400-07-01T12:00:00Z", "Europe/Dublin"), "[1, 13, 0]");
  EXPECT_EQ(Clock("2400-10-29T01:30:00Z", "Europe/Dublin"), "[29, 1, 30]");
  EXPECT_EQ(Clock("1800-01-01T00:00:00Z", "Asia/Kolkata"), "[1, 5, 53]");
  EXPECT_EQ(Clock("2400-10-29T01:30:00Z", "America/Nuuk"), "[28, 23, 30]");
  EXPECT_EQ(Clock("2400-07-01T12:00:00Z", "Antarctica/Troll"), "[1, 14, 0]");
}

TEST(TimeZonesTest, RejectsNamesThatAreNoZones) {
  for (const char* const name : {"no/zone", "../UTC", "/etc/passwd", "Europe", "tzdata.zi", "x"}) {
    EXPECT_FALSE(ZoneOffset(name, 0)) << name;
  }
  EXPECT_EQ(Show("timestamp('2026-01-02T03:04:05Z').getHours('no/zone')"),
            "error: unknown time zone no/zone");
}

TEST(TimeZonesTest, ReadsRulesOfFooters) {
  constexpr std::int64_t kJanuary = 1767225600;  // 2026-01-01T00:00:00Z
  constexpr std::int64_t kJuly = 1782864000;     // 2026-07-01T00:00:00Z
  EXPECT_EQ(OffsetOfRule("CET-1CEST,M3.5.0,M10.5.0/3", kJanuary), 3600);
  EXPECT_EQ(OffsetOfRule("CET-1CEST,M3.5.0,M10.5.0/3", kJuly), 7200);
  EXPECT_EQ(OffsetOfRule("<+0330>-3:30", kJuly), 12600);
  EXPECT_EQ(OffsetOfRule("AEST-10AEDT,M10.1.0,M4.1.0/3", kJanuary), 39600);
  EXPECT_EQ(OffsetOfRule("IST-1GMT0,M10.5.0,M3.5.0/1", kJanuary), 0);
  EXPECT_EQ(OffsetOfRule("EST5EDT,J60,J300", kJuly), -14400);
  EXPECT_EQ(OffsetOfRule("EST5EDT,0/0,J365/25", kJuly), -14400);
  for (const char* const rule :
       {"", "5", "EST", "EST5EDT,M3", "EST5EDT,M13.1.0,M1.1.0", "<A5", "EST5EDT,M3.2.0,M11.1.0x"}) {
    EXPECT_FALSE(OffsetOfRule(rule, kJuly)) << rule;
  }
}

}  // namespace
}  // namespace capstan::cel
