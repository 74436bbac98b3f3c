// SPDX-License-Identifier: Apache-2.0
#include "capstan/webhook/conversion.h"

#include "capstan/clientgo/runtime/parsed_json.h"
#include "capstan/clientgo/util/logging.h"
#include "capstan/webhook/json_patch.h"

namespace capstan::webhook::detail {

using clientgo::runtime::FindNonNull;
using clientgo::runtime::GetString;
using clientgo::runtime::JsonValue;
using clientgo::runtime::JsonWriter;
using clientgo::runtime::ParsedJson;
using clientgo::util::Error;
using clientgo::util::ErrorReason;
using clientgo::util::Quoted;

namespace {

ParsedJson Encoded(const ObjectMeta& metadata) {
  JsonWriter writer;
  EncodeObjectMeta(writer, metadata);
  auto parsed = ParsedJson::Parse(writer.text());
  return parsed ? *std::move(parsed) : *ParsedJson::Parse("{}");
}

}  // namespace

Error NotConvertible(std::string_view kind, std::string_view api_version) {
  return {
      .reason = ErrorReason::kBadRequest,
      .message = "no kind " + Quoted(kind) + " is registered for version " + Quoted(api_version)};
}

Error ConversionDecodeError(const JsonValue& object, const DecodeProblem& problem) {
  std::string name;
  if (const JsonValue* const metadata = FindNonNull(object, "metadata")) {
    name = std::string(GetString(*metadata, "namespace")) + "/" +
           std::string(GetString(*metadata, "name"));
  }
  return {
      .reason = ErrorReason::kDecode,
      .message = std::string(GetString(object, "kind")) + " " + name + ": " + problem.message()};
}

void WriteMetadata(JsonWriter& writer, const JsonValue& object, const ObjectMeta& before,
                   const ObjectMeta& after) {
  const JsonValue* const metadata = FindNonNull(object, "metadata");
  writer.Key("metadata");
  if (metadata == nullptr) return EncodeObjectMeta(writer, after);
  const ParsedJson from = Encoded(before);
  const ParsedJson to = Encoded(after);
  writer.RawValue(ApplyTypedChange(*metadata, from.root(), to.root()));
}

}  // namespace capstan::webhook::detail
