// SPDX-License-Identifier: Apache-2.0
// Tests of RBAC: what users may do, whom they may impersonate, and what they may grant.
#include "capstan/testing/certificates.h"
#include "e2e/contract/access_fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kReadConfigMaps =
    R"("apiGroups":[""],"resources":["configmaps"],"verbs":["get","list","watch"])";

using RbacTest = AccessContractTest;

TEST_F(RbacTest, ForbidsWhatNoRoleGrants) {
  const std::string in = " in the namespace \"" + ns() + "\"";
  EXPECT_REFUSED(AsUser("GET", ConfigMaps()),
                 Forbids("configmaps", "", R"(list resource "configmaps" in API group "")" + in,
                         R"({"kind":"configmaps"})"));
  EXPECT_REFUSED(AsUser("GET", Core("pods", "p") + "/log"),
                 Forbids("pods", "p", R"(get resource "pods/log" in API group "")" + in,
                         R"({"name":"p","kind":"pods"})"));
  EXPECT_REFUSED(AsUser("GET", "/apis/apps/v1/deployments?watch=1"),
                 Forbids("deployments.apps", "",
                         R"(watch resource "deployments" in API group "apps" at the cluster scope)",
                         R"({"group":"apps","kind":"deployments"})"));
  EXPECT_REFUSED(AsUser("DELETE", "/api/v1/namespaces/" + ns()),
                 Forbids("namespaces", ns(), R"(delete resource "namespaces" in API group "")" + in,
                         R"({"name":")" + ns() + R"(","kind":"namespaces"})"));
  EXPECT_REFUSED(
      AsUser("DELETE", ConfigMaps()),
      Forbids("configmaps", "", R"(deletecollection resource "configmaps" in API group "")" + in,
              R"({"kind":"configmaps"})"));
  EXPECT_EQ(AsUser("GET", "/nope").message(),
            "forbidden: User \"" + User() + "\" cannot get path \"/nope\"");
  EXPECT_EQ(AsUser("GET", "/apis/unknown.io/v1/things").code, 403);
}

TEST_F(RbacTest, GrantsRoleInItsNamespaceOnly) {
  Grant("r", kReadConfigMaps);

  EXPECT_TRUE(GetsSoon(ConfigMaps(), 200));
  EXPECT_EQ(AsUser("GET", ConfigMaps("a")).code, 404);
  EXPECT_EQ(AsUser("POST", ConfigMaps(), R"({"metadata":{"name":"a"}})").code, 403);
  EXPECT_EQ(AsUser("GET", "/api/v1/namespaces/default/configmaps").code, 403);
  EXPECT_EQ(AsUser("GET", "/api/v1/configmaps").code, 403);
}

TEST_F(RbacTest, GrantsClusterRoleEverywhere) {
  GrantEverywhere("r", kReadConfigMaps);

  EXPECT_TRUE(GetsSoon("/api/v1/configmaps?limit=1", 200));
  EXPECT_EQ(AsUser("GET", ConfigMaps()).code, 200);
}

TEST_F(RbacTest, RevokesWhenTheBindingIsDeleted) {
  Grant("r", kReadConfigMaps);
  EXPECT_TRUE(GetsSoon(ConfigMaps(), 200));

  Delete(RoleBindings("r"));

  EXPECT_TRUE(GetsSoon(ConfigMaps(), 403));
}

TEST_F(RbacTest, ReportsMissingRoleOfABinding) {
  Grant("r", kReadConfigMaps);
  EXPECT_TRUE(GetsSoon(ConfigMaps(), 200));

  Delete(Roles("r"));

  std::string message;
  EXPECT_TRUE(Eventually([&] {
    message = AsUser("GET", ConfigMaps()).message();
    // Kubernetes 1.37 puts the name of the authorizer before it.
    const std::string prefix = Minor() < 37 ? "" : "rbac: ";
    return message.ends_with("in the namespace \"" + ns() + "\": " + prefix +
                             "RBAC: role.rbac.authorization.k8s.io \"r\" not found");
  })) << message;
}

