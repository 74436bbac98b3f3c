// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/registry/garbage_collector.h"

#include <algorithm>
#include <utility>

#include "capstan/log.h"
#include "clientgo/testing/apiserver/types/kind_versions.h"

namespace capstan::testing::apiserver {
namespace {

runtime::JsonDocument ParseMetadata(const Object& object) {
  runtime::JsonDocument metadata;
  metadata.Parse(object.metadata().data(), object.metadata().size());
  return metadata;
}

// A text that contains the key may contain the field; others do not, and are not parsed.
bool MayHave(const ObjectPtr& object, std::string_view quoted_key) {
  return object != nullptr && object->metadata().find(quoted_key) != std::string_view::npos;
}

bool HasFinalizer(const runtime::JsonValue& metadata, std::string_view finalizer) {
  const runtime::JsonValue& list = ListAt(metadata, "finalizers");
  return std::any_of(list.Begin(), list.End(), [&](const runtime::JsonValue& one) {
    return one.IsString() && runtime::ToView(one) == finalizer;
  });
}

bool IsDeleting(const runtime::JsonValue& metadata) {
  return !runtime::GetString(metadata, "deletionTimestamp").empty();
}

bool DeletesDependents(const runtime::JsonValue& metadata) {
  return IsDeleting(metadata) && HasFinalizer(metadata, kForegroundFinalizer);
}

const runtime::JsonValue& ReferencesOf(const runtime::JsonValue& metadata) {
  return ListAt(metadata, "ownerReferences");
}

bool Blocks(const runtime::JsonValue& metadata, std::string_view owner) {
  const runtime::JsonValue& references = ReferencesOf(metadata);
  return std::any_of(
      references.Begin(), references.End(), [&](const runtime::JsonValue& reference) {
        const runtime::JsonValue* const block = runtime::Find(reference, "blockOwnerDeletion");
        return runtime::GetString(reference, "uid") == owner && block != nullptr && block->IsTrue();
      });
}

// Returns the namespace in a key of the storage; empty: the object is cluster-scoped.
std::string NamespaceOf(std::string_view key) {
  const std::size_t slash = key.find('/');
  return std::string(key.substr(0, slash == std::string_view::npos ? 0 : slash));
}

}  // namespace

void GarbageCollector::Observe(const Resource& resource, const Event& event) {
  constexpr std::string_view kReferences = R"("ownerReferences")";
  const Item item{.resource = &resource, .key = event.key};
  const bool removed = event.type == EventType::kDeleted;
  if (MayHave(event.previous, kReferences)) {
    const runtime::JsonDocument before = ParseMetadata(*event.previous);
    const runtime::JsonDocument after =
        removed ? runtime::JsonDocument() : ParseMetadata(*event.object);
    const bool changed = removed || ReferencesOf(before) != ReferencesOf(after);
    for (const runtime::JsonValue& reference : ReferencesOf(before).GetArray()) {
      if (!changed) break;
      const auto owner = dependents_.find(runtime::GetString(reference, "uid"));
      if (owner == dependents_.end()) continue;
      owner->second.erase(item);
      if (owner->second.empty()) {
        gone_.erase(owner->first);
        dependents_.erase(owner);
      }
      // It may wait for this one.
      Item located = Locate(reference, event.key);
      if (located.resource != nullptr) Add(std::move(located));
    }
  }
  if (removed) {
    if (dependents_.empty()) return;
    const std::string uid(runtime::GetString(ParseMetadata(*event.object), "uid"));
    const std::set<Item> dependents = DependentsOf(uid);
    if (!dependents.empty()) gone_.insert_or_assign(uid, NamespaceOf(event.key));
    for (const Item& dependent : dependents) Add(dependent);
    return;
  }
  const bool owned = MayHave(event.object, kReferences);
  if (owned) {
    const runtime::JsonDocument metadata = ParseMetadata(*event.object);
    for (const runtime::JsonValue& reference : ReferencesOf(metadata).GetArray()) {
      dependents_[std::string(runtime::GetString(reference, "uid"))].insert(item);
    }
  }
  if (owned || MayHave(event.object, R"("deletionTimestamp")")) Add(item);
}

std::set<GarbageCollector::Item> GarbageCollector::DependentsOf(std::string_view uid) const {
  const auto found = dependents_.find(uid);
  return found == dependents_.end() ? std::set<Item>() : found->second;
}

GarbageCollector::Item GarbageCollector::Locate(const runtime::JsonValue& reference,
                                                std::string_view key) const {
  const Resource* const found = resources_.FindKind(runtime::GetString(reference, "apiVersion"),
                                                    runtime::GetString(reference, "kind"));
  const Resource* const resource = found == nullptr ? nullptr : &StoredAs(*found);
  const std::string_view name = runtime::GetString(reference, "name");
  if (resource == nullptr || !resource->namespaced) {
    return {.resource = resource, .key = std::string(name)};
  }
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) return {};
  return {.resource = resource, .key = Key(key.substr(0, slash), name)};
}

