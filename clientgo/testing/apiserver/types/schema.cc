// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/types/schema.h"

#include <algorithm>
#include <map>
#include <utility>

#include "clientgo/testing/apiserver/types/correlation.h"
#include "clientgo/testing/apiserver/types/go_text.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kNullable = "nullable";
constexpr std::string_view kPreserve = "x-kubernetes-preserve-unknown-fields";

std::string Item(const std::string& path, rapidjson::SizeType index) {
  return path + "[" + std::to_string(index) + "]";
}

// The members of an object that has its own kind are not in the schema.
bool IsTypeOrMetadata(std::string_view name) {
  return name == "apiVersion" || name == "kind" || name == "metadata";
}

// ValuePlace is where in an object a value is.
struct ValuePlace {
  std::string path;
  bool whole = false;      // the value has a kind of its own
  bool preserved = false;  // a list around the value preserves unknown fields
};

void PruneValue(const runtime::JsonValue& schema, runtime::JsonValue& value,
                const ValuePlace& place, std::vector<std::string>& unknown) {
  const std::string& path = place.path;
  const bool preserved = place.preserved || IsSet(schema, kPreserve);
  if (value.IsArray() && (!preserved || runtime::Find(schema, "items") != nullptr)) {
    const runtime::JsonValue& items = ObjectAt(schema, "items");
    for (rapidjson::SizeType i = 0; i < value.Size(); ++i) {
      PruneValue(items, value[i], {.path = Item(path, i), .preserved = preserved}, unknown);
    }
  }
  if (!value.IsObject()) return;
  const bool keeps = preserved || IsSet(schema, "additionalProperties");
  const bool whole = place.whole || IsSet(schema, "x-kubernetes-embedded-resource");
  for (auto member = value.MemberBegin(); value.MemberEnd() - member > 0;) {
    const std::string name(runtime::ToView(member->name));
    const runtime::JsonValue* const declared = MemberSchema(schema, name);
    if ((whole && IsTypeOrMetadata(name)) || (declared == nullptr && keeps)) {
      ++member;
    } else if (declared != nullptr) {
      PruneValue(*declared, member->value, {.path = MemberPath(path, name)}, unknown);
      ++member;
    } else {
      unknown.push_back(MemberPath(path, name));
      member = value.EraseMember(member);
    }
  }
}

// Returns whether a null is replaced by the default, or is not allowed.
bool IsForbiddenNull(const runtime::JsonValue* schema, const runtime::JsonValue& value) {
  return schema != nullptr && value.IsNull() && !IsSet(*schema, kNullable);
}

// Removes the nulls that are not allowed and have no default.
void DropNullMembers(const runtime::JsonValue& schema, runtime::JsonValue& value) {
  if (value.IsArray()) {
    const runtime::JsonValue& items = ObjectAt(schema, "items");
    for (runtime::JsonValue& item : value.GetArray()) DropNullMembers(items, item);
  }
  if (!value.IsObject()) return;
  for (auto member = value.MemberBegin(); value.MemberEnd() - member > 0;) {
    const runtime::JsonValue* const declared = MemberSchema(schema, runtime::ToView(member->name));
    const bool drop = IsForbiddenNull(declared, member->value) &&
                      runtime::FindNonNull(*declared, "default") == nullptr;
    if (declared != nullptr && !drop) DropNullMembers(*declared, member->value);
    member = drop ? value.EraseMember(member) : member + 1;
  }
}

void DefaultItems(const runtime::JsonValue& schema, runtime::JsonValue& list,
                  JsonAllocator& allocator);