TEST_F(RbacTest, RestrictsToResourceNames) {
  CreateConfigMap("a");
  Grant("r", std::string(kReadConfigMaps) + R"(,"resourceNames":["a"])");

  EXPECT_TRUE(GetsSoon(ConfigMaps("a"), 200));
  EXPECT_EQ(AsUser("GET", ConfigMaps("b")).code, 403);
  EXPECT_EQ(AsUser("GET", ConfigMaps() + "?fieldSelector=metadata.name%3Da").code, 200);
  EXPECT_EQ(AsUser("GET", ConfigMaps() + "?fieldSelector=metadata.name%3Db").code, 403);
  EXPECT_EQ(AsUser("GET", ConfigMaps() + "?fieldSelector=metadata.name%3D%3Da").code, 200);
  EXPECT_EQ(AsUser("GET", ConfigMaps() + "?fieldSelector=metadata.namespace%3D" + ns() +
                              ",metadata.name%3Da")
                .code,
            200);
  EXPECT_EQ(AsUser("GET", ConfigMaps()).code, 403);
}

// Only a list or a watch can name one object in its field selector.
TEST_F(RbacTest, TakesNoNameFromTheFieldSelectorOfACreate) {
  Grant("c",
        R"("apiGroups":[""],"resources":["configmaps"],"verbs":["create"],"resourceNames":["a"])");

  EXPECT_EQ(AsUser("POST", ConfigMaps() + "?fieldSelector=metadata.name%3Da",
                   R"({"metadata":{"name":"b"}})")
                .code,
            403);
}

TEST_F(RbacTest, TellsSubresourcesApart) {
  Grant("r", R"("apiGroups":["*"],"resources":["*/scale"],"verbs":["get"])");
  const std::string deployment = Apps("deployments", "d");

  EXPECT_TRUE(GetsSoon(deployment + "/scale", 404));
  EXPECT_EQ(AsUser("GET", deployment).code, 403);
}

TEST_F(RbacTest, LetsARoleGrantItsNamespace) {
  Grant("r", R"("apiGroups":[""],"resources":["namespaces"],"verbs":["get"])");

  EXPECT_TRUE(GetsSoon("/api/v1/namespaces/" + ns(), 200));
  EXPECT_EQ(AsUser("GET", "/api/v1/namespaces/default").code, 403);
}

TEST_F(RbacTest, LetsEveryUserDiscover) {
  for (const char* const path : {"/version", "/api", "/apis", "/apis/apps/v1", "/openapi/v3"}) {
    EXPECT_EQ(AsUser("GET", path).code, 200) << path;
  }
}

