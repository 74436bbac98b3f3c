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

// Returns an object whose value `make` returns with the allocator that it gets.
template <class Make>
std::unique_ptr<runtime::JsonDocument> NewDocument(const Make& make) {
  auto document = std::make_unique<runtime::JsonDocument>();
  static_cast<runtime::JsonValue&>(*document) = make(document->GetAllocator());
  return document;
}

// Returns the object in a version, or why it does not have the type of that version.
Result<VersionedObject> TypedInVersion(const InVersion& in_version,
                                       const runtime::JsonValue& object,
                                       const std::string& api_version, std::string_view context) {
  auto found = in_version(object, api_version);
  if (!found || found->type_error.empty()) return found;
  return tl::unexpected(Status{.code = 500, .message = std::string(context) + found->type_error});
}

// Returns an error if the object does not have the type of the version of each manager.
Result<void> CheckVersions(const runtime::JsonValue& object,
                           const std::vector<ManagedFieldsEntry>& entries,
                           const ManagedFieldsEntry& request, const InVersion& in_version) {
  if (!in_version) return {};
  for (const ManagedFieldsEntry& entry : entries) {
    if (entry.api_version == request.api_version) continue;
    const auto found = TypedInVersion(in_version, object, entry.api_version, "");
    if (!found) return tl::unexpected(found.error());
  }
  return {};
}

// Does the same as WithoutUnapplied when managers use several versions: each version decides which
// of its fields come back. `entries` has all managers, and `last` the fields that were applied
// before. The result is in `api_version`.
Result<std::unique_ptr<runtime::JsonDocument>> WithoutUnappliedInVersions(
    const runtime::JsonValue& merged, const ManagedFieldsEntry& last,
    const std::string& api_version, const std::vector<ManagedFieldsEntry>& entries,
    const InVersion& in_version) {
  const auto declared = [](const VersionedObject& one) {
    return FieldsOfTyped(*one.object, one.type).WithDeclared(one.type);
  };
  const auto without = [](const VersionedObject& one, const FieldSet& fields) {
    return NewDocument([&](JsonAllocator& allocator) {
      return RemoveTyped(*one.object, one.type, fields, allocator);
    });
  };
  const std::string context = "failed to prune fields: ";
  const std::string added_back = context + "failed add back owned items: failed to convert ";
  const auto all =
      TypedInVersion(in_version, merged, last.api_version,
                     context + "failed to convert merged object to last applied version: ");
  if (!all) return tl::unexpected(all.error());
  std::map<std::string, FieldSet> owned;
  for (const ManagedFieldsEntry& entry : entries) owned[entry.api_version].Add(entry.fields);
  std::vector<std::string> versions = {last.api_version};
  for (const auto& [version, fields] : owned) {
    if (version != last.api_version) versions.push_back(version);
  }
  const FieldSet unapplied = last.fields.WithDeclared(all->type);
  auto pruned = without(*all, unapplied);
  for (const std::string& version : versions) {
    const auto what = [&](std::string_view object) {
      return std::string(added_back)
          .append(object)
          .append(" object at version ")
          .append(version)
          .append(": ");
    };
    const auto before = TypedInVersion(in_version, merged, version, what("merged"));
    const auto after = TypedInVersion(in_version, *pruned, version, what("pruned"));
    if (!before) return tl::unexpected(before.error());
    if (!after) return tl::unexpected(after.error());
    FieldSet gone = declared(*before);
    gone.Subtract(declared(*after));
    gone.Subtract(owned[version].WithDeclared(before->type));
    pruned = without(*before, gone);
  }
  const auto rest = TypedInVersion(in_version, *pruned, last.api_version, context);
  if (!rest) return tl::unexpected(rest.error());
  FieldSet left_out = declared(*all);
  left_out.Subtract(declared(*rest));
  auto result = TypedInVersion(in_version, *without(*all, left_out.Intersect(unapplied)),
                               api_version, context);
  if (!result) return tl::unexpected(std::move(result.error()));
  return std::move(result->object);
}

// Returns the merged object without what the manager no longer applies. `last` is its former entry,
// and `others` are the entries of other managers.
Result<runtime::JsonValue> Prune(const runtime::JsonValue& merged, const ManagedFieldsEntry& last,
                                 const ManagedFieldsEntry& own,
                                 std::vector<ManagedFieldsEntry> others,
                                 const InVersion& in_version, JsonAllocator& allocator) {
  others.push_back(own);
  const bool one_version =
      last.api_version == own.api_version &&
      std::all_of(others.begin(), others.end(), [&](const ManagedFieldsEntry& entry) {
        return entry.api_version == own.api_version;
      });
  if (one_version || !in_version) {
    FieldSet owned;
    for (const ManagedFieldsEntry& entry : others) owned.Add(entry.fields);
    return WithoutUnapplied(merged, own.type, last.fields, owned, allocator);
  }
  const auto pruned = WithoutUnappliedInVersions(merged, last, own.api_version, others, in_version);
  if (!pruned) return tl::unexpected(pruned.error());
  return runtime::JsonValue(**pruned, allocator);
}

// Differences compares two objects in the versions of their managers.
class Differences {
 public:
  Differences(const runtime::JsonValue& before, const runtime::JsonValue& after,
              const ManagedFieldsEntry& request, const InVersion& in_version)
      : before_(before), after_(after), request_(request), in_version_(in_version) {
    known_.emplace(request.api_version, Compare(before, after, request.type));
  }

