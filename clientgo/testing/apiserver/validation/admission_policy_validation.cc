// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/types/go_text.h"
#include "clientgo/testing/apiserver/validation/kind_rules.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

bool IsBlankText(std::string_view text) { return TrimSpace(text).empty(); }

// Reports whether a text is the name of a variable of CEL.
bool IsCelIdentifier(std::string_view text) {
  constexpr std::array<std::string_view, 21> kReserved = {
      "true",     "false",   "null",      "in",       "as",  "break",  "const",
      "continue", "else",    "for",       "function", "if",  "import", "let",
      "loop",     "package", "namespace", "return",   "var", "void",   "while"};
  if (text.empty() || IsAsciiDigit(text.front())) return false;
  const bool valid = std::all_of(text.begin(), text.end(),
                                 [](char c) { return c == '_' || IsAsciiAlphanumeric(c); });
  return valid && std::find(kReserved.begin(), kReserved.end(), text) == kReserved.end();
}

void CheckParamVersion(const Place& field, FieldRules& rules) {
  const std::string text(field.Text());
  if (!rules.RequireText(field)) return;
  if (std::count(text.begin(), text.end(), '/') > 1) {
    return rules.Invalid(field, "unexpected GroupVersion string: " + text);
  }
  const std::size_t slash = text.find('/');
  const std::string group = slash == std::string::npos ? "" : text.substr(0, slash);
  const std::string version = slash == std::string::npos ? text : text.substr(slash + 1);
  const auto invalid = [&](const std::string& value, const std::string& why) {
    rules.causes().push_back(InvalidValue(field.path(), value, why));
  };
  if (!group.empty()) {
    if (const auto errors = SubdomainErrors(group); !errors.empty()) {
      invalid(group, Join(errors, ","));
    }
  }
  if (version.empty()) return invalid(text, "version must be specified");
  if (const auto errors = Dns1035LabelErrors(version); !errors.empty()) {
    invalid(version, Join(errors, ","));
  }
}

void CheckParamKind(const Place& param_kind, FieldRules& rules) {
  CheckParamVersion(param_kind["apiVersion"], rules);
  const Place kind = param_kind["kind"];
  if (!rules.RequireText(kind)) return;
  const auto errors = Dns1035LabelErrors(LowerAscii(kind.Text()));
  if (errors.empty()) return;
  rules.Invalid(kind, "may have mixed case, but should otherwise match: " + Join(errors, ","));
}

void CheckNamedRule(const Place& rule, FieldRules& rules) {
  std::set<std::string_view> names;
  for (const Place& name : rule["resourceNames"].Items()) {
    rules.Invalid(name, PathSegmentErrors(name.Text()));
    if (!names.insert(name.Text()).second) rules.Duplicate(name);
  }
  CheckAdmissionRule(rule, rules);
}

void CheckMatchResources(const Place& match, FieldRules& rules) {
  if (!match.Given()) return;
  rules.OneOf(match["matchPolicy"], {"Equivalent", "Exact"});
  rules.LabelSelector(match["namespaceSelector"]);
  rules.LabelSelector(match["objectSelector"]);
  for (const char* const list : {"resourceRules", "excludeResourceRules"}) {
    for (const Place& rule : match[list].Items()) CheckNamedRule(rule, rules);
  }
}

void CheckVariable(const Place& variable, ExpressionScope& scope, FieldRules& rules) {
  const Place name = variable["name"];
  if (IsBlankText(name.Text())) {
    rules.Required(name, "name is not specified");
  } else if (!IsCelIdentifier(name.Text())) {
    rules.Invalid(name, "must be a valid CEL identifier");
  }
  const Place expression = variable["expression"];
  if (IsBlankText(expression.Text())) {
    return rules.Required(expression, "expression is not specified");
  }
  const auto compiled =
      CheckExpression(expression, expression.Text(), ExpressionType::kAny, scope, rules);
  (*scope.composed)[std::string(name.Text())] = ComposedType(compiled);
}

void CheckValidation(const Place& validation, const ExpressionScope& scope, FieldRules& rules) {
  const Place expression = validation["expression"];
  if (IsBlankText(expression.Text())) {
    rules.Required(expression, "expression is not specified");
  } else {
    CheckExpression(expression, expression.Text(), ExpressionType::kBool, scope, rules);
  }
  const Place message_expression = validation["messageExpression"];
  if (!message_expression.Text().empty()) {
    if (IsBlankText(message_expression.Text())) {
      rules.Invalid(message_expression, "must be non-empty if specified");
    } else {
      ExpressionScope message_scope = scope;
      message_scope.authorizer = false;
      CheckExpression(message_expression, message_expression.Text(), ExpressionType::kText,
                      message_scope, rules);
    }
  }
  const Place message = validation["message"];
  if (!message.Text().empty()) {
    if (IsBlankText(message.Text())) {
      rules.Invalid(message, "must be non-empty if specified");
    } else if (TrimSpace(message.Text()).find_first_of("\r\n") != std::string_view::npos) {
      rules.Invalid(message, "must not contain line breaks");
    }
  }
  rules.OneOf(validation["reason"], {"Forbidden", "Invalid", "RequestEntityTooLarge"});
}

