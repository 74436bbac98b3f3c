// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/constants.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "clientgo/cel/evaluator.h"
#include "clientgo/cel/functions.h"
#include "clientgo/cel/go_regexp.h"
#include "clientgo/cel/indexing.h"
#include "clientgo/util/one_of.h"

namespace capstan::cel {
namespace {

constexpr std::array<std::string_view, 10> kConversions = {
    "bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"};
constexpr std::array<std::string_view, 3> kRegexpFunctions = {"matches", "find", "findAll"};

// Returns the value of a constant; null: it is none.
const Value* ConstantOf(const Expr& expr) {
  if (expr.constant) return &*expr.constant;
  return expr.kind == ExprKind::kLiteral ? &expr.literal : nullptr;
}

bool AreConstants(const std::vector<ExprPtr>& list) {
  return std::all_of(list.begin(), list.end(),
                     [](const ExprPtr& each) { return ConstantOf(*each) != nullptr; });
}

std::string FoldIdent(Expr& expr) {
  if (expr.type == nullptr || expr.type->kind != TypeKind::kType) return {};
  const Type named = FindTypeName(expr.name);
  // cel-go looks for a type even if the name is that of a variable.
  if (named == nullptr) return "reference to undefined type: " + expr.name;
  expr.constant = Value::OfType(named);
  return {};
}

std::string FoldConversion(Expr& call) {
  Value value = Evaluate(call, {}).value;
  if (value.IsError()) return value.message();
  call.constant = std::move(value);
  return {};
}

// Returns the regular expression of a call if it is a constant.
const std::string* ConstantPattern(const Expr& call) {
  if (!IsOneOf(call.name, kRegexpFunctions)) return nullptr;
  const std::size_t index = call.operand == nullptr ? 1 : 0;
  const Value* const pattern = index < call.args.size() ? ConstantOf(*call.args[index]) : nullptr;
  return pattern == nullptr ? nullptr : pattern->Get<std::string>();
}

bool HasPrimitives(const List& list) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value element = list.At(i);
    if (!IsQualifier(element)) return false;
  }
  return true;
}

std::string FoldCall(Expr& call) {
  const bool global = call.operand == nullptr;
  if (global && call.args.size() == 1 && IsOneOf(call.name, kConversions)) {
    return AreConstants(call.args) ? FoldConversion(call) : "";
  }
  if (call.name == "@in" && call.overloads.size() == 1) {
    const Value* const range = ConstantOf(*call.args[1]);
    const List* const list = range == nullptr ? nullptr : range->list();
    if (list == nullptr) return {};
    if (list->size() == 0) call.constant = Value::Bool(false);
    call.in_constants = HasPrimitives(*list);
    return {};
  }
  if (call.name == kIndexFunction || call.name == kOptionalIndexFunction) {
    const Value* const key = ConstantOf(*call.args[1]);
    return key == nullptr || IsQualifier(*key)
               ? ""
               : "invalid qualifier type: " + std::string(key->TypeName());
  }
  const std::string* const pattern = ConstantPattern(call);
  call.constant_pattern = pattern != nullptr;
  return pattern == nullptr ? "" : GoRegexp(*pattern).Error();
}

std::string FoldParts(Expr& expr) {
  std::vector<Expr*> parts = {expr.operand.get()};
  for (const ExprPtr& arg : expr.args) parts.push_back(arg.get());
  if (const auto& loop = expr.comprehension) {
    for (Expr* const part : {loop->initial.get(), loop->range.get(), loop->condition.get(),
                             loop->step.get(), loop->result.get()}) {
      parts.push_back(part);
    }
  }
  for (Expr* const part : parts) {
    if (part == nullptr) continue;
    std::string error = FoldConstants(*part);
    if (!error.empty()) return error;
  }
  return {};
}

}  // namespace

std::string FoldConstants(Expr& root) {
  std::string error = FoldParts(root);
  if (!error.empty()) return error;
  switch (root.kind) {
    case ExprKind::kIdent:
      return FoldIdent(root);
    case ExprKind::kCall:
      return FoldCall(root);
    case ExprKind::kList:
    case ExprKind::kMap:
      if (!AreConstants(root.args)) return {};
      root.constant = Evaluate(root, {}).value;
      return root.constant->IsError() && root.constant->message().starts_with(kPanic)
                 ? root.constant->message()
                 : "";
    default:
      return {};
  }
}

}  // namespace capstan::cel
