// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/types/protobuf_encoder.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>

#include "capstan/base64.h"
#include "capstan/time.h"
#include "clientgo/runtime/protobuf/protobuf_filter.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {
namespace {

using runtime::Field;
using runtime::FieldType;
using runtime::JsonValue;
using runtime::Message;
using runtime::WireType;

// Writer appends fields to a message.
class Writer {
 public:
  void Varint(std::uint64_t value) { runtime::AppendVarint(value, text_); }
  void Integer(std::uint32_t number, std::uint64_t value) {
    Tag(number, WireType::kVarint);
    Varint(value);
  }
  void Fixed64(std::uint32_t number, std::uint64_t value) {
    Tag(number, WireType::kFixed64);
    for (int i = 0; i < 8; ++i, value >>= 8U) text_ += static_cast<char>(value & 0xffU);
  }
  void Bytes(std::uint32_t number, std::string_view bytes) {
    Tag(number, WireType::kBytes);
    Varint(bytes.size());
    text_ += bytes;
  }
  std::string Take() { return std::move(text_); }
  std::string& text() { return text_; }

 private:
  void Tag(std::uint32_t number, WireType type) {
    Varint((std::uint64_t{number} << 3U) | static_cast<std::uint64_t>(type));
  }

  std::string text_;
};

std::string_view Text(const JsonValue* value) {
  return value != nullptr && value->IsString() ? runtime::ToView(*value) : std::string_view();
}

std::int64_t Number(const JsonValue* value) {
  if (value == nullptr || !value->IsNumber()) return 0;
  return value->IsInt64() ? value->GetInt64() : static_cast<std::int64_t>(value->GetDouble());
}

std::string EncodeTime(const JsonValue* value) {
  const auto time = ParseNearestTime(Text(value));
  if (!time) return {};
  using std::chrono::duration_cast;
  const auto since = time->time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  Writer writer;
  writer.Integer(1, static_cast<std::uint64_t>(seconds.count()));
  writer.Integer(2, static_cast<std::uint64_t>(
                        duration_cast<std::chrono::nanoseconds>(since - seconds).count()));
  return writer.Take();
}

std::string EncodeIntOrString(const JsonValue* value) {
  const bool text = value != nullptr && value->IsString();
  Writer writer;
  writer.Integer(1, text ? 1 : 0);
  writer.Integer(2, text ? 0 : static_cast<std::uint64_t>(Number(value)));
  writer.Bytes(3, Text(value));
  return writer.Take();
}

// Returns a message whose first field is a text.
std::string EncodeText(std::string_view text) {
  Writer writer;
  writer.Bytes(1, text);
  return writer.Take();
}

std::string EncodeUnion(const Message& message, const JsonValue& value) {
  Writer writer;
  if (value.IsBool()) {
    writer.Integer(1, value.GetBool() ? 1 : 0);
    return writer.Take();
  }
  // The schema of a boolean is the second field; that of a list the first.
  const bool boolean = message.form() == Message::Union::kSchemaOrBool;
  const Field& schema = *message.Find(runtime::kSchemaField);
  if (value.IsObject()) {
    if (boolean) writer.Integer(1, 1);
    writer.Bytes(schema.number, EncodeMessage(*schema.message, value));
  }
  if (!value.IsArray()) return writer.Take();
  for (const JsonValue& element : value.GetArray()) {
    writer.Bytes(2, message.form() == Message::Union::kSchemaOrList
                        ? EncodeMessage(*schema.message, element)
                        : std::string(Text(&element)));
  }
  return writer.Take();
}

// Writes one value of a field, also if `value` is null: then it is the zero value.
void EncodeValue(const Field& field, std::uint32_t number, const JsonValue* value, Writer& to) {
  static const JsonValue empty(rapidjson::kObjectType);
  switch (field.type) {
    case FieldType::kMessage: {
      if (field.message->form() != Message::Union::kNone) {
        return to.Bytes(number, value == nullptr ? "" : EncodeUnion(*field.message, *value));
      }
      const bool object = value != nullptr && value->IsObject();
      return to.Bytes(number, EncodeMessage(*field.message, object ? *value : empty));
    }
    case FieldType::kString:
      return to.Bytes(number, Text(value));
    case FieldType::kBytes:
      return to.Bytes(number, Base64Decode(Text(value)).value_or(""));
    case FieldType::kInt32:
    case FieldType::kInt64:
      return to.Integer(number, static_cast<std::uint64_t>(Number(value)));
    case FieldType::kBool:
      return to.Integer(number, value != nullptr && value->IsTrue() ? 1 : 0);
    case FieldType::kDouble:
      return to.Fixed64(number, std::bit_cast<std::uint64_t>(value != nullptr && value->IsNumber()
                                                                 ? value->GetDouble()
                                                                 : 0.0));
    case FieldType::kIntOrString:
      return to.Bytes(number, EncodeIntOrString(value));
    case FieldType::kQuantity:
      return to.Bytes(number, EncodeText(value == nullptr    ? "0"
                                         : value->IsString() ? std::string(Text(value))
                                                             : runtime::ToJson(*value)));
    case FieldType::kTime:
    case FieldType::kMicroTime:
      return to.Bytes(number, EncodeTime(value));
    case FieldType::kDuration: {
      Writer writer;
      const auto duration = ParseDuration(Text(value));
      writer.Integer(1, static_cast<std::uint64_t>(
                            duration ? std::chrono::nanoseconds(*duration).count() : 0));
      return to.Bytes(number, writer.Take());
    }
    case FieldType::kJson:
      return to.Bytes(number, value == nullptr ? "" : EncodeText(runtime::ToJson(*value)));
    case FieldType::kStrings: {
      Writer writer;
      if (value != nullptr && value->IsArray()) {
        for (const JsonValue& element : value->GetArray()) writer.Bytes(1, Text(&element));
      }
      return to.Bytes(number, writer.Take());
    }
  }
}

void EncodeMap(const Field& field, const JsonValue& map, Writer& to) {
  std::map<std::string_view, const JsonValue*> sorted;
  for (const auto& member : map.GetObject()) {
    sorted[runtime::ToView(member.name)] = &member.value;
  }
  for (const auto& [key, value] : sorted) {
    Writer entry;
    entry.Bytes(1, key);
    EncodeValue(field, 2, value, entry);
    to.Bytes(field.number, entry.Take());
  }
}

void EncodeField(const Field& field, const JsonValue& object, Writer& to) {
  if (field.name.empty()) return to.Bytes(field.number, EncodeMessage(*field.message, object));
  const JsonValue* const value = runtime::FindNonNull(object, field.name);
  switch (field.shape) {
    case Field::Shape::kList:
      if (value == nullptr || !value->IsArray()) return;
      for (const JsonValue& element : value->GetArray()) {
        EncodeValue(field, field.number, &element, to);
      }
      return;
    case Field::Shape::kMap:
      if (value != nullptr && value->IsObject()) EncodeMap(field, *value, to);
      return;
    case Field::Shape::kOne:
      // In Go, bytes and raw JSON are slices, which may be nil.
      if (value != nullptr || (!field.pointer && field.type != FieldType::kBytes)) {
        EncodeValue(field, field.number, value, to);
      }
  }
}

std::string EncodeTypeMeta(std::string_view api_version, std::string_view kind) {
  Writer type;
  type.Bytes(1, api_version);
  type.Bytes(2, kind);
  return type.Take();
}

}  // namespace