void GarbageCollector::Process(const Item& item) {
  const ObjectPtr object = storage_.Get(*item.resource, item.key);
  if (object == nullptr) return;
  const runtime::JsonDocument metadata = ParseMetadata(*object);
  if (!IsDeleting(metadata)) return Collect(item, metadata);
  if (HasFinalizer(metadata, kOrphanFinalizer)) return OrphanDependents(item, metadata);
  if (HasFinalizer(metadata, kForegroundFinalizer)) DeleteDependents(item, metadata);
}

void GarbageCollector::OrphanDependents(const Item& item, const runtime::JsonValue& metadata) {
  const std::string uid(runtime::GetString(metadata, "uid"));
  for (const Item& dependent : DependentsOf(uid)) {
    const ObjectPtr object = storage_.Get(*dependent.resource, dependent.key);
    if (object != nullptr) ChangeReferences(dependent, ParseMetadata(*object), {uid}, false);
  }
  RemoveFinalizerOf(item, kOrphanFinalizer);
}

void GarbageCollector::DeleteDependents(const Item& item, const runtime::JsonValue& metadata) {
  const std::string uid(runtime::GetString(metadata, "uid"));
  bool blocked = false;
  for (const Item& dependent : DependentsOf(uid)) {
    const ObjectPtr object = storage_.Get(*dependent.resource, dependent.key);
    if (object == nullptr) continue;
    const runtime::JsonDocument of_dependent = ParseMetadata(*object);
    blocked = blocked || Blocks(of_dependent, uid);
    if (!IsDeleting(of_dependent)) Add(dependent);
  }
  if (!blocked) RemoveFinalizerOf(item, kForegroundFinalizer);
}

bool GarbageCollector::Classify(const Item& item, const runtime::JsonValue& metadata,
                                Owners& owners) const {
  for (const runtime::JsonValue& reference : ReferencesOf(metadata).GetArray()) {
    const std::string uid(runtime::GetString(reference, "uid"));
    const auto gone = gone_.find(uid);
    // A cluster-scoped object cannot have a namespaced owner.
    if (gone != gone_.end() && (gone->second.empty() || gone->second == NamespaceOf(item.key))) {
      owners.dangling.push_back(uid);
      continue;
    }
    const Item located = Locate(reference, item.key);
    if (located.resource == nullptr) return false;
    const ObjectPtr object = storage_.Get(*located.resource, located.key);
    const runtime::JsonDocument owner =
        object == nullptr ? runtime::JsonDocument() : ParseMetadata(*object);
    if (object == nullptr || runtime::GetString(owner, "uid") != uid) {
      owners.dangling.push_back(uid);
    } else {
      (DeletesDependents(owner) ? owners.waiting : owners.solid).push_back(uid);
    }
  }
  return true;
}

