// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/generate/model.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "capstan/logging.h"
#include "capstan/text.h"
#include "cmd/capstan/generate/names.h"

namespace capstan::cmd::generate {
namespace {

using runtime::Find;
using runtime::GetBool;
using runtime::GetString;
using runtime::JsonMembers;
using runtime::JsonValue;

// A pattern of quantities has their suffixes.
bool IsQuantity(const JsonValue& schema) {
  return GetString(schema, "pattern").find("KMGTPE") != std::string_view::npos;
}

bool HasMembers(const JsonValue* object) {
  return object != nullptr && !runtime::JsonMembers(*object).empty();
}

// Makes the structs of one version.
class StructMaker {
 public:
  explicit StructMaker(Version& version) : version_(version) {}

  // Returns the C++ type of a value. `name` is that of its struct, if it is one.
  std::string TypeOf(const JsonValue& schema, const std::string& name, const std::string& path) {
    if (auto scalar = ScalarOf(schema)) return *std::move(scalar);
    const JsonValue* const items = Find(schema, "items");
    if (GetString(schema, "type") == "array" && items != nullptr) {
      const std::string element = TypeOf(*items, name, path + "[]");
      if (IsStruct(element)) return Use("List<" + element + ">", "\"capstan/list.h\"");
      return Use("std::vector<" + element + ">", "<vector>");
    }
    const JsonValue* const properties = Find(schema, "properties");
    if (HasMembers(properties)) {
      if (!GetBool(schema, "x-kubernetes-preserve-unknown-fields")) {
        return MakeStruct(schema, name, path);
      }
      version_.notes.push_back(path + ": it may have other fields than the declared ones");
      return Raw();
    }
    const JsonValue* const values = Find(schema, "additionalProperties");
    if (values != nullptr && runtime::IsJsonObject(*values)) {
      Use("", "<string>");
      return Use("std::map<std::string, " + TypeOf(*values, name, path + ".*") + ">", "<map>");
    }
    return Raw();
  }

  // Adds the struct of an object, and returns its name.
  std::string MakeStruct(const JsonValue& schema, const std::string& name,
                         const std::string& path) {
    Struct made{.name = name, .description = std::string(GetString(schema, "description"))};
    const std::set<std::string, std::less<>> required = RequiredOf(schema);
    std::set<std::string> members;
    for (const auto& [json_name, property] : JsonMembers(*Find(schema, "properties"))) {
      Field field =
          MakeField(std::string(json_name), property, required.contains(json_name), name,
                    path.empty() ? std::string(json_name) : path + "." + std::string(json_name));
      while (!members.insert(field.member).second) field.member += '_';
      made.fields.push_back(std::move(field));
    }
    return Add(std::move(made));
  }

  // Returns the type of a field that may be missing.
  std::string Optional(std::string type) {
    if (IsStruct(type)) return Use("Boxed<" + type + ">", "\"capstan/boxed.h\"");
    if (type.starts_with("List<") || type.starts_with("std::vector<") ||
        type.starts_with("std::map<") || type == "capstan::RawJson") {
      return type;  // empty: it is missing
    }
    return Use("std::optional<" + type + ">", "<optional>");
  }

  bool IsStruct(const std::string& type) const { return names_.contains(type); }

 private:
  static std::set<std::string, std::less<>> RequiredOf(const JsonValue& schema) {
    std::set<std::string, std::less<>> names;
    const JsonValue* const required = Find(schema, "required");
    if (required == nullptr) return names;
    for (const JsonValue& name : runtime::JsonElements(*required)) {
      names.insert(std::string(runtime::AsString(name).value_or("")));
    }
    return names;
  }

  Field MakeField(std::string json_name, const JsonValue& schema, bool required,
                  const std::string& owner, const std::string& path) {
    Field field{.json_name = std::move(json_name),
                .description = std::string(GetString(schema, "description")),
                .required = required};
    field.member = MemberName(field.json_name);
    const bool is_list = GetString(schema, "type") == "array";
    std::string part = TypeName(field.json_name);
    if (is_list && part.size() > 1 && part.ends_with('s') && !part.ends_with("ss")) part.pop_back();
    field.type = TypeOf(schema, owner + part, path);
    if (const JsonValue* const allowed = Find(schema, "enum"); allowed != nullptr) {
      AddConstants(*allowed, field);
    }
    if (!required) field.type = Optional(std::move(field.type));
    return field;
  }

  static void AddConstants(const JsonValue& allowed, Field& field) {
    for (const JsonValue& value : runtime::JsonElements(allowed)) {
      const auto text = runtime::AsString(value);
      if (!text) return field.constants.clear();
      const std::string name = "k" + TypeName(field.json_name) + TypeName(*text);
      const bool taken = std::any_of(field.constants.begin(), field.constants.end(),
                                     [&](const auto& known) { return known.first == name; });
      if (!taken) field.constants.emplace_back(name, *text);
    }
  }

