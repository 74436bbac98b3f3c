// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/evaluator.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "clientgo/cel/call_cost.h"
#include "clientgo/cel/functions.h"
#include "clientgo/cel/indexing.h"

namespace capstan::cel {
namespace {

constexpr std::uint64_t kListCost = 10;
constexpr std::uint64_t kMapCost = 30;

// Local is a variable of a comprehension. The innermost is first.
struct Local {
  const std::string& name;
  Value value;
  const Local* outer;
};

class Evaluator {
 public:
  Evaluator(const Bindings& bindings, std::uint64_t cost_max)
      : bindings_(bindings), cost_max_(cost_max) {}

  Evaluation Run(const Expr& root) {
    Value value = Eval(root, nullptr);
    if (!exceeded_) return {.value = std::move(value), .cost = cost_};
    return {.value = Value::Failure("operation cancelled: actual cost limit exceeded"),
            .cost = cost_,
            .exceeded = true};
  }

 private:
  // Adds to the cost. When it is too high, every value is an error, so that the evaluation ends.
  void Charge(std::uint64_t cost) {
    cost_ += cost;
    if (cost_ > cost_max_) exceeded_ = true;
  }
  static Value Cancelled() { return Value::Failure("cancelled"); }

  Value Eval(const Expr& expr, const Local* locals);
  Value EvalIdent(const Expr& expr, const Local* locals);
  Value EvalSelect(const Expr& expr, const Local* locals);
  Value EvalCall(const Expr& expr, const Local* locals);
  Value EvalLogic(const Expr& expr, const Local* locals, bool decisive);
  Value EvalConditional(const Expr& expr, const Local* locals);
  Value EvalNotStrictlyFalse(const Expr& expr, const Local* locals);
  // Evaluates a[b], a.?b and a[?b].
  Value EvalIndex(const Expr& expr, const Local* locals, bool optional);
  Value EvalFunction(const Expr& expr, const Local* locals);
  // Evaluates x.or(y) and x.orValue(y), which need y only if x has no value.
  Value EvalOr(const Expr& expr, const Local* locals);
  Value EvalList(const Expr& expr, const Local* locals);
  Value EvalMap(const Expr& expr, const Local* locals);
  Value EvalComprehension(const Expr& expr, const Local* locals);

