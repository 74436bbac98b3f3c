// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/validation/structural_schema.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "clientgo/cel/go_regexp.h"
#include "clientgo/testing/apiserver/types/schema.h"

namespace capstan::testing::apiserver {
namespace {

constexpr const char* kPreserveMember = "x-kubernetes-preserve-unknown-fields";
constexpr const char* kEmbeddedMember = "x-kubernetes-embedded-resource";
constexpr const char* kIntOrStringMember = "x-kubernetes-int-or-string";
constexpr std::array kAlternatives = {"anyOf", "allOf", "oneOf"};

// SchemaLevel is where a schema is, which decides some texts.
enum class SchemaLevel { kRoot, kItem, kField };

// Reports whether Go's decoder makes the zero value of it.
bool IsZero(const runtime::JsonValue& value) {
  return value.IsNull() || value.IsFalse() || IsEmptyContainer(value) ||
         (value.IsString() && value.GetStringLength() == 0);
}

bool IsNotZero(const Place& field) { return !IsZero(field.value()); }

// Reports whether the value is [{"type":"integer"},{"type":"string"}].
bool IsIntOrStringList(const Place& list) {
  const auto items = list.Items();
  const auto is = [](const Place& item, std::string_view type) {
    return item["type"].Text() == type &&
           std::all_of(item.value().MemberBegin(), item.value().MemberEnd(),
                       [](const auto& member) {
                         return runtime::ToView(member.name) == "type" || IsZero(member.value);
                       });
  };
  return items.size() == 2 && is(items[0], "integer") && is(items[1], "string");
}

// Calls `visit` with each property of a schema.
template <class Visit>
void ForEachProperty(const Place& schema, const Visit& visit) {
  const Place properties = schema["properties"];
  for (const Place& name : properties.Keys()) visit(name.Text(), properties.Entry(name.Text()));
}

// What the parts of alternatives must not have, with the error text.
struct ForbiddenMember {
  const char* name;
  std::string_view detail;
};
constexpr std::array kForbiddenInParts = std::to_array<ForbiddenMember>({
    {"default", "must be undefined to be structural"},
    {"title", "must be empty to be structural"},
    {"description", "must be empty to be structural"},
    {"nullable", "must be false to be structural"},
    {kPreserveMember, "must be false to be structural"},
    {kEmbeddedMember, "must be false to be structural"},
    {kIntOrStringMember, "must be false to be structural"},
    {"x-kubernetes-list-map-keys", "must be empty to be structural"},
    {"x-kubernetes-list-type", "must be undefined to be structural"},
    {"x-kubernetes-map-type", "must be undefined to be structural"},
    {"x-kubernetes-validations", "must be empty to be structural"},
});

// InvariantChecker checks that a schema and its parts have only members that are allowed there.
class InvariantChecker {
 public:
  explicit InvariantChecker(FieldRules& rules) : rules_(rules) {}

  void Check(const Place& schema, SchemaLevel level);

 private:
  void CheckTypes(const Place& schema, SchemaLevel level);
  void CheckMetadata(const Place& schema, bool whole, SchemaLevel level);
  // Checks the alternatives and the pattern of a schema or a part of one. `skip_any_of`: the anyOf
  // only says that a value is an integer or a string.
  void CheckValues(const Place& schema, bool skip_any_of, bool skip_first_of_all);
  void CheckPart(const Place& part, bool skip_any_of);

