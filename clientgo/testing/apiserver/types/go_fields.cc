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
#include "clientgo/testing/apiserver/types/go_text.h"
#include "clientgo/testing/apiserver/types/go_values.h"

namespace capstan::testing::apiserver {
namespace {

// Returns the type of an element of a list or a map.
runtime::Field ElementOf(const runtime::Field& field) {
  runtime::Field element = field;
  element.shape = runtime::Field::Shape::kOne;
  return element;
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
  void VisitObject(const runtime::Message* message, runtime::JsonValue& object,
                   const std::string& path);
  std::vector<std::string> Take() { return std::move(errors_); }

 private:
  // `field` null: the value is not typed.
  void Visit(const runtime::Field* field, runtime::JsonValue& value, const std::string& path);
  void VisitMembers(const runtime::Message* message, const runtime::Field* element,
                    runtime::JsonValue& object, const std::string& path);
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

void Dropper::VisitObject(const runtime::Message* message, runtime::JsonValue& object,
                          const std::string& path) {
  VisitMembers(message == nullptr ? nullptr : &message->OfObjects(), nullptr, object, path);
}

// The members are the fields of `message`, or of the type `element`, or of any type.
void Dropper::VisitMembers(const runtime::Message* message, const runtime::Field* element,
                           runtime::JsonValue& object, const std::string& path) {
  std::map<std::string, rapidjson::SizeType, std::less<>> seen;
  std::vector<rapidjson::SizeType> dropped;
  rapidjson::SizeType position = 0;
  for (auto member = object.MemberBegin(); object.MemberEnd() - member > 0; ++member, ++position) {
    const std::string name(runtime::ToView(member->name));
    const std::string field_path = MemberPath(path, name);
    const runtime::Field* const field = message == nullptr ? element : message->Find(name);
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

void Dropper::Visit(const runtime::Field* field, runtime::JsonValue& value,
                    const std::string& path) {
  if (field != nullptr && field->type == runtime::FieldType::kJson &&
      field->shape == runtime::Field::Shape::kOne) {
    return;  // Go keeps the text
  }
  const bool one = field == nullptr || field->shape == runtime::Field::Shape::kOne;
  const runtime::Message* const message = field == nullptr ? nullptr : field->message;
  if (value.IsArray()) {
    runtime::Field element;
    if (field != nullptr) element = ElementOf(*field);
    for (rapidjson::SizeType i = 0; i < value.Size(); ++i) {
      Visit(field == nullptr ? nullptr : &element, value[i], path + "[" + std::to_string(i) + "]");
    }
  }
  if (!value.IsObject()) return;
  if (one) return VisitObject(message, value, path);
  const runtime::Field element = ElementOf(*field);
  if (field->shape == runtime::Field::Shape::kMap) VisitMembers(nullptr, &element, value, path);
}

// Returns Go's name of a message's type: "v1.PodSpec" for "core.v1.PodSpec".
std::string GoName(const runtime::Message& message) {
  return std::string(message.name().substr(message.name().find('.') + 1));
}

std::string GoType(const runtime::Field& field) {
  std::string prefix;
  if (field.shape == runtime::Field::Shape::kList) prefix = "[]";
  if (field.shape == runtime::Field::Shape::kMap) prefix = "map[string]";
  if (field.message != nullptr) return prefix + GoName(*field.message);
  switch (field.type) {
    case runtime::FieldType::kBytes:
      return prefix + "[]uint8";
    case runtime::FieldType::kInt32:
    case runtime::FieldType::kIntOrString:
      return prefix + "int32";
    case runtime::FieldType::kInt64:
      return prefix + "int64";
    case runtime::FieldType::kBool:
      return prefix + "bool";
    case runtime::FieldType::kDouble:
      return prefix + "float64";
    default:
      return prefix + "string";
  }
}

// Checks one object, and stops at the first error.
class TypeChecker {
 public:
  std::optional<std::string> CheckObject(const runtime::Message& message,
                                         const runtime::JsonValue& object,
                                         const std::string& path) const;

 private:
  std::optional<std::string> Check(const runtime::Message& owner, const runtime::Field& field,
                                   const runtime::JsonValue& value, const std::string& path) const;
  static bool Fits(const runtime::Field& field, const runtime::JsonValue& value);
};

bool TypeChecker::Fits(const runtime::Field& field, const runtime::JsonValue& value) {
  if (field.shape == runtime::Field::Shape::kList) return value.IsArray();
  if (field.shape == runtime::Field::Shape::kMap) return value.IsObject();
  switch (field.type) {
    case runtime::FieldType::kMessage:
      // Go's own decoders of the unions accept other forms.
      return value.IsObject() || field.message->form() != runtime::Message::Union::kNone;
    case runtime::FieldType::kString:
    case runtime::FieldType::kBytes:
      return value.IsString();
    case runtime::FieldType::kInt32:
      return value.IsInt();
    case runtime::FieldType::kInt64:
      return value.IsInt64();
    case runtime::FieldType::kBool:
      return value.IsBool();
    case runtime::FieldType::kDouble:
      return value.IsNumber();
    case runtime::FieldType::kTime:
    case runtime::FieldType::kMicroTime:
    case runtime::FieldType::kDuration:
      return value.IsString();
    case runtime::FieldType::kIntOrString:
      return value.IsString() || value.IsInt();
    default:
      return true;  // these types have decoders of their own
  }
}

std::optional<std::string> TypeChecker::Check(const runtime::Message& owner,
                                              const runtime::Field& field,
                                              const runtime::JsonValue& value,
                                              const std::string& path) const {
  if (value.IsNull()) return std::nullopt;
  if (!Fits(field, value)) {
    std::string given(JsonTypeName(value));
    const bool number =
        value.IsNumber() && field.shape == runtime::Field::Shape::kOne &&
        (field.type == runtime::FieldType::kInt32 || field.type == runtime::FieldType::kInt64 ||
         field.type == runtime::FieldType::kIntOrString);
    if (number) given += " " + runtime::ToJson(value);
    const std::string type = GoName(owner);
    return "json: cannot unmarshal " + given + " into Go struct field " +
           type.substr(type.find('.') + 1) + "." + path + " of type " + GoType(field);
  }
  if (field.shape == runtime::Field::Shape::kOne) {
    if (field.message == nullptr) return FindBadValue(field.type, value);
    if (!value.IsObject()) return std::nullopt;
    return CheckObject(field.message->OfObjects(), value, path);
  }
  const runtime::Field element = ElementOf(field);
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

std::optional<std::string> TypeChecker::CheckObject(const runtime::Message& message,
                                                    const runtime::JsonValue& object,
                                                    const std::string& path) const {
  for (const auto& member : object.GetObject()) {
    const runtime::Field* const field = message.Find(runtime::ToView(member.name));
    if (field == nullptr) continue;
    if (auto error = Check(message, *field, member.value, MemberPath(path, field->name)))
      return error;
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

std::optional<std::string> FindUnconvertibleField(const runtime::Field& field,
                                                  const runtime::JsonValue& value);

std::optional<std::string> FindUnconvertibleMember(const runtime::Message& message,
                                                   const runtime::JsonValue& object) {
  for (const auto& member : object.GetObject()) {
    const runtime::Field* const field = message.Find(runtime::ToView(member.name));
    if (field == nullptr) continue;
    if (auto error = FindUnconvertibleField(*field, member.value)) return error;
  }
  return std::nullopt;
}

// Returns why a scalar does not fit the type of its field.
std::optional<std::string> FindUnconvertibleValue(const runtime::Field& field,
                                                  const runtime::JsonValue& value) {
  const std::string kind(GoKind(value));
  const std::string wanted = GoType(field);
  switch (field.type) {
    case runtime::FieldType::kBytes:
      if (value.IsString()) return std::nullopt;
      return "cannot restore slice from " + kind;
    case runtime::FieldType::kString:
      if (value.IsString()) return std::nullopt;
      // Go can convert a whole number to a string, though not here.
      if (value.IsInt64()) return "cannot convert int64 to string";
      return "unrecognized type: string";
    case runtime::FieldType::kBool:
      if (value.IsBool()) return std::nullopt;
      return "unrecognized type: bool";
    case runtime::FieldType::kInt32:
    case runtime::FieldType::kInt64:
      if (value.IsInt64()) return std::nullopt;
      if (value.IsNumber()) return "cannot convert float64 to " + wanted;
      return "unrecognized type: " + wanted;
    case runtime::FieldType::kDouble:
      if (value.IsNumber()) return std::nullopt;
      return "unrecognized type: " + wanted;
    default:
      return std::nullopt;  // these types have decoders of their own
  }
}

std::optional<std::string> FindUnconvertibleField(const runtime::Field& field,
                                                  const runtime::JsonValue& value) {
  if (value.IsNull()) return std::nullopt;
  const std::string kind(GoKind(value));
  const runtime::Field element = ElementOf(field);
  switch (field.shape) {
    case runtime::Field::Shape::kList:
      if (!value.IsArray()) return "cannot restore slice from " + kind;
      for (const runtime::JsonValue& item : value.GetArray()) {
        if (auto error = FindUnconvertibleField(element, item)) return error;
      }
      return std::nullopt;
    case runtime::Field::Shape::kMap:
      if (!value.IsObject()) return "cannot restore map from " + kind;
      for (const auto& member : value.GetObject()) {
        if (auto error = FindUnconvertibleField(element, member.value)) return error;
      }
      return std::nullopt;
    case runtime::Field::Shape::kOne:
      break;
  }
  if (field.message == nullptr) return FindUnconvertibleValue(field, value);
  if (field.message->form() != runtime::Message::Union::kNone) return std::nullopt;
  if (!value.IsObject()) return "cannot restore struct from: " + kind;
  return FindUnconvertibleMember(*field.message, value);
}

// Reports whether Go's encoder omits the field with this value.
bool IsOmitted(const runtime::Field& field, const runtime::JsonValue& value) {
  using Shape = runtime::Field::Shape;
  using Type = runtime::FieldType;
  // An empty list of managers in a request clears them.
  if (!field.omit_zero || field.name == "managedFields") return false;
  if (value.IsNull()) return true;
  if (field.shape == Shape::kList) return value.IsArray() && value.Empty();
  if (field.shape == Shape::kMap) return value.IsObject() && value.ObjectEmpty();
  if (field.pointer) return false;
  switch (field.type) {
    case Type::kString:
    case Type::kBytes:
      return value.IsString() && value.GetStringLength() == 0;
    case Type::kInt32:
    case Type::kInt64:
      return value.IsInt64() && value.GetInt64() == 0;
    case Type::kBool:
      return value.IsFalse();
    default:
      return false;
  }
}

// Sets the zero value of an element of a list or a map. A list or a time stays null.
void SetZero(const runtime::Field& element, runtime::JsonValue& value) {
  using Type = runtime::FieldType;
  switch (element.type) {
    case Type::kMessage:
      value.SetObject();
      break;
    case Type::kString:
    case Type::kBytes:
      value.SetString("");
      break;
    case Type::kQuantity:
      value.SetString("0");
      break;
    case Type::kInt32:
    case Type::kInt64:
      value.SetInt(0);
      break;
    case Type::kBool:
      value.SetBool(false);
      break;
    default:
      break;
  }
}

}  // namespace

std::string_view JsonTypeName(const runtime::JsonValue& value) {
  if (value.IsObject()) return "object";
  if (value.IsArray()) return "array";
  if (value.IsString()) return "string";
  return value.IsBool() ? "bool" : "number";
}

void FillNulls(const runtime::Message& message, runtime::JsonValue& object) {
  if (!object.IsObject() || message.form() != runtime::Message::Union::kNone) return;
  for (auto member = object.MemberBegin(); object.MemberEnd() - member > 0; ++member) {
    const runtime::Field* const field = message.Find(runtime::ToView(member->name));
    if (field == nullptr) continue;
    runtime::JsonValue& value = member->value;
    const runtime::Field element = ElementOf(*field);
    const auto fill = [&](runtime::JsonValue& item) {
      if (item.IsNull()) SetZero(element, item);
      if (element.message != nullptr) FillNulls(*element.message, item);
    };
    if (field->shape == runtime::Field::Shape::kOne) {
      if (field->message != nullptr) FillNulls(*field->message, value);
    } else if (value.IsArray()) {
      for (runtime::JsonValue& item : value.GetArray()) fill(item);
    } else if (value.IsObject()) {
      for (auto item = value.MemberBegin(); value.MemberEnd() - item > 0; ++item) fill(item->value);
    }
  }
}

void DropOmitted(const runtime::Message& message, runtime::JsonValue& object) {
  using Shape = runtime::Field::Shape;
  if (!object.IsObject() || message.form() != runtime::Message::Union::kNone) return;
  for (auto member = object.MemberBegin(); object.MemberEnd() - member > 0;) {
    const runtime::Field* const field = message.Find(runtime::ToView(member->name));
    runtime::JsonValue& value = member->value;
    if (field != nullptr && IsOmitted(*field, value)) {
      member = object.EraseMember(member);
      continue;
    }
    ++member;
    if (field == nullptr || field->message == nullptr) continue;
    if (field->shape == Shape::kOne) {
      DropOmitted(*field->message, value);
    } else if (value.IsArray()) {
      for (runtime::JsonValue& item : value.GetArray()) DropOmitted(*field->message, item);
    } else if (value.IsObject()) {
      for (auto item = value.MemberBegin(); value.MemberEnd() - item > 0; ++item) {
        DropOmitted(*field->message, item->value);
      }
    }
  }
}

std::vector<std::string> DropUndecoded(const runtime::Message* message,
                                       runtime::JsonValue& object) {
  Dropper dropper;
  if (object.IsObject()) dropper.VisitObject(message, object, "");
  return dropper.Take();
}

std::optional<std::string> FindWrongType(const runtime::Message& message,
                                         const runtime::JsonValue& object,
                                         const std::string& path) {
  return TypeChecker().CheckObject(message, object, path);
}

std::optional<std::string> FindUnconvertible(const runtime::Message& message,
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