void DefaultValue(const runtime::JsonValue& schema, runtime::JsonValue& value,
                  JsonAllocator& allocator) {
  if (value.IsArray()) DefaultItems(ObjectAt(schema, "items"), value, allocator);
  if (!value.IsObject()) return;
  for (auto member = value.MemberBegin(); value.MemberEnd() - member > 0; ++member) {
    const runtime::JsonValue* const declared = MemberSchema(schema, runtime::ToView(member->name));
    if (!IsForbiddenNull(declared, member->value)) continue;
    const runtime::JsonValue* const fallback = runtime::FindNonNull(*declared, "default");
    if (fallback != nullptr) member->value.CopyFrom(*fallback, allocator);
  }
  for (const auto& property : ObjectAt(schema, "properties").GetObject()) {
    const std::string_view name = runtime::ToView(property.name);
    const runtime::JsonValue* const fallback = runtime::FindNonNull(property.value, "default");
    if (fallback == nullptr || runtime::Find(value, name) != nullptr) continue;
    Set(value, name, runtime::JsonValue(*fallback, allocator), allocator);
  }
  for (auto member = value.MemberBegin(); value.MemberEnd() - member > 0; ++member) {
    const runtime::JsonValue* const declared = MemberSchema(schema, runtime::ToView(member->name));
    if (declared != nullptr) DefaultValue(*declared, member->value, allocator);
  }
}

void DefaultItems(const runtime::JsonValue& schema, runtime::JsonValue& list,
                  JsonAllocator& allocator) {
  const runtime::JsonValue* const fallback = runtime::FindNonNull(schema, "default");
  for (runtime::JsonValue& item : list.GetArray()) {
    if (fallback != nullptr && IsForbiddenNull(&schema, item)) item.CopyFrom(*fallback, allocator);
    DefaultValue(schema, item, allocator);
  }
}

// Returns what identifies an element of a list, as JSON.
std::string IdentityOf(const runtime::JsonValue& schema, const runtime::JsonValue& element) {
  if (runtime::GetString(schema, "x-kubernetes-list-type") != "map") return ShownValue(element);
  runtime::JsonDocument keys;
  keys.SetObject();
  for (const runtime::JsonValue& key : ListAt(schema, "x-kubernetes-list-map-keys").GetArray()) {
    const runtime::JsonValue* const value = runtime::Find(element, runtime::ToView(key));
    if (value == nullptr) continue;
    Set(keys, runtime::ToView(key), runtime::JsonValue(*value, keys.GetAllocator()),
        keys.GetAllocator());
  }
  return MarshalJson(keys);
}

// Checks that the elements of a list with the type "set" or "map" differ. Only the second one of
// several equal elements is reported.
void CheckUnique(const runtime::JsonValue& schema, const runtime::JsonValue& list,
                 const std::string& path, std::vector<Cause>& causes) {
  const std::string_view type = runtime::GetString(schema, "x-kubernetes-list-type");
  if (type != "set" && type != "map") return;
  for (rapidjson::SizeType i = 0; type == "map" && i < list.Size(); ++i) {
    if (list[i].IsObject() || list[i].IsNull()) continue;
    causes.push_back({.reason = "FieldValueInvalid",
                      .message = "Invalid value: " + ShownValue(list[i]) +
                                 ": must be an object for an array of list-type map",
                      .field = Item(path, i)});
    return;
  }
  std::map<std::string, int> seen;
  for (rapidjson::SizeType i = 0; i < list.Size(); ++i) {
    const std::string identity = IdentityOf(schema, list[i]);
    if (++seen[identity] != 2) continue;
    causes.push_back({.reason = "FieldValueDuplicate",
                      .message = "Duplicate value: " + identity,
                      .field = Item(path, i)});
  }
}

// Checks all lists in `value`. Mirrors ValidateListSetsAndMaps.
void CheckLists(const runtime::JsonValue& schema, const runtime::JsonValue& value,
                const std::string& path, std::vector<Cause>& causes) {
  if (value.IsArray()) {
    CheckUnique(schema, value, path, causes);
    const runtime::JsonValue& items = ObjectAt(schema, "items");
    for (rapidjson::SizeType i = 0; i < value.Size(); ++i) {
      CheckLists(items, value[i], Item(path, i), causes);
    }
  }
  if (!value.IsObject()) return;
  const runtime::JsonValue& properties = ObjectAt(schema, "properties");
  for (const auto& member : value.GetObject()) {
    const std::string_view name = runtime::ToView(member.name);
    const runtime::JsonValue* const declared = MemberSchema(schema, name);
    if (declared == nullptr) continue;
    const bool property = runtime::Find(properties, name) != nullptr;
    CheckLists(*declared, member.value,
               property ? MemberPath(path, name) : path + "[" + std::string(name) + "]", causes);
  }
}

}  // namespace

