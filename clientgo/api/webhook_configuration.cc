// SPDX-License-Identifier: Apache-2.0
#include "clientgo/api/webhook_configuration.h"

#include <utility>

#include "clientgo/api/ca_bundle.h"
#include "clientgo/api/gvr.h"
#include "clientgo/runtime/decoder.h"
#include "clientgo/runtime/json.h"

namespace clientgo::api {
namespace {

util::Expected<Webhook> DecodeWebhook(const runtime::JsonValue& value, util::Interner& bundles) {
  const std::string_view name = runtime::GetString(value, "name");
  const std::string what = "webhook \"" + std::string(runtime::Excerpt(name)) + "\"";
  auto bundle = DecodeCaBundle(runtime::Find(value, "clientConfig"), what, bundles);
  if (!bundle) return util::Err(std::move(bundle.error()));
  return Webhook{.name = std::string(name), .ca_bundle = *std::move(bundle)};
}

util::Expected<std::vector<Webhook>> DecodeWebhooks(const runtime::JsonValue& value,
                                                    util::Interner& bundles) {
  std::vector<Webhook> webhooks;
  const runtime::JsonValue* list = runtime::Find(value, "webhooks");
  if (list == nullptr || !list->IsArray()) return webhooks;
  webhooks.reserve(list->Size());
  for (const runtime::JsonValue& element : list->GetArray()) {
    auto webhook = DecodeWebhook(element, bundles);
    if (!webhook) return util::Err(std::move(webhook.error()));
    webhooks.push_back(std::move(*webhook));
  }
  return webhooks;
}

runtime::ResourceType MakeType(runtime::GroupVersionResource gvr, std::string kind,
                               WebhookTypeOptions options) {
  auto keys = std::make_shared<const KeptStrings::Keys>(std::move(options.annotations));
  auto paths = AnnotationPaths(*keys);
  paths.push_back({"metadata", "deletionTimestamp"});
  paths.push_back({"webhooks", "name"});
  paths.push_back({"webhooks", "clientConfig", "caBundle"});
  for (auto& path : ManagerEntriesPaths(options.field_manager)) paths.push_back(std::move(path));
  auto decode = [keys, bundles = std::move(options.bundles),
                 manager = std::move(options.field_manager)](
                    const runtime::ObjectMeta& meta,
                    const runtime::JsonValue& value) -> util::Expected<runtime::ObjectPtr> {
    auto webhooks = DecodeWebhooks(value, *bundles);
    if (!webhooks) return util::Err(std::move(webhooks.error()));
    return std::make_shared<const WebhookConfiguration>(
        meta, KeptStrings(keys, runtime::FindPath(value, {"metadata", "annotations"})),
        WebhookConfiguration::Fields{.deleting = IsDeleting(value),
                                     .manager_entries = FindManagerEntries(value, manager),
                                     .webhooks = std::move(*webhooks)});
  };
  return {.gvr = std::move(gvr),
          .kind = std::move(kind),
          .projection = runtime::Projection(paths),
          .decode = std::move(decode)};
}

}  // namespace

WebhookConfiguration::WebhookConfiguration(const runtime::ObjectMeta& meta, KeptStrings annotations,
                                           Fields fields)
    : Object(meta), annotations_(std::move(annotations)), fields_(std::move(fields)) {}

std::size_t WebhookConfiguration::ByteSize() const {
  std::size_t bytes = sizeof *this + TextSize() + annotations_.HeapBytes();
  for (const Webhook& webhook : fields_.webhooks) bytes += sizeof webhook + webhook.name.capacity();
  return bytes;
}

runtime::ResourceType MakeValidatingWebhookConfigurationType(WebhookTypeOptions options) {
  return MakeType(ValidatingWebhookConfigurationsResource(), "ValidatingWebhookConfiguration",
                  std::move(options));
}

runtime::ResourceType MakeMutatingWebhookConfigurationType(WebhookTypeOptions options) {
  return MakeType(MutatingWebhookConfigurationsResource(), "MutatingWebhookConfiguration",
                  std::move(options));
}

}  // namespace clientgo::api
