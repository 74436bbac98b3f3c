// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/targets/custom_resource_definition_target.h"

#include "clientgo/api/custom_resource_definition.h"
#include "clientgo/api/gvr.h"
#include "clientgo/api/object_metadata.h"
#include "controllers/cainjector/rules/annotations.h"

namespace controllers::cainjector {
namespace {

using clientgo::api::CustomResourceDefinition;
using clientgo::runtime::JsonWriter;
using clientgo::runtime::Object;
using clientgo::runtime::ResourceType;
using clientgo::runtime::WriteKey;

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
  clientgo::api::ManagerEntries Entries(const Object& content) const override {
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
  const ResourceType content_ = clientgo::api::MakeCustomResourceDefinitionType(
      {.bundles = SharedBundles(), .field_manager = std::string(kFieldManager)});
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

const Target& CustomResourceDefinitionTarget() {
  static const Conversions target;
  return target;
}

}  // namespace controllers::cainjector
