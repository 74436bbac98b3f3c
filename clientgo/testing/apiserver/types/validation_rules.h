// SPDX-License-Identifier: Apache-2.0
// ValidationRules are the x-kubernetes-validations of a schema: expressions of CEL that the objects
// of a custom resource must fulfil. They are compiled once. Mirrors
// k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go with ratcheting: an update
// that does not change a value may keep it although it breaks a rule. Thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/cel/program.h"
#include "clientgo/cel/schema.h"
#include "clientgo/runtime/json.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

// CompiledRule is one entry of x-kubernetes-validations.
struct CompiledRule {
  std::string rule;
  std::string message;
  std::string reason;      // "FieldValueForbidden"; empty: FieldValueInvalid
  std::string field_path;  // normalized; empty: none
  bool optional_old_self = false;
  bool uses_old_self = false;
  std::optional<cel::Program> program = {};  // nullopt: the rule is empty or wrong
  std::optional<cel::Program> message_program = {};
  std::string error = {};          // why the rule cannot be compiled
  std::string message_error = {};  // the same of the messageExpression
};

// Compiles one entry. `schema` and `type` are those of the value that the rule is about.
CompiledRule CompileRule(const runtime::JsonValue& rule, const cel::Schema& schema,
                         const cel::SizedType& type);

// Reports whether a schema, or a part of it, has rules.
bool HasValidationRules(const runtime::JsonValue& schema);

struct RuleReport {
  std::vector<Cause> causes = {};
  // About values that break a rule and that the update does not change.
  std::vector<std::string> warnings = {};
};

class ValidationRules {
 public:
  // `root`: the schema is that of an object that has a kind.
  explicit ValidationRules(const runtime::JsonValue& schema, bool root = true);
  ~ValidationRules();

  bool empty() const { return root_ == nullptr; }
  // `live` is the object before an update; null: the object is new. `path` names the object.
  RuleReport Validate(const runtime::JsonValue& object, const runtime::JsonValue* live,
                      const std::string& path = {}) const;

  struct Node;

 private:
  std::unique_ptr<const Node> root_;  // null: there are no rules
};

// Returns the cause that says that rules were not checked, because of causes of other kinds;
// nullopt: the rules can be checked.
std::optional<Cause> FindBlockingCause(const std::vector<Cause>& causes);

}  // namespace capstan::testing::apiserver
