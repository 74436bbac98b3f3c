// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include "capstan/clientgo/runtime/json_value.h"
#include "capstan/clientgo/runtime/json_writer.h"
#include "capstan/clientgo/runtime/parsed_json.h"
#include "capstan/clientgo/yaml/internal/parse.h"
#include "capstan/clientgo/yaml/internal/value.h"
#include "e2e/oracles/modes.h"

namespace e2e::oracles {
namespace {

using capstan::clientgo::runtime::JsonElements;
using capstan::clientgo::runtime::JsonMembers;
using capstan::clientgo::runtime::JsonType;
using capstan::clientgo::runtime::JsonValue;
using capstan::clientgo::runtime::JsonWriter;

// Writes of a member given twice the one that readers find.
void WriteRead(JsonWriter& writer, const JsonValue& value) {
  switch (capstan::clientgo::runtime::TypeOfJson(value)) {
    case JsonType::kObject:
      writer.StartObject();
      for (const auto& [name, member] : JsonMembers(value)) {
        if (capstan::clientgo::runtime::Find(value, name) != &member) continue;
        writer.Key(name);
        WriteRead(writer, member);
      }
      writer.EndObject();
      break;
    case JsonType::kArray:
      writer.StartArray();
      for (const JsonValue& element : JsonElements(value)) WriteRead(writer, element);
      writer.EndArray();
      break;
    default:
      writer.RawValue(capstan::clientgo::runtime::ToJson(value));
  }
}

}  // namespace

std::string ParseJson(std::string_view input) {
  const auto document = capstan::clientgo::runtime::ParsedJson::Parse(input);
  if (!document) return std::string(kRefused);
  JsonWriter writer;
  WriteRead(writer, document->root());
  return writer.text();
}

std::string ParseYaml(std::string_view input) {
  const auto value = capstan::clientgo::yaml::Parse(input, "input");
  if (!value) return std::string(kRefused);
  return capstan::clientgo::yaml::ToJson(**value).value_or(std::string(kRefused));
}

}  // namespace e2e::oracles
