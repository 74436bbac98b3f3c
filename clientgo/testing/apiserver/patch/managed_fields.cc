// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/patch/managed_fields.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace capstan::testing::apiserver {
namespace {

// The fields that no manager owns. What is below them may have owners.
constexpr std::string_view kUnowned[] = {"kind", "apiVersion", "metadata"};
constexpr std::string_view kUnownedMetadata[] = {
    "name",          "namespace",       "creationTimestamp", "uid",        "generation",
    "managedFields", "resourceVersion", "selfLink",          "clusterName"};

// Removes the fields that no manager owns.
void Strip(FieldSet& set) {
  for (const std::string_view name : kUnowned) {
    const auto at = set.children.find(FieldElement(name));
    if (at != set.children.end()) at->second.member = false;
  }
  const auto metadata = set.children.find(FieldElement("metadata"));
  if (metadata != set.children.end()) {
    for (const std::string_view name : kUnownedMetadata) {
      const auto at = metadata->second.children.find(FieldElement(name));
      if (at != metadata->second.children.end()) at->second.member = false;
    }
  }
  set.Prune();
}

constexpr char kApply[] = "Apply";
constexpr char kUpdate[] = "Update";

auto FindOwner(std::vector<ManagedFieldsEntry>& entries, const ManagedFieldsEntry& wanted) {
  return std::find_if(entries.begin(), entries.end(),
                      [&](const auto& entry) { return entry.SameOwner(wanted); });
}

bool IsStored(const runtime::JsonValue& object) {
  return runtime::FindPath(object, {"metadata", "resourceVersion"}) != nullptr;
}

std::string Describe(const ManagedFieldsEntry& entry) {
  std::string text = "\"" + entry.manager + "\"";
  if (!entry.subresource.empty()) text += " with subresource \"" + entry.subresource + "\"";
  if (entry.operation == kUpdate) text += " using " + entry.api_version;
  return text;
}

// `conflicts` has managers and the paths of the fields that they own.
Status ConflictStatus(const std::multimap<std::string, FieldSet>& conflicts) {
  Status status{.code = 409, .reason = "Conflict", .has_details = true};
  std::string several;
  for (const auto& [manager, fields] : conflicts) {
    several += (several.empty() ? "conflicts with " : "\nconflicts with ") + manager + ":";
    for (const std::string& path : fields.Paths()) {
      several += "\n- " + path;
      status.causes.push_back(
          {.reason = "FieldManagerConflict", .message = "conflict with " + manager, .field = path});
    }
  }
  if (status.causes.size() == 1) {
    const Cause& only = status.causes.front();
    status.message = "Apply failed with 1 conflict: " + only.message + ": " + only.field;
  } else {
    status.message =
        "Apply failed with " + std::to_string(status.causes.size()) + " conflicts: " + several;
  }
  return status;
}

// Returns the merged object without the fields of `last` that the manager does not apply any more
// and that nobody else owns. `owned` are all fields with owners. Mirrors prune of
// structured-merge-diff.
runtime::JsonValue WithoutUnapplied(const runtime::JsonValue& merged, const MergeType& type,
                                    const FieldSet& last, const FieldSet& owned,
                                    JsonAllocator& allocator) {
  const auto declared = [&](const runtime::JsonValue& value) {
    return FieldsOfTyped(value, type).WithDeclared(type);
  };
  const FieldSet all = declared(merged);
  const FieldSet unapplied = last.WithDeclared(type);
  // Everything of the last configuration goes, ...
  FieldSet gone = all;
  gone.Subtract(declared(RemoveTyped(merged, type, unapplied, allocator)));
  // ... what has owners comes back, ...
  gone.Subtract(owned.WithDeclared(type));
  FieldSet left_out = all;
  left_out.Subtract(declared(RemoveTyped(merged, type, gone, allocator)));
  // ... and so does what was not in the last configuration.
  return RemoveTyped(merged, type, left_out.Intersect(unapplied), allocator);
}

}  // namespace

Comparison Compare(const runtime::JsonValue& before, const runtime::JsonValue& after,
                   const MergeType& type) {
  Comparison result = CompareTyped(before, after, type);
  Strip(result.changed);
  Strip(result.removed);
  return result;
}

bool ManagedFieldsEntry::SameOwner(const ManagedFieldsEntry& other) const {
  // A manager that applies remains the same owner when it uses another version of the kind.
  const bool same_version = operation == kApply || api_version == other.api_version;
  return same_version && std::tie(manager, operation, subresource) ==
                             std::tie(other.manager, other.operation, other.subresource);
}

std::vector<ManagedFieldsEntry> ReadManagedFields(const runtime::JsonValue& object) {
  std::vector<ManagedFieldsEntry> entries;
  for (const runtime::JsonValue& item :
       ListAt(ObjectAt(object, "metadata"), "managedFields").GetArray()) {
    const runtime::JsonValue* const fields = runtime::Find(item, "fieldsV1");
    // "[{}]" clears the list.
    if (fields == nullptr || runtime::GetString(item, "manager").empty()) continue;
    entries.push_back({.manager = std::string(runtime::GetString(item, "manager")),
                       .operation = std::string(runtime::GetString(item, "operation")),
                       .api_version = std::string(runtime::GetString(item, "apiVersion")),
                       .subresource = std::string(runtime::GetString(item, "subresource")),
                       .time = std::string(runtime::GetString(item, "time")),
                       .fields = FieldSet::FromJson(*fields)});
  }
  return entries;
}

