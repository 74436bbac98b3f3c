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
#include "clientgo/testing/apiserver/types/rule_field_path.h"
#include "clientgo/testing/apiserver/types/validation_rules.h"
#include "clientgo/testing/apiserver/validation/rule_costs.h"

namespace capstan::testing::apiserver {
namespace {

constexpr const char* kRulesMember = "x-kubernetes-validations";
constexpr std::array<std::string_view, 4> kRuleReasons = {
    "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"};

std::string_view TrimRule(std::string_view text) { return Trim(text, " \t\r\n\v\f"); }
bool HasLineBreak(std::string_view text) {
  return text.find_first_of("\r\n") != std::string_view::npos;
}

// Returns a text as Go's encoder writes it: without the characters of HTML.
std::string HtmlQuote(std::string_view text) {
  std::string quoted;
  for (const char c : Quote(text)) {
    if (c == '<') {
      quoted += "\\u003c";
    } else if (c == '>') {
      quoted += "\\u003e";
    } else if (c == '&') {
      quoted += "\\u0026";
    } else {
      quoted += c;
    }
  }
  return quoted;
}

// Returns a rule as error texts show it: the fields of Go's internal type.
std::string ShownRule(const Place& rule) {
  const auto text = [&](const char* member) { return HtmlQuote(rule[member].Text()); };
  const Place optional = rule["optionalOldSelf"];
  return R"({"Rule":)" + text("rule") + R"(,"Message":)" + text("message") +
         R"(,"MessageExpression":)" + text("messageExpression") + R"(,"Reason":)" +
         (rule["reason"].Given() ? text("reason") : "null") + R"(,"FieldPath":)" +
         text("fieldPath") + R"(,"OptionalOldSelf":)" +
         (optional.Given() ? optional.Json() : "null") + "}";
}

// Checks the members of a rule without its expressions.
void CheckRuleMembers(const Place& rule, const cel::Schema& schema, FieldRules& rules) {
  const std::string_view expression = TrimRule(rule["rule"].Text());
  const Place message = rule["message"];
  const std::string_view text = TrimRule(message.Text());
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
  if (!message_expression.Text().empty() && TrimRule(message_expression.Text()).empty()) {
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
  if (TrimRule(path.Text()).empty()) rules.InvalidText(path, "must be non-empty if specified");
  if (HasLineBreak(path.Text())) rules.InvalidText(path, "must not contain line breaks");
  if (!NormalizeFieldPath(path.Text(), schema)) rules.InvalidText(path, "must be a valid path");
}

// Checks the expressions of a rule. `uncorrelatable` is the path of a list or a map around the
// schema whose elements an update cannot tell apart; empty: there is none.
void CheckRuleExpressions(const Place& rule, const CompiledRule& compiled,
                          const std::string& uncorrelatable, FieldRules& rules) {
  const std::string shown = ShownRule(rule);
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

// RuleScope is where a schema is, and what that means for its rules.
struct RuleScope {
  cel::SchemaPtr schema;
  bool root = false;
  // The path of a list or a map around the schema whose elements an update cannot tell apart.
  std::string uncorrelatable = {};
  // How many values an object can have here; nullopt: there is no limit.
  std::optional<std::uint64_t> count_max = 1;

  // Returns the scope of a schema inside of this one. `count` is how many values each value has.
  RuleScope Inner(cel::SchemaPtr inner, bool correlatable, const std::string& path,
                  std::optional<std::int64_t> count) const {
    RuleScope scope{.schema = std::move(inner)};
    scope.uncorrelatable = correlatable || !uncorrelatable.empty() ? uncorrelatable : path;
    scope.count_max = std::nullopt;
    if (count_max && count) {
      scope.count_max = cel::CostRange::Product(*count_max, static_cast<std::uint64_t>(*count));
    }
    return scope;
  }
};

// RuleTreeChecker checks the rules of all parts of a schema.
class RuleTreeChecker {
 public:
  explicit RuleTreeChecker(FieldRules& rules) : rules_(rules) {}

  void Check(const Place& schema, const RuleScope& scope);
  void CheckTotalCost(const Place& schema) const { costs_.CheckTotal(schema, rules_); }

 private:
  void CheckOwn(const Place& schema, const RuleScope& scope);
  void CheckCosts(const Place& rule, const CompiledRule& compiled, const cel::SizedType& type,
                  const RuleScope& scope);

  FieldRules& rules_;
  RuleCosts costs_;
};

void RuleTreeChecker::CheckCosts(const Place& rule, const CompiledRule& compiled,
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

void RuleTreeChecker::CheckOwn(const Place& schema, const RuleScope& scope) {
  const auto list = schema[kRulesMember].Items();
  const std::size_t before = rules_.causes().size();
  for (const Place& rule : list) CheckRuleMembers(rule, *scope.schema, rules_);
  if (list.empty() || rules_.causes().size() > before) return;
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

void RuleTreeChecker::Check(const Place& schema, const RuleScope& scope) {
  if (scope.schema == nullptr) return;
  const cel::Schema& own = *scope.schema;
  const std::string& path = schema.path();
  const bool same_map =
      own.map_type.empty() || own.map_type == "granular" || own.map_type == "atomic";
  Check(schema["additionalProperties"],
        scope.Inner(own.additional, true, path, own.max_properties));
  const Place properties = schema["properties"];
  for (const auto& [name, inner] : own.properties) {
    Check(properties.Entry(name), scope.Inner(inner, same_map, path, 1));
  }
  Check(schema["items"], scope.Inner(own.items, own.list_type == "map", path, own.max_items));
  CheckOwn(schema, scope);
}

}  // namespace

void CheckValidationRules(const Place& schema, FieldRules& rules) {
  if (!HasValidationRules(schema.value())) return;
  RuleTreeChecker checker(rules);
  checker.Check(schema, {.schema = cel::ReadSchema(schema.value()), .root = true});
  checker.CheckTotalCost(schema);
}

}  // namespace capstan::testing::apiserver
