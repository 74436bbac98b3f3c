// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/admission/webhooks.h"

#include <gtest/gtest.h>

#include <string>

#include "clientgo/runtime/testing/must_parse.h"

namespace capstan::testing::apiserver {
namespace {

// Returns the webhook with these members.
Webhook NewWebhook(const std::string& members) {
  const runtime::JsonDocument configuration = runtime::MustParse(
      R"({"metadata":{"name":"c"},"webhooks":[{"name":"a.x.io",)" + members + "}]}");
  return ParseWebhooks(configuration, false).front();
}

struct RuleCase {
  const char* rule;
  const char* plural;
  const char* subresource;
  bool matches;
};

class WebhookRuleTest : public ::testing::TestWithParam<RuleCase> {};

TEST_P(WebhookRuleTest, Matches) {
  const RuleCase& one = GetParam();
  const Webhook webhook = NewWebhook(R"("rules":[)" + std::string(one.rule) + "]");
  const Resource* resource = FindResource("", "v1", one.plural);
  if (resource == nullptr) resource = FindResource("apps", "v1", one.plural);
  ASSERT_NE(resource, nullptr);
  const bool namespaced = resource->namespaced || resource->kind == "Namespace";

  EXPECT_EQ(webhook.match.MatchesRules({.operation = "CREATE",
                                        .resource = resource,
                                        .subresource = one.subresource,
                                        .namespace_ = namespaced ? "ns" : "",
                                        .name = "a"}),
            one.matches)
      << one.rule;
}

#define CAPSTAN_RULE(members) \
  R"({"operations":["CREATE"],"apiGroups":["*"],"apiVersions":["v1"],)" members "}"

INSTANTIATE_TEST_SUITE_P(
    Rules, WebhookRuleTest,
    ::testing::Values(
        RuleCase{CAPSTAN_RULE(R"("resources":["pods"])"), "pods", "", true},
        RuleCase{CAPSTAN_RULE(R"("resources":["pods"])"), "pods", "status", false},
        RuleCase{CAPSTAN_RULE(R"("resources":["pods/status"])"), "pods", "status", true},
        RuleCase{CAPSTAN_RULE(R"("resources":["pods/status"])"), "pods", "", false},
        RuleCase{CAPSTAN_RULE(R"("resources":["pods/*"])"), "pods", "status", true},
        RuleCase{CAPSTAN_RULE(R"("resources":["pods/*"])"), "pods", "", true},
        RuleCase{CAPSTAN_RULE(R"("resources":["*"])"), "secrets", "", true},
        RuleCase{CAPSTAN_RULE(R"("resources":["*"])"), "pods", "status", false},
        RuleCase{CAPSTAN_RULE(R"("resources":["*/status"])"), "pods", "status", true},
        RuleCase{CAPSTAN_RULE(R"("resources":["*/*"])"), "pods", "status", true},
        RuleCase{CAPSTAN_RULE(R"("resources":["*/*"])"), "nodes", "", true},
        RuleCase{CAPSTAN_RULE(R"("resources":["*"],"scope":"Cluster")"), "nodes", "", true},
        RuleCase{CAPSTAN_RULE(R"("resources":["*"],"scope":"Cluster")"), "namespaces", "", true},
        RuleCase{CAPSTAN_RULE(R"("resources":["*"],"scope":"Cluster")"), "pods", "", false},
        RuleCase{CAPSTAN_RULE(R"("resources":["*"],"scope":"Namespaced")"), "pods", "", true},
        RuleCase{CAPSTAN_RULE(R"("resources":["*"],"scope":"Namespaced")"), "namespaces", "",
                 false},
        RuleCase{CAPSTAN_RULE(R"("resources":["*"],"scope":"*")"), "namespaces", "", true},
        RuleCase{
            R"({"operations":["*"],"apiGroups":["apps"],"apiVersions":["*"],"resources":["*"]})",
            "deployments", "", true},
        RuleCase{
            R"({"operations":["*"],"apiGroups":["apps"],"apiVersions":["*"],"resources":["*"]})",
            "pods", "", false},
        RuleCase{R"({"operations":["*"],"apiGroups":[""],"apiVersions":["v2"],"resources":["*"]})",
                 "pods", "", false},
        RuleCase{R"({"operations":["UPDATE","DELETE"],"apiGroups":[""],"apiVersions":["v1"],)"
                 R"("resources":["*"]})",
                 "pods", "", false}));

#undef CAPSTAN_RULE

constexpr const char* kAnyRule =
    R"("rules":[{"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],"resources":["*"]}],)";

