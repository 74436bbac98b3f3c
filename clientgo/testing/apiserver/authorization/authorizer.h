// SPDX-License-Identifier: Apache-2.0
// Authorizer decides what users may do: everything, or what RBAC grants. Members of system:masters
// may do everything. Mirrors k8s.io/kubernetes/pkg/kubeapiserver/authorizer and
// plugin/pkg/auth/authorizer/rbac. Differs: there is no authorizer of nodes, which get the rights
// of their user and groups, and none that calls a webhook.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/cel/access_check.h"
#include "clientgo/testing/apiserver/authorization/access_attributes.h"
#include "clientgo/testing/apiserver/authorization/rbac_policy.h"

namespace capstan::testing::apiserver {

struct AccessDecision {
  bool allowed = false;
  std::string reason = {};  // may be empty
};

class Authorizer {
 public:
  // `policy` is null for a server that allows everything to everybody who is not anonymous.
  explicit Authorizer(const RbacPolicy* policy) : policy_(policy) {}

  // Returns null if everything is allowed.
  const RbacPolicy* policy() const { return policy_; }
  AccessDecision Authorize(const AccessAttributes& attributes) const;

  // UserRules are all rules of a user in a namespace. `error` names the roles that are missing.
  struct UserRules {
    std::vector<PolicyRule> rules = {};
    std::string error = {};
  };
  UserRules RulesFor(const UserInfo& user, std::string_view ns) const;

 private:
  const RbacPolicy* const policy_;
};

// Returns what the expressions of admission ask about the user of a request. The authorizer must
// outlive it.
std::shared_ptr<const cel::AccessChecker> NewAccessChecker(const Authorizer& authorizer,
                                                           UserInfo user);

}  // namespace capstan::testing::apiserver
