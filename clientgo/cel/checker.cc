// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/checker.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "capstan/text.h"
#include "clientgo/cel/escaping.h"
#include "clientgo/cel/functions.h"
#include "clientgo/cel/literal_checks.h"
#include "clientgo/cel/substitution.h"

namespace capstan::cel {
namespace {

constexpr std::size_t kIssuesMax = 100;

// Returns the value type of an optional; other types are returned as they are.
Type Unwrap(const Type& type) { return IsOptional(type) ? type->params[0] : type; }

// Returns the escaped name of a field whose name is a keyword, and other names as they are.
std::string FieldOfKeyword(std::string_view name) {
  return IsKeyword(name) ? "__" + std::string(name) + "__" : std::string(name);
}

class Checker {
 public:
  Checker(const Variables& variables, std::vector<Issue>& issues)
      : variables_(variables), issues_(issues) {}

  void CheckExpr(Expr& expr);
  // Replaces the type parameters of all parts by what they stand for.
  void Finish(Expr& expr) const;

 private:
  struct Variable {
    std::string name;
    Type type;
  };

  void Report(Location location, std::string message) {
    if (issues_.size() < kIssuesMax) issues_.push_back({location, std::move(message)});
  }
  void ReportMismatch(const Expr& expr, const Type& wanted, const Type& found) {
    Report(expr.location,
           "expected type '" + TypeText(wanted) + "' but found '" + TypeText(found) + "'");
  }
  void ReportUndeclared(const Expr& expr, const std::string& name) {
    Report(expr.location, "undeclared reference to '" + name + "' (in container '')");
  }
  static Type ErrorType() { return SimpleType(TypeKind::kError); }
  Type NewParam() { return ParamType("_var" + std::to_string(param_count_++)); }
  Type FindIdent(std::string_view name) const;
  void CheckAll(std::vector<ExprPtr>& exprs) {
    for (const ExprPtr& each : exprs) CheckExpr(*each);
  }

  void CheckIdent(Expr& expr);
  void CheckSelect(Expr& expr);
  Type FieldType(const Expr& expr, Expr& operand, const std::string& field, bool optional);
  void CheckOptionalSelect(Expr& expr);
  void CheckCall(Expr& expr);
  void ResolveOverload(Expr& expr, const std::vector<Overload>& overloads);
  void CheckLogic(Expr& expr);
  void CheckList(Expr& expr);
  void CheckMap(Expr& expr);
  // Returns the type of an element that may be marked as optional.
  Type ElementType(const Expr& element, bool optional);
  void CheckComprehension(Expr& expr);
  // Adds the variables of a loop.
  void AddLoopVariables(const Comprehension& loop);
  Type JoinTypes(const Type& previous, const Type& current);

