// SPDX-License-Identifier: Apache-2.0
// Schema is a structural OpenAPI schema as CEL sees it: the types of fields, how lists compare, and
// how large values can be. Mirrors k8s.io/apiserver/pkg/cel/common/schemas.go.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/cel/type.h"
#include "clientgo/runtime/json.h"

namespace capstan::cel {

struct Schema;
using SchemaPtr = std::shared_ptr<const Schema>;

struct Schema {
  std::string type = {};
  std::string format = {};
  bool nullable = false;
  bool int_or_string = false;
  bool preserve_unknown = false;
  bool embedded_resource = false;
  bool has_default = false;
  std::map<std::string, SchemaPtr, std::less<>> properties = {};
  SchemaPtr additional = {};  // null: there is none
  SchemaPtr items = {};
  std::string list_type = {};
  std::string map_type = {};
  std::vector<std::string> list_keys = {};
  std::vector<std::string> required = {};
  std::optional<std::int64_t> max_items = {};
  std::optional<std::int64_t> max_properties = {};
  std::optional<std::int64_t> max_length = {};
  std::optional<std::int64_t> longest_enum = {};  // bytes of the longest string of an enum

  // Returns the schema of a member of an object or a map; null: it is not declared.
  const Schema* Member(std::string_view name) const;
};

// Reads the JSON of a schema. An embedded resource has what WithTypeAndMetadata adds.
SchemaPtr ReadSchema(const runtime::JsonValue& json);
// Returns the schema of an object that has a kind: with apiVersion, kind, and the names in its
// metadata.
SchemaPtr WithTypeAndMetadata(const SchemaPtr& schema);

// SizedType is a type with the sizes that costs are estimated from.
struct SizedType {
  Type type;
  std::int64_t size_min = 0;              // bytes of the shortest JSON
  std::optional<std::int64_t> count_max;  // characters or elements; nullopt: not known
  std::map<std::string, std::shared_ptr<const SizedType>, std::less<>> fields;  // escaped names
  std::shared_ptr<const SizedType> key;
  std::shared_ptr<const SizedType> element;
};

// Returns the type of values of a schema; null: CEL cannot use them. `name` is that of an object's
// type. `root`: the schema is that of an object that has a kind.
std::shared_ptr<const SizedType> TypeOfSchema(const SchemaPtr& schema, const std::string& name,
                                              bool root);

}  // namespace capstan::cel
