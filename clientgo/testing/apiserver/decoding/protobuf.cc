// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/decoding/protobuf.h"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "capstan/base64.h"
#include "capstan/runtime/json_writer.h"
#include "capstan/time.h"
#include "clientgo/testing/apiserver/types/api_types.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kPrefix("k8s\0", 4);
// Above any Kubernetes object, and below the limit of the JSON parser.
constexpr int kMessageDepthMax = 100;

enum class WireType { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// WireField is one field of a message: its number, and its value as an integer or as bytes.
struct WireField {
  std::uint32_t number = 0;
  WireType type = WireType::kVarint;
  std::uint64_t integer = 0;
  std::string_view bytes = {};
};

// WireReader reads the fields of a message, and keeps the first error.
class WireReader {
 public:
  explicit WireReader(std::string_view text) : text_(text) {}

  // Returns false at the end, and after an error.
  bool Next(WireField& field) {
    if (text_.empty() || !error_.empty()) return false;
    const std::uint64_t tag = Varint();
    field = {.number = static_cast<std::uint32_t>(tag >> 3U),
             .type = static_cast<WireType>(tag & 7U)};
    if (error_.empty() && field.number == 0) error_ = "proto: illegal tag 0";
    if (!error_.empty()) return false;
    switch (field.type) {
      case WireType::kVarint:
        field.integer = Varint();
        break;
      case WireType::kFixed64:
        field.integer = Fixed(sizeof(std::uint64_t));
        break;
      case WireType::kFixed32:
        field.integer = Fixed(sizeof(std::uint32_t));
        break;
      case WireType::kBytes:
        field.bytes = Take(Varint());
        break;
      default:
        error_ = "proto: illegal wireType " + std::to_string(tag & 7U);
    }
    return error_.empty();
  }
  const std::string& error() const { return error_; }

 private:
  std::string_view Take(std::uint64_t size) {
    if (!error_.empty()) return {};
    if (size > text_.size()) {
      error_ = "unexpected EOF";
      return {};
    }
    const std::string_view taken = text_.substr(0, static_cast<std::size_t>(size));
    text_.remove_prefix(taken.size());
    return taken;
  }

  std::uint64_t Varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::string_view byte = Take(1);
      if (byte.empty()) return 0;
      const auto bits = static_cast<unsigned char>(byte.front());
      value |= static_cast<std::uint64_t>(bits & 0x7fU) << shift;
      if ((bits & 0x80U) == 0) return value;
    }
    error_ = "proto: integer overflow";
    return 0;
  }

  std::uint64_t Fixed(std::size_t size) {
    std::uint64_t value = 0;
    const std::string_view bytes = Take(size);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8U * i);
    }
    return value;
  }

  std::string_view text_;
  std::string error_;
};

// Reports whether the wire type fits the field.
bool Fits(const Field& field, WireType type) {
  if (field.shape == Field::Shape::kMap) return type == WireType::kBytes;
  switch (field.type) {
    case FieldType::kInt32:
    case FieldType::kInt64:
    case FieldType::kBool:
      return type == WireType::kVarint;
    case FieldType::kDouble:
      return type == WireType::kFixed64;
    default:
      return type == WireType::kBytes;
  }
}

// Decoder converts one body. After an error its values are incomplete.
class Decoder {
 public:
  explicit Decoder(JsonAllocator& allocator) : allocator_(allocator) {}

  void Decode(const Message& message, std::string_view bytes, runtime::JsonValue& object,
              int depth);
  const std::string& error() const { return error_; }

 private:
  void Fail(std::string why) {
    if (error_.empty()) error_ = std::move(why);
  }
  void Add(const Field& field, const WireField& wire, runtime::JsonValue& object, int depth);
  void AddEntry(const Field& field, const WireField& wire, runtime::JsonValue& map, int depth);
  runtime::JsonValue Value(const Field& field, const WireField& wire, int depth);
  runtime::JsonValue Time(std::string_view bytes, bool micro);
  runtime::JsonValue IntOrString(std::string_view bytes);
  runtime::JsonValue Raw(std::string_view bytes);
  runtime::JsonValue Union(const Message& message, const runtime::JsonValue& fields);
  // Returns the value of the only field of a message that matters; a missing one has no bytes.
  WireField Only(std::string_view bytes, std::uint32_t number);
  runtime::JsonValue String(std::string_view text) { return NewString(text, allocator_); }

