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
#include "clientgo/testing/apiserver/validation/kind_rules.h"
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

void CheckMetricTarget(const Place& target, FieldRules& rules) {
  const Place type = target["type"];
  if (type.Text().empty()) rules.Required(type, "must specify a metric target type");
  rules.OneOf(type, {"Utilization", "Value", "AverageValue"});
  for (const char* const member : {"value", "averageValue"}) {
    const auto quantity = Quantity::Parse(target[member].Text());
    if (quantity && *quantity <= Quantity()) {
      rules.Invalid(target[member], "must be positive");
    }
  }
  const Place utilization = target["averageUtilization"];
  if (utilization.Number().value_or(1) < 1) {
    rules.Invalid(utilization, "must be greater than 0");
  }
}

void CheckMetric(const Place& metric, FieldRules& rules) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kTypes = {
      {{"ContainerResource", "containerResource"},
       {"External", "external"},
       {"Object", "object"},
       {"Pods", "pods"},
       {"Resource", "resource"}}};
  const Place type = metric["type"];
  if (type.Text().empty()) return rules.Required(type, "must specify a metric source type");
  const auto* const known = std::find_if(
      kTypes.begin(), kTypes.end(), [&](const auto& each) { return each.first == type.Text(); });
  if (known == kTypes.end()) {
    return rules.Unsupported(type, Quote(type.Text()),
                             {"ContainerResource", "External", "Object", "Pods", "Resource"});
  }
  for (const auto& [name, member] : kTypes) {
    const Place source = metric[member];
    if (name != type.Text() && source.Given()) {
      rules.Forbidden(source, "must populate the given metric source only");
    }
    if (name != type.Text()) continue;
    if (!source.Given()) {
      rules.Required(source, "must populate information for the given metric source");
      continue;
    }
    if (name == "Resource" || name == "ContainerResource") {
      if (source["name"].Text().empty()) {
        rules.Required(source["name"], "must specify a resource name");
      }
    } else {
      rules.RequireText(source["metric"]["name"], "must specify a metric name");
    }
    CheckMetricTarget(source["target"], rules);
  }
}

}  // namespace

void CheckAutoscaler(const Place& autoscaler, FieldRules& rules) {
  const Place spec = autoscaler["spec"];
  const Place least = spec["minReplicas"];
  const Place most = spec["maxReplicas"];
  const std::int64_t maximum = most.Number().value_or(0);
  const auto invalid = [&](std::string_view why) {
    rules.InvalidAs(most, std::to_string(maximum), why);
  };
  if (least.Number().value_or(1) < 1) rules.Invalid(least, "must be greater than or equal to 1");
  if (maximum < 1) invalid("must be greater than 0");
  if (least.Number() && maximum < *least.Number()) {
    invalid("must be greater than or equal to `minReplicas`");
  }
  for (const char* const member : {"kind", "name"}) {
    const Place field = spec["scaleTargetRef"][member];
    if (rules.RequireText(field)) rules.Invalid(field, PathSegmentErrors(field.Text()));
  }
  const Place version = spec["scaleTargetRef"]["apiVersion"];
  // The core group has only one kind with a scale.
  const bool core = spec["scaleTargetRef"]["kind"].Text() == "ReplicationController";
  if (!core && version.Text().find('/') == std::string_view::npos) {
    rules.InvalidText(version, "apiVersion must specify API group");
  }
  const Place utilization = spec["targetCPUUtilizationPercentage"];
  if (utilization.Number().value_or(1) < 1) rules.Invalid(utilization, "must be greater than 0");
  for (const Place& metric : spec["metrics"].Items()) CheckMetric(metric, rules);
}

void CheckDisruptionBudget(const Place& budget, FieldRules& rules) {
  const Place spec = budget["spec"];
  const Place available = spec["minAvailable"];
  const Place unavailable = spec["maxUnavailable"];
  if (available.Given() && unavailable.Given()) {
    rules.Invalid(spec, "minAvailable and maxUnavailable cannot be both set");
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
  rules.OneOf(priority_class["preemptionPolicy"], {"Never", "PreemptLowerPriority"});
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
    for (const char* const member : {"min", "max", "default", "defaultRequest"}) {
      for (const Place& key : item[member].Keys()) names.insert(key.Text());
    }
    for (const std::string_view name : names) {
      const auto not_above = [&](const char* low, const char* high, const char* shown,
                                 const std::string& low_text, const std::string& high_text) {
        const Place a = item[low].Entry(name);
        const Place b = item[high].Entry(name);
        const auto x = Quantity::Parse(a.Text());
        const auto y = Quantity::Parse(b.Text());
        if (!x || !y || *x <= *y) return;
        const Place at = item[shown].Entry(name);
        rules.Invalid(at, std::string(low_text)
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
    }
  }
}

void CheckResourceQuota(const Place& quota, FieldRules& rules) {
  constexpr std::array<std::string_view, 18> kNames = {"cpu",
                                                       "memory",
                                                       "ephemeral-storage",
                                                       "requests.cpu",
                                                       "requests.memory",
                                                       "requests.storage",
                                                       "requests.ephemeral-storage",
                                                       "limits.cpu",
                                                       "limits.memory",
                                                       "limits.ephemeral-storage",
                                                       "pods",
                                                       "resourcequotas",
                                                       "services",
                                                       "replicationcontrollers",
                                                       "secrets",
                                                       "persistentvolumeclaims",
                                                       "configmaps",
                                                       "services.nodeports"};
  const Place hard = quota["spec"]["hard"];
  for (const Place& key : hard.Keys()) {
    const std::string_view name = key.Text();
    const Place amount = hard.Entry(name);
    const bool standard = std::find(kNames.begin(), kNames.end(), name) != kNames.end() ||
                          name == "services.loadbalancers" || name.starts_with("hugepages-") ||
                          name.starts_with("requests.hugepages-");
    if (name.find('/') == std::string_view::npos && !standard) {
      rules.InvalidAs(amount, Quote(name), "must be a standard resource for quota");
    }
    const auto quantity = Quantity::Parse(amount.Text());
    if (quantity && *quantity < Quantity()) {
      rules.Invalid(amount, "must be greater than or equal to 0");
    }
  }
  CheckQuotaScopes(quota["spec"], rules);
}

}  // namespace capstan::testing::apiserver
