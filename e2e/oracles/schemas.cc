// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/schema.h"
#include "e2e/oracles/modes.h"

namespace e2e::oracles {
namespace {

using capstan::runtime::JsonValue;

// Removes what the readers treat in different ways on purpose, as peer/schemas.go does.
void RemoveNumberFormats(JsonValue& schema) {
  if (schema.IsArray()) {
    for (JsonValue& item : schema.GetArray()) RemoveNumberFormats(item);
  }
  if (!schema.IsObject()) return;
  const bool text = capstan::runtime::GetString(schema, "type") == "string";
  if (!text) capstan::testing::apiserver::Remove(schema, "format");
  for (auto member = schema.MemberBegin(); schema.MemberEnd() - member > 0; ++member) {
    RemoveNumberFormats(member->value);
  }
}

}  // namespace

// The input is a document with a schema, and with an object that may have been another one before
// an update: {"schema": {}, "object": {}, "old": {}}.
std::string ValidateSchema(std::string_view input) {
  std::string error;
  const auto document = capstan::testing::apiserver::ParseJson(input, &error);
  if (!document || !document->IsObject()) return std::string(kRefused);
  JsonValue* const schema = capstan::testing::apiserver::FindMutable(*document, "schema");
  const JsonValue* const object = capstan::runtime::Find(*document, "object");
  if (schema == nullptr || !schema->IsObject() || object == nullptr || !object->IsObject()) {
    return std::string(kRefused);
  }
  RemoveNumberFormats(*schema);
  const JsonValue* const old = capstan::runtime::Find(*document, "old");
  const capstan::testing::apiserver::Schema validator(schema);
  auto causes =
      validator.Validate(*object, old != nullptr && old->IsObject() ? old : nullptr, false);
  for (auto& cause : validator.ValidateLists(*object, nullptr)) causes.push_back(std::move(cause));
  std::vector<std::string> lines;
  lines.reserve(causes.size());
  for (const auto& cause : causes) {
    lines.push_back(cause.field + ": " + cause.message + " (" + cause.reason + ")");
  }
  std::sort(lines.begin(), lines.end());
  std::string answer = "valid";
  for (const std::string& line : lines) answer += " | " + line;
  return capstan::testing::apiserver::Quote(answer);
}

}  // namespace e2e::oracles