  JsonAllocator& allocator_;
  std::string error_;
};

void Decoder::Decode(const Message& message, std::string_view bytes, runtime::JsonValue& object,
                     int depth) {
  if (depth > kMessageDepthMax) return Fail("proto: message nested too deeply");
  WireReader reader(bytes);
  WireField wire;
  while (error_.empty() && reader.Next(wire)) {
    const Field* const field = message.Find(wire.number);
    if (field == nullptr) continue;
    if (!Fits(*field, wire.type)) {
      return Fail("proto: wrong wireType = " + std::to_string(static_cast<int>(wire.type)) +
                  " for field " + std::string(field->name));
    }
    Add(*field, wire, object, depth);
  }
  if (!reader.error().empty()) Fail(reader.error());
}

void Decoder::Add(const Field& field, const WireField& wire, runtime::JsonValue& object,
                  int depth) {
  if (field.name.empty()) return Decode(*field.message, wire.bytes, object, depth + 1);
  if (field.shape == Field::Shape::kOne) {
    runtime::JsonValue value = Value(field, wire, depth);
    const bool zero = (value.IsString() && value.GetStringLength() == 0) ||
                      (value.IsInt64() && value.GetInt64() == 0) || value.IsFalse();
    if (!field.omit_zero || field.pointer || !zero) {
      Set(object, field.name, std::move(value), allocator_);
    }
    return;
  }
  const bool list = field.shape == Field::Shape::kList;
  runtime::JsonValue* container = FindMutable(object, field.name);
  if (container == nullptr) {
    container =
        &Set(object, field.name,
             runtime::JsonValue(list ? rapidjson::kArrayType : rapidjson::kObjectType), allocator_);
  }
  if (!list) return AddEntry(field, wire, *container, depth);
  container->PushBack(Value(field, wire, depth), allocator_);
}

void Decoder::AddEntry(const Field& field, const WireField& wire, runtime::JsonValue& map,
                       int depth) {
  constexpr std::uint32_t kKey = 1;
  constexpr std::uint32_t kValue = 2;
  Field element = field;
  element.shape = Field::Shape::kOne;
  WireReader reader(wire.bytes);
  WireField part;
  std::string_view key;
  WireField value;
  while (reader.Next(part)) {
    if (part.number == kKey) key = part.bytes;
    if (part.number == kValue && Fits(element, part.type)) value = part;
  }
  if (!reader.error().empty()) return Fail(reader.error());
  map.AddMember(String(key), Value(element, value, depth), allocator_);
}

runtime::JsonValue Decoder::Value(const Field& field, const WireField& wire, int depth) {
  switch (field.type) {
    case FieldType::kMessage: {
      runtime::JsonValue value(rapidjson::kObjectType);
      Decode(*field.message, wire.bytes, value, depth + 1);
      return field.message->form == Message::Union::kNone ? std::move(value)
                                                          : Union(*field.message, value);
    }
    case FieldType::kString:
      return String(wire.bytes);
    case FieldType::kBytes:
      return String(Base64Encode(wire.bytes));
    case FieldType::kInt32:
      return runtime::JsonValue(static_cast<std::int32_t>(wire.integer));
    case FieldType::kInt64:
      return runtime::JsonValue(static_cast<std::int64_t>(wire.integer));
    case FieldType::kBool:
      return runtime::JsonValue(wire.integer != 0);
    case FieldType::kDouble: {
      double number = 0;
      std::memcpy(&number, &wire.integer, sizeof number);
      if (!std::isfinite(number)) Fail("json: unsupported value");
      return runtime::JsonValue(number);
    }
    case FieldType::kIntOrString:
      return IntOrString(wire.bytes);
    case FieldType::kQuantity: {
      const WireField text = Only(wire.bytes, 1);
      return String(text.bytes.empty() ? "0" : text.bytes);
    }
    case FieldType::kTime:
      return Time(wire.bytes, false);
    case FieldType::kMicroTime:
      return Time(wire.bytes, true);
    case FieldType::kDuration:
      return String(FormatDuration(
          std::chrono::nanoseconds(static_cast<std::int64_t>(Only(wire.bytes, 1).integer))));
    case FieldType::kJson:
      return Raw(Only(wire.bytes, 1).bytes);
  }
  return {};
}

