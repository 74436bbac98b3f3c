// SPDX-License-Identifier: Apache-2.0
// Tests of the matchConditions of webhooks.
#include <string>

#include "capstan/testing/eventually.h"
#include "clientgo/testing/apiserver/testing/webhook_server.h"
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

struct WebhookCondition {
  const char* name;
  const char* conditions;
  const char* policy;  // the failurePolicy
  const char* error;   // "called", "skipped", or the reason of the rejection
};

class MatchConditionsTest : public ContractTest,
                            public ::testing::WithParamInterface<WebhookCondition> {
 protected:
  static WebhookServer::Handler Denying() {
    return [](std::string_view, const runtime::JsonValue&, const WebhookServer::Respond& respond) {
      respond(R"("allowed":false,"status":{"code":418,"message":"called"})");
    };
  }
  // Creates two webhooks for ConfigMaps of this namespace. The first has the conditions, and the
  // second denies the name "sentinel".
  void Configure(bool mutating, const WebhookServer& server, const std::string& conditions,
                 const std::string& policy) {
    const auto webhook = [&](const std::string& name, const std::string& list,
                             const std::string& failure) {
      return R"({"name":")" + name + R"(","clientConfig":{)" + server.ClientConfig() +
             R"(},"rules":[{"operations":["*"],"apiGroups":[""],"apiVersions":["v1"],)"
             R"("resources":["configmaps"]}],"sideEffects":"None",)"
             R"("admissionReviewVersions":["v1"],)"
             R"("failurePolicy":")" +
             failure + R"(","namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":")" +
             ns() + R"("}},"matchConditions":[)" + list + "]}";
    };
    DeleteLater(Configurations(mutating) + "/" + ns());
    const Answer created = Post(
        Configurations(mutating),
        R"({"metadata":{"name":")" + ns() + R"("},"webhooks":[)" +
            webhook("a.x.io",
                    R"({"name":"s","expression":"request.name != 'sentinel'"},)" + conditions,
                    policy) +
            "," +
            webhook("b.x.io", R"({"name":"s","expression":"request.name == 'sentinel'"})", "Fail") +
            "]}");
    ASSERT_EQ(created.code, 201) << created.body;
    ASSERT_TRUE(Eventually([&] { return Try("sentinel").code == 418; }));
  }
  Answer Try(const std::string& name) const {
    return Post(ConfigMaps() + "?dryRun=All", R"({"metadata":{"name":")" + name + "\"}}");
  }
};

TEST_P(MatchConditionsTest, DecideWhetherTheWebhookIsCalled) {
  const WebhookCondition& one = GetParam();
  const std::string error = one.error;
  for (const bool mutating : {false, true}) {
    WebhookServer server(Denying());
    ASSERT_TRUE(server.started());
    Configure(mutating, server, one.conditions, one.policy);

    const Answer answer = Try("a");

    if (error == "skipped") {
      EXPECT_EQ(answer.code, 201) << answer.body;
    } else if (error == "called") {
      EXPECT_EQ(answer.code, 418) << answer.body;
    } else {
      EXPECT_REFUSED(answer, {.code = 403,
                              .reason = "Forbidden",
                              .message = "configmaps \"a\" is forbidden: " + error,
                              .details = R"({"kind":"configmaps","name":"a"})"});
    }
    EXPECT_EQ(Delete(Configurations(mutating) + "/" + ns()).code, 200);
    ASSERT_TRUE(Eventually([&] { return Try("sentinel").code == 201; }));
  }
}

#define CAPSTAN_CONDITION(name, expression) \
  R"({"name":")" name R"(","expression":")" expression "\"}"

INSTANTIATE_TEST_SUITE_P(
    Conditions, MatchConditionsTest,
    ::testing::Values(
        WebhookCondition{"True", CAPSTAN_CONDITION("a", "object.metadata.name == 'a'"), "Fail",
                         "called"},
        WebhookCondition{"False", CAPSTAN_CONDITION("a", "request.operation == 'UPDATE'"), "Fail",
                         "skipped"},
        WebhookCondition{
            "OneFalse",
            CAPSTAN_CONDITION("a", "true") "," CAPSTAN_CONDITION("b", "oldObject != null"), "Fail",
            "skipped"},
        WebhookCondition{
            "ErrorAndFalse",
            CAPSTAN_CONDITION("a", "object.data.x == ''") "," CAPSTAN_CONDITION("b", "false"),
            "Fail", "skipped"},
        WebhookCondition{"ErrorIgnored", CAPSTAN_CONDITION("a", "object.data.x == ''"), "Ignore",
                         "skipped"},
        WebhookCondition{"ErrorFails", CAPSTAN_CONDITION("a", "object.data.x == ''"), "Fail",
                         "expression 'object.data.x == ''' resulted in error: no such key: data"},
        WebhookCondition{
            "TwoErrors",
            CAPSTAN_CONDITION("a", "object.x == ''") "," CAPSTAN_CONDITION("b", "object.y == ''"),
            "Fail",
            "[expression 'object.x == ''' resulted in error: no such key: x, expression "
            "'object.y == ''' resulted in error: no such key: y]"},
        WebhookCondition{"User",
                         CAPSTAN_CONDITION("a", "!('system:nobodies' in request.userInfo.groups)"),
                         "Fail", "called"},
        WebhookCondition{"NoNamespaceObject", CAPSTAN_CONDITION("a", "namespaceObject == null"),
                         "Fail", "called"},
        WebhookCondition{"Authorizer",
                         CAPSTAN_CONDITION("a",
                                           "authorizer.group('').resource('configmaps').namespace("
                                           "'default').check('create').allowed()"),
                         "Fail", "called"}),
    [](const auto& tested) { return std::string(tested.param.name); });

#undef CAPSTAN_CONDITION

}  // namespace
}  // namespace capstan::testing::apiserver::contract