void CheckAnnotation(const Place& annotation, std::string_view policy, const ExpressionScope& scope,
                     FieldRules& rules) {
  constexpr std::size_t kExpressionMax = 5120;
  const Place key = annotation["key"];
  if (policy.empty()) {
    rules.InvalidText(key, "requires metadata.name be non-empty");
  } else {
    const std::string full = std::string(policy) + "/" + std::string(key.Text());
    for (const std::string& error : QualifiedNameErrors(full)) {
      rules.causes().push_back(InvalidValue(key.path(), full, error));
    }
  }
  const Place expression = annotation["valueExpression"];
  const std::string_view text = TrimSpace(expression.Text());
  if (text.empty()) {
    rules.Required(expression, "valueExpression is not specified");
  } else if (text.size() > kExpressionMax) {
    rules.Required(expression, "must not exceed 5120 bytes in length");
  } else {
    const auto compiled = CompileExpression(text, ExpressionType::kTextOrNull, scope);
    if (!compiled.error.empty()) rules.Invalid(expression, compiled.error);
  }
}

void CheckAuditAnnotations(const Place& annotations, std::string_view policy,
                           const ExpressionScope& scope, FieldRules& rules) {
  constexpr std::size_t kAnnotationsMax = 20;
  const auto items = annotations.Items();
  if (items.size() > kAnnotationsMax) {
    // The error shows Go's internal type.
    std::vector<Json> shown;
    shown.reserve(items.size());
    for (const Place& annotation : items) {
      shown.push_back({{"Key", annotation["key"].Text()},
                       {"ValueExpression", annotation["valueExpression"].Text()}});
    }
    rules.InvalidAs(annotations, Json::List(shown).text(),
                    "must not have more than 20 auditAnnotations");
  }
  std::set<std::string_view> keys;
  for (const Place& annotation : items) {
    CheckAnnotation(annotation, policy, scope, rules);
    const Place key = annotation["key"];
    if (!keys.insert(key.Text()).second) rules.Duplicate(key);
  }
}

void CheckParamRef(const Place& ref, FieldRules& rules) {
  if (!ref.Given()) return;
  constexpr std::string_view kExclusive = "name and selector are mutually exclusive";
  const Place name = ref["name"];
  const Place selector = ref["selector"];
  const bool named = !name.Text().empty();
  if (named) rules.Invalid(name, PathSegmentErrors(name.Text()));
  if (named && selector.Given()) rules.Forbidden(name, kExclusive);
  rules.LabelSelector(selector);
  if (named && selector.Given()) rules.Forbidden(selector, kExclusive);
  if (!named && !selector.Given()) {
    rules.Required(ref, "one of name or selector must be specified");
  }
  const Place action = ref["parameterNotFoundAction"];
  if (rules.RequireText(action)) rules.OneOf(action, {"Deny", "Allow"});
}

void CheckActions(const Place& actions, FieldRules& rules) {
  std::set<std::string_view> seen;
  for (const Place& action : actions.Items()) {
    if (action.Text().empty()) rules.Unsupported(action, R"("")", {"Audit", "Deny", "Warn"});
    rules.OneOf(action, {"Audit", "Deny", "Warn"});
    if (!seen.insert(action.Text()).second) rules.Duplicate(action);
  }
  if (seen.contains("Deny") && seen.contains("Warn")) {
    rules.Invalid(actions,
                  "must not contain both Deny and Warn (repeating the same validation failure "
                  "information in the API response and headers serves no purpose)");
  }
  if (seen.empty()) rules.Required(actions, "at least one validation action is required");
}

}  // namespace

void CheckAdmissionPolicy(const Place& policy, FieldRules& rules) {
  const Place spec = policy["spec"];
  rules.OneOf(spec["failurePolicy"], {"Fail", "Ignore"});
  ExpressionScope scope{.params = spec["paramKind"].Given()};
  if (scope.params) CheckParamKind(spec["paramKind"], rules);
  const Place constraints = spec["matchConstraints"];
  if (!constraints.Given()) {
    rules.Required(constraints);
  } else {
    CheckMatchResources(constraints, rules);
    if (constraints["resourceRules"].Items().empty()) rules.Required(constraints["resourceRules"]);
  }
  // These cannot read the variables of the policy.
  CheckMatchConditions(spec["matchConditions"], scope, rules);
  const auto variables = spec["variables"].Items();
  if (!variables.empty()) scope.composed.emplace();
  for (const Place& variable : variables) CheckVariable(variable, scope, rules);
  const auto validations = spec["validations"].Items();
  if (validations.empty() && spec["auditAnnotations"].Items().empty()) {
    for (const char* const list : {"validations", "auditAnnotations"}) {
      rules.Required(spec[list], "validations or auditAnnotations must contain at least one item");
    }
    return;
  }
  for (const Place& validation : validations) CheckValidation(validation, scope, rules);
  CheckAuditAnnotations(spec["auditAnnotations"], policy["metadata"]["name"].Text(), scope, rules);
}

void CheckPolicyBinding(const Place& binding, FieldRules& rules) {
  const Place spec = binding["spec"];
  const Place policy = spec["policyName"];
  if (rules.RequireText(policy)) rules.Subdomain(policy);
  CheckParamRef(spec["paramRef"], rules);
  CheckMatchResources(spec["matchResources"], rules);
  CheckActions(spec["validationActions"], rules);
}

}  // namespace capstan::testing::apiserver
