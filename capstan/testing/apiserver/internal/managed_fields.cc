// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/apiserver/internal/managed_fields.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "capstan/testing/apiserver/internal/patch.h"

namespace capstan::testing::apiserver {
namespace {

// Returns `[name="a",port=1]` for `k:{"name":"a","port":1}`, `.x` for `f:x`, `[="a"]` for `v:"a"`.
std::string Readable(const std::string& element) {
  if (element.starts_with("f:")) return "." + element.substr(2);
  if (element.starts_with("v:")) return "[=" + element.substr(2) + "]";
  JsonDocument keys;
  keys.Parse(element.data() + 2, element.size() - 2);
  if (!element.starts_with("k:") || !keys.IsObject()) return element;
  std::string text;
  for (const auto& [name, value] : clientgo::runtime::JsonMembers(keys)) {
    text += (text.empty() ? "" : ",") + std::string(name) + "=" + clientgo::runtime::ToJson(value);
  }
  return "[" + text + "]";
}

// The members of an object and of its metadata that have no manager, or are handled separately.
using Skipped = std::span<const std::string_view>;
constexpr std::string_view kSkipped[] = {"kind", "apiVersion", "metadata"};
constexpr std::string_view kSkippedMetadata[] = {
    "name",       "namespace",     "creationTimestamp", "uid",
    "generation", "managedFields", "resourceVersion",   "selfLink"};

bool IsIn(Skipped skipped, std::string_view name) {
  return std::find(skipped.begin(), skipped.end(), name) != skipped.end();
}

bool IsContainer(const JsonValue& value, const MergeType& type) {
  if (value.IsObject()) return !type.IsAtomicMap();
  return value.IsArray() && type.IsKeyedList(value);
}

void CollectApplied(const JsonValue& value, const MergeType& type, FieldSet& set);

void CollectAppliedMembers(const JsonValue& object, const MergeType& type, Skipped skipped,
                           FieldSet& set) {
  for (const auto& member : object.GetObject()) {
    const std::string_view name = ToView(member.name);
    if (IsIn(skipped, name)) continue;
    CollectApplied(member.value, type.Member(name), set.children[FieldElement(member.name)]);
  }
}

// Mirrors toFieldSet of structured-merge-diff: leaves and list items are members, containers not.
void CollectApplied(const JsonValue& value, const MergeType& type, FieldSet& set) {
  if (!IsContainer(value, type) || (value.IsObject() && value.ObjectEmpty())) {
    set.member = true;
  } else if (value.IsObject()) {
    CollectAppliedMembers(value, type, {}, set);
  } else {
    for (const JsonValue& item : value.GetArray()) {
      FieldSet& child = set.children[type.ItemElement(item)];
      child.member = true;
      if (item.IsObject()) CollectAppliedMembers(item, type.Items(), {}, child);
    }
  }
}

// Adds `value` and everything in it, because it was added or removed as a whole.
void CollectAll(const JsonValue& value, const MergeType& type, FieldSet& set) {
  set.member = true;
  if (!IsContainer(value, type)) return;
  if (value.IsObject()) {
    for (const auto& member : value.GetObject()) {
      CollectAll(member.value, type.Member(ToView(member.name)),
                 set.children[FieldElement(member.name)]);
    }
    return;
  }
  for (const JsonValue& item : value.GetArray()) {
    CollectAll(item, type.Items(), set.children[type.ItemElement(item)]);
  }
}

void CompareValues(const JsonValue& before, const JsonValue& after, const MergeType& type,
                   FieldSet& changed, FieldSet& removed);

void CompareObjects(const JsonValue& before, const JsonValue& after, const MergeType& type,
                    Skipped skipped, FieldSet& changed, FieldSet& removed) {
  for (const auto& member : after.GetObject()) {
    const std::string_view name = ToView(member.name);
    if (IsIn(skipped, name)) continue;
    const std::string element = FieldElement(member.name);
    if (const JsonValue* const old = Find(before, name)) {
      CompareValues(*old, member.value, type.Member(name), changed.children[element],
                    removed.children[element]);
    } else {
      CollectAll(member.value, type.Member(name), changed.children[element]);
    }
  }
  for (const auto& member : before.GetObject()) {
    const std::string_view name = ToView(member.name);
    if (IsIn(skipped, name) || Find(after, name) != nullptr) continue;
    CollectAll(member.value, type.Member(name), removed.children[FieldElement(member.name)]);
  }
}

void CompareLists(const JsonValue& before, const JsonValue& after, const MergeType& type,
                  FieldSet& changed, FieldSet& removed) {
  std::map<std::string, const JsonValue*> old;
  for (const JsonValue& item : before.GetArray()) old.emplace(type.ItemElement(item), &item);
  for (const JsonValue& item : after.GetArray()) {
    const std::string element = type.ItemElement(item);
    const auto at = old.find(element);
    if (at == old.end()) {
      CollectAll(item, type.Items(), changed.children[element]);
      continue;
    }
    CompareValues(*at->second, item, type.Items(), changed.children[element],
                  removed.children[element]);
    old.erase(at);
  }
  for (const auto& [element, item] : old) {
    CollectAll(*item, type.Items(), removed.children[element]);
  }
}

void CompareValues(const JsonValue& before, const JsonValue& after, const MergeType& type,
                   FieldSet& changed, FieldSet& removed) {
  if (before.IsNull() && IsContainer(after, type) && !IsEmptyContainer(after)) {
    // Go's nil is a container without members.
    CompareValues(JsonValue(after.GetType()), after, type, changed, removed);
  } else if (before.IsObject() && after.IsObject() && !type.IsAtomicMap()) {
    CompareObjects(before, after, type, {}, changed, removed);
  } else if (before.IsArray() && after.IsArray() && type.IsKeyedList(before) &&
             type.IsKeyedList(after)) {
    CompareLists(before, after, type, changed, removed);
  } else if (before != after) {
    changed.member = true;
  }
}

// Removes nodes that lead to no member.
void Prune(FieldSet& set) {
  for (auto child = set.children.begin(); child != set.children.end();) {
    Prune(child->second);
    child = child->second.empty() ? set.children.erase(child) : std::next(child);
  }
}

constexpr char kApply[] = "Apply";
constexpr char kUpdate[] = "Update";

auto FindOwner(std::vector<ManagedFieldsEntry>& entries, const ManagedFieldsEntry& wanted) {
  return std::find_if(entries.begin(), entries.end(),
                      [&](const auto& entry) { return entry.SameOwner(wanted); });
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

const FieldSet* Child(const FieldSet* set, const std::string& element) {
  if (set == nullptr) return nullptr;
  const auto at = set->children.find(element);
  return at == set->children.end() ? nullptr : &at->second;
}

void RemoveFields(JsonValue& value, const MergeType& type, const FieldSet& gone,
                  const FieldSet* others);

// Removes `gone` from a list item. Returns true when the item itself must be removed.
bool RemoveBelow(JsonValue& item, const MergeType& type, const FieldSet& gone,
                 const FieldSet* others) {
  RemoveFields(item, type, gone, others);
  if (others != nullptr) return false;  // another manager owns it, or a part of it
  return gone.member || IsEmptyContainer(item);
}

// Removes the fields in `gone` from `value`, except those that `others` own.
void RemoveFields(JsonValue& value, const MergeType& type, const FieldSet& gone,
                  const FieldSet* others) {
  if (value.IsObject()) {
    for (auto member = value.MemberBegin(); member < value.MemberEnd();) {
      const std::string element = FieldElement(member->name);
      const FieldSet* const below = Child(&gone, element);
      const FieldSet* const wanted = Child(others, element);
      if (below != nullptr && wanted != nullptr) {
        RemoveFields(member->value, type.Member(ToView(member->name)), *below, wanted);
      }
      // A field without owners is removed with everything in it.
      const bool remove = below != nullptr && wanted == nullptr;
      member = remove ? value.EraseMember(member) : member + 1;
    }
  } else if (type.IsKeyedList(value)) {
    for (auto* item = value.Begin(); item != value.End();) {
      const std::string element = type.ItemElement(*item);
      const FieldSet* const below = Child(&gone, element);
      const bool remove =
          below != nullptr && RemoveBelow(*item, type.Items(), *below, Child(others, element));
      item = remove ? value.Erase(item) : item + 1;
    }
  }
}

}  // namespace

void FieldSet::Add(const FieldSet& other) {
  member = member || other.member;
  for (const auto& [element, child] : other.children) children[element].Add(child);
}

void FieldSet::Subtract(const FieldSet& other) {
  member = member && !other.member;
  for (const auto& [element, child] : other.children) {
    const auto own = children.find(element);
    if (own == children.end()) continue;
    own->second.Subtract(child);
    if (own->second.empty()) children.erase(own);
  }
}

FieldSet FieldSet::Intersect(const FieldSet& other) const {
  FieldSet rest = *this;
  rest.Subtract(other);
  FieldSet both = *this;
  both.Subtract(rest);
  return both;
}

std::vector<std::string> FieldSet::Paths() const {
  std::vector<std::string> paths;
  if (member) paths.emplace_back();
  for (const auto& [element, child] : children) {
    for (const std::string& path : child.Paths()) paths.push_back(Readable(element) + path);
  }
  return paths;
}

FieldSet FieldSet::FromJson(const JsonValue& fields_v1) {
  FieldSet set;
  if (!fields_v1.IsObject()) return set;
  for (const auto& member : fields_v1.GetObject()) {
    const std::string element(ToView(member.name));
    if (element == ".") {
      set.member = true;
      continue;
    }
    FieldSet child = FromJson(member.value);
    if (child.children.empty()) child.member = true;  // {} is a leaf
    set.children.emplace(element, std::move(child));
  }
  return set;
}

JsonValue FieldSet::ToJson(JsonAllocator& allocator) const {
  JsonValue json(rapidjson::kObjectType);
  if (member && !children.empty()) Set(json, ".", JsonValue(rapidjson::kObjectType), allocator);
  for (const auto& [element, child] : children) {
    json.AddMember(NewString(element, allocator), child.ToJson(allocator), allocator);
  }
  return json;
}

std::string FieldElement(const JsonValue& name) { return "f:" + std::string(ToView(name)); }

FieldSet FieldsOf(const JsonValue& configuration, const MergeType& type) {
  FieldSet set;
  CollectAppliedMembers(configuration, type, kSkipped, set);
  CollectAppliedMembers(ObjectAt(configuration, "metadata"), type.Member("metadata"),
                        kSkippedMetadata, set.children["f:metadata"]);
  Prune(set);
  return set;
}

Comparison Compare(const JsonValue& before, const JsonValue& after, const MergeType& type) {
  Comparison result;
  CompareObjects(before, after, type, kSkipped, result.changed, result.removed);
  CompareObjects(ObjectAt(before, "metadata"), ObjectAt(after, "metadata"), type.Member("metadata"),
                 kSkippedMetadata, result.changed.children["f:metadata"],
                 result.removed.children["f:metadata"]);
  Prune(result.changed);
  Prune(result.removed);
  return result;
}

bool ManagedFieldsEntry::SameOwner(const ManagedFieldsEntry& other) const {
  return std::tie(manager, operation, api_version, subresource) ==
         std::tie(other.manager, other.operation, other.api_version, other.subresource);
}

std::vector<ManagedFieldsEntry> ReadManagedFields(const JsonValue& object) {
  std::vector<ManagedFieldsEntry> entries;
  for (const JsonValue& item : ListAt(ObjectAt(object, "metadata"), "managedFields").GetArray()) {
    const JsonValue* const fields = Find(item, "fieldsV1");
    // "[{}]" clears the list.
    if (fields == nullptr || GetString(item, "manager").empty()) continue;
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

Comparison TrackUpdate(const JsonValue& before, JsonDocument& after, ManagedFieldsEntry request) {
  // A request without managedFields keeps them. "[]" or "[{}]" clears them.
  const bool given = FindPath(after, {"metadata", "managedFields"}) != nullptr;
  auto entries = ReadManagedFields(given ? static_cast<const JsonValue&>(after) : before);
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

Result<std::unique_ptr<JsonDocument>> Apply(const JsonValue& live, const JsonValue& configuration,
                                            const ManagedFieldsEntry& request, bool force) {
  auto next = std::make_unique<JsonDocument>();
  next->CopyFrom(live, next->GetAllocator());
  Remove(Ensure(*next, "metadata", next->GetAllocator()), "managedFields");
  MergeApplied(*next, configuration, request.type, next->GetAllocator());

  auto entries = ReadManagedFields(live);
  if (entries.empty() && IsStored(live)) {
    ManagedFieldsEntry before = request;
    before.manager = "before-first-apply";
    before.operation = kUpdate;
    before.fields = Compare(JsonValue(rapidjson::kObjectType), live, request.type).changed;
    entries.push_back(std::move(before));
  }
  ManagedFieldsEntry own = request;
  own.operation = kApply;
  own.time.clear();
  const auto last = FindOwner(entries, own);
  FieldSet gone;
  if (last != entries.end()) {
    gone = std::move(last->fields);
    own.time = last->time;
    entries.erase(last);
  }
  own.fields = FieldsOf(configuration, request.type);
  gone.Subtract(own.fields);
  FieldSet wanted = own.fields;
  for (const ManagedFieldsEntry& entry : entries) wanted.Add(entry.fields);
  wanted.children["f:metadata"];  // every configuration has metadata.name
  RemoveFields(*next, request.type, gone, &wanted);

  const Comparison difference = Compare(live, *next, request.type);
  std::multimap<std::string, FieldSet> conflicts;
  for (ManagedFieldsEntry& entry : entries) {
    const FieldSet taken = entry.fields.Intersect(difference.changed);
    if (!taken.empty()) conflicts.emplace(Describe(entry), taken);
    entry.fields.Subtract(taken);
    entry.fields.Subtract(difference.removed);
  }
  if (!force && !conflicts.empty()) return tl::unexpected(ConflictStatus(conflicts));
  if (!difference.empty()) own.time = request.time;  // an apply without changes has no time
  entries.push_back(std::move(own));
  WriteManagedFields(*next, std::move(entries));
  return next;
}

}  // namespace capstan::testing::apiserver
