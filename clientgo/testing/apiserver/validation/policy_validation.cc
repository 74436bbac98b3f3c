// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/quantity.h"
#include "capstan/text.h"
#include "clientgo/testing/apiserver/types/json.h"
#include "clientgo/testing/apiserver/validation/kind_rules.h"
#include "clientgo/testing/apiserver/validation/resource_rules.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

// A number of Pods that is not negative, or a percentage of at most 100%.
void CheckAmount(const Place& amount, FieldRules& rules) {
  rules.NotNegative(amount);
  if (!amount.value().IsString()) return;
  std::string_view text = amount.Text();
  int number = 0;
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (!percent || error != std::errc() || end != text.data() + text.size() || number < 0) {
    rules.Invalid(amount,
                  "a valid percent string must be a numeric string followed by an ending '%' (e.g. "
                  "'1%',  or '93%', regex used for validation is '[0-9]+%')");
  } else if (number > 100) {
    rules.Invalid(amount, "must not be greater than 100%");
  }
}

}  // namespace

void CheckDisruptionBudget(const Place& budget, FieldRules& rules) {
  const Place spec = budget["spec"];
  const Place available = spec["minAvailable"];
  const Place unavailable = spec["maxUnavailable"];
  if (available.Given() && unavailable.Given()) {
    // Go shows the fields of the internal type.
    rules.InvalidAs(spec,
                    R"({"MinAvailable":)" + available.Json() + R"(,"Selector":)" +
                        spec["selector"].Json() + R"(,"MaxUnavailable":)" + unavailable.Json() +
                        R"(,"UnhealthyPodEvictionPolicy":)" +
                        spec["unhealthyPodEvictionPolicy"].Json() + "}",
                    "minAvailable and maxUnavailable cannot be both set");
  }
  for (const Place& amount : {available, unavailable}) CheckAmount(amount, rules);
  rules.LabelSelector(spec["selector"]);
  rules.OneOf(spec["unhealthyPodEvictionPolicy"], {"AlwaysAllow", "IfHealthyBudget"});
}

void CheckPriorityClass(const Place& priority_class, FieldRules& rules) {
  constexpr std::int64_t kMost = 1'000'000'000;
  const Place name = priority_class["metadata"]["name"];
  const Place value = priority_class["value"];
  const std::int64_t number = value.Number().value_or(0);
  if (name.Text().starts_with("system-")) {
    const bool known = (name.Text() == "system-cluster-critical" && number == 2 * kMost) ||
                       (name.Text() == "system-node-critical" && number == 2 * kMost + 1000);
    if (!known) {
      rules.Forbidden(name,
                      "priority class names with 'system-' prefix are reserved for system use "
                      "only. error: " +
                          std::string(name.Text()) + " is not a known system priority class");
    }
  } else if (number > kMost) {
    rules.Forbidden(value, "maximum allowed value of a user defined priority is 1000000000");
  }
  rules.OneOf(priority_class["preemptionPolicy"], {"PreemptLowerPriority", "Never"});
}

void CheckPriorityClassUpdate(const Place& live, const Place& next, FieldRules& rules) {
  if (live["value"].Number().value_or(0) != next["value"].Number().value_or(0)) {
    rules.Forbidden(next["value"], "may not be changed in an update.");
  }
  rules.Immutable(live["preemptionPolicy"], next["preemptionPolicy"]);
}

void CheckRuntimeClass(const Place& runtime_class, FieldRules& rules) {
  const Place handler = runtime_class["handler"];
  rules.InvalidText(handler, DnsLabelErrors(handler.Text()));
  const Place amounts = runtime_class["overhead"]["podFixed"].At("overhead.limits");
  for (const Place& name : amounts.Keys()) {
    const Place amount = amounts.Entry(name.Text());
    CheckContainerResourceName(amount, name.Text(), rules);
    CheckResourceAmount(amount, name.Text(), rules);
  }
  const Place scheduling = runtime_class["scheduling"];
  rules.Labels(scheduling["nodeSelector"]);
  const Place tolerations = scheduling["tolerations"];
  CheckPodTolerations(tolerations.At("scheduling.tolerations.tolerations"), rules);
  std::set<std::array<std::string_view, 4>> known;
  for (const Place& toleration : tolerations.Items()) {
    const auto text = [&](const char* member) { return toleration[member].Text(); };
    if (known.insert({text("key"), text("operator"), text("value"), text("effect")}).second) {
      continue;
    }
    const Place seconds = toleration["tolerationSeconds"];
    rules.DuplicateAs(toleration, Json{{"Key", text("key")},
                                       {"Operator", text("operator")},
                                       {"Value", text("value")},
                                       {"Effect", text("effect")},
                                       {"TolerationSeconds",
                                        seconds.Given() ? Json(seconds.value()) : Json(nullptr)}}
                                      .text());
  }
}

void CheckControllerRevision(const Place& revision, FieldRules& rules) {
  rules.NotNegative(revision["revision"]);
  const Place data = revision["data"];
  if (!data.Given()) {
    rules.Required(data, "data is mandatory");
  } else if (!data.value().IsObject()) {
    rules.Required(data, "data must be a valid JSON object");
  }
}

void CheckReplicationController(const Place& controller, FieldRules& rules) {
  const Place spec = controller["spec"];
  const Place selector = spec["selector"];
  const Place pod_template = spec["template"];
  rules.NotNegative(spec["minReadySeconds"]);
  if (!selector.Given() || IsEmptyContainer(selector.value())) rules.Required(selector);
  rules.NotNegative(spec["replicas"]);
  if (!pod_template.Given()) return rules.Required(pod_template);
  const Place labels = pod_template["metadata"]["labels"];
  for (const Place& key : selector.Keys()) {
    if (labels[key.Text()].value() == selector[key.Text()].value()) continue;
    rules.Invalid(labels, "`selector` does not match template `labels`");
    break;
  }
  CheckPodTemplate(pod_template, rules);
  rules.OneOf(pod_template["spec"]["restartPolicy"], {"Always"});
  const Place deadline = pod_template["spec"]["activeDeadlineSeconds"];
  if (!deadline.Given()) return;
  rules.Forbidden(deadline, "activeDeadlineSeconds in ReplicationController is not Supported");
}

