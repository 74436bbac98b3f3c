// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/types/schema.h"

#include <gtest/gtest.h>

#include <string>

#include "clientgo/runtime/testing/must_parse.h"

namespace capstan::testing::apiserver {
namespace {

std::vector<Cause> Validate(const std::string& pattern, const std::string& text) {
  const runtime::JsonDocument json = runtime::MustParse(
      R"({"type":"object","properties":{"p":{"type":"string","pattern":)" + Quote(pattern) + "}}}");
  return Schema(&json).Validate(runtime::MustParse(R"({"p":)" + Quote(text) + "}"), nullptr, false);
}

TEST(SchemaTest, RejectsALongTextThatAlmostMatchesInTime) {
  const std::string pattern = R"(^(\w+\s?)*$)";

  EXPECT_TRUE(Validate(pattern, std::string(64, 'a')).empty());
  EXPECT_EQ(Validate(pattern, std::string(64, 'a') + "!").size(), 1U);
}

TEST(SchemaTest, EvaluatesPatternsOfGo) {
  for (const std::string pattern :
       {R"((?i)^abc$)", R"(\Aab(?P<last>C)\z)", R"(^[(?<a]b(?<last>C)$)", R"(^\Qa\E\p{Ll}\pL$)"}) {
    EXPECT_TRUE(Validate(pattern, "abC").empty()) << pattern;
    EXPECT_EQ(Validate(pattern, "xyz").size(), 1U) << pattern;
  }
}

TEST(SchemaTest, KeepsTextThatLooksLikeANamedGroup) {
  struct Case {
    const char* pattern;
    const char* valid;
    const char* invalid;
  };
  for (const auto& [pattern, valid, invalid] :
       {Case{R"(^\(?<[a-z]+>\)?$)", "<abc>", "P<abc>"}, Case{"^[^(?<>]+$", "PATH", "<"},
        Case{"^[(?<a]$", "?", "P"}, Case{R"(\Q(?<n)", "(?<n", "(?P<n"},
        Case{"^(?<n>a)[[:alpha:](?<x]$", "a(", "a)"}, Case{"^[](?<]$", "]", "P"}}) {
    EXPECT_TRUE(Validate(pattern, valid).empty()) << pattern;
    EXPECT_EQ(Validate(pattern, invalid).size(), 1U) << pattern;
  }
}

TEST(SchemaTest, EvaluatesPatternsOnLongTexts) {
  EXPECT_TRUE(Validate("^(a|b)*$", std::string(1'000'000, 'a')).empty());
  EXPECT_EQ(Validate("^(a|b)*$", std::string(1'000'000, 'a') + "!").size(), 1U);
}

}  // namespace
}  // namespace capstan::testing::apiserver