class WebhookSelectorTest : public ::testing::Test {
 protected:
  static bool MatchesPod(const std::string& members, const char* namespace_labels,
                         const char* object_labels, const char* old_labels) {
    const Webhook webhook = NewWebhook(kAnyRule + members);
    const runtime::JsonDocument labels = runtime::MustParse(namespace_labels);
    const runtime::JsonDocument object =
        runtime::MustParse(R"({"metadata":{"labels":)" + std::string(object_labels) + "}}");
    const runtime::JsonDocument old =
        runtime::MustParse(R"({"metadata":{"labels":)" + std::string(old_labels) + "}}");
    return webhook.match.Match({.operation = "UPDATE",
                                .resource = FindResource("", "v1", "pods"),
                                .namespace_ = "ns",
                                .object = &object,
                                .old_object = &old},
                               [&]() -> const runtime::JsonValue& { return labels; }) != nullptr;
  }
};

TEST_F(WebhookSelectorTest, SelectsNamespacesByLabelsAndExpressions) {
  const char* const selector =
      R"("namespaceSelector":{"matchLabels":{"a":"b"},"matchExpressions":[)"
      R"({"key":"t","operator":"NotIn","values":["x"]},{"key":"u","operator":"DoesNotExist"}]})";

  EXPECT_TRUE(MatchesPod(selector, R"({"a":"b"})", "{}", "{}"));
  EXPECT_FALSE(MatchesPod(selector, R"({"a":"c"})", "{}", "{}"));
  EXPECT_FALSE(MatchesPod(selector, R"({"a":"b","t":"x"})", "{}", "{}"));
  EXPECT_FALSE(MatchesPod(selector, R"({"a":"b","u":""})", "{}", "{}"));
}

TEST_F(WebhookSelectorTest, SelectsTheNewOrTheOldObject) {
  const char* const selector = R"("objectSelector":{"matchExpressions":[)"
                               R"({"key":"t","operator":"Exists"}]})";

  EXPECT_TRUE(MatchesPod(selector, "{}", R"({"t":"1"})", "{}"));
  EXPECT_TRUE(MatchesPod(selector, "{}", "{}", R"({"t":"1"})"));
  EXPECT_FALSE(MatchesPod(selector, "{}", "{}", "{}"));
}

TEST(WebhooksTest, OrdersWebhooksByConfigurationAndSkipsThoseWithoutRules) {
  const Resource& resource =
      *FindResource("admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations");
  Webhooks webhooks;
  const auto store = [&](const std::string& name, const std::string& list, EventType type) {
    runtime::JsonDocument document =
        runtime::MustParse(R"({"metadata":{"name":")" + name + R"("},"webhooks":[)" + list + "]}");
    webhooks.Update(resource,
                    {.type = type, .key = name, .object = MakeObject(resource, document, 1)});
  };
  const std::string rules =
      R"("rules":[{"operations":["*"],"apiGroups":[""],"apiVersions":["*"],"resources":["*"]}])";
  const auto names = [&] {
    std::string all;
    for (const auto& webhook : webhooks.mutating()) all += webhook->name + " ";
    return all;
  };

  store("b", R"({"name":"1",)" + rules + R"(},{"name":"2",)" + rules + "}", EventType::kAdded);
  store("a", R"({"name":"3",)" + rules + R"(},{"name":"4"})", EventType::kAdded);
  EXPECT_EQ(names(), "3 1 2 ");
  EXPECT_TRUE(webhooks.MayMatch(*FindResource("", "v1", "pods")));
  EXPECT_FALSE(webhooks.MayMatch(*FindResource("apps", "v1", "deployments")));
  EXPECT_FALSE(webhooks.MayMatch(resource));

  store("b", R"({"name":"2",)" + rules + "}", EventType::kModified);
  EXPECT_EQ(names(), "3 2 ");
  store("a", R"({"name":"3",)" + rules + "}", EventType::kDeleted);
  EXPECT_EQ(names(), "2 ");
  EXPECT_TRUE(webhooks.validating().empty());
}

}  // namespace
}  // namespace capstan::testing::apiserver
