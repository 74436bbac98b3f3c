// SPDX-License-Identifier: Apache-2.0
#include "clientgo/api/custom_resource_definition.h"

#include <utility>

#include "clientgo/api/ca_bundle.h"
#include "clientgo/api/gvr.h"

namespace clientgo::api {

CustomResourceDefinition::CustomResourceDefinition(const runtime::ObjectMeta& meta, Fields fields)
    : Object(meta), fields_(std::move(fields)) {}

runtime::ResourceType MakeCustomResourceDefinitionType(
    CustomResourceDefinitionTypeOptions options) {
  auto paths = ManagerEntriesPaths(options.field_manager);
  paths.push_back({"metadata", "deletionTimestamp"});
  paths.push_back({"spec", "conversion", "strategy"});
  paths.push_back({"spec", "conversion", "webhook", "clientConfig", "caBundle"});
  auto decode = [bundles = std::move(options.bundles), manager = std::move(options.field_manager)](
                    const runtime::ObjectMeta& meta,
                    const runtime::JsonValue& value) -> util::Expected<runtime::ObjectPtr> {
    auto bundle =
        DecodeCaBundle(runtime::FindPath(value, {"spec", "conversion", "webhook", "clientConfig"}),
                       "the conversion webhook", *bundles);
    if (!bundle) return util::Err(std::move(bundle.error()));
    const runtime::JsonValue* conversion = runtime::FindPath(value, {"spec", "conversion"});
    return std::make_shared<const CustomResourceDefinition>(
        meta, CustomResourceDefinition::Fields{
                  .ca_bundle = *std::move(bundle),
                  .webhook_conversion = conversion != nullptr &&
                                        runtime::GetString(*conversion, "strategy") == "Webhook",
                  .deleting = IsDeleting(value),
                  .manager_entries = FindManagerEntries(value, manager)});
  };
  return {.gvr = CustomResourceDefinitionsResource(),
          .kind = "CustomResourceDefinition",
          .projection = runtime::Projection(paths),
          .decode = std::move(decode)};
}

}  // namespace clientgo::api
