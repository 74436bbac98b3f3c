// SPDX-License-Identifier: Apache-2.0
#include "apiserver/patch.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "apiserver/field_set.h"
#include "apiserver/resources.h"

namespace apiserver {
namespace {

JsonValue* FindItem(JsonValue& list, const std::string& element, std::string_view key) {
  auto* const at = std::find_if(list.Begin(), list.End(), [&](const JsonValue& item) {
    return ItemElement(item, key) == element;
  });
  return at == list.End() ? nullptr : at;
}

enum class Merge { kStrategic, kApply };

void MergeObject(JsonValue& target, const JsonValue& patch, Merge kind, JsonAllocator& allocator);

bool IsReplaceDirective(const JsonValue& item) { return GetString(item, "$patch") == "replace"; }

// As strategicpatch's mergeSortedSlice: what the patch names keeps the patch's order, and comes
// before what it does not name, unless that was in front of it on the server.
void Interleave(JsonValue& list, std::vector<JsonValue> rest, std::vector<JsonValue> patched,
                const std::vector<std::string>& server_order, std::string_view key,
                JsonAllocator& allocator) {
  const auto place = [&](const JsonValue& item) {
    return std::find(server_order.begin(), server_order.end(), ItemElement(item, key));
  };
  list.Clear();
  auto left = rest.begin();
  auto right = patched.begin();
  while (left != rest.end() || right != patched.end()) {
    bool take_left = right == patched.end();
    if (!take_left && left != rest.end()) {
      const auto known = place(*right);
      take_left = known != server_order.end() && place(*left) < known;
    }
    list.PushBack(take_left ? *left++ : *right++, allocator);
  }
}

void MergeStrategicList(JsonValue& target, const JsonValue& patch, std::string_view key,
                        JsonAllocator& allocator) {
  if (std::any_of(patch.Begin(), patch.End(), IsReplaceDirective)) target.Clear();
  std::vector<std::string> server_order;
  for (const JsonValue& item : target.GetArray()) server_order.push_back(ItemElement(item, key));
  std::vector<JsonValue> patched;
  for (const JsonValue& item : patch.GetArray()) {
    if (IsReplaceDirective(item)) continue;
    JsonValue* const existing = FindItem(target, ItemElement(item, key), key);
    const bool remove = GetString(item, "$patch") == "delete";
    if (!remove) {
      patched.emplace_back(existing == nullptr ? item : *existing, allocator);
      if (existing != nullptr && item.IsObject()) {
        MergeObject(patched.back(), item, Merge::kStrategic, allocator);
      }
    }
    if (existing != nullptr) target.Erase(existing);
  }
  std::vector<JsonValue> rest(std::make_move_iterator(target.Begin()),
                              std::make_move_iterator(target.End()));
  Interleave(target, std::move(rest), std::move(patched), server_order, key, allocator);
}

// A list whose items have keys, but for the directive that replaces all of it.
bool IsKeyedPatch(const JsonValue& list, std::string_view field) {
  if (!list.IsArray() || IsSetList(field)) return list.IsArray();
  const std::string_view key = ListKey(field);
  return !key.empty() && std::all_of(list.Begin(), list.End(), [&](const JsonValue& item) {
    return Find(item, key) != nullptr || IsReplaceDirective(item);
  });
}

constexpr std::string_view kDeleteFromList = "$deleteFromPrimitiveList/";

// "$deleteFromPrimitiveList/finalizers": ["x"].
void DeleteFromPrimitiveList(JsonValue& target, std::string_view name, const JsonValue& gone) {
  JsonValue* const list = FindMutable(target, name);
  if (list == nullptr || !list->IsArray() || !gone.IsArray()) return;
  for (const JsonValue& value : gone.GetArray()) {
    auto* const at = std::find(list->Begin(), list->End(), value);
    if (at != list->End()) list->Erase(at);
  }
}

void MergeList(JsonValue& target, const JsonValue& patch, std::string_view field, Merge kind,
               JsonAllocator& allocator) {
  const std::string_view key = IsSetList(field) ? std::string_view() : ListKey(field);
  if (kind == Merge::kStrategic) return MergeStrategicList(target, patch, key, allocator);
  for (const JsonValue& item : patch.GetArray()) {
    JsonValue* const existing = FindItem(target, ItemElement(item, key), key);
    if (existing == nullptr) {
      target.PushBack(JsonValue(item, allocator), allocator);
    } else if (item.IsObject()) {
      MergeObject(*existing, item, kind, allocator);
    }
  }
}

void MergeObject(JsonValue& target, const JsonValue& patch, Merge kind, JsonAllocator& allocator) {
  for (const auto& member : patch.GetObject()) {
    const std::string_view name = ToView(member.name);
    JsonValue* const existing = FindMutable(target, name);
    if (kind == Merge::kStrategic && name.starts_with(kDeleteFromList)) {
      DeleteFromPrimitiveList(target, name.substr(kDeleteFromList.size()), member.value);
    }
    if (kind == Merge::kStrategic && name.starts_with('$')) continue;  // a directive, not a field
    if (kind == Merge::kStrategic && member.value.IsNull()) {
      Remove(target, name);
    } else if (member.value.IsObject() && !(kind == Merge::kApply && IsAtomicMap(name))) {
      JsonValue& object = existing != nullptr && existing->IsObject()
                              ? *existing
                              : Set(target, name, JsonValue(rapidjson::kObjectType), allocator);
      MergeObject(object, member.value, kind, allocator);
    } else if (existing != nullptr && IsKeyedList(*existing, name) &&
               IsKeyedPatch(member.value, name)) {
      MergeList(*existing, member.value, name, kind, allocator);
    } else {
      Set(target, name, JsonValue(member.value, allocator), allocator);
    }
  }
}

}  // namespace

void ApplyMergePatch(JsonValue& target, const JsonValue& patch, JsonAllocator& allocator) {
  if (!patch.IsObject()) {
    target.CopyFrom(patch, allocator);
    return;
  }
  if (!target.IsObject()) target.SetObject();
  for (const auto& member : patch.GetObject()) {
    const std::string_view name = ToView(member.name);
    if (member.value.IsNull()) {
      Remove(target, name);
    } else {
      JsonValue* existing = FindMutable(target, name);
      if (existing == nullptr) existing = &Set(target, name, JsonValue(), allocator);
      ApplyMergePatch(*existing, member.value, allocator);
    }
  }
}

void ApplyStrategicMergePatch(JsonValue& target, const JsonValue& patch, JsonAllocator& allocator) {
  MergeObject(target, patch, Merge::kStrategic, allocator);
}

void MergeApplied(JsonValue& target, const JsonValue& configuration, JsonAllocator& allocator) {
  MergeObject(target, configuration, Merge::kApply, allocator);
}

}  // namespace apiserver
