// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "clientgo/testing/apiserver/types/go_text.h"
#include "clientgo/testing/apiserver/validation/kind_rules.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

void CheckMatchCondition(const Place& condition, const ExpressionScope& scope, FieldRules& rules) {
  const Place expression = condition["expression"];
  const std::string text(TrimSpace(expression.Text()));
  if (text.empty()) {
    rules.Required(expression);
  } else {
    CheckExpression(expression, text, ExpressionType::kBool, scope, rules);
  }
  const Place name = condition["name"];
  if (rules.RequireText(name)) rules.Invalid(name, QualifiedNameErrors(name.Text()));
}

}  // namespace

CompiledExpression CheckExpression(const Place& field, std::string_view text, ExpressionType type,
                                   const ExpressionScope& scope, FieldRules& rules) {
  CompiledExpression compiled = CompileExpression(text, type, scope);
  if (!compiled.error.empty()) {
    rules.causes().push_back(InvalidValue(field.path(), text, compiled.error));
  }
  return compiled;
}

void CheckMatchConditions(const Place& conditions, const ExpressionScope& scope,
                          FieldRules& rules) {
  constexpr std::size_t kConditionsMax = 64;
  const auto items = conditions.Items();
  if (items.size() > kConditionsMax) {
    rules.causes().push_back(
        {.reason = "FieldValueTooMany",
         .message = "Too many: " + std::to_string(items.size()) + ": must have at most 64 items",
         .field = conditions.path()});
  }
  std::set<std::string_view> names;
  for (const Place& condition : items) {
    CheckMatchCondition(condition, scope, rules);
    const Place name = condition["name"];
    if (!name.Text().empty() && !names.insert(name.Text()).second) rules.Duplicate(name);
  }
}

}  // namespace capstan::testing::apiserver
