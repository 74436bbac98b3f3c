// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/program.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "clientgo/cel/constants.h"
#include "clientgo/cel/parser.h"

namespace capstan::cel {
namespace {

// Reports whether an expression refers to a variable that no comprehension hides.
bool RefersTo(const Expr& expr, std::string_view variable) {
  if (expr.kind == ExprKind::kIdent && expr.name == variable) return true;
  if (expr.operand != nullptr && RefersTo(*expr.operand, variable)) return true;
  if (std::any_of(expr.args.begin(), expr.args.end(),
                  [&](const ExprPtr& arg) { return RefersTo(*arg, variable); })) {
    return true;
  }
  const auto& loop = expr.comprehension;
  if (loop == nullptr) return false;
  if (RefersTo(*loop->range, variable) || RefersTo(*loop->initial, variable)) return true;
  if (loop->accumulator == variable) return false;
  if (RefersTo(*loop->result, variable)) return true;
  if (loop->variable == variable || loop->second == variable) return false;
  return RefersTo(*loop->condition, variable) || RefersTo(*loop->step, variable);
}

}  // namespace

tl::expected<Program, std::string> Program::Compile(std::string_view expression,
                                                    const Variables& variables) {
  std::vector<Issue> issues;
  ExprPtr root = Parse(expression, issues);
  if (root == nullptr || !Check(*root, variables, issues)) {
    return tl::unexpected("compilation failed: " + IssuesText(expression, std::move(issues)));
  }
  const std::string error = FoldConstants(*root);
  if (!error.empty()) return tl::unexpected("program instantiation failed: " + error);
  return Program(std::move(root));
}

bool Program::Uses(std::string_view variable) const { return RefersTo(*root_, variable); }

Evaluation Program::Evaluate(const Bindings& bindings) const {
  return cel::Evaluate(*root_, bindings);
}

}  // namespace capstan::cel
