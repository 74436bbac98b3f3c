// SPDX-License-Identifier: Apache-2.0
// The errors are those of kube-apiserver 1.37.
#include "clientgo/testing/apiserver/authorization/authorization_configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "capstan/testing/temp_dir.h"

namespace capstan::testing::apiserver {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class AuthorizationConfigurationTest : public ::testing::Test {
 protected:
  static std::string With(const std::string& authorizers) {
    return "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\n"
           "authorizers: " +
           authorizers;
  }
  // Returns the error, or "".
  static std::string WhyNot(const std::string& text) {
    const auto chain = ReadAuthorizationConfiguration(text);
    return chain ? "" : chain.error().message;
  }
  // Returns the text of a webhook "w" with this kubeconfig and these members.
  static std::string Webhook(const std::string& file, const std::string& members = "") {
    return "[{type: Webhook, name: w, webhook: {timeout: 3s, subjectAccessReviewVersion: v1, "
           "failurePolicy: Deny, connectionInfo: {type: KubeConfigFile, kubeConfigFile: " +
           file + "}" + members + "}}]";
  }

  TempDir dir_;
  const std::string kubeconfig_ =
      dir_.Write("kubeconfig",
                 "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: "
                 "{cluster: c, "
                 "user: u}}]\nclusters: [{name: c, cluster: {server: 'https://127.0.0.1:1/a'}}]\n"
                 "users: [{name: u, user: {}}]\n");
};

TEST_F(AuthorizationConfigurationTest, ReadsChainInOrder) {
  const auto chain = ReadAuthorizationConfiguration(With(
      "[{type: Node, name: node}, {type: RBAC, name: rbac}, " + Webhook(kubeconfig_).substr(1)));

  ASSERT_TRUE(chain) << chain.error().message;
  ASSERT_EQ(chain->size(), 3U);
  EXPECT_EQ((*chain)[0].type, AuthorizerType::kNode);
  EXPECT_EQ((*chain)[1].type, AuthorizerType::kRbac);
  EXPECT_EQ((*chain)[2].type, AuthorizerType::kWebhook);
  EXPECT_NE((*chain)[2].webhook, nullptr);
}

TEST_F(AuthorizationConfigurationTest, RejectsWhatStrictDecoderRejects) {
  const std::string failed = "failed to load AuthorizationConfiguration from file: ";
  EXPECT_EQ(WhyNot(With("[{type: RBAC, name: rbac, foo: 1}]")),
            failed + R"(strict decoding error: unknown field "authorizers[0].foo")");
  EXPECT_EQ(WhyNot(With("[{type: RBAC, name: rbac}]\nauthorizers: []")),
            failed +
                "strict decoding error: yaml: unmarshal errors:\n"
                "  line 4: key \"authorizers\" already set in map");
  EXPECT_EQ(WhyNot(With("[{type: RBAC, name: true}]")),
            failed +
                "json: cannot unmarshal bool into Go struct field "
                "AuthorizerConfiguration.authorizers.name of type string");
  EXPECT_EQ(WhyNot(With("[{type: Webhook, name: w, webhook: {timeout: 3}}]")),
            failed +
                "json: cannot unmarshal number into Go struct field "
                "WebhookConfiguration.authorizers.webhook.timeout of type string");
  EXPECT_EQ(WhyNot("kind: AuthorizationConfiguration"),
            failed + "Object 'apiVersion' is missing in 'kind: AuthorizationConfiguration'");
  EXPECT_EQ(WhyNot("apiVersion: v1\nkind: Pod"),
            failed +
                "no kind \"Pod\" is registered for version \"v1\" in scheme "
                "\"pkg/runtime/scheme.go:111\"");
  EXPECT_THAT(WhyNot("}{"), StartsWith(failed + "yaml: "));
}

TEST_F(AuthorizationConfigurationTest, RejectsInvalidAuthorizers) {
  EXPECT_EQ(WhyNot(With("[]")),
            "authorizers: Required value: at least one authorization mode must be defined");
  EXPECT_EQ(WhyNot(With("[{type: Nope, name: x}, {name: b}, {type: RBAC, name: rbac}, "
                        "{type: RBAC, name: c}, {type: Node, name: 'a_b'}]")),
            "[authorizers[0].type: Unsupported value: \"Nope\": supported values: \"ABAC\", "
            "\"AlwaysAllow\", \"AlwaysDeny\", \"Node\", \"RBAC\", \"Webhook\", "
            "authorizers[1].type: Required value, "
            "authorizers[3].type: Duplicate value: \"RBAC\", "
            "authorizers[4].name: Invalid value: \"a_b\": authorizer name is invalid: a lowercase "
            "RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
            "and must start and end with an alphanumeric character (e.g. 'example.com', regex "
            "used for validation is "
            "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')]");
  EXPECT_EQ(WhyNot(With("[{type: RBAC, name: x}]")),
            "expected name rbac for authorizer RBAC instead of x");
  EXPECT_EQ(WhyNot(With("[{type: ABAC, name: abac}]")),
            "authorizers[0].type: ABAC is not supported; use RBAC or Webhook");
}

TEST_F(AuthorizationConfigurationTest, RejectsInvalidWebhooks) {
  EXPECT_EQ(WhyNot(With("[{type: Webhook, name: w, webhook: {}}, {type: Webhook, name: w}]")),
            "[authorizers[0].timeout: Required value, "
            "authorizers[0].subjectAccessReviewVersion: Required value, "
            "authorizers[0].failurePolicy: Required value, "
            "authorizers[0].connectionInfo.type: Required value, "
            "authorizers[1].name: Duplicate value: \"w\", "
            "authorizers[1].webhook: Required value: required when type=Webhook]");
  EXPECT_EQ(WhyNot(With(Webhook("/nope", ", authorizedTTL: -1s"))),
            "[authorizers[0].authorizedTTL: Invalid value: \"-1s\": must be > 0s, "
            "authorizers[0].connectionInfo.kubeConfigFile: Invalid value: \"/nope\": error loading "
            "file: stat /nope: no such file or directory]");
  const std::string wrong =
      WhyNot(With(Webhook(kubeconfig_,
                          ", matchConditions: [{expression: ''}, "
                          "{expression: 'request.foo == 1'}, {expression: '1'}]")));
  EXPECT_THAT(wrong, StartsWith("[authorizers[0].matchConditionSubjectAccessReviewVersion: "
                                "Required value: required if match conditions are specified, "
                                "authorizers[0].matchConditions[0].expression: Required value, "
                                "authorizers[0].matchConditions[1].expression: Invalid value: "
                                "\"request.foo == 1\": compilation failed: ERROR: "));
  EXPECT_THAT(wrong, HasSubstr("undefined field 'foo'"));
  EXPECT_THAT(wrong, EndsWith("authorizers[0].matchConditions[2].expression: Invalid value: \"1\": "
                              "must evaluate to bool but got int]"));
}

}  // namespace
}  // namespace capstan::testing::apiserver
