// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/registry/strategy.h"

#include <algorithm>
#include <array>

namespace capstan::testing::apiserver {
namespace {

// Keeps only what identifies the object.
void DropMetadata(runtime::JsonValue& metadata) {
  constexpr std::array<std::string_view, 4> kIdentity = {"name", "namespace", "uid",
                                                         "resourceVersion"};
  for (auto member = metadata.MemberBegin(); metadata.MemberEnd() - member > 0;) {
    const bool kept = std::find(kIdentity.begin(), kIdentity.end(),
                                runtime::ToView(member->name)) != kIdentity.end();
    member = kept ? member + 1 : metadata.EraseMember(member);
  }
}

}  // namespace

void DropResetFields(const Resource& resource, std::string_view subresource,
                     runtime::JsonDocument& configuration) {
  if (subresource.empty() && resource.status) Remove(configuration, "status");
  if (subresource != "status") return;
  Remove(configuration, "spec");
  runtime::JsonValue* const metadata = FindMutable(configuration, "metadata");
  if (metadata == nullptr || !metadata->IsObject()) return;
  if (resource.status_ignores == "*") return DropMetadata(*metadata);
  if (!resource.status_ignores.empty()) Remove(*metadata, resource.status_ignores);
}

bool OrphansByDefault(const Resource& resource, const runtime::JsonValue& object) {
  if (!resource.orphans) return false;
  const runtime::JsonValue& finalizers = ListAt(ObjectAt(object, "metadata"), "finalizers");
  return std::none_of(finalizers.Begin(), finalizers.End(),
                      [](const runtime::JsonValue& finalizer) {
                        return runtime::ToView(finalizer) == "foregroundDeletion" ||
                               runtime::ToView(finalizer) == "orphan";
                      });
}

}  // namespace capstan::testing::apiserver