void GarbageCollector::Collect(const Item& item, const runtime::JsonValue& metadata) {
  Owners owners;
  if (ReferencesOf(metadata).Empty() || !Classify(item, metadata, owners)) return;
  if (!owners.solid.empty()) {
    std::vector<std::string> gone = std::move(owners.dangling);
    gone.insert(gone.end(), owners.waiting.begin(), owners.waiting.end());
    if (!gone.empty()) ChangeReferences(item, metadata, gone, false);
    return;
  }
  const std::set<Item> dependents = DependentsOf(runtime::GetString(metadata, "uid"));
  if (!owners.waiting.empty() && !dependents.empty()) {
    const bool cycle = std::any_of(dependents.begin(), dependents.end(), [&](const Item& one) {
      const ObjectPtr object = storage_.Get(*one.resource, one.key);
      return object != nullptr && DeletesDependents(ParseMetadata(*object));
    });
    if (cycle) ChangeReferences(item, metadata, owners.waiting, true);
    return Delete(item, metadata, "Foreground");
  }
  std::string propagation = "Background";
  if (HasFinalizer(metadata, kForegroundFinalizer)) propagation = "Foreground";
  if (HasFinalizer(metadata, kOrphanFinalizer)) propagation = "Orphan";
  Delete(item, metadata, std::move(propagation));
}

void GarbageCollector::Delete(const Item& item, const runtime::JsonValue& metadata,
                              std::string propagation) {
  const WriteRequest request{.resource = item.resource,
                             .namespace_ = std::string(runtime::GetString(metadata, "namespace")),
                             .name = std::string(runtime::GetString(metadata, "name")),
                             .in_process = true};
  const auto deleted =
      registry_.Delete(request, {.uid = std::string(runtime::GetString(metadata, "uid")),
                                 .propagation = std::move(propagation),
                                 .grace_period = 0});  // there is no kubelet that ends Pods
  if (deleted) return;
  WarningS("Failed to collect an object", "resource", item.resource->Qualified(), "key", item.key,
           "err", deleted.error().message);
}

void GarbageCollector::ChangeReferences(const Item& item, const runtime::JsonValue& metadata,
                                        const std::vector<std::string>& uids, bool unblock) {
  std::vector<Json> kept;
  for (const runtime::JsonValue& reference : ReferencesOf(metadata).GetArray()) {
    const bool concerned = HasText(uids, runtime::GetString(reference, "uid"));
    if (concerned && !unblock) continue;
    runtime::JsonDocument copy;
    copy.CopyFrom(reference, copy.GetAllocator());
    if (concerned) SetJson(copy, "blockOwnerDeletion", false, copy.GetAllocator());
    kept.emplace_back(copy);
  }
  Patch(item, {{"metadata", {{"ownerReferences", Json::List(kept)}}}});
}

void GarbageCollector::RemoveFinalizerOf(const Item& item, std::string_view finalizer) {
  const ObjectPtr object = storage_.Get(*item.resource, item.key);
  if (object == nullptr) return;
  const auto document = ParseObject(*object);
  RemoveFinalizer(*document, finalizer);
  const runtime::JsonValue& finalizers = ListAt(ObjectAt(*document, "metadata"), "finalizers");
  Patch(item, {{"metadata", {{"finalizers", finalizers}}}});
}

void GarbageCollector::Patch(const Item& item, const Json& patch) {
  const ObjectPtr object = storage_.Get(*item.resource, item.key);
  if (object == nullptr) return;
  const std::size_t slash = item.key.find('/');
  const bool namespaced = slash != std::string::npos;
  // The object stays in its version.
  const WriteRequest request{.resource = &StoredVersion(*item.resource, *object),
                             .namespace_ = namespaced ? item.key.substr(0, slash) : "",
                             .name = namespaced ? item.key.substr(slash + 1) : item.key,
                             .field_manager = "kube-controller-manager",
                             .in_process = true};
  const auto patched = registry_.Patch(request, PatchKind::kMerge, patch.text());
  if (patched) return;
  WarningS("Failed to change an object", "resource", item.resource->Qualified(), "key", item.key,
           "err", patched.error().message);
}

}  // namespace capstan::testing::apiserver
