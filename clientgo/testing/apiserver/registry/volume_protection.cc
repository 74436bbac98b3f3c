// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/registry/volume_protection.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "capstan/log.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kClaimFinalizer = "kubernetes.io/pvc-protection";
constexpr std::string_view kVolumeFinalizer = "kubernetes.io/pv-protection";

bool MentionsDeletion(const Object& object) {
  return object.metadata().find(R"("deletionTimestamp")") != std::string_view::npos;
}

bool UsesClaim(const runtime::JsonValue& pod, std::string_view claim) {
  const runtime::JsonValue& volumes = ListAt(ObjectAt(pod, "spec"), "volumes");
  return std::any_of(volumes.Begin(), volumes.End(), [&](const runtime::JsonValue& volume) {
    return runtime::GetString(ObjectAt(volume, "persistentVolumeClaim"), "claimName") == claim;
  });
}

}  // namespace

VolumeProtection::VolumeProtection(const Server& server)
    : Controller(server),
      claims_(*FindResource("", "v1", "persistentvolumeclaims")),
      volumes_(*FindResource("", "v1", "persistentvolumes")),
      pods_(*FindResource("", "v1", "pods")) {}

void VolumeProtection::Observe(const Resource& resource, const Event& event) {
  const bool removed = event.type == EventType::kDeleted;
  if (&resource == &claims_ || &resource == &volumes_) {
    if (!removed && MentionsDeletion(*event.object)) {
      Add({.resource = &resource, .key = event.key});
    }
    return;
  }
  if (&resource != &pods_ || !removed) return;
  if (event.object->text.find(R"("persistentVolumeClaim")") == std::string::npos) return;
  const std::string_view ns = std::string_view(event.key).substr(0, event.key.find('/'));
  storage_.Visit(claims_, ns, storage_.resource_version(), "", [&](const Storage::Entry& entry) {
    if (MentionsDeletion(*entry.object)) {
      Add({.resource = &claims_, .key = std::string(entry.key)});
    }
    return true;
  });
}

bool VolumeProtection::IsUsed(const Item& item, const runtime::JsonValue& object) const {
  if (item.resource == &volumes_) {
    return runtime::GetString(ObjectAt(object, "status"), "phase") == "Bound";
  }
  const std::string_view claim = Metadata(object, "name");
  bool used = false;
  storage_.Visit(pods_, Metadata(object, "namespace"), storage_.resource_version(), "",
                 [&](const Storage::Entry& entry) {
                   used = UsesClaim(*ParseObject(*entry.object), claim);
                   return !used;
                 });
  return used;
}

void VolumeProtection::Process(const Item& item) {
  const ObjectPtr stored = storage_.Get(*item.resource, item.key);
  if (stored == nullptr) return;
  const auto object = ParseObject(*stored);
  const std::string_view finalizer = item.resource == &claims_ ? kClaimFinalizer : kVolumeFinalizer;
  const runtime::JsonValue& before = ListAt(ObjectAt(*object, "metadata"), "finalizers");
  const auto count = before.Size();
  if (Metadata(*object, "deletionTimestamp").empty() || IsUsed(item, *object)) return;
  RemoveFinalizer(*object, finalizer);
  const runtime::JsonValue& left = ListAt(ObjectAt(*object, "metadata"), "finalizers");
  if (left.Size() == count) return;
  const WriteRequest request{.resource = item.resource,
                             .namespace_ = std::string(Metadata(*object, "namespace")),
                             .name = std::string(Metadata(*object, "name")),
                             .field_manager = "kube-controller-manager",
                             .in_process = true};
  const auto patched = registry_.Patch(request, PatchKind::kMerge,
                                       Json({{"metadata", {{"finalizers", left}}}}).text());
  if (patched) return;
  WarningS("Failed to remove a finalizer", "resource", item.resource->Qualified(), "key", item.key,
           "err", patched.error().message);
}

}  // namespace capstan::testing::apiserver
