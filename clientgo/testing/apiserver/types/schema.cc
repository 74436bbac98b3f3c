// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/types/schema.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "capstan/runtime/json_writer.h"
#include "capstan/text.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kNullable = "nullable";
constexpr std::string_view kPreserve = "x-kubernetes-preserve-unknown-fields";

bool IsIntOrString(const runtime::JsonValue& schema) {
  return IsSet(schema, "x-kubernetes-int-or-string");
}

std::string MemberPath(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : path + "." + std::string(name);
}

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

void DropNullMembers(const runtime::JsonValue& schema, runtime::JsonValue& value) {
  if (value.IsArray()) {
    const runtime::JsonValue& items = ObjectAt(schema, "items");
    for (runtime::JsonValue& item : value.GetArray()) DropNullMembers(items, item);
  }
  if (!value.IsObject()) return;
  for (auto member = value.MemberBegin(); value.MemberEnd() - member > 0;) {
    const runtime::JsonValue* const declared = MemberSchema(schema, runtime::ToView(member->name));
    const bool drop = declared != nullptr && member->value.IsNull() && !IsSet(*declared, kNullable);
    if (declared != nullptr && !drop) DropNullMembers(*declared, member->value);
    member = drop ? value.EraseMember(member) : member + 1;
  }
}

void DefaultValue(const runtime::JsonValue& schema, runtime::JsonValue& value,
                  JsonAllocator& allocator) {
  if (value.IsArray()) {
    const runtime::JsonValue& items = ObjectAt(schema, "items");
    for (runtime::JsonValue& item : value.GetArray()) DefaultValue(items, item, allocator);
  }
  if (!value.IsObject()) return;
  for (auto member = value.MemberBegin(); value.MemberEnd() - member > 0;) {
    const runtime::JsonValue* const declared = MemberSchema(schema, runtime::ToView(member->name));
    const bool drop = declared != nullptr && member->value.IsNull() && !IsSet(*declared, kNullable);
    member = drop ? value.EraseMember(member) : member + 1;
  }
  for (const auto& property : ObjectAt(schema, "properties").GetObject()) {
    const std::string_view name = runtime::ToView(property.name);
    const runtime::JsonValue* const fallback = runtime::Find(property.value, "default");
    if (fallback == nullptr || runtime::Find(value, name) != nullptr) continue;
    Set(value, name, runtime::JsonValue(*fallback, allocator), allocator);
  }
  for (auto member = value.MemberBegin(); value.MemberEnd() - member > 0; ++member) {
    const runtime::JsonValue* const declared = MemberSchema(schema, runtime::ToView(member->name));
    if (declared != nullptr) DefaultValue(*declared, member->value, allocator);
  }
}

std::string TypeName(const runtime::JsonValue& value) {
  if (value.IsObject()) return "object";
  if (value.IsArray()) return "array";
  if (value.IsString()) return "string";
  if (value.IsBool()) return "boolean";
  if (value.IsNull()) return "null";
  const bool whole = !value.IsDouble() || std::floor(value.GetDouble()) == value.GetDouble();
  return whole ? "integer" : "number";
}

// SchemaValidator collects the causes of one object.
class SchemaValidator {
 public:
  // Error texts name the field from `prefix` on, as kube-apiserver does for a status.
  SchemaValidator(std::string_view prefix, Patterns& patterns)
      : prefix_(prefix), patterns_(patterns) {}

  void Check(const runtime::JsonValue& schema, const runtime::JsonValue& value,
             const std::string& path);
  std::vector<Cause> Take() { return std::move(causes_); }

 private:
  void CheckNumber(const runtime::JsonValue& schema, const runtime::JsonValue& value,
                   const std::string& path);
  void CheckString(const runtime::JsonValue& schema, const runtime::JsonValue& value,
                   const std::string& path);
  void CheckArray(const runtime::JsonValue& schema, const runtime::JsonValue& value,
                  const std::string& path);
  void CheckObject(const runtime::JsonValue& schema, const runtime::JsonValue& value,
                   const std::string& path);
  void CheckEnum(const runtime::JsonValue& schema, const runtime::JsonValue& value,
                 const std::string& path);
  void CheckSize(const runtime::JsonValue& schema, const runtime::JsonValue& value,
                 const std::string& path, std::size_t size, const char* least, const char* most);

  // Adds "Invalid value: <shown>: <path> in body <what>".
  void AddInvalid(const std::string& path, const std::string& shown, const std::string& what) {
    std::string_view name = path;
    if (name.starts_with(prefix_)) name.remove_prefix(prefix_.size());
    if (path + "." == prefix_) name = {};
    causes_.push_back(
        {.reason = "FieldValueInvalid",
         .message = "Invalid value: " + shown + ": " + std::string(name) + " in body " + what,
         .field = path});
  }
  void AddWrongType(const std::string& path, const std::string& shown, const std::string& type) {
    AddInvalid(path, shown, "must be of type " + type + ": " + shown);
    causes_.back().reason = "FieldValueTypeInvalid";
  }