WireField Decoder::Only(std::string_view bytes, std::uint32_t number) {
  WireReader reader(bytes);
  WireField wire;
  WireField found;
  while (reader.Next(wire)) {
    if (wire.number == number) found = wire;
  }
  if (!reader.error().empty()) Fail(reader.error());
  return found;
}

// An empty message is Go's zero time, which is null in JSON.
runtime::JsonValue Decoder::Time(std::string_view bytes, bool micro) {
  constexpr auto kSecondsMax = std::int64_t{9'000'000'000};  // in the years 1684 to 2255
  if (bytes.empty()) return {};
  const auto seconds = static_cast<std::int64_t>(Only(bytes, 1).integer);
  const auto nanos = static_cast<std::int32_t>(Only(bytes, 2).integer);
  if (seconds < -kSecondsMax || seconds > kSecondsMax || nanos < 0 || nanos > 999'999'999) {
    Fail("proto: time out of range");
    return {};
  }
  const auto time = std::chrono::system_clock::time_point(
      std::chrono::duration_cast<std::chrono::system_clock::duration>(
          std::chrono::seconds(seconds) + std::chrono::nanoseconds(nanos)));
  return String(micro ? FormatTime(ToMicroTime(time)) : FormatTime(ToTime(time)));
}

runtime::JsonValue Decoder::IntOrString(std::string_view bytes) {
  const bool number = Only(bytes, 1).integer == 0;
  if (number) return runtime::JsonValue(static_cast<std::int32_t>(Only(bytes, 2).integer));
  return String(Only(bytes, 3).bytes);
}

runtime::JsonValue Decoder::Raw(std::string_view bytes) {
  if (bytes.empty()) return {};
  std::string error;
  const auto document = ParseJson(bytes, &error);
  if (document == nullptr) {
    Fail(error);
    return {};
  }
  return {*document, allocator_};
}

// Returns the JSON of a union: its alternative if it has one, otherwise the schema.
runtime::JsonValue Decoder::Union(const Message& message, const runtime::JsonValue& fields) {
  const runtime::JsonValue* const schema = runtime::Find(fields, kSchemaField);
  const runtime::JsonValue* const list = runtime::Find(fields, "jSONSchemas");
  const runtime::JsonValue* const strings = runtime::Find(fields, "property");
  const runtime::JsonValue* const allows = runtime::Find(fields, "allows");
  const runtime::JsonValue* const chosen = list != nullptr      ? list
                                           : strings != nullptr ? strings
                                           : schema != nullptr  ? schema
                                                                : allows;
  if (chosen != nullptr) return {*chosen, allocator_};
  return message.form == Message::Union::kSchemaOrBool ? runtime::JsonValue(false)
                                                       : runtime::JsonValue();
}

}  // namespace

tl::expected<std::string, std::string> JsonFromProtobuf(std::string_view body) {
  constexpr std::uint32_t kTypeMeta = 1;
  constexpr std::uint32_t kRaw = 2;
  if (!body.starts_with(kPrefix)) {
    return tl::unexpected<std::string>(
        "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  }
  WireReader unknown(body.substr(kPrefix.size()));
  WireField wire;
  std::string_view type;
  std::string_view raw;
  while (unknown.Next(wire)) {
    if (wire.number == kTypeMeta) type = wire.bytes;
    if (wire.number == kRaw) raw = wire.bytes;
  }
  if (!unknown.error().empty()) return tl::unexpected(unknown.error());
  std::string_view api_version;
  std::string_view kind;
  WireReader type_meta(type);
  while (type_meta.Next(wire)) {
    if (wire.number == 1) api_version = wire.bytes;
    if (wire.number == 2) kind = wire.bytes;
  }
  if (!type_meta.error().empty()) return tl::unexpected(type_meta.error());
  runtime::JsonDocument object(rapidjson::kObjectType);
  auto& allocator = object.GetAllocator();
  if (!kind.empty()) SetString(object, "kind", kind, allocator);
  if (!api_version.empty()) SetString(object, "apiVersion", api_version, allocator);
  if (const Message* const message = FindMessage(api_version, kind)) {
    Decoder decoder(allocator);
    decoder.Decode(*message, raw, object, 0);
    if (!decoder.error().empty()) return tl::unexpected(decoder.error());
  }
  return runtime::ToJson(object);
}

}  // namespace capstan::testing::apiserver
