// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/validation/rule_validation.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "capstan/text.h"
#include "clientgo/cel/cost_estimate.h"
#include "clientgo/cel/cost_range.h"
#include "clientgo/cel/schema.h"
#include "clientgo/testing/apiserver/types/go_text.h"
#include "clientgo/testing/apiserver/types/rule_field_path.h"
#include "clientgo/testing/apiserver/types/validation_rules.h"
#include "clientgo/testing/apiserver/validation/rule_costs.h"

namespace capstan::testing::apiserver {
namespace {

constexpr const char* kRulesMember = "x-kubernetes-validations";
constexpr std::array<std::string_view, 4> kRuleReasons = {
    "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"};

bool HasLineBreak(std::string_view text) {
  return text.find_first_of("\r\n") != std::string_view::npos;
}

// Checks the members of a rule without its expressions.
void CheckRule(const Place& rule, const cel::Schema& schema, FieldRules& rules) {
  const std::string_view expression = TrimSpace(rule["rule"].Text());
  const Place message = rule["message"];
  const std::string_view text = TrimSpace(message.Text());
  if (expression.empty()) {
    rules.Required(rule["rule"], "rule is not specified");
  } else if (!message.Text().empty() && text.empty()) {
    rules.InvalidText(message, "must be non-empty if specified");
  } else if (HasLineBreak(text)) {
    rules.InvalidText(message, "must not contain line breaks");
  } else if (HasLineBreak(expression) && text.empty()) {
    rules.Required(message, "message must be specified if rule contains line breaks");
  }
  const Place message_expression = rule["messageExpression"];
  if (!message_expression.Text().empty() && TrimSpace(message_expression.Text()).empty()) {
    rules.Required(message_expression, "messageExpression must be non-empty if specified");
  }
  const Place reason = rule["reason"];
  if (reason.Given() &&
      std::find(kRuleReasons.begin(), kRuleReasons.end(), reason.Text()) == kRuleReasons.end()) {
    rules.Unsupported(reason, reason.Json(),
                      {kRuleReasons[0], kRuleReasons[1], kRuleReasons[2], kRuleReasons[3]});
  }
  const Place path = rule["fieldPath"];
  if (path.Text().empty()) return;
  if (TrimSpace(path.Text()).empty()) rules.InvalidText(path, "must be non-empty if specified");
  if (HasLineBreak(path.Text())) rules.InvalidText(path, "must not contain line breaks");
  if (!NormalizeFieldPath(path.Text(), schema)) rules.InvalidText(path, "must be a valid path");
}

// Checks the expressions of a rule. `uncorrelatable` is the path of a list or a map around the
// schema whose elements an update cannot tell apart; empty: there is none.
void CheckRuleExpressions(const Place& rule, const CompiledRule& compiled,
                          const std::string& uncorrelatable, FieldRules& rules) {
  const std::string shown = InternalRuleText(rule);
  if (!compiled.error.empty()) {
    rules.InvalidAs(rule["rule"], shown, compiled.error);
    return;
  }
  if (!compiled.message_error.empty()) {
    rules.InvalidAs(rule["messageExpression"], shown, compiled.message_error);
  }
  if (compiled.uses_old_self && !uncorrelatable.empty()) {
    rules.InvalidText(rule["rule"],
                      "oldSelf cannot be used on the uncorrelatable portion of the schema within " +
                          uncorrelatable);
  }
  const Place optional = rule["optionalOldSelf"];
  if (!compiled.uses_old_self && optional.Given()) {
    rules.Invalid(optional, "may not be set if oldSelf is not used in rule");
  }
}

}  // namespace

std::string InternalRuleText(const Place& rule) {
  const auto text = [&](const char* member) { return HtmlQuote(rule[member].Text()); };
  const Place optional = rule["optionalOldSelf"];
  return R"({"Rule":)" + text("rule") + R"(,"Message":)" + text("message") +
         R"(,"MessageExpression":)" + text("messageExpression") + R"(,"Reason":)" +
         (rule["reason"].Given() ? text("reason") : "null") + R"(,"FieldPath":)" +
         text("fieldPath") + R"(,"OptionalOldSelf":)" +
         (optional.Given() ? optional.Json() : "null") + "}";
}

RuleScope RuleScope::Inner(cel::SchemaPtr inner, bool correlatable, const std::string& path,
                           std::optional<std::int64_t> count) const {
  RuleScope scope{.schema = std::move(inner)};
  scope.uncorrelatable = correlatable || !uncorrelatable.empty() ? uncorrelatable : path;
  scope.count_max = std::nullopt;
  if (count_max && count) {
    scope.count_max = cel::CostRange::Product(*count_max, static_cast<std::uint64_t>(*count));
  }
  return scope;
}

RuleScope RuleScope::Property(const std::string& name, const std::string& path) const {
  if (schema == nullptr) return Part();
  const bool same_map =
      schema->map_type.empty() || schema->map_type == "granular" || schema->map_type == "atomic";
  const auto found = schema->properties.find(name);
  return Inner(found == schema->properties.end() ? nullptr : found->second, same_map, path, 1);
}

RuleScope RuleScope::Additional() const {
  if (schema == nullptr) return Part();
  return Inner(schema->additional, true, "", schema->max_properties);
}

RuleScope RuleScope::Items(const std::string& list_type, const std::string& path) const {
  if (schema == nullptr) return Part();
  return Inner(schema->items, list_type == "map", path, schema->max_items);
}

void CheckRuleMembers(const Place& schema, FieldRules& rules) {
  const auto list = schema[kRulesMember].Items();
  if (list.empty()) return;
  const cel::SchemaPtr types = cel::ReadSchema(schema.value());
  for (const Place& rule : list) CheckRule(rule, *types, rules);
}

void RuleExpressions::CheckCosts(const Place& rule, const CompiledRule& compiled,
                                 const cel::SizedType& type, const RuleScope& scope) {
  if (!compiled.program) return;
  constexpr std::uint64_t kRequestSizeMax = std::uint64_t{3} << 20U;
  const std::uint64_t count =
      scope.count_max.value_or(kRequestSizeMax / static_cast<std::uint64_t>(type.size_min + 1));
  const std::uint64_t cost = cel::EstimateCost(compiled.program->root(), type);
  costs_.Add(rule["rule"], cel::CostRange::Product(cost, count), "estimated rule cost", rules_);
  if (!compiled.message_program) return;
  costs_.Add(rule["messageExpression"], cel::EstimateCost(compiled.message_program->root(), type),
             "estimated messageExpression cost", rules_);
}

void RuleExpressions::Check(const Place& schema, const RuleScope& scope) {
  const auto list = schema[kRulesMember].Items();
  if (list.empty() || scope.schema == nullptr) return;
  const auto type =
      cel::TypeOfSchema(scope.schema, "selfType", scope.root || scope.schema->embedded_resource);
  if (type == nullptr) {
    rules_.causes().push_back(
        {.reason = "InternalError",
         .message = "Internal error: failed to convert to declType for CEL validation rules",
         .field = schema[kRulesMember].path()});
    return;
  }
  for (const Place& rule : list) {
    const CompiledRule compiled = CompileRule(rule.value(), *scope.schema, *type);
    CheckCosts(rule, compiled, *type, scope);
    CheckRuleExpressions(rule, compiled, scope.uncorrelatable, rules_);
  }
}

}  // namespace capstan::testing::apiserver
