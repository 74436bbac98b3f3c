// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/validation/kind_rules.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/types/json.h"
#include "clientgo/testing/apiserver/validation/field_rules.h"
#include "clientgo/testing/apiserver/validation/pod_rules.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kNoMatch = "`selector` does not match template `labels`";

void NoneNegative(const Place& spec, std::initializer_list<const char*> members,
                  FieldRules& rules) {
  for (const char* const member : members) rules.NotNegative(spec[member]);
}

bool Contains(const Place& list, std::string_view text) {
  const auto items = list.Items();
  return std::any_of(items.begin(), items.end(),
                     [&](const Place& item) { return item.Text() == text; });
}

bool IsEmptySelector(const Place& selector) {
  const Place labels = selector["matchLabels"];
  return (!labels.value().IsObject() || labels.value().ObjectEmpty()) &&
         selector["matchExpressions"].Items().empty();
}

// Reports whether the selector has no error of its own.
bool CheckSelector(const Place& selector, FieldRules& rules) {
  const auto before = rules.causes().size();
  rules.LabelSelector(selector);
  return rules.causes().size() == before;
}

// Returns a selector as Go's encoder writes it: with the key and the operator of a requirement,
// also if they are empty.
std::string LabelSelectorText(const Place& selector) {
  std::vector<Json> requirements;
  for (const Place& requirement : selector["matchExpressions"].Items()) {
    Json text = {{"key", requirement["key"].Text()}, {"operator", requirement["operator"].Text()}};
    const Place values = requirement["values"];
    if (!values.Items().empty()) text.Add("values", Json(values.value()));
    requirements.push_back(text);
  }
  Json text = Json::Object();
  const Place labels = selector["matchLabels"];
  if (!labels.Keys().empty()) text.Add("matchLabels", Json::Raw(labels.Json()));
  if (!requirements.empty()) text.Add("matchExpressions", Json::List(requirements));
  return text.text();
}

// SelectorTexts are the words in which the kinds differ.
struct SelectorTexts {
  std::string_view empty;    // for a selector that matches everything
  std::string_view invalid;  // for one that has an error
};

// The selector of a Deployment, ReplicaSet or StatefulSet. Returns whether it can be compared with
// labels.
bool CheckRequiredSelector(const Place& selector, const SelectorTexts& texts, FieldRules& rules) {
  if (!selector.Given()) {
    rules.Required(selector);
    return true;
  }
  const bool valid = CheckSelector(selector, rules);
  if (IsEmptySelector(selector)) rules.Invalid(selector, texts.empty);
  if (!valid) rules.InvalidAs(selector, LabelSelectorText(selector), texts.invalid);
  return valid;
}

void CheckTemplateLabels(const Place& spec, FieldRules& rules) {
  const Place labels = spec["template"]["metadata"]["labels"];
  if (!SelectorMatches(spec["selector"], labels)) rules.Invalid(labels, kNoMatch);
}

// The Pods of these kinds run until they are deleted. `kind` is how the error names the kind.
void CheckRunsForever(const Place& pod_spec, std::string_view kind, FieldRules& rules) {
  rules.OneOf(pod_spec["restartPolicy"], {"Always"});
  const Place deadline = pod_spec["activeDeadlineSeconds"];
  if (!deadline.Given()) return;
  rules.Forbidden(deadline, "activeDeadlineSeconds in " + std::string(kind) + " is not Supported");
}

// The template of a Deployment or a ReplicaSet.
void CheckReplicaTemplate(const Place& spec, FieldRules& rules) {
  const SelectorTexts texts{.empty = "empty selector is invalid for deployment",
                            .invalid = "invalid label selector"};
  if (!CheckRequiredSelector(spec["selector"], texts, rules)) return;
  if (!spec["selector"].Given() || !IsEmptySelector(spec["selector"])) {
    CheckTemplateLabels(spec, rules);
  }
  CheckPodTemplate(spec["template"], rules);
  CheckRunsForever(spec["template"]["spec"], "ReplicaSet", rules);
}