  std::string_view prefix_;
  Patterns& patterns_;
  std::vector<Cause> causes_;
};

void SchemaValidator::Check(const runtime::JsonValue& schema, const runtime::JsonValue& value,
                            const std::string& path) {
  if (value.IsNull() && IsSet(schema, kNullable)) return;
  const std::string type(IsIntOrString(schema) ? "integer,string"
                                               : runtime::GetString(schema, "type"));
  const std::string actual = TypeName(value);
  const bool fits = type.empty() || actual == type || (type == "number" && actual == "integer") ||
                    (IsIntOrString(schema) && (actual == "integer" || actual == "string"));
  if (!fits) return AddWrongType(path, Quote(actual), type);
  if (value.IsNumber()) CheckNumber(schema, value, path);
  if (value.IsString()) CheckString(schema, value, path);
  if (value.IsArray()) CheckArray(schema, value, path);
  if (value.IsObject()) CheckObject(schema, value, path);
  CheckEnum(schema, value, path);
}

void SchemaValidator::CheckNumber(const runtime::JsonValue& schema, const runtime::JsonValue& value,
                                  const std::string& path) {
  const double number = value.GetDouble();
  const auto limit = [&](const char* key, const char* exclusive, bool below) {
    const runtime::JsonValue* const bound = runtime::Find(schema, key);
    if (bound == nullptr || !bound->IsNumber()) return;
    const bool open = IsSet(schema, exclusive);
    const double edge = bound->GetDouble();
    const bool outside = below ? number < edge : number > edge;
    if (!outside && (!open || number != edge)) return;
    AddInvalid(path, runtime::ToJson(value),
               std::string("should be ") + (below ? "greater" : "less") + " than " +
                   (open ? "" : "or equal to ") + runtime::ToJson(*bound));
  };
  limit("minimum", "exclusiveMinimum", true);
  limit("maximum", "exclusiveMaximum", false);
  const runtime::JsonValue* const unit = runtime::Find(schema, "multipleOf");
  if (unit == nullptr || !unit->IsNumber() || unit->GetDouble() == 0) return;
  if (std::fmod(number, unit->GetDouble()) == 0) return;
  AddInvalid(path, runtime::ToJson(value), "should be a multiple of " + runtime::ToJson(*unit));
}

void SchemaValidator::CheckString(const runtime::JsonValue& schema, const runtime::JsonValue& value,
                                  const std::string& path) {
  const std::string text(runtime::ToView(value));
  const auto length = std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;  // not inside a UTF-8 sequence
  });
  const runtime::JsonValue* const least = runtime::Find(schema, "minLength");
  if (least != nullptr && least->IsInt64() && length < least->GetInt64()) {
    AddInvalid(path, Quote(text),
               "should be at least " + std::to_string(least->GetInt64()) + " chars long");
  }
  const runtime::JsonValue* const most = runtime::Find(schema, "maxLength");
  if (most != nullptr && most->IsInt64() && length > most->GetInt64()) {
    causes_.push_back(
        {.reason = "FieldValueTooLong",
         .message = "Too long: may not be more than " + std::to_string(most->GetInt64()) + " bytes",
         .field = path});
  }
  const std::string pattern(runtime::GetString(schema, "pattern"));
  if (!pattern.empty() && !patterns_.try_emplace(pattern, pattern).first->second.Matches(text)) {
    AddInvalid(path, Quote(text), "should match '" + pattern + "'");
  }
  if (runtime::GetString(schema, "format") != "date-time") return;
  static const cel::GoRegexp date_time(
      R"(^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$)");
  if (!date_time.Matches(text)) {
    AddWrongType(path, Quote(text), "date-time");
  }
}

void SchemaValidator::CheckSize(const runtime::JsonValue& schema,
                                const runtime::JsonValue& /*value*/, const std::string& path,
                                std::size_t size, const char* least, const char* most) {
  const std::string what = std::string_view(least) == "minItems" ? "items" : "properties";
  const runtime::JsonValue* const low = runtime::Find(schema, least);
  if (low != nullptr && low->IsUint64() && size < low->GetUint64()) {
    AddInvalid(path, std::to_string(size),
               "should have at least " + std::to_string(low->GetUint64()) + " " + what);
  }
  const runtime::JsonValue* const high = runtime::Find(schema, most);
  if (high == nullptr || !high->IsUint64() || size <= high->GetUint64()) return;
  causes_.push_back({.reason = "FieldValueTooMany",
                     .message = "Too many: " + std::to_string(size) + ": must have at most " +
                                std::to_string(high->GetUint64()) + " items",
                     .field = path});
}