bool IsSet(const runtime::JsonValue& schema, std::string_view key) {
  const runtime::JsonValue* const value = runtime::Find(schema, key);
  return value != nullptr && value->IsTrue();
}

const runtime::JsonValue* MemberSchema(const runtime::JsonValue& schema, std::string_view name) {
  if (const runtime::JsonValue* const property =
          runtime::Find(ObjectAt(schema, "properties"), name))
    return property;
  const runtime::JsonValue* const additional = runtime::Find(schema, "additionalProperties");
  return additional != nullptr && additional->IsObject() ? additional : nullptr;
}

bool HasUnknownFields(const runtime::JsonValue& schema, const runtime::JsonValue& value) {
  runtime::JsonDocument pruned;
  pruned.CopyFrom(value, pruned.GetAllocator());
  std::vector<std::string> unknown;
  const bool whole = IsSet(schema, "x-kubernetes-embedded-resource");
  PruneValue(schema, pruned, {.path = "", .whole = whole}, unknown);
  return !unknown.empty();
}

Schema::Schema(const runtime::JsonValue* schema) {
  if (schema == nullptr) return;
  root_.CopyFrom(*schema, root_.GetAllocator());
  types_ = cel::ReadSchema(root_);
  rules_ = std::make_shared<const ValidationRules>(root_);
}

std::vector<std::string> Schema::Prune(runtime::JsonValue& object) const {
  std::vector<std::string> unknown;
  if (!root_.IsObject()) return {};
  PruneValue(root_, object, {.path = "", .whole = true}, unknown);
  DropNullMembers(root_, object);
  std::sort(unknown.begin(), unknown.end());
  return unknown;
}

void Schema::SetDefaults(runtime::JsonDocument& object) const {
  if (root_.IsObject()) DefaultValue(root_, object, object.GetAllocator());
}

RuleReport Schema::CheckRules(const runtime::JsonValue& object, const runtime::JsonValue* live,
                              const std::vector<Cause>& causes) const {
  if (rules_ == nullptr || rules_->empty()) return {};
  if (auto blocking = FindBlockingCause(causes)) return {.causes = {*std::move(blocking)}};
  return rules_->Validate(object, live);
}

std::vector<Cause> Schema::Validate(const runtime::JsonValue& object,
                                    const runtime::JsonValue* live, bool status_only) const {
  if (!root_.IsObject()) return {};
  const auto validate = [&](std::string_view field, const runtime::JsonValue& schema,
                            const runtime::JsonValue& value, const runtime::JsonValue* old,
                            const cel::Schema* types) {
    SchemaValidator validator(field, SchemaValidator::Form::kPublished, patterns_);
    if (types == nullptr) return validator.Validate(schema, value, nullptr);
    const Correlation correlation(value, old, *types);
    return validator.Validate(schema, value, &correlation);
  };
  if (!status_only) return validate("", root_, object, live, types_.get());
  const runtime::JsonValue* const schema = MemberSchema(root_, "status");
  const runtime::JsonValue* const status = runtime::Find(object, "status");
  if (schema == nullptr || status == nullptr) return {};
  const runtime::JsonValue* const old = live == nullptr ? nullptr : runtime::Find(*live, "status");
  return validate("status", *schema, *status, old, types_->Member("status"));
}

std::vector<Cause> Schema::ValidateLists(const runtime::JsonValue& object,
                                         const runtime::JsonValue* live) const {
  std::vector<Cause> causes;
  if (!root_.IsObject()) return causes;
  if (live != nullptr) CheckLists(root_, *live, "", causes);
  if (!causes.empty()) return {};
  CheckLists(root_, object, "", causes);
  return causes;
}

}  // namespace capstan::testing::apiserver