  FieldRules& rules_;
};

void InvariantChecker::CheckPart(const Place& part, bool skip_any_of) {
  if (!part.Given()) return;
  CheckValues(part, skip_any_of, false);
  CheckPart(part["items"], false);
  ForEachProperty(part,
                  [&](std::string_view, const Place& property) { CheckPart(property, false); });
  if (IsNotZero(part["type"])) {
    rules_.Forbidden(part["type"], "must be empty to be structural");
  }
  const Place additional = part["additionalProperties"];
  if (additional.Given() && !additional.value().IsFalse()) {
    rules_.Forbidden(additional, "must be undefined to be structural");
  }
  for (const auto& [name, detail] : kForbiddenInParts) {
    const Place member = part[name];
    const bool given = std::string_view(name) == "default" ? member.Given() : IsNotZero(member);
    if (given) rules_.Forbidden(member, detail);
  }
  const Place metadata = part["properties"].Entry("metadata");
  if (metadata.Given()) rules_.Forbidden(metadata, "must not be specified in a nested context");
}

void InvariantChecker::CheckValues(const Place& schema, bool skip_any_of, bool skip_first_of_all) {
  for (const char* const key : kAlternatives) {
    if (skip_any_of && std::string_view(key) == "anyOf") continue;
    bool first = std::string_view(key) == "allOf";
    for (const Place& part : schema[key].Items()) {
      CheckPart(part, first && skip_first_of_all);
      first = false;
    }
  }
  CheckPart(schema["not"], false);
  const Place pattern = schema["pattern"];
  if (pattern.Text().empty()) return;
  const std::string why = cel::GoRegexp(pattern.Text()).Error();
  if (why.empty()) return;
  rules_.Invalid(pattern, "must be a valid regular expression, but isn't: " + why);
}

void InvariantChecker::CheckTypes(const Place& schema, SchemaLevel level) {
  const Place type = schema["type"];
  const bool embedded = IsSet(schema.value(), kEmbeddedMember);
  const bool int_or_string = IsSet(schema.value(), kIntOrStringMember);
  const bool preserves = IsSet(schema.value(), kPreserveMember);
  if (int_or_string && preserves) {
    rules_.Invalid(schema[kPreserveMember], "must be false if x-kubernetes-int-or-string is true");
  }
  if (int_or_string && embedded) {
    rules_.Invalid(schema[kEmbeddedMember], "must be false if x-kubernetes-int-or-string is true");
  }
  if (embedded && type.Text() != "object") {
    const std::string_view detail = "must be object if x-kubernetes-embedded-resource is true";
    if (rules_.RequireText(type, detail)) rules_.Invalid(type, detail);
  } else if (type.Text().empty() && !int_or_string && !preserves) {
    rules_.Required(type, level == SchemaLevel::kRoot ? "must not be empty at the root"
                          : level == SchemaLevel::kItem
                              ? "must not be empty for specified array items"
                              : "must not be empty for specified object fields");
  }
  const Place additional = schema["additionalProperties"];
  if (embedded && additional.Given()) {
    rules_.Forbidden(additional, "must not be used if x-kubernetes-embedded-resource is set");
  }
  if (level == SchemaLevel::kRoot && !type.Text().empty() && type.Text() != "object") {
    rules_.Invalid(type, "must be object at the root");
  }
  if (embedded && !preserves && IsZero(schema["properties"].value())) {
    rules_.Required(schema["properties"],
                    "must not be empty if x-kubernetes-embedded-resource is true without "
                    "x-kubernetes-preserve-unknown-fields");
  }
}

// `whole`: the objects of the schema have a kind and metadata.
void InvariantChecker::CheckMetadata(const Place& schema, bool whole, SchemaLevel level) {
  for (const char* const name : {"kind", "apiVersion"}) {
    const Place property = schema["properties"].Entry(name);
    if (!property.Given() || !whole || property["type"].Text() == "string") continue;
    rules_.InvalidText(property["type"], "must be string");
  }
  const Place metadata = schema["properties"].Entry("metadata");
  if (!metadata.Given()) return;
  if (whole && metadata["type"].Text() != "object") {
    rules_.InvalidText(metadata["type"], "must be object");
  }
  if (level != SchemaLevel::kRoot) return;
  const auto names = metadata["properties"].Keys();
  const bool only_names = std::all_of(names.begin(), names.end(), [](const Place& name) {
    return name.Text() == "name" || name.Text() == "generateName";
  });
  const auto& members = metadata.value().GetObject();
  const bool allowed = std::all_of(members.begin(), members.end(), [&](const auto& member) {
    const std::string_view name = runtime::ToView(member.name);
    return name == "type" || name == "default" || name == "example" || name == "externalDocs" ||
           (name == "properties" && only_names) || IsZero(member.value);
  });
  if (allowed) return;
  rules_.Forbidden(metadata,
                   "must not specify anything other than name and generateName, but metadata is "
                   "implicitly specified");
}

void InvariantChecker::Check(const Place& schema, SchemaLevel level) {
  const Place items = schema["items"];
  if (schema["type"].Text() == "array" && !items.Given()) {
    rules_.Required(items, "must be specified");
  }
  if (items.Given()) Check(items, SchemaLevel::kItem);
  ForEachProperty(schema, [&](std::string_view, const Place& property) {
    Check(property, SchemaLevel::kField);
  });
  const Place additional = schema["additionalProperties"];
  if (additional.Given() && level == SchemaLevel::kRoot) {
    rules_.Forbidden(additional, "must not be used at the root");
  }
  if (additional.value().IsObject()) Check(additional, SchemaLevel::kField);
  const auto all_of = schema["allOf"].Items();
  CheckValues(schema, IsIntOrStringList(schema["anyOf"]),
              !all_of.empty() && IsIntOrStringList(all_of.front()["anyOf"]));
  CheckTypes(schema, level);
  CheckMetadata(schema, level == SchemaLevel::kRoot || IsSet(schema.value(), kEmbeddedMember),
                level);
}

// CompletenessChecker checks that what the alternatives of a schema mention is declared outside of
// them.
class CompletenessChecker {
 public:
  explicit CompletenessChecker(FieldRules& rules) : rules_(rules) {}

