// SPDX-License-Identifier: Apache-2.0
// Validation of HorizontalPodAutoscalers. Mirrors
// k8s.io/kubernetes/pkg/apis/autoscaling/validation.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/quantity.h"
#include "capstan/text.h"
#include "clientgo/testing/apiserver/validation/kind_rules.h"
#include "clientgo/testing/apiserver/validation/resource_rules.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

// The names of kinds, objects and metrics are segments of paths.
void CheckSegment(const Place& field, std::string_view missing, FieldRules& rules) {
  if (rules.RequireText(field, missing)) rules.Invalid(field, PathSegmentErrors(field.Text()));
}

// Checks which object is scaled or measured.
void CheckTarget(const Place& target, bool core, FieldRules& rules) {
  CheckSegment(target["kind"], {}, rules);
  CheckSegment(target["name"], {}, rules);
  const Place version = target["apiVersion"];
  const std::string text(version.Text());
  if (std::count(text.begin(), text.end(), '/') > 1) {
    rules.InvalidText(version, "unexpected GroupVersion string: " + text);
  } else if (!core && (text.find('/') == std::string::npos || text.starts_with('/'))) {
    rules.InvalidText(version, "apiVersion must specify API group");
  }
}

void CheckPositiveAmount(const Place& amount, FieldRules& rules) {
  const auto quantity = Quantity::Parse(amount.Text());
  if (quantity && *quantity <= Quantity()) rules.Invalid(amount, "must be positive");
}

void CheckMetricTarget(const Place& target, FieldRules& rules) {
  constexpr std::array<std::string_view, 3> kTypes = {"Utilization", "Value", "AverageValue"};
  const Place type = target["type"];
  rules.RequireText(type, "must specify a metric target type");
  if (std::find(kTypes.begin(), kTypes.end(), type.Text()) == kTypes.end()) {
    rules.InvalidText(type, "must be either Utilization, Value, or AverageValue");
  }
  CheckPositiveAmount(target["value"], rules);
  CheckPositiveAmount(target["averageValue"], rules);
  const Place utilization = target["averageUtilization"];
  if (utilization.Number().value_or(1) < 1) rules.Invalid(utilization, "must be greater than 0");
}

void CheckObjectMetric(const Place& source, FieldRules& rules) {
  CheckTarget(source["describedObject"], true, rules);
  CheckSegment(source["metric"]["name"], "must specify a metric name", rules);
  const Place target = source["target"];
  CheckMetricTarget(target, rules);
  if (target["value"].Given() || target["averageValue"].Given()) return;
  rules.Required(target["averageValue"], "must set either a target value or averageValue");
}

void CheckExternalMetric(const Place& source, FieldRules& rules) {
  CheckSegment(source["metric"]["name"], "must specify a metric name", rules);
  const Place target = source["target"];
  CheckMetricTarget(target, rules);
  const bool whole = target["value"].Given();
  const bool average = target["averageValue"].Given();
  if (!whole && !average) {
    rules.Required(target["averageValue"],
                   "must set either a target value for metric or a per-pod target");
  } else if (whole && average) {
    rules.Forbidden(target["value"],
                    "may not set both a target value for metric and a per-pod target");
  }
}

void CheckPodsMetric(const Place& source, FieldRules& rules) {
  CheckSegment(source["metric"]["name"], "must specify a metric name", rules);
  const Place average = source["target"]["averageValue"];
  CheckMetricTarget(source["target"], rules);
  if (!average.Given()) rules.Required(average, "must specify a positive target averageValue");
}

void CheckUsage(const Place& target, FieldRules& rules) {
  CheckMetricTarget(target, rules);
  const Place utilization = target["averageUtilization"];
  const Place average = target["averageValue"];
  if (!utilization.Given() && !average.Given()) {
    rules.Required(utilization, "must set either a target raw value or a target utilization");
  } else if (utilization.Given() && average.Given()) {
    rules.Forbidden(average, "may not set both a target raw value and a target utilization");
  }
}

void CheckResourceMetric(const Place& source, FieldRules& rules) {
  rules.RequireText(source["name"], "must specify a resource name");
  CheckUsage(source["target"], rules);
}

void CheckContainerMetric(const Place& source, FieldRules& rules) {
  const Place name = source["name"];
  if (rules.RequireText(name, "must specify a resource name")) {
    CheckContainerResourceName(name, name.Text(), rules);
  }
  const Place container = source["container"];
  if (rules.RequireText(container, "must specify a container")) rules.Label(container);
  CheckUsage(source["target"], rules);
}

