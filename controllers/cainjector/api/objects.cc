// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/api/objects.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "capstan/clientgo/api/gvr.h"
#include "capstan/clientgo/runtime/decoder.h"
#include "capstan/clientgo/runtime/json_value.h"
#include "capstan/clientgo/util/base64.h"
#include "capstan/clientgo/util/heap.h"

namespace capstan::controllers::cainjector::api {
namespace {

using clientgo::api::IsDeleting;
using clientgo::runtime::Find;
using clientgo::runtime::FindPath;
using clientgo::runtime::GetString;
using clientgo::runtime::JsonElements;
using clientgo::runtime::JsonValue;
using clientgo::runtime::ObjectPtr;
using clientgo::runtime::Projection;
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
  if (manager.empty() || list == nullptr) return found;
  std::int16_t index = -1;
  for (const JsonValue& entry : JsonElements(*list)) {
    if (++index == std::numeric_limits<std::int16_t>::max()) break;
    if (GetString(entry, "manager") != manager) continue;
    if (!GetString(entry, "subresource").empty()) continue;
    const std::string_view operation = GetString(entry, "operation");
    // The first entry of each operation is kept.
    if (operation == "Apply" && found.apply < 0) found.apply = index;
    if (operation == "Update" && found.update < 0) found.update = index;
  }
  return found;
}

Expected<Injectable::Fields> DecodeWebhooks(const JsonValue& object, Interner& bundles) {
  Injectable::Fields fields;
  const JsonValue* list = Find(object, "webhooks");
  if (list == nullptr) return fields;
  const JsonElements webhooks(*list);
  fields.points.reserve(webhooks.size());
  for (const JsonValue& webhook : webhooks) {
    const std::string_view name = GetString(webhook, "name");
    const std::string what = "webhook \"" + std::string(clientgo::runtime::Excerpt(name)) + "\"";
    auto bundle = DecodeCaBundle(Find(webhook, "clientConfig"), what, bundles);
    if (!bundle) return Err(std::move(bundle.error()));
    fields.points.push_back({.name = std::string(name), .ca_bundle = *std::move(bundle)});
  }
  return fields;
}

std::vector<Projection::Path> WebhookPaths() {
  return {{"webhooks", "name"}, {"webhooks", "clientConfig", "caBundle"}};
}

Expected<Injectable::Fields> DecodeApiService(const JsonValue& object, Interner& bundles) {
  auto bundle = DecodeCaBundle(Find(object, "spec"), "the spec", bundles);
  if (!bundle) return Err(std::move(bundle.error()));
  Injectable::Fields fields{.points = {{.ca_bundle = *std::move(bundle)}}};
  const JsonValue* spec = Find(object, "spec");
  if (FindPath(object, {"spec", "service", "name"}) == nullptr) {
    fields.exclusion = Injectable::Exclusion::kNoService;
  } else if (spec != nullptr && clientgo::runtime::GetBool(*spec, "insecureSkipTLSVerify")) {
    fields.exclusion = Injectable::Exclusion::kTlsVerifyDisabled;
  }
  return fields;
}

Expected<Injectable::Fields> DecodeConversion(const JsonValue& object, Interner& bundles) {
  auto bundle = DecodeCaBundle(FindPath(object, {"spec", "conversion", "webhook", "clientConfig"}),
                               "the conversion webhook", bundles);
  if (!bundle) return Err(std::move(bundle.error()));
  Injectable::Fields fields{.points = {{.ca_bundle = *std::move(bundle)}}};
  const JsonValue* conversion = FindPath(object, {"spec", "conversion"});
  if (conversion == nullptr || GetString(*conversion, "strategy") != "Webhook") {
    fields.exclusion = Injectable::Exclusion::kNoConversionWebhook;
  }
  return fields;
}

// Decodes one value of `data`. nullopt: it cannot be decoded.
using DecodeValue = std::optional<std::string> (*)(std::string_view text);

ResourceType MakeSourceDataType(SourceDataOptions options, DecodeValue decode_value) {
  auto keys = std::make_shared<const PackedStringMap::Keys>(std::move(options.annotations));
  auto paths = clientgo::api::AnnotationPaths(*keys);
  paths.push_back({"data", options.data_key});
  auto decode = [keys, decode_value, data_key = std::move(options.data_key)](
                    const ObjectIdentity& meta, const JsonValue& value) -> Expected<ObjectPtr> {
    std::optional<std::string> data;
    if (const JsonValue* text = FindPath(value, {"data", data_key})) {
      if (const auto encoded = clientgo::runtime::AsString(*text)) data = decode_value(*encoded);
      // The message must not contain the text.
      if (!data) return Err(ErrorReason::kDecode, "data." + data_key + " is not base64");
    }
    PackedStringMap annotations(keys, FindPath(value, {"metadata", "annotations"}));
    return clientgo::runtime::MakeObject<SourceData>(meta, std::move(annotations), std::move(data));
  };
  return {.gvr = {},
          .kind = {},
          .namespaced = true,
          .projection = Projection(paths),
          .decode = std::move(decode)};
}

}  // namespace

SourceData::SourceData(const ObjectIdentity& meta, PackedStringMap annotations,
                       std::optional<std::string> data)
    : Object(meta), annotations_(std::move(annotations)), data_(std::move(data)) {}

SourceData::~SourceData() {
  if (data_) OPENSSL_cleanse(data_->data(), data_->size());
}

