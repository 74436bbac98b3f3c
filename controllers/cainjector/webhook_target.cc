// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/webhook_target.h"

#include <memory>
#include <utility>

#include "clientgo/api/webhook_configuration.h"
#include "clientgo/runtime/json.h"
#include "clientgo/util/base64.h"
#include "clientgo/util/interner.h"
#include "controllers/cainjector/annotations.h"

namespace controllers::cainjector {
namespace {

using clientgo::api::WebhookConfiguration;
using clientgo::runtime::JsonBuffer;
using clientgo::runtime::JsonWriter;
using clientgo::runtime::Object;
using clientgo::runtime::ResourceType;
using clientgo::runtime::WriteKey;
using clientgo::runtime::WriteString;

void WriteField(JsonWriter& writer, std::string_view name, std::string_view value) {
  WriteKey(writer, name);
  WriteString(writer, value);
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
  std::string ApplyConfiguration(const Object& object,
                                 const std::vector<std::string>& bundles) const override;

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
                                              const std::vector<std::string>& bundles) const {
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  writer.StartObject();
  WriteField(writer, "apiVersion", type_.gvr.ApiVersion());
  WriteField(writer, "kind", type_.kind);
  WriteKey(writer, "metadata");
  writer.StartObject();
  WriteField(writer, "name", object.name());
  WriteField(writer, "uid", object.uid());
  writer.EndObject();
  WriteKey(writer, "webhooks");
  writer.StartArray();
  const auto& webhooks = Cast(object).webhooks();
  for (std::size_t i = 0; i < webhooks.size(); ++i) {
    writer.StartObject();
    WriteField(writer, "name", webhooks[i].name);
    WriteKey(writer, "clientConfig");
    writer.StartObject();
    WriteField(writer, "caBundle", clientgo::util::Base64Encode(bundles[i]));
    writer.EndObject();
    writer.EndObject();
  }
  writer.EndArray();
  writer.EndObject();
  return buffer.GetString();
}

// Shared by both kinds: a cluster's webhooks mostly trust the same few CAs.
clientgo::api::WebhookTypeOptions TypeOptions() {
  static const auto bundles = std::make_shared<clientgo::util::Interner>();
  return {.annotations = {std::string(kInjectCaFromSecret)}, .bundles = bundles};
}

}  // namespace

const Target& ValidatingWebhookTarget() {
  static const WebhookTarget target(
      clientgo::api::MakeValidatingWebhookConfigurationType(TypeOptions()));
  return target;
}

const Target& MutatingWebhookTarget() {
  static const WebhookTarget target(
      clientgo::api::MakeMutatingWebhookConfigurationType(TypeOptions()));
  return target;
}

}  // namespace controllers::cainjector