TEST_F(RbacTest, HasTheRolesOfUsers) {
  const auto rules = [&](std::string_view name) {
    const Answer role = Get(ClusterRoles(name));
    const runtime::JsonValue* const found = runtime::Find(role.json, "rules");
    return found == nullptr ? std::string() : Sorted(runtime::ToJson(*found));
  };
  EXPECT_EQ(rules("cluster-admin"), R"([{"apiGroups":["*"],"resources":["*"],"verbs":["*"]},)"
                                    R"({"nonResourceURLs":["*"],"verbs":["*"]}])");
  EXPECT_EQ(rules("system:basic-user"),
            R"([{"apiGroups":["authorization.k8s.io"],"resources":["selfsubjectaccessreviews",)"
            R"("selfsubjectrulesreviews"],"verbs":["create"]},{"apiGroups":)"
            R"(["authentication.k8s.io"],"resources":["selfsubjectreviews"],"verbs":["create"]}])");
  EXPECT_EQ(rules("system:public-info-viewer"),
            R"([{"nonResourceURLs":["/healthz","/livez","/readyz","/version","/version/"],)"
            R"("verbs":["get"]}])");
  EXPECT_EQ(rules("system:discovery"),
            R"([{"nonResourceURLs":["/api","/api/*","/apis","/apis/*","/healthz","/livez",)"
            R"("/openapi","/openapi/*","/readyz","/version","/version/"],"verbs":["get"]}])");
  const Answer view = Get(ClusterRoles("view"));
  EXPECT_EQ(Sorted(runtime::ToJson(*runtime::Find(view.json, "aggregationRule"))),
            R"({"clusterRoleSelectors":[{"matchLabels":)"
            R"({"rbac.authorization.k8s.io/aggregate-to-view":"true"}}]})");
  EXPECT_EQ(Sorted(runtime::ToJson(*runtime::FindPath(view.json, {"metadata", "labels"}))),
            R"({"kubernetes.io/bootstrapping":"rbac-defaults",)"
            R"("rbac.authorization.k8s.io/aggregate-to-edit":"true"})");
  for (const char* const name :
       {"admin", "edit", "system:aggregate-to-admin", "system:auth-delegator"}) {
    EXPECT_EQ(Get(ClusterRoles(name)).code, 200) << name;
  }
}

class ImpersonationTest : public AccessContractTest {
 protected:
  // Returns the message of the error, or the user that the request acts as.
  std::string WhoIs(const std::vector<std::string>& headers) const {
    const Answer answer = Do("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews",
                             R"({"apiVersion":"authentication.k8s.io/v1",)"
                             R"("kind":"SelfSubjectReview"})",
                             headers);
    if (answer.code != 201) return answer.body;
    return Sorted(runtime::ToJson(*runtime::FindPath(answer.json, {"status", "userInfo"})));
  }
};

TEST_F(ImpersonationTest, GivesTheGroupsOfTheUser) {
  EXPECT_EQ(WhoIs({"Impersonate-User: bob"}),
            R"({"groups":["system:authenticated"],"username":"bob"})");
  EXPECT_EQ(WhoIs({"Impersonate-User: bob", "Impersonate-Group: ops", "Impersonate-Uid: 7",
                   "Impersonate-Extra-Acme.com%2fscope: x"}),
            R"({"extra":{"acme.com/scope":["x"]},"groups":["ops","system:authenticated"],)"
            R"("uid":"7","username":"bob"})");
  EXPECT_EQ(WhoIs({"Impersonate-User: system:serviceaccount:default:a"}),
            R"({"groups":["system:serviceaccounts","system:serviceaccounts:default",)"
            R"("system:authenticated"],"username":"system:serviceaccount:default:a"})");
  EXPECT_EQ(WhoIs({"Impersonate-User: bob", "Impersonate-Group: system:authenticated"}),
            R"({"groups":["system:authenticated"],"username":"bob"})");
}

TEST_F(ImpersonationTest, NeedsAUser) {
  const Answer answer = Do("GET", ConfigMaps(), {}, {"Impersonate-Group: ops"});

  EXPECT_EQ(answer.code, Minor() < 37 ? 500 : 400);
  EXPECT_THAT(answer.body, HasSubstr("without impersonating a user"));
}

// The user impersonates with the credentials of a service account, because nobody can impersonate
// twice.
TEST_F(ImpersonationTest, NeedsARightForEachValue) {
  ASSERT_EQ(Post(Core("serviceaccounts", ""), R"({"metadata":{"name":"robot"}})").code, 201);
  const Answer requested =
      Post(Core("serviceaccounts", "robot") + "/token",
           R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{}})");
  ASSERT_EQ(requested.code, 201) << requested.body;
  const std::string token(runtime::GetString(*runtime::Find(requested.json, "status"), "token"));
  const std::string robot = "system:serviceaccount:" + ns() + ":robot";
  const auto message = [&](std::vector<std::string> headers) {
    headers.push_back("Authorization: Bearer " + token);
    return std::string(Do("GET", ConfigMaps(), {}, headers).message());
  };
  // Kubernetes 1.37 has more rights for impersonation, and other texts.
  const auto forbids = [&](const std::vector<std::string>& headers, const std::string& text) {
    EXPECT_THAT(message(headers), HasSubstr(Minor() < 37 ? text : "is forbidden"));
  };
  const std::string who = " is forbidden: User \"" + robot + "\" cannot impersonate resource ";

  forbids({"Impersonate-User: bob"},
          "users \"bob\"" + who + "\"users\" in API group \"\" at the cluster scope");
  forbids({"Impersonate-User: system:serviceaccount:default:a"},
          "serviceaccounts \"a\"" + who +
              "\"serviceaccounts\" in API group \"\" in the namespace \"default\"");
  const std::string role = ns() + "-impersonate";
  DeleteLater(ClusterRoleBindings(role));
  DeleteLater(ClusterRoles(role));
  Post(ClusterRoles(),
       RoleJson(role, R"("apiGroups":[""],"resources":["users"],"verbs":["impersonate"])"));
  Post(ClusterRoleBindings(),
       BindingJson(role, "ClusterRole",
                   R"("kind":"ServiceAccount","name":"robot","namespace":")" + ns() + "\""));
  EXPECT_TRUE(Eventually([&] {
    return message({"Impersonate-User: bob"}).starts_with("configmaps is forbidden: User \"bob\"");
  }));
  forbids({"Impersonate-User: bob", "Impersonate-Group: ops"},
          "groups \"ops\"" + who + "\"groups\" in API group \"\" at the cluster scope");
  forbids({"Impersonate-User: bob", "Impersonate-Extra-scopes: x"},
          "userextras.authentication.k8s.io \"x\"" + who +
              "\"userextras/scopes\" in API group \"authentication.k8s.io\" at the cluster "
              "scope");
  forbids({"Impersonate-User: bob", "Impersonate-Uid: 7"},
          "uids.authentication.k8s.io \"7\"" + who +
              "\"uids\" in API group \"authentication.k8s.io\" at the cluster scope");
}

class EscalationTest : public AccessContractTest {
 protected:
  void SetUp() override {
    AccessContractTest::SetUp();
    Grant("writer",
          R"("apiGroups":["rbac.authorization.k8s.io"],"resources":["roles","rolebindings"],)"
          R"("verbs":["get","create","update","patch"])");
    EXPECT_TRUE(GetsSoon(Roles("writer"), 200));
  }
  // The error of a grant of the verbs get and list on this resource.
  Refusal MayNotGrant(const std::string& plural, const std::string& name,
                      const std::string& resource) const {
    const std::string group = "rbac.authorization.k8s.io";
    return {.code = 403,
            .reason = "Forbidden",
            .message = plural + "." + group + " \"" + name + "\" is forbidden: user \"" + User() +
                       "\" (groups=[\"system:authenticated\"]) is attempting to grant RBAC "
                       "permissions not currently held:\n{APIGroups:[\"\"], Resources:[\"" +
                       resource + "\"], Verbs:[\"get\" \"list\"]}",
            .details = R"({"name":")" + name + R"(","group":")" + group + R"(","kind":")" + plural +
                       "\"}"};
  }

  static constexpr std::string_view kReadSecrets =
      R"("apiGroups":[""],"resources":["secrets"],"verbs":["get","list"])";
};

TEST_F(EscalationTest, ForbidsRoleWithMoreRights) {
  EXPECT_REFUSED(AsUser("POST", Roles(), RoleJson("made", kReadSecrets)),
                 MayNotGrant("roles", "made", "secrets"));
  EXPECT_EQ(Get(Roles("made")).code, 404);
}

TEST_F(EscalationTest, AllowsRoleWithRightsOfItsWriter) {
  Grant("maps", kReadConfigMaps);
  EXPECT_TRUE(GetsSoon(ConfigMaps(), 200));

  EXPECT_EQ(AsUser("POST", Roles(), RoleJson("made", kReadConfigMaps)).code, 201);
  EXPECT_EQ(AsUser("PATCH", Roles("made"),
                   R"({"rules":[{"apiGroups":[""],"resources":["configmaps"],"verbs":["*"]}]})",
                   {"Content-Type: application/merge-patch+json"})
                .code,
            403);
  EXPECT_EQ(AsUser("PATCH", Roles("made"), R"({"metadata":{"finalizers":["x.io/y"]}})",
                   {"Content-Type: application/merge-patch+json"})
                .code,
            200);
  MergePatch(Roles("made"), R"({"metadata":{"finalizers":null}})");
}

TEST_F(EscalationTest, AllowsAnyRoleWithTheVerbEscalate) {
  Grant("escalate",
        R"("apiGroups":["rbac.authorization.k8s.io"],"resources":["roles"],"verbs":["escalate"])");

  EXPECT_TRUE(Eventually(
      [&] { return AsUser("POST", Roles(), RoleJson("made", kReadSecrets)).code == 201; }));
}

TEST_F(EscalationTest, ForbidsBindingOfRoleWithMoreRights) {
  EXPECT_EQ(Post(Roles(), RoleJson("secrets", kReadSecrets)).code, 201);

  EXPECT_REFUSED(AsUser("POST", RoleBindings(), BindingJson("secrets", "Role", UserJson())),
                 MayNotGrant("rolebindings", "secrets", "secrets"));
  const std::string kind = Minor() < 34 ? "roles" : "rolebindings";
  EXPECT_REFUSED(
      AsUser("POST", RoleBindings(), BindingJson("none", "Role", UserJson())),
      {.code = 404,
       .reason = "NotFound",
       .message = kind + ".rbac.authorization.k8s.io \"none\" not found",
       .details = R"({"name":"none","group":"rbac.authorization.k8s.io","kind":")" + kind + "\"}"});
}

TEST_F(EscalationTest, AllowsBindingWithTheVerbBind) {
  EXPECT_EQ(Post(Roles(), RoleJson("secrets", kReadSecrets)).code, 201);
  Grant("bind", R"("apiGroups":["rbac.authorization.k8s.io"],"resources":["roles"],)"
                R"("resourceNames":["secrets"],"verbs":["bind"])");

  EXPECT_TRUE(Eventually([&] {
    const std::string binding = BindingJson("secrets", "Role", UserJson());
    return AsUser("POST", RoleBindings(), binding).code == 201;
  }));
  EXPECT_TRUE(GetsSoon(Secrets(), 200));
}

using RbacValidationTest = AccessContractTest;

TEST_F(RbacValidationTest, KeepsTheRoleOfABinding) {
  EXPECT_EQ(Post(RoleBindings(), BindingJson("b", "Role", UserJson())).code, 201);

  const std::string_view group = "rbac.authorization.k8s.io";
  const std::string value =
      Minor() < 34 ? R"(rbac.RoleRef{APIGroup:"rbac.authorization.k8s.io", Kind:"Role", )"
                     R"(Name:"other"})"
                   : R"({"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"other"})";
  EXPECT_REFUSED(MergePatch(RoleBindings("b"), R"({"roleRef":{"name":"other"}})"),
                 Invalid("RoleBinding." + std::string(group), "b", "roleRef", "FieldValueInvalid",
                         "Invalid value: " + value +
                             (Minor() < 37 ? ": cannot change roleRef" : ": field is immutable")));
}

TEST_F(RbacValidationTest, RejectsBadRules) {
  const std::string role = "Role.rbac.authorization.k8s.io";
  const std::string empty(Post(Roles(), RoleJson("a", "")).message());
  EXPECT_THAT(empty, StartsWith(role + " \"a\" is invalid: ["));
  for (const char* const cause :
       {"rules[0].verbs: Required value",
        "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
        "rules[0].resources: Required value: resource rules must supply at least one resource"}) {
    EXPECT_THAT(empty, HasSubstr(cause));
  }
  EXPECT_THAT(
      std::string(
          Post(Roles(), RoleJson("a", R"("verbs":["get"],"nonResourceURLs":["/x"])")).message()),
      HasSubstr("namespaced rules cannot apply to non-resource URLs"));
  const Answer mixed = Post(ClusterRoles(), RoleJson(ns(), R"("verbs":["get"],)"
                                                           R"("nonResourceURLs":["/x"],)"
                                                           R"("apiGroups":[""])"));
  EXPECT_THAT(std::string(mixed.message()),
              HasSubstr("rules cannot apply to both regular resources and non-resource URLs"));
  EXPECT_REFUSED(
      Post(ClusterRoles(), R"({"metadata":{"name":")" + ns() + R"("},"aggregationRule":{}})"),
      Invalid("ClusterRole.rbac.authorization.k8s.io", ns(), "aggregationRule.clusterRoleSelectors",
              "FieldValueRequired",
              "Required value: at least one clusterRoleSelector required if aggregationRule is "
              "non-nil"));
}

TEST_F(RbacValidationTest, RejectsBadSubjects) {
  const auto message = [&](const std::string& subject) {
    return std::string(
        Post(ClusterRoleBindings(), BindingJson(ns(), "ClusterRole", subject)).message());
  };
  const std::string invalid =
      "ClusterRoleBinding.rbac.authorization.k8s.io \"" + ns() + "\" is invalid: ";
  EXPECT_EQ(message(R"("kind":"ServiceAccount","name":"x")"),
            invalid + "subjects[0].namespace: Required value");
  EXPECT_EQ(message(R"("kind":"User","name":"x","apiGroup":"v1")"),
            invalid +
                "subjects[0].apiGroup: Unsupported value: \"v1\": supported values: "
                "\"rbac.authorization.k8s.io\"");
  EXPECT_THAT(message(R"("kind":"Robot","name":"x")"),
              StartsWith(invalid + "subjects[0].kind: Unsupported value: \"Robot\": supported "
                                   "values: "));
  EXPECT_EQ(Post(ClusterRoleBindings(), BindingJson(ns(), "Role", UserJson())).message(),
            invalid +
                "roleRef.kind: Unsupported value: \"Role\": supported values: "
                "\"ClusterRole\"");
}

class AttestTest : public AccessContractTest {
 protected:
  void SetUp() override {
    AccessContractTest::SetUp();
    if (Get(kBundles).code == 404) GTEST_SKIP() << "the server has no ClusterTrustBundles";
  }
  static constexpr const char* kBundles = "/apis/certificates.k8s.io/v1/clustertrustbundles";
};

TEST_F(AttestTest, IsNeededForTrustBundlesOfASigner) {
  const std::string bundles = kBundles;
  const std::string name = ns() + ".example.com:mesh:a";
  const auto ca = MakeCa({.common_name = "mesh"});
  ASSERT_TRUE(ca.has_value());
  runtime::JsonDocument bundle;
  bundle.SetObject();
  JsonAllocator& pool = bundle.GetAllocator();
  SetString(Ensure(bundle, "metadata", pool), "name", name, pool);
  runtime::JsonValue& spec = Ensure(bundle, "spec", pool);
  SetString(spec, "signerName", ns() + ".example.com/mesh", pool);
  SetString(spec, "trustBundle", ca->cert_pem, pool);
  const std::string body = runtime::ToJson(bundle);
  GrantEverywhere("bundles",
                  R"("apiGroups":["certificates.k8s.io"],"resources":["clustertrustbundles"],)"
                  R"("verbs":["list","create"])");
  EXPECT_TRUE(GetsSoon(bundles, 200));

  EXPECT_EQ(AsUser("POST", bundles, body).message(),
            "clustertrustbundles.certificates.k8s.io \"" + name +
                "\" is forbidden: user not permitted to attest for signerName \"" + ns() +
                ".example.com/mesh\"");
  DeleteLater(bundles + "/" + name);
  GrantEverywhere("attest", R"("apiGroups":["certificates.k8s.io"],"resources":["signers"],)"
                            R"("verbs":["attest"],"resourceNames":[")" +
                                ns() + R"(.example.com/*"])");
  EXPECT_TRUE(Eventually([&] { return AsUser("POST", bundles, body).code == 201; }));
}

// Needs kube-controller-manager, which scenarios/contract.py starts if there is one.
class AggregationTest : public AccessContractTest {
 protected:
  void SetUp() override {
    AccessContractTest::SetUp();
    DeleteLater(ClusterRoles(ns()));
    DeleteLater(ClusterRoles(ns() + "-part"));
  }
  bool RulesBecome(const std::string& rules) const {
    return Eventually([&] {
      const Answer answer = Get(ClusterRoles(ns()));
      const runtime::JsonValue* const found = runtime::Find(answer.json, "rules");
      return found != nullptr && Sorted(runtime::ToJson(*found)) == rules;
    });
  }
};

TEST_F(AggregationTest, FollowsTheSelectedRoles) {
  const std::string labels = R"({"part-of":")" + ns() + "\"}";
  EXPECT_EQ(Post(ClusterRoles(), R"({"metadata":{"name":")" + ns() +
                                     R"("},"aggregationRule":{"clusterRoleSelectors":)"
                                     R"([{"matchLabels":)" +
                                     labels + "}]}}")
                .code,
            201);
  EXPECT_EQ(
      Post(ClusterRoles(), R"({"metadata":{"name":")" + ns() + R"(-part","labels":)" + labels +
                               R"(},"rules":[{)" + std::string(kReadConfigMaps) + "}]}")
          .code,
      201);

  EXPECT_TRUE(RulesBecome(
      R"([{"apiGroups":[""],"resources":["configmaps"],"verbs":["get","list","watch"]}])"));
  Delete(ClusterRoles(ns() + "-part"));
  EXPECT_TRUE(RulesBecome("null"));
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
