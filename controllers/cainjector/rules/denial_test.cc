// SPDX-License-Identifier: Apache-2.0
// The messages are those of kube-apiserver 1.37.
#include "controllers/cainjector/rules/denial.h"

#include <gtest/gtest.h>

namespace capstan::cainjector {
namespace {

using By = Denial::By;

// "2 x/y": By::kPolicy with that name and binding.
std::string Of(std::string_view message) {
  const auto denial = DenialOf(message);
  if (!denial) return "none";
  return std::to_string(static_cast<int>(denial->by)) + " " + denial->name +
         (denial->binding.empty() ? "" : "/" + denial->binding);
}
std::string Text(By by, const std::string& rest = {}) {
  return std::to_string(static_cast<int>(by)) + " " + rest;
}

constexpr std::string_view kRights =
    R"(secrets "ca" is forbidden: User "joe" cannot get resource "secrets" in API group "")"
    R"( in the namespace "ns")";

TEST(DenialTest, AuthorizersNameAUser) {
  EXPECT_EQ(Of(kRights), Text(By::kAuthorizer));
  EXPECT_EQ(Of("forbidden: User \"joe\" cannot get path \"/openapi/v3\""), Text(By::kAuthorizer));
  EXPECT_EQ(Of("clustertrustbundles.certificates.k8s.io \"b\" is forbidden: user not permitted to "
               "attest for signerName \"example.com/x\""),
            Text(By::kAuthorizer))
      << "the plugin checks a right";
}

TEST(DenialTest, AdmissionWebhooksArePartOfTheMessage) {
  EXPECT_EQ(Of("admission webhook \"deny.example.com\" denied the request: not today"),
            Text(By::kWebhook, "deny.example.com"));
  EXPECT_EQ(Of("admission webhook \"deny.example.com\" denied the request without explanation"),
            Text(By::kWebhook, "deny.example.com"));
}

TEST(DenialTest, PoliciesArePartOfTheMessage) {
  EXPECT_EQ(Of("customresourcedefinitions.apiextensions.k8s.io \"x\" is forbidden: "
               "ValidatingAdmissionPolicy 'no-bundles' with binding 'everywhere' denied request: "
               "failed expression: false"),
            Text(By::kPolicy, "no-bundles/everywhere"));
  EXPECT_EQ(Of("policy 'label-all' with binding 'everywhere' denied request: no such key"),
            Text(By::kPolicy, "label-all"))
      << "also a MutatingAdmissionPolicy";
  EXPECT_EQ(Of("policy \"label-all\" denied request: no such key"), Text(By::kPolicy, "label-all"));
}

TEST(DenialTest, QuotasAndNamespacesArePartOfTheMessage) {
  EXPECT_EQ(Of("configmaps \"c\" is forbidden: exceeded quota: few, requested: count/configmaps=1, "
               "used: count/configmaps=1, limited: count/configmaps=1"),
            Text(By::kQuota, "few"));
  EXPECT_EQ(Of("configmaps \"c\" is forbidden: unable to create new content in namespace old "
               "because it is being terminated"),
            Text(By::kNamespace, "old"));
}

TEST(DenialTest, OtherPluginsForbid) {
  EXPECT_EQ(Of("pods \"p\" is forbidden: node \"a\" can only update pods with spec.nodeName set to "
               "itself"),
            Text(By::kPlugin));
}

TEST(DenialTest, TextOfAnAuthorOfAPolicyDoesNotCount) {
  EXPECT_EQ(
      Of("admission webhook \"deny.example.com\" denied the request: " + std::string(kRights)),
      Text(By::kWebhook, "deny.example.com"));
  EXPECT_EQ(Of("failed to apply ConfigMap ns/c: configmaps \"c\" is forbidden: "
               "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: User \"x\" cannot"),
            Text(By::kPolicy, "p/b"));
}

TEST(DenialTest, OtherMessagesAreNoDenial) {
  EXPECT_EQ(Of(""), "none");
  EXPECT_EQ(Of("no"), "none");
  EXPECT_EQ(Of("spec is wrong"), "none");
}

}  // namespace
}  // namespace capstan::cainjector
