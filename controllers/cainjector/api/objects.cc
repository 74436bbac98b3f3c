// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/api/objects.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "capstan/api/gvr.h"
#include "capstan/base64.h"
#include "capstan/heap.h"
#include "capstan/runtime/decoder.h"
#include "capstan/runtime/json_value.h"

namespace capstan::cainjector {
namespace {

// Returns `holder`.caBundle as bytes: never nullptr, empty when there is none. `what` names the
// holder in errors: "webhook \"w\"".
Expected<std::shared_ptr<const std::string>> DecodeCaBundle(const runtime::JsonValue* holder,
                                                            std::string_view what,
                                                            Interner& bundles) {
  const std::string_view text =
      holder != nullptr ? runtime::GetString(*holder, "caBundle") : std::string_view();
  const auto bytes = Base64Decode(text);
  if (!bytes) {
    return Err(ErrorReason::kDecode, "caBundle of " + std::string(what) + " is not base64");
  }
  return bundles.Intern(*bytes);
}

// Returns the entries of `manager`, or none when it is empty.
ManagerEntries FindManagerEntries(const runtime::JsonValue& object, std::string_view manager) {
  ManagerEntries found;
  const runtime::JsonValue* list = runtime::FindPath(object, {"metadata", "managedFields"});
  if (manager.empty() || list == nullptr) return found;
  std::int16_t index = -1;
  for (const runtime::JsonValue& entry : runtime::JsonElements(*list)) {
    if (++index == std::numeric_limits<std::int16_t>::max()) break;
    if (runtime::GetString(entry, "manager") != manager) continue;
    if (!runtime::GetString(entry, "subresource").empty()) continue;
    const std::string_view operation = runtime::GetString(entry, "operation");
    // The first entry of each operation is kept.
    if (operation == "Apply" && found.apply < 0) found.apply = index;
    if (operation == "Update" && found.update < 0) found.update = index;
  }
  return found;
}

Expected<Injectable::Fields> DecodeWebhooks(const runtime::JsonValue& object, Interner& bundles) {
  Injectable::Fields fields;
  const runtime::JsonValue* list = runtime::Find(object, "webhooks");
  if (list == nullptr) return fields;
  const runtime::JsonElements webhooks(*list);
  fields.points.reserve(webhooks.size());
  for (const runtime::JsonValue& webhook : webhooks) {
    const std::string_view name = runtime::GetString(webhook, "name");
    const std::string what = "webhook \"" + std::string(runtime::Excerpt(name)) + "\"";
    auto bundle = DecodeCaBundle(runtime::Find(webhook, "clientConfig"), what, bundles);
    if (!bundle) return Err(std::move(bundle.error()));
    fields.points.push_back({.name = std::string(name), .ca_bundle = *std::move(bundle)});
  }
  return fields;
}

std::vector<runtime::Projection::Path> WebhookPaths() {
  return {{"webhooks", "name"}, {"webhooks", "clientConfig", "caBundle"}};
}

Expected<Injectable::Fields> DecodeApiService(const runtime::JsonValue& object, Interner& bundles) {
  auto bundle = DecodeCaBundle(runtime::Find(object, "spec"), "the spec", bundles);
  if (!bundle) return Err(std::move(bundle.error()));
  Injectable::Fields fields{.points = {{.ca_bundle = *std::move(bundle)}}};
  const runtime::JsonValue* spec = runtime::Find(object, "spec");
  if (runtime::FindPath(object, {"spec", "service", "name"}) == nullptr) {
    fields.exclusion = Injectable::Exclusion::kNoService;
  } else if (spec != nullptr && runtime::GetBool(*spec, "insecureSkipTLSVerify")) {
    fields.exclusion = Injectable::Exclusion::kTlsVerifyDisabled;
  }
  return fields;
}

Expected<Injectable::Fields> DecodeConversion(const runtime::JsonValue& object, Interner& bundles) {
  auto bundle =
      DecodeCaBundle(runtime::FindPath(object, {"spec", "conversion", "webhook", "clientConfig"}),
                     "the conversion webhook", bundles);
  if (!bundle) return Err(std::move(bundle.error()));
  Injectable::Fields fields{.points = {{.ca_bundle = *std::move(bundle)}}};
  const runtime::JsonValue* conversion = runtime::FindPath(object, {"spec", "conversion"});
  if (conversion == nullptr || runtime::GetString(*conversion, "strategy") != "Webhook") {
    fields.exclusion = Injectable::Exclusion::kNoConversionWebhook;
  }
  return fields;
}

// Decodes one value of `data`. Returns nullopt if it cannot be decoded.
using DecodeValue = std::optional<std::string> (*)(std::string_view text);

runtime::ResourceType MakeSourceDataType(SourceDataOptions options, DecodeValue decode_value) {
  auto keys = std::make_shared<const api::PackedStringMap::Keys>(std::move(options.annotations));
  auto paths = api::AnnotationPaths(*keys);
  paths.push_back({"data", options.data_key});
  auto decode = [keys, decode_value, data_key = std::move(options.data_key)](
                    const runtime::ObjectIdentity& meta,
                    const runtime::JsonValue& value) -> Expected<runtime::ObjectPtr> {
    std::optional<std::string> data;
    if (const runtime::JsonValue* text = runtime::FindPath(value, {"data", data_key})) {
      if (const auto encoded = runtime::AsString(*text)) data = decode_value(*encoded);
      // The message must not contain the text.
      if (!data) return Err(ErrorReason::kDecode, "data." + data_key + " is not base64");
    }
    api::PackedStringMap annotations(keys, runtime::FindPath(value, {"metadata", "annotations"}));
    return runtime::MakeObject<SourceData>(meta, std::move(annotations), std::move(data));
  };
  return {.gvr = {},
          .kind = {},
          .namespaced = true,
          .projection = runtime::Projection(paths),
          .decode = std::move(decode)};
}

}  // namespace

SourceData::SourceData(const runtime::ObjectIdentity& meta, api::PackedStringMap annotations,
                       std::optional<std::string> data)
    : runtime::Object(meta), annotations_(std::move(annotations)), data_(std::move(data)) {}

SourceData::~SourceData() {
  if (data_) explicit_bzero(data_->data(), data_->size());
}

std::size_t SourceData::ByteSize() const {
  return BlockBytes() + annotations_.HeapBytes() + (data_ ? HeapBytesOf(*data_) : 0U);
}

runtime::ResourceType MakeSecretType(SourceDataOptions options) {
  runtime::ResourceType type = MakeSourceDataType(std::move(options), Base64Decode);
  type.gvr = api::SecretsResource();
  type.kind = "Secret";
  return type;
}

runtime::ResourceType MakeConfigMapDataType(SourceDataOptions options) {
  runtime::ResourceType type = MakeSourceDataType(
      std::move(options), [](std::string_view text) { return std::optional<std::string>(text); });
  type.gvr = api::ConfigMapsResource();
  type.kind = "ConfigMap";
  return type;
}

CertManagerCertificate::CertManagerCertificate(const runtime::ObjectIdentity& meta,
                                               std::string secret_name)
    : runtime::Object(meta), secret_name_(std::move(secret_name)) {}

const runtime::ResourceType& CertManagerCertificate::Type() {
  static const runtime::ResourceType type = {
      .gvr = api::CertificatesResource(),
      .kind = "Certificate",
      .namespaced = true,
      .projection = {{"spec", "secretName"}},
      .decode = [](const runtime::ObjectIdentity& meta,
                   const runtime::JsonValue& value) -> Expected<runtime::ObjectPtr> {
        const runtime::JsonValue* spec = runtime::Find(value, "spec");
        const std::string_view name =
            spec == nullptr ? std::string_view() : runtime::GetString(*spec, "secretName");
        std::string kept(name.substr(0, CertManagerCertificate::kSecretNameBytesMax));
        if (kept.size() < name.size()) kept += api::PackedStringMap::kCutMark;
        return runtime::MakeObject<CertManagerCertificate>(meta, std::move(kept));
      }};
  return type;
}

Injectable::Injectable(const runtime::ObjectIdentity& meta, api::PackedStringMap annotations,
                       Fields fields)
    : ObjectMetadata(meta), annotations_(std::move(annotations)), fields_(std::move(fields)) {}

std::size_t Injectable::ByteSize() const {
  std::size_t bytes = BlockBytes() + annotations_.HeapBytes();
  for (const InjectionPoint& point : fields_.points) {
    bytes += sizeof point + HeapBytesOf(point.name);
  }
  return bytes;
}

runtime::ResourceType MakeInjectableType(InjectableTypeOptions kind, TargetTypeOptions options) {
  std::vector<runtime::Projection::Path> paths = std::move(kind.paths);
  auto keys = std::make_shared<const api::PackedStringMap::Keys>(std::move(options.annotations));
  for (auto& path : api::AnnotationPaths(*keys)) paths.push_back(std::move(path));
  paths.push_back({"metadata", "deletionTimestamp"});
  if (!options.field_manager.empty()) {
    for (const char* field : {"manager", "operation", "subresource"}) {
      paths.push_back({"metadata", "managedFields", field});
    }
  }
  auto decode = [keys, decode_fields = std::move(kind.decode), bundles = std::move(options.bundles),
                 annotation_bytes_max = options.annotation_bytes_max,
                 manager = std::move(options.field_manager)](
                    const runtime::ObjectIdentity& meta,
                    const runtime::JsonValue& value) -> Expected<runtime::ObjectPtr> {
    auto fields = decode_fields(value, *bundles);
    if (!fields) return Err(std::move(fields.error()));
    fields->deleting = api::IsDeleting(value);
    fields->manager_entries = FindManagerEntries(value, manager);
    return runtime::MakeObject<Injectable>(
        meta,
        api::PackedStringMap(keys, runtime::FindPath(value, {"metadata", "annotations"}),
                             annotation_bytes_max),
        *std::move(fields));
  };
  return {.gvr = std::move(kind.gvr),
          .kind = std::move(kind.kind),
          .namespaced = kind.namespaced,
          .projection = runtime::Projection(paths),
          .decode = std::move(decode)};
}

runtime::ResourceType MakeValidatingWebhookConfigurationType(TargetTypeOptions options) {
  return MakeInjectableType({.gvr = api::ValidatingWebhookConfigurationsResource(),
                             .kind = "ValidatingWebhookConfiguration",
                             .paths = WebhookPaths(),
                             .decode = DecodeWebhooks},
                            std::move(options));
}

runtime::ResourceType MakeMutatingWebhookConfigurationType(TargetTypeOptions options) {
  return MakeInjectableType({.gvr = api::MutatingWebhookConfigurationsResource(),
                             .kind = "MutatingWebhookConfiguration",
                             .paths = WebhookPaths(),
                             .decode = DecodeWebhooks},
                            std::move(options));
}

runtime::ResourceType MakeApiServiceType(TargetTypeOptions options) {
  return MakeInjectableType({.gvr = api::ApiServicesResource(),
                             .kind = "APIService",
                             .paths = {{"spec", "caBundle"},
                                       {"spec", "insecureSkipTLSVerify"},
                                       {"spec", "service", "name"}},
                             .decode = DecodeApiService},
                            std::move(options));
}

runtime::ResourceType MakeCustomResourceDefinitionType(TargetTypeOptions options) {
  options.annotations.clear();
  return MakeInjectableType(
      {.gvr = api::CustomResourceDefinitionsResource(),
       .kind = "CustomResourceDefinition",
       .paths = {{"spec", "conversion", "strategy"},
                 {"spec", "conversion", "webhook", "clientConfig", "caBundle"}},
       .decode = DecodeConversion},
      std::move(options));
}

}  // namespace capstan::cainjector
