// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/printers/json_path.h"

#include <gtest/gtest.h>

#include <string>

#include "capstan/runtime/json_writer.h"
#include "clientgo/testing/apiserver/printers/human_duration.h"

namespace capstan::testing::apiserver {
namespace {

std::string Found(std::string_view path) {
  constexpr std::string_view kObject =
      R"({"spec":{"a.b":1,"list":[{"x":"p"},{"x":"q","on":true}]},"status":{"conditions":[)"
      R"({"type":"Ready","status":"True"},{"type":"Done","status":"False"}]}})";
  runtime::JsonDocument object;
  object.Parse(kObject.data(), kObject.size());
  const auto parsed = JsonPath::Parse(path);
  if (!parsed) return "invalid";
  const runtime::JsonValue* const value = parsed->FindFirst(object);
  return value == nullptr ? "nothing" : runtime::ToJson(*value);
}

TEST(JsonPathTest, FindsTheFirstValue) {
  EXPECT_EQ(Found(R"(.spec.a\.b)"), "1");
  EXPECT_EQ(Found(R"(.spec['a.b'])"), "1");
  EXPECT_EQ(Found(".spec.list[1].x"), R"("q")");
  EXPECT_EQ(Found(".spec.list[-1].x"), R"("q")");
  EXPECT_EQ(Found(".spec.list[*].x"), R"("p")");
  EXPECT_EQ(Found(R"(.status.conditions[?(@.type=="Done")].status)"), R"("False")");
  EXPECT_EQ(Found(R"(.status.conditions[?(@.type == 'Ready')].status)"), R"("True")");
  EXPECT_EQ(Found(".spec.list[?(@.on==true)].x"), R"("q")");
}

TEST(JsonPathTest, FindsNothing) {
  EXPECT_EQ(Found(".spec.missing.x"), "nothing");
  EXPECT_EQ(Found(".spec.list[7]"), "nothing");
  EXPECT_EQ(Found(".spec[0]"), "nothing");
  EXPECT_EQ(Found(R"(.status.conditions[?(@.type=="No")])"), "nothing");
}

TEST(JsonPathTest, RejectsOtherExpressions) {
  for (const char* const path :
       {"spec", ".", ".a[", ".a[x]", ".a[?(@.b>1)]", ".a..b", ".a[?(b==1)]"}) {
    EXPECT_EQ(Found(path), "invalid") << path;
  }
}

TEST(HumanDurationTest, HasAtMostTwoUnits) {
  using std::chrono::hours;
  using std::chrono::seconds;
  EXPECT_EQ(HumanDuration(seconds(-5)), "<invalid>");
  EXPECT_EQ(HumanDuration(seconds(119)), "119s");
  EXPECT_EQ(HumanDuration(seconds(120)), "2m");
  EXPECT_EQ(HumanDuration(seconds(125)), "2m5s");
  EXPECT_EQ(HumanDuration(seconds(10 * 60 + 5)), "10m");
  EXPECT_EQ(HumanDuration(seconds(3 * 3600 + 60)), "3h1m");
  EXPECT_EQ(HumanDuration(hours(47)), "47h");
  EXPECT_EQ(HumanDuration(hours(76)), "3d4h");
  EXPECT_EQ(HumanDuration(hours(24 * 100)), "100d");
  EXPECT_EQ(HumanDuration(hours(24 * (365 * 2 + 5))), "2y5d");
}

// The texts are those of kube-apiserver, whose Go subtracts times with a limit of 292 years.
TEST(AgeTextTest, HasALimitForTimesOfAnyYear) {
  EXPECT_EQ(AgeText("9999-12-31T23:59:59Z"), "<invalid>");
  EXPECT_EQ(AgeText("0002-01-01T00:00:00Z"), "292y");
  EXPECT_EQ(AgeText("0001-01-01T00:00:00Z"), "<unknown>");
  EXPECT_EQ(HumanDuration(*ParseTime("0002-01-01T00:00:00Z"), *ParseTime("9999-01-01T00:00:00Z")),
            "292y");
  EXPECT_EQ(HumanDuration(*ParseTime("9999-01-01T00:00:00Z"), *ParseTime("0002-01-01T00:00:00Z")),
            "<invalid>");
}

}  // namespace
}  // namespace capstan::testing::apiserver
