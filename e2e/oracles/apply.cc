// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "clientgo/testing/apiserver/decoding/decoding.h"
#include "clientgo/testing/apiserver/patch/managed_fields.h"
#include "clientgo/testing/apiserver/patch/merge_type.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/resources.h"
#include "e2e/oracles/modes.h"

namespace e2e::oracles {
namespace {

using capstan::runtime::JsonDocument;
using capstan::testing::apiserver::Resource;

const Resource* FindKind(std::string_view kind) {
  if (kind == "ConfigMap") return capstan::testing::apiserver::FindResource("", "v1", "configmaps");
  if (kind == "Service") return capstan::testing::apiserver::FindResource("", "v1", "services");
  if (kind != "Deployment") return nullptr;
  return capstan::testing::apiserver::FindResource("apps", "v1", "deployments");
}

std::unique_ptr<JsonDocument> NewObject() {
  auto object = std::make_unique<JsonDocument>();
  object->SetObject();
  return object;
}

std::string Answer(JsonDocument& object) {
  auto& allocator = object.GetAllocator();
  auto answer = NewObject();
  auto& owners = capstan::testing::apiserver::Ensure(*answer, "owners", allocator);
  for (const auto& entry : capstan::testing::apiserver::ReadManagedFields(object)) {
    capstan::testing::apiserver::Set(owners, entry.manager, entry.fields.ToJson(allocator),
                                     allocator);
  }
  auto& metadata = capstan::testing::apiserver::Ensure(object, "metadata", allocator);
  capstan::testing::apiserver::Remove(metadata, "managedFields");
  if (metadata.ObjectEmpty()) capstan::testing::apiserver::Remove(object, "metadata");
  capstan::testing::apiserver::Set(*answer, "object",
                                   capstan::runtime::JsonValue(object, allocator), allocator);
  return TypedJson(*answer);
}

}  // namespace

// The input is a kind and three configurations. The first two have the manager "a", the third has
// "b" and forces conflicts.
std::string ApplyConfigurations(std::string_view input) {
  const auto parts = Parts(input, 4);
  const Resource* const resource = FindKind(parts[0]);
  if (resource == nullptr) return "no object";
  auto live = NewObject();
  capstan::testing::apiserver::SetString(*live, "apiVersion", resource->ApiVersion(),
                                         live->GetAllocator());
  capstan::testing::apiserver::SetString(*live, "kind", resource->kind, live->GetAllocator());
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].empty()) continue;
    std::string error;
    const auto configuration = capstan::testing::apiserver::ParseJson(parts[i], &error);
    if (!configuration || !configuration->IsObject()) return std::string(kRefused);
    auto& allocator = configuration->GetAllocator();
    capstan::testing::apiserver::SetString(*configuration, "apiVersion", resource->ApiVersion(),
                                           allocator);
    capstan::testing::apiserver::SetString(*configuration, "kind", resource->kind, allocator);
    if (capstan::testing::apiserver::CheckApplied(*resource, *configuration)) {
      return std::string(kRefused);
    }
    const bool last = i + 1 == parts.size();
    const capstan::testing::apiserver::ManagedFieldsEntry entry{
        .manager = last ? "b" : "a",
        .api_version = resource->ApiVersion(),
        .type = capstan::testing::apiserver::MergeType(*resource)};
    // The peer's zero object has no members.
    capstan::testing::apiserver::TrackBeforeFirstApply(*NewObject(), *live, entry, *live);
    auto next = capstan::testing::apiserver::Apply(*live, *configuration, entry, last);
    if (!next) return std::string(kRefused);
    live = *std::move(next);
  }
  return Answer(*live);
}

}  // namespace e2e::oracles
