// SPDX-License-Identifier: Apache-2.0
// FlowSchema has the rules of an object of that kind, which say which requests it matches. Mirrors
// k8s.io/apiserver/pkg/util/flowcontrol/rule.go.
#pragma once

#include <string>
#include <vector>

#include "clientgo/testing/apiserver/authorization/access_attributes.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {

struct FlowSchema {
  struct Subject {
    std::string kind = {};  // "User", "Group" or "ServiceAccount"
    std::string name = {};  // "*" is everyone of this kind
    std::string namespace_ = {};

    bool Includes(const UserInfo& user) const;
  };
  // In each list, "*" as the only entry is everything.
  struct ResourceRule {
    std::vector<std::string> verbs = {};
    std::vector<std::string> groups = {};
    std::vector<std::string> resources = {};  // "pods", "pods/status"
    std::vector<std::string> namespaces = {};
    bool cluster_scope = false;  // also requests without a namespace

    bool Matches(const AccessAttributes& request) const;
  };
  struct NonResourceRule {
    std::vector<std::string> verbs = {};
    std::vector<std::string> urls = {};  // "/healthz" and what is below it, "/livez/*", "*"

    bool Matches(const AccessAttributes& request) const;
  };
  struct Rule {
    std::vector<Subject> subjects = {};
    std::vector<ResourceRule> resources = {};
    std::vector<NonResourceRule> non_resources = {};

    bool Matches(const AccessAttributes& request) const;
  };

  int precedence = 0;  // the lowest one that matches a request is used
  std::string name = {};
  std::string uid = {};
  std::string priority_level = {};
  std::vector<Rule> rules = {};

  bool Matches(const AccessAttributes& request) const;
};

FlowSchema ParseFlowSchema(const runtime::JsonValue& object);

}  // namespace capstan::testing::apiserver
