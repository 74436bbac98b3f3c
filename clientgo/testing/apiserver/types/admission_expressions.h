// SPDX-License-Identifier: Apache-2.0
// Compilation of the expressions in admission policies and in the matchConditions of webhooks.
// Their variables are object, oldObject, request and namespaceObject, and those of ExpressionScope.
// Mirrors k8s.io/apiserver/pkg/admission/plugin/cel/compile.go.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "clientgo/cel/program.h"
#include "clientgo/cel/type.h"

namespace capstan::testing::apiserver {

// ExpressionScope says which other variables an expression has.
struct ExpressionScope {
  bool params = false;
  bool authorizer = true;
  // The types of the variables of the policy, which are the members of `variables`. Nullopt: there
  // is no variable `variables`.
  std::optional<cel::ObjectFields> composed = {};
};

// ExpressionType is what an expression must evaluate to.
enum class ExpressionType { kBool, kText, kTextOrNull, kAny };

// CompiledExpression is an expression that is evaluated often.
struct CompiledExpression {
  std::string text = {};
  std::optional<cel::Program> program = {};  // nullopt: the expression is wrong
  std::string error = {};                    // why, as in the error of kube-apiserver
};

CompiledExpression CompileExpression(std::string_view text, ExpressionType type,
                                     const ExpressionScope& scope);
// The same for an expression that has these variables and no others.
CompiledExpression CompileExpression(std::string_view text, ExpressionType type,
                                     const cel::Variables& variables);

// Returns the type that a variable of a policy has for other expressions.
cel::Type ComposedType(const CompiledExpression& variable);

}  // namespace capstan::testing::apiserver
