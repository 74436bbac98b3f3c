// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/targets/webhook_target.h"

#include <utility>

#include "clientgo/api/webhook_configuration.h"
#include "clientgo/runtime/json.h"
#include "controllers/cainjector/rules/annotations.h"

namespace controllers::cainjector {
namespace {

using clientgo::api::WebhookConfiguration;
using clientgo::runtime::JsonWriter;
using clientgo::runtime::Object;
using clientgo::runtime::ResourceType;
using clientgo::runtime::WriteKey;
using clientgo::runtime::WriteString;

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
  clientgo::api::ManagerEntries Entries(const Object& object) const override {
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

clientgo::api::WebhookTypeOptions TypeOptions() {
  return {.annotations = InjectAnnotations(),
          .bundles = SharedBundles(),
          .field_manager = std::string(kFieldManager)};
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
