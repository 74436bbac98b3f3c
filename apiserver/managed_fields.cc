// SPDX-License-Identifier: Apache-2.0
#include "apiserver/managed_fields.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "apiserver/patch.h"

namespace apiserver {
namespace {

constexpr std::string_view kApply = "Apply";
constexpr std::string_view kUpdate = "Update";

ManagedFieldsEntry NewEntry(const FieldManager& manager, std::string_view operation) {
  return {.manager = manager.name,
          .operation = std::string(operation),
          .api_version = manager.api_version,
          .subresource = manager.subresource,
          .time = manager.time,
          .fields = {}};
}

ManagedFieldsEntry& FindOrAdd(std::vector<ManagedFieldsEntry>& entries,
                              const ManagedFieldsEntry& wanted) {
  const auto at = std::find_if(entries.begin(), entries.end(),
                               [&](const auto& entry) { return entry.SameOwner(wanted); });
  return at != entries.end() ? *at : entries.emplace_back(wanted);
}

bool IsStored(const JsonValue& object) {
  return FindPath(object, {"metadata", "resourceVersion"}) != nullptr;
}

std::string Describe(const ManagedFieldsEntry& entry) {
  std::string text = "\"" + entry.manager + "\"";
  if (!entry.subresource.empty()) text += " with subresource \"" + entry.subresource + "\"";
  if (entry.operation == kUpdate) text += " using " + entry.api_version;
  return text;
}

struct ApplyConflict {
  std::string manager;
  std::vector<std::string> paths;
};

Status ConflictStatus(std::vector<ApplyConflict> conflicts) {
  std::sort(conflicts.begin(), conflicts.end(),
            [](const auto& a, const auto& b) { return a.manager < b.manager; });
  Status status{.code = 409, .reason = "Conflict", .has_details = true};
  std::string several;
  for (const ApplyConflict& conflict : conflicts) {
    several += (several.empty() ? "conflicts with " : "\nconflicts with ") + conflict.manager + ":";
    for (const std::string& path : conflict.paths) {
      several += "\n- " + path;
      status.causes.push_back({.reason = "FieldManagerConflict",
                               .message = "conflict with " + conflict.manager,
                               .field = path});
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

const FieldSet* Child(const FieldSet* set, const std::string& element) {
  if (set == nullptr) return nullptr;
  const auto at = set->children.find(element);
  return at == set->children.end() ? nullptr : &at->second;
}

bool IsEmptyContainer(const JsonValue& value) {
  return (value.IsObject() && value.ObjectEmpty()) || (value.IsArray() && value.Empty());
}

void RemoveFields(JsonValue& value, std::string_view field, const FieldSet& gone,
                  const FieldSet* others);

// True when the list item, below which `gone` was removed, shall go itself.
bool RemoveBelow(JsonValue& item, const FieldSet& gone, const FieldSet* others) {
  RemoveFields(item, {}, gone, others);
  if (others != nullptr) return false;  // somebody else wants it, or something in it
  return gone.member || IsEmptyContainer(item);
}

// Takes out of `value` what is in `gone`, but nothing that `others` own.
void RemoveFields(JsonValue& value, std::string_view field, const FieldSet& gone,
                  const FieldSet* others) {
  if (value.IsObject()) {
    for (auto member = value.MemberBegin(); member < value.MemberEnd();) {
      const std::string element = FieldElement(member->name);
      const FieldSet* const below = Child(&gone, element);
      const FieldSet* const wanted = Child(others, element);
      if (below != nullptr && wanted != nullptr) {
        RemoveFields(member->value, ToView(member->name), *below, wanted);
      }
      // A field goes with its last owner, and takes along what nobody owns in it.
      const bool remove = below != nullptr && wanted == nullptr;
      member = remove ? value.EraseMember(member) : member + 1;
    }
  } else if (IsKeyedList(value, field)) {
    const std::string_view key = IsSetList(field) ? std::string_view() : ListKey(field);
    for (auto* item = value.Begin(); item != value.End();) {
      const std::string element = ItemElement(*item, key);
      const FieldSet* const below = Child(&gone, element);
      const bool remove = below != nullptr && RemoveBelow(*item, *below, Child(others, element));
      item = remove ? value.Erase(item) : item + 1;
    }
  }
}

}  // namespace

bool ManagedFieldsEntry::SameOwner(const ManagedFieldsEntry& other) const {
  return std::tie(manager, operation, api_version, subresource) ==
         std::tie(other.manager, other.operation, other.api_version, other.subresource);
}

std::vector<ManagedFieldsEntry> ReadManagedFields(const JsonValue& object) {
  std::vector<ManagedFieldsEntry> entries;
  const JsonValue* const list = FindPath(object, {"metadata", "managedFields"});
  if (list == nullptr || !list->IsArray()) return entries;
  for (const JsonValue& item : list->GetArray()) {
    const JsonValue* const fields = Find(item, "fieldsV1");
    if (fields == nullptr || GetString(item, "manager").empty()) continue;  // "[{}]" clears it
    entries.push_back({.manager = std::string(GetString(item, "manager")),
                       .operation = std::string(GetString(item, "operation")),
                       .api_version = std::string(GetString(item, "apiVersion")),
                       .subresource = std::string(GetString(item, "subresource")),
                       .time = std::string(GetString(item, "time")),
                       .fields = FieldSet::FromJson(*fields)});
  }
  return entries;
}

void WriteManagedFields(JsonDocument& object, std::vector<ManagedFieldsEntry> entries) {
  auto& allocator = object.GetAllocator();
  JsonValue& metadata = Ensure(object, "metadata", allocator);
  std::erase_if(entries, [](const auto& entry) { return entry.fields.empty(); });
  if (entries.empty()) return Remove(metadata, "managedFields");
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return std::tie(a.operation, a.time, a.manager) < std::tie(b.operation, b.time, b.manager);
  });
  JsonValue list(rapidjson::kArrayType);
  for (const ManagedFieldsEntry& entry : entries) {
    JsonValue item(rapidjson::kObjectType);
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

Comparison TrackUpdate(const JsonValue& before, JsonDocument& after, const FieldManager& manager) {
  // A request without managedFields leaves them as they are; one with "[]" or "[{}]" clears them.
  const bool given = FindPath(after, {"metadata", "managedFields"}) != nullptr;
  auto entries = ReadManagedFields(given ? static_cast<const JsonValue&>(after) : before);
  Comparison difference = Compare(before, after);
  for (ManagedFieldsEntry& entry : entries) {
    entry.fields.Subtract(difference.changed);
    entry.fields.Subtract(difference.removed);
  }
  // An object whose managers were cleared has none until somebody applies to it.
  const bool tracked = !entries.empty() || !IsStored(before);
  if (tracked && !difference.changed.empty()) {
    ManagedFieldsEntry& own = FindOrAdd(entries, NewEntry(manager, kUpdate));
    own.fields.Add(difference.changed);
    own.time = manager.time;
  }
  WriteManagedFields(after, std::move(entries));
  return difference;
}

Result<std::unique_ptr<JsonDocument>> Apply(const JsonValue& live, const JsonValue& configuration,
                                            const FieldManager& manager, bool force) {
  auto next = std::make_unique<JsonDocument>();
  next->CopyFrom(live, next->GetAllocator());
  Remove(Ensure(*next, "metadata", next->GetAllocator()), "managedFields");
  MergeApplied(*next, configuration, next->GetAllocator());

  auto entries = ReadManagedFields(live);
  if (entries.empty() && IsStored(live)) {
    ManagedFieldsEntry before = NewEntry(manager, kUpdate);
    before.manager = "before-first-apply";
    before.fields = Compare(JsonValue(rapidjson::kObjectType), live).changed;
    entries.push_back(std::move(before));
  }
  ManagedFieldsEntry own = NewEntry(manager, kApply);
  own.time.clear();
  const auto last = std::find_if(entries.begin(), entries.end(),
                                 [&](const auto& entry) { return entry.SameOwner(own); });
  FieldSet gone;
  if (last != entries.end()) {
    gone = std::move(last->fields);
    own.time = last->time;
    entries.erase(last);
  }
  own.fields = FieldsOf(configuration);
  gone.Subtract(own.fields);
  FieldSet wanted = own.fields;
  for (const ManagedFieldsEntry& entry : entries) wanted.Add(entry.fields);
  wanted.children["f:metadata"];  // every configuration has a name
  RemoveFields(*next, {}, gone, &wanted);

  const Comparison difference = Compare(live, *next);
  std::vector<ApplyConflict> conflicts;
  for (ManagedFieldsEntry& entry : entries) {
    const FieldSet taken = entry.fields.Intersect(difference.changed);
    if (!taken.empty()) {
      conflicts.push_back({.manager = Describe(entry), .paths = taken.Paths()});
    }
    entry.fields.Subtract(taken);
    entry.fields.Subtract(difference.removed);
  }
  if (!force && !conflicts.empty()) return tl::unexpected(ConflictStatus(std::move(conflicts)));
  if (!difference.empty()) own.time = manager.time;  // none for who owns what was there before
  entries.push_back(std::move(own));
  WriteManagedFields(*next, std::move(entries));
  return next;
}

}  // namespace apiserver
