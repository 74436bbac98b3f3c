// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/authorization/policy_rule.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "capstan/logging.h"
#include "capstan/text.h"

namespace capstan::testing::apiserver {
namespace {

using Texts = std::vector<std::string>;

bool HasAny(const Texts& texts, std::string_view text) {
  return HasText(texts, "*") || HasText(texts, text);
}

bool HasResource(const Texts& resources, std::string_view resource, std::string_view subresource) {
  if (HasAny(resources, resource)) return true;
  return !subresource.empty() && HasText(resources, "*/" + std::string(subresource));
}

// A trailing '*' stands for any end.
bool MatchesUrl(std::string_view pattern, std::string_view path) {
  if (pattern == path) return true;
  if (!pattern.ends_with('*')) return false;
  while (pattern.ends_with('*')) pattern.remove_suffix(1);
  return path.starts_with(pattern);
}

// Splits a rule into rules with one verb and one resource, name or URL each.
std::vector<PolicyRule> BreakDown(const PolicyRule& rule) {
  std::vector<PolicyRule> parts;
  for (const std::string& group : rule.groups) {
    for (const std::string& resource : rule.resources) {
      for (const std::string& verb : rule.verbs) {
        const PolicyRule part{.verbs = {verb}, .groups = {group}, .resources = {resource}};
        if (rule.names.empty()) parts.push_back(part);
        for (const std::string& name : rule.names) {
          parts.push_back(part);
          parts.back().names = {name};
        }
      }
    }
  }
  for (const std::string& url : rule.urls) {
    for (const std::string& verb : rule.verbs) parts.push_back({.verbs = {verb}, .urls = {url}});
  }
  return parts;
}

// Reports whether `held` allows what `part`, of BreakDown, allows.
bool Covers(const PolicyRule& held, const PolicyRule& part) {
  if (!HasAny(held.verbs, part.verbs.front())) return false;
  if (!part.urls.empty()) {
    return std::any_of(held.urls.begin(), held.urls.end(),
                       [&](const std::string& url) { return MatchesUrl(url, part.urls.front()); });
  }
  const std::string& resource = part.resources.front();
  const std::size_t slash = resource.find('/');
  const std::string subresource = slash == std::string::npos ? "" : resource.substr(slash + 1);
  const bool named =
      held.names.empty() || (!part.names.empty() && HasText(held.names, part.names[0]));
  return named && HasAny(held.groups, part.groups.front()) &&
         HasResource(held.resources, resource, subresource);
}

// Combines the verbs of rules that differ only in these.
std::vector<PolicyRule> Combine(const std::vector<PolicyRule>& parts) {
  std::vector<PolicyRule> combined;
  for (const PolicyRule& part : parts) {
    const auto same = std::find_if(combined.begin(), combined.end(), [&](const PolicyRule& rule) {
      return rule.urls.empty() && part.urls.empty() && rule.groups == part.groups &&
             rule.resources == part.resources && rule.names == part.names;
    });
    if (same == combined.end()) {
      combined.push_back(part);
    } else {
      same->verbs.push_back(part.verbs.front());
    }
  }
  return combined;
}

}  // namespace

bool PolicyRule::Allows(const AccessAttributes& attributes) const {
  if (!HasAny(verbs, attributes.verb)) return false;
  if (!attributes.IsResource()) {
    return std::any_of(urls.begin(), urls.end(),
                       [&](const std::string& url) { return MatchesUrl(url, attributes.path); });
  }
  std::string resource = attributes.resource;
  if (!attributes.subresource.empty()) resource += "/" + attributes.subresource;
  return HasAny(groups, attributes.group) &&
         HasResource(resources, resource, attributes.subresource) &&
         (names.empty() || HasText(names, attributes.name));
}

std::string PolicyRule::Text() const {
  Texts parts;
  const auto add = [&](std::string_view name, const Texts& texts) {
    if (texts.empty()) return;
    parts.push_back(std::string(name) + ":[" +
                    Join(texts, " ", [](const std::string& text) { return Quoted(text); }) + "]");
  };
  add("APIGroups", groups);
  add("Resources", resources);
  add("NonResourceURLs", urls);
  add("ResourceNames", names);
  add("Verbs", verbs);
  return "{" + Join(parts, ", ") + "}";
}

Json PolicyRule::ToJson() const {
  return {{"verbs", Json::List(verbs)},
          {"apiGroups", OmitEmptyList(groups)},
          {"resources", OmitEmptyList(resources)},
          {"resourceNames", OmitEmptyList(names)},
          {"nonResourceURLs", OmitEmptyList(urls)}};
}

std::vector<PolicyRule> ParsePolicyRules(const runtime::JsonValue& role) {
  std::vector<PolicyRule> rules;
  for (const runtime::JsonValue& rule : ListAt(role, "rules").GetArray()) {
    rules.push_back({.verbs = TextsAt(rule, "verbs"),
                     .groups = TextsAt(rule, "apiGroups"),
                     .resources = TextsAt(rule, "resources"),
                     .names = TextsAt(rule, "resourceNames"),
                     .urls = TextsAt(rule, "nonResourceURLs")});
  }
  return rules;
}

std::vector<PolicyRule> FindUncovered(const std::vector<PolicyRule>& held,
                                      const std::vector<PolicyRule>& wanted) {
  std::vector<PolicyRule> uncovered;
  for (const PolicyRule& rule : wanted) {
    for (PolicyRule& part : BreakDown(rule)) {
      const bool covered = std::any_of(held.begin(), held.end(),
                                       [&](const PolicyRule& one) { return Covers(one, part); });
      if (!covered) uncovered.push_back(std::move(part));
    }
  }
  return Combine(uncovered);
}

}  // namespace capstan::testing::apiserver
