// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/types/go_fields.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/types/go_values.h"

namespace capstan::testing::apiserver {
namespace {

std::string Joined(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : path + "." + std::string(name);
}

// Returns the type of an element of a list or a map.
Field ElementOf(const Field& field) {
  Field element = field;
  element.shape = Field::Shape::kOne;
  return element;
}

// Returns the message that describes an object in the place of a union.
const Message* SchemaOf(const Message& message) {
  return message.form == Message::Union::kNone ? &message : message.Find(kSchemaField)->message;
}

// Erases the members at the sorted positions.
void Erase(runtime::JsonValue& object, const std::vector<rapidjson::SizeType>& positions) {
  if (positions.empty()) return;
  auto next = positions.begin();
  auto kept = object.MemberBegin();
  rapidjson::SizeType position = 0;
  for (auto member = object.MemberBegin(); object.MemberEnd() - member > 0; ++member, ++position) {
    if (next != positions.end() && *next == position) {
      ++next;
      continue;
    }
    if (kept - member != 0) {
      kept->name = std::move(member->name);
      kept->value = std::move(member->value);
    }
    ++kept;
  }
  object.EraseMember(kept, object.MemberEnd());
}

// Dropper collects the strict errors of one object.
class Dropper {
 public:
  void VisitObject(const Message* message, runtime::JsonValue& object, const std::string& path);
  std::vector<std::string> Take() { return std::move(errors_); }

 private:
  // `field` null: the value is not typed.
  void Visit(const Field* field, runtime::JsonValue& value, const std::string& path);
  void VisitMembers(const Message* message, const Field* element, runtime::JsonValue& object,
                    const std::string& path);
  void Add(const char* what, const std::string& path) {
    constexpr std::size_t kErrorsMax = 100;
    std::string error = std::string(what) + " field \"" + path + "\"";
    if (errors_.size() < kErrorsMax && seen_.insert(error).second) {
      errors_.push_back(std::move(error));
    }
  }

  std::vector<std::string> errors_;
  std::set<std::string> seen_;
};

void Dropper::VisitObject(const Message* message, runtime::JsonValue& object,
                          const std::string& path) {
  VisitMembers(message == nullptr ? nullptr : SchemaOf(*message), nullptr, object, path);
}

// The members are the fields of `message`, or of the type `element`, or of any type.
void Dropper::VisitMembers(const Message* message, const Field* element, runtime::JsonValue& object,
                           const std::string& path) {
  std::map<std::string, rapidjson::SizeType, std::less<>> seen;
  std::vector<rapidjson::SizeType> dropped;
  rapidjson::SizeType position = 0;
  for (auto member = object.MemberBegin(); object.MemberEnd() - member > 0; ++member, ++position) {
    const std::string name(runtime::ToView(member->name));
    const std::string field_path = Joined(path, name);
    const Field* const field = message == nullptr ? element : message->Find(name);
    if (message != nullptr && field == nullptr) {
      Add("unknown", field_path);
      dropped.push_back(position);
      continue;
    }
    if (const auto [at, is_new] = seen.try_emplace(name, position); !is_new) {
      Add("duplicate", field_path);
      dropped.push_back(std::exchange(at->second, position));
    }
    Visit(field, member->value, field_path);
  }
  std::sort(dropped.begin(), dropped.end());
  Erase(object, dropped);
}

void Dropper::Visit(const Field* field, runtime::JsonValue& value, const std::string& path) {
  if (field != nullptr && field->type == FieldType::kJson && field->shape == Field::Shape::kOne) {
    return;  // Go keeps the text
  }
  const bool one = field == nullptr || field->shape == Field::Shape::kOne;
  const Message* const message = field == nullptr ? nullptr : field->message;
  if (value.IsArray()) {
    Field element;
    if (field != nullptr) element = ElementOf(*field);
    for (rapidjson::SizeType i = 0; i < value.Size(); ++i) {
      Visit(field == nullptr ? nullptr : &element, value[i], path + "[" + std::to_string(i) + "]");
    }
  }
  if (!value.IsObject()) return;
  if (one) return VisitObject(message, value, path);
  const Field element = ElementOf(*field);
  if (field->shape == Field::Shape::kMap) VisitMembers(nullptr, &element, value, path);
}

// Returns Go's name of a message's type: "v1.PodSpec" for "core.v1.PodSpec".
std::string GoName(const Message& message) {
  return std::string(message.name.substr(message.name.find('.') + 1));
}

std::string GoType(const Field& field) {
  std::string prefix;
  if (field.shape == Field::Shape::kList) prefix = "[]";
  if (field.shape == Field::Shape::kMap) prefix = "map[string]";
  if (field.message != nullptr) return prefix + GoName(*field.message);
  switch (field.type) {
    case FieldType::kBytes:
      return prefix + "[]uint8";
    case FieldType::kInt32:
    case FieldType::kIntOrString:
      return prefix + "int32";
    case FieldType::kInt64:
      return prefix + "int64";
    case FieldType::kBool:
      return prefix + "bool";
    case FieldType::kDouble:
      return prefix + "float64";
    default:
      return prefix + "string";
  }
}

// Checks one object, and stops at the first error.
class TypeChecker {
 public:
  std::optional<std::string> CheckObject(const Message& message, const runtime::JsonValue& object,
                                         const std::string& path) const;