// Returns the number of a text, or 0 as Go does.
std::int64_t NumberIn(std::string_view text) {
  std::int64_t number = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

// Returns the number of "25%", or nullopt if the text is not a percentage.
std::optional<std::int64_t> Percent(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  text.remove_suffix(1);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
  return NumberIn(text);
}

// Returns the number of Pods, or of percent.
std::int64_t Amount(const Place& field) {
  if (const auto number = field.Number()) return *number;
  return Percent(field.Text()).value_or(NumberIn(field.Text()));
}

void CheckIntOrPercent(const Place& field, FieldRules& rules) {
  rules.NotNegative(field);
  if (!field.value().IsString() || Percent(field.Text())) return;
  rules.InvalidText(
      field,
      "a valid percent string must be a numeric string followed by an ending '%' (e.g. "
      "'1%',  or '93%', regex used for validation is '[0-9]+%')");
}

void CheckAtMostAll(const Place& field, FieldRules& rules) {
  constexpr int kAll = 100;
  if (Percent(field.Text()).value_or(0) <= kAll) return;
  rules.Invalid(field, "must not be greater than 100%");
}

// Returns the template of a StatefulSet's Pods as they will be: with the volumes of their claims,
// and without the names that the set gives them. `pods` gets the value.
Place TemplateWithClaims(const Place& spec, runtime::JsonDocument& pods) {
  const Place pod_template = spec["template"];
  pods.CopyFrom(pod_template.value(), pods.GetAllocator());
  runtime::JsonValue* const pod_spec = FindMutable(pods, "spec");
  if (pod_spec == nullptr) return {pods, pod_template.path()};
  for (const char* const name : {"hostname", "subdomain"}) Remove(*pod_spec, name);
  std::set<std::string_view> names;
  for (const Place& claim : spec["volumeClaimTemplates"].Items()) {
    names.insert(claim["metadata"]["name"].Text());
  }
  if (names.empty()) return {pods, pod_template.path()};
  std::vector<Json> volumes;
  volumes.reserve(names.size());
  for (const std::string_view name : names) {
    volumes.push_back({{"name", name}, {"persistentVolumeClaim", {{"claimName", name}}}});
  }
  for (const Place& volume : pod_template["spec"]["volumes"].Items()) {
    if (!names.contains(volume["name"].Text())) volumes.emplace_back(volume.value());
  }
  SetJson(*pod_spec, "volumes", Json::List(volumes), pods.GetAllocator());
  return {pods, pod_template.path()};
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

void CheckDeploymentStrategy(const Place& strategy, FieldRules& rules) {
  const std::string_view type = strategy["type"].Text();
  const Place rolling = strategy["rollingUpdate"];
  if (type == "Recreate") {
    if (rolling.Given()) {
      rules.Forbidden(rolling, "may not be specified when strategy `type` is 'Recreate'");
    }
  } else if (type == "RollingUpdate") {
    const Place unavailable = rolling["maxUnavailable"];
    const Place surge = rolling["maxSurge"];
    CheckIntOrPercent(unavailable, rules);
    CheckIntOrPercent(surge, rules);
    if (Amount(unavailable) == 0 && Amount(surge) == 0) {
      rules.Invalid(unavailable, "may not be 0 when `maxSurge` is 0");
    }
    CheckAtMostAll(unavailable, rules);
  } else {
    rules.Unsupported(strategy, StrategyJson(strategy, {"maxUnavailable", "maxSurge"}),
                      {"Recreate", "RollingUpdate"});
  }
}

// Returns the options of a StatefulSet's rolling update as Go prints the internal type.
Json PartitionText(const Place& rolling) {
  return {{"Partition", rolling["partition"].Number().value_or(0)}, {"MaxUnavailable", nullptr}};
}

void CheckStatefulSetStrategy(const Place& strategy, FieldRules& rules) {
  const std::string_view type = strategy["type"].Text();
  const Place rolling = strategy["rollingUpdate"];
  if (type == "OnDelete") {
    if (!rolling.Given()) return;
    rules.InvalidAs(rolling, PartitionText(rolling).text(),
                    "only allowed for updateStrategy 'RollingUpdate'");
  } else if (type.empty() || type == "RollingUpdate") {
    rules.NotNegative(rolling["partition"]);
  } else {
    const Json shown = {
        {"Type", type},
        {"RollingUpdate", rolling.Given() ? PartitionText(rolling) : Json(nullptr)}};
    rules.InvalidAs(strategy, shown.text(), "must be 'RollingUpdate' or 'OnDelete'");
  }
}

void CheckDaemonSetStrategy(const Place& strategy, FieldRules& rules) {
  const std::string_view type = strategy["type"].Text();
  if (type == "OnDelete") return;
  if (!type.empty() && type != "RollingUpdate") {
    rules.Unsupported(strategy, StrategyJson(strategy, {"maxUnavailable", "maxSurge"}),
                      {"RollingUpdate", "OnDelete"});
    return;
  }
  const Place rolling = strategy["rollingUpdate"];
  if (!rolling.Given()) return rules.Required(rolling);
  const Place unavailable = rolling["maxUnavailable"];
  const Place surge = rolling["maxSurge"];
  CheckIntOrPercent(unavailable, rules);
  CheckIntOrPercent(surge, rules);
  CheckAtMostAll(unavailable, rules);
  CheckAtMostAll(surge, rules);
  const bool some = Amount(unavailable) != 0;
  if (some && Amount(surge) != 0) {
    rules.Invalid(surge, "may not be set when maxUnavailable is non-zero");
  } else if (!some && Amount(surge) == 0) {
    rules.Required(unavailable, "cannot be 0 when maxSurge is 0");
  }
}

// A Job without completions and parallelism has one completion.
std::optional<std::int64_t> Completions(const Place& spec) {
  if (spec["completions"].Number()) return spec["completions"].Number();
  return spec["parallelism"].Given() ? std::nullopt : std::optional<std::int64_t>(1);
}

}  // namespace

bool SelectorMatches(const Place& selector, const Place& labels) {
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

void CheckDeployment(const Place& object, FieldRules& rules) {
  const Place spec = object["spec"];
  NoneNegative(spec, {"replicas"}, rules);
  CheckReplicaTemplate(spec, rules);
  CheckDeploymentStrategy(spec["strategy"], rules);
  NoneNegative(spec, {"minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"}, rules);
  const Place deadline = spec["progressDeadlineSeconds"];
  if (!deadline.Number()) return;
  if (*deadline.Number() > spec["minReadySeconds"].Number().value_or(0)) return;
  rules.Invalid(deadline, "must be greater than minReadySeconds");
}

void CheckReplicaSet(const Place& object, FieldRules& rules) {
  const Place spec = object["spec"];
  NoneNegative(spec, {"replicas", "minReadySeconds"}, rules);
  CheckReplicaTemplate(spec, rules);
}

void CheckStatefulSet(const Place& object, FieldRules& rules) {
  const Place spec = object["spec"];
  const Place management = spec["podManagementPolicy"];
  const std::string_view policy = management.Text();
  if (!policy.empty() && policy != "OrderedReady" && policy != "Parallel") {
    rules.Invalid(management, "must be 'OrderedReady' or 'Parallel'");
  }
  CheckStatefulSetStrategy(spec["updateStrategy"], rules);
  for (const char* const when : {"whenDeleted", "whenScaled"}) {
    rules.GivenOneOf(spec["persistentVolumeClaimRetentionPolicy"][when], {"Retain", "Delete"});
  }
  for (const Place& claim : spec["volumeClaimTemplates"].Items()) {
    CheckClaimSpec(claim["spec"], rules);
  }
  NoneNegative(spec, {"replicas", "minReadySeconds"}, rules);
  rules.NotNegative(spec["ordinals"]["start"]);
  rules.Label(spec["serviceName"]);
  const SelectorTexts texts{.empty = "empty selector is invalid for statefulset", .invalid = ""};
  const Place pod_template = spec["template"];
  if (CheckRequiredSelector(spec["selector"], texts, rules)) {
    if (!spec["selector"].Given() || !IsEmptySelector(spec["selector"])) {
      CheckTemplateLabels(spec, rules);
    }
    runtime::JsonDocument pods;
    CheckPodTemplate(TemplateWithClaims(spec, pods), rules);
    CheckTemplateMetadata(pod_template, rules);  // kube-apiserver checks it a second time
  }
  CheckRunsForever(pod_template["spec"], "StatefulSet", rules);
}

// kube-apiserver has no cause for a missing selector here. It does not match the labels.
void CheckDaemonSet(const Place& object, FieldRules& rules) {
  const Place spec = object["spec"];
  const Place selector = spec["selector"];
  if (CheckSelector(selector, rules)) CheckTemplateLabels(spec, rules);
  if (selector.Given() && IsEmptySelector(selector)) {
    rules.Invalid(selector, "empty selector is invalid for daemonset");
  }
  CheckPodTemplate(spec["template"], rules);
  CheckRunsForever(spec["template"]["spec"], "DaemonSet", rules);
  NoneNegative(spec, {"minReadySeconds"}, rules);
  CheckDaemonSetStrategy(spec["updateStrategy"], rules);
  NoneNegative(spec, {"revisionHistoryLimit"}, rules);
}

void CheckSelectorUpdate(const Place& live, const Place& spec, std::vector<Cause>& causes) {
  FieldRules(causes).Immutable(live["selector"], spec["selector"]);
}

void CheckStatefulSetUpdate(const Place& live, const Place& spec, std::vector<Cause>& causes) {
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

void CheckJobUpdate(const Place& live, const Place& spec, std::vector<Cause>& causes) {
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
