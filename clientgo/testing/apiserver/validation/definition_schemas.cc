// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/validation/definition_schemas.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <set>
#include <string_view>
#include <utility>

#include "clientgo/cel/schema.h"
#include "clientgo/testing/apiserver/types/go_text.h"
#include "clientgo/testing/apiserver/types/schema.h"
#include "clientgo/testing/apiserver/types/string_formats.h"
#include "clientgo/testing/apiserver/validation/internal_schema_text.h"
#include "clientgo/testing/apiserver/validation/rule_validation.h"
#include "clientgo/testing/apiserver/validation/structural_schema.h"

namespace capstan::testing::apiserver {
namespace {

constexpr const char* kListType = "x-kubernetes-list-type";
constexpr const char* kMapType = "x-kubernetes-map-type";
constexpr const char* kListKeys = "x-kubernetes-list-map-keys";
constexpr const char* kEmbedded = "x-kubernetes-embedded-resource";

bool IsTypeOrMetadataName(std::string_view name) {
  return name == "metadata" || name == "kind" || name == "apiVersion";
}

// DefaultChecker checks the defaults of a schema.
class DefaultChecker {
 public:
  explicit DefaultChecker(FieldRules& rules) : rules_(rules) {}

  // Defaults in additionalProperties are not checked, as in Go. `root`: objects have a kind.
  void Check(const Place& schema, bool root, bool inside_metadata) {
    const bool whole = root || IsSet(schema.value(), kEmbedded);
    if (IsSet(schema.value(), kEmbedded)) inside_metadata = false;
    const Place value = schema["default"];
    if (value.Given()) CheckValue(schema, value, whole, inside_metadata);
    if (schema["items"].Given()) Check(schema["items"], false, inside_metadata);
    const Place properties = schema["properties"];
    for (const Place& name : properties.Keys()) {
      Check(properties.Entry(name.Text()), false,
            inside_metadata || (whole && IsTypeOrMetadataName(name.Text())));
    }
  }

 private:
  void CheckValue(const Place& schema, const Place& value, bool whole, bool inside_metadata) {
    if (!inside_metadata && HasUnknownFields(schema.value(), value.value())) {
      rules_.InvalidAs(value, ShownValue(value.value()), "must not have unknown fields");
    }
    Patterns patterns;
    SchemaValidator validator(value.path(), SchemaValidator::Form::kStructural, patterns);
    auto causes = validator.Validate(schema.value(), value.value(), nullptr);
    if (causes.empty()) causes = CheckRules(schema, value, whole);
    rules_.causes().insert(rules_.causes().end(), causes.begin(), causes.end());
  }

  // Checks the rules for a default that replaces itself, and for one that is new. A broken rule
  // without oldSelf is found only by the second check.
  static std::vector<Cause> CheckRules(const Place& schema, const Place& value, bool whole) {
    const ValidationRules rules(schema.value(), whole);
    auto causes = rules.Validate(value.value(), &value.value(), value.path()).causes;
    const auto more = rules.Validate(value.value(), nullptr, value.path()).causes;
    causes.insert(causes.end(), more.begin(), more.end());
    return causes;
  }

  FieldRules& rules_;
};

// Members that schemas of definitions cannot have.
constexpr std::array kUnsupportedMembers = {"id",          "additionalItems", "patternProperties",
                                            "definitions", "dependencies",    "$ref"};

// SchemaChecker checks each part of a schema. Mirrors
// ValidateCustomResourceDefinitionOpenAPISchema.
class SchemaChecker {
 public:
  // What the schemas around a part of the schema say about it.
  struct Context {
    RuleScope scope = {};
    bool root = false;
    bool inside_metadata = false;
    std::string no_default = {};  // why there is no default; empty: there may be one
  };

  void Check(const Place& schema, const Context& context);
  // Returns all causes.
  std::vector<Cause> Take() {
    causes_.insert(causes_.end(), rule_causes_.begin(), rule_causes_.end());
    return std::move(causes_);
  }
  void CheckTotalCost(const Place& schema, FieldRules& rules) const {
    expressions_.CheckTotalCost(schema, rules);
  }

 private:
  void CheckSupported(const Place& schema, const Context& context);
  void CheckMembers(const Place& schema, const Context& context);
  void CheckTypeOfLists(const Place& schema);
  void CheckSet(const Place& items);
  void CheckListKeys(const Place& schema);
  void CheckRequiredKeys(const Place& schema);