namespace {

// Checks how much higher than a request a limit may be, and the defaults of resources that cannot
// be overcommitted.
void CheckLimitRatio(const Place& item, std::string_view name, FieldRules& rules) {
  const auto amount_of = [&](const char* member) {
    return Quantity::Parse(item[member].Entry(name).Text());
  };
  const Place at = item["maxLimitRequestRatio"].Entry(name);
  const std::string text(at.Text());
  const auto ratio = amount_of("maxLimitRequestRatio");
  const auto least = amount_of("min");
  const auto most = amount_of("max");
  if (ratio && ratio->milli() < 1000) rules.Invalid(at, "ratio " + text + " is less than 1");
  if (ratio && least && most) {
    const double limit = static_cast<double>(most->milli()) / static_cast<double>(least->milli());
    if (static_cast<double>(ratio->milli()) / 1000 > limit) {
      rules.Invalid(at, "ratio " + text + " is greater than max/min = " + std::to_string(limit));
    }
  }
  const Place first = item["default"].Entry(name);
  const Place second = item["defaultRequest"].Entry(name);
  if (IsOvercommitAllowed(name) || !first.Given() || !second.Given()) return;
  if (amount_of("default") == amount_of("defaultRequest")) return;
  rules.Invalid(second, "default value " + std::string(first.Text()) +
                            " must equal to defaultRequest value " + std::string(second.Text()) +
                            " in " + std::string(name));
}

}  // namespace

void CheckLimitRange(const Place& range, FieldRules& rules) {
  std::set<std::string_view> types;
  for (const Place& item : range["spec"]["limits"].Items()) {
    const Place type = item["type"];
    constexpr std::array<std::string_view, 3> kTypes = {"Container", "PersistentVolumeClaim",
                                                        "Pod"};
    const bool standard = std::find(kTypes.begin(), kTypes.end(), type.Text()) != kTypes.end();
    const auto errors = QualifiedNameErrors(type.Text());
    rules.InvalidText(type, errors);
    if (errors.empty() && !standard && type.Text().find('/') == std::string_view::npos) {
      rules.InvalidText(type, "must be a standard limit type or fully qualified");
    }
    if (!types.insert(type.Text()).second) rules.Duplicate(type);
    if (type.Text() == "Pod") {
      for (const char* const member : {"default", "defaultRequest"}) {
        if (!item[member].Keys().empty()) {
          rules.Forbidden(item[member], "may not be specified when `type` is 'Pod'");
        }
      }
    }
    if (type.Text() == "PersistentVolumeClaim" && !item["min"]["storage"].Given() &&
        !item["max"]["storage"].Given()) {
      rules.Required(item["limits"],
                     "either minimum or maximum storage value is required, but neither was "
                     "provided");
    }
    std::set<std::string_view> names;
    const bool of_containers = type.Text() == "Container" || type.Text() == "Pod";
    for (const char* const member :
         {"max", "min", "default", "defaultRequest", "maxLimitRequestRatio"}) {
      if (type.Text() == "Pod" && std::string_view(member).starts_with("default")) continue;
      for (const Place& key : item[member].Keys()) {
        const Place amount = item[member].Entry(key.Text());
        if (of_containers) CheckContainerResourceName(amount, key.Text(), rules);
        if (!of_containers) CheckResourceName(amount, key.Text(), rules);
        names.insert(key.Text());
      }
    }
    for (const std::string_view name : names) {
      const auto not_above = [&](const char* low, const char* high, const char* shown,
                                 const std::string& low_text, const std::string& high_text) {
        if (type.Text() == "Pod" && std::string_view(shown).starts_with("default")) return;
        const Place a = item[low].Entry(name);
        const Place b = item[high].Entry(name);
        const auto x = Quantity::Parse(a.Text());
        const auto y = Quantity::Parse(b.Text());
        if (!x || !y || *x <= *y) return;
        const Place at = item[shown].Entry(name);
        // The error of a default shows the other amount.
        const Place value = std::string_view(shown) != "default" ? at
                            : std::string_view(low) == "default" ? b
                                                                 : a;
        rules.Invalid(value.At(at.path()), std::string(low_text)
                                               .append(" value ")
                                               .append(a.Text())
                                               .append(" is greater than ")
                                               .append(high_text)
                                               .append(" value ")
                                               .append(b.Text()));
      };
      not_above("min", "max", "min", "min", "max");
      not_above("min", "defaultRequest", "defaultRequest", "min", "default request");
      not_above("defaultRequest", "max", "defaultRequest", "default request", "max");
      not_above("defaultRequest", "default", "defaultRequest", "default request", "default limit");
      not_above("min", "default", "default", "min", "default");
      not_above("default", "max", "default", "default", "max");
      CheckLimitRatio(item, name, rules);
    }
  }
}

void CheckResourceQuota(const Place& quota, FieldRules& rules) {
  const Place hard = quota["spec"]["hard"];
  for (const Place& key : hard.Keys()) {
    const Place amount = hard.Entry(key.Text());
    CheckQuotaResourceName(amount, key.Text(), rules);
    CheckResourceAmount(amount, key.Text(), rules);
  }
  CheckQuotaScopes(quota["spec"], rules);
}

}  // namespace capstan::testing::apiserver
