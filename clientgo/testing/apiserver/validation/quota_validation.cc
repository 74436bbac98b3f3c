// SPDX-License-Identifier: Apache-2.0
// Rules of the scopes of ResourceQuotas. Mirrors validateResourceQuotaScopes and
// validateScopeSelector of k8s.io/kubernetes/pkg/apis/core/validation.
#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "clientgo/testing/apiserver/types/json.h"
#include "clientgo/testing/apiserver/validation/kind_rules.h"
#include "clientgo/testing/apiserver/validation/resource_rules.h"

namespace capstan::testing::apiserver {
namespace {

bool IsOneOf(std::string_view text, const auto& texts) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

bool IsScope(std::string_view scope) {
  constexpr std::array<std::string_view, 7> kScopes = {"Terminating",
                                                       "NotTerminating",
                                                       "BestEffort",
                                                       "NotBestEffort",
                                                       "PriorityClass",
                                                       "VolumeAttributesClass",
                                                       "CrossNamespacePodAffinity"};
  return IsOneOf(scope, kScopes);
}

// Reports whether a scope can limit a resource. Other names, such as "count/pods", can have every
// scope.
bool CanLimit(std::string_view scope, std::string_view resource) {
  constexpr std::array<std::string_view, 6> kCompute = {
      "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"};
  if (!IsQuotaResource(resource) || !IsScope(scope)) return true;
  if (scope == "VolumeAttributesClass") {
    return resource == "persistentvolumeclaims" || resource == "requests.storage";
  }
  return resource == "pods" || (scope != "BestEffort" && IsOneOf(resource, kCompute));
}

// Returns how many of the resources a scope cannot limit. Each of them is an error.
std::size_t NotLimited(std::string_view scope, const Place& spec) {
  const auto keys = spec["hard"].Keys();
  return static_cast<std::size_t>(std::count_if(
      keys.begin(), keys.end(), [&](const Place& key) { return !CanLimit(scope, key.Text()); }));
}

bool Conflict(const std::set<std::string_view>& scopes) {
  return (scopes.contains("BestEffort") && scopes.contains("NotBestEffort")) ||
         (scopes.contains("Terminating") && scopes.contains("NotTerminating"));
}

// Returns a scopeSelector as Go prints the internal type: with the names of Go's fields.
std::string SelectorText(const Place& selector) {
  std::vector<Json> expressions;
  for (const Place& expression : selector["matchExpressions"].Items()) {
    expressions.push_back({{"ScopeName", expression["scopeName"].Text()},
                           {"Operator", expression["operator"].Text()},
                           {"Values", Json(expression["values"].value())}});
  }
  return Json{{"MatchExpressions", Json::List(expressions)}}.text();
}

void CheckOperator(const Place& expression, const Place& all, FieldRules& rules) {
  const std::string_view scope = expression["scopeName"].Text();
  const Place op = expression["operator"].At(all.path() + ".operator");
  const Place values = expression["values"].At(all.path() + ".values");
  const bool classes = scope == "PriorityClass" || scope == "VolumeAttributesClass";
  if (IsScope(scope) && !classes && op.Text() != "Exists") {
    rules.InvalidText(op,
                      "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "
                      "ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, "
                      "ResourceQuotaScopeNotBestEffort or "
                      "ResourceQuotaScopeCrossNamespacePodAffinity");
  }
  if (op.Text() == "In" || op.Text() == "NotIn") {
    if (!values.Items().empty()) return;
    rules.Required(values,
                   "must be at least one value when `operator` is 'In' or 'NotIn' for scope "
                   "selector");
  } else if (op.Text() == "Exists" || op.Text() == "DoesNotExist") {
    if (values.Items().empty()) return;
    rules.Invalid(values,
                  "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope "
                  "selector");
  } else {
    rules.InvalidText(op, "not a valid selector operator");
  }
}

}  // namespace

void CheckQuotaScopes(const Place& spec, FieldRules& rules) {
  std::set<std::string_view> given;
  const Place scopes = spec["scopes"];
  for (const Place& scope : scopes.Items()) {
    given.insert(scope.Text());
    if (!IsScope(scope.Text())) rules.Invalid(scopes, "unsupported scope");
    for (std::size_t i = NotLimited(scope.Text(), spec); i > 0; --i) {
      rules.Invalid(scopes, "unsupported scope applied to resource");
    }
  }
  if (Conflict(given)) rules.Invalid(scopes, "conflicting scopes");
  given.clear();
  const Place selector = spec["scopeSelector"];
  const Place expressions = selector["matchExpressions"];
  for (const Place& expression : expressions.Items()) {
    const Place scope = expression["scopeName"].At(expressions.path() + ".scopeName");
    given.insert(scope.Text());
    if (!IsScope(scope.Text())) rules.InvalidText(scope, "unsupported scope");
    for (std::size_t i = NotLimited(scope.Text(), spec); i > 0; --i) {
      rules.InvalidAs(expressions, SelectorText(selector), "unsupported scope applied to resource");
    }
    CheckOperator(expression, expressions, rules);
  }
  if (Conflict(given)) rules.InvalidAs(expressions, scopes.Json(), "conflicting scopes");
}

void CheckResourceQuotaUpdate(const Place& live, const Place& next, FieldRules& rules) {
  const auto scopes_of = [](const Place& quota) {
    std::set<std::string_view> scopes;
    for (const Place& scope : quota["spec"]["scopes"].Items()) scopes.insert(scope.Text());
    return scopes;
  };
  if (scopes_of(live) != scopes_of(next)) {
    rules.Invalid(next["spec"]["scopes"], "field is immutable");
  }
}

}  // namespace capstan::testing::apiserver
