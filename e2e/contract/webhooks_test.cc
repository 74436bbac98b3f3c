// SPDX-License-Identifier: Apache-2.0
// Tests of the validation of webhook configurations.
#include <string>

#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

// One field of a webhook, or of its rule, and why it is invalid.
struct Case {
  const char* members;  // of the webhook
  const char* field;
  const char* reason;
  const char* message;
};

class WebhookValidationTest : public ContractTest, public ::testing::WithParamInterface<Case> {
 protected:
  // Returns a webhook whose valid members are replaced by those that are given.
  static std::string Webhook(const std::string& members) {
    std::string webhook = "{" + members;
    const std::pair<const char*, const char*> defaults[] = {
        {"name", R"("a.x.io")"},
        {"clientConfig", R"({"url":"https://b"})"},
        {"sideEffects", R"("None")"},
        {"admissionReviewVersions", R"(["v1"])"}};
    for (const auto& [key, value] : defaults) {
      const std::string quoted = "\"" + std::string(key) + "\":";
      if (members.rfind(quoted, 0) == 0) continue;
      webhook += (webhook.size() > 1 ? "," : "") + quoted + value;
    }
    return webhook + "}";
  }
};

TEST_P(WebhookValidationTest, Rejects) {
  const Case& one = GetParam();
  const std::string field = one.field;
  const std::string service = "clientConfig.service.";
  std::string message = one.message;
  if (Minor() < 34 && field.starts_with(service) && message == "Required value") {
    message += ": service " + field.substr(service.size()) + " is required";
  }
  const Answer answer =
      Post(Configurations(false),
           R"({"metadata":{"name":")" + ns() + R"("},"webhooks":[)" + Webhook(one.members) + "]}");

  EXPECT_REFUSED(answer, Invalid("ValidatingWebhookConfiguration.admissionregistration.k8s.io",
                                 ns(), "webhooks[0]." + field, one.reason, message));
}

#define CAPSTAN_RULE(members)                                                               \
  R"("rules":[{"operations":["*"],"apiGroups":[""],"apiVersions":["v1"],"resources":["*"])" \
  "," members "}]"

INSTANTIATE_TEST_SUITE_P(
    Fields, WebhookValidationTest,
    ::testing::Values(
        Case{R"("name":"")", "name", "FieldValueRequired", "Required value"},
        Case{R"("name":"x.io")", "name", "FieldValueInvalid",
             R"(Invalid value: "x.io": should be a domain with at least three segments separated )"
             "by dots"},
        Case{R"("failurePolicy":"Retry")", "failurePolicy", "FieldValueNotSupported",
             R"(Unsupported value: "Retry": supported values: "Fail", "Ignore")"},
        Case{R"("matchPolicy":"Some")", "matchPolicy", "FieldValueNotSupported",
             R"(Unsupported value: "Some": supported values: "Equivalent", "Exact")"},
        Case{R"("sideEffects":"Some")", "sideEffects", "FieldValueNotSupported",
             R"(Unsupported value: "Some": supported values: "None", "NoneOnDryRun")"},
        Case{R"("timeoutSeconds":31)", "timeoutSeconds", "FieldValueInvalid",
             "Invalid value: 31: the timeout value must be between 1 and 30 seconds"},
        Case{R"("clientConfig":{})", "clientConfig", "FieldValueRequired",
             "Required value: exactly one of url or service is required"},
        Case{R"("clientConfig":{"url":"http://b"})", "clientConfig.url", "FieldValueInvalid",
             R"(Invalid value: "http": 'https' is the only allowed URL scheme; desired format: )"
             "https://host[/path]"},
        Case{R"("clientConfig":{"url":"https://u:p@b"})", "clientConfig.url", "FieldValueInvalid",
             R"(Invalid value: "u:p": user information is not permitted in the URL)"},
        Case{R"("clientConfig":{"url":"https://b/?q=1"})", "clientConfig.url", "FieldValueInvalid",
             R"(Invalid value: "q=1": query parameters are not permitted in the URL)"},
        Case{R"("clientConfig":{"service":{"name":"s","namespace":"d","port":70000}})",
             "clientConfig.service.port", "FieldValueInvalid",
             "Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive"},
        // The server confuses the two.
        Case{R"("clientConfig":{"service":{"name":"","namespace":"d"}})",
             "clientConfig.service.namespace", "FieldValueRequired", "Required value"},
        Case{R"("clientConfig":{"service":{"name":"s","namespace":""}})",
             "clientConfig.service.name", "FieldValueRequired", "Required value"},
        Case{R"("admissionReviewVersions":[])", "admissionReviewVersions", "FieldValueRequired",
             "Required value: must specify one of v1, v1beta1"},
        Case{R"("admissionReviewVersions":["v1","v1"])", "admissionReviewVersions[1]",
             "FieldValueInvalid", R"(Invalid value: "v1": duplicate version)"},
        Case{R"("admissionReviewVersions":["v1","1"])", "admissionReviewVersions[1]",
             "FieldValueInvalid",
             R"(Invalid value: "1": a DNS-1035 label must consist of lower case alphanumeric )"
             "characters or '-', start with an alphabetic character, and end with an alphanumeric "
             "character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
             "'[a-z]([-a-z0-9]*[a-z0-9])?')"},
        Case{R"("clientConfig":{"service":{"name":"s","namespace":"d","path":"/a//b/"}})",
             "clientConfig.service.path", "FieldValueInvalid",
             R"(Invalid value: "/a//b/": segment[1] may not be empty)"},
        Case{R"("clientConfig":{"service":{"name":"s","namespace":"d","path":"//"}})",
             "clientConfig.service.path", "FieldValueInvalid",
             R"(Invalid value: "//": segment[0] may not be empty)"},
        Case{R"("clientConfig":{"service":{"name":"s","namespace":"d","path":"/a/B"}})",
             "clientConfig.service.path", "FieldValueInvalid",
             R"(Invalid value: "/a/B": segment[1]: a lowercase RFC 1123 subdomain must consist of )"
             "lower case alphanumeric characters, '-' or '.', and must start and end with an "
             "alphanumeric character (e.g. 'example.com', regex used for validation is "
             "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"},
        Case{R"("rules":[{"operations":[],"apiGroups":[""],"apiVersions":["v1"],)"
             R"("resources":["*"]}])",
             "rules[0].operations", "FieldValueRequired", "Required value"},
        Case{R"("rules":[{"operations":["READ"],"apiGroups":[""],"apiVersions":["v1"],)"
             R"("resources":["*"]}])",
             "rules[0].operations[0]", "FieldValueNotSupported",
             R"(Unsupported value: "READ": supported values: "*", "CONNECT", "CREATE", "DELETE", )"
             R"("UPDATE")"},
        Case{R"("rules":[{"operations":["*"],"apiGroups":[],"apiVersions":["v1"],)"
             R"("resources":["*"]}])",
             "rules[0].apiGroups", "FieldValueRequired", "Required value"},
        Case{R"("rules":[{"operations":["*"],"apiGroups":[""],"apiVersions":["v1"],)"
             R"("resources":["pods/*","pods/status"]}])",
             "rules[0].resources[1]", "FieldValueInvalid",
             R"(Invalid value: "pods/status": if 'pods/*' is present, must not specify )"
             "pods/status"},
        Case{CAPSTAN_RULE(R"("scope":"Any")"), "rules[0].scope", "FieldValueNotSupported",
             R"(Unsupported value: "Any": supported values: "*", "Cluster", "Namespaced")"},
        Case{R"("objectSelector":{"matchExpressions":[{"key":"a","operator":"In"}]})",
             "objectSelector.matchExpressions[0].values", "FieldValueRequired",
             "Required value: must be specified when `operator` is 'In' or 'NotIn'"},
        Case{R"("namespaceSelector":{"matchExpressions":[{"key":"a","operator":"Is"}]})",
             "namespaceSelector.matchExpressions[0].operator", "FieldValueInvalid",
             R"(Invalid value: "Is": not a valid selector operator)"}));

#undef CAPSTAN_RULE

using WebhooksTest = ContractTest;

TEST_F(WebhooksTest, AddsDefaults) {
  const std::string path = Configurations(true);
  DeleteLater(path + "/" + ns());
  const Answer created = Post(
      path, R"({"metadata":{"name":")" + ns() +
                R"("},"webhooks":[{"name":"a.x.io","clientConfig":{"url":"https://b"},)"
                R"("rules":[{"operations":["CREATE"],"apiGroups":["x.io"],"apiVersions":["*"],)"
                R"("resources":["*"]}],)"
                R"("sideEffects":"None","admissionReviewVersions":["v1"]}]})");

  EXPECT_EQ(created.code, 201);
  EXPECT_EQ(Sorted(runtime::ToJson(created.json["webhooks"])),
            Sorted(R"([{"name":"a.x.io","clientConfig":{"url":"https://b"},)"
                   R"("rules":[{"operations":["CREATE"],"apiGroups":["x.io"],)"
                   R"("apiVersions":["*"],"resources":["*"],"scope":"*"}],)"
                   R"("failurePolicy":"Fail","matchPolicy":"Equivalent","namespaceSelector":{},)"
                   R"("objectSelector":{},"sideEffects":"None","timeoutSeconds":10,)"
                   R"("admissionReviewVersions":["v1"],"reinvocationPolicy":"Never"}])"));
}

TEST_F(WebhooksTest, RejectsAnUnknownReinvocationPolicy) {
  const Answer answer =
      Post(Configurations(true),
           R"({"metadata":{"name":")" + ns() +
               R"("},"webhooks":[{"name":"a.x.io","clientConfig":{"url":"https://b"},)"
               R"("sideEffects":"None","admissionReviewVersions":["v1"],)"
               R"("reinvocationPolicy":"Often"}]})");

  EXPECT_REFUSED(answer,
                 Invalid("MutatingWebhookConfiguration.admissionregistration.k8s.io", ns(),
                         "webhooks[0].reinvocationPolicy", "FieldValueNotSupported",
                         R"(Unsupported value: "Often": supported values: "IfNeeded", "Never")"));
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