  std::vector<Cause> causes_;
  std::vector<Cause> rule_causes_;
  FieldRules rules_ = FieldRules(causes_);
  RuleExpressions expressions_ = RuleExpressions(rule_causes_);
};

void SchemaChecker::CheckSupported(const Place& schema, const Context& context) {
  const Place type = schema["type"];
  if (!type.Text().empty()) {
    rules_.OneOf(type, {"array", "boolean", "integer", "number", "object", "string"});
  }
  if (schema["default"].Given() && !context.no_default.empty()) {
    rules_.Forbidden(schema["default"], "must not be set " + context.no_default);
  }
  for (const char* const name : kUnsupportedMembers) {
    const Place member = schema[name];
    const bool empty = IsEmptyContainer(member.value()) && std::string_view(name) != "dependencies";
    const bool given = member.value().IsString() && std::string_view(name) == "id"
                           ? !member.Text().empty()
                           : member.Given() && !empty;
    if (given) rules_.Forbidden(member, std::string(name) + " is not supported");
  }
  if (type.Text() == "null") {
    rules_.Forbidden(type, "type cannot be set to null, use nullable as an alternative");
  }
  if (!schema["items"].Items().empty()) {
    rules_.Forbidden(schema["items"], "items must be a schema object and not an array");
  }
  if (context.inside_metadata && IsSet(schema.value(), kEmbedded)) {
    rules_.Forbidden(schema[kEmbedded], "must not be used inside of resource meta");
  }
}

// Checks the schemas inside of a schema.
void SchemaChecker::CheckMembers(const Place& schema, const Context& context) {
  const Place properties = schema["properties"];
  const Place additional = schema["additionalProperties"];
  const auto names = properties.Keys();
  if (additional.Given() && !names.empty() && !additional.value().IsTrue()) {
    rules_.Forbidden(additional, "additionalProperties and properties are mutual exclusive");
  }
  const auto inner = [&](RuleScope scope) {
    return Context{.scope = std::move(scope),
                   .inside_metadata = context.inside_metadata,
                   .no_default = context.no_default};
  };
  if (additional.value().IsObject()) {
    Context values = inner(context.scope.Additional());
    if (context.inside_metadata) {
      values.no_default = "inside additionalProperties applying to object metadata";
    }
    Check(additional, values);
  }
  const bool whole = context.root || IsSet(schema.value(), kEmbedded);
  for (const Place& name : names) {
    const std::string key(name.Text());
    Context property = inner(context.scope.Property(key, schema.path()));
    if (whole && IsTypeOrMetadataName(key)) {
      property.inside_metadata = true;
      if (context.root) property.no_default = "in top-level " + key;
    }
    Check(properties.Entry(key), property);
  }
  const Context part = inner(context.scope.Part());
  if (schema["not"].value().IsObject()) Check(schema["not"], part);
  for (const char* const key : {"allOf", "oneOf", "anyOf"}) {
    for (const Place& alternative : schema[key].Items()) Check(alternative, part);
  }
  const Place items = schema["items"];
  if (items.value().IsObject()) {
    Check(items, inner(context.scope.Items(std::string(schema[kListType].Text()), schema.path())));
  }
}

// The elements of a set are compared as a whole.
void SchemaChecker::CheckSet(const Place& items) {
  const Place list_type = items[kListType];
  const Place map_type = items[kMapType];
  const std::string_view detail =
      "must be atomic as item of a list with x-kubernetes-list-type=set";
  if (items["type"].Text() == "array" && list_type.Given() && list_type.Text() != "atomic") {
    rules_.Invalid(list_type, detail);
  }
  // Go shows the list type here.
  if (items["type"].Text() == "object" && map_type.Text() != "atomic") {
    rules_.InvalidAs(map_type, list_type.Json(), detail);
  }
}

void SchemaChecker::CheckTypeOfLists(const Place& schema) {
  const Place type = schema["type"];
  const Place list_type = schema[kListType];
  const Place map_type = schema[kMapType];
  const auto require = [&](const Place& given, std::string_view expected, std::string_view detail) {
    if (!given.Given() || type.Text() == expected) return true;
    if (rules_.RequireText(type, detail)) rules_.Invalid(type, detail);
    return false;
  };
  require(map_type, "object", "must be object if x-kubernetes-map-type is specified");
  if (map_type.Given()) {
    if (map_type.Text() != "atomic" && map_type.Text() != "granular") {
      rules_.Unsupported(map_type, Quote(map_type.Text()), {"atomic", "granular"});
    }
  }
  const bool is_list =
      require(list_type, "array", "must be array if x-kubernetes-list-type is specified");
  if (is_list && list_type.Text() == "set") CheckSet(schema["items"]);
  if (list_type.Given() && list_type.Text() != "atomic" && list_type.Text() != "set" &&
      list_type.Text() != "map") {
    rules_.Unsupported(list_type, Quote(list_type.Text()), {"atomic", "set", "map"});
  }
  if (schema[kListKeys].Items().empty() || list_type.Text() == "map") return;
  const std::string_view detail = "must be map if x-kubernetes-list-map-keys is non-empty";
  if (list_type.Given()) {
    rules_.Invalid(list_type, detail);
  } else {
    rules_.Required(list_type, detail);
  }
}

void SchemaChecker::CheckListKeys(const Place& schema) {
  if (schema[kListType].Text() != "map") return;
  const Place keys = schema[kListKeys];
  const Place items = schema["items"];
  const Place properties = items["properties"];
  if (keys.Items().empty()) {
    rules_.Required(keys, "must not be empty if x-kubernetes-list-type is map");
  }
  if (!items.Given()) {
    rules_.Required(items, "must have a schema if x-kubernetes-list-type is map");
  }
  if (!items.value().IsObject()) return;
  if (items["type"].Text() != "object") {
    rules_.InvalidText(items["type"],
                       "must be object if parent array's x-kubernetes-list-type is map");
    return;
  }
  std::set<std::string_view> seen;
  for (const Place& key : keys.Items()) {
    const Place property = properties.Entry(key.Text());
    const std::string_view type = property["type"].Text();
    if (!property.Given()) {
      rules_.Invalid(keys, "entries must all be names of item properties");
    } else if (type == "array" || type == "object") {
      // Go shows the type of the items.
      rules_.InvalidAs(property["type"], "\"object\"",
                       "must be a scalar type if parent array's x-kubernetes-list-type is map");
    }
    if (!seen.insert(key.Text()).second) rules_.Invalid(keys, "must not contain duplicate entries");
  }
}

void SchemaChecker::CheckRequiredKeys(const Place& schema) {
  const Place items = schema["items"];
  const std::string list_type(schema[kListType].Text());
  if (!items.value().IsObject() || (list_type != "set" && list_type != "map")) return;
  if (items["nullable"].IsTrue()) {
    rules_.Forbidden(items["nullable"],
                     "cannot be nullable when x-kubernetes-list-type is " + list_type);
  }
  if (list_type != "map") return;
  const runtime::JsonValue& required = ListAt(items.value(), "required");
  for (const Place& key : schema[kListKeys].Items()) {
    const Place property = items["properties"].Entry(key.Text());
    if (!property.Given()) continue;
    if (!property["default"].Given() &&
        std::find(required.Begin(), required.End(), key.value()) == required.End()) {
      rules_.Required(property["default"],
                      "this property is in x-kubernetes-list-map-keys, so it must have a default "
                      "or be a required property");
    }
    if (property["nullable"].IsTrue()) {
      rules_.Forbidden(property["nullable"],
                       "this property is in x-kubernetes-list-map-keys, so it cannot be nullable");
    }
  }
}

void SchemaChecker::Check(const Place& schema, const Context& context) {
  const std::size_t before = causes_.size();
  CheckSupported(schema, context);
  if (schema["uniqueItems"].IsTrue()) {
    rules_.Forbidden(
        schema["uniqueItems"],
        "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
  }
  CheckMembers(schema, context);
  const Place preserves = schema["x-kubernetes-preserve-unknown-fields"];
  if (preserves.value().IsFalse()) rules_.Invalid(preserves, "must be true or undefined");
  CheckTypeOfLists(schema);
  CheckListKeys(schema);
  CheckRequiredKeys(schema);
  CheckRuleMembers(schema, rules_);
  if (causes_.size() == before) expressions_.Check(schema, context.scope);
}

// If a version has the subresource status, its root schema may have only these members.
constexpr std::array kRootMembers = {"description",
                                     "type",
                                     "format",
                                     "title",
                                     "maximum",
                                     "exclusiveMaximum",
                                     "minimum",
                                     "exclusiveMinimum",
                                     "maxLength",
                                     "minLength",
                                     "pattern",
                                     "maxItems",
                                     "minItems",
                                     "uniqueItems",
                                     "multipleOf",
                                     "required",
                                     "items",
                                     "properties",
                                     "externalDocs",
                                     "example",
                                     "x-kubernetes-preserve-unknown-fields",
                                     "x-kubernetes-validations"};

void CheckRootOfStatus(const Place& schema, FieldRules& rules) {
  for (const InternalMember& member : kInternalMembers) {
    const Place value = schema[member.json];
    if (!value.Given() || value.value().IsFalse() || IsEmptyContainer(value.value()) ||
        (value.value().IsString() && value.Text().empty())) {
      continue;
    }
    if (member.json == "type" && value.Text() != "object") {
      rules.Invalid(value,
                    "only \"object\" is allowed as the type at the root of the schema if the "
                    "status subresource is enabled");
      return;
    }
    if (std::find(kRootMembers.begin(), kRootMembers.end(), member.json) != kRootMembers.end()) {
      continue;
    }
    std::string names;
    for (const std::string_view name : kRootMembers) {
      names += (names.empty() ? "" : " ") + std::string(InternalName(name));
    }
    rules.InvalidAs(schema, InternalSchemaText(schema.value()),
                    "only [" + names +
                        "] fields are allowed at the root of the schema if the status subresource "
                        "is enabled");
    return;
  }
}

// Adds the formats of strings in a schema that are not known.
void FindUnknownFormats(const runtime::JsonValue& schema, std::vector<std::string>& formats) {
  if (!schema.IsObject()) return;
  const std::string format(runtime::GetString(schema, "format"));
  if (!format.empty() && runtime::GetString(schema, "type") == "string" && !IsKnownFormat(format)) {
    formats.push_back(format);
  }
  for (const char* const key : {"items", "not", "additionalProperties"}) {
    const runtime::JsonValue* const inner = runtime::Find(schema, key);
    if (inner != nullptr) FindUnknownFormats(*inner, formats);
  }
  for (const char* const key : {"allOf", "anyOf", "oneOf"}) {
    for (const runtime::JsonValue& part : ListAt(schema, key).GetArray()) {
      FindUnknownFormats(part, formats);
    }
  }
  for (const auto& property : ObjectAt(schema, "properties").GetObject()) {
    FindUnknownFormats(property.value, formats);
  }
}

std::vector<std::string> UnknownFormats(const runtime::JsonValue& definition) {
  std::vector<std::string> formats;
  for (const Place& version : Place(definition, "")["spec"]["versions"].Items()) {
    FindUnknownFormats(version["schema"]["openAPIV3Schema"].value(), formats);
  }
  return formats;
}

}  // namespace

void CheckDefinitionSchema(const Place& schema, bool has_status, FieldRules& rules) {
  if (!schema.value().IsObject()) return;
  const std::size_t start = rules.causes().size();
  if (has_status) CheckRootOfStatus(schema, rules);
  if (schema["nullable"].IsTrue()) {
    rules.Forbidden(schema["nullable"], "nullable cannot be true at the root");
  }
  const std::size_t before = rules.causes().size();
  const auto why_not = WhyNotStructural(schema.value());
  if (!why_not) CheckStructural(schema, rules);
  if (!why_not && rules.causes().size() == before) {
    DefaultChecker(rules).Check(schema, true, false);
  }
  SchemaChecker checker;
  SchemaChecker::Context root{.root = true};
  // Rules are checked only in schemas that are valid otherwise.
  if (!why_not && rules.causes().size() == before) {
    root.scope = {.schema = cel::ReadSchema(schema.value()), .root = true};
  }
  checker.Check(schema, root);
  const auto more = checker.Take();
  rules.causes().insert(rules.causes().end(), more.begin(), more.end());
  if (why_not && rules.causes().size() == start) rules.InvalidAs(schema, "\"\"", *why_not);
  checker.CheckTotalCost(schema, rules);
}

std::vector<std::string> FormatWarnings(const runtime::JsonValue* live,
                                        const runtime::JsonValue& next) {
  std::set<std::string> known;
  if (live != nullptr) {
    for (std::string& format : UnknownFormats(*live)) known.insert(std::move(format));
  }
  std::vector<std::string> warnings;
  for (const std::string& format : UnknownFormats(next)) {
    if (known.count(format) == 0) warnings.push_back("unrecognized format " + Quote(format));
  }
  return warnings;
}

}  // namespace capstan::testing::apiserver
