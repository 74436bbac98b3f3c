// SPDX-License-Identifier: Apache-2.0
#include "capstan/runtime/parsed_json.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace capstan::runtime {
namespace {

TEST(ParsedJsonTest, KeepsItsValuesWhenItMoves) {
  auto json = ParsedJson::Parse(R"({"name":"a text that is longer than a short string"})");
  ASSERT_TRUE(json.has_value()) << json.error().message;
  const JsonValue* const root = &json->root();
  const ParsedJson moved = std::move(*json);

  EXPECT_EQ(&moved.root(), root);
  EXPECT_EQ(GetString(moved.root(), "name"), "a text that is longer than a short string");
}

TEST(ParsedJsonTest, ReportsInvalidText) {
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("1 2"), std::string("\"\xff\""),
        std::string(R"("\ud800")"), std::string("0e400"), std::string(400, '1') + "e-399",
        std::string(300, '[')}) {
    const auto json = ParsedJson::Parse(text);
    ASSERT_FALSE(json.has_value()) << text;
    EXPECT_EQ(json.error().reason, ErrorReason::kDecode);
  }
}

TEST(ParsedJsonTest, KeepsLastOfMembersWithSameName) {
  const auto json = ParsedJson::Parse(
      R"({"a":1,"b":{"c":[{"d":1,"d":2}]},"a":{"x":1},"\u0061":{"y":1,"z":2,"y":3}})");
  ASSERT_TRUE(json.has_value()) << json.error().message;

  EXPECT_EQ(ToJson(json->root()), R"({"b":{"c":[{"d":2}]},"a":{"z":2,"y":3}})");
}

TEST(ParsedJsonTest, KeepsLastOfManyMembers) {
  std::string text = "{";
  for (int i = 0; i < 100; ++i) {
    text += "\"" + std::to_string(i % 40) + "\":" + std::to_string(i) + ",";
  }
  text.back() = '}';
  const auto json = ParsedJson::Parse(text);
  ASSERT_TRUE(json.has_value()) << json.error().message;

  EXPECT_EQ(JsonMembers(json->root()).size(), 40U);
  EXPECT_EQ(GetInt(json->root(), "7"), 87);
  EXPECT_EQ(GetInt(json->root(), "30"), 70);
}

}  // namespace
}  // namespace capstan::runtime
