// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/types/api_types.h"

#include <glog/logging.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <memory>
#include <utility>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/types/json.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kLines[] = {
#include "clientgo/testing/apiserver/types/api_types.inc"
};

constexpr std::array kTypes = std::to_array<std::pair<std::string_view, FieldType>>({
    {"string", FieldType::kString},
    {"bytes", FieldType::kBytes},
    {"int32", FieldType::kInt32},
    {"int64", FieldType::kInt64},
    {"bool", FieldType::kBool},
    {"double", FieldType::kDouble},
    {"IntOrString", FieldType::kIntOrString},
    {"Quantity", FieldType::kQuantity},
    {"Time", FieldType::kTime},
    {"MicroTime", FieldType::kMicroTime},
    {"Duration", FieldType::kDuration},
    {"JSON", FieldType::kJson},
});

using Messages = std::map<std::string_view, Message>;

bool TakePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Returns the text before the first of `separators`, and removes it from `text`.
std::string_view TakeUntil(std::string_view& text, std::string_view separators) {
  const std::string_view taken = text.substr(0, text.find_first_of(separators));
  text.remove_prefix(taken.size());
  return taken;
}

// Reads how server-side apply merges a field: "map/port,protocol". A list without it is merged as
// its patch strategy says.
void ParseMerge(std::string_view text, Field& field) {
  const std::string_view kind = TakeUntil(text, "/");
  if (kind == "atomic") field.merge = Field::Merge::kAtomic;
  if (kind == "granular") field.merge = Field::Merge::kGranular;
  if (kind == "set") field.merge = Field::Merge::kSet;
  if (kind != "map") return;
  field.merge = Field::Merge::kMap;
  field.list_keys = Split(text.substr(1), ',');
}

void InheritMerge(Field& field) {
  if (field.shape != Field::Shape::kList || field.merge != Field::Merge::kDefault) return;
  field.merge = Field::Merge::kAtomic;
  if (field.patch_strategy.find("merge") == std::string_view::npos) return;
  field.merge = field.merge_key.empty() ? Field::Merge::kSet : Field::Merge::kMap;
  if (!field.merge_key.empty()) field.list_keys = {field.merge_key};
}

// Parses one field: "name=2:[]core.v1.Container!~merge/name". hack/api_types.py has the marks.
Field ParseField(std::string_view text, const Messages& messages) {
  Field field{.name = TakeUntil(text, "=")};
  if (field.name == "+") field.name = {};
  text.remove_prefix(1);
  const std::string_view number = TakeUntil(text, ":");
  std::from_chars(number.data(), number.data() + number.size(), field.number);
  text.remove_prefix(1);
  field.pointer = TakePrefix(text, "*");
  if (TakePrefix(text, "[]")) field.shape = Field::Shape::kList;
  if (TakePrefix(text, "map[]")) field.shape = Field::Shape::kMap;
  // The elements of a list or a map are values in Go, too.
  TakePrefix(text, "*");
  const std::string_view type = TakeUntil(text, "?!@%~");
  field.object = TakePrefix(text, "@object");
  const auto scalar = std::find_if(kTypes.begin(), kTypes.end(),
                                   [&](const auto& known) { return known.first == type; });
  if (scalar != kTypes.end()) {
    field.type = scalar->second;
  } else {
    const auto message = messages.find(type);
    CHECK(message != messages.end()) << "api_types.inc lacks " << type;
    field.message = &message->second;
  }
  field.omit_zero = TakePrefix(text, "?");
  field.required = TakePrefix(text, "!");
  if (TakePrefix(text, "@")) ParseMerge(TakeUntil(text, "%~"), field);
  if (TakePrefix(text, "%")) field.default_value = TakeUntil(text, "~");
  if (TakePrefix(text, "~")) {
    field.patch_strategy = TakeUntil(text, "/");
    if (TakePrefix(text, "/")) field.merge_key = text;
  }
  InheritMerge(field);
  return field;
}

