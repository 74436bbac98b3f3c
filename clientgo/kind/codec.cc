// SPDX-License-Identifier: Apache-2.0
#include "capstan/codec.h"

#include <optional>
#include <utility>

#include "capstan/base64.h"
#include "capstan/heap.h"
#include "capstan/time.h"

namespace capstan {
namespace {

// As the API server's own schemas of quantities.
constexpr std::string_view kQuantityPattern =
    R"(^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+)))"
    R"((([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$)";

void WriteMember(runtime::JsonWriter& writer, std::string_view key, std::string_view value) {
  writer.Key(key);
  writer.String(value);
}

// The schema of a value that is an integer or a text. With the anyOf that controller-gen adds, API
// servers explain a wrong type in three messages instead of one.
void WriteIntOrStringSchema(runtime::JsonWriter& writer) {
  writer.Key("x-kubernetes-int-or-string");
  writer.Bool(true);
}

}  // namespace

bool DecodeProblem::Set(std::string_view what) {
  what_ = what;
  return false;
}

bool DecodeProblem::Enter() {
  if (++depth_ <= kDepthMax) return true;
  return Set("more than " + std::to_string(kDepthMax) + " structs inside of each other");
}

bool DecodeProblem::At(std::string_view member) {
  std::string path(member);
  if (!path_.empty()) path.append(path_.front() == '[' ? "" : ".").append(path_);
  path_ = std::move(path);
  return false;
}

bool DecodeProblem::At(std::size_t index) { return At("[" + std::to_string(index) + "]"); }

namespace detail {

bool DecodeInteger(const runtime::JsonValue& json, std::int64_t min, std::uint64_t max,
                   std::uint64_t& to, DecodeProblem& problem) {
  if (const auto number = runtime::AsInt64(json)) {
    to = static_cast<std::uint64_t>(*number);
    if (*number >= min && (*number < 0 || to <= max)) return true;
  } else if (const auto large = runtime::AsUint64(json)) {
    to = *large;
    if (to <= max) return true;
  } else {
    return problem.Set("not an integer");
  }
  return problem.Set("not in the range of its type");
}

void WriteIntegerSchema(runtime::JsonWriter& writer, bool wide) {
  WriteMember(writer, "type", "integer");
  WriteMember(writer, "format", wide ? "int64" : "int32");
}

}  // namespace detail

bool Codec<bool>::Decode(const runtime::JsonValue& json, bool& to, DecodeProblem& p) {
  const auto value = runtime::AsBool(json);
  if (!value) return p.Set("not a boolean");
  to = *value;
  return true;
}
void Codec<bool>::Encode(runtime::JsonWriter& writer, const bool& from) { writer.Bool(from); }
void Codec<bool>::WriteSchema(runtime::JsonWriter& writer) {
  WriteMember(writer, "type", "boolean");
}

bool Codec<double>::Decode(const runtime::JsonValue& json, double& to, DecodeProblem& p) {
  const auto value = runtime::AsDouble(json);
  if (!value) return p.Set("not a number");
  to = *value;
  return true;
}
void Codec<double>::Encode(runtime::JsonWriter& writer, const double& from) { writer.Double(from); }
void Codec<double>::WriteSchema(runtime::JsonWriter& writer) {
  WriteMember(writer, "type", "number");
  WriteMember(writer, "format", "double");
}

bool Codec<std::string>::Decode(const runtime::JsonValue& json, std::string& to, DecodeProblem& p) {
  const auto value = runtime::AsString(json);
  if (!value) return p.Set("not a string");
  to = std::string(*value);  // an assignment of a view could reserve twice the bytes
  return true;
}
void Codec<std::string>::Encode(runtime::JsonWriter& writer, const std::string& from) {
  writer.String(from);
}
std::size_t Codec<std::string>::HeapBytes(const std::string& value) { return HeapBytesOf(value); }
void Codec<std::string>::WriteSchema(runtime::JsonWriter& writer) {
  WriteMember(writer, "type", "string");
}

bool Codec<MicroTime>::Decode(const runtime::JsonValue& json, MicroTime& to, DecodeProblem& p) {
  const auto text = runtime::AsString(json);
  const auto time = text ? ParseTime(*text) : std::nullopt;
  if (!time) return p.Set("not a time");
  to = *time;
  return true;
}
void Codec<MicroTime>::Encode(runtime::JsonWriter& writer, const MicroTime& from) {
  writer.String(FormatTime(from));
}
void Codec<MicroTime>::WriteSchema(runtime::JsonWriter& writer) {
  WriteMember(writer, "type", "string");
  WriteMember(writer, "format", "date-time");
}

bool Codec<Time>::Decode(const runtime::JsonValue& json, Time& to, DecodeProblem& p) {
  MicroTime time;
  if (!Codec<MicroTime>::Decode(json, time, p)) return false;
  to = std::chrono::floor<std::chrono::seconds>(time);
  return true;
}
void Codec<Time>::Encode(runtime::JsonWriter& writer, const Time& from) {
  writer.String(FormatTime(from));
}
void Codec<Time>::WriteSchema(runtime::JsonWriter& writer) {
  Codec<MicroTime>::WriteSchema(writer);
}

bool Codec<Duration>::Decode(const runtime::JsonValue& json, Duration& to, DecodeProblem& p) {
  const auto text = runtime::AsString(json);
  const auto duration = text ? ParseDuration(*text) : std::nullopt;
  if (!duration) return p.Set("not a duration");
  to = *duration;
  return true;
}
void Codec<Duration>::Encode(runtime::JsonWriter& writer, const Duration& from) {
  writer.String(FormatDuration(from));
}
void Codec<Duration>::WriteSchema(runtime::JsonWriter& writer) {
  WriteMember(writer, "type", "string");
}

bool Codec<Quantity>::Decode(const runtime::JsonValue& json, Quantity& to, DecodeProblem& p) {
  std::string number;
  std::optional<std::string_view> text = runtime::AsString(json);
  if (runtime::TypeOfJson(json) == runtime::JsonType::kNumber) {
    number = runtime::ToJson(json);
    text = number;
  }
  const auto quantity = text ? Quantity::Parse(*text) : std::nullopt;
  if (!quantity) return p.Set("not a quantity");
  to = *quantity;
  return true;
}
void Codec<Quantity>::Encode(runtime::JsonWriter& writer, const Quantity& from) {
  writer.String(from.ToString());
}
void Codec<Quantity>::WriteSchema(runtime::JsonWriter& writer) {
  WriteIntOrStringSchema(writer);
  WriteMember(writer, "pattern", kQuantityPattern);
}

bool Codec<Bytes>::Decode(const runtime::JsonValue& json, Bytes& to, DecodeProblem& p) {
  const auto text = runtime::AsString(json);
  auto bytes = text ? Base64Decode(*text) : std::nullopt;
  if (!bytes) return p.Set("not base64");
  to.value = *std::move(bytes);
  return true;
}
void Codec<Bytes>::Encode(runtime::JsonWriter& writer, const Bytes& from) {
  writer.String(Base64Encode(from.value));
}
std::size_t Codec<Bytes>::HeapBytes(const Bytes& value) { return HeapBytesOf(value.value); }
void Codec<Bytes>::WriteSchema(runtime::JsonWriter& writer) {
  WriteMember(writer, "type", "string");
  WriteMember(writer, "format", "byte");
}

bool Codec<std::vector<bool>>::Decode(const runtime::JsonValue& json, std::vector<bool>& to,
                                      DecodeProblem& p) {
  if (!runtime::IsJsonArray(json)) return p.Set("not an array");
  to.clear();
  for (const runtime::JsonValue& element : runtime::JsonElements(json)) {
    bool value = false;
    if (!Codec<bool>::Decode(element, value, p)) return p.At(to.size());
    to.push_back(value);
  }
  return true;
}
void Codec<std::vector<bool>>::Encode(runtime::JsonWriter& writer, const std::vector<bool>& from) {
  writer.StartArray();
  for (const bool value : from) writer.Bool(value);
  writer.EndArray();
}
std::size_t Codec<std::vector<bool>>::HeapBytes(const std::vector<bool>& value) {
  return value.capacity() == 0 ? 0 : HeapBlockBytes(value.capacity() / 8);
}
void Codec<std::vector<bool>>::WriteSchema(runtime::JsonWriter& writer) {
  WriteMember(writer, "type", "array");
  writer.Key("items");
  writer.StartObject();
  Codec<bool>::WriteSchema(writer);
  writer.EndObject();
}

bool Codec<IntOrString>::Decode(const runtime::JsonValue& json, IntOrString& to, DecodeProblem& p) {
  if (const auto text = runtime::AsString(json)) {
    to = IntOrString(std::string(*text));
    return true;
  }
  if (const auto number = runtime::AsInt(json)) {
    to = IntOrString(*number);
    return true;
  }
  return p.Set("neither a string nor an integer");
}
void Codec<IntOrString>::Encode(runtime::JsonWriter& writer, const IntOrString& from) {
  if (from.IsInt()) {
    writer.Int(from.number());
  } else {
    writer.String(*from.text());
  }
}
std::size_t Codec<IntOrString>::HeapBytes(const IntOrString& value) {
  return value.IsInt() ? 0 : HeapBytesOf(*value.text());
}
void Codec<IntOrString>::WriteSchema(runtime::JsonWriter& writer) {
  WriteIntOrStringSchema(writer);
}

bool Codec<RawJson>::Decode(const runtime::JsonValue& json, RawJson& to, DecodeProblem&) {
  to.text = runtime::ToJson(json);
  return true;
}
void Codec<RawJson>::Encode(runtime::JsonWriter& writer, const RawJson& from) {
  writer.RawValue(from.text.empty() ? "null" : std::string_view(from.text));
}
std::size_t Codec<RawJson>::HeapBytes(const RawJson& value) { return HeapBytesOf(value.text); }
void Codec<RawJson>::WriteSchema(runtime::JsonWriter& writer) {
  writer.Key("x-kubernetes-preserve-unknown-fields");
  writer.Bool(true);
}

bool Codec<ObjectMeta>::Decode(const runtime::JsonValue& json, ObjectMeta& to, DecodeProblem& p) {
  return DecodeObjectMeta(json, to, p);
}
void Codec<ObjectMeta>::Encode(runtime::JsonWriter& writer, const ObjectMeta& from) {
  EncodeObjectMeta(writer, from);
}
std::size_t Codec<ObjectMeta>::HeapBytes(const ObjectMeta& value) { return HeapBytesOf(value); }
// With the type only, the API server would remove all fields.
void Codec<ObjectMeta>::WriteSchema(runtime::JsonWriter& writer) {
  WriteMember(writer, "type", "object");
  Codec<RawJson>::WriteSchema(writer);
}

}  // namespace capstan
