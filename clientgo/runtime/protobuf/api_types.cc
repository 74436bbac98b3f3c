// SPDX-License-Identifier: Apache-2.0
#include "clientgo/runtime/protobuf/api_types.h"

#include <glog/logging.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

#include "capstan/mutex.h"
#include "capstan/text.h"

namespace capstan::runtime {
namespace {

// Package has one line for each of its messages, in the order of their names.
struct Package {
  std::string_view name;  // "core.v1"
  std::string_view group;
  std::string_view lines;
};

constexpr auto kPackages = std::to_array<Package>({
#include "clientgo/runtime/protobuf/api_types.inc"
});

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
    {"Strings", FieldType::kStrings},
});

struct Line {
  std::string_view group;
  std::string_view text;  // empty: there is none
};

// Returns the line of the message "core.v1.Pod".
Line FindLine(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return {};
  const auto* const package =
      std::find_if(kPackages.begin(), kPackages.end(),
                   [&](const Package& each) { return each.name == name.substr(0, dot); });
  if (package == kPackages.end()) return {};
  std::string_view rest = package->lines;
  while (!rest.empty()) {
    const std::size_t middle = rest.size() / 2;
    const std::size_t begin = middle == 0 ? 0 : rest.rfind('\n', middle - 1) + 1;
    const std::string_view line = rest.substr(begin, rest.find('\n', begin) - begin);
    const int order = line.substr(0, line.find_first_of(" :;@")).compare(name.substr(dot + 1));
    if (order == 0) return {.group = package->group, .text = line};
    rest = order > 0 ? rest.substr(0, begin) : rest.substr(begin + line.size() + 1);
  }
  return {};
}

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

// Parses one field: "name=2[]:core.v1.Container!~merge/name". hack/api_types.py has the marks.
Field ParseField(std::string_view text, std::string_view package) {
  Field field{.name = TakeUntil(text, "=")};
  if (field.name == "+") field.name = {};
  text.remove_prefix(1);
  const char* const number = text.data();
  const char* const end = std::from_chars(number, number + text.size(), field.number).ptr;
  text.remove_prefix(static_cast<std::size_t>(end - number));
  field.pointer = TakePrefix(text, "*");
  if (TakePrefix(text, "[]")) field.shape = Field::Shape::kList;
  if (TakePrefix(text, "map[]")) field.shape = Field::Shape::kMap;
  // The elements of a list or a map are values in Go, too.
  TakePrefix(text, "*");
  const bool has_type = TakePrefix(text, ":");
  const std::string_view type = has_type ? TakeUntil(text, "?!@%~") : "string";
  field.object = has_type && TakePrefix(text, "@object");
  const auto scalar = std::find_if(kTypes.begin(), kTypes.end(),
                                   [&](const auto& known) { return known.first == type; });
  if (scalar != kTypes.end()) {
    field.type = scalar->second;
  } else {
    const std::string name = std::string(type.starts_with('.') ? package : "").append(type);
    field.message = MessageNamed(name);
    CHECK(field.message != nullptr) << "api_types.inc lacks " << name;
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

// Returns the fields of the message in another version of its group.
std::string_view FieldsOfVersion(std::string_view name, std::string_view version) {
  std::string other(name.substr(0, name.find('.') + 1));
  other.append(version).append(name.substr(name.rfind('.')));
  std::string_view line = FindLine(other).text;
  TakeUntil(line, " ");
  return Trim(line, " ");
}

Message::Union UnionOf(std::string_view name) {
  if (name.ends_with(".JSONSchemaPropsOrArray")) return Message::Union::kSchemaOrList;
  if (name.ends_with(".JSONSchemaPropsOrBool")) return Message::Union::kSchemaOrBool;
  if (name.ends_with(".JSONSchemaPropsOrStringArray")) return Message::Union::kSchemaOrStrings;
  return Message::Union::kNone;
}

}  // namespace

const Message* MessageNamed(std::string_view name) {
  static Mutex mutex;
  static auto& messages = *new std::map<std::string, Message, std::less<>>;
  MutexLock lock(mutex);
  const auto known = messages.find(name);
  if (known != messages.end()) return &known->second;
  const Line line = FindLine(name);
  if (line.text.empty()) return nullptr;
  return &messages.try_emplace(std::string(name), name, line.group, line.text).first->second;
}

Message::Message(std::string_view name, std::string_view group, std::string_view line)
    : name_(name), group_(group), form_(UnionOf(name)) {
  TakeUntil(line, " :;@");
  has_kind_fields_ = TakePrefix(line, ":");
  is_kind_ = has_kind_fields_ || TakePrefix(line, ";");
  atomic_ = TakePrefix(line, "@atomic");
  TakePrefix(line, " ");
  line_ = TakePrefix(line, ">") ? FieldsOfVersion(name_, line) : line;
}

const std::vector<Field>& Message::fields() const {
  std::call_once(parsed_, [this] {
    const std::string package = name_.substr(0, name_.rfind('.'));
    if (has_kind_fields_) {
      for (const char* const text : {"kind=0?", "apiVersion=0?", "metadata=1:meta.v1.ObjectMeta"}) {
        fields_.push_back(ParseField(text, package));
      }
    }
    for (const std::string_view text : Split(line_, ' ')) {
      if (!text.empty()) fields_.push_back(ParseField(text, package));
    }
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const std::uint32_t number = fields_[i].number;
      if (number == 0) continue;
      if (by_number_.size() <= number) by_number_.resize(number + 1);
      by_number_[number] = static_cast<std::uint8_t>(i + 1);
    }
  });
  return fields_;
}

const Field* Message::Find(std::string_view json_name) const {
  for (const Field& field : fields()) {
    if (!field.name.empty() && field.name == json_name) return &field;
    const Field* const inlined = field.name.empty() ? field.message->Find(json_name) : nullptr;
    if (inlined != nullptr) return inlined;
  }
  return nullptr;
}

const Field* Message::Find(std::uint32_t number) const {
  const auto& all = fields();
  const unsigned index = number < by_number_.size() ? by_number_[number] : 0U;
  return index == 0 ? nullptr : &all[index - 1];
}

const Message* FindMessage(std::string_view api_version, std::string_view kind) {
  const std::size_t slash = api_version.find('/');
  if (api_version.empty() || slash == 0 || slash != api_version.rfind('/')) return nullptr;
  const bool core = slash == std::string_view::npos;
  const std::string_view group = core ? "" : api_version.substr(0, slash);
  // Each group has these kinds.
  if (kind == "DeleteOptions" || kind == "Status") {
    return MessageNamed(std::string("meta.v1.").append(kind));
  }
  std::string name(core ? "core" : group.substr(0, group.find('.')));
  name.append(".").append(core ? api_version : api_version.substr(slash + 1));
  name.append(".").append(kind);
  const Message* const message = MessageNamed(name);
  // Another project's group may begin with the same word.
  const bool found = message != nullptr && message->is_kind() && message->group() == group;
  return found ? message : nullptr;
}

}  // namespace capstan::runtime
