// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/validation/resource_rules.h"

#include <algorithm>
#include <array>
#include <string>

#include "capstan/quantity.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

bool IsNamed(std::string_view name, const auto& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr std::array<std::string_view, 9> kCountedResources = {"pods",
                                                               "resourcequotas",
                                                               "services",
                                                               "replicationcontrollers",
                                                               "secrets",
                                                               "configmaps",
                                                               "persistentvolumeclaims",
                                                               "services.nodeports",
                                                               "services.loadbalancers"};
constexpr std::array<std::string_view, 3> kContainerResources = {"cpu", "memory",
                                                                 "ephemeral-storage"};
constexpr std::array<std::string_view, 7> kQuotaOnly = {
    "requests.cpu", "requests.memory", "requests.ephemeral-storage", "requests.storage",
    "limits.cpu",   "limits.memory",   "limits.ephemeral-storage"};

bool HasPrefix(std::string_view name) { return name.find('/') != std::string_view::npos; }

bool IsNative(std::string_view name) {
  return !HasPrefix(name) || name.find("kubernetes.io/") != std::string_view::npos;
}

bool IsExtended(std::string_view name) {
  return !IsNative(name) && !name.starts_with("requests.") &&
         QualifiedNameErrors("requests." + std::string(name)).empty();
}

void Invalid(const Place& field, std::string_view name, std::string_view why, FieldRules& rules) {
  rules.InvalidAs(field, Quote(name), why);
}

}  // namespace

bool IsQuotaResource(std::string_view name) {
  return IsNamed(name, kCountedResources) || IsNamed(name, kContainerResources) ||
         IsNamed(name, kQuotaOnly) || name.starts_with("hugepages-") ||
         name.starts_with("requests.hugepages-");
}

bool IsOvercommitAllowed(std::string_view name) {
  return IsNative(name) && !name.starts_with("hugepages-");
}

bool CheckResourceName(const Place& field, std::string_view name, FieldRules& rules) {
  const auto errors = QualifiedNameErrors(name);
  for (const std::string& error : errors) Invalid(field, name, error, rules);
  if (!errors.empty()) return false;
  if (HasPrefix(name) || IsQuotaResource(name) || name == "storage") return true;
  Invalid(field, name, "must be a standard resource type or fully qualified", rules);
  return false;
}

void CheckContainerResourceName(const Place& field, std::string_view name, FieldRules& rules) {
  CheckResourceName(field, name, rules);
  if (!HasPrefix(name)) {
    if (IsNamed(name, kContainerResources) || name.starts_with("hugepages-")) return;
    Invalid(field, name, "must be a standard resource for containers", rules);
  } else if (!IsNative(name) && !IsExtended(name)) {
    Invalid(field, name, "doesn't follow extended resource name standard", rules);
  }
}

void CheckQuotaResourceName(const Place& field, std::string_view name, FieldRules& rules) {
  CheckResourceName(field, name, rules);
  if (HasPrefix(name) || IsQuotaResource(name)) return;
  Invalid(field, name, "must be a standard resource for quota", rules);
}

void CheckResourceAmount(const Place& amount, std::string_view name, FieldRules& rules) {
  const auto quantity = Quantity::Parse(amount.Text());
  if (!quantity) return;
  if (*quantity < Quantity()) rules.Invalid(amount, "must be greater than or equal to 0");
  if ((IsNamed(name, kCountedResources) || IsExtended(name)) && quantity->milli() % 1000 != 0) {
    rules.Invalid(amount, "must be an integer");
  }
}

}  // namespace capstan::testing::apiserver
