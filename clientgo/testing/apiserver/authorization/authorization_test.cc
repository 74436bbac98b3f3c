// SPDX-License-Identifier: Apache-2.0
// Tests of who may do what: RBAC, impersonation, and what users may grant. The texts are those of
// kube-apiserver 1.34.
#include "clientgo/testing/apiserver/testing/access_fixture.h"

namespace capstan::testing::apiserver {
namespace {

using ::testing::HasSubstr;

using RbacTest = AccessTest;

TEST_F(RbacTest, ForbidsWhatNoRoleGrants) {
  const Answer list = As("jane", "GET", kConfigMaps);
  EXPECT_EQ(list.body, R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
                       R"("message":"configmaps is forbidden: User \"jane\" cannot list resource )"
                       R"(\"configmaps\" in API group \"\" in the namespace \"default\"",)"
                       R"("reason":"Forbidden","details":{"kind":"configmaps"},"code":403})"
                       "\n");
  EXPECT_EQ(As("jane", "GET", Path(kDeployments, "/d/scale")).message(),
            "deployments.apps \"d\" is forbidden: User \"jane\" cannot get resource "
            "\"deployments/scale\" in API group \"apps\" in the namespace \"default\"");
  EXPECT_EQ(As("jane", "GET", "/api/v1/pods?watch=1").message(),
            "pods is forbidden: User \"jane\" cannot watch resource \"pods\" in API group \"\" at "
            "the cluster scope");
  EXPECT_EQ(As("jane", "GET", "/api/v1/namespaces/default").message(),
            "namespaces \"default\" is forbidden: User \"jane\" cannot get resource "
            "\"namespaces\" in API group \"\" in the namespace \"default\"");
  EXPECT_EQ(As("jane", "GET", "/nope").message(),
            "forbidden: User \"jane\" cannot get path \"/nope\"");
  EXPECT_EQ(As("jane", "DELETE", kConfigMaps).code, 403);
  EXPECT_EQ(As("jane", "GET", "/apis/unknown.io/v1/things").code, 403);
}

TEST_F(RbacTest, AllowsEverythingToMasters) {
  EXPECT_EQ(As("admin", "GET", "/api/v1/pods").code, 200);
  EXPECT_EQ(As("admin", "GET", "/nope").code, 404);
}

TEST_F(RbacTest, GrantsRoleInItsNamespaceOnly) {
  Make("/api/v1/namespaces", R"({"metadata":{"name":"other"}})");
  Make(kRoles, R"({"metadata":{"name":"r"},"rules":[{)" + std::string(kReadConfigMaps) + "}]}");
  Make(kRoleBindings, Binding("r", "Role", kJane));

  EXPECT_EQ(As("jane", "GET", kConfigMaps).code, 200);
  EXPECT_EQ(As("jane", "POST", kConfigMaps, R"({"metadata":{"name":"a"}})").code, 403);
  EXPECT_EQ(As("jane", "GET", "/api/v1/namespaces/other/configmaps").code, 403);
  EXPECT_EQ(As("jane", "GET", "/api/v1/configmaps").code, 403);
  EXPECT_EQ(As("joe", "GET", kConfigMaps).code, 403);
}

TEST_F(RbacTest, GrantsClusterRoleByRoleBindingInOneNamespace) {
  Grant("r", kReadConfigMaps, kDevs);

  EXPECT_EQ(As("joe", "GET", kConfigMaps).code, 200);
  EXPECT_EQ(As("joe", "GET", "/api/v1/configmaps").code, 403);
}

TEST_F(RbacTest, GrantsClusterRoleEverywhere) {
  Grant("r", kReadConfigMaps, kJane, true);

  EXPECT_EQ(As("jane", "GET", "/api/v1/configmaps").code, 200);
  EXPECT_EQ(As("jane", "GET", kConfigMaps).code, 200);
}

TEST_F(RbacTest, RevokesWhenBindingOrRoleIsDeleted) {
  Grant("r", kReadConfigMaps, kJane);
  Grant("s", kReadConfigMaps, R"("kind":"User","name":"joe")");

  EXPECT_EQ(As("admin", "DELETE", Path(kRoleBindings, "/r")).code, 200);
  EXPECT_EQ(As("admin", "DELETE", Path(kClusterRoles, "/s")).code, 200);

  EXPECT_EQ(As("jane", "GET", kConfigMaps).code, 403);
  EXPECT_EQ(As("joe", "GET", kConfigMaps).message(),
            "configmaps is forbidden: User \"joe\" cannot list resource \"configmaps\" in API "
            "group \"\" in the namespace \"default\": RBAC: clusterrole.rbac.authorization.k8s.io "
            "\"s\" not found");
}

TEST_F(RbacTest, RestrictsToResourceNames) {
  Make(kConfigMaps, R"({"metadata":{"name":"a"}})");
  Grant("r", std::string(kReadConfigMaps) + R"(,"resourceNames":["a"])", kJane);

  EXPECT_EQ(As("jane", "GET", Path(kConfigMaps, "/a")).code, 200);
  EXPECT_EQ(As("jane", "GET", Path(kConfigMaps, "/b")).code, 403);
  EXPECT_EQ(As("jane", "GET", Path(kConfigMaps, "?fieldSelector=metadata.name%3Da")).code, 200);
  EXPECT_EQ(As("jane", "GET", Path(kConfigMaps, "?fieldSelector=metadata.name%3Db")).code, 403);
  EXPECT_EQ(As("jane", "GET", kConfigMaps).code, 403);
}

TEST_F(RbacTest, TellsSubresourcesApart) {
  Grant("r", R"("apiGroups":["*"],"resources":["*/scale","pods"],"verbs":["get"])", kJane);

  EXPECT_EQ(As("jane", "GET", Path(kDeployments, "/d/scale")).code, 404);
  EXPECT_EQ(As("jane", "GET", Path(kDeployments, "/d")).code, 403);
  EXPECT_EQ(As("jane", "GET", "/api/v1/namespaces/default/pods/p/log").code, 403);
}

TEST_F(RbacTest, LetsRoleInNamespaceGrantTheNamespace) {
  Grant("r", R"("apiGroups":[""],"resources":["namespaces"],"verbs":["get"])", kJane);

  EXPECT_EQ(As("jane", "GET", "/api/v1/namespaces/default").code, 200);
  EXPECT_EQ(As("jane", "GET", "/api/v1/namespaces/kube-system").code, 403);
}

TEST_F(RbacTest, LetsEverybodyReadWhatIsPublic) {
  EXPECT_EQ(As("", "GET", "/version").code, 200);
  EXPECT_EQ(As("", "GET", "/healthz").code, 200);
  EXPECT_EQ(As("", "GET", "/apis").message(),
            "forbidden: User \"system:anonymous\" cannot get path \"/apis\"");
  EXPECT_EQ(As("jane", "GET", "/apis").code, 200);
  EXPECT_EQ(As("jane", "GET", "/apis/apps/v1").code, 200);
  EXPECT_EQ(As("jane", "GET", "/openapi/v3").code, 200);
  EXPECT_EQ(As("unknown", "GET", "/version").code, 401);
}

TEST_F(RbacTest, GrantsNonResourceUrls) {
  Grant("r", R"("nonResourceURLs":["/logs/*"],"verbs":["get"])", kJane, true);

  EXPECT_EQ(As("jane", "GET", "/logs/a").code, 404);
  EXPECT_EQ(As("jane", "GET", "/logs").code, 403);
  EXPECT_EQ(As("jane", "POST", "/logs/a", "{}").code, 403);
}

class ImpersonationTest : public AccessTest {
 protected:
  // Returns the message of the error, or the user that the request acts as.
  std::string WhoIs(std::string_view user, std::string_view headers) {
    const Answer answer =
        As(user, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}", headers);
    if (answer.code != 201) return std::string(answer.message());
    return runtime::ToJson(ObjectAt(ObjectAt(answer.json, "status"), "userInfo"));
  }
};

TEST_F(ImpersonationTest, NeedsARightForEachValue) {
  const std::string who = "User \"jane\" cannot impersonate resource ";
  EXPECT_EQ(
      WhoIs("jane", "Impersonate-User: bob\r\n"),
      "users \"bob\" is forbidden: " + who + "\"users\" in API group \"\" at the cluster scope");
  Grant("users", R"("apiGroups":[""],"resources":["users"],"verbs":["impersonate"])", kJane, true);
  EXPECT_THAT(WhoIs("jane", "Impersonate-User: bob\r\n"), HasSubstr(R"("username":"bob")"));
  EXPECT_EQ(
      WhoIs("jane", "Impersonate-User: bob\r\nImpersonate-Group: ops\r\n"),
      "groups \"ops\" is forbidden: " + who + "\"groups\" in API group \"\" at the cluster scope");
  EXPECT_EQ(
      WhoIs("jane", "Impersonate-User: bob\r\nImpersonate-Extra-scopes: x\r\n"),
      "userextras.authentication.k8s.io \"x\" is forbidden: " + who +
          "\"userextras/scopes\" in API group \"authentication.k8s.io\" at the cluster scope");
  EXPECT_EQ(WhoIs("jane", "Impersonate-User: bob\r\nImpersonate-Uid: 7\r\n"),
            "uids.authentication.k8s.io \"7\" is forbidden: " + who +
                "\"uids\" in API group \"authentication.k8s.io\" at the cluster scope");
  EXPECT_EQ(WhoIs("jane", "Impersonate-User: system:serviceaccount:default:a\r\n"),
            "serviceaccounts \"a\" is forbidden: " + who +
                "\"serviceaccounts\" in API group \"\" in the namespace \"default\"");
}

TEST_F(ImpersonationTest, GivesTheGroupsOfTheUser) {
  EXPECT_EQ(WhoIs("admin", "Impersonate-User: bob\r\n"),
            R"({"username":"bob","groups":["system:authenticated"]})");
  EXPECT_EQ(WhoIs("admin",
                  "Impersonate-User: bob\r\nImpersonate-Group: ops\r\nImpersonate-Uid: 7\r\n"
                  "Impersonate-Extra-Acme.com%2fscope: x\r\n"),
            R"({"username":"bob","uid":"7","groups":["ops","system:authenticated"],)"
            R"("extra":{"acme.com/scope":["x"]}})");
  EXPECT_EQ(WhoIs("admin", "Impersonate-User: system:serviceaccount:default:a\r\n"),
            R"({"username":"system:serviceaccount:default:a","groups":["system:serviceaccounts",)"
            R"("system:serviceaccounts:default","system:authenticated"]})");
}

TEST_F(ImpersonationTest, ActsWithTheRightsOfTheUser) {
  Grant("r", kReadConfigMaps, kJane);

  EXPECT_EQ(As("admin", "GET", kConfigMaps, "", "Impersonate-User: jane\r\n").code, 200);
  EXPECT_EQ(As("admin", "GET", kSecrets, "", "Impersonate-User: jane\r\n").message(),
            "secrets is forbidden: User \"jane\" cannot list resource \"secrets\" in API group "
            "\"\" in the namespace \"default\"");
  EXPECT_EQ(As("admin", "GET", kConfigMaps, "", "Impersonate-Group: devs\r\n").code, 500);
}

class EscalationTest : public AccessTest {
 protected:
  void SetUp() override {
    AccessTest::SetUp();
    Grant("writer",
          R"("apiGroups":["rbac.authorization.k8s.io"],"resources":["roles","rolebindings"],)"
          R"("verbs":["create","update","patch"])",
          kJane);
    Make(kRoles, R"({"metadata":{"name":"pods"},"rules":[{"apiGroups":[""],"resources":["pods"],)"
                 R"("verbs":["get","list"]}]})");
  }
  static std::string Role(const std::string& resource) {
    return R"({"metadata":{"name":"made"},"rules":[{"apiGroups":[""],"resources":[")" + resource +
           R"("],"verbs":["get","list"]}]})";
  }
};

TEST_F(EscalationTest, ForbidsRoleWithMoreRightsThanItsWriter) {
  const Answer refused = As("jane", "POST", kRoles, Role("secrets"));
  EXPECT_EQ(refused.code, 403);
  EXPECT_EQ(refused.message(),
            "roles.rbac.authorization.k8s.io \"made\" is forbidden: user \"jane\" "
            "(groups=[\"devs\" \"system:authenticated\"]) is attempting to grant RBAC permissions "
            "not currently held:\n{APIGroups:[\"\"], Resources:[\"secrets\"], Verbs:[\"get\" "
            "\"list\"]}");
  EXPECT_EQ(As("admin", "GET", Path(kRoles, "/made")).code, 404);
}

TEST_F(EscalationTest, AllowsRoleWithRightsOfItsWriter) {
  Grant("maps", kReadConfigMaps, kJane);

  EXPECT_EQ(As("jane", "POST", kRoles, Role("configmaps")).code, 201);
  EXPECT_EQ(As("jane", "PATCH", Path(kRoles, "/made"),
               R"({"rules":[{"apiGroups":[""],"resources":["configmaps"],"verbs":["*"]}]})",
               "Content-Type: application/merge-patch+json\r\n")
                .code,
            403);
}

TEST_F(EscalationTest, AllowsAnyRoleWithTheVerbEscalate) {
  Grant("escalate",
        R"("apiGroups":["rbac.authorization.k8s.io"],"resources":["roles"],"verbs":["escalate"])",
        kJane);

  EXPECT_EQ(As("jane", "POST", kRoles, Role("secrets")).code, 201);
}

TEST_F(EscalationTest, ForbidsBindingOfRoleWithMoreRights) {
  const Answer refused = As("jane", "POST", kRoleBindings, Binding("pods", "Role", kJane));
  EXPECT_EQ(refused.message(),
            "rolebindings.rbac.authorization.k8s.io \"pods\" is forbidden: user \"jane\" "
            "(groups=[\"devs\" \"system:authenticated\"]) is attempting to grant RBAC permissions "
            "not currently held:\n{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"get\" "
            "\"list\"]}");
  EXPECT_EQ(As("jane", "POST", kRoleBindings, Binding("missing", "Role", kJane)).message(),
            "rolebindings.rbac.authorization.k8s.io \"missing\" not found");
  // An administrator may bind a role that does not exist yet.
  EXPECT_EQ(As("admin", "POST", kRoleBindings, Binding("missing", "Role", kJane)).code, 201);
}

TEST_F(EscalationTest, AllowsBindingWithTheVerbBind) {
  Grant("bind",
        R"("apiGroups":["rbac.authorization.k8s.io"],"resources":["roles"],)"
        R"("resourceNames":["pods"],"verbs":["bind"])",
        kJane);

  EXPECT_EQ(As("jane", "POST", kRoleBindings, Binding("pods", "Role", kJane)).code, 201);
  EXPECT_EQ(As("jane", "GET", "/api/v1/namespaces/default/pods").code, 200);
}

TEST_F(EscalationTest, LeavesAggregationRulesToAdministrators) {
  Grant("cluster", R"("apiGroups":["*"],"resources":["*"],"verbs":["create"])", kJane, true);

  EXPECT_EQ(As("jane", "POST", kClusterRoles,
               R"({"metadata":{"name":"a"},"aggregationRule":{"clusterRoleSelectors":)"
               R"([{"matchLabels":{"a":"b"}}]}})")
                .message(),
            "clusterroles.rbac.authorization.k8s.io \"a\" is forbidden: must have cluster-admin "
            "privileges to use the aggregationRule");
}

TEST_F(EscalationTest, NeedsTheVerbAttestForTrustBundlesOfASigner) {
  constexpr std::string_view kBundles = "/apis/certificates.k8s.io/v1/clustertrustbundles";
  Grant("bundles",
        R"("apiGroups":["certificates.k8s.io"],"resources":["clustertrustbundles"],)"
        R"("verbs":["create"])",
        kJane, true);
  const std::string bundle =
      R"({"metadata":{"name":"x.io:mesh:a"},"spec":{"signerName":"x.io/mesh","trustBundle":"x"}})";

  EXPECT_EQ(As("jane", "POST", kBundles, bundle).message(),
            "clustertrustbundles.certificates.k8s.io \"x.io:mesh:a\" is forbidden: user not "
            "permitted to attest for signerName \"x.io/mesh\"");
  Grant("attest",
        R"("apiGroups":["certificates.k8s.io"],"resources":["signers"],"verbs":["attest"],)"
        R"("resourceNames":["x.io/*"])",
        kJane, true);
  EXPECT_EQ(As("jane", "POST", kBundles, bundle).code, 422);  // it has no certificate
}

TEST_F(EscalationTest, ChecksNothingWhenEverythingIsAllowed) {
  Start({.tokens = {{"jane-token", "jane"}}});

  EXPECT_EQ(As("jane", "POST", kRoles, Role("secrets")).code, 201);
}

using RbacValidationTest = AccessTest;

TEST_F(RbacValidationTest, KeepsTheRoleOfABinding) {
  Make(kRoleBindings, Binding("b", "Role", kJane));

  EXPECT_EQ(As("admin", "PATCH", Path(kRoleBindings, "/b"), R"({"roleRef":{"name":"other"}})",
               "Content-Type: application/merge-patch+json\r\n")
                .message(),
            "RoleBinding.rbac.authorization.k8s.io \"b\" is invalid: roleRef: Invalid value: "
            "{\"APIGroup\":\"rbac.authorization.k8s.io\",\"Kind\":\"Role\",\"Name\":\"other\"}: "
            "cannot change roleRef");
}

TEST_F(RbacValidationTest, RejectsBadRules) {
  const auto message = [&](std::string_view collection, const std::string& rule) {
    return std::string(
        As("admin", "POST", collection, R"({"metadata":{"name":"a"},"rules":[{)" + rule + "}]}")
            .message());
  };
  EXPECT_EQ(message(kRoles, ""),
            "Role.rbac.authorization.k8s.io \"a\" is invalid: [rules[0].verbs: Required value: "
            "verbs must contain at least one value, rules[0].apiGroups: Required value: resource "
            "rules must supply at least one api group, rules[0].resources: Required value: "
            "resource rules must supply at least one resource]");
  EXPECT_EQ(message(kRoles, R"("verbs":["get"],"nonResourceURLs":["/x"])"),
            "Role.rbac.authorization.k8s.io \"a\" is invalid: rules[0].nonResourceURLs: Invalid "
            "value: [\"/x\"]: namespaced rules cannot apply to non-resource URLs");
  EXPECT_EQ(message(kClusterRoles, R"("verbs":["get"],"nonResourceURLs":["/x"],"apiGroups":[""])"),
            "ClusterRole.rbac.authorization.k8s.io \"a\" is invalid: rules[0].nonResourceURLs: "
            "Invalid value: [\"/x\"]: rules cannot apply to both regular resources and "
            "non-resource URLs");
}

TEST_F(RbacValidationTest, RejectsBadSubjects) {
  const auto message = [&](const std::string& subject) {
    return std::string(
        As("admin", "POST", kClusterRoleBindings, Binding("a", "ClusterRole", subject)).message());
  };
  const std::string invalid = "ClusterRoleBinding.rbac.authorization.k8s.io \"a\" is invalid: ";
  EXPECT_EQ(message(R"("kind":"ServiceAccount","name":"x")"),
            invalid + "subjects[0].namespace: Required value");
  EXPECT_EQ(message(R"("kind":"User","name":"x","apiGroup":"v1")"),
            invalid +
                "subjects[0].apiGroup: Unsupported value: \"v1\": supported values: "
                "\"rbac.authorization.k8s.io\"");
  EXPECT_EQ(message(R"("kind":"Robot","name":"x")"),
            invalid +
                "subjects[0].kind: Unsupported value: \"Robot\": supported values: "
                "\"ServiceAccount\", \"User\", \"Group\"");
  EXPECT_EQ(As("admin", "POST", kClusterRoleBindings, Binding("a", "Role", kJane)).message(),
            invalid +
                "roleRef.kind: Unsupported value: \"Role\": supported values: "
                "\"ClusterRole\"");
}

}  // namespace
}  // namespace capstan::testing::apiserver