  const Comparison& Own() const { return known_.at(request_.api_version); }
  Result<const Comparison*> In(const std::string& api_version) {
    if (!in_version_) return &Own();
    auto known = known_.find(api_version);
    if (known == known_.end()) {
      const auto before = in_version_(before_, api_version);
      const auto after = in_version_(after_, api_version);
      if (!before) return tl::unexpected(before.error());
      if (!after) return tl::unexpected(after.error());
      for (const auto& [context, object] :
           {std::pair("old", &*before), std::pair("new", &*after)}) {
        if (object->type_error.empty()) continue;
        unknown_ = true;
        return tl::unexpected(Status{.code = 500,
                                     .message = "failed to convert " + std::string(context) +
                                                " object: " + object->type_error});
      }
      known =
          known_.emplace(api_version, Compare(*before->object, *after->object, after->type)).first;
    }
    return &known->second;
  }
  // Reports whether In has failed because an object has a VersionedObject::type_error.
  bool unknown() const { return unknown_; }

 private:
  const runtime::JsonValue& before_;
  const runtime::JsonValue& after_;
  const ManagedFieldsEntry& request_;
  const InVersion& in_version_;
  std::map<std::string, Comparison> known_;
  bool unknown_ = false;
};

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
    ManagedFieldsEntry entry{.manager = std::string(runtime::GetString(item, "manager")),
                             .operation = std::string(runtime::GetString(item, "operation")),
                             .api_version = std::string(runtime::GetString(item, "apiVersion")),
                             .subresource = std::string(runtime::GetString(item, "subresource")),
                             .time = std::string(runtime::GetString(item, "time")),
                             .fields = FieldSet::FromJson(*fields)};
    // If an owner has two entries, the last one counts.
    if (const auto same = FindOwner(entries, entry); same != entries.end()) entries.erase(same);
    entries.push_back(std::move(entry));
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

Result<Comparison> TrackUpdate(const runtime::JsonValue& before, runtime::JsonDocument& after,
                               ManagedFieldsEntry request, const InVersion& in_version) {
  // A request without managedFields keeps them. "[]" or "[{}]" clears them.
  const bool given = runtime::FindPath(after, {"metadata", "managedFields"}) != nullptr;
  auto entries = ReadManagedFields(given ? static_cast<const runtime::JsonValue&>(after) : before);
  Differences differences(before, after, request, in_version);
  for (ManagedFieldsEntry& entry : entries) {
    const auto found = differences.In(entry.api_version);
    if (!found && differences.unknown()) {
      WriteManagedFields(after, {});
      return differences.Own();
    }
    if (!found) return tl::unexpected(found.error());
    entry.fields.Subtract((*found)->changed);
    entry.fields.Subtract((*found)->removed);
  }
  Comparison difference = differences.Own();
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

void TrackBeforeFirstApply(const runtime::JsonValue& zero, const runtime::JsonValue& owned,
                           ManagedFieldsEntry request, runtime::JsonDocument& live) {
  if (!ReadManagedFields(live).empty()) return;
  request.manager = "before-first-apply";
  request.operation = kUpdate;
  request.fields = Compare(zero, owned, request.type).changed;
  WriteManagedFields(live, {std::move(request)});
}

Result<std::unique_ptr<runtime::JsonDocument>> Apply(const runtime::JsonValue& live,
                                                     const runtime::JsonValue& configuration,
                                                     const ManagedFieldsEntry& request, bool force,
                                                     const InVersion& in_version) {
  const MergeType& type = request.type;
  auto next = std::make_unique<runtime::JsonDocument>();
  auto& allocator = next->GetAllocator();
  runtime::JsonValue merged = MergeTyped(live, configuration, type, allocator);

  auto entries = ReadManagedFields(live);
  if (auto checked = CheckVersions(live, entries, request, in_version); !checked) {
    return tl::unexpected(std::move(checked.error()));
  }
  ManagedFieldsEntry own = request;
  own.operation = kApply;
  own.time.clear();
  const auto last = FindOwner(entries, own);
  ManagedFieldsEntry last_applied;
  if (last != entries.end()) {
    last_applied = std::move(*last);
    own.time = last_applied.time;
    entries.erase(last);
  }
  own.fields = FieldsOfTyped(configuration, type);
  if (!last_applied.fields.empty()) {
    auto pruned = Prune(merged, last_applied, own, entries, in_version, allocator);
    if (!pruned) return tl::unexpected(std::move(pruned.error()));
    merged = *std::move(pruned);
  }
  Strip(own.fields);
  // An apply without changes keeps the object as it is, 1 for an applied 1.0, and has no time.
  const bool same = merged == live;
  if (same) merged.CopyFrom(live, allocator);
  static_cast<runtime::JsonValue&>(*next) = std::move(merged);

  Differences differences(live, *next, request, in_version);
  if (const std::string& error = differences.Own().error; !error.empty()) {
    return tl::unexpected(InternalError("failed to compare objects: " + error));
  }
  std::multimap<std::string, FieldSet> conflicts;
  for (ManagedFieldsEntry& entry : entries) {
    const auto found = differences.In(entry.api_version);
    if (!found) return tl::unexpected(found.error());
    const FieldSet taken = entry.fields.Intersect((*found)->changed);
    if (!taken.empty()) conflicts.emplace(Describe(entry), taken);
    entry.fields.Subtract(taken);
    entry.fields.Subtract((*found)->removed);
  }
  if (!force && !conflicts.empty()) return tl::unexpected(ConflictStatus(conflicts));
  if (!same) own.time = request.time;
  entries.push_back(std::move(own));
  WriteManagedFields(*next, std::move(entries));
  return next;
}

}  // namespace capstan::testing::apiserver
