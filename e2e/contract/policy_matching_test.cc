// SPDX-License-Identifier: Apache-2.0
// Tests of the requests that policies and bindings match, and of the variables of expressions.
#include <string>

#include "e2e/contract/policy_fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

using ::testing::HasSubstr;

class PolicyMatchingTest : public PolicyContractTest {
 protected:
  // Creates a policy that denies everything that it matches.
  void DenyAll(const std::string& constraints, const std::string& binding = kDenyAction) {
    Create(Policies(), ns(),
           constraints + R"(,"validations":[{"expression":"false","message":"m"}])");
    CreateBinding(binding);
    Await();
  }
  // Returns whether a ConfigMap with these labels is denied.
  bool Denies(const std::string& name, const std::string& labels = "{}") const {
    return Post(ConfigMaps() + "?dryRun=All",
                R"({"metadata":{"name":")" + name + R"(","labels":)" + labels + "}}")
               .code == 422;
  }
};

TEST_F(PolicyMatchingTest, ExcludeNamedResources) {
  DenyAll(Constraints(kConfigMapRule,
                      R"(,"excludeResourceRules":[{"operations":["*"],"apiGroups":[""],)"
                      R"("apiVersions":["*"],"resources":["configmaps"],)"
                      R"("resourceNames":["free","other"]}])"));

  EXPECT_FALSE(Denies("free"));
  EXPECT_TRUE(Denies("a"));
}

TEST_F(PolicyMatchingTest, MatchNamesOperationsAndObjects) {
  DenyAll(Constraints(R"({"operations":["CREATE"],"apiGroups":[""],"apiVersions":["v1"],)"
                      R"("resources":["configmaps"],"resourceNames":["a","b"]})",
                      R"(,"objectSelector":{"matchLabels":{"x":"1"}})"));
  CreateConfigMap("b");

  EXPECT_TRUE(Denies("a", R"({"x":"1"})"));
  EXPECT_FALSE(Denies("a"));
  EXPECT_FALSE(Denies("c", R"({"x":"1"})"));
  EXPECT_EQ(MergePatch(ConfigMaps("b"), R"({"metadata":{"labels":{"x":"1"}}})").code, 200);
}

TEST_F(PolicyMatchingTest, MatchWhatTheBindingMatches) {
  DenyAll(Constraints(kConfigMapRule),
          R"("validationActions":["Deny"],"matchResources":{"objectSelector":{"matchExpressions":[)"
          R"({"key":"x","operator":"Exists"}]},"excludeResourceRules":[{"operations":["*"],)"
          R"("apiGroups":["*"],"apiVersions":["*"],"resources":["*"],"resourceNames":["free"]}]})");

  EXPECT_TRUE(Denies("a", R"({"x":"1"})"));
  EXPECT_FALSE(Denies("a"));
  EXPECT_FALSE(Denies("free", R"({"x":"1"})"));
}

TEST_F(PolicyMatchingTest, MatchNamespacesByTheirLabels) {
  DenyAll(R"("matchConstraints":{"resourceRules":[)" + std::string(kConfigMapRule) +
          R"(],"namespaceSelector":{"matchLabels":{"contract":")" + ns() + "\"}}}");
  EXPECT_FALSE(Denies("a"));

  MergePatch("/api/v1/namespaces/" + ns(),
             R"({"metadata":{"labels":{"contract":")" + ns() + "\"}}}");

  EXPECT_TRUE(Eventually([&] { return Denies("a"); }));
}

TEST_F(PolicyMatchingTest, MatchSubresources) {
  const std::string deployments = Apps("deployments");
  ASSERT_EQ(
      Post(deployments, R"({"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},)"
                        R"("template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[)"
                        R"({"name":"c","image":"i"}]}}}})")
          .code,
      201);
  Create(Policies(), ns(),
         Constraints(R"({"operations":["UPDATE"],"apiGroups":["apps"],"apiVersions":["v1"],)"
                     R"("resources":["deployments/scale","deployments/status"]})") +
             R"(,"validations":[{"expression":"request.subResource == 'status' ? )"
             R"(object.status.replicas < 3 : object.kind == 'Scale' && object.spec.replicas < 3",)"
             R"("message":"too many"}])");
  CreateBinding();
  Await();

  EXPECT_EQ(MergePatch(deployments + "/d", R"({"spec":{"replicas":5}})").code, 200);
  EXPECT_EQ(MergePatch(deployments + "/d/scale", R"({"spec":{"replicas":2}})").code, 200);
  const Answer scale = MergePatch(deployments + "/d/scale", R"({"spec":{"replicas":3}})");
  EXPECT_EQ(scale.code, 422) << scale.body;
  EXPECT_THAT(scale.message(), HasSubstr("deployments.apps \"d\" is forbidden: Validating"));
  EXPECT_EQ(MergePatch(deployments + "/d/status", R"({"status":{"replicas":3}})").code, 422);
  EXPECT_EQ(MergePatch(deployments + "/d/status", R"({"status":{"replicas":1}})").code, 200);
}

