// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/quantity.h"
#include "capstan/text.h"
#include "clientgo/testing/apiserver/types/amounts.h"
#include "clientgo/testing/apiserver/validation/pod_rules.h"
#include "clientgo/testing/apiserver/validation/resource_rules.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kHugePages = "hugepages-";

bool IsPages(std::string_view name) { return name.starts_with(kHugePages); }

void CheckNameForPod(const Place& name, FieldRules& rules) {
  const std::string_view text = name.Text();
  if (!CheckResourceName(name, text, rules)) return;
  if (text == "cpu" || text == "memory" || IsPages(text)) return;
  rules.Unsupported(name, Quote(text), {"cpu", kHugePages, "memory"});
}

Quantity AmountOf(const Place& amount) {
  return Quantity::Parse(amount.Text()).value_or(Quantity());
}

void CheckAmountOf(std::string_view name, const Place& amount, FieldRules& rules) {
  CheckResourceAmount(amount, name, rules);
  if (!IsPages(name)) return;
  const Quantity quantity = AmountOf(amount);
  const auto page = Quantity::Parse(name.substr(kHugePages.size()));
  if (page && page->value() > 0 && page->milli() % 1000 == 0 &&
      quantity.value() % page->value() == 0) {
    return;
  }
  rules.Invalid(amount, std::string(amount.Text()) + " is not positive integer multiple of " +
                            std::string(name));
}

void CheckRequestOfLimited(const Place& requirements, std::string_view name, FieldRules& rules) {
  const Place request = requirements["requests"].Entry(name);
  const Place limit = requirements["limits"].Entry(name);
  const bool overcommit = IsOvercommitAllowed(name);
  const auto refuse = [&](std::string_view how) {
    rules.Invalid(request.At(requirements["requests"].path()),
                  std::string(how) + std::string(name) + " limit of " + std::string(limit.Text()));
  };
  if (!limit.Given()) {
    if (overcommit) return;
    rules.Required(requirements["limits"], "Limit must be set for non overcommitable resources");
  } else if (!overcommit && AmountOf(request) != AmountOf(limit)) {
    refuse("must be equal to ");
  } else if (AmountOf(request) > AmountOf(limit)) {
    refuse("must be less than or equal to ");
  }
}

// The claims of a container are claims of its Pod, or requests of them.
void CheckClaims(const Place& claims, const PodScope& scope, FieldRules& rules) {
  std::set<std::string> names;
  for (const Place& claim : claims.Items()) {
    const std::string name(claim["name"].Text());
    const auto duplicate = [&](const std::string& text) { rules.DuplicateAs(claim, Quote(text)); };
    if (name.empty()) {
      rules.Required(claim);
      continue;
    }
    if (names.contains(name)) {
      duplicate(name);
    } else {
      const Place request = claim["request"];
      rules.Label(request);
      std::string key = name;
      if (!request.Text().empty()) key += "/" + std::string(request.Text());
      if (names.contains(key)) {
        duplicate(key);
      } else if (request.Text().empty()) {
        for (const std::string& other : names) {
          if (other.starts_with(name + "/")) duplicate(name);
        }
      }
      names.insert(key);
    }
    if (scope.claims.contains(name)) continue;
    std::string known;
    for (const std::string_view one : scope.claims) {
      known += (known.empty() ? ": " : ", ") + std::string(one);
    }
    rules.Missing(claim["name"].At(claim.path()),
                  "must be one of the names in pod.spec.resourceClaims" +
                      (known.empty() ? " which is empty" : known));
  }
}

