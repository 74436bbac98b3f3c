// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/registry/scale_managers.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/patch/field_set.h"
#include "clientgo/testing/apiserver/types/kind_versions.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kScaleVersion = "autoscaling/v1";
constexpr std::string_view kReplicas = ".spec.replicas";  // of a Scale, and of built-in kinds

// Returns the set of the one field with the replicas: of ".spec.replicas".
FieldSet SetOf(std::string_view path) {
  FieldSet set;
  FieldSet* node = &set;
  if (path.starts_with('.')) path.remove_prefix(1);
  for (const std::string_view step : Split(path, '.')) node = &node->children[FieldElement(step)];
  node->member = true;
  return set;
}

// Returns the replicas of an object at a version of its kind; empty: it has none. nullopt: the kind
// does not have the version.
std::optional<FieldSet> ReplicasAt(const Resource& resource, std::string_view api_version) {
  if (!resource.custom) {
    return api_version == resource.ApiVersion() ? std::optional(SetOf(kReplicas)) : std::nullopt;
  }
  const Resource* const version = VersionOf(resource, api_version);
  if (version == nullptr) return std::nullopt;
  const std::string_view path = version->scale_paths.replicas;
  return path.empty() ? FieldSet() : SetOf(path);
}

bool Owns(const ManagedFieldsEntry& entry, const std::optional<FieldSet>& fields) {
  return fields && !entry.fields.Intersect(*fields).empty();
}

}  // namespace

std::vector<ManagedFieldsEntry> ManagersOfScale(const Resource& resource,
                                                const runtime::JsonValue& object) {
  std::vector<ManagedFieldsEntry> of_scale;
  for (ManagedFieldsEntry& entry : ReadManagedFields(object)) {
    if (!Owns(entry, ReplicasAt(resource, entry.api_version))) continue;
    entry.api_version = kScaleVersion;
    entry.fields = SetOf(kReplicas);
    of_scale.push_back(std::move(entry));
  }
  return of_scale;
}

std::vector<ManagedFieldsEntry> ManagersAfterScale(const Resource& resource,
                                                   const runtime::JsonValue& object,
                                                   const runtime::JsonValue& scale) {
  auto of_scale = ReadManagedFields(scale);
  std::erase_if(of_scale,
                [](const ManagedFieldsEntry& entry) { return !Owns(entry, SetOf(kReplicas)); });
  std::vector<ManagedFieldsEntry> entries;
  for (ManagedFieldsEntry& entry : ReadManagedFields(object)) {
    const auto replicas = ReplicasAt(resource, entry.api_version);
    if (!replicas) continue;
    if (Owns(entry, replicas)) {
      const auto same = std::find_if(of_scale.begin(), of_scale.end(),
                                     [&](const auto& other) { return other.SameOwner(entry); });
      if (same == of_scale.end()) {
        entry.fields.Subtract(*replicas);
      } else {
        of_scale.erase(same);
      }
    }
    entries.push_back(std::move(entry));
  }
  for (ManagedFieldsEntry& entry : of_scale) {
    entry.api_version = resource.ApiVersion();
    entry.time.clear();
    entry.fields = *ReplicasAt(resource, entry.api_version);
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace capstan::testing::apiserver
