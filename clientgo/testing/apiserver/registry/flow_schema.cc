// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/registry/flow_schema.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace capstan::testing::apiserver {
namespace {

using Texts = std::vector<std::string>;

constexpr std::string_view kWildcard = "*";

bool IncludesText(const Texts& texts, std::string_view text) {
  return (texts.size() == 1 && texts.front() == kWildcard) || HasText(texts, text);
}

template <class Rules>
bool AnyMatches(const Rules& rules, const AccessAttributes& request) {
  return std::any_of(rules.begin(), rules.end(),
                     [&](const auto& rule) { return rule.Matches(request); });
}

// Reports whether the path is the one of the rule, or below it.
bool IsAtOrBelow(std::string_view rule, std::string_view path) {
  if (rule == kWildcard || rule == path) return true;
  if (rule.ends_with('*')) rule.remove_suffix(1);
  if (rule.ends_with('/')) rule.remove_suffix(1);
  return path.starts_with(rule) && path.substr(rule.size()).starts_with('/');
}

FlowSchema::Subject ParseFlowSubject(const runtime::JsonValue& json) {
  const std::string kind(runtime::GetString(json, "kind"));
  const runtime::JsonValue& subject = ObjectAt(json, kind == "User"    ? "user"
                                                     : kind == "Group" ? "group"
                                                                       : "serviceAccount");
  return {.kind = kind,
          .name = std::string(runtime::GetString(subject, "name")),
          .namespace_ = std::string(runtime::GetString(subject, "namespace"))};
}

FlowSchema::Rule ParseFlowRule(const runtime::JsonValue& json) {
  FlowSchema::Rule rule;
  for (const runtime::JsonValue& one : ListAt(json, "subjects").GetArray()) {
    rule.subjects.push_back(ParseFlowSubject(one));
  }
  for (const runtime::JsonValue& one : ListAt(json, "resourceRules").GetArray()) {
    const runtime::JsonValue* const cluster_scope = runtime::Find(one, "clusterScope");
    rule.resources.push_back(
        {.verbs = TextsAt(one, "verbs"),
         .groups = TextsAt(one, "apiGroups"),
         .resources = TextsAt(one, "resources"),
         .namespaces = TextsAt(one, "namespaces"),
         .cluster_scope = cluster_scope != nullptr && cluster_scope->IsTrue()});
  }
  for (const runtime::JsonValue& one : ListAt(json, "nonResourceRules").GetArray()) {
    rule.non_resources.push_back(
        {.verbs = TextsAt(one, "verbs"), .urls = TextsAt(one, "nonResourceURLs")});
  }
  return rule;
}

}  // namespace

bool FlowSchema::Subject::Includes(const UserInfo& user) const {
  if (kind == "User") return name == kWildcard || name == user.name;
  if (kind == "Group") return name == kWildcard || user.IsIn(name);
  if (kind != "ServiceAccount") return false;
  if (name != kWildcard) {
    return user.name == ServiceAccountName{.namespace_ = namespace_, .name = name}.User();
  }
  return user.name.starts_with(ServiceAccountName{.namespace_ = namespace_}.User());
}

bool FlowSchema::ResourceRule::Matches(const AccessAttributes& request) const {
  if (!IncludesText(verbs, request.verb) || !IncludesText(groups, request.group)) return false;
  const bool matches = request.subresource.empty()
                           ? IncludesText(resources, request.resource)
                           : IncludesText(resources, request.resource + "/" + request.subresource);
  if (!matches) return false;
  return request.namespace_.empty() ? cluster_scope : IncludesText(namespaces, request.namespace_);
}

bool FlowSchema::NonResourceRule::Matches(const AccessAttributes& request) const {
  return IncludesText(verbs, request.verb) &&
         std::any_of(urls.begin(), urls.end(),
                     [&](const std::string& url) { return IsAtOrBelow(url, request.path); });
}

bool FlowSchema::Rule::Matches(const AccessAttributes& request) const {
  const bool concerned = std::any_of(subjects.begin(), subjects.end(), [&](const Subject& subject) {
    return subject.Includes(request.user);
  });
  if (!concerned) return false;
  return request.IsResource() ? AnyMatches(resources, request) : AnyMatches(non_resources, request);
}

bool FlowSchema::Matches(const AccessAttributes& request) const {
  return AnyMatches(rules, request);
}

FlowSchema ParseFlowSchema(const runtime::JsonValue& object) {
  const runtime::JsonValue& spec = ObjectAt(object, "spec");
  const runtime::JsonValue* const precedence = runtime::Find(spec, "matchingPrecedence");
  FlowSchema schema{
      .precedence = precedence != nullptr && precedence->IsInt() ? precedence->GetInt() : 0,
      .name = std::string(Metadata(object, "name")),
      .uid = std::string(Metadata(object, "uid")),
      .priority_level =
          std::string(runtime::GetString(ObjectAt(spec, "priorityLevelConfiguration"), "name"))};
  for (const runtime::JsonValue& rule : ListAt(spec, "rules").GetArray()) {
    schema.rules.push_back(ParseFlowRule(rule));
  }
  return schema;
}

}  // namespace capstan::testing::apiserver
