// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/admission/webhooks.h"

#include <algorithm>
#include <utility>

#include "capstan/base64.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kMutating = "mutatingwebhookconfigurations";

Webhook ParseWebhook(const runtime::JsonValue& json, std::string_view configuration,
                     bool mutating) {
  Webhook webhook{.configuration = std::string(configuration),
                  .name = std::string(runtime::GetString(json, "name")),
                  .mutating = mutating,
                  .match = ParseMatchResources(json, "rules"),
                  .conditions = MatchConditions(ListAt(json, "matchConditions"), {}),
                  .ignore_failure = runtime::GetString(json, "failurePolicy") == "Ignore",
                  .reinvoke = runtime::GetString(json, "reinvocationPolicy") == "IfNeeded",
                  .review_version = ReviewVersion(json, "admissionReviewVersions")};
  const runtime::JsonValue* const timeout = runtime::Find(json, "timeoutSeconds");
  if (timeout != nullptr && timeout->IsInt()) webhook.timeout_seconds = timeout->GetInt();
  ReadClientConfig(ObjectAt(json, "clientConfig"), webhook);
  return webhook;
}

}  // namespace

std::string ReviewVersion(const runtime::JsonValue& webhook, std::string_view member) {
  const auto versions = TextsAt(webhook, member);
  const auto known = std::find_if(versions.begin(), versions.end(), [](std::string_view version) {
    return version == "v1" || version == "v1beta1";
  });
  return known == versions.end() ? "" : std::string(*known);
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

void Webhooks::Update(const Resource& resource, const Event& event) {
  const std::string key = std::string(resource.plural) + "/" + event.key;
  const bool known = configurations_.count(key) > 0;
  List webhooks;
  const bool mutating = resource.plural == kMutating;
  // A webhook without rules is never called. Tests have thousands of those.
  const bool rules = event.object->text.find(R"("rules":[{)") != std::string::npos;
  if (rules && event.type != EventType::kDeleted) {
    for (Webhook& one : ParseWebhooks(*ParseObject(*event.object), mutating)) {
      if (one.match.rules.empty()) continue;
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
  if (IsAdmissionConfiguration(resource)) return false;
  const auto any = [&](const std::shared_ptr<const Webhook>& webhook) {
    return webhook->match.MayMatch(resource);
  };
  return std::any_of(mutating_.begin(), mutating_.end(), any) ||
         std::any_of(validating_.begin(), validating_.end(), any);
}

}  // namespace capstan::testing::apiserver
