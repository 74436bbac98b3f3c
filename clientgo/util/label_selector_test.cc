// SPDX-License-Identifier: Apache-2.0
#include "capstan/label_selector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace capstan {
namespace {

bool Matches(std::string_view selector, std::optional<std::string_view> value) {
  const auto requirements = ParseLabelSelector(selector);
  EXPECT_TRUE(requirements.has_value()) << selector;
  return requirements && std::all_of(requirements->begin(), requirements->end(),
                                     [&](const auto& each) { return each.Matches(value); });
}

TEST(LabelSelectorTest, MatchesValueOfLabel) {
  for (const char* selector : {"", " \t\r\n", "a", "a=5", "a == 5", "a!=6", "a in (4, 5)",
                               "a notin ()", "a>4", "a < 6", "a>-6", "a,a=5"}) {
    EXPECT_TRUE(Matches(selector, "5")) << selector;
  }
  for (const char* selector :
       {"!a", "a=", "a!=5", "a in (,)", "a notin (5)", "a>5", "a<5", "a=5,!a"}) {
    EXPECT_FALSE(Matches(selector, "5")) << selector;
  }
}

TEST(LabelSelectorTest, MatchesMissingLabel) {
  for (const char* selector : {"!a", "a!=5", "a notin (5)"}) {
    EXPECT_TRUE(Matches(selector, std::nullopt)) << selector;
  }
  for (const char* selector : {"a", "a=", "a in (5)", "a>4", "a<6"}) {
    EXPECT_FALSE(Matches(selector, std::nullopt)) << selector;
  }
}

TEST(LabelSelectorTest, TreatsOperatorNamesAsKeysAndValuesToo) {
  const auto requirements = ParseLabelSelector("in in (notin),notin");
  ASSERT_TRUE(requirements.has_value());
  ASSERT_EQ(requirements->size(), 2U);
  EXPECT_EQ(requirements->front().key, "in");
  EXPECT_EQ(requirements->front().values.front(), "notin");
  EXPECT_EQ(requirements->back().key, "notin");
}

TEST(LabelSelectorTest, RejectsOtherText) {
  for (const char* selector :
       {",", "a,", "a,,b", "=5", "!", "!!a", "a=5 6", "a in", "a in (5", "a in 5)", "a is (5)",
        "(a)", "a===5", "a=!5", "!a=5", "a in (5 6)"}) {
    EXPECT_FALSE(ParseLabelSelector(selector).has_value()) << selector;
  }
}

}  // namespace
}  // namespace capstan