void WriteManagedFields(runtime::JsonDocument& object, std::vector<ManagedFieldsEntry> entries) {
  auto& allocator = object.GetAllocator();
  runtime::JsonValue& metadata = Ensure(object, "metadata", allocator);
  std::erase_if(entries, [](const auto& entry) { return entry.fields.empty(); });
  if (entries.empty()) return Remove(metadata, "managedFields");
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return std::tie(a.operation, a.time, a.manager) < std::tie(b.operation, b.time, b.manager);
  });
  runtime::JsonValue list(rapidjson::kArrayType);
  for (const ManagedFieldsEntry& entry : entries) {
    runtime::JsonValue item(rapidjson::kObjectType);
    SetString(item, "manager", entry.manager, allocator);
    SetString(item, "operation", entry.operation, allocator);
    SetString(item, "apiVersion", entry.api_version, allocator);
    if (!entry.time.empty()) SetString(item, "time", entry.time, allocator);
    SetString(item, "fieldsType", "FieldsV1", allocator);
    Set(item, "fieldsV1", entry.fields.ToJson(allocator), allocator);
    if (!entry.subresource.empty()) SetString(item, "subresource", entry.subresource, allocator);
    list.PushBack(item, allocator);
  }
  Set(metadata, "managedFields", std::move(list), allocator);
}

Comparison TrackUpdate(const runtime::JsonValue& before, runtime::JsonDocument& after,
                       ManagedFieldsEntry request) {
  // A request without managedFields keeps them. "[]" or "[{}]" clears them.
  const bool given = runtime::FindPath(after, {"metadata", "managedFields"}) != nullptr;
  auto entries = ReadManagedFields(given ? static_cast<const runtime::JsonValue&>(after) : before);
  Comparison difference = Compare(before, after, request.type);
  for (ManagedFieldsEntry& entry : entries) {
    entry.fields.Subtract(difference.changed);
    entry.fields.Subtract(difference.removed);
  }
  // An object whose managers were cleared is tracked again after the next apply.
  const bool tracked = !entries.empty() || !IsStored(before);
  if (tracked && !difference.changed.empty()) {
    request.operation = kUpdate;
    auto own = FindOwner(entries, request);
    if (own == entries.end()) own = entries.insert(own, request);
    own->fields.Add(difference.changed);
    own->time = request.time;
  }
  WriteManagedFields(after, std::move(entries));
  return difference;
}

Result<std::unique_ptr<runtime::JsonDocument>> Apply(const runtime::JsonValue& live,
                                                     const runtime::JsonValue& configuration,
                                                     const ManagedFieldsEntry& request,
                                                     bool force) {
  const MergeType& type = request.type;
  auto next = std::make_unique<runtime::JsonDocument>();
  auto& allocator = next->GetAllocator();
  runtime::JsonValue merged = MergeTyped(live, configuration, type, allocator);

  auto entries = ReadManagedFields(live);
  if (entries.empty()) {
    ManagedFieldsEntry before = request;
    before.manager = "before-first-apply";
    before.operation = kUpdate;
    before.fields = Compare(runtime::JsonValue(rapidjson::kObjectType), live, type).changed;
    entries.push_back(std::move(before));
  }
  ManagedFieldsEntry own = request;
  own.operation = kApply;
  own.time.clear();
  const auto last = FindOwner(entries, own);
  FieldSet applied_before;
  if (last != entries.end()) {
    applied_before = std::move(last->fields);
    own.time = last->time;
    entries.erase(last);
  }
  own.fields = FieldsOfTyped(configuration, type);
  if (!applied_before.empty()) {
    FieldSet owned = own.fields;
    for (const ManagedFieldsEntry& entry : entries) owned.Add(entry.fields);
    merged = WithoutUnapplied(merged, type, applied_before, owned, allocator);
  }
  Strip(own.fields);
  // An apply without changes keeps the object as it is, 1 for an applied 1.0, and has no time.
  const bool same = merged == live;
  if (same) merged.CopyFrom(live, allocator);
  static_cast<runtime::JsonValue&>(*next) = std::move(merged);

  const Comparison difference = Compare(live, *next, type);
  if (!difference.error.empty()) {
    return tl::unexpected(InternalError("failed to compare objects: " + difference.error));
  }
  std::multimap<std::string, FieldSet> conflicts;
  for (ManagedFieldsEntry& entry : entries) {
    const FieldSet taken = entry.fields.Intersect(difference.changed);
    if (!taken.empty()) conflicts.emplace(Describe(entry), taken);
    entry.fields.Subtract(taken);
    entry.fields.Subtract(difference.removed);
  }
  if (!force && !conflicts.empty()) return tl::unexpected(ConflictStatus(conflicts));
  if (!same) own.time = request.time;
  entries.push_back(std::move(own));
  WriteManagedFields(*next, std::move(entries));
  return next;
}

}  // namespace capstan::testing::apiserver