Message::Union UnionOf(std::string_view name) {
  if (name.ends_with(".JSONSchemaPropsOrArray")) return Message::Union::kSchemaOrList;
  if (name.ends_with(".JSONSchemaPropsOrBool")) return Message::Union::kSchemaOrBool;
  if (name.ends_with(".JSONSchemaPropsOrStringArray")) return Message::Union::kSchemaOrStrings;
  return Message::Union::kNone;
}

Messages ParseMessages() {
  Messages messages;
  for (const std::string_view line : kLines) {
    const std::string_view label = line.substr(0, line.find(' '));
    const std::string_view name = label.substr(0, label.find('@'));
    messages[name] = Message{.name = name, .form = UnionOf(name), .atomic = name != label};
  }
  for (const std::string_view line : kLines) {
    const auto parts = Split(line, ' ');
    Message& message = messages[parts.front().substr(0, parts.front().find('@'))];
    for (std::size_t i = 1; i < parts.size(); ++i) {
      message.fields.push_back(ParseField(parts[i], messages));
    }
  }
  return messages;
}

const Messages& AllMessages() {
  static const Messages messages = ParseMessages();
  return messages;
}

Json ZeroMembers(const Message& message);

// Returns what Go writes for the zero value of a field; empty: nothing.
std::string ZeroOf(const Field& field) {
  if (field.omit_zero || field.number == 0) return {};
  const bool value = field.shape == Field::Shape::kOne && !field.pointer;
  if (value && field.message != nullptr) return ZeroMembers(*field.message).text();
  if (value && field.type == FieldType::kString) return "\"\"";
  if (value && field.type == FieldType::kQuantity) return "\"0\"";
  if (value && (field.type == FieldType::kInt32 || field.type == FieldType::kInt64 ||
                field.type == FieldType::kIntOrString)) {
    return "0";
  }
  if (value && field.type == FieldType::kBool) return "false";
  return "null";
}

Json ZeroMembers(const Message& message) {
  Json members = Json::Object();
  for (const Field& field : message.fields) {
    if (field.name.empty()) {
      members.AddMembers(ZeroMembers(*field.message).text());
    } else {
      members.Add(field.name, Json::Raw(ZeroOf(field)));
    }
  }
  return members;
}

}  // namespace

const Field* Message::Find(std::string_view json_name) const {
  for (const Field& field : fields) {
    if (!field.name.empty() && field.name == json_name) return &field;
    const Field* const inlined = field.name.empty() ? field.message->Find(json_name) : nullptr;
    if (inlined != nullptr) return inlined;
  }
  return nullptr;
}

const Field* Message::Find(std::uint32_t number) const {
  const auto at = std::find_if(fields.begin(), fields.end(),
                               [&](const Field& field) { return field.number == number; });
  return number == 0 || at == fields.end() ? nullptr : &*at;
}

const Message* FindMessage(std::string_view api_version, std::string_view kind) {
  if (kind == "DeleteOptions") api_version = "meta/v1";  // each group has this kind
  const std::size_t slash = api_version.find('/');
  const bool core = slash == std::string_view::npos;
  const std::string_view group = core ? "core" : api_version.substr(0, slash);
  std::string name(group.substr(0, group.find('.')));
  name.append(".").append(core ? api_version : api_version.substr(slash + 1));
  name.append(".").append(kind);
  const auto at = AllMessages().find(name);
  return at == AllMessages().end() ? nullptr : &at->second;
}

const Message* FindMessage(const Resource& resource) {
  return resource.custom ? nullptr : FindMessage(resource.ApiVersion(), resource.kind);
}

std::string_view ZeroJson(const Resource& resource) {
  static const std::map<const Message*, std::string> all = [] {
    std::map<const Message*, std::string> zeros;
    for (const Resource& one : Resources()) {
      const Message* const message = FindMessage(one);
      if (message == nullptr) continue;
      Message object = *message;
      std::erase_if(object.fields, [](const Field& field) { return field.name == "metadata"; });
      zeros[message] = ZeroMembers(object).text();
    }
    return zeros;
  }();
  const auto at = all.find(FindMessage(resource));
  return at == all.end() ? std::string_view("{}") : std::string_view(at->second);
}

}  // namespace capstan::testing::apiserver
