// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/validation/internal_schema_text.h"

#include <algorithm>
#include <map>

#include "clientgo/testing/apiserver/types/go_text.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/validation/field_rules.h"
#include "clientgo/testing/apiserver/validation/rule_validation.h"

namespace capstan::testing::apiserver {
namespace {

std::string SchemaListText(const runtime::JsonValue& list) {
  std::string text;
  for (const runtime::JsonValue& schema : list.GetArray()) {
    text += (text.empty() ? "" : ",") + InternalSchemaText(schema);
  }
  return "[" + text + "]";
}

std::string SchemaMapText(const runtime::JsonValue& object) {
  std::map<std::string_view, std::string> members;
  for (const auto& member : object.GetObject()) {
    members.emplace(runtime::ToView(member.name), InternalSchemaText(member.value));
  }
  std::string text;
  for (const auto& [name, schema] : members) {
    text += (text.empty() ? "" : ",") + HtmlQuote(name) + ":" + schema;
  }
  return "{" + text + "}";
}

std::string MemberText(std::string_view name, const runtime::JsonValue& value) {
  if (name == "items")
    return R"({"Schema":)" + InternalSchemaText(value) + R"(,"JSONSchemas":null})";
  if (name == "not") return InternalSchemaText(value);
  if (name == "allOf" || name == "anyOf" || name == "oneOf") return SchemaListText(value);
  if (name == "properties") return SchemaMapText(value);
  if (name == "additionalProperties") {
    if (value.IsBool()) return R"({"Allows":)" + MarshalJson(value) + R"(,"Schema":null})";
    return R"({"Allows":true,"Schema":)" + InternalSchemaText(value) + "}";
  }
  if (name == "externalDocs") {
    const Place docs(value, "");
    return R"({"Description":)" + HtmlQuote(docs["description"].Text()) + R"(,"URL":)" +
           HtmlQuote(docs["url"].Text()) + "}";
  }
  if (name == "x-kubernetes-validations") {
    std::string rules;
    for (const Place& rule : Place(value, "").Items()) {
      rules += (rules.empty() ? "" : ",") + InternalRuleText(rule);
    }
    return "[" + rules + "]";
  }
  return MarshalJson(value);
}

}  // namespace

std::string_view InternalName(std::string_view json) {
  const auto* const found =
      std::find_if(kInternalMembers.begin(), kInternalMembers.end(),
                   [&](const InternalMember& member) { return member.json == json; });
  return found == kInternalMembers.end() ? json : found->go;
}

std::string InternalSchemaText(const runtime::JsonValue& schema) {
  std::string text;
  for (const InternalMember& member : kInternalMembers) {
    const runtime::JsonValue* const value = runtime::FindNonNull(schema, member.json);
    text.append(text.empty() ? "" : ",").append(Quote(member.go)).append(":");
    text += value == nullptr ? std::string(member.zero) : MemberText(member.json, *value);
  }
  return "{" + text + "}";
}

}  // namespace capstan::testing::apiserver
