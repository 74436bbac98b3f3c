// SPDX-License-Identifier: Apache-2.0
// Schema is the structural OpenAPI schema of a custom resource: which fields are kept, their
// defaults, and what is valid, with the error texts of kube-apiserver. Mirrors
// k8s.io/apiextensions-apiserver/pkg/apiserver/schema (pruning, defaulting, listtype) and
// pkg/apiserver/validation.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/cel/schema.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/schema_validator.h"
#include "clientgo/testing/apiserver/types/status.h"
#include "clientgo/testing/apiserver/types/validation_rules.h"

namespace capstan::testing::apiserver {

class Schema {
 public:
  // `schema` is the value of openAPIV3Schema. Null: every object is valid and is kept whole.
  explicit Schema(const runtime::JsonValue* schema);

  const runtime::JsonValue& json() const { return root_; }  // null: there is no schema
  // Removes the fields that the schema does not declare. Returns their paths: "spec.odd". Also
  // removes the nulls that are not allowed and have no default.
  std::vector<std::string> Prune(runtime::JsonValue& object) const;
  // Sets the default values of missing fields, and of nulls that are not allowed.
  void SetDefaults(runtime::JsonDocument& object) const;
  // Returns why the object is invalid; no cause means that it is valid. For a write of the
  // subresource "status" only the status is checked. `live` is the object before an update; null:
  // the object is new. Values that an update does not change are valid.
  std::vector<Cause> Validate(const runtime::JsonValue& object, const runtime::JsonValue* live,
                              bool status_only) const;
  // Returns which elements of lists of the types "set" and "map" are not unique. An update may keep
  // such lists.
  std::vector<Cause> ValidateLists(const runtime::JsonValue& object,
                                   const runtime::JsonValue* live) const;
  // Checks the x-kubernetes-validations. `causes` are those that were found before; after some of
  // them no rule is checked. `live` is the object before an update; null: the object is new.
  RuleReport CheckRules(const runtime::JsonValue& object, const runtime::JsonValue* live,
                        const std::vector<Cause>& causes) const;

 private:
  runtime::JsonDocument root_;
  cel::SchemaPtr types_;
  std::shared_ptr<const ValidationRules> rules_;  // null: there is no schema
  mutable Patterns patterns_;  // compiled when first used, so a Schema is not thread-safe
};

// Returns the part of a schema for a member of an object, or null if the member is not declared.
const runtime::JsonValue* MemberSchema(const runtime::JsonValue& schema, std::string_view name);

// Returns whether the part has the boolean `key`, and it is true.
bool IsSet(const runtime::JsonValue& schema, std::string_view key);

// Reports whether a value has members that a part of a schema does not declare.
bool HasUnknownFields(const runtime::JsonValue& schema, const runtime::JsonValue& value);

}  // namespace capstan::testing::apiserver
