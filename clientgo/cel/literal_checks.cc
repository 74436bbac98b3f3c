// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/literal_checks.h"

#include <cstddef>
#include <string>

#include "clientgo/cel/format_string.h"
#include "clientgo/cel/functions.h"
#include "clientgo/cel/go_regexp.h"

namespace capstan::cel {
namespace {

// An empty list or map is equivalent to one with elements of any type.
bool IsEquivalent(const Type& a, const Type& b) {
  if (a->kind != b->kind || a->name != b->name || a->params.size() != b->params.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a->params.size(); ++i) {
    if (!IsEquivalent(a->params[i], b->params[i])) return false;
  }
  return true;
}

class LiteralChecker {
 public:
  explicit LiteralChecker(std::vector<Issue>& issues) : issues_(issues) {}

  // `formatted`: the expression is an argument of format, which takes values of any types.
  void Visit(const Expr& expr, bool formatted) {
    if (expr.kind == ExprKind::kCall) CheckCall(expr);
    if (!formatted && expr.kind == ExprKind::kList) CheckSame(expr, 0, 1);
    if (!formatted && expr.kind == ExprKind::kMap) {
      CheckSame(expr, 0, 2);
      CheckSame(expr, 1, 2);
    }
    const bool inside = formatted || (expr.kind == ExprKind::kCall && expr.name == "format");
    if (expr.operand != nullptr) Visit(*expr.operand, inside);
    for (const ExprPtr& arg : expr.args) Visit(*arg, inside);
    if (const auto& loop = expr.comprehension) {
      for (const ExprPtr* const part :
           {&loop->range, &loop->initial, &loop->condition, &loop->step, &loop->result}) {
        Visit(**part, inside);
      }
    }
  }

 private:
  void CheckCall(const Expr& call) {
    if (call.name == "format" && call.operand != nullptr) return CheckFormatCall(call, issues_);
    if (call.args.empty() || call.args[0]->kind != ExprKind::kLiteral) return;
    const Value& literal = call.args[0]->literal;
    bool valid = true;
    if (call.name == "duration" || call.name == "timestamp") {
      valid =
          call.overloads.empty() || !call.overloads.front()->call(Arguments(&literal, 1)).IsError();
    } else if (call.name == "matches") {
      const auto* const pattern = literal.Get<std::string>();
      valid = pattern == nullptr || GoRegexp(*pattern).Error().empty();
    }
    if (!valid) issues_.push_back({call.args[0]->location, "invalid " + call.name + " argument"});
  }

  // Checks that every `step`th argument has the type of the first one.
  void CheckSame(const Expr& expr, std::size_t first, std::size_t step) {
    const auto type_of = [&](std::size_t i) {
      const bool optional = expr.optional[i / step] && i % step == step - 1;
      const Type& type = expr.args[i]->type;
      return optional && IsOptional(type) ? type->params[0] : type;
    };
    for (std::size_t i = first + step; i < expr.args.size(); i += step) {
      if (IsEquivalent(type_of(first), type_of(i))) continue;
      issues_.push_back({expr.args[i]->location, "expected type '" + TypeText(type_of(first)) +
                                                     "' but found '" + TypeText(type_of(i)) + "'"});
      return;
    }
  }

  std::vector<Issue>& issues_;
};

}  // namespace

void CheckLiterals(const Expr& root, std::vector<Issue>& issues) {
  LiteralChecker(issues).Visit(root, false);
}

}  // namespace capstan::cel
