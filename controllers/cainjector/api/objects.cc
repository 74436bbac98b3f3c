// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/api/objects.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "clientgo/api/gvr.h"
#include "clientgo/api/object_metadata.h"
#include "clientgo/runtime/decoder.h"
#include "clientgo/runtime/json.h"
#include "clientgo/util/base64.h"
#include "clientgo/util/heap.h"

namespace controllers::cainjector::api {
namespace {

using clientgo::api::IsDeleting;
using clientgo::runtime::Find;
using clientgo::runtime::FindPath;
using clientgo::runtime::GetString;
using clientgo::runtime::JsonValue;
using clientgo::runtime::ObjectPtr;
using clientgo::runtime::ToView;
using clientgo::util::Base64Decode;
using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;
using clientgo::util::HeapBytesOf;
using clientgo::util::Interner;

// Returns `holder`.caBundle as bytes: never nullptr, empty when there is none. `what` names the
// holder in errors: "webhook \"w\"".
Expected<std::shared_ptr<const std::string>> DecodeCaBundle(const JsonValue* holder,
                                                            std::string_view what,
                                                            Interner& bundles) {
  const std::string_view text =
      holder != nullptr ? GetString(*holder, "caBundle") : std::string_view();
  const auto bytes = Base64Decode(text);
  if (!bytes) {
    return Err(ErrorReason::kDecode, "caBundle of " + std::string(what) + " is not base64");
  }
  return bundles.Intern(*bytes);
}

// Returns the entries of `manager`, or none when it is empty.
ManagerEntries FindManagerEntries(const JsonValue& object, std::string_view manager) {
  ManagerEntries found;
  const JsonValue* list = FindPath(object, {"metadata", "managedFields"});
  if (manager.empty() || list == nullptr || !list->IsArray()) return found;
  constexpr clientgo::runtime::rapidjson::SizeType kIndexMax =
      std::numeric_limits<std::int16_t>::max();
  // From the end, so that the first entry is kept.
  for (clientgo::runtime::rapidjson::SizeType i = std::min(list->Size(), kIndexMax); i-- > 0;) {
    const JsonValue& entry = (*list)[i];
    if (GetString(entry, "manager") != manager) continue;
    if (!GetString(entry, "subresource").empty()) continue;
    const std::string_view operation = GetString(entry, "operation");
    if (operation == "Apply") found.apply = static_cast<std::int16_t>(i);
    if (operation == "Update") found.update = static_cast<std::int16_t>(i);
  }
  return found;
}

// Returns the paths that FindManagerEntries reads, or none when `manager` is empty.
std::vector<clientgo::runtime::Projection::Path> ManagerEntriesPaths(std::string_view manager) {
  std::vector<clientgo::runtime::Projection::Path> paths;
  if (manager.empty()) return paths;
  for (const char* field : {"manager", "operation", "subresource"}) {
    paths.push_back({"metadata", "managedFields", field});
  }
  return paths;
}

Expected<Webhook> DecodeWebhook(const JsonValue& value, Interner& bundles) {
  const std::string_view name = GetString(value, "name");
  const std::string what = "webhook \"" + std::string(clientgo::runtime::Excerpt(name)) + "\"";
  auto bundle = DecodeCaBundle(Find(value, "clientConfig"), what, bundles);
  if (!bundle) return Err(std::move(bundle.error()));
  return Webhook{.name = std::string(name), .ca_bundle = *std::move(bundle)};
}

Expected<std::vector<Webhook>> DecodeWebhooks(const JsonValue& value, Interner& bundles) {
  std::vector<Webhook> webhooks;
  const JsonValue* list = Find(value, "webhooks");
  if (list == nullptr || !list->IsArray()) return webhooks;
  webhooks.reserve(list->Size());
  for (const JsonValue& element : list->GetArray()) {
    auto webhook = DecodeWebhook(element, bundles);
    if (!webhook) return Err(std::move(webhook.error()));
    webhooks.push_back(std::move(*webhook));
  }
  return webhooks;
}

ResourceType MakeWebhookType(clientgo::runtime::GroupVersionResource gvr, std::string kind,
                             TargetTypeOptions options) {
  auto keys = std::make_shared<const PackedStringMap::Keys>(std::move(options.annotations));
  auto paths = clientgo::api::AnnotationPaths(*keys);
  paths.push_back({"metadata", "deletionTimestamp"});
  paths.push_back({"webhooks", "name"});
  paths.push_back({"webhooks", "clientConfig", "caBundle"});
  for (auto& path : ManagerEntriesPaths(options.field_manager)) paths.push_back(std::move(path));
  auto decode = [keys, bundles = std::move(options.bundles),
                 manager = std::move(options.field_manager)](
                    const ObjectMeta& meta, const JsonValue& value) -> Expected<ObjectPtr> {
    auto webhooks = DecodeWebhooks(value, *bundles);
    if (!webhooks) return Err(std::move(webhooks.error()));
    return clientgo::runtime::MakeObject<WebhookConfiguration>(
        meta, PackedStringMap(keys, FindPath(value, {"metadata", "annotations"})),
        WebhookConfiguration::Fields{.deleting = IsDeleting(value),
                                     .manager_entries = FindManagerEntries(value, manager),
                                     .webhooks = std::move(*webhooks)});
  };
  return {.gvr = std::move(gvr),
          .kind = std::move(kind),
          .projection = clientgo::runtime::Projection(paths),
          .decode = std::move(decode)};
}

}  // namespace

Secret::Secret(const ObjectMeta& meta, PackedStringMap annotations, std::optional<std::string> data)
    : Object(meta), annotations_(std::move(annotations)), data_(std::move(data)) {}

Secret::~Secret() {
  if (data_) OPENSSL_cleanse(data_->data(), data_->size());
}

std::size_t Secret::ByteSize() const {
  return BlockBytes() + annotations_.HeapBytes() + (data_ ? HeapBytesOf(*data_) : 0U);
}

ResourceType MakeSecretType(SecretTypeOptions options) {
  auto keys = std::make_shared<const PackedStringMap::Keys>(std::move(options.annotations));
  auto paths = clientgo::api::AnnotationPaths(*keys);
  paths.push_back({"data", options.data_key});
  auto decode = [keys, data_key = std::move(options.data_key)](
                    const ObjectMeta& meta, const JsonValue& value) -> Expected<ObjectPtr> {
    std::optional<std::string> data;
    if (const JsonValue* text = FindPath(value, {"data", data_key})) {
      if (text->IsString()) data = Base64Decode(ToView(*text));
      // The message must not contain the text.
      if (!data) return Err(ErrorReason::kDecode, "data." + data_key + " is not base64");
    }
    PackedStringMap annotations(keys, FindPath(value, {"metadata", "annotations"}));
    return clientgo::runtime::MakeObject<Secret>(meta, std::move(annotations), std::move(data));
  };
  return {.gvr = clientgo::api::SecretsResource(),
          .kind = "Secret",
          .namespaced = true,
          .projection = clientgo::runtime::Projection(paths),
          .decode = std::move(decode)};
}

Certificate::Certificate(const ObjectMeta& meta, std::string secret_name)
    : Object(meta), secret_name_(std::move(secret_name)) {}

const ResourceType& Certificate::Type() {
  static const ResourceType type = {
      .gvr = clientgo::api::CertificatesResource(),
      .kind = "Certificate",
      .namespaced = true,
      .projection = {{"spec", "secretName"}},
      .decode = [](const ObjectMeta& meta, const JsonValue& value) -> Expected<ObjectPtr> {
        const JsonValue* spec = Find(value, "spec");
        return clientgo::runtime::MakeObject<Certificate>(
            meta, spec == nullptr ? std::string() : std::string(GetString(*spec, "secretName")));
      }};
  return type;
}

WebhookConfiguration::WebhookConfiguration(const ObjectMeta& meta, PackedStringMap annotations,
                                           Fields fields)
    : Object(meta), annotations_(std::move(annotations)), fields_(std::move(fields)) {}

std::size_t WebhookConfiguration::ByteSize() const {
  std::size_t bytes = BlockBytes() + annotations_.HeapBytes();
  for (const Webhook& webhook : fields_.webhooks) {
    bytes += sizeof webhook + HeapBytesOf(webhook.name);
  }
  return bytes;
}

ResourceType MakeValidatingWebhookConfigurationType(TargetTypeOptions options) {
  return MakeWebhookType(clientgo::api::ValidatingWebhookConfigurationsResource(),
                         "ValidatingWebhookConfiguration", std::move(options));
}

ResourceType MakeMutatingWebhookConfigurationType(TargetTypeOptions options) {
  return MakeWebhookType(clientgo::api::MutatingWebhookConfigurationsResource(),
                         "MutatingWebhookConfiguration", std::move(options));
}

ApiService::ApiService(const ObjectMeta& meta, PackedStringMap annotations, Fields fields)
    : Object(meta), annotations_(std::move(annotations)), fields_(std::move(fields)) {}

std::size_t ApiService::ByteSize() const { return BlockBytes() + annotations_.HeapBytes(); }

ResourceType MakeApiServiceType(TargetTypeOptions options) {
  auto keys = std::make_shared<const PackedStringMap::Keys>(std::move(options.annotations));
  auto paths = clientgo::api::AnnotationPaths(*keys);
  paths.push_back({"metadata", "deletionTimestamp"});
  paths.push_back({"spec", "caBundle"});
  paths.push_back({"spec", "insecureSkipTLSVerify"});
  paths.push_back({"spec", "service", "name"});
  for (auto& path : ManagerEntriesPaths(options.field_manager)) paths.push_back(std::move(path));
  auto decode = [keys, bundles = std::move(options.bundles),
                 manager = std::move(options.field_manager)](
                    const ObjectMeta& meta, const JsonValue& value) -> Expected<ObjectPtr> {
    auto bundle = DecodeCaBundle(Find(value, "spec"), "the spec", *bundles);
    if (!bundle) return Err(std::move(bundle.error()));
    const JsonValue* skip = FindPath(value, {"spec", "insecureSkipTLSVerify"});
    return clientgo::runtime::MakeObject<ApiService>(
        meta, PackedStringMap(keys, FindPath(value, {"metadata", "annotations"})),
        ApiService::Fields{.ca_bundle = *std::move(bundle),
                           .has_service = FindPath(value, {"spec", "service", "name"}) != nullptr,
                           .insecure_skip_tls_verify = skip != nullptr && skip->IsTrue(),
                           .deleting = IsDeleting(value),
                           .manager_entries = FindManagerEntries(value, manager)});
  };
  return {.gvr = clientgo::api::ApiServicesResource(),
          .kind = "APIService",
          .projection = clientgo::runtime::Projection(paths),
          .decode = std::move(decode)};
}

CustomResourceDefinition::CustomResourceDefinition(const ObjectMeta& meta, Fields fields)
    : Object(meta), fields_(std::move(fields)) {}

ResourceType MakeCustomResourceDefinitionType(TargetTypeOptions options) {
  auto paths = ManagerEntriesPaths(options.field_manager);
  paths.push_back({"metadata", "deletionTimestamp"});
  paths.push_back({"spec", "conversion", "strategy"});
  paths.push_back({"spec", "conversion", "webhook", "clientConfig", "caBundle"});
  auto decode = [bundles = std::move(options.bundles), manager = std::move(options.field_manager)](
                    const ObjectMeta& meta, const JsonValue& value) -> Expected<ObjectPtr> {
    auto bundle = DecodeCaBundle(FindPath(value, {"spec", "conversion", "webhook", "clientConfig"}),
                                 "the conversion webhook", *bundles);
    if (!bundle) return Err(std::move(bundle.error()));
    const JsonValue* conversion = FindPath(value, {"spec", "conversion"});
    return clientgo::runtime::MakeObject<CustomResourceDefinition>(
        meta, CustomResourceDefinition::Fields{
                  .ca_bundle = *std::move(bundle),
                  .webhook_conversion =
                      conversion != nullptr && GetString(*conversion, "strategy") == "Webhook",
                  .deleting = IsDeleting(value),
                  .manager_entries = FindManagerEntries(value, manager)});
  };
  return {.gvr = clientgo::api::CustomResourceDefinitionsResource(),
          .kind = "CustomResourceDefinition",
          .projection = clientgo::runtime::Projection(paths),
          .decode = std::move(decode)};
}

}  // namespace controllers::cainjector::api
