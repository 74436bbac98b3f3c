// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/authorization/policy_rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::testing::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Texts(const std::vector<PolicyRule>& rules) {
  std::vector<std::string> texts;
  for (const PolicyRule& rule : rules) texts.push_back(rule.Text());
  return texts;
}

TEST(PolicyRuleTest, MatchesWildcards) {
  const PolicyRule all{.verbs = {"*"}, .groups = {"*"}, .resources = {"*"}};
  const PolicyRule scales{.verbs = {"get"}, .groups = {"apps"}, .resources = {"*/scale"}};
  const AccessAttributes scale{
      .verb = "get", .group = "apps", .resource = "deployments", .subresource = "scale"};
  AccessAttributes object = scale;
  object.subresource = "";

  EXPECT_TRUE(all.Allows(scale));
  EXPECT_TRUE(all.Allows(object));
  EXPECT_TRUE(scales.Allows(scale));
  EXPECT_FALSE(scales.Allows(object));
  EXPECT_FALSE(all.Allows({.verb = "get", .path = "/healthz"}));
}

TEST(PolicyRuleTest, MatchesUrlsByPrefix) {
  const PolicyRule rule{.verbs = {"get"}, .urls = {"/livez/*", "/version"}};

  EXPECT_TRUE(rule.Allows({.verb = "get", .path = "/livez/etcd"}));
  EXPECT_TRUE(rule.Allows({.verb = "get", .path = "/version"}));
  EXPECT_FALSE(rule.Allows({.verb = "get", .path = "/livez"}));
  EXPECT_FALSE(rule.Allows({.verb = "post", .path = "/version"}));
}

TEST(PolicyRuleTest, FindsWhatIsNotCovered) {
  const std::vector<PolicyRule> held = {
      {.verbs = {"get"}, .groups = {""}, .resources = {"pods", "*/status"}},
      {.verbs = {"update"}, .groups = {""}, .resources = {"pods"}, .names = {"a"}},
      {.verbs = {"get"}, .urls = {"/logs/*"}}};

  EXPECT_THAT(FindUncovered(held, held), IsEmpty());
  EXPECT_THAT(FindUncovered(held, {{.verbs = {"get"}, .groups = {""}, .resources = {"pods/status"}},
                                   {.verbs = {"get"}, .urls = {"/logs/a"}}}),
              IsEmpty());
  EXPECT_THAT(
      Texts(FindUncovered(
          held, {{.verbs = {"get", "list", "update"}, .groups = {""}, .resources = {"pods"}},
                 {.verbs = {"update"}, .groups = {""}, .resources = {"pods"}, .names = {"b"}},
                 {.verbs = {"get"}, .urls = {"/logs"}}})),
      ElementsAre(R"({APIGroups:[""], Resources:["pods"], Verbs:["list" "update"]})",
                  R"({APIGroups:[""], Resources:["pods"], ResourceNames:["b"], )"
                  R"(Verbs:["update"]})",
                  R"({NonResourceURLs:["/logs"], Verbs:["get"]})"));
}

TEST(PolicyRuleTest, CoversNothingBeyondResourceNames) {
  const std::vector<PolicyRule> held = {
      {.verbs = {"*"}, .groups = {"*"}, .resources = {"*"}, .names = {"a"}}};

  EXPECT_EQ(FindUncovered(held, {{.verbs = {"get"}, .groups = {""}, .resources = {"pods"}}}).size(),
            1U);
}

}  // namespace
}  // namespace capstan::testing::apiserver