 private:
  std::optional<std::string> Check(const Message& owner, const Field& field,
                                   const runtime::JsonValue& value, const std::string& path) const;
  static bool Fits(const Field& field, const runtime::JsonValue& value);
};

bool TypeChecker::Fits(const Field& field, const runtime::JsonValue& value) {
  if (field.shape == Field::Shape::kList) return value.IsArray();
  if (field.shape == Field::Shape::kMap) return value.IsObject();
  switch (field.type) {
    case FieldType::kMessage:
      // Go's own decoders of the unions accept other forms.
      return value.IsObject() || field.message->form != Message::Union::kNone;
    case FieldType::kString:
    case FieldType::kBytes:
      return value.IsString();
    case FieldType::kInt32:
      return value.IsInt();
    case FieldType::kInt64:
      return value.IsInt64();
    case FieldType::kBool:
      return value.IsBool();
    case FieldType::kDouble:
      return value.IsNumber();
    case FieldType::kTime:
    case FieldType::kMicroTime:
    case FieldType::kDuration:
      return value.IsString();
    case FieldType::kIntOrString:
      return value.IsString() || value.IsInt();
    default:
      return true;  // these types have decoders of their own
  }
}

std::optional<std::string> TypeChecker::Check(const Message& owner, const Field& field,
                                              const runtime::JsonValue& value,
                                              const std::string& path) const {
  if (value.IsNull()) return std::nullopt;
  if (!Fits(field, value)) {
    std::string given(JsonTypeName(value));
    const bool number = value.IsNumber() && field.shape == Field::Shape::kOne &&
                        (field.type == FieldType::kInt32 || field.type == FieldType::kInt64 ||
                         field.type == FieldType::kIntOrString);
    if (number) given += " " + runtime::ToJson(value);
    const std::string type = GoName(owner);
    return "json: cannot unmarshal " + given + " into Go struct field " +
           type.substr(type.find('.') + 1) + "." + path + " of type " + GoType(field);
  }
  if (field.shape == Field::Shape::kOne) {
    if (field.message == nullptr) return FindBadValue(field.type, value);
    if (!value.IsObject()) return std::nullopt;
    return CheckObject(*SchemaOf(*field.message), value, path);
  }
  const Field element = ElementOf(field);
  if (value.IsArray()) {
    for (const runtime::JsonValue& item : value.GetArray()) {
      if (auto error = Check(owner, element, item, path)) return error;
    }
    return std::nullopt;
  }
  for (const auto& member : value.GetObject()) {
    if (auto error = Check(owner, element, member.value, path)) return error;
  }
  return std::nullopt;
}

std::optional<std::string> TypeChecker::CheckObject(const Message& message,
                                                    const runtime::JsonValue& object,
                                                    const std::string& path) const {
  for (const auto& member : object.GetObject()) {
    const Field* const field = message.Find(runtime::ToView(member.name));
    if (field == nullptr) continue;
    if (auto error = Check(message, *field, member.value, Joined(path, field->name))) return error;
  }
  return std::nullopt;
}

// Returns Go's kind of a value without a type.
std::string_view GoKind(const runtime::JsonValue& value) {
  if (value.IsObject()) return "map";
  if (value.IsArray()) return "slice";
  if (value.IsString()) return "string";
  if (value.IsBool()) return "bool";
  return value.IsInt64() ? "int64" : "float64";
}

std::optional<std::string> FindUnconvertibleField(const Field& field,
                                                  const runtime::JsonValue& value);

std::optional<std::string> FindUnconvertibleMember(const Message& message,
                                                   const runtime::JsonValue& object) {
  for (const auto& member : object.GetObject()) {
    const Field* const field = message.Find(runtime::ToView(member.name));
    if (field == nullptr) continue;
    if (auto error = FindUnconvertibleField(*field, member.value)) return error;
  }
  return std::nullopt;
}

// Returns why a scalar does not fit the type of its field.
std::optional<std::string> FindUnconvertibleValue(const Field& field,
                                                  const runtime::JsonValue& value) {
  const std::string kind(GoKind(value));
  const std::string wanted = GoType(field);
  switch (field.type) {
    case FieldType::kBytes:
      if (value.IsString()) return std::nullopt;
      return "cannot restore slice from " + kind;
    case FieldType::kString:
      if (value.IsString()) return std::nullopt;
      // Go can convert a whole number to a string, though not here.
      if (value.IsInt64()) return "cannot convert int64 to string";
      return "unrecognized type: string";
    case FieldType::kBool:
      if (value.IsBool()) return std::nullopt;
      return "unrecognized type: bool";
    case FieldType::kInt32:
    case FieldType::kInt64:
      if (value.IsInt64()) return std::nullopt;
      if (value.IsNumber()) return "cannot convert float64 to " + wanted;
      return "unrecognized type: " + wanted;
    case FieldType::kDouble:
      if (value.IsNumber()) return std::nullopt;
      return "unrecognized type: " + wanted;
    default:
      return std::nullopt;  // these types have decoders of their own
  }
}

std::optional<std::string> FindUnconvertibleField(const Field& field,
                                                  const runtime::JsonValue& value) {
  if (value.IsNull()) return std::nullopt;
  const std::string kind(GoKind(value));
  const Field element = ElementOf(field);
  switch (field.shape) {
    case Field::Shape::kList:
      if (!value.IsArray()) return "cannot restore slice from " + kind;
      for (const runtime::JsonValue& item : value.GetArray()) {
        if (auto error = FindUnconvertibleField(element, item)) return error;
      }
      return std::nullopt;
    case Field::Shape::kMap:
      if (!value.IsObject()) return "cannot restore map from " + kind;
      for (const auto& member : value.GetObject()) {
        if (auto error = FindUnconvertibleField(element, member.value)) return error;
      }
      return std::nullopt;
    case Field::Shape::kOne:
      break;
  }
  if (field.message == nullptr) return FindUnconvertibleValue(field, value);
  if (field.message->form != Message::Union::kNone) return std::nullopt;
  if (!value.IsObject()) return "cannot restore struct from: " + kind;
  return FindUnconvertibleMember(*field.message, value);
}

}  // namespace

std::string_view JsonTypeName(const runtime::JsonValue& value) {
  if (value.IsObject()) return "object";
  if (value.IsArray()) return "array";
  if (value.IsString()) return "string";
  return value.IsBool() ? "bool" : "number";
}

std::vector<std::string> DropUndecoded(const Message* message, runtime::JsonValue& object) {
  Dropper dropper;
  dropper.VisitObject(message, object, "");
  return dropper.Take();
}

std::optional<std::string> FindWrongType(const Message& message, const runtime::JsonValue& object,
                                         const std::string& path) {
  return TypeChecker().CheckObject(message, object, path);
}

std::optional<std::string> FindUnconvertible(const Message& message,
                                             const runtime::JsonValue& object) {
  return FindUnconvertibleMember(message, object);
}

std::string GoText(const runtime::JsonValue& value) {
  if (value.IsNull()) return "<nil>";
  if (value.IsString()) return std::string(runtime::ToView(value));
  if (value.IsArray()) return "[" + Join(value.GetArray(), " ", GoText) + "]";
  if (!value.IsObject()) return runtime::ToJson(value);
  std::map<std::string_view, const runtime::JsonValue*> members;  // Go sorts the keys
  for (const auto& member : value.GetObject())
    members[runtime::ToView(member.name)] = &member.value;
  const auto text = [](const auto& member) {
    return std::string(member.first) + ":" + GoText(*member.second);
  };
  return "map[" + Join(members, " ", text) + "]";
}

}  // namespace capstan::testing::apiserver