  const Bindings& bindings_;
  std::uint64_t cost_max_;
  std::uint64_t cost_ = 0;
  bool exceeded_ = false;
};

Value Evaluator::Eval(const Expr& expr, const Local* locals) {
  if (exceeded_) return Cancelled();
  if (expr.constant) return *expr.constant;
  switch (expr.kind) {
    case ExprKind::kLiteral:
      return expr.literal;
    case ExprKind::kIdent:
      return EvalIdent(expr, locals);
    case ExprKind::kSelect:
      return EvalSelect(expr, locals);
    case ExprKind::kCall:
      return EvalCall(expr, locals);
    case ExprKind::kList:
      return EvalList(expr, locals);
    case ExprKind::kMap:
      return EvalMap(expr, locals);
    case ExprKind::kComprehension:
      return EvalComprehension(expr, locals);
    case ExprKind::kMessage:
      break;
  }
  return Value::Failure("unknown type: '" + expr.name + "'");
}

Value Evaluator::EvalIdent(const Expr& expr, const Local* locals) {
  Charge(1);
  for (const Local* local = locals; local != nullptr; local = local->outer) {
    if (local->name == expr.name) return local->value;
  }
  if (const auto found = bindings_.find(expr.name); found != bindings_.end()) return found->second;
  if (const Type type = FindTypeName(expr.name)) return Value::OfType(type);
  return Value::Failure("no such attribute(s): " + expr.name);
}

Value Evaluator::EvalSelect(const Expr& expr, const Local* locals) {
  Value operand = Eval(*expr.operand, locals);
  if (operand.IsError()) return operand;
  const Value key = Value::String(expr.name);
  if (expr.test_only) {
    const auto found = FindOptional(operand, key);
    if (found && found->IsError()) return *found;
    return Value::Bool(found.has_value());
  }
  Charge(1);
  if (!operand.Is<Optional>()) return GetIndex(operand, key);
  const auto found = FindOptional(operand, key);
  if (found && found->IsError()) return *found;
  return found ? Value::Some(*found) : Value::None();
}

Value Evaluator::EvalCall(const Expr& expr, const Local* locals) {
  const std::string_view name = expr.name;
  if (name == kAndFunction) return EvalLogic(expr, locals, false);
  if (name == kOrFunction) return EvalLogic(expr, locals, true);
  if (name == kConditionalFunction) return EvalConditional(expr, locals);
  if (name == kNotStrictlyFalseFunction) return EvalNotStrictlyFalse(expr, locals);
  if (name == kIndexFunction) return EvalIndex(expr, locals, false);
  if (name == kOptionalIndexFunction || name == kOptionalSelectFunction) {
    return EvalIndex(expr, locals, true);
  }
  if (expr.operand != nullptr && (name == "or" || name == "orValue")) return EvalOr(expr, locals);
  return EvalFunction(expr, locals);
}

// && and ||: the value `decisive` of one side decides, even if the other side is an error.
Value Evaluator::EvalLogic(const Expr& expr, const Local* locals, bool decisive) {
  std::optional<Value> error;
  for (const ExprPtr& arg : expr.args) {
    Value value = Eval(*arg, locals);
    if (exceeded_) return Cancelled();
    const bool* const flag = value.Get<bool>();
    if (flag != nullptr && *flag == decisive) return value;
    if (flag != nullptr || error) continue;
    error = value.IsError() ? std::move(value) : NoSuchOverload();
  }
  return error.value_or(Value::Bool(!decisive));
}

Value Evaluator::EvalConditional(const Expr& expr, const Local* locals) {
  Value condition = Eval(*expr.args[0], locals);
  if (condition.IsError()) return condition;
  if (!condition.Is<bool>()) return NoSuchOverload();
  return Eval(*expr.args[condition.IsTrue() ? 1 : 2], locals);
}

Value Evaluator::EvalNotStrictlyFalse(const Expr& expr, const Local* locals) {
  const Value value = Eval(*expr.args[0], locals);
  Charge(1);
  return Value::Bool(!value.Is<bool>() || value.IsTrue());
}

Value Evaluator::EvalIndex(const Expr& expr, const Local* locals, bool optional) {
  Value container = Eval(*expr.args[0], locals);
  if (container.IsError()) return container;
  const auto* const content = container.Get<Optional>();
  if (content != nullptr && content->value == nullptr) return container;
  Value key = Eval(*expr.args[1], locals);
  if (key.IsError()) return key;
  Charge(1);
  if (!optional && !container.Is<Optional>()) return GetIndex(container, key);
  const auto found = FindOptional(container, key);
  if (!found) return Value::None();
  return found->IsError() ? *found : Value::Some(*found);
}

Value Evaluator::EvalOr(const Expr& expr, const Local* locals) {
  Value optional = Eval(*expr.operand, locals);
  if (optional.IsError()) return optional;
  Charge(1);
  const auto* const content = optional.Get<Optional>();
  if (content == nullptr) return NoSuchOverload();
  if (content->value == nullptr) return Eval(*expr.args[0], locals);
  return expr.name == "or" ? optional : *content->value;
}

Value Evaluator::EvalFunction(const Expr& expr, const Local* locals) {
  std::vector<Value> args;
  args.reserve(expr.args.size() + 1);
  if (expr.operand != nullptr) args.push_back(Eval(*expr.operand, locals));
  for (const ExprPtr& arg : expr.args) {
    if (!args.empty() && args.back().IsError()) return args.back();
    args.push_back(Eval(*arg, locals));
  }
  if (!args.empty() && args.back().IsError()) return args.back();
  if (exceeded_) return Cancelled();
  for (const Overload* const overload : expr.overloads) {
    if (!overload->Accepts(args)) continue;
    Value result = overload->call(args);
    Charge(CallCost(*overload, args, result));
    return result;
  }
  // cel-go names the types of the arguments for functions, and not for operators.
  const bool is_operator = expr.name.find('_') == 0 || expr.name.ends_with('_');
  if (is_operator || expr.name == "@in") return NoSuchOverload();
  return NoSuchOverload(expr.name, args.data(), args.data() + args.size());
}

Value Evaluator::EvalList(const Expr& expr, const Local* locals) {
  std::vector<Value> elements;
  for (std::size_t i = 0; i < expr.args.size(); ++i) {
    Value element = Eval(*expr.args[i], locals);
    if (element.IsError()) return element;
    if (!expr.optional[i]) {
      elements.push_back(std::move(element));
      continue;
    }
    const auto* const optional = element.Get<Optional>();
    if (optional == nullptr) {
      return Value::Failure("cannot initialize optional list element from non-optional value");
    }
    if (optional->value != nullptr) elements.push_back(*optional->value);
  }
  Charge(kListCost);
  return NewList(std::move(elements));
}

Value Evaluator::EvalMap(const Expr& expr, const Local* locals) {
  MapBuilder builder;
  for (std::size_t i = 0; i < expr.args.size(); i += 2) {
    Value key = Eval(*expr.args[i], locals);
    if (key.IsError()) return key;
    Value value = Eval(*expr.args[i + 1], locals);
    if (value.IsError()) return value;
    if (expr.optional[i / 2]) {
      const auto* const optional = value.Get<Optional>();
      if (optional == nullptr) {
        return Value::Failure("cannot initialize optional entry '" + KeyText(key) +
                              "' from non-optional value");
      }
      if (optional->value == nullptr) continue;
      Value content = *optional->value;
      value = std::move(content);
    }
    Value error = builder.Insert(key, std::move(value));
    if (error.IsError()) return error;
  }
  Charge(kMapCost);
  return builder.Finish();
}

Value Evaluator::EvalComprehension(const Expr& expr, const Local* locals) {
  const Comprehension& loop = *expr.comprehension;
  Value range = Eval(*loop.range, locals);
  if (range.IsError()) return range;
  const std::vector<Value> keys =
      range.map() == nullptr ? std::vector<Value>() : range.map()->Keys();
  if (range.map() == nullptr && range.list() == nullptr) return NoSuchOverload();
  const std::size_t count = range.list() == nullptr ? keys.size() : range.list()->size();
  Local accumulator{loop.accumulator, Eval(*loop.initial, locals), locals};
  for (std::size_t i = 0; i < count; ++i) {
    Local first{loop.variable, Value(), &accumulator};
    Local second{loop.second, Value(), &first};
    const bool two = !loop.second.empty();
    if (range.list() != nullptr) {
      (two ? second : first).value = range.list()->At(i);
      if (two) first.value = Value::Int(static_cast<std::int64_t>(i));
    } else {
      first.value = keys[i];
      if (two) second.value = GetIndex(range, keys[i]);
    }
    const Local* const inner = two ? &second : &first;
    const Value go_on = Eval(*loop.condition, inner);
    if (exceeded_) return Cancelled();
    if (go_on.Is<bool>() && !go_on.IsTrue()) break;
    accumulator.value = Eval(*loop.step, inner);
    if (exceeded_) return Cancelled();
  }
  return Eval(*loop.result, &accumulator);
}

}  // namespace

Evaluation Evaluate(const Expr& root, const Bindings& bindings, std::uint64_t cost_max) {
  return Evaluator(bindings, cost_max).Run(root);
}

}  // namespace capstan::cel
