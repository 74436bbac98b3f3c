// SPDX-License-Identifier: Apache-2.0
#include "clientgo/yaml/scalar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace capstan::yaml {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Json(std::string_view tag, const std::string& text) {
  const auto value = ResolveScalar(tag, text);
  return value ? ToJson(*value).value() : "error: " + value.error().message;
}

std::string Tag(const std::string& name) { return "tag:yaml.org,2002:" + name; }

// The right column has the values that sigs.k8s.io/yaml 1.6.0 returns.
TEST(ResolveScalarTest, ResolvesPlainScalarAsGo) {
  const std::pair<std::string, std::string> cases[] = {
      {"0644", "420"},
      {"0400", "256"},
      {"0o644", "420"},
      {"08", "8"},
      {"089", "89"},
      {"0x1F", "31"},
      {"-0x1f", "-31"},
      {"0b101", "5"},
      {"0b-101", "-5"},
      {"1_000", "1000"},
      {"1__0_", "10"},
      {"-0", "0"},
      {"-0.0", "-0"},
      {"+7", "7"},
      {"9223372036854775807", "9223372036854775807"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"18446744073709551615", "18446744073709551615"},
      {"18446744073709551616", "18446744073709552000"},
      {"-9223372036854775809", "-9223372036854776000"},
      {".5", "0.5"},
      {"-.5", "-0.5"},
      {".5_0", "0.5"},
      {"._5", R"("._5")"},
      {"1.", "1"},
      {"1.e3", "1000"},
      {"1e21", "1e+21"},
      {"1e-7", "1e-07"},
      {"1e-400", "0"},
      {"1e400", R"("1e400")"},
      {"1.20", "1.2"},
      {"1.2.3", R"("1.2.3")"},
      {"0x", R"("0x")"},
      {"0x_", R"("0x_")"},
      {"1e", R"("1e")"},
      {".", R"(".")"},
      {"-", R"("-")"},
      {"+", R"("+")"},
      {"1:30", R"("1:30")"},
      {"2001-01-01", R"("2001-01-01")"},
      {"2001-12-14t21:59:43.10-05:00", R"("2001-12-14t21:59:43.10-05:00")"},
      {"y", "true"},
      {"Yes", "true"},
      {"on", "true"},
      {"TRUE", "true"},
      {"N", "false"},
      {"Off", "false"},
      {"False", "false"},
      {"yEs", R"("yEs")"},
      {"null", "null"},
      {"~", "null"},
      {"Null", "null"},
      {"<<", R"("<<")"},
      {"nan", R"("nan")"},
      {"Inf", R"("Inf")"},
  };
  for (const auto& [text, json] : cases) EXPECT_EQ(Json(kPlain, text), json) << text;
}

TEST(ResolveScalarTest, QuotedScalarIsAString) {
  for (const char* text : {"yes", "0644", "", "null", "1.5"}) {
    EXPECT_EQ(Json(kQuoted, text), "\"" + std::string(text) + "\"");
  }
}

TEST(ResolveScalarTest, FollowsTag) {
  EXPECT_EQ(Json(Tag("str"), "0644"), R"("0644")");
  EXPECT_EQ(Json(Tag("int"), "5"), "5");
  EXPECT_EQ(Json(Tag("float"), "5"), "5");
  EXPECT_EQ(Json(Tag("bool"), "yes"), "true");
  EXPECT_EQ(Json(Tag("null"), ""), "null");
  EXPECT_EQ(Json(Tag("timestamp"), "2001-01-01"), R"("2001-01-01")");
  for (const char* text : {"2026-1-2", "2026-1-2T3:4:5Z", "2026-01-02t03:04:05.6+24:00",
                           "2026-1-2   3:4:5,6", "2024-2-29"}) {
    EXPECT_EQ(Json(Tag("timestamp"), text), "\"" + std::string(text) + "\"");
  }
  EXPECT_EQ(Json(Tag("float"), "9007199254740993"), "9007199254740992");
  EXPECT_EQ(KeyOf(ResolveScalar(Tag("float"), "1000000").value()), "1e+06");
  EXPECT_EQ(Json(Tag("binary"), "aG\nk=\n"), R"("hi")");
  EXPECT_EQ(Json(Tag("binary"), "/w=="), "\"\xef\xbf\xbd\"");
  EXPECT_EQ(Json("!mine", "5"), R"("5")");
}

TEST(ResolveScalarTest, RejectsTextThatDoesNotFitItsTagWithoutQuotingIt) {
  for (const char* tag : {"int", "float", "bool", "null", "timestamp", "binary"}) {
    const std::string why = Json(Tag(tag), "s3cret!");
    EXPECT_THAT(why, HasSubstr("error: ")) << tag;
    EXPECT_THAT(why, Not(HasSubstr("s3cret"))) << tag;
  }
  for (const char* text :
       {"2026-", "2026-13-1", "2026-02-30", "2026-1-2T3:4:5", "2026-1-2 3:4:5Z", "2026-1-2 24:0:0",
        "2026-1-2T3:4:5+1:00", "2026-1-2T3:4:5+25:00", "2026-1-2x", "02026-1-2", "2026-1-2 "}) {
    EXPECT_THAT(Json(Tag("timestamp"), text), HasSubstr("error: ")) << text;
  }
  EXPECT_THAT(Json(Tag("float"), "9223372036854775808"), HasSubstr("error: "));
  EXPECT_THAT(Json(Tag("int"), "1.5"), HasSubstr("not of the type !!int"));
  for (const char* text : {".nan", ".inf", "+.INF", "-.Inf"}) {
    EXPECT_FALSE(ResolveScalar(kPlain, text).value().IsFinite()) << text;
  }
  EXPECT_TRUE(ResolveScalar(kPlain, "-.5").value().IsFinite());
}

TEST(KeyOfTest, WritesNumbersAndBooleansAsGo) {
  const std::pair<std::string, std::string> cases[] = {
      {"yes", "true"},   {"0x10", "16"},        {"1e6", "1e+06"},     {"1.5e9", "1.5e+09"},
      {"0.1", "0.1"},    {"123456.", "123456"}, {"0.00001", "1e-05"}, {"a", "a"},
      {"1e39", ".inf"},  {"-1e39", "-.inf"},    {".inf", ".inf"},     {"-.INF", "-.inf"},
      {"+.Inf", ".inf"}, {".NaN", ".nan"},
  };
  for (const auto& [text, key] : cases) {
    EXPECT_EQ(KeyOf(ResolveScalar(kPlain, text).value()), key) << text;
  }
  EXPECT_EQ(KeyOf(ResolveScalar(kPlain, "~").value()), std::nullopt);
  EXPECT_EQ(KeyOf(ResolveScalar(kPlain, "18446744073709551615").value()), std::nullopt);
}

}  // namespace
}  // namespace capstan::yaml
