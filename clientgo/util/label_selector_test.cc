// SPDX-License-Identifier: Apache-2.0
#include "capstan/label_selector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace capstan {
namespace {

using ::testing::HasSubstr;

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

bool Matches(const std::string& selector, const LabelSelector::Labels& labels) {
  const auto parsed = LabelSelector::Parse(selector);
  EXPECT_TRUE(parsed.has_value()) << parsed.error().message;
  return parsed && parsed->Matches(labels);
}

TEST(LabelSelectorTest, MatchesAsKubernetesDoes) {
  const LabelSelector::Labels web = {{"team", "web"}, {"example.com/env", "a"}, {"empty", ""}};
  for (const std::string selector :
       {"", " ", "team=web", "team == web", "team", "!old", "! old", "team!=db", "old!=web",
        "old notin (a)", "team in (db, web)", "example.com/env in (a)", "empty=", "empty in ()",
        "\rteam", "team=web,example.com/env in (a,b),!old"}) {
    EXPECT_TRUE(Matches(selector, web)) << selector;
  }
  for (const std::string selector :
       {"team=db", "team!=web", "old", "!team", "old=web", "team in (db)", "team notin (web,db)",
        "team=", "team=web,old"}) {
    EXPECT_FALSE(Matches(selector, web)) << selector;
  }
}

TEST(LabelSelectorTest, RejectsWhatKubernetesRejects) {
  for (const std::string bad :
       {",", "team=web,", "=web", "!", "!!a", "team=a b", "team in", "team in (a", "team in a)",
        "team is (a)", "team (a)", "in (a)", "te am", "-team", "a/b/c=d", "/team", "team===web",
        "team=!web", "team in (a b)"}) {
    EXPECT_FALSE(LabelSelector::Parse(bad).has_value()) << bad;
  }
  EXPECT_THAT(LabelSelector::Parse("team=web, team is (a)").error().message,
              HasSubstr("found 'is', expected: in, notin"));
  EXPECT_THAT(LabelSelector::Parse("team=-").error().message,
              HasSubstr("\"-\" is not the value of a label"));
  EXPECT_FALSE(LabelSelector::Parse(std::string(64, 'k')).has_value());
  EXPECT_TRUE(LabelSelector::Parse(std::string(253, 'k') + "/a").has_value());
  EXPECT_FALSE(LabelSelector::Parse(std::string(254, 'k') + "/a").has_value());
}

// A selector as kinds have it.
struct OfKind {
  struct Expression {
    std::string key, operator_;
    std::vector<std::string> values;
  };
  LabelSelector::Labels match_labels;
  std::vector<Expression> match_expressions;
};

TEST(LabelSelectorTest, ReadsTheSelectorOfAKind) {
  const auto selector = LabelSelector::From(
      OfKind{{{"team", "web"}}, {{"env", "In", {"a", "b"}}, {"old", "DoesNotExist", {}}}});
  ASSERT_TRUE(selector.has_value());
  EXPECT_TRUE(selector->Matches({{"team", "web"}, {"env", "b"}}));
  EXPECT_FALSE(selector->Matches({{"team", "web"}, {"env", "c"}}));
  EXPECT_FALSE(selector->Matches({{"team", "web"}, {"env", "a"}, {"old", ""}}));
  EXPECT_EQ(selector->String(), "team in (web),env in (a,b),!old");
  EXPECT_TRUE(LabelSelector::From(OfKind())->Matches({}));
}

TEST(LabelSelectorTest, AMissingSelectorOfAKindSelectsNothing) {
  const auto nothing = LabelSelector::From(std::optional<OfKind>());
  ASSERT_TRUE(nothing.has_value());
  EXPECT_FALSE(nothing->Matches({}));
  EXPECT_FALSE(nothing->Matches({{"none", ""}}));
  EXPECT_FALSE(LabelSelector::Parse(nothing->String())->Matches({{"none", ""}}));
}

TEST(LabelSelectorTest, RejectsAWrongSelectorOfAKind) {
  const auto why = [](const OfKind::Expression& expression) {
    return LabelSelector::From(OfKind{{}, {expression}}).error().message;
  };
  EXPECT_EQ(why({"a", "Gt", {"1"}}),
            "label selector, key \"a\": operator \"Gt\" is not In, NotIn, Exists or DoesNotExist");
  EXPECT_EQ(why({"a", "In", {}}), "label selector, key \"a\": In needs a value");
  EXPECT_EQ(why({"a", "Exists", {"1"}}), "label selector, key \"a\": Exists takes no values");
  EXPECT_EQ(why({"a b", "Exists", {}}),
            "label selector, key \"a b\": \"a b\" is not the key of a label");
}

TEST(LabelSelectorTest, ItsTextIsTheSameSelector) {
  for (const std::string text :
       {"a", "!a", "a in (1,2)", "a notin (1)", "a > 5", "a < 5", "a in ()"}) {
    EXPECT_EQ(LabelSelector::Parse(text)->String(), text);
  }
}

}  // namespace
}  // namespace capstan
