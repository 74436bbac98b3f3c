// SPDX-License-Identifier: Apache-2.0
#include "clientgo/runtime/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace clientgo::runtime {
namespace {

using ::testing::HasSubstr;

TEST(JsonParserTest, ParsesInPlace) {
  std::string text = R"({"a":"x\ny","b":[1,true,null]})";
  JsonParser parser;

  const auto root = parser.ParseInsitu(text.data(), text.size());

  ASSERT_TRUE(root.has_value());
  const std::string_view a = GetString(**root, "a");
  EXPECT_EQ(a, "x\ny");
  EXPECT_GE(a.data(), text.data());
  EXPECT_LT(a.data(), text.data() + text.size());
}

TEST(JsonParserTest, ParsesWhatDoesNotFitItsPool) {
  std::string text = "[0";
  for (int i = 1; i < 5000; ++i) text += "," + std::to_string(i);
  text += "]";
  JsonParser parser;

  const auto root = parser.ParseInsitu(text.data(), text.size());

  ASSERT_TRUE(root.has_value());
  ASSERT_EQ((*root)->Size(), 5000U);
  EXPECT_EQ((**root)[4999].GetInt(), 4999);
}

TEST(JsonParserTest, SaysWhatIsWrong) {
  for (const char* bad : {"", "{", "[1,]", R"({"a":"\x"})", "{} {}", "\"\x01\""}) {
    std::string text = bad;
    JsonParser parser;
    const auto root = parser.ParseInsitu(text.data(), text.size());
    ASSERT_FALSE(root.has_value()) << bad;
    EXPECT_EQ(root.error().reason, util::ErrorReason::kDecode);
    EXPECT_THAT(root.error().message, HasSubstr("invalid JSON at byte"));
  }
}

TEST(JsonParserTest, RefusesTextThatIsNestedTooDeep) {
  const auto nested = [](int depth) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += i % 2 == 0 ? "[" : R"({"a":)";
    text += "1";
    for (int i = depth; i-- > 0;) text += i % 2 == 0 ? "]" : "}";
    return text;
  };
  std::string deepest = nested(JsonParser::kDepthMax);
  EXPECT_TRUE(JsonParser().ParseInsitu(deepest.data(), deepest.size()).has_value());
  for (const int depth : {JsonParser::kDepthMax + 1, 1'000'000}) {
    std::string text = nested(depth);
    const auto root = JsonParser().ParseInsitu(text.data(), text.size());
    ASSERT_FALSE(root.has_value());
    EXPECT_THAT(root.error().message, HasSubstr("nested too deep"));
  }
  std::string wide = "[";
  for (int i = 0; i < 1000; ++i) wide += "[],{},";
  wide += "[]]";
  EXPECT_TRUE(JsonParser().ParseInsitu(wide.data(), wide.size()).has_value());
}

TEST(JsonTest, FindsWithoutEverAsserting) {
  JsonDocument document;
  document.Parse(R"({"a":{"b":{"c":"deep"}},"n":7,"l":[]})");

  EXPECT_STREQ(FindPath(document, {"a", "b", "c"})->GetString(), "deep");
  EXPECT_EQ(FindPath(document, {"a", "x", "c"}), nullptr);
  EXPECT_EQ(FindPath(document, {"n", "x"}), nullptr);
  EXPECT_EQ(FindPath(document, {"l", "x"}), nullptr);
  EXPECT_EQ(GetString(document, "n"), "");
  EXPECT_EQ(GetString(document["n"], "n"), "");
  EXPECT_EQ(ToJson(document["a"]), R"({"b":{"c":"deep"}})");
}

}  // namespace
}  // namespace clientgo::runtime
