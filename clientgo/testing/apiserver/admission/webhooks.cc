// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/admission/webhooks.h"

#include <algorithm>
#include <utility>

#include "capstan/base64.h"
#include "clientgo/testing/apiserver/types/kind_versions.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kMutating = "mutatingwebhookconfigurations";

std::vector<std::string> Strings(const runtime::JsonValue& object, std::string_view key) {
  std::vector<std::string> strings;
  for (const runtime::JsonValue& item : ListAt(object, key).GetArray()) {
    if (item.IsString()) strings.emplace_back(runtime::ToView(item));
  }
  return strings;
}

bool Lists(const std::vector<std::string>& texts, std::string_view text) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& one) { return one == "*" || one == text; });
}

// `pattern` is an entry of WebhookRule::resources.
bool MatchesResource(std::string_view pattern, std::string_view plural,
                     std::string_view subresource) {
  const std::size_t slash = pattern.find('/');
  const std::string_view resource = pattern.substr(0, slash);
  const std::string_view sub =
      slash == std::string_view::npos ? std::string_view() : pattern.substr(slash + 1);
  return (resource == "*" || resource == plural) && (sub == "*" || sub == subresource);
}

Webhook ParseWebhook(const runtime::JsonValue& json, std::string_view configuration,
                     bool mutating) {
  Webhook webhook{.configuration = std::string(configuration),
                  .name = std::string(runtime::GetString(json, "name")),
                  .mutating = mutating,
                  .namespace_selector = ParseLabelSelector(ObjectAt(json, "namespaceSelector")),
                  .object_selector = ParseLabelSelector(ObjectAt(json, "objectSelector")),
                  .exact = runtime::GetString(json, "matchPolicy") == "Exact",
                  .ignore_failure = runtime::GetString(json, "failurePolicy") == "Ignore",
                  .reinvoke = runtime::GetString(json, "reinvocationPolicy") == "IfNeeded",
                  .accepts_v1 = Lists(Strings(json, "admissionReviewVersions"), "v1")};
  for (const runtime::JsonValue& rule : ListAt(json, "rules").GetArray()) {
    webhook.rules.push_back({.operations = Strings(rule, "operations"),
                             .groups = Strings(rule, "apiGroups"),
                             .versions = Strings(rule, "apiVersions"),
                             .resources = Strings(rule, "resources"),
                             .scope = std::string(runtime::GetString(rule, "scope"))});
  }
  const runtime::JsonValue* const timeout = runtime::Find(json, "timeoutSeconds");
  if (timeout != nullptr && timeout->IsInt()) webhook.timeout_seconds = timeout->GetInt();
  ReadClientConfig(ObjectAt(json, "clientConfig"), webhook);
  return webhook;
}

const runtime::JsonValue& LabelsOf(const runtime::JsonValue& object) {
  return ObjectAt(ObjectAt(object, "metadata"), "labels");
}

}  // namespace

bool WebhookRule::Matches(const AdmissionAttributes& attributes) const {
  const Resource& resource = *attributes.resource;
  const bool cluster = attributes.namespace_.empty() || IsNamespace(resource);
  if (scope == "Cluster" && !cluster) return false;
  if (scope == "Namespaced" && cluster) return false;
  return Lists(operations, attributes.operation) && Lists(groups, resource.group) &&
         Lists(versions, resource.version) &&
         std::any_of(resources.begin(), resources.end(), [&](const std::string& pattern) {
           return MatchesResource(pattern, resource.plural, attributes.subresource);
         });
}

bool Webhook::MatchesRules(const AdmissionAttributes& attributes) const {
  return std::any_of(rules.begin(), rules.end(),
                     [&](const WebhookRule& rule) { return rule.Matches(attributes); });
}

