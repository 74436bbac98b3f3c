// SPDX-License-Identifier: Apache-2.0
#include "capstan/webhook/conversion.h"

#include "capstan/logging.h"
#include "capstan/runtime/parsed_json.h"
#include "capstan/webhook/json_patch.h"

namespace capstan::webhook::detail {

namespace {

runtime::ParsedJson Encoded(const ObjectMeta& metadata) {
  runtime::JsonWriter writer;
  EncodeObjectMeta(writer, metadata);
  auto parsed = runtime::ParsedJson::Parse(writer.text());
  return parsed ? *std::move(parsed) : *runtime::ParsedJson::Parse("{}");
}

}  // namespace

Error NotConvertible(std::string_view kind, std::string_view api_version) {
  return {
      .reason = ErrorReason::kBadRequest,
      .message = "no kind " + Quoted(kind) + " is registered for version " + Quoted(api_version)};
}

Error ConversionDecodeError(const runtime::JsonValue& object, const DecodeProblem& problem) {
  std::string name;
  if (const runtime::JsonValue* const metadata = runtime::FindNonNull(object, "metadata")) {
    name = std::string(runtime::GetString(*metadata, "namespace")) + "/" +
           std::string(runtime::GetString(*metadata, "name"));
  }
  return {.reason = ErrorReason::kDecode,
          .message = std::string(runtime::GetString(object, "kind")) + " " + name + ": " +
                     problem.message()};
}

void WriteMetadata(runtime::JsonWriter& writer, const runtime::JsonValue& object,
                   const ObjectMeta& before, const ObjectMeta& after) {
  const runtime::JsonValue* const metadata = runtime::FindNonNull(object, "metadata");
  writer.Key("metadata");
  if (metadata == nullptr) return EncodeObjectMeta(writer, after);
  const runtime::ParsedJson from = Encoded(before);
  const runtime::ParsedJson to = Encoded(after);
  writer.RawValue(ApplyTypedChange(*metadata, from.root(), to.root()));
}

}  // namespace capstan::webhook::detail
