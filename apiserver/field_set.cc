// SPDX-License-Identifier: Apache-2.0
#include "apiserver/field_set.h"

#include <algorithm>
#include <array>
#include <utility>

#include "apiserver/resources.h"

namespace apiserver {
namespace {

// Nobody owns these: they are the object's identity, or the server's book-keeping.
bool IsServerOwned(std::string_view metadata_field) {
  constexpr std::array<std::string_view, 8> kFields = {
      "name",       "namespace",     "creationTimestamp", "uid",
      "generation", "managedFields", "resourceVersion",   "selfLink"};
  return std::find(kFields.begin(), kFields.end(), metadata_field) != kFields.end();
}

bool IsContainer(const JsonValue& value, std::string_view field) {
  if (value.IsObject()) return !IsAtomicMap(field);
  return value.IsArray() && IsKeyedList(value, field);
}

std::string ItemName(const JsonValue& item, std::string_view field) {
  return ItemElement(item, IsSetList(field) ? std::string_view() : ListKey(field));
}

void CollectApplied(const JsonValue& value, std::string_view field, FieldSet& set);

void CollectAppliedMembers(const JsonValue& object, bool is_metadata, FieldSet& set) {
  for (const auto& member : object.GetObject()) {
    const std::string_view name = ToView(member.name);
    if (is_metadata && IsServerOwned(name)) continue;
    CollectApplied(member.value, name, set.children[FieldElement(member.name)]);
  }
}

// As structured-merge-diff's toFieldSet: leaves and list items are members, containers are not.
void CollectApplied(const JsonValue& value, std::string_view field, FieldSet& set) {
  if (!IsContainer(value, field) || (value.IsObject() && value.ObjectEmpty())) {
    set.member = true;
  } else if (value.IsObject()) {
    CollectAppliedMembers(value, false, set);
  } else {
    for (const JsonValue& item : value.GetArray()) {
      FieldSet& child = set.children[ItemName(item, field)];
      child.member = true;
      if (item.IsObject()) CollectAppliedMembers(item, false, child);
    }
  }
}

// Everything below and including `value`: it is new, or gone, as a whole.
void CollectAll(const JsonValue& value, std::string_view field, FieldSet& set) {
  set.member = true;
  if (!IsContainer(value, field)) return;
  if (value.IsObject()) {
    for (const auto& member : value.GetObject()) {
      CollectAll(member.value, ToView(member.name), set.children[FieldElement(member.name)]);
    }
    return;
  }
  for (const JsonValue& item : value.GetArray()) {
    CollectAll(item, {}, set.children[ItemName(item, field)]);
  }
}

void CompareValues(const JsonValue& before, const JsonValue& after, std::string_view field,
                   FieldSet& changed, FieldSet& removed);

void CompareObjects(const JsonValue& before, const JsonValue& after, bool is_metadata,
                    FieldSet& changed, FieldSet& removed) {
  for (const auto& member : after.GetObject()) {
    const std::string_view name = ToView(member.name);
    if (is_metadata && IsServerOwned(name)) continue;
    const std::string element = FieldElement(member.name);
    if (const JsonValue* const old = Find(before, name)) {
      CompareValues(*old, member.value, name, changed.children[element], removed.children[element]);
    } else {
      CollectAll(member.value, name, changed.children[element]);
    }
  }
  for (const auto& member : before.GetObject()) {
    const std::string_view name = ToView(member.name);
    if ((is_metadata && IsServerOwned(name)) || Find(after, name) != nullptr) continue;
    CollectAll(member.value, name, removed.children[FieldElement(member.name)]);
  }
}

void CompareLists(const JsonValue& before, const JsonValue& after, std::string_view field,
                  FieldSet& changed, FieldSet& removed) {
  std::map<std::string, const JsonValue*> old;
  for (const JsonValue& item : before.GetArray()) old.emplace(ItemName(item, field), &item);
  for (const JsonValue& item : after.GetArray()) {
    const std::string element = ItemName(item, field);
    const auto at = old.find(element);
    if (at == old.end()) {
      CollectAll(item, {}, changed.children[element]);
      continue;
    }
    CompareValues(*at->second, item, {}, changed.children[element], removed.children[element]);
    old.erase(at);
  }
  for (const auto& [element, item] : old) CollectAll(*item, {}, removed.children[element]);
}

void CompareValues(const JsonValue& before, const JsonValue& after, std::string_view field,
                   FieldSet& changed, FieldSet& removed) {
  if (before.IsNull() && IsContainer(after, field)) {
    // Go's nil: a container without members.
    CompareValues(JsonValue(after.GetType()), after, field, changed, removed);
  } else if (before.IsObject() && after.IsObject() && !IsAtomicMap(field)) {
    CompareObjects(before, after, false, changed, removed);
  } else if (before.IsArray() && after.IsArray() && IsKeyedList(before, field) &&
             IsKeyedList(after, field)) {
    CompareLists(before, after, field, changed, removed);
  } else if (before != after) {
    changed.member = true;
  }
}

// Nodes without members below them are only litter of the walks.
void Prune(FieldSet& set) {
  for (auto child = set.children.begin(); child != set.children.end();) {
    Prune(child->second);
    child = child->second.empty() ? set.children.erase(child) : std::next(child);
  }
}

template <class Visit>
void ForEachOwnable(const JsonValue& object, Visit visit) {
  for (const auto& member : object.GetObject()) {
    const std::string_view name = ToView(member.name);
    if (name != "kind" && name != "apiVersion") visit(member.name, member.value);
  }
}

}  // namespace

std::string FieldElement(const JsonValue& name) { return "f:" + std::string(ToView(name)); }

std::string ItemElement(const JsonValue& item, std::string_view key) {
  if (key.empty()) return "v:" + clientgo::runtime::ToJson(item);
  const JsonValue* const value = Find(item, key);
  if (value == nullptr) return {};
  return "k:{\"" + std::string(key) + "\":" + clientgo::runtime::ToJson(*value) + "}";
}

bool IsKeyedList(const JsonValue& list, std::string_view field) {
  if (!list.IsArray()) return false;
  if (IsSetList(field)) return true;
  const std::string_view key = ListKey(field);
  return !key.empty() && std::all_of(list.Begin(), list.End(), [&](const JsonValue& item) {
    return Find(item, key) != nullptr;
  });
}

FieldSet FieldsOf(const JsonValue& configuration) {
  FieldSet set;
  ForEachOwnable(configuration, [&](const JsonValue& name, const JsonValue& value) {
    FieldSet& child = set.children[FieldElement(name)];
    if (ToView(name) == "metadata" && value.IsObject()) {
      CollectAppliedMembers(value, true, child);
    } else {
      CollectApplied(value, ToView(name), child);
    }
  });
  Prune(set);
  return set;
}

Comparison Compare(const JsonValue& before, const JsonValue& after) {
  static const JsonValue empty_object(rapidjson::kObjectType);
  Comparison result;
  const auto metadata_of = [](const JsonValue& object) -> const JsonValue& {
    const JsonValue* const metadata = Find(object, "metadata");
    return metadata != nullptr && metadata->IsObject() ? *metadata : empty_object;
  };
  CompareObjects(metadata_of(before), metadata_of(after), true,
                 result.changed.children["f:metadata"], result.removed.children["f:metadata"]);
  const auto compare_member = [&](const JsonValue& name, bool from_after) {
    if (ToView(name) == "metadata") return;
    const JsonValue* const old = Find(before, ToView(name));
    const JsonValue* const now = Find(after, ToView(name));
    const std::string element = FieldElement(name);
    if (old == nullptr) return CollectAll(*now, ToView(name), result.changed.children[element]);
    if (now == nullptr) return CollectAll(*old, ToView(name), result.removed.children[element]);
    if (!from_after) return;
    CompareValues(*old, *now, ToView(name), result.changed.children[element],
                  result.removed.children[element]);
  };
  ForEachOwnable(after,
                 [&](const JsonValue& name, const JsonValue&) { compare_member(name, true); });
  ForEachOwnable(before,
                 [&](const JsonValue& name, const JsonValue&) { compare_member(name, false); });
  Prune(result.changed);
  Prune(result.removed);
  return result;
}

}  // namespace apiserver
