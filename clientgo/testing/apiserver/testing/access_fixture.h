// SPDX-License-Identifier: Apache-2.0
// AccessTest is a fixture with a running Server that has RBAC and the users admin, jane and joe.
#pragma once

#include <string>
#include <string_view>

#include "clientgo/testing/apiserver/testing/server_fixture.h"

namespace capstan::testing::apiserver {

inline constexpr std::string_view kRoles =
    "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles";
inline constexpr std::string_view kRoleBindings =
    "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings";
inline constexpr std::string_view kClusterRoles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
inline constexpr std::string_view kClusterRoleBindings =
    "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";

class AccessTest : public ServerTest {
 protected:
  void SetUp() override { Start(RbacOptions()); }

  // jane and joe are in the group devs. The token of a user is "<user>-token".
  static Options RbacOptions() {
    return {.authorization = Authorization::kRbac,
            .tokens = {{"admin-token", "admin"}, {"jane-token", "jane"}, {"joe-token", "joe"}},
            .groups = {{"admin", {"system:masters"}}, {"jane", {"devs"}}, {"joe", {"devs"}}}};
  }
  // Sends a request as this user; "" sends no credentials. `headers` end with "\r\n".
  Answer As(std::string_view user, std::string_view method, std::string_view target,
            std::string_view body = {}, std::string_view headers = {}) {
    std::string all(headers);
    if (!user.empty()) all += "Authorization: Bearer " + std::string(user) + "-token\r\n";
    return client_->Do(method, target, body, all);
  }
  // Creates an object as the administrator.
  void Make(std::string_view collection, const std::string& json) {
    const Answer answer = As("admin", "POST", collection, json);
    ASSERT_EQ(answer.code, 201) << answer.body;
  }
  // Creates the ClusterRole `name` with these rules (`"verbs":["get"],...`), and binds it to a
  // subject (`"kind":"User","name":"jane"`), in the namespace default or in the cluster.
  void Grant(const std::string& name, const std::string& rule, const std::string& subject,
             bool everywhere = false) {
    Make(kClusterRoles, R"({"metadata":{"name":")" + name + R"("},"rules":[{)" + rule + "}]}");
    Make(everywhere ? kClusterRoleBindings : kRoleBindings, Binding(name, "ClusterRole", subject));
  }
  static std::string Binding(const std::string& name, const std::string& kind,
                             const std::string& subject) {
    return R"({"metadata":{"name":")" + name + R"("},"roleRef":{"apiGroup":)" +
           R"("rbac.authorization.k8s.io","kind":")" + kind + R"(","name":")" + name +
           R"("},"subjects":[{)" + subject + "}]}";
  }

  static constexpr const char* kJane = R"("kind":"User","name":"jane")";
  static constexpr const char* kDevs = R"("kind":"Group","name":"devs")";
  static constexpr const char* kReadConfigMaps =
      R"("apiGroups":[""],"resources":["configmaps"],"verbs":["get","list","watch"])";
};

}  // namespace capstan::testing::apiserver
