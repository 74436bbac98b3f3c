// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/apiserver/internal/merge_type.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "capstan/testing/apiserver/internal/schema.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::array kListKeys = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"webhooks", "name"},
    {"matchConditions", "name"},
    {"conditions", "type"},
    {"ownerReferences", "uid"},
    {"containers", "name"},
    {"initContainers", "name"},
    {"env", "name"},
    {"volumes", "name"},
    {"volumeMounts", "mountPath"},
    {"readinessGates", "conditionType"},
    {"podIPs", "ip"},
    {"addresses", "type"},
});

// Returns the key of the items of a list ("name" for "webhooks"); empty for an atomic list.
std::string_view ListKey(std::string_view field) {
  for (const auto& [name, key] : kListKeys) {
    if (name == field) return key;
  }
  return {};
}

// Reports whether a map is atomic: a selector or a reference.
bool IsAtomicField(std::string_view field) {
  constexpr std::array<std::string_view, 7> kFields = {
      "namespaceSelector", "objectSelector", "labelSelector", "secretKeyRef",
      "configMapKeyRef",   "fieldRef",       "involvedObject"};
  return std::find(kFields.begin(), kFields.end(), field) != kFields.end();
}

std::string SetElement(const JsonValue& item) { return "v:" + clientgo::runtime::ToJson(item); }

// `keys` in the order of their names.
std::string MapElement(const std::map<std::string_view, const JsonValue*>& keys) {
  std::string text;
  for (const auto& [name, value] : keys) {
    text += (text.empty() ? "" : ",") + Quote(name) + ":" + clientgo::runtime::ToJson(*value);
  }
  return text.empty() ? text : "k:{" + text + "}";
}

}  // namespace

MergeType::MergeType(const Resource& resource) {
  if (resource.schema == nullptr || !resource.schema->json().IsObject()) return;
  schema_ = &resource.schema->json();
  root_ = true;
}

MergeType MergeType::Member(std::string_view name) const {
  static const JsonValue undeclared(rapidjson::kObjectType);
  if (schema_ == nullptr || (root_ && name == "metadata")) return {nullptr, name};
  const JsonValue* const member = MemberSchema(*schema_, name);
  return {member == nullptr ? &undeclared : member, name};
}

MergeType MergeType::Items() const {
  return {schema_ == nullptr ? nullptr : &ObjectAt(*schema_, "items"), {}};
}

bool MergeType::IsAtomicMap() const {
  if (schema_ == nullptr) return IsAtomicField(field_);
  return GetString(*schema_, "x-kubernetes-map-type") == "atomic";
}

std::string MergeType::ItemElement(const JsonValue& item) const {
  std::map<std::string_view, const JsonValue*> keys;
  if (schema_ == nullptr) {
    if (field_ == "finalizers") return SetElement(item);
    const std::string_view key = ListKey(field_);
    const JsonValue* const value = key.empty() ? nullptr : Find(item, key);
    if (value != nullptr) keys.emplace(key, value);
    return MapElement(keys);
  }
  const std::string_view type = GetString(*schema_, "x-kubernetes-list-type");
  if (type == "set") return SetElement(item);
  if (type != "map" || !item.IsObject()) return {};
  const JsonValue& properties = ObjectAt(ObjectAt(*schema_, "items"), "properties");
  for (const JsonValue& key : ListAt(*schema_, "x-kubernetes-list-map-keys").GetArray()) {
    const JsonValue* value = Find(item, ToView(key));
    if (value == nullptr) value = Find(ObjectAt(properties, ToView(key)), "default");
    if (value != nullptr) keys.emplace(ToView(key), value);
  }
  return MapElement(keys);
}

bool MergeType::IsKeyedList(const JsonValue& list) const {
  if (!list.IsArray()) return false;
  if (list.Empty()) {
    if (schema_ == nullptr) return field_ == "finalizers" || !ListKey(field_).empty();
    const std::string_view type = GetString(*schema_, "x-kubernetes-list-type");
    return type == "set" || type == "map";
  }
  return std::all_of(list.Begin(), list.End(),
                     [&](const JsonValue& item) { return !ItemElement(item).empty(); });
}

}  // namespace capstan::testing::apiserver
