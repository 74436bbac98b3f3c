// SPDX-License-Identifier: Apache-2.0
// Tests of aggregated ClusterRoles over HTTP.
#include "capstan/testing/eventually.h"
#include "clientgo/testing/apiserver/testing/access_fixture.h"

namespace capstan::testing::apiserver {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class AggregationTest : public AccessTest {
 protected:
  // Returns the rules of a ClusterRole as JSON.
  std::string Rules(std::string_view name) {
    const Answer answer = As("admin", "GET", Path(kClusterRoles, "/" + std::string(name)));
    const runtime::JsonValue* const rules = runtime::Find(answer.json, "rules");
    return rules == nullptr ? answer.body : runtime::ToJson(*rules);
  }
  bool Becomes(std::string_view name, const std::string& rules) {
    return Eventually([&] { return Rules(name) == rules; });
  }

  static constexpr const char* kFoos =
      R"({"verbs":["get"],"apiGroups":["x.io"],"resources":["foos"]})";
  static constexpr const char* kFooRole =
      R"({"metadata":{"name":"foos","labels":{"to":"all"}},"rules":[)"
      R"({"verbs":["get"],"apiGroups":["x.io"],"resources":["foos"]}]})";
  static constexpr const char* kAll =
      R"({"metadata":{"name":"all"},"aggregationRule":{"clusterRoleSelectors":)"
      R"([{"matchLabels":{"to":"all"}}]}})";
};

TEST_F(AggregationTest, FillsTheBootstrapRoles) {
  for (const char* const resource : {"configmaps", "pods/log", "deployments/scale"}) {
    EXPECT_THAT(Rules("view"), HasSubstr("\"" + std::string(resource) + "\""));
    EXPECT_THAT(Rules("admin"), HasSubstr("\"" + std::string(resource) + "\""));
  }
  EXPECT_THAT(Rules("view"), Not(HasSubstr("\"secrets\"")));
  EXPECT_THAT(Rules("edit"), HasSubstr("\"secrets\""));
  EXPECT_THAT(Rules("edit"), Not(HasSubstr("\"rolebindings\"")));
  EXPECT_THAT(Rules("admin"), HasSubstr("\"rolebindings\""));
}

TEST_F(AggregationTest, FollowsTheSelectedRoles) {
  Make(kClusterRoles, kAll);
  Make(kClusterRoles, kFooRole);
  EXPECT_TRUE(Becomes("all", "[" + std::string(kFoos) + "]"));

  As("admin", "DELETE", Path(kClusterRoles, "/foos"));
  EXPECT_TRUE(Becomes("all", "null"));
}

TEST_F(AggregationTest, ExtendsBootstrapRoleByLabel) {
  Make(kClusterRoles, R"({"metadata":{"name":"foos","labels":{)"
                      R"("rbac.authorization.k8s.io/aggregate-to-view":"true"}},"rules":[)" +
                          std::string(kFoos) + "]}");

  for (const char* const role : {"view", "edit", "admin"}) {
    EXPECT_TRUE(Eventually([&] { return Rules(role).find(kFoos) != std::string::npos; })) << role;
  }
}

TEST_F(AggregationTest, ReplacesRulesThatSomebodySets) {
  Make(kClusterRoles, kAll);
  Make(kClusterRoles, kFooRole);
  EXPECT_TRUE(Becomes("all", "[" + std::string(kFoos) + "]"));
  const Answer patched = As("admin", "PATCH", Path(kClusterRoles, "/all"),
                            R"({"rules":[{"verbs":["*"],"nonResourceURLs":["*"]}]})",
                            "Content-Type: application/merge-patch+json\r\n");
  EXPECT_EQ(patched.code, 200) << patched.body;

  EXPECT_TRUE(Becomes("all", "[" + std::string(kFoos) + "]"));
}

TEST_F(AggregationTest, DoesNothingWithoutTheOption) {
  Options options = RbacOptions();
  options.cluster_role_aggregation = false;
  Start(std::move(options));
  Make(kClusterRoles, kAll);
  Make(kClusterRoles, kFooRole);

  EXPECT_EQ(Rules("admin"), "null");
  EXPECT_EQ(Rules("all"), "null");
}

}  // namespace
}  // namespace capstan::testing::apiserver
