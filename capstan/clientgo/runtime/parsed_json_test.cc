// SPDX-License-Identifier: Apache-2.0
#include "capstan/clientgo/runtime/parsed_json.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace capstan::clientgo::runtime {
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
  for (const std::string& text : {std::string(), std::string("{"), std::string("1 2"),
                                  std::string("\"\xff\""), std::string(300, '[')}) {
    const auto json = ParsedJson::Parse(text);
    ASSERT_FALSE(json.has_value()) << text;
    EXPECT_EQ(json.error().reason, util::ErrorReason::kDecode);
  }
}

}  // namespace
}  // namespace capstan::clientgo::runtime
