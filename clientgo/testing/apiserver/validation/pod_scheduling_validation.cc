// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/validation/kind_rules.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

constexpr const char* kRequiredTerms = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr const char* kPreferredTerms = "preferredDuringSchedulingIgnoredDuringExecution";

void CheckPositiveNumber(const Place& number, FieldRules& rules) {
  if (number.Number().value_or(0) > 0) return;
  rules.InvalidAs(number, std::to_string(number.Number().value_or(0)), "must be greater than zero");
}

void CheckWeight(const Place& weight, FieldRules& rules) {
  const auto number = weight.Number().value_or(0);
  if (number >= 1 && number <= 100) return;
  rules.InvalidAs(weight, std::to_string(number), "must be in the range 1-100");
}

// Checks one toleration. Its errors about the value name the operator, as those of kube-apiserver.
void CheckToleration(const Place& toleration, FieldRules& rules) {
  const Place key = toleration["key"];
  const Place op = toleration["operator"];
  const Place effect = toleration["effect"];
  const Place value = toleration["value"].At(op.path());
  if (!key.Text().empty()) rules.InvalidText(key, QualifiedNameErrors(key.Text()));
  if (key.Text().empty() && op.Text() != "Exists") {
    rules.InvalidText(op,
                      "operator must be Exists when `key` is empty, which means \"match all values "
                      "and all keys\"");
  }
  if (toleration["tolerationSeconds"].Given() && effect.Text() != "NoExecute") {
    rules.InvalidText(effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
  }
  if (op.Text().empty() || op.Text() == "Equal") {
    const auto errors = LabelValueErrors(value.Text());
    if (!errors.empty()) rules.InvalidText(value, Join(errors, ";"));
  } else if (op.Text() == "Exists") {
    if (!value.Text().empty()) {
      rules.InvalidText(value, "value must be empty when `operator` is 'Exists'");
    }
  } else {
    rules.OneOf(op, {"Equal", "Exists"});
  }
  rules.OneOf(effect, {"NoSchedule", "PreferNoSchedule", "NoExecute"});
}

void CheckNodeRequirement(const Place& requirement, bool check_values, FieldRules& rules) {
  const Place op = requirement["operator"];
  const Place values = requirement["values"];
  const std::size_t count = values.Items().size();
  const std::string_view name = op.Text();
  if (name == "In" || name == "NotIn") {
    if (count == 0) {
      rules.Required(values, "must be specified when `operator` is 'In' or 'NotIn'");
    }
  } else if (name == "Exists" || name == "DoesNotExist") {
    if (count > 0) {
      rules.Forbidden(values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else if (name == "Gt" || name == "Lt") {
    if (count != 1) {
      rules.Required(values, "must be specified single value when `operator` is 'Lt' or 'Gt'");
    }
  } else {
    rules.InvalidText(op, "not a valid selector operator");
  }
  rules.InvalidText(requirement["key"], QualifiedNameErrors(requirement["key"].Text()));
  if (!check_values) return;
  for (const Place& value : values.Items()) rules.Invalid(value, LabelValueErrors(value.Text()));
}

void CheckNodeFieldRequirement(const Place& requirement, FieldRules& rules) {
  const Place op = requirement["operator"];
  const Place key = requirement["key"];
  const auto values = requirement["values"].Items();
  if (op.Text() != "In" && op.Text() != "NotIn") {
    rules.InvalidText(op, "not a valid selector operator");
  } else if (values.size() != 1) {
    rules.Required(requirement["values"],
                   "must be only one value when `operator` is 'In' or 'NotIn' for node field "
                   "selector");
  }
  if (key.Text() != "metadata.name") {
    rules.InvalidText(key, "not a valid field selector key");
    return;
  }
  for (const Place& value : values) rules.InvalidText(value, SubdomainErrors(value.Text()));
}

void CheckNodeTerm(const Place& term, bool check_values, FieldRules& rules) {
  for (const Place& requirement : term["matchExpressions"].Items()) {
    CheckNodeRequirement(requirement, check_values, rules);
  }
  for (const Place& requirement : term["matchFields"].Items()) {
    CheckNodeFieldRequirement(requirement, rules);
  }
}

void CheckNodeAffinity(const Place& affinity, FieldRules& rules) {
  if (affinity[kRequiredTerms].Given()) CheckNodeSelector(affinity[kRequiredTerms], rules);
  for (const Place& term : affinity[kPreferredTerms].Items()) {
    CheckWeight(term["weight"], rules);
    CheckNodeTerm(term["preference"], false, rules);
  }
}

std::vector<std::string_view> TextsOf(const Place& list) {
  std::vector<std::string_view> texts;
  for (const Place& item : list.Items()) texts.push_back(item.Text());
  return texts;
}

bool Contains(const std::vector<std::string_view>& texts, std::string_view text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

void CheckLabelKeyNames(const Place& keys, const Place& selector, FieldRules& rules) {
  const auto items = keys.Items();
  if (!items.empty() && !selector.Given()) {
    rules.Forbidden(keys, "must not be specified when labelSelector is not set");
    return;
  }
  for (const Place& key : items) rules.InvalidText(key, QualifiedNameErrors(key.Text()));
}

// Checks matchLabelKeys and mismatchLabelKeys of a term or of a constraint.
void CheckLabelKeys(const Place& term, FieldRules& rules) {
  const Place selector = term["labelSelector"];
  const Place match = term["matchLabelKeys"];
  const Place mismatch = term["mismatchLabelKeys"];
  CheckLabelKeyNames(match, selector, rules);
  CheckLabelKeyNames(mismatch, selector, rules);
  const auto mismatched = TextsOf(mismatch);
  const auto matched = TextsOf(match);
  std::vector<std::string_view> selected = {};
  for (const Place& key : selector["matchLabels"].Keys()) selected.push_back(key.Text());
  for (const Place& expression : selector["matchExpressions"].Items()) {
    const Place key = expression["key"];
    const auto found = std::find(matched.rbegin(), matched.rend(), key.Text());
    if (found != matched.rend() && Contains(selected, key.Text())) {
      rules.InvalidText(
          key.At(term.path() + "[" + std::to_string(matched.rend() - found - 1) + "]"),
          "exists in both matchLabelKeys and labelSelector");
    }
    selected.push_back(key.Text());
  }
  for (const Place& key : match.Items()) {
    if (!Contains(mismatched, key.Text())) continue;
    rules.InvalidText(key, "exists in both matchLabelKeys and mismatchLabelKeys");
  }
}

void CheckPodTerm(const Place& term, FieldRules& rules) {
  rules.LabelSelector(term["labelSelector"]);
  rules.LabelSelector(term["namespaceSelector"]);
  for (const Place& name : term["namespaces"].Items()) {
    rules.InvalidText(name.At(term["namespace"].path()), DnsLabelErrors(name.Text()));
  }
  CheckLabelKeys(term, rules);
  const Place key = term["topologyKey"];
  rules.RequireText(key, "can not be empty");
  rules.InvalidText(key, QualifiedNameErrors(key.Text()));
}

// Checks podAffinity or podAntiAffinity.
void CheckPodAffinity(const Place& affinity, FieldRules& rules) {
  for (const Place& term : affinity[kRequiredTerms].Items()) CheckPodTerm(term, rules);
  for (const Place& term : affinity[kPreferredTerms].Items()) {
    CheckWeight(term["weight"], rules);
    CheckPodTerm(term["podAffinityTerm"], rules);
  }
}

void CheckMinDomains(const Place& count, std::string_view action, FieldRules& rules) {
  if (!count.Given()) return;
  CheckPositiveNumber(count, rules);
  if (action == "DoNotSchedule") return;
  rules.Invalid(count, "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not " +
                           std::string(action));
}

bool IsSameKind(const Place& a, const Place& b) {
  return a["topologyKey"].Text() == b["topologyKey"].Text() &&
         a["whenUnsatisfiable"].Text() == b["whenUnsatisfiable"].Text();
}

// The pair of topologyKey and whenUnsatisfiable is the key of a constraint.
void CheckRepetition(const Place& constraint, std::span<const Place> later, FieldRules& rules) {
  const auto same = [&](const Place& other) { return IsSameKind(constraint, other); };
  if (std::none_of(later.begin(), later.end(), same)) return;
  const std::string pair = "{" + std::string(constraint["topologyKey"].Text()) + ", " +
                           std::string(constraint["whenUnsatisfiable"].Text()) + "}";
  const runtime::JsonValue text(rapidjson::StringRef(pair.data(), pair.size()));
  rules.Duplicate({text, constraint["{topologyKey, whenUnsatisfiable}"].path()});
}

void CheckSpreadConstraint(const Place& constraint, std::span<const Place> later,
                           FieldRules& rules) {
  const Place key = constraint["topologyKey"];
  const Place action = constraint["whenUnsatisfiable"];
  CheckPositiveNumber(constraint["maxSkew"], rules);
  rules.RequireText(key, "can not be empty");
  if (action.Text() != "DoNotSchedule" && action.Text() != "ScheduleAnyway") {
    rules.Unsupported(action, Quote(action.Text()), {"DoNotSchedule", "ScheduleAnyway"});
  }
  CheckRepetition(constraint, later, rules);
  CheckMinDomains(constraint["minDomains"], action.Text(), rules);
  for (const char* const policy : {"nodeAffinityPolicy", "nodeTaintsPolicy"}) {
    rules.OneOf(constraint[policy], {"Honor", "Ignore"});
  }
  CheckLabelKeys(constraint, rules);
  rules.LabelSelector(constraint["labelSelector"]);
}

}  // namespace

void CheckNodeSelector(const Place& selector, FieldRules& rules) {
  const Place terms = selector["nodeSelectorTerms"];
  if (terms.Items().empty()) rules.Required(terms, "must have at least one node selector term");
  for (const Place& term : terms.Items()) CheckNodeTerm(term, true, rules);
}

void CheckPodAffinities(const Place& affinity, FieldRules& rules) {
  CheckNodeAffinity(affinity["nodeAffinity"], rules);
  CheckPodAffinity(affinity["podAffinity"], rules);
  CheckPodAffinity(affinity["podAntiAffinity"], rules);
}

void CheckPodSpreading(const Place& constraints, FieldRules& rules) {
  const auto items = constraints.Items();
  for (std::size_t i = 0; i < items.size(); ++i) {
    CheckSpreadConstraint(items[i], std::span(items).subspan(i + 1), rules);
  }
}

void CheckPodTolerations(const Place& tolerations, FieldRules& rules) {
  for (const Place& toleration : tolerations.Items()) CheckToleration(toleration, rules);
}

}  // namespace capstan::testing::apiserver
