// SPDX-License-Identifier: Apache-2.0
// PolicyRule is a rule of a Role or ClusterRole: verbs on resources, or on non-resource URLs.
// Mirrors k8s.io/kubernetes/pkg/apis/rbac/v1/evaluation_helpers.go and
// k8s.io/component-helpers/auth/rbac/validation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/authorization/access_attributes.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {

struct PolicyRule {
  std::vector<std::string> verbs = {};
  std::vector<std::string> groups = {};
  std::vector<std::string> resources = {};  // "pods", "pods/log", "*/scale", "*"
  std::vector<std::string> names = {};      // empty: all
  std::vector<std::string> urls = {};       // "/healthz", "/livez/*", "*"

  bool Allows(const AccessAttributes& attributes) const;
  // Returns the rule as error texts show it: {APIGroups:[""], Resources:["pods"], Verbs:["get"]}.
  std::string Text() const;
  Json ToJson() const;

  friend bool operator==(const PolicyRule&, const PolicyRule&) = default;
};

// Parses the member "rules" of a Role or ClusterRole.
std::vector<PolicyRule> ParsePolicyRules(const runtime::JsonValue& role);

// Returns the parts of `wanted` that none of the rules `held` allows. Rules for the same resource
// are combined.
std::vector<PolicyRule> FindUncovered(const std::vector<PolicyRule>& held,
                                      const std::vector<PolicyRule>& wanted);

}  // namespace capstan::testing::apiserver