const Resource* Webhook::FindVersion(const AdmissionAttributes& attributes) const {
  const Resource& resource = *attributes.resource;
  if (MatchesRules(attributes)) return &resource;
  if (exact || resource.versions == nullptr) return nullptr;
  for (const WebhookRule& rule : rules) {
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

void ReadClientConfig(const runtime::JsonValue& client_config, Webhook& webhook) {
  webhook.url = runtime::GetString(client_config, "url");
  webhook.ca_pem = Base64Decode(runtime::GetString(client_config, "caBundle")).value_or("");
  const runtime::JsonValue& service = ObjectAt(client_config, "service");
  webhook.service.namespace_ = runtime::GetString(service, "namespace");
  webhook.service.name = runtime::GetString(service, "name");
  webhook.service.path = runtime::GetString(service, "path");
  const runtime::JsonValue* const port = runtime::Find(service, "port");
  if (port != nullptr && port->IsInt()) webhook.service.port = port->GetInt();
}

std::vector<Webhook> ParseWebhooks(const runtime::JsonValue& configuration, bool mutating) {
  std::vector<Webhook> webhooks;
  for (const runtime::JsonValue& webhook : ListAt(configuration, "webhooks").GetArray()) {
    webhooks.push_back(ParseWebhook(webhook, Metadata(configuration, "name"), mutating));
  }
  return webhooks;
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
                            .values = Strings(expression, "values")});
  }
  return requirements;
}

bool Webhooks::IsConfiguration(const Resource& resource) {
  return resource.group == "admissionregistration.k8s.io";
}

void Webhooks::Update(const Resource& resource, const Event& event) {
  const std::string key = std::string(resource.plural) + "/" + event.key;
  const bool known = configurations_.count(key) > 0;
  List webhooks;
  const bool mutating = resource.plural == kMutating;
  // A webhook without rules is never called. Tests have thousands of those.
  const bool rules = event.object->text.find(R"("rules":[{)") != std::string::npos;
  if (rules && event.type != EventType::kDeleted) {
    for (Webhook& one : ParseWebhooks(*ParseObject(*event.object), mutating)) {
      if (one.rules.empty()) continue;
      webhooks.push_back(std::make_shared<const Webhook>(std::move(one)));
    }
  }
  if (webhooks.empty() && !known) return;
  configurations_.erase(key);
  if (!webhooks.empty()) configurations_[key] = std::move(webhooks);
  List& all = mutating ? mutating_ : validating_;
  all.clear();
  for (const auto& [name, list] : configurations_) {
    if (list.front()->mutating == mutating) all.insert(all.end(), list.begin(), list.end());
  }
}

bool Webhooks::MayMatch(const Resource& resource) const {
  if (IsConfiguration(resource)) return false;
  const auto any = [&](const std::shared_ptr<const Webhook>& webhook) {
    // A rule for another version of the kind may be equivalent.
    const bool all_versions = !webhook->exact && resource.versions != nullptr;
    const auto concerns = [&](const WebhookRule& rule) {
      return Lists(rule.groups, resource.group) &&
             (all_versions || Lists(rule.versions, resource.version));
    };
    return std::any_of(webhook->rules.begin(), webhook->rules.end(), concerns);
  };
  return std::any_of(mutating_.begin(), mutating_.end(), any) ||
         std::any_of(validating_.begin(), validating_.end(), any);
}

bool Matches(const Webhook& webhook, const AdmissionAttributes& attributes,
             const std::function<const runtime::JsonValue&()>& namespace_labels) {
  if (webhook.FindVersion(attributes) == nullptr) return false;
  const auto& in_namespace = webhook.namespace_selector;
  if (!in_namespace.empty() && !attributes.namespace_.empty()) {
    const bool own = IsNamespace(*attributes.resource) && attributes.subresource.empty() &&
                     attributes.object != nullptr;
    if (!MatchesLabels(in_namespace, own ? LabelsOf(*attributes.object) : namespace_labels())) {
      return false;
    }
  }
  if (webhook.object_selector.empty()) return true;
  const auto matches = [&](const runtime::JsonValue* object) {
    return object != nullptr && MatchesLabels(webhook.object_selector, LabelsOf(*object));
  };
  return matches(attributes.object) || matches(attributes.old_object);
}

}  // namespace capstan::testing::apiserver