  std::optional<std::string> ScalarOf(const JsonValue& schema) {
    const std::string_view type = GetString(schema, "type");
    const std::string_view format = GetString(schema, "format");
    if (GetBool(schema, "x-kubernetes-int-or-string")) {
      if (IsQuantity(schema)) return Use("capstan::Quantity", "\"capstan/quantity.h\"");
      return Use("capstan::IntOrString", "\"capstan/int_or_string.h\"");
    }
    if (GetBool(schema, "x-kubernetes-embedded-resource")) return Raw();
    if (type == "boolean") return "bool";
    if (type == "integer") {
      return Use(format == "int32" ? "std::int32_t" : "std::int64_t", "<cstdint>");
    }
    if (type == "number") return "double";
    if (type == "string") {
      if (format == "date-time") return Use("capstan::Time", "\"capstan/time.h\"");
      if (format == "byte") return Use("capstan::Bytes", "\"capstan/bytes.h\"");
      return Use("std::string", "<string>");
    }
    return std::nullopt;
  }

  std::string Raw() { return Use("capstan::RawJson", "\"capstan/int_or_string.h\""); }

  std::string Use(std::string type, const std::string& header) {
    version_.headers.insert(header);
    return type;
  }

  // Adds a struct under its name, unless an equal one is known.
  std::string Add(Struct made) {
    std::string key;
    for (const Field& field : made.fields) {
      key += field.json_name + '\0' + field.type + (field.required ? "!" : "?");
      for (const auto& [name, text] : field.constants) key += '|' + text;
    }
    if (const auto known = by_content_.find(key); known != by_content_.end()) return known->second;
    while (!names_.insert(made.name).second) made.name += '_';
    by_content_.emplace(std::move(key), made.name);
    version_.structs.push_back(std::move(made));
    return version_.structs.back().name;
  }

  Version& version_;
  std::set<std::string> names_;
  std::map<std::string, std::string> by_content_;  // the name of the struct with these fields
};

// Adds the struct of the kind itself.
void MakeKind(const JsonValue& schema, Version& version) {
  StructMaker maker(version);
  Struct kind{.name = version.kind, .description = std::string(GetString(schema, "description"))};
  version.headers.insert("\"capstan/object_meta.h\"");
  kind.fields.push_back(
      {.json_name = "metadata", .member = "metadata", .type = "capstan::ObjectMeta"});
  const JsonValue* const properties = Find(schema, "properties");
  if (properties != nullptr) {
    std::set<std::string_view> required;
    if (const JsonValue* const names = Find(schema, "required"); names != nullptr) {
      for (const JsonValue& name : runtime::JsonElements(*names)) {
        required.insert(runtime::AsString(name).value_or(""));
      }
    }
    for (const auto& [name, property] : JsonMembers(*properties)) {
      if (name == "apiVersion" || name == "kind" || name == "metadata") continue;
      Field field{.json_name = std::string(name),
                  .member = MemberName(name),
                  .type = maker.TypeOf(property, version.kind + TypeName(name), std::string(name)),
                  .description = std::string(GetString(property, "description")),
                  .required = required.contains(name)};
      if (!field.required) field.type = maker.Optional(std::move(field.type));
      kind.fields.push_back(std::move(field));
    }
  }
  version.structs.push_back(std::move(kind));
}

Error Invalid(std::string_view what) {
  return {.reason = ErrorReason::kInvalidArgument, .message = std::string(what)};
}

}  // namespace

Expected<Definition> ReadDefinition(const runtime::JsonValue& manifest) {
  if (GetString(manifest, "kind") != "CustomResourceDefinition") {
    return tl::unexpected(Invalid("it is not a CustomResourceDefinition"));
  }
  if (GetString(manifest, "apiVersion") != "apiextensions.k8s.io/v1") {
    return tl::unexpected(Invalid("its apiVersion is not apiextensions.k8s.io/v1"));
  }
  const JsonValue* const spec = Find(manifest, "spec");
  const JsonValue* const names = spec == nullptr ? nullptr : Find(*spec, "names");
  const JsonValue* const versions = spec == nullptr ? nullptr : Find(*spec, "versions");
  if (names == nullptr || versions == nullptr) {
    return tl::unexpected(Invalid("it has no spec.names or no spec.versions"));
  }
  // The kind is the name of a struct.
  const std::string_view kind = GetString(*names, "kind");
  if (kind.empty() || !IsAsciiLetter(kind.front()) ||
      !std::all_of(kind.begin(), kind.end(), IsAsciiAlphanumeric)) {
    return tl::unexpected(
        Invalid("its kind " + Quoted(kind) + " is not a word of letters and digits"));
  }
  Definition definition{.json = runtime::ToJson(manifest)};
  for (const JsonValue& entry : runtime::JsonElements(*versions)) {
    const JsonValue* const schema = runtime::FindPath(entry, {"schema", "openAPIV3Schema"});
    if (schema == nullptr) continue;
    Version version{.group = std::string(GetString(*spec, "group")),
                    .version = std::string(GetString(entry, "name")),
                    .kind = std::string(kind),
                    .plural = std::string(GetString(*names, "plural")),
                    .namespaced = GetString(*spec, "scope") != "Cluster",
                    .has_status = runtime::FindPath(entry, {"subresources", "status"}) != nullptr};
    MakeKind(*schema, version);
    definition.versions.push_back(std::move(version));
  }
  return definition;
}

}  // namespace capstan::cmd::generate
