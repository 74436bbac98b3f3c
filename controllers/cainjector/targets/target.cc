// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/targets/target.h"

#include <utility>

#include "clientgo/api/gvr.h"
#include "clientgo/api/object_metadata.h"
#include "clientgo/runtime/json.h"
#include "clientgo/util/base64.h"
#include "clientgo/util/interner.h"
#include "controllers/cainjector/rules/annotations.h"

namespace controllers::cainjector {
namespace {

using api::ApiService;
using api::CustomResourceDefinition;
using api::WebhookConfiguration;
using clientgo::runtime::JsonWriter;
using clientgo::runtime::Object;
using clientgo::runtime::ResourceType;
using clientgo::runtime::WriteKey;
using clientgo::runtime::WriteString;

void WriteField(JsonWriter& writer, std::string_view name, std::string_view value) {
  WriteKey(writer, name);
  WriteString(writer, value);
}

// Returns the apply configuration of `object` with the fields that `write_fields` adds.
std::string MakeApplyConfiguration(const ResourceType& type, const Object& object, ApplyTo to,
                                   const std::function<void(JsonWriter&)>& write_fields) {
  clientgo::runtime::JsonBuffer buffer;
  JsonWriter writer(buffer);
  writer.StartObject();
  WriteField(writer, "apiVersion", type.gvr.ApiVersion());
  WriteField(writer, "kind", type.kind);
  WriteKey(writer, "metadata");
  writer.StartObject();
  WriteField(writer, "name", object.name());
  WriteField(writer, "uid", object.uid());
  if (to == ApplyTo::kThisVersion && !object.resource_version().empty()) {
    WriteField(writer, "resourceVersion", object.resource_version());
  }
  writer.EndObject();
  write_fields(writer);
  writer.EndObject();
  return buffer.GetString();
}

// Writes "caBundle": base64 of `bundle`.
void WriteCaBundle(JsonWriter& writer, std::string_view bundle) {
  WriteField(writer, "caBundle", clientgo::util::Base64Encode(bundle));
}

// Returns the bundles of all kinds. Those of one cluster mostly hold the same few CAs.
std::shared_ptr<clientgo::util::Interner> SharedBundles() {
  static const auto bundles = std::make_shared<clientgo::util::Interner>();
  return bundles;
}

api::TargetTypeOptions TypeOptions() {
  return {.annotations = InjectAnnotations(),
          .bundles = SharedBundles(),
          .field_manager = std::string(kFieldManager)};
}

class WebhookTarget final : public Target {
 public:
  explicit WebhookTarget(ResourceType type) : type_(std::move(type)) {}

  const ResourceType& type() const override { return type_; }
  std::optional<std::string_view> Annotation(const Object& object,
                                             std::string_view name) const override {
    return Cast(object).Annotation(name);
  }
  bool Deleting(const Object& object) const override { return Cast(object).deleting(); }
  std::vector<std::string> Bundles(const Object& object) const override;
  api::ManagerEntries Entries(const Object& object) const override {
    return Cast(object).manager_entries();
  }
  std::string ApplyConfiguration(const Object& object, const std::vector<std::string>& bundles,
                                 ApplyTo to) const override;

 private:
  static const WebhookConfiguration& Cast(const Object& object) {
    return static_cast<const WebhookConfiguration&>(object);
  }
  const ResourceType type_;
};

std::vector<std::string> WebhookTarget::Bundles(const Object& object) const {
  std::vector<std::string> bundles;
  bundles.reserve(Cast(object).webhooks().size());
  for (const auto& webhook : Cast(object).webhooks()) bundles.push_back(*webhook.ca_bundle);
  return bundles;
}

std::string WebhookTarget::ApplyConfiguration(const Object& object,
                                              const std::vector<std::string>& bundles,
                                              ApplyTo to) const {
  return MakeApplyConfiguration(type_, object, to, [&](JsonWriter& writer) {
    WriteKey(writer, "webhooks");
    writer.StartArray();
    const auto& webhooks = Cast(object).webhooks();
    for (std::size_t i = 0; i < webhooks.size(); ++i) {
      writer.StartObject();
      WriteKey(writer, "name");
      WriteString(writer, webhooks[i].name);
      WriteKey(writer, "clientConfig");
      writer.StartObject();
      WriteCaBundle(writer, bundles[i]);
      writer.EndObject();
      writer.EndObject();
    }
    writer.EndArray();
  });
}

class ApiServices final : public Target {
 public:
  const ResourceType& type() const override { return type_; }
  std::optional<std::string_view> Annotation(const Object& object,
                                             std::string_view name) const override {
    return Cast(object).Annotation(name);
  }
  bool Deleting(const Object& object) const override { return Cast(object).fields().deleting; }
  std::optional<Failure> Refusal(const Object& object) const override;
  std::vector<std::string> Bundles(const Object& object) const override {
    return {*Cast(object).fields().ca_bundle};
  }
  api::ManagerEntries Entries(const Object& object) const override {
    return Cast(object).fields().manager_entries;
  }
  std::string ApplyConfiguration(const Object& object, const std::vector<std::string>& bundles,
                                 ApplyTo to) const override;