void SchemaValidator::CheckArray(const runtime::JsonValue& schema, const runtime::JsonValue& value,
                                 const std::string& path) {
  CheckSize(schema, value, path, value.Size(), "minItems", "maxItems");
  const runtime::JsonValue& items = ObjectAt(schema, "items");
  for (rapidjson::SizeType i = 0; i < value.Size(); ++i) Check(items, value[i], Item(path, i));
}

void SchemaValidator::CheckObject(const runtime::JsonValue& schema, const runtime::JsonValue& value,
                                  const std::string& path) {
  CheckSize(schema, value, path, value.MemberCount(), "minProperties", "maxProperties");
  for (const runtime::JsonValue& name : ListAt(schema, "required").GetArray()) {
    if (!name.IsString() || runtime::Find(value, runtime::ToView(name)) != nullptr) continue;
    causes_.push_back(Required(MemberPath(path, runtime::ToView(name)), ""));
  }
  for (const auto& member : value.GetObject()) {
    const std::string_view name = runtime::ToView(member.name);
    if (path.empty() && IsTypeOrMetadata(name)) continue;
    const runtime::JsonValue* const declared = MemberSchema(schema, name);
    if (declared != nullptr) Check(*declared, member.value, MemberPath(path, name));
  }
}

void SchemaValidator::CheckEnum(const runtime::JsonValue& schema, const runtime::JsonValue& value,
                                const std::string& path) {
  const runtime::JsonValue& allowed = ListAt(schema, "enum");
  if (allowed.Empty() || std::find(allowed.Begin(), allowed.End(), value) != allowed.End()) return;
  causes_.push_back(
      NotSupported(path, runtime::ToJson(value), Join(allowed.GetArray(), ", ", runtime::ToJson)));
}

// Returns the object as JSON with the members in order.
std::string SortedJson(const runtime::JsonValue& object, std::vector<std::string_view> names) {
  std::sort(names.begin(), names.end());
  Json sorted = Json::Object();
  for (const std::string_view name : names) {
    const runtime::JsonValue* const value = runtime::Find(object, name);
    if (value != nullptr) sorted.Add(name, *value);
  }
  return sorted.text();
}

// Returns what identifies an element of a list, as JSON.
std::string IdentityOf(const runtime::JsonValue& schema, const runtime::JsonValue& element) {
  std::vector<std::string_view> names;
  if (runtime::GetString(schema, "x-kubernetes-list-type") == "map") {
    for (const runtime::JsonValue& key : ListAt(schema, "x-kubernetes-list-map-keys").GetArray()) {
      names.push_back(runtime::ToView(key));
    }
  } else if (element.IsObject()) {
    for (const auto& member : element.GetObject()) names.push_back(runtime::ToView(member.name));
  } else {
    return runtime::ToJson(element);
  }
  return element.IsObject() ? SortedJson(element, std::move(names)) : "{}";
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
                      .message = "Invalid value: " + runtime::ToJson(list[i]) +
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

std::vector<Cause> ValidateDefault(const runtime::JsonValue& schema,
                                   const runtime::JsonValue& value, const std::string& path) {
  runtime::JsonDocument pruned;
  pruned.CopyFrom(value, pruned.GetAllocator());
  std::vector<std::string> unknown;
  PruneValue(schema, pruned, {}, unknown);
  std::vector<Cause> causes;
  if (!unknown.empty()) {
    causes.push_back(
        {.reason = "FieldValueInvalid",
         .message = "Invalid value: " + runtime::ToJson(value) + ": must not have unknown fields",
         .field = path});
  }
  const std::string prefix = path + ".";
  Patterns patterns;
  SchemaValidator validator(prefix, patterns);
  validator.Check(schema, value, path);
  const auto more = validator.Take();
  causes.insert(causes.end(), more.begin(), more.end());
  return causes;
}

std::vector<std::string> Schema::Prune(runtime::JsonValue& object) const {
  std::vector<std::string> unknown;
  if (root_.IsObject()) PruneValue(root_, object, {.path = "", .whole = true}, unknown);
  std::sort(unknown.begin(), unknown.end());
  return unknown;
}

void Schema::DropNulls(runtime::JsonValue& object) const {
  if (root_.IsObject()) DropNullMembers(root_, object);
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

std::vector<Cause> Schema::Validate(const runtime::JsonValue& object, bool status_only) const {
  if (!root_.IsObject()) return {};
  if (!status_only) {
    SchemaValidator validator("", patterns_);
    validator.Check(root_, object, "");
    auto causes = validator.Take();
    CheckLists(root_, object, "", causes);
    return causes;
  }
  const runtime::JsonValue* const schema = MemberSchema(root_, "status");
  const runtime::JsonValue* const status = runtime::Find(object, "status");
  SchemaValidator validator("status.", patterns_);
  if (schema != nullptr && status != nullptr) validator.Check(*schema, *status, "status");
  auto causes = validator.Take();
  CheckLists(root_, object, "", causes);
  return causes;
}

}  // namespace capstan::testing::apiserver
