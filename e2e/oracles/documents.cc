// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <utility>

#include "capstan/runtime/json_value.h"
#include "capstan/runtime/json_writer.h"
#include "capstan/runtime/parsed_json.h"
#include "clientgo/yaml/parse.h"
#include "clientgo/yaml/value.h"
#include "e2e/oracles/modes.h"

namespace e2e::oracles {
namespace {

using capstan::runtime::JsonElements;
using capstan::runtime::JsonMembers;
using capstan::runtime::JsonType;
using capstan::runtime::JsonValue;
using capstan::runtime::JsonWriter;

// Writes a number as the Go side does: as int64, or as float64 with a fraction or an exponent.
void WriteNumber(JsonWriter& writer, const JsonValue& value) {
  if (const auto number = capstan::runtime::AsInt64(value)) return writer.Int64(*number);
  JsonWriter text;
  text.Double(*capstan::runtime::AsDouble(value));
  const bool whole = text.text().find_first_of(".e") == std::string::npos;
  writer.RawValue(text.text() + (whole ? ".0" : ""));
}

void Write(JsonWriter& writer, const JsonValue& value) {
  switch (capstan::runtime::TypeOfJson(value)) {
    case JsonType::kObject:
      writer.StartObject();
      for (const auto& [name, member] : JsonMembers(value)) {
        writer.Key(name);
        Write(writer, member);
      }
      writer.EndObject();
      break;
    case JsonType::kArray:
      writer.StartArray();
      for (const JsonValue& element : JsonElements(value)) Write(writer, element);
      writer.EndArray();
      break;
    case JsonType::kNumber:
      WriteNumber(writer, value);
      break;
    default:
      writer.RawValue(capstan::runtime::ToJson(value));
  }
}

}  // namespace

std::string TypedJson(const JsonValue& value) {
  JsonWriter writer;
  Write(writer, value);
  return std::move(writer).Take();
}

std::string RefusalOf(const capstan::Error& error) {
  const bool rest = error.message.find("text after the end of the document") != std::string::npos;
  return std::string(kRefused) + (rest ? ": text after the document" : "");
}

std::string ParseJson(std::string_view input) {
  const auto document = capstan::runtime::ParsedJson::Parse(input);
  if (!document) return std::string(kRefused);
  return TypedJson(document->root());
}

std::string ParseYaml(std::string_view input) {
  const auto value = capstan::yaml::Parse(input, "input");
  if (!value) return RefusalOf(value.error());
  return capstan::yaml::ToJson(**value).value_or(std::string(kRefused));
}

}  // namespace e2e::oracles
