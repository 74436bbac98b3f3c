// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/validation/kind_rules.h"

#include <initializer_list>
#include <string>
#include <string_view>

#include "capstan/logging.h"
#include "clientgo/testing/apiserver/types/json.h"
#include "clientgo/testing/apiserver/types/resources.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

void CheckPolicyRule(const Place& rule, bool namespaced, FieldRules& rules) {
  const auto given = [&](const char* member) { return !rule[member].Items().empty(); };
  if (!given("verbs")) rules.Required(rule["verbs"], "verbs must contain at least one value");
  if (given("nonResourceURLs")) {
    const Place urls = rule["nonResourceURLs"];
    if (namespaced) rules.Invalid(urls, "namespaced rules cannot apply to non-resource URLs");
    if (given("apiGroups") || given("resources") || given("resourceNames")) {
      rules.Invalid(urls, "rules cannot apply to both regular resources and non-resource URLs");
    }
    return;
  }
  if (!given("apiGroups")) {
    rules.Required(rule["apiGroups"], "resource rules must supply at least one api group");
  }
  if (!given("resources")) {
    rules.Required(rule["resources"], "resource rules must supply at least one resource");
  }
}

void CheckSubject(const Place& subject, bool namespaced, FieldRules& rules) {
  const Place name = subject["name"];
  const std::string_view kind = subject["kind"].Text();
  rules.RequireText(name);
  if (kind == "User" || kind == "Group") {
    rules.ValueOneOf(subject["apiGroup"], {kRbacGroup});
  } else if (kind == "ServiceAccount") {
    if (!name.Text().empty()) rules.Invalid(name, SubdomainErrors(name.Text()));
    rules.ValueOneOf(subject["apiGroup"], {""});
    if (!namespaced) rules.RequireText(subject["namespace"]);
  } else {
    rules.ValueOneOf(subject["kind"], {"ServiceAccount", "User", "Group"});
  }
}

void CheckBindingOf(const Place& binding, std::initializer_list<std::string_view> kinds,
                    bool namespaced, FieldRules& rules) {
  const Place role = binding["roleRef"];
  rules.ValueOneOf(role["apiGroup"], {kRbacGroup});
  rules.ValueOneOf(role["kind"], kinds);
  if (rules.RequireText(role["name"])) {
    rules.Invalid(role["name"], PathSegmentErrors(role["name"].Text()));
  }
  for (const Place& subject : binding["subjects"].Items()) {
    CheckSubject(subject, namespaced, rules);
  }
}

}  // namespace

void CheckRole(const Place& role, FieldRules& rules) {
  for (const Place& rule : role["rules"].Items()) CheckPolicyRule(rule, true, rules);
}

void CheckClusterRole(const Place& role, FieldRules& rules) {
  for (const Place& rule : role["rules"].Items()) CheckPolicyRule(rule, false, rules);
  const Place aggregation = role["aggregationRule"];
  if (!aggregation.Given()) return;
  const Place selectors = aggregation["clusterRoleSelectors"];
  if (selectors.Items().empty()) {
    rules.Required(selectors,
                   "at least one clusterRoleSelector required if aggregationRule is non-nil");
  }
  for (const Place& selector : selectors.Items()) {
    const std::size_t before = rules.causes().size();
    rules.LabelSelector(selector);
    if (rules.causes().size() == before) continue;
    rules.InvalidAs(selector, "null", "invalid label selector.");
  }
}

void CheckRoleBinding(const Place& binding, FieldRules& rules) {
  CheckBindingOf(binding, {"Role", "ClusterRole"}, true, rules);
}

void CheckClusterRoleBinding(const Place& binding, FieldRules& rules) {
  CheckBindingOf(binding, {"ClusterRole"}, false, rules);
}

void CheckRoleBindingUpdate(const Place& live, const Place& next, FieldRules& rules) {
  const Place role = next["roleRef"];
  if (role.value() == live["roleRef"].value()) return;
  // Go's type has no names for JSON.
  const Json shown = {{"APIGroup", role["apiGroup"].Text()},
                      {"Kind", role["kind"].Text()},
                      {"Name", role["name"].Text()}};
  rules.InvalidAs(role, shown.text(), "cannot change roleRef");
}

}  // namespace capstan::testing::apiserver