TEST_F(PolicyMatchingTest, MatchClusterScopedObjectsInEveryNamespace) {
  const std::string rule =
      R"({"operations":["*"],"apiGroups":[""],"apiVersions":["v1"],"resources":["namespaces"],)"
      R"("resourceNames":[")" +
      ns() + R"(-n"]})";
  Create(Policies(), ns(),
         R"("matchConstraints":{"resourceRules":[)" + rule +
             R"(]},"validations":[{"expression":"namespaceObject == null && )"
             R"(request.namespace != request.name","message":"m"}])");
  CreateBinding();
  Await();

  const Answer answer =
      Post("/api/v1/namespaces?dryRun=All", R"({"metadata":{"name":")" + ns() + R"(-n"}})");

  EXPECT_EQ(answer.code, 422) << answer.body;
}

TEST_F(PolicyMatchingTest, DoNotMatchTheConfigurationOfAdmission) {
  DenyAll(R"("matchConstraints":{"resourceRules":[{"operations":["*"],)"
          R"("apiGroups":["admissionregistration.k8s.io"],"apiVersions":["*"],"resources":["*"],)"
          R"("resourceNames":[")" +
          ns() + "\"]}]}");

  EXPECT_EQ(MergePatch(Bindings(ns()), R"({"metadata":{"labels":{"a":"b"}}})").code, 200);
}

struct TrueExpression {
  const char* name;
  const char* expression;  // is true for the request
};

class PolicyVariableTest : public PolicyContractTest,
                           public ::testing::WithParamInterface<TrueExpression> {};

TEST_P(PolicyVariableTest, HasItsValue) {
  MergePatch("/api/v1/namespaces/" + ns(), R"({"metadata":{"labels":{"team":"blue"}}})");
  const std::string expression = GetParam().expression;
  CreatePolicy(R"("validations":[)" + Validation(expression, R"(,"message":"it is false")") + "," +
               Validation("request.name != 'sentinel'", R"(,"message":"s")") + "]");
  CreateBinding();
  Await();
  ASSERT_EQ(Try("sentinel").code, 422);

  // A real server learns of the label of the namespace some time later.
  Answer answer = Try("a", R"("data":{"n":"1"})");
  EXPECT_TRUE(Eventually(
      [&] {
        answer = Try("a", R"("data":{"n":"1"})");
        return answer.code == 201;
      },
      std::chrono::seconds(5)))
      << answer.body;
}

INSTANTIATE_TEST_SUITE_P(
    Expressions, PolicyVariableTest,
    ::testing::Values(
        TrueExpression{"Operation", "request.operation == 'CREATE' && oldObject == null"},
        TrueExpression{"Kind",
                       "request.kind.kind == 'ConfigMap' && request.kind.group == '' && "
                       "request.kind == request.requestKind"},
        TrueExpression{"Resource",
                       "request.resource.resource == 'configmaps' && request.resource.version == "
                       "'v1' && request.requestResource.resource == 'configmaps'"},
        TrueExpression{"Names",
                       "request.name == 'a' && request.namespace == object.metadata.namespace"},
        TrueExpression{"Absent", "!has(request.subResource) && !has(request.requestSubResource)"},
        TrueExpression{"DryRun", "request.dryRun && request.options.kind == 'CreateOptions'"},
        TrueExpression{"User",
                       "request.userInfo.groups.exists(g, g == 'system:masters') && "
                       "request.userInfo.username != ''"},
        TrueExpression{"ObjectType", "object.kind == 'ConfigMap' && object.apiVersion == 'v1'"},
        TrueExpression{"ObjectSet", "object.metadata.uid != '' && object.data == {'n': '1'}"},
        TrueExpression{"Namespace",
                       "namespaceObject.metadata.labels.team == 'blue' && "
                       "namespaceObject.metadata.name == request.namespace"},
        TrueExpression{"NamespaceStatus",
                       "namespaceObject.status.phase == 'Active' && "
                       "namespaceObject.spec.finalizers == ['kubernetes']"},
        TrueExpression{"Libraries",
                       "object.data.n.matches('^[0-9]+$') && quantity('1Ki').isGreaterThan("
                       "quantity('1k')) && object.?data.m.orValue('x') == 'x'"},
        TrueExpression{"AuthorizerOfResources",
                       "authorizer.group('').resource('pods').namespace('default').check('create')"
                       ".allowed()"},
        TrueExpression{"AuthorizerOfTheRequest",
                       "authorizer.requestResource.check('create').allowed()"},
        TrueExpression{"AuthorizerOfPaths", "authorizer.path('/healthz').check('get').allowed()"},
        TrueExpression{"NullParams", "!authorizer.path('/x').check('get').errored()"}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST_F(PolicyMatchingTest, AskTheAuthorizerAboutAServiceAccount) {
  CreatePolicy(R"("validations":[)" +
               Validation("authorizer.serviceAccount('" + ns() +
                              "', 'none').group('').resource("
                              "'secrets').namespace('" +
                              ns() + "').check('delete').allowed()",
                          R"(,"message":"no right")") +
               "]");
  CreateBinding();
  Await();

  EXPECT_REFUSED(Try("a"), Denied("a", "no right"));
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