  // `part` is in an alternative and about the values of `schema`, which may be missing.
  void CheckPart(const Place& part, const Place& schema) {
    if (!part.Given()) return;
    if (!schema.Given()) return rules_.Required(schema, "because it is defined in " + part.path());
    CheckAlternatives(part, schema);
    CheckPart(part["items"], schema["items"]);
    ForEachProperty(part, [&](std::string_view name, const Place& property) {
      CheckPart(property, schema["properties"].Entry(name));
    });
  }
  void CheckAlternatives(const Place& from, const Place& schema) {
    CheckPart(from["not"], schema);
    for (const char* const key : kAlternatives) {
      for (const Place& part : from[key].Items()) CheckPart(part, schema);
    }
  }

 private:
  FieldRules& rules_;
};

constexpr std::array kUnsupported = std::to_array<std::pair<const char*, std::string_view>>({
    {"id", "id"},
    {"$schema", "schema"},
    {"$ref", "$ref"},
    {"patternProperties", "patternProperties"},
    {"dependencies", "dependencies"},
    {"definitions", "definitions"},
});

}  // namespace

std::optional<std::string> WhyNotStructural(const runtime::JsonValue& schema) {
  if (!schema.IsObject()) return std::nullopt;
  const auto unsupported = [](std::string_view name) {
    return "OpenAPIV3Schema '" + std::string(name) + "' is not supported";
  };
  const Place place(schema, "");
  for (const auto& [member, name] : kUnsupported) {
    if (IsNotZero(place[member])) return unsupported(name);
  }
  if (place["additionalItems"].Given()) return unsupported("additionalItems");
  for (const char* const key : kAlternatives) {
    for (const Place& part : place[key].Items()) {
      if (auto why = WhyNotStructural(part.value())) return why;
    }
  }
  if (place[kPreserveMember].value().IsFalse()) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  if (place["items"].value().IsArray()) {
    return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  }
  for (const char* const key : {"not", "items", "additionalProperties"}) {
    if (auto why = WhyNotStructural(place[key].value())) return why;
  }
  std::optional<std::string> found;
  ForEachProperty(place, [&](std::string_view, const Place& property) {
    if (!found) found = WhyNotStructural(property.value());
  });
  return found;
}

void CheckStructural(const Place& schema, FieldRules& rules) {
  std::vector<Cause> causes;
  FieldRules own(causes);
  InvariantChecker(own).Check(schema, SchemaLevel::kRoot);
  CompletenessChecker(own).CheckAlternatives(schema, schema);
  std::sort(causes.begin(), causes.end(), [](const Cause& a, const Cause& b) {
    return a.field + ": " + a.message < b.field + ": " + b.message;
  });
  rules.causes().insert(rules.causes().end(), causes.begin(), causes.end());
}

}  // namespace capstan::testing::apiserver