// MetricType is a row of the table: a type of metrics, and the member that has its source.
struct MetricType {
  std::string_view type;
  std::string_view member;
  void (*check)(const Place& source, FieldRules& rules);
};

constexpr std::array kMetricTypes = {
    MetricType{"Object", "object", CheckObjectMetric},
    MetricType{"External", "external", CheckExternalMetric},
    MetricType{"Pods", "pods", CheckPodsMetric},
    MetricType{"Resource", "resource", CheckResourceMetric},
    MetricType{"ContainerResource", "containerResource", CheckContainerMetric},
};

void CheckMetric(const Place& metric, FieldRules& rules) {
  const Place type = metric["type"];
  const auto unsupported = [&] {
    rules.Unsupported(type, Quote(type.Text()),
                      {"ContainerResource", "External", "Object", "Pods", "Resource"});
  };
  const auto* const known =
      std::find_if(kMetricTypes.begin(), kMetricTypes.end(),
                   [&](const MetricType& row) { return row.type == type.Text(); });
  const bool unknown = known == kMetricTypes.end();
  rules.RequireText(type, "must specify a metric source type");
  if (unknown) unsupported();
  std::vector<Place> sources;
  for (const MetricType& row : kMetricTypes) {
    const Place source = metric[row.member];
    if (!source.Given()) continue;
    sources.push_back(source);
    if (sources.size() == 1) row.check(source, rules);
  }
  if (unknown) {
    unsupported();
  } else if (!metric[known->member].Given()) {
    rules.Required(metric[known->member], "must populate information for the given metric source");
  }
  if (sources.size() == 1) return;
  for (const Place& source : sources) {
    if (!unknown && source.path() == metric[known->member].path()) continue;
    rules.Forbidden(source, "must populate the given metric source only");
  }
}

void CheckScalingRules(const Place& scaling, FieldRules& rules) {
  constexpr std::int64_t kWindowMax = 3600;
  constexpr std::int64_t kPeriodMax = 1800;
  if (!scaling.Given()) return;
  const Place window = scaling["stabilizationWindowSeconds"];
  const std::int64_t seconds = window.Number().value_or(0);
  if (seconds < 0) rules.Invalid(window, "must be greater than or equal to zero");
  if (seconds > kWindowMax) rules.Invalid(window, "must be less than or equal to 3600");
  rules.OneOf(scaling["selectPolicy"], {"Disabled", "Max", "Min"});
  const Place policies = scaling["policies"];
  if (policies.Items().empty()) rules.Required(policies, "must specify at least one Policy");
  for (const Place& policy : policies.Items()) {
    const Place type = policy["type"];
    if (type.Text() != "Pods" && type.Text() != "Percent") {
      rules.Unsupported(type, Quote(type.Text()), {"Percent", "Pods"});
    }
    for (const char* const member : {"value", "periodSeconds"}) {
      const std::int64_t number = policy[member].Number().value_or(0);
      if (number > 0) continue;
      rules.InvalidAs(policy[member], std::to_string(number), "must be greater than zero");
    }
    const Place period = policy["periodSeconds"];
    if (period.Number().value_or(0) > kPeriodMax) {
      rules.Invalid(period, "must be less than or equal to 1800");
    }
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
  // The core group has only one kind with a scale.
  const Place target = spec["scaleTargetRef"];
  CheckTarget(target, target["kind"].Text() == "ReplicationController", rules);
  const Place metrics = spec["metrics"];
  bool measures_others = false;
  for (const Place& metric : metrics.Items()) {
    CheckMetric(metric, rules);
    const std::string_view type = metric["type"].Text();
    measures_others = measures_others || type == "Object" || type == "External";
  }
  // Version 1 has the one metric in a field, and errors show where the other version has it.
  const Place utilization = spec["targetCPUUtilizationPercentage"];
  if (utilization.Number().value_or(1) < 1) {
    rules.Invalid(utilization.At("spec.metrics[0].resource.target.averageUtilization"),
                  "must be greater than 0");
  }
  if (least.Number().value_or(1) == 0 && !measures_others) {
    rules.Forbidden(metrics,
                    "must specify at least one Object or External metric to support scaling to "
                    "zero replicas");
  }
  CheckScalingRules(spec["behavior"]["scaleUp"], rules);
  CheckScalingRules(spec["behavior"]["scaleDown"], rules);
}

void CheckAutoscalerStatus(const Place&, const Place& next, FieldRules& rules) {
  rules.NotNegative(next["status"]["currentReplicas"]);
  rules.NotNegative(next["status"]["desiredReplicas"]);
}

}  // namespace capstan::testing::apiserver