void CheckRequirements(const Place& requirements, bool of_pod, const PodScope& scope,
                       FieldRules& rules) {
  bool compute = false;
  bool huge_pages = false;
  for (const std::string_view list_name : {"limits", "requests"}) {
    const Place list = requirements[list_name];
    for (const Place& key : list.Keys()) {
      const std::string_view name = key.Text();
      const Place amount = list.Entry(name);
      const Place named = key.At(amount.path());
      if (of_pod) CheckNameForPod(named, rules);
      if (!of_pod) CheckContainerResourceName(named, name, rules);
      CheckAmountOf(name, amount, rules);
      if (list_name == "requests") CheckRequestOfLimited(requirements, name, rules);
      compute = compute || name == "cpu" || name == "memory";
      huge_pages = huge_pages || IsPages(name);
    }
  }
  if (huge_pages && !compute) rules.Forbidden(requirements, "HugePages require cpu or memory");
  CheckClaims(requirements["claims"], scope, rules);
}

// Checks an amount of the Pod that must not be less than that of its containers together.
void CheckCovers(const Place& list, const Amounts& containers, std::string_view what,
                 bool only_huge_pages, FieldRules& rules) {
  for (const auto& [name, amount] : containers) {
    const Place own = list.Entry(name);
    if (!own.Given() || (only_huge_pages && !IsPages(name))) continue;
    if (Quantity::FromMilli(amount.milli) <= AmountOf(own)) continue;
    rules.Invalid(own, "must be greater than or equal to aggregate container " + std::string(what) +
                           " of " + amount.Text());
  }
}

}  // namespace

void CheckContainerResources(const Place& requirements, const PodScope& scope, FieldRules& rules) {
  CheckRequirements(requirements, false, scope, rules);
}

void CheckOverhead(const PodScope& scope, FieldRules& rules) {
  const Place overhead = scope.spec["overhead"];
  if (!overhead.Given()) return;
  // The amounts are checked as limits.
  const Json as_limits = {{"limits", Json(overhead.value())}};
  runtime::JsonDocument requirements;
  requirements.Parse(as_limits.text().data(), as_limits.text().size());
  CheckRequirements(Place(requirements, overhead.path()), false, scope, rules);
}

void CheckPodResources(const PodScope& scope, FieldRules& rules) {
  const Place resources = scope.spec["resources"];
  if (!resources.Given()) return;
  if (scope.spec["os"]["name"].Text() == "windows") {
    return rules.Forbidden(resources, "may not be set for a windows pod");
  }
  if (resources["claims"].Given()) {
    rules.Forbidden(resources["claims"], "claims may not be set for Resources at pod-level");
  }
  CheckRequirements(resources, true, scope, rules);
  const runtime::JsonValue& spec = scope.spec.value();
  CheckCovers(resources["requests"], ContainerAmounts(spec, "requests"), "requests", false, rules);
  const Place limits = resources["limits"];
  CheckCovers(limits, ContainerAmounts(spec, "limits"), "limits", true, rules);
  for (const Place& container : scope.spec["containers"].Items()) {
    const Place own = container["resources"]["limits"];
    for (const Place& key : own.Keys()) {
      const Place limit = limits.Entry(key.Text());
      const Place amount = own.Entry(key.Text());
      if (!limit.Given() || AmountOf(amount) <= AmountOf(limit)) continue;
      const std::string index = container.path().substr(container.path().find_last_of('['));
      rules.Invalid(amount.At(resources["containers"].path() + index + "[" +
                              std::string(key.Text()) + "].limits"),
                    "must be less than or equal to pod limits of " + std::string(limit.Text()));
    }
  }
}

void CheckResizePolicy(const Place& policy, const PodScope& scope, FieldRules& rules) {
  std::set<std::string_view> resources;
  for (const Place& one : policy.Items()) {
    const Place resource = one["resourceName"].At(policy.path());
    const Place restart = one["restartPolicy"].At(policy.path());
    if (!resources.insert(resource.Text()).second) {
      rules.DuplicateAs(one, Quote(resource.Text()));
    }
    rules.RequireOneOf(resource, {"cpu", "memory"});
    rules.RequireOneOf(restart, {"NotRequired", "RestartContainer"});
    if (scope.spec["restartPolicy"].Text() == "Never" && restart.Text() != "NotRequired") {
      rules.InvalidText(restart, "must be 'NotRequired' when `restartPolicy` is 'Never'");
    }
  }
}

}  // namespace capstan::testing::apiserver
