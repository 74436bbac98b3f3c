// SPDX-License-Identifier: Apache-2.0
#include "capstan/controller_util.h"

#include <algorithm>

#include "capstan/runtime/group_version.h"

namespace capstan {
namespace {

// Reports whether both name the same object. The version of the API and the uid may differ, as in
// controller-runtime, so that a reference to an older object of the same name is replaced.
bool NamesSameObject(const OwnerReference& a, const OwnerReference& b) {
  return runtime::GroupOf(a.api_version) == runtime::GroupOf(b.api_version) && a.kind == b.kind &&
         a.name == b.name;
}

std::string Describe(const Owner& owner) {
  return owner.kind + " " + (owner.namespace_.empty() ? "" : owner.namespace_ + "/") + owner.name;
}

Expected<void> CheckOwner(const Owner& owner, const ObjectMeta& object) {
  const std::string start = "cannot set the owner " + Describe(owner) + ": ";
  if (owner.uid.empty()) {
    return Err(ErrorReason::kInvalidArgument,
               start + "it has no uid; use an object that was read from the API server");
  }
  if (owner.namespace_.empty() || owner.namespace_ == object.namespace_) return {};
  if (object.namespace_.empty()) {
    return Err(ErrorReason::kInvalidArgument,
               start +
                   "cluster-scoped resource must not have a namespace-scoped owner, owner's "
                   "namespace " +
                   owner.namespace_);
  }
  return Err(ErrorReason::kInvalidArgument,
             start + "cross-namespace owner references are disallowed, owner's namespace " +
                 owner.namespace_ + ", obj's namespace " + object.namespace_);
}

OwnerReference ReferenceTo(const Owner& owner, bool controller,
                           OwnerReferenceOptions::Block block) {
  const bool blocks = block == OwnerReferenceOptions::Block::kDefault
                          ? controller
                          : block == OwnerReferenceOptions::Block::kYes;
  return {.api_version = owner.api_version,
          .kind = owner.kind,
          .name = owner.name,
          .uid = owner.uid,
          .controller = controller,
          .block_owner_deletion = blocks};
}

void Upsert(OwnerReference reference, ObjectMeta& object) {
  auto& references = object.owner_references;
  const auto found =
      std::find_if(references.begin(), references.end(),
                   [&](const OwnerReference& other) { return NamesSameObject(other, reference); });
  if (found == references.end()) {
    references.push_back(std::move(reference));
  } else {
    *found = std::move(reference);
  }
}

}  // namespace

Expected<void> SetControllerReference(const Owner& owner, ObjectMeta& controlled,
                                      const OwnerReferenceOptions& options) {
  if (auto checked = CheckOwner(owner, controlled); !checked) return checked;
  OwnerReference reference = ReferenceTo(owner, true, options.block_owner_deletion);
  const OwnerReference* const existing = GetControllerOf(controlled);
  if (existing != nullptr && !NamesSameObject(*existing, reference)) {
    return Err(ErrorReason::kAlreadyExists, "Object " + controlled.namespace_ + "/" +
                                                controlled.name + " is already owned by another " +
                                                existing->kind + " controller " + existing->name);
  }
  Upsert(std::move(reference), controlled);
  return {};
}

Expected<void> SetOwnerReference(const Owner& owner, ObjectMeta& object,
                                 const OwnerReferenceOptions& options) {
  if (auto checked = CheckOwner(owner, object); !checked) return checked;
  Upsert(ReferenceTo(owner, false, options.block_owner_deletion), object);
  return {};
}

bool RemoveOwnerReference(const Owner& owner, ObjectMeta& object) {
  const OwnerReference reference = ReferenceTo(owner, false, {});
  return std::erase_if(object.owner_references, [&](const OwnerReference& other) {
           return NamesSameObject(other, reference);
         }) != 0;
}

const OwnerReference* GetControllerOf(const ObjectMeta& object) {
  const auto& references = object.owner_references;
  const auto found = std::find_if(references.begin(), references.end(),
                                  [](const OwnerReference& other) { return other.controller; });
  return found == references.end() ? nullptr : &*found;
}

bool HasControllerReference(const ObjectMeta& object) { return GetControllerOf(object) != nullptr; }

bool IsControlledBy(const ObjectMeta& object, std::string_view owner_uid) {
  const OwnerReference* const controller = GetControllerOf(object);
  return controller != nullptr && controller->uid == owner_uid;
}

bool AddFinalizer(ObjectMeta& object, std::string_view finalizer) {
  if (ContainsFinalizer(object, finalizer)) return false;
  object.finalizers.emplace_back(finalizer);
  return true;
}

bool RemoveFinalizer(ObjectMeta& object, std::string_view finalizer) {
  return std::erase(object.finalizers, finalizer) != 0;
}

bool ContainsFinalizer(const ObjectMeta& object, std::string_view finalizer) {
  const auto& finalizers = object.finalizers;
  return std::find(finalizers.begin(), finalizers.end(), finalizer) != finalizers.end();
}

std::string detail::ApiVersionOf(const KindInfo& info) {
  return info.group.empty() ? std::string(info.version)
                            : std::string(info.group) + "/" + std::string(info.version);
}

}  // namespace capstan
