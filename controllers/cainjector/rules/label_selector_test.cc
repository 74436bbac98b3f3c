// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/rules/label_selector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace capstan::cainjector {
namespace {

using ::testing::HasSubstr;

bool Matches(const std::string& selector, const Labels& labels) {
  const auto parsed = LabelSelector::Parse(selector);
  EXPECT_TRUE(parsed.has_value()) << parsed.error().message;
  return parsed && parsed->Matches(labels);
}

TEST(LabelSelectorTest, MatchesAsKubernetesDoes) {
  const Labels web = {{"team", "web"}, {"example.com/env", "a"}, {"empty", ""}};
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

}  // namespace
}  // namespace capstan::cainjector
