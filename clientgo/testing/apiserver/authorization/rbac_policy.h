// SPDX-License-Identifier: Apache-2.0
// RbacPolicy follows the Roles, ClusterRoles and their bindings in the storage, and finds the rules
// of a user. Mirrors k8s.io/kubernetes/pkg/registry/rbac/validation/rule.go.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/authorization/policy_rule.h"
#include "clientgo/testing/apiserver/storage/storage.h"

namespace capstan::testing::apiserver {

struct RoleReference {
  std::string kind = {};  // "Role" or "ClusterRole"
  std::string name = {};
};

struct RoleBinding {
  // Subject is a user, a group or a service account.
  struct Subject {
    std::string kind = {};
    std::string name = {};
    std::string namespace_ = {};

    bool Includes(const UserInfo& user) const;
    std::string Text() const;  // `User "joe"`, `ServiceAccount "name/namespace"`
  };

  std::string namespace_ = {};  // empty: of a ClusterRoleBinding
  std::string name = {};
  RoleReference role = {};
  std::vector<Subject> subjects = {};  // a service account has its namespace

  // Returns the subject that the user is, or null.
  const Subject* Find(const UserInfo& user) const;
  // Returns what grants a right: `RoleBinding "name/namespace" of Role "r" to User "joe"`.
  std::string Text(const Subject& subject) const;
};

class RbacPolicy {
 public:
  // Reports whether objects of this resource are roles or bindings.
  static bool IsStored(const Resource& resource);
  // REQUIRES: IsStored(resource).
  void Update(const Resource& resource, const Event& event);

  // Grant is a rule and what grants it.
  struct Grant {
    const PolicyRule& rule;
    const RoleBinding& binding;
    const RoleBinding::Subject& subject;
  };
  // Visits the rules of the user in the cluster, and in the namespace `ns` if it is not empty,
  // until `visit` returns false. Returns the bindings whose roles are missing.
  std::vector<const RoleBinding*> Visit(const UserInfo& user, std::string_view ns,
                                        const std::function<bool(const Grant&)>& visit) const;
  // Returns null if there is no such role.
  const std::vector<PolicyRule>* FindRules(const RoleReference& role, std::string_view ns) const;

 private:
  using Rules = std::map<std::string, std::vector<PolicyRule>, std::less<>>;
  using Bindings = std::map<std::string, RoleBinding, std::less<>>;

  Rules roles_;  // by key, as in Storage
  Rules cluster_roles_;
  Bindings role_bindings_;
  Bindings cluster_role_bindings_;
};

// Returns the role of a RoleBinding or ClusterRoleBinding.
RoleReference ParseRoleReference(const runtime::JsonValue& binding);

}  // namespace capstan::testing::apiserver