  const Variables& variables_;
  std::vector<Issue>& issues_;
  std::vector<Variable> scopes_;  // of comprehensions; the innermost is last
  Substitution known_;
  int param_count_ = 0;
};

void Checker::CheckExpr(Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kLiteral:
      expr.type = SimpleType(expr.literal.kind());
      return;
    case ExprKind::kIdent:
      return CheckIdent(expr);
    case ExprKind::kSelect:
      return CheckSelect(expr);
    case ExprKind::kCall:
      return CheckCall(expr);
    case ExprKind::kList:
      return CheckList(expr);
    case ExprKind::kMap:
      return CheckMap(expr);
    case ExprKind::kMessage:
      ReportUndeclared(expr, expr.name);
      CheckAll(expr.args);
      expr.type = ErrorType();
      return;
    case ExprKind::kComprehension:
      return CheckComprehension(expr);
  }
}

Type Checker::FindIdent(std::string_view name) const {
  if (name.starts_with('.')) {
    name.remove_prefix(1);  // a variable of no loop
  } else {
    const auto local = std::find_if(scopes_.rbegin(), scopes_.rend(),
                                    [&](const Variable& each) { return each.name == name; });
    if (local != scopes_.rend()) return local->type;
  }
  if (const auto found = variables_.find(name); found != variables_.end()) return found->second;
  const Type type = FindTypeName(name);
  return type == nullptr ? nullptr : TypeType(type);
}

void Checker::CheckIdent(Expr& expr) {
  expr.type = FindIdent(expr.name);
  if (expr.type != nullptr) {
    // The dot stays where a loop has a variable of the same name.
    const bool hidden = std::any_of(scopes_.begin(), scopes_.end(), [&](const Variable& each) {
      return "." + std::string(each.name) == expr.name;
    });
    if (expr.name.starts_with('.') && !hidden) expr.name.erase(0, 1);
    return;
  }
  expr.type = ErrorType();
  ReportUndeclared(expr, expr.name);
}

void Checker::CheckSelect(Expr& expr) {
  if (const std::string name = QualifiedName(expr); !name.empty()) {
    if (const Type type = FindIdent(name)) {
      expr.kind = ExprKind::kIdent;
      expr.name = name;
      expr.operand = nullptr;
      expr.type = type;
      return;
    }
  }
  const Type type = FieldType(expr, *expr.operand, expr.name, false);
  expr.type = expr.test_only ? SimpleType(TypeKind::kBool) : known_.Apply(type, false);
}

Type Checker::FieldType(const Expr& expr, Expr& operand, const std::string& field, bool optional) {
  CheckExpr(operand);
  const Type operand_type = known_.Apply(operand.type, false);
  const Type target = Unwrap(operand_type);
  Type result = SimpleType(TypeKind::kDyn);
  switch (target->kind) {
    case TypeKind::kMap:
      result = target->params[1];
      break;
    case TypeKind::kObject: {
      auto found = target->fields->find(field);
      if (found == target->fields->end()) found = target->fields->find(FieldOfKeyword(field));
      const bool declared = found != target->fields->end();
      result = declared ? found->second : ErrorType();
      if (!declared) Report(expr.location, "undefined field '" + field + "'");
      break;
    }
    case TypeKind::kParam:
      known_.Assign(SimpleType(TypeKind::kDyn), target);
      break;
    default:
      if (IsDynOrError(target)) break;
      Report(expr.location, "type '" + TypeText(target) + "' does not support field selection");
  }
  return IsOptional(operand_type) || optional ? OptionalType(result) : result;
}

void Checker::CheckOptionalSelect(Expr& expr) {
  const std::string field = *expr.args[1]->literal.Get<std::string>();
  expr.args[1]->type = SimpleType(TypeKind::kString);
  expr.type = known_.Apply(FieldType(expr, *expr.args[0], field, true), false);
}

void Checker::CheckCall(Expr& expr) {
  if (expr.name == kOptionalSelectFunction) return CheckOptionalSelect(expr);
  CheckAll(expr.args);
  if (expr.operand != nullptr) {
    // a.b.c() is the function a.b.c, or else the function c of a.b.
    const std::string prefix = QualifiedName(*expr.operand);
    const auto* const qualified = prefix.empty() ? nullptr : FindFunction(prefix + "." + expr.name);
    if (qualified != nullptr) {
      expr.name = prefix + "." + expr.name;
      expr.operand = nullptr;
    } else {
      CheckExpr(*expr.operand);
    }
  }
  if (expr.name == kAndFunction || expr.name == kOrFunction) return CheckLogic(expr);
  if (const auto* const overloads = FindFunction(expr.name)) {
    if (expr.name.starts_with('.')) expr.name.erase(0, 1);
    return ResolveOverload(expr, *overloads);
  }
  ReportUndeclared(expr, expr.name);
  expr.type = ErrorType();
}

void Checker::CheckLogic(Expr& expr) {
  const Type wanted = SimpleType(TypeKind::kBool);
  expr.type = wanted;
  for (const ExprPtr& arg : expr.args) {
    if (known_.Assign(arg->type, wanted)) continue;
    ReportMismatch(*arg, wanted, arg->type);
    expr.type = ErrorType();
  }
}

void Checker::ResolveOverload(Expr& expr, const std::vector<Overload>& overloads) {
  std::vector<Type> types;
  if (expr.operand != nullptr) types.push_back(expr.operand->type);
  for (const ExprPtr& arg : expr.args) types.push_back(arg->type);
  Type result;
  for (const Overload& overload : overloads) {
    if (overload.member != (expr.operand != nullptr)) continue;
    if (overload.args.size() != types.size()) continue;
    std::vector<Type> wanted = overload.args;
    Type returned = overload.result;
    if (!overload.params.empty()) {
      Substitution fresh;
      for (const std::string& param : overload.params) fresh.Set(ParamType(param), NewParam());
      for (Type& type : wanted) type = fresh.Apply(type, false);
      returned = fresh.Apply(returned, false);
    }
    if (!known_.AssignAll(types, wanted)) continue;
    expr.overloads.push_back(&overload);
    returned = known_.Apply(returned, false);
    if (result == nullptr) {
      result = returned;
    } else if (!IsDyn(result) && !SameType(returned, result)) {
      result = SimpleType(TypeKind::kDyn);
    }
  }
  if (result == nullptr) {
    for (Type& type : types) type = known_.Apply(type, true);
    std::string shown;
    for (std::size_t i = 0; i < types.size(); ++i) {
      const bool target = i == 0 && expr.operand != nullptr;
      shown += (i == 1 && expr.operand != nullptr) || i == 0 ? "" : ", ";
      shown += TypeText(types[i]) + (target ? ".(" : "");
    }
    if (expr.operand == nullptr) shown.insert(0, "(");
    Report(expr.location,
           "found no matching overload for '" + expr.name + "' applied to '" + shown + ")'");
    result = ErrorType();
  }
  expr.type = result;
}

Type Checker::ElementType(const Expr& element, bool optional) {
  if (!optional) return element.type;
  if (!IsOptional(element.type) && !IsDyn(element.type)) {
    ReportMismatch(element, OptionalType(element.type), element.type);
  }
  return Unwrap(element.type);
}

void Checker::CheckList(Expr& expr) {
  Type joined;
  for (std::size_t i = 0; i < expr.args.size(); ++i) {
    Expr& element = *expr.args[i];
    CheckExpr(element);
    joined = JoinTypes(joined, ElementType(element, expr.optional[i]));
  }
  expr.type = ListType(joined == nullptr ? NewParam() : joined);
}

void Checker::CheckMap(Expr& expr) {
  Type keys;
  Type values;
  for (std::size_t i = 0; i < expr.args.size(); i += 2) {
    Expr& key = *expr.args[i];
    Expr& value = *expr.args[i + 1];
    CheckExpr(key);
    keys = JoinTypes(keys, key.type);
    CheckExpr(value);
    values = JoinTypes(values, ElementType(value, expr.optional[i / 2]));
  }
  if (keys == nullptr) {
    keys = NewParam();
    values = NewParam();
  }
  expr.type = MapType(keys, values);
}

Type Checker::JoinTypes(const Type& previous, const Type& current) {
  if (previous == nullptr) return current;
  if (known_.Assign(previous, current)) return MostGeneral(previous, current);
  return SimpleType(TypeKind::kDyn);  // CheckLiterals reports it where it is not allowed
}

void Checker::AddLoopVariables(const Comprehension& loop) {
  const Type range = known_.Apply(loop.range->type, false);
  const bool two = !loop.second.empty();
  Type first = SimpleType(TypeKind::kDyn);
  Type second = first;
  switch (range->kind) {
    case TypeKind::kList:
      first = two ? SimpleType(TypeKind::kInt) : range->params[0];
      second = range->params[0];
      break;
    case TypeKind::kMap:
      first = range->params[0];
      second = range->params[1];
      break;
    case TypeKind::kDyn:
    case TypeKind::kError:
    case TypeKind::kParam:
      known_.Assign(SimpleType(TypeKind::kDyn), range);
      break;
    default:
      Report(loop.range->location, "expression of type '" + TypeText(range) +
                                       "' cannot be range of a comprehension (must be list, map, "
                                       "or dynamic)");
      first = ErrorType();
      second = ErrorType();
  }
  scopes_.push_back({loop.variable, first});
  if (two) scopes_.push_back({loop.second, second});
}

void Checker::CheckComprehension(Expr& expr) {
  Comprehension& loop = *expr.comprehension;
  CheckExpr(*loop.range);
  CheckExpr(*loop.initial);
  const std::size_t outside = scopes_.size();
  const Type accumulator = loop.initial->type;
  scopes_.push_back({loop.accumulator, accumulator});
  AddLoopVariables(loop);
  const auto require = [&](Expr& part, const Type& wanted) {
    CheckExpr(part);
    if (!known_.Assign(wanted, part.type)) ReportMismatch(part, wanted, part.type);
  };
  require(*loop.condition, SimpleType(TypeKind::kBool));
  require(*loop.step, accumulator);
  scopes_.resize(outside + 1);
  CheckExpr(*loop.result);
  scopes_.resize(outside);
  expr.type = known_.Apply(loop.result->type, false);
}

void Checker::Finish(Expr& expr) const {
  if (expr.type != nullptr) expr.type = known_.Apply(expr.type, true);
  if (expr.operand != nullptr) Finish(*expr.operand);
  for (const ExprPtr& arg : expr.args) Finish(*arg);
  if (const auto& loop = expr.comprehension) {
    for (const ExprPtr* const part :
         {&loop->range, &loop->initial, &loop->condition, &loop->step, &loop->result}) {
      Finish(**part);
    }
  }
}

}  // namespace

bool Check(Expr& root, const Variables& variables, std::vector<Issue>& issues) {
  const std::size_t before = issues.size();
  Checker checker(variables, issues);
  checker.CheckExpr(root);
  checker.Finish(root);
  if (issues.size() > before) return false;
  CheckLiterals(root, issues);
  return issues.size() == before;
}

}  // namespace capstan::cel