std::string EncodeMessage(const Message& message, const JsonValue& object) {
  std::vector<const Field*> fields;
  for (const Field& field : message.fields()) {
    if (field.number != 0) fields.push_back(&field);
  }
  std::sort(fields.begin(), fields.end(),
            [](const Field* a, const Field* b) { return a->number < b->number; });
  Writer writer;
  for (const Field* field : fields) EncodeField(*field, object, writer);
  return writer.Take();
}

std::string ProtobufFromJson(const JsonValue& object) {
  const std::string_view api_version = runtime::GetString(object, "apiVersion");
  const std::string_view kind = runtime::GetString(object, "kind");
  const Message* const message = runtime::FindMessage(api_version, kind);
  if (message == nullptr) return {};
  Writer unknown;
  unknown.text() = runtime::kProtobufPrefix;
  unknown.Bytes(1, EncodeTypeMeta(api_version, kind));
  unknown.Bytes(2, EncodeMessage(*message, object));
  unknown.text() += kProtobufTail;
  return unknown.Take();
}

std::string ProtobufFromText(std::string_view json) {
  std::string error;
  const auto object = ParseJson(json, &error);
  return object == nullptr ? std::string() : ProtobufFromJson(*object);
}

std::string EncodeWatchEvent(std::string_view type, std::string_view object) {
  Writer event;
  event.Bytes(1, type);
  event.Bytes(2, EncodeText(object));
  const std::string text = event.Take();
  std::string frame;
  for (int shift = 24; shift >= 0; shift -= 8) {
    frame += static_cast<char>((text.size() >> static_cast<unsigned>(shift)) & 0xffU);
  }
  return frame + text;
}

std::string EncodeListHead(const JsonValue& list_head, std::size_t items_bytes) {
  static const Field metadata = [] {
    Field field{.name = "metadata", .number = 1};
    field.message = runtime::MessageNamed("meta.v1.ListMeta");
    return field;
  }();
  Writer list;
  EncodeField(metadata, list_head, list);
  const std::string head = list.Take();
  Writer unknown;
  unknown.text() = runtime::kProtobufPrefix;
  unknown.Bytes(1, EncodeTypeMeta(runtime::GetString(list_head, "apiVersion"),
                                  runtime::GetString(list_head, "kind")));
  unknown.Varint((2U << 3U) | static_cast<unsigned>(WireType::kBytes));
  unknown.Varint(head.size() + items_bytes);
  unknown.text() += head;
  return unknown.Take();
}

std::string EncodeListItem(const Message& message, const JsonValue& item) {
  Writer list;
  list.Bytes(2, EncodeMessage(message, item));
  return list.Take();
}

}  // namespace capstan::testing::apiserver