 private:
  static const ApiService& Cast(const Object& object) {
    return static_cast<const ApiService&>(object);
  }
  const ResourceType type_ = api::MakeApiServiceType(TypeOptions());
};

std::optional<Failure> ApiServices::Refusal(const Object& object) const {
  if (!Cast(object).fields().has_service) {
    return Failure{.reason = Reason::kNothingToInjectInto,
                   .message =
                       "the API is served by kube-apiserver itself: there is no spec.service "
                       "whose certificate would be verified"};
  }
  if (Cast(object).fields().insecure_skip_tls_verify) {
    return Failure{.reason = Reason::kTlsVerifyDisabled,
                   .message =
                       "spec.insecureSkipTLSVerify is true, which excludes a CA bundle; "
                       "remove one of it and the annotation"};
  }
  return std::nullopt;
}

std::string ApiServices::ApplyConfiguration(const Object& object,
                                            const std::vector<std::string>& bundles,
                                            ApplyTo to) const {
  return MakeApplyConfiguration(type_, object, to, [&](JsonWriter& writer) {
    WriteKey(writer, "spec");
    writer.StartObject();
    WriteCaBundle(writer, bundles.front());
    writer.EndObject();
  });
}

class Conversions final : public Target {
 public:
  const ResourceType& type() const override { return metadata_; }
  std::optional<std::string_view> Annotation(const Object& object,
                                             std::string_view name) const override {
    return static_cast<const clientgo::api::ObjectMetadata&>(object).Annotation(name);
  }
  const ResourceType& content_type() const override { return content_; }
  bool Deleting(const Object& content) const override { return Cast(content).deleting; }
  std::optional<Failure> Refusal(const Object& content) const override;
  std::vector<std::string> Bundles(const Object& content) const override {
    return {*Cast(content).ca_bundle};
  }
  api::ManagerEntries Entries(const Object& content) const override {
    return Cast(content).manager_entries;
  }
  std::string ApplyConfiguration(const Object& content, const std::vector<std::string>& bundles,
                                 ApplyTo to) const override;

 private:
  static const CustomResourceDefinition::Fields& Cast(const Object& content) {
    return static_cast<const CustomResourceDefinition&>(content).fields();
  }
  const ResourceType metadata_ =
      clientgo::api::MakeMetadataType({.gvr = clientgo::api::CustomResourceDefinitionsResource(),
                                       .kind = "CustomResourceDefinition",
                                       .annotations = InjectAnnotations()});
  const ResourceType content_ = api::MakeCustomResourceDefinitionType(TypeOptions());
};

std::optional<Failure> Conversions::Refusal(const Object& content) const {
  if (Cast(content).webhook_conversion) return std::nullopt;
  return Failure{.reason = Reason::kNothingToInjectInto,
                 .message =
                     "spec.conversion.strategy is not Webhook: there is no conversion "
                     "webhook whose certificate would be verified"};
}

std::string Conversions::ApplyConfiguration(const Object& content,
                                            const std::vector<std::string>& bundles,
                                            ApplyTo to) const {
  return MakeApplyConfiguration(content_, content, to, [&](JsonWriter& writer) {
    for (const char* key : {"spec", "conversion", "webhook", "clientConfig"}) {
      WriteKey(writer, key);
      writer.StartObject();
    }
    WriteCaBundle(writer, bundles.front());
    for (int depth = 0; depth < 4; ++depth) writer.EndObject();
  });
}

}  // namespace

const Target& ValidatingWebhookTarget() {
  static const WebhookTarget target(api::MakeValidatingWebhookConfigurationType(TypeOptions()));
  return target;
}

const Target& MutatingWebhookTarget() {
  static const WebhookTarget target(api::MakeMutatingWebhookConfigurationType(TypeOptions()));
  return target;
}

const Target& ApiServiceTarget() {
  static const ApiServices target;
  return target;
}

const Target& CustomResourceDefinitionTarget() {
  static const Conversions target;
  return target;
}

}  // namespace controllers::cainjector
