// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/admission/matching.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "clientgo/testing/apiserver/types/kind_versions.h"

namespace capstan::testing::apiserver {
namespace {

bool Lists(const std::vector<std::string>& texts, std::string_view text) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& one) { return one == "*" || one == text; });
}

// `pattern` is an entry of AdmissionRule::resources.
bool MatchesResource(std::string_view pattern, std::string_view plural,
                     std::string_view subresource) {
  const std::size_t slash = pattern.find('/');
  const std::string_view resource = pattern.substr(0, slash);
  const std::string_view sub =
      slash == std::string_view::npos ? std::string_view() : pattern.substr(slash + 1);
  return (resource == "*" || resource == plural) && (sub == "*" || sub == subresource);
}

bool AnyMatches(const std::vector<AdmissionRule>& rules, const AdmissionAttributes& attributes) {
  return std::any_of(rules.begin(), rules.end(),
                     [&](const AdmissionRule& rule) { return rule.Matches(attributes); });
}

// Returns the version of the request's resource that a rule matches.
const Resource* FindVersionIn(const std::vector<AdmissionRule>& rules, bool exact,
                              const AdmissionAttributes& attributes) {
  const Resource& resource = *attributes.resource;
  if (AnyMatches(rules, attributes)) return &resource;
  if (exact || resource.versions == nullptr) return nullptr;
  for (const AdmissionRule& rule : rules) {
    for (const Resource* const version : resource.versions->all) {
      AdmissionAttributes equivalent = attributes;
      equivalent.resource = version;
      const bool exists = attributes.subresource != "status" || version->status;
      if (exists && version->version != resource.version && rule.Matches(equivalent)) {
        return version;
      }
    }
  }
  return nullptr;
}

std::vector<AdmissionRule> ParseRules(const runtime::JsonValue& rules) {
  std::vector<AdmissionRule> parsed;
  for (const runtime::JsonValue& rule : rules.GetArray()) {
    parsed.push_back({.operations = TextsAt(rule, "operations"),
                      .groups = TextsAt(rule, "apiGroups"),
                      .versions = TextsAt(rule, "apiVersions"),
                      .resources = TextsAt(rule, "resources"),
                      .names = TextsAt(rule, "resourceNames"),
                      .scope = std::string(runtime::GetString(rule, "scope"))});
  }
  return parsed;
}

const runtime::JsonValue& LabelsOf(const runtime::JsonValue& object) {
  return ObjectAt(ObjectAt(object, "metadata"), "labels");
}

}  // namespace

bool AdmissionRule::Matches(const AdmissionAttributes& attributes) const {
  const Resource& resource = *attributes.resource;
  const bool cluster = attributes.namespace_.empty() || IsNamespace(resource);
  if (scope == "Cluster" && !cluster) return false;
  if (scope == "Namespaced" && cluster) return false;
  if (!names.empty() && std::find(names.begin(), names.end(), attributes.name) == names.end()) {
    return false;
  }
  return Lists(operations, attributes.operation) && Lists(groups, resource.group) &&
         Lists(versions, resource.version) &&
         std::any_of(resources.begin(), resources.end(), [&](const std::string& pattern) {
           return MatchesResource(pattern, resource.plural, attributes.subresource);
         });
}

bool MatchResources::MatchesRules(const AdmissionAttributes& attributes) const {
  return AnyMatches(rules, attributes);
}

const Resource* MatchResources::FindVersion(const AdmissionAttributes& attributes) const {
  return FindVersionIn(rules, exact, attributes);
}

bool MatchResources::MatchesSelectors(const AdmissionAttributes& attributes,
                                      const NamespaceLabels& labels) const {
  if (!namespace_selector.empty() && !attributes.namespace_.empty()) {
    const bool own = IsNamespace(*attributes.resource) && attributes.subresource.empty() &&
                     attributes.object != nullptr;
    if (!MatchesLabels(namespace_selector, own ? LabelsOf(*attributes.object) : labels())) {
      return false;
    }
  }
  if (object_selector.empty()) return true;
  const auto matches = [&](const runtime::JsonValue* object) {
    return object != nullptr && MatchesLabels(object_selector, LabelsOf(*object));
  };
  return matches(attributes.object) || matches(attributes.old_object);
}

const Resource* MatchResources::Match(const AdmissionAttributes& attributes,
                                      const NamespaceLabels& labels) const {
  const Resource* const version = rules.empty() ? attributes.resource : FindVersion(attributes);
  if (version == nullptr || FindVersionIn(excluded, exact, attributes) != nullptr) return nullptr;
  return MatchesSelectors(attributes, labels) ? version : nullptr;
}

bool MatchResources::MayMatch(const Resource& resource) const {
  // A rule for another version of the kind may be equivalent.
  const bool all_versions = !exact && resource.versions != nullptr;
  return std::any_of(rules.begin(), rules.end(), [&](const AdmissionRule& rule) {
    return Lists(rule.groups, resource.group) &&
           (all_versions || Lists(rule.versions, resource.version));
  });
}

MatchResources ParseMatchResources(const runtime::JsonValue& json, std::string_view rules) {
  return {.rules = ParseRules(ListAt(json, rules)),
          .excluded = ParseRules(ListAt(json, "excludeResourceRules")),
          .namespace_selector = ParseLabelSelector(ObjectAt(json, "namespaceSelector")),
          .object_selector = ParseLabelSelector(ObjectAt(json, "objectSelector")),
          .exact = runtime::GetString(json, "matchPolicy") == "Exact"};
}

std::vector<LabelRequirement> ParseLabelSelector(const runtime::JsonValue& selector) {
  using Operator = LabelRequirement::Operator;
  std::vector<LabelRequirement> requirements;
  for (const auto& label : ObjectAt(selector, "matchLabels").GetObject()) {
    if (!label.value.IsString()) continue;
    requirements.push_back({.key = std::string(runtime::ToView(label.name)),
                            .op = Operator::kIn,
                            .values = {std::string(runtime::ToView(label.value))}});
  }
  for (const runtime::JsonValue& expression : ListAt(selector, "matchExpressions").GetArray()) {
    const std::string_view name = runtime::GetString(expression, "operator");
    const Operator op = name == "In"       ? Operator::kIn
                        : name == "NotIn"  ? Operator::kNotIn
                        : name == "Exists" ? Operator::kExists
                                           : Operator::kDoesNotExist;
    requirements.push_back({.key = std::string(runtime::GetString(expression, "key")),
                            .op = op,
                            .values = TextsAt(expression, "values")});
  }
  return requirements;
}

bool IsAdmissionConfiguration(const Resource& resource) {
  return resource.group == kAdmissionGroup;
}

}  // namespace capstan::testing::apiserver
