// SPDX-License-Identifier: Apache-2.0
#include "capstan/runtime/json_value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <string>
#include <vector>

#include "capstan/runtime/json_writer.h"
#include "capstan/runtime/parsed_json.h"

namespace capstan::runtime {
namespace {

using ::testing::ElementsAre;

TEST(JsonValueTest, HasOneType) {
  const auto json = ParsedJson::Parse(R"([null,true,1,"a",[],{}])").value();
  std::vector<JsonType> types;
  for (const JsonValue& element : JsonElements(json.root())) types.push_back(TypeOfJson(element));

  EXPECT_THAT(types, ElementsAre(JsonType::kNull, JsonType::kBool, JsonType::kNumber,
                                 JsonType::kString, JsonType::kArray, JsonType::kObject));
  EXPECT_TRUE(IsJsonArray(json.root()));
  EXPECT_FALSE(IsJsonObject(json.root()));
}

TEST(JsonValueTest, ReadsValuesOfTheirTypeOnly) {
  const auto json = ParsedJson::Parse(R"({"b":false,"i":-7,"u":18446744073709551615,"d":1.5,)"
                                      R"("s":"text","e":""})")
                        .value();
  const auto at = [&](std::string_view key) -> const JsonValue& { return *Find(json.root(), key); };

  EXPECT_EQ(AsBool(at("b")), false);
  EXPECT_EQ(AsBool(at("i")), std::nullopt);
  EXPECT_EQ(AsInt(at("i")), -7);
  EXPECT_EQ(AsInt64(at("i")), -7);
  EXPECT_EQ(AsUint64(at("i")), std::nullopt);
  EXPECT_EQ(AsInt64(at("u")), std::nullopt);
  EXPECT_EQ(AsUint64(at("u")), 18446744073709551615U);
  EXPECT_EQ(AsInt(at("d")), std::nullopt);
  EXPECT_EQ(AsDouble(at("d")), 1.5);
  EXPECT_EQ(AsDouble(at("i")), -7.0);
  EXPECT_EQ(AsDouble(at("s")), std::nullopt);
  EXPECT_EQ(AsString(at("s")), "text");
  EXPECT_EQ(AsString(at("e")), "");
  EXPECT_EQ(AsString(at("b")), std::nullopt);
}

// The limit that the comment of AsDouble names.
TEST(JsonValueTest, RoundsNumbersWithManyDigits) {
  const auto json =
      ParsedJson::Parse("[0.30000000000000004,123456789012345678901234567890]").value();
  const JsonElements numbers(json.root());

  EXPECT_DOUBLE_EQ(*AsDouble(*numbers.begin()), 0.30000000000000004);
  EXPECT_DOUBLE_EQ(*AsDouble(*std::next(numbers.begin())), 123456789012345678901234567890.0);
}

TEST(JsonValueTest, WritesEveryDigit) {
  const std::string text =
      "[0.30000000000000004,1.7976931348623157e+308,5e-324,-0.1,1.0,1e-07,2.5e+22]";

  EXPECT_EQ(ToJson(ParsedJson::Parse(text)->root()), text);
}

TEST(JsonValueTest, EscapesEveryControlCharacter) {
  for (char control = 0; control < ' '; ++control) {
    std::string text(40, 'x');
    text[20] = control;
    JsonWriter expected;
    expected.StartObject();
    expected.Key(text);
    expected.String(text);
    expected.EndObject();
    const auto parsed = ParsedJson::Parse(expected.text());
    ASSERT_TRUE(parsed.has_value()) << static_cast<int>(control);
    EXPECT_EQ(ToJson(parsed->root()), expected.text());
  }
}

TEST(JsonValueTest, ReadsMembersWithAFallback) {
  const auto json = ParsedJson::Parse(R"({"t":true,"n":3,"s":"x","null":null})").value();

  EXPECT_TRUE(GetBool(json.root(), "t"));
  EXPECT_FALSE(GetBool(json.root(), "s"));
  EXPECT_EQ(GetInt(json.root(), "n"), 3);
  EXPECT_EQ(GetInt(json.root(), "missing"), 0);
  EXPECT_EQ(GetString(json.root(), "s"), "x");
  EXPECT_EQ(GetString(json.root(), "n"), "");
  EXPECT_NE(Find(json.root(), "null"), nullptr);
  EXPECT_EQ(FindNonNull(json.root(), "null"), nullptr);
  EXPECT_EQ(FindNonNull(json.root(), "missing"), nullptr);
  EXPECT_NE(FindNonNull(json.root(), "s"), nullptr);
}

TEST(JsonValueTest, VisitsMembersInTheirOrder) {
  const auto json = ParsedJson::Parse(R"({"b":1,"a":[2,3],"":4})").value();
  std::vector<std::string> seen;
  for (const auto& [name, value] : JsonMembers(json.root())) {
    seen.push_back(std::string(name) + "=" + ToJson(value));
  }

  EXPECT_THAT(seen, ElementsAre("b=1", "a=[2,3]", "=4"));
  EXPECT_EQ(JsonMembers(json.root()).size(), 3U);
}

TEST(JsonValueTest, HasNoElementsOrMembersInAnotherType) {
  for (const char* text : {"null", "1", R"("a")", "[]", "{}"}) {
    const auto json = ParsedJson::Parse(text).value();
    EXPECT_TRUE(JsonElements(json.root()).empty()) << text;
    EXPECT_TRUE(JsonMembers(json.root()).empty()) << text;
    EXPECT_EQ(JsonElements(json.root()).begin(), JsonElements(json.root()).end()) << text;
    EXPECT_EQ(JsonMembers(json.root()).begin(), JsonMembers(json.root()).end()) << text;
  }
}

}  // namespace
}  // namespace capstan::runtime