std::size_t SourceData::ByteSize() const {
  return BlockBytes() + annotations_.HeapBytes() + (data_ ? HeapBytesOf(*data_) : 0U);
}

ResourceType MakeSecretType(SourceDataOptions options) {
  ResourceType type = MakeSourceDataType(std::move(options), Base64Decode);
  type.gvr = clientgo::api::SecretsResource();
  type.kind = "Secret";
  return type;
}

ResourceType MakeConfigMapDataType(SourceDataOptions options) {
  ResourceType type = MakeSourceDataType(
      std::move(options), [](std::string_view text) { return std::optional<std::string>(text); });
  type.gvr = clientgo::api::ConfigMapsResource();
  type.kind = "ConfigMap";
  return type;
}

Certificate::Certificate(const ObjectIdentity& meta, std::string secret_name)
    : Object(meta), secret_name_(std::move(secret_name)) {}

const ResourceType& Certificate::Type() {
  static const ResourceType type = {
      .gvr = clientgo::api::CertificatesResource(),
      .kind = "Certificate",
      .namespaced = true,
      .projection = {{"spec", "secretName"}},
      .decode = [](const ObjectIdentity& meta, const JsonValue& value) -> Expected<ObjectPtr> {
        const JsonValue* spec = Find(value, "spec");
        const std::string_view name =
            spec == nullptr ? std::string_view() : GetString(*spec, "secretName");
        std::string kept(name.substr(0, Certificate::kSecretNameBytesMax));
        if (kept.size() < name.size()) kept += PackedStringMap::kCutMark;
        return clientgo::runtime::MakeObject<Certificate>(meta, std::move(kept));
      }};
  return type;
}

Injectable::Injectable(const ObjectIdentity& meta, PackedStringMap annotations, Fields fields)
    : ObjectMetadata(meta), annotations_(std::move(annotations)), fields_(std::move(fields)) {}

std::size_t Injectable::ByteSize() const {
  std::size_t bytes = BlockBytes() + annotations_.HeapBytes();
  for (const InjectionPoint& point : fields_.points) {
    bytes += sizeof point + HeapBytesOf(point.name);
  }
  return bytes;
}

ResourceType MakeInjectableType(InjectableTypeOptions kind, TargetTypeOptions options) {
  std::vector<Projection::Path> paths = std::move(kind.paths);
  auto keys = std::make_shared<const PackedStringMap::Keys>(std::move(options.annotations));
  for (auto& path : clientgo::api::AnnotationPaths(*keys)) paths.push_back(std::move(path));
  paths.push_back({"metadata", "deletionTimestamp"});
  if (!options.field_manager.empty()) {
    for (const char* field : {"manager", "operation", "subresource"}) {
      paths.push_back({"metadata", "managedFields", field});
    }
  }
  auto decode = [keys, decode_fields = std::move(kind.decode), bundles = std::move(options.bundles),
                 annotation_bytes_max = options.annotation_bytes_max,
                 manager = std::move(options.field_manager)](
                    const ObjectIdentity& meta, const JsonValue& value) -> Expected<ObjectPtr> {
    auto fields = decode_fields(value, *bundles);
    if (!fields) return Err(std::move(fields.error()));
    fields->deleting = IsDeleting(value);
    fields->manager_entries = FindManagerEntries(value, manager);
    return clientgo::runtime::MakeObject<Injectable>(
        meta,
        PackedStringMap(keys, FindPath(value, {"metadata", "annotations"}), annotation_bytes_max),
        *std::move(fields));
  };
  return {.gvr = std::move(kind.gvr),
          .kind = std::move(kind.kind),
          .namespaced = kind.namespaced,
          .projection = Projection(paths),
          .decode = std::move(decode)};
}

ResourceType MakeValidatingWebhookConfigurationType(TargetTypeOptions options) {
  return MakeInjectableType({.gvr = clientgo::api::ValidatingWebhookConfigurationsResource(),
                             .kind = "ValidatingWebhookConfiguration",
                             .paths = WebhookPaths(),
                             .decode = DecodeWebhooks},
                            std::move(options));
}

ResourceType MakeMutatingWebhookConfigurationType(TargetTypeOptions options) {
  return MakeInjectableType({.gvr = clientgo::api::MutatingWebhookConfigurationsResource(),
                             .kind = "MutatingWebhookConfiguration",
                             .paths = WebhookPaths(),
                             .decode = DecodeWebhooks},
                            std::move(options));
}

ResourceType MakeApiServiceType(TargetTypeOptions options) {
  return MakeInjectableType({.gvr = clientgo::api::ApiServicesResource(),
                             .kind = "APIService",
                             .paths = {{"spec", "caBundle"},
                                       {"spec", "insecureSkipTLSVerify"},
                                       {"spec", "service", "name"}},
                             .decode = DecodeApiService},
                            std::move(options));
}

ResourceType MakeCustomResourceDefinitionType(TargetTypeOptions options) {
  options.annotations.clear();
  return MakeInjectableType(
      {.gvr = clientgo::api::CustomResourceDefinitionsResource(),
       .kind = "CustomResourceDefinition",
       .paths = {{"spec", "conversion", "strategy"},
                 {"spec", "conversion", "webhook", "clientConfig", "caBundle"}},
       .decode = DecodeConversion},
      std::move(options));
}

}  // namespace capstan::controllers::cainjector::api
