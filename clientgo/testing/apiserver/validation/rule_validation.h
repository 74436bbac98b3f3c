// SPDX-License-Identifier: Apache-2.0
// Validation of the x-kubernetes-validations of a CustomResourceDefinition, with the error texts of
// kube-apiserver. Mirrors the part of ValidateCustomResourceDefinitionOpenAPISchema in
// k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation that is about them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clientgo/cel/schema.h"
#include "clientgo/testing/apiserver/types/validation_rules.h"
#include "clientgo/testing/apiserver/validation/field_rules.h"
#include "clientgo/testing/apiserver/validation/rule_costs.h"

namespace capstan::testing::apiserver {

// RuleScope is where a schema is, and what that means for its rules.
struct RuleScope {
  cel::SchemaPtr schema;  // null: no expression is checked
  bool root = false;
  // The path of a list or a map around the schema whose elements an update cannot tell apart.
  std::string uncorrelatable = {};
  // How many values an object can have here; nullopt: there is no limit.
  std::optional<std::uint64_t> count_max = 1;

  // Return the scope of a schema inside of the one at `path`.
  RuleScope Property(const std::string& name, const std::string& path) const;
  RuleScope Additional() const;
  RuleScope Items(const std::string& list_type, const std::string& path) const;
  // Returns the scope of a part of an alternative.
  RuleScope Part() const { return {.schema = nullptr, .uncorrelatable = uncorrelatable}; }

 private:
  RuleScope Inner(cel::SchemaPtr inner, bool correlatable, const std::string& path,
                  std::optional<std::int64_t> count) const;
};

// Returns a rule as errors show it: the fields of Go's internal type.
std::string InternalRuleText(const Place& rule);
// Checks the members of the rules of a schema without their expressions.
void CheckRuleMembers(const Place& schema, FieldRules& rules);

// RuleExpressions checks the expressions of all rules of a definition, and adds up what they cost.
class RuleExpressions {
 public:
  explicit RuleExpressions(std::vector<Cause>& causes) : rules_(causes) {}

  void Check(const Place& schema, const RuleScope& scope);
  void CheckTotalCost(const Place& schema, FieldRules& rules) const {
    costs_.CheckTotal(schema, rules);
  }

 private:
  void CheckCosts(const Place& rule, const CompiledRule& compiled, const cel::SizedType& type,
                  const RuleScope& scope);

  FieldRules rules_;
  RuleCosts costs_;
};

}  // namespace capstan::testing::apiserver
