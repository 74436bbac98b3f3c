// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/validation/kind_rules.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "clientgo/testing/apiserver/validation/field_rules.h"

namespace capstan::testing::apiserver {
namespace {

using Causes = std::vector<Cause>;

constexpr std::string_view kNoMatch = "`selector` does not match template `labels`";

void NotNegative(const Place& spec, std::initializer_list<const char*> members, Causes& causes) {
  for (const char* const member : members) FieldRules(causes).NotNegative(spec[member]);
}

bool Contains(const Place& list, std::string_view text) {
  const auto items = list.Items();
  return std::any_of(items.begin(), items.end(),
                     [&](const Place& item) { return item.Text() == text; });
}

// Reports whether a valid selector matches the labels. One that is not given matches nothing.
bool Matches(const Place& selector, const Place& labels) {
  if (!selector.Given()) return false;
  if (const Place wanted = selector["matchLabels"]; wanted.value().IsObject()) {
    for (const auto& label : wanted.value().GetObject()) {
      const Place found = labels[runtime::ToView(label.name)];
      if (!found.Given() || found.value() != label.value) return false;
    }
  }
  const auto requirements = selector["matchExpressions"].Items();
  return std::all_of(requirements.begin(), requirements.end(), [&](const Place& requirement) {
    const Place label = labels[requirement["key"].Text()];
    const std::string_view op = requirement["operator"].Text();
    if (op == "Exists") return label.Given();
    if (op == "DoesNotExist") return !label.Given();
    const bool listed = label.Given() && Contains(requirement["values"], label.Text());
    return op == "In" ? listed : !listed;
  });
}

bool IsEmptySelector(const Place& selector) {
  const Place labels = selector["matchLabels"];
  return (!labels.value().IsObject() || labels.value().ObjectEmpty()) &&
         selector["matchExpressions"].Items().empty();
}

// Reports whether the selector has no error of its own.
bool CheckSelector(const Place& selector, Causes& causes) {
  const auto before = causes.size();
  FieldRules(causes).LabelSelector(selector);
  return causes.size() == before;
}

// SelectorTexts are the words in which the kinds differ.
struct SelectorTexts {
  std::string_view empty;    // for a selector that matches everything
  std::string_view invalid;  // for one that has an error
};

// The selector of a Deployment, ReplicaSet or StatefulSet. Returns whether it can be compared with
// labels.
bool CheckRequiredSelector(const Place& selector, const SelectorTexts& texts, Causes& causes) {
  FieldRules rules(causes);
  if (!selector.Given()) {
    rules.Required(selector);
    return true;
  }
  const bool valid = CheckSelector(selector, causes);
  if (IsEmptySelector(selector)) rules.Invalid(selector, texts.empty);
  if (!valid) rules.Invalid(selector, texts.invalid);
  return valid;
}

void CheckTemplateLabels(const Place& spec, Causes& causes) {
  const Place labels = spec["template"]["metadata"]["labels"];
  if (!Matches(spec["selector"], labels)) FieldRules(causes).Invalid(labels, kNoMatch);
}

// The Pods of these kinds run until they are deleted. `kind` is how the error names the kind.
void CheckRunsForever(const Place& pod_spec, std::string_view kind, Causes& causes) {
  FieldRules rules(causes);
  rules.OneOf(pod_spec["restartPolicy"], {"Always"});
  const Place deadline = pod_spec["activeDeadlineSeconds"];
  if (!deadline.Given()) return;
  rules.Forbidden(deadline, "activeDeadlineSeconds in " + std::string(kind) + " is not Supported");
}

// The template of a Deployment or a ReplicaSet.
void CheckReplicaTemplate(const Place& spec, Causes& causes) {
  const SelectorTexts texts{.empty = "empty selector is invalid for deployment",
                            .invalid = "invalid label selector"};
  if (!CheckRequiredSelector(spec["selector"], texts, causes)) return;
  if (!spec["selector"].Given() || !IsEmptySelector(spec["selector"])) {
    CheckTemplateLabels(spec, causes);
  }
  CheckPodTemplate(spec["template"], nullptr, causes);
  CheckRunsForever(spec["template"]["spec"], "ReplicaSet", causes);
}

// Returns the number of "25%", or nullopt if the text is not a percentage.
std::optional<int> Percent(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  text.remove_suffix(1);
  int number = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool valid = ec == std::errc() && end == text.data() + text.size() && number >= 0;
  return valid ? std::optional(number) : std::nullopt;
}

// Returns the number of Pods, or of percent.
std::int64_t Amount(const Place& field) {
  if (const auto number = field.Number()) return *number;
  return Percent(field.Text()).value_or(0);
}

void CheckAmount(const Place& field, Causes& causes) {
  FieldRules rules(causes);
  rules.NotNegative(field);
  if (!field.value().IsString() || Percent(field.Text())) return;
  rules.Invalid(field,
                "a valid percent string must be a numeric string followed by an ending '%' (e.g. "
                "'1%',  or '93%', regex used for validation is '[0-9]+%')");
}

void CheckAtMostAll(const Place& field, Causes& causes) {
  constexpr int kAll = 100;
  if (Percent(field.Text()).value_or(0) <= kAll) return;
  FieldRules(causes).Invalid(field, "must not be greater than 100%");
}

// Returns a strategy as kube-apiserver's errors show it: with the names of its internal type.
std::string StrategyJson(const Place& strategy, std::initializer_list<const char*> members) {
  Json inner;
  const Place rolling = strategy["rollingUpdate"];
  for (const char* const member : members) {
    std::string name(member);
    name.front() = static_cast<char>(name.front() - 'a' + 'A');
    const Place value = rolling[member];
    inner.Add(name, Json::Raw(value.Given() ? value.Json() : "0"));
  }
  return Json({{"Type", strategy["type"].Text()},
               {"RollingUpdate", rolling.Given() ? inner : Json(nullptr)}})
      .text();
}

void CheckDeploymentStrategy(const Place& strategy, Causes& causes) {
  FieldRules rules(causes);
  const std::string_view type = strategy["type"].Text();
  const Place rolling = strategy["rollingUpdate"];
  if (type == "Recreate") {
    if (rolling.Given()) {
      rules.Forbidden(rolling, "may not be specified when strategy `type` is 'Recreate'");
    }
  } else if (type == "RollingUpdate") {
    const Place unavailable = rolling["maxUnavailable"];
    const Place surge = rolling["maxSurge"];
    CheckAmount(unavailable, causes);
    CheckAmount(surge, causes);
    if (Amount(unavailable) == 0 && Amount(surge) == 0) {
      rules.Invalid(unavailable, "may not be 0 when `maxSurge` is 0");
    }
    CheckAtMostAll(unavailable, causes);
  } else {
    rules.Unsupported(strategy, StrategyJson(strategy, {"maxUnavailable", "maxSurge"}),
                      {"Recreate", "RollingUpdate"});
  }
}

void CheckStatefulSetStrategy(const Place& strategy, Causes& causes) {
  FieldRules rules(causes);
  const std::string_view type = strategy["type"].Text();
  const Place rolling = strategy["rollingUpdate"];
  if (type == "OnDelete") {
    if (!rolling.Given()) return;
    const Place most = rolling["maxUnavailable"];
    const Json shown = {{"Partition", rolling["partition"].Number().value_or(0)},
                        {"MaxUnavailable", Json::Raw(most.Json())}};
    rules.InvalidAs(rolling, shown.text(), "only allowed for updateStrategy 'RollingUpdate'");
  } else if (type.empty() || type == "RollingUpdate") {
    rules.NotNegative(rolling["partition"]);
  } else {
    rules.InvalidAs(strategy, StrategyJson(strategy, {"partition"}),
                    "must be 'RollingUpdate' or 'OnDelete'");
  }
}

void CheckDaemonSetStrategy(const Place& strategy, Causes& causes) {
  FieldRules rules(causes);
  const std::string_view type = strategy["type"].Text();
  if (type == "OnDelete") return;
  if (!type.empty() && type != "RollingUpdate") {
    rules.Unsupported(strategy, StrategyJson(strategy, {"maxUnavailable", "maxSurge"}),
                      {"RollingUpdate", "OnDelete"});
    return;
  }
  const Place rolling = strategy["rollingUpdate"];
  const Place unavailable = rolling["maxUnavailable"];
  const Place surge = rolling["maxSurge"];
  CheckAmount(unavailable, causes);
  CheckAmount(surge, causes);
  CheckAtMostAll(unavailable, causes);
  CheckAtMostAll(surge, causes);
  const bool some = unavailable.Given() ? Amount(unavailable) != 0 : true;  // the default is 1
  if (some && Amount(surge) != 0) {
    rules.Invalid(surge, "may not be set when maxUnavailable is non-zero");
  } else if (!some && Amount(surge) == 0) {
    rules.Required(unavailable, "cannot be 0 when maxSurge is 0");
  }
}

// The spec of a Job, or of a CronJob's template.
void CheckJobSpec(const Place& spec, Causes& causes) {
  FieldRules rules(causes);
  NotNegative(spec,
              {"parallelism", "completions", "activeDeadlineSeconds", "backoffLimit",
               "ttlSecondsAfterFinished", "backoffLimitPerIndex", "maxFailedIndexes"},
              causes);
  rules.OneOf(spec["completionMode"], {"NonIndexed", "Indexed"});
  CheckPodTemplate(spec["template"], nullptr, causes);
  const Place policy = spec["template"]["spec"]["restartPolicy"];
  if (policy.Text().empty() || policy.Text() == "Always") {
    rules.Required(policy, R"(valid values: "OnFailure", "Never")");
  } else {
    rules.OneOf(policy, {"OnFailure", "Never"});
  }
}

// A Job without completions and parallelism has one completion.
std::optional<std::int64_t> Completions(const Place& spec) {
  if (spec["completions"].Number()) return spec["completions"].Number();
  return spec["parallelism"].Given() ? std::nullopt : std::optional<std::int64_t>(1);
}

}  // namespace

void CheckDeployment(const Place& spec, Causes& causes) {
  NotNegative(spec, {"replicas"}, causes);
  CheckReplicaTemplate(spec, causes);
  CheckDeploymentStrategy(spec["strategy"], causes);
  NotNegative(spec, {"minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"}, causes);
  const Place deadline = spec["progressDeadlineSeconds"];
  if (!deadline.Number()) return;
  if (*deadline.Number() > spec["minReadySeconds"].Number().value_or(0)) return;
  FieldRules(causes).Invalid(deadline, "must be greater than minReadySeconds");
}

void CheckReplicaSet(const Place& spec, Causes& causes) {
  NotNegative(spec, {"replicas", "minReadySeconds"}, causes);
  CheckReplicaTemplate(spec, causes);
}

void CheckStatefulSet(const Place& spec, Causes& causes) {
  FieldRules rules(causes);
  const Place management = spec["podManagementPolicy"];
  const std::string_view policy = management.Text();
  if (!policy.empty() && policy != "OrderedReady" && policy != "Parallel") {
    rules.Invalid(management, "must be 'OrderedReady' or 'Parallel'");
  }
  CheckStatefulSetStrategy(spec["updateStrategy"], causes);
  NotNegative(spec, {"replicas", "minReadySeconds"}, causes);
  rules.NotNegative(spec["ordinals"]["start"]);
  rules.Label(spec["serviceName"]);
  const SelectorTexts texts{.empty = "empty selector is invalid for statefulset", .invalid = ""};
  const Place pod_template = spec["template"];
  if (CheckRequiredSelector(spec["selector"], texts, causes)) {
    if (!spec["selector"].Given() || !IsEmptySelector(spec["selector"])) {
      CheckTemplateLabels(spec, causes);
    }
    const Place claims = spec["volumeClaimTemplates"];
    CheckPodTemplate(pod_template, &claims, causes);
    // kube-apiserver checks the labels here a second time.
    rules.Labels(pod_template["metadata"]["labels"].At(pod_template.path() + ".labels"));
  }
  CheckRunsForever(pod_template["spec"], "StatefulSet", causes);
}

// kube-apiserver has no cause for a missing selector here. It does not match the labels.
void CheckDaemonSet(const Place& spec, Causes& causes) {
  FieldRules rules(causes);
  const Place selector = spec["selector"];
  if (CheckSelector(selector, causes)) CheckTemplateLabels(spec, causes);
  if (selector.Given() && IsEmptySelector(selector)) {
    rules.Invalid(selector, "empty selector is invalid for daemonset");
  }
  CheckPodTemplate(spec["template"], nullptr, causes);
  CheckRunsForever(spec["template"]["spec"], "DaemonSet", causes);
  NotNegative(spec, {"minReadySeconds"}, causes);
  CheckDaemonSetStrategy(spec["updateStrategy"], causes);
  NotNegative(spec, {"revisionHistoryLimit"}, causes);
}

void CheckJob(const Place& spec, Causes& causes) {
  CheckJobSpec(spec, causes);
  if (!spec["manualSelector"].IsTrue()) return;
  const Place selector = spec["selector"];
  if (!selector.Given()) FieldRules(causes).Required(selector);
  if (CheckSelector(selector, causes)) CheckTemplateLabels(spec, causes);
}

void CheckCronJob(const Place& spec, Causes& causes) {
  FieldRules rules(causes);
  rules.RequireText(spec["schedule"]);
  NotNegative(spec, {"startingDeadlineSeconds"}, causes);
  rules.OneOf(spec["concurrencyPolicy"], {"Allow", "Forbid", "Replace"});
  const Place job = spec["jobTemplate"]["spec"];
  CheckJobSpec(job, causes);
  if (job["selector"].Given()) {
    rules.Invalid(job["selector"], "`selector` will be auto-generated");
  }
  if (job["manualSelector"].IsTrue()) {
    rules.Unsupported(job["manualSelector"], "true", {"nil", "false"});
  }
  NotNegative(spec, {"successfulJobsHistoryLimit", "failedJobsHistoryLimit"}, causes);
}

void CheckSelectorUpdate(const Place& live, const Place& spec, Causes& causes) {
  FieldRules(causes).Immutable(live["selector"], spec["selector"]);
}

void CheckStatefulSetUpdate(const Place& live, const Place& spec, Causes& causes) {
  const auto differs = [&](std::string_view member, std::string_view otherwise) {
    const auto text = [&](const Place& of) {
      return of[member].Given() ? of[member].Json() : std::string(otherwise);
    };
    return text(live) != text(spec);
  };
  const bool same = !differs("selector", "null") && !differs("volumeClaimTemplates", "[]") &&
                    !differs("serviceName", R"("")") &&
                    !differs("podManagementPolicy", R"("OrderedReady")");
  if (same) return;
  FieldRules(causes).Forbidden(
      spec,
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', "
      "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and "
      "'minReadySeconds' are forbidden");
}

void CheckJobUpdate(const Place& live, const Place& spec, Causes& causes) {
  FieldRules rules(causes);
  const auto mode = [](const Place& of) {
    const std::string_view text = of["completionMode"].Text();
    return text.empty() ? std::string_view("NonIndexed") : text;
  };
  if (mode(live) == "NonIndexed" && Completions(live) != Completions(spec) &&
      (live["completions"].Given() || spec["completions"].Given())) {
    rules.Invalid(spec["completions"], "field is immutable");
  }
  rules.Immutable(live["selector"], spec["selector"]);
  const Place before = live["template"];
  const Place after = spec["template"];
  const bool same = before["metadata"].value() == after["metadata"].value() &&
                    SamePodSpec(before["spec"].value(), after["spec"].value());
  // The scheduling of a suspended Job can change.
  if (!same && !live["suspend"].IsTrue()) rules.Invalid(after, "field is immutable");
  if (mode(live) != mode(spec)) rules.Invalid(spec["completionMode"], "field is immutable");
  for (const char* const member :
       {"podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"}) {
    rules.Immutable(live[member], spec[member]);
  }
}

}  // namespace capstan::testing::apiserver
