// SPDX-License-Identifier: Apache-2.0
// AccessContractTest makes roles and bindings, and requests of users who are no administrators. The
// administrator impersonates them. A real server notices a new role or binding after a moment.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "capstan/testing/eventually.h"
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {

class AccessContractTest : public ContractTest {
 protected:
  static constexpr std::string_view kRbac = "/apis/rbac.authorization.k8s.io/v1/";

  // Returns a user without rights, whose name nobody else has.
  std::string User() const { return ns() + "-user"; }
  std::string Roles(std::string_view name = {}) const {
    return InNamespace("/apis/rbac.authorization.k8s.io/v1", "roles", name);
  }
  std::string RoleBindings(std::string_view name = {}) const {
    return InNamespace("/apis/rbac.authorization.k8s.io/v1", "rolebindings", name);
  }
  static std::string ClusterRoles(std::string_view name = {}) {
    return std::string(kRbac) + "clusterroles" + (name.empty() ? "" : "/" + std::string(name));
  }
  static std::string ClusterRoleBindings(std::string_view name = {}) {
    return std::string(kRbac) + "clusterrolebindings" +
           (name.empty() ? "" : "/" + std::string(name));
  }

  // Sends a request as User().
  Answer AsUser(std::string_view method, std::string_view target, std::string_view body = {},
                std::vector<std::string> headers = {}) const {
    headers.push_back("Impersonate-User: " + User());
    return Do(method, target, body, headers);
  }
  // Returns whether a GET of the user is answered with this code soon.
  bool GetsSoon(std::string_view target, int code) const {
    return Eventually([&] { return AsUser("GET", target).code == code; });
  }

  // Returns the JSON of a role with one rule, and of a binding of the role of this name.
  static std::string RoleJson(std::string_view name, std::string_view rule) {
    return R"({"metadata":{"name":")" + std::string(name) + R"("},"rules":[{)" + std::string(rule) +
           "}]}";
  }
  static std::string BindingJson(std::string_view name, std::string_view kind,
                                 std::string_view subject) {
    return R"({"metadata":{"name":")" + std::string(name) +
           R"("},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":")" + std::string(kind) +
           R"(","name":")" + std::string(name) + R"("},"subjects":[{)" + std::string(subject) +
           "}]}";
  }
  std::string UserJson() const { return R"("kind":"User","name":")" + User() + "\""; }
  // Creates the Role `name` with a rule in this test's namespace, and binds it to the user.
  void Grant(std::string_view name, std::string_view rule) const {
    EXPECT_EQ(Post(Roles(), RoleJson(name, rule)).code, 201);
    EXPECT_EQ(Post(RoleBindings(), BindingJson(name, "Role", UserJson())).code, 201);
  }
  // The same with a ClusterRole for the whole cluster. Its name gets that of the namespace.
  void GrantEverywhere(std::string_view name, std::string_view rule) {
    const std::string full = ns() + "-" + std::string(name);
    DeleteLater(ClusterRoleBindings(full));
    DeleteLater(ClusterRoles(full));
    EXPECT_EQ(Post(ClusterRoles(), RoleJson(full, rule)).code, 201);
    EXPECT_EQ(Post(ClusterRoleBindings(), BindingJson(full, "ClusterRole", UserJson())).code, 201);
  }
  // Returns the Refusal of a user's request. `what` is "list resource \"pods\" in API group \"\"".
  Refusal Forbids(std::string_view resource, std::string_view name, std::string_view what,
                  std::string_view details) const {
    std::string object(resource);
    if (!name.empty()) object += " \"" + std::string(name) + "\"";
    return {
        .code = 403,
        .reason = "Forbidden",
        .message = object + " is forbidden: User \"" + User() + "\" cannot " + std::string(what),
        .details = std::string(details)};
  }
};

}  // namespace capstan::testing::apiserver::contract
