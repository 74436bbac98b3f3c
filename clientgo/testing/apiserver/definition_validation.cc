// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/definition_validation.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "capstan/runtime/json_writer.h"
#include "capstan/text.h"
#include "clientgo/testing/apiserver/go_regexp.h"
#include "clientgo/testing/apiserver/schema.h"
#include "clientgo/testing/apiserver/validation.h"

namespace capstan::testing::apiserver {
namespace {

std::string Index(const std::string& path, rapidjson::SizeType index) {
  return path + "[" + std::to_string(index) + "]";
}

std::string Property(const std::string& path, std::string_view name) {
  return path + ".properties[" + std::string(name) + "]";
}

bool Contains(const runtime::JsonValue& list, const runtime::JsonValue& value) {
  return std::find(list.Begin(), list.End(), value) != list.End();
}

// Calls `visit` with every schema inside of `schema`, and with its path.
template <class Visit>
void VisitSchemas(const runtime::JsonValue& schema, const std::string& path, const Visit& visit) {
  visit(schema, path);
  for (const char* const key : {"items", "additionalProperties"}) {
    const runtime::JsonValue* const inner = runtime::Find(schema, key);
    if (inner != nullptr && inner->IsObject()) VisitSchemas(*inner, path + "." + key, visit);
  }
  for (const auto& property : ObjectAt(schema, "properties").GetObject()) {
    if (!property.value.IsObject()) continue;
    VisitSchemas(property.value, Property(path, runtime::ToView(property.name)), visit);
  }
}

void CheckPattern(const runtime::JsonValue& schema, const std::string& path,
                  std::vector<Cause>& causes) {
  const std::string_view pattern = runtime::GetString(schema, "pattern");
  const std::string why = GoRegexp(pattern).Error();
  if (why.empty()) return;
  causes.push_back(InvalidValue(path + ".pattern", pattern,
                                "must be a valid regular expression, but isn't: " + why));
}

void CheckDefault(const runtime::JsonValue& schema, const std::string& path,
                  std::vector<Cause>& causes) {
  const runtime::JsonValue* const value = runtime::Find(schema, "default");
  if (value == nullptr || value->IsNull()) return;
  auto more = ValidateDefault(schema, *value, path + ".default");
  causes.insert(causes.end(), more.begin(), more.end());
}

void CheckListKeys(const runtime::JsonValue& schema, const std::string& path,
                   std::vector<Cause>& causes) {
  if (runtime::GetString(schema, "x-kubernetes-list-type") != "map") return;
  const std::string field = path + ".x-kubernetes-list-map-keys";
  const runtime::JsonValue& keys = ListAt(schema, "x-kubernetes-list-map-keys");
  const runtime::JsonValue& items = ObjectAt(schema, "items");
  if (keys.Empty()) {
    causes.push_back(Required(field, "must not be empty if x-kubernetes-list-type is map"));
  }
  const std::string_view type = runtime::GetString(items, "type");
  if (type != "object") {
    causes.push_back(
        InvalidValue(path + ".items.type", type,
                     "must be object if parent array's x-kubernetes-list-type is map"));
    return;
  }
  const runtime::JsonValue& properties = ObjectAt(items, "properties");
  for (const runtime::JsonValue& key : keys.GetArray()) {
    if (runtime::Find(properties, runtime::ToView(key)) != nullptr) continue;
    causes.push_back({.reason = "FieldValueInvalid",
                      .message = "Invalid value: " + runtime::ToJson(keys) +
                                 ": entries must all be names of item properties",
                      .field = field});
  }
  for (const runtime::JsonValue& key : keys.GetArray()) {
    const runtime::JsonValue* const property = runtime::Find(properties, runtime::ToView(key));
    if (property == nullptr || Contains(ListAt(items, "required"), key) ||
        runtime::Find(*property, "default") != nullptr) {
      continue;
    }
    causes.push_back(Required(Property(path + ".items", runtime::ToView(key)) + ".default",
                              "this property is in x-kubernetes-list-map-keys, so it must have a "
                              "default or be a required property"));
  }
}

void CheckSchema(const runtime::JsonValue& schema, const std::string& path,
                 std::vector<Cause>& causes) {
  if (!schema.IsObject()) return;
  const auto before = causes.size();
  const auto all = [&](const auto& check) {
    VisitSchemas(schema, path, [&](const runtime::JsonValue& inner, const std::string& inner_path) {
      check(inner, inner_path, causes);
    });
  };
  all(CheckPattern);
  if (causes.size() == before) all(CheckDefault);
  all(CheckListKeys);
}

void CheckColumns(const runtime::JsonValue& columns, const std::string& path,
                  std::vector<Cause>& causes) {
  const std::string one_of = "must be one of boolean,date,integer,number,string";
  for (rapidjson::SizeType i = 0; i < columns.Size(); ++i) {
    const std::string column = Index(path, i);
    const std::string_view type = runtime::GetString(columns[i], "type");
    const std::string_view json_path = runtime::GetString(columns[i], "jsonPath");
    if (runtime::GetString(columns[i], "name").empty())
      causes.push_back(Required(column + ".name", ""));
    if (type.empty()) {
      causes.push_back(Required(column + ".type", one_of));
    } else if (type != "boolean" && type != "date" && type != "integer" && type != "number" &&
               type != "string") {
      causes.push_back(InvalidValue(column + ".type", type, one_of));
    }
    if (json_path.empty()) {
      causes.push_back(Required(column + ".JSONPath", ""));
    } else if (!json_path.starts_with('.')) {
      causes.push_back(InvalidValue(column + ".JSONPath", json_path,
                                    "must be a simple json path starting with ."));
    }
  }
}

void CheckVersionName(const std::string& path, std::string_view name, std::vector<Cause>& causes) {
  for (const std::string& error : Dns1035LabelErrors(name)) {
    causes.push_back(InvalidValue(path, name, error));
  }
}

// Calls `check` with a member of the versions and its path. kube-apiserver moves a member that is
// the same in all versions to `moved_to` before it validates.
template <class Check>
void CheckVersions(const runtime::JsonValue& versions,
                   std::initializer_list<std::string_view> member, const std::string& name,
                   const std::string& moved_to, bool moved, const Check& check) {
  const runtime::JsonValue* const first =
      versions.Empty() ? nullptr : runtime::FindPath(versions[0], member);
  bool same = first != nullptr;
  for (const runtime::JsonValue& version : versions.GetArray()) {
    const runtime::JsonValue* const value = runtime::FindPath(version, member);
    same = same && value != nullptr && *value == *first;
  }
  if (same == moved && same) check(*first, moved_to);
  if (same || moved) return;
  for (rapidjson::SizeType i = 0; i < versions.Size(); ++i) {
    const runtime::JsonValue* const value = runtime::FindPath(versions[i], member);
    if (value != nullptr) check(*value, Index("spec.versions", i) + name);
  }
}

void CheckNames(const runtime::JsonValue& definition, std::vector<Cause>& causes) {
  const runtime::JsonValue& spec = ObjectAt(definition, "spec");
  const std::string group(runtime::GetString(spec, "group"));
  const std::string_view name = Metadata(definition, "name");
  const std::string plural(runtime::GetString(ObjectAt(spec, "names"), "plural"));
  if (name != plural + "." + group) {
    causes.push_back(
        InvalidValue("metadata.name", name, R"(must be spec.names.plural+"."+spec.group)"));
  }
  if (group.empty()) {
    causes.push_back(Required("spec.group", ""));
  } else if (IsDnsSubdomain(group) && group.find('.') == std::string::npos) {
    causes.push_back(InvalidValue("spec.group", group, "should be a domain with at least one dot"));
  }
}

}  // namespace

std::vector<Cause> ValidateDefinition(const runtime::JsonValue& definition) {
  std::vector<Cause> causes;
  CheckNames(definition, causes);
  const runtime::JsonValue& versions = ListAt(ObjectAt(definition, "spec"), "versions");
  for (rapidjson::SizeType i = 0; i < versions.Size(); ++i) {
    CheckVersionName(Index("spec.versions", i) + ".name", runtime::GetString(versions[i], "name"),
                     causes);
  }
  const auto check_both = [&](bool moved) {
    CheckVersions(versions, {"schema", "openAPIV3Schema"}, ".schema.openAPIV3Schema",
                  "spec.validation.openAPIV3Schema", moved,
                  [&](const runtime::JsonValue& schema, const std::string& path) {
                    CheckSchema(schema, path, causes);
                  });
    CheckVersions(versions, {"additionalPrinterColumns"}, ".additionalPrinterColumns",
                  "spec.additionalPrinterColumns", moved,
                  [&](const runtime::JsonValue& columns, const std::string& path) {
                    if (columns.IsArray()) CheckColumns(columns, path, causes);
                  });
  };
  check_both(false);
  // The internal form has the first version a second time.
  if (!versions.Empty())
    CheckVersionName("spec.version", runtime::GetString(versions[0], "name"), causes);
  check_both(true);
  return causes;
}

}  // namespace capstan::testing::apiserver
