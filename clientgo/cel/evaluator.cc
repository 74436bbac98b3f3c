// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/evaluator.h"

#include <cstddef>
#include <optional>
#include <string>
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
  mutable Value value;
  const Local* outer;
  // What the value is computed from when it is read for the first time; null: it is there.
  mutable const Expr* initial = nullptr;
};

bool IsConditional(const Expr& expr) {
  return expr.kind == ExprKind::kCall && expr.name == kConditionalFunction;
}

bool IsOptionalStep(const Expr& expr) {
  return expr.kind == ExprKind::kCall &&
         (expr.name == kOptionalIndexFunction || expr.name == kOptionalSelectFunction);
}

// Returns whether an expression is a step to an element or a field of another one.
bool IsStep(const Expr& expr) {
  if (expr.kind == ExprKind::kSelect) return true;
  return expr.kind == ExprKind::kCall && (expr.name == kIndexFunction || IsOptionalStep(expr));
}

// Returns whether an expression is what cel-go calls an attribute: a variable, a step, or a ? b :
// c.
bool IsAttribute(const Expr& expr) {
  if (expr.constant) return false;
  return expr.kind == ExprKind::kIdent || IsStep(expr) || IsConditional(expr);
}

const Expr& ContainerOf(const Expr& step) {
  return step.kind == ExprKind::kSelect ? *step.operand : *step.args[0];
}

// Returns what an attribute begins with.
const Expr& RootOf(const Expr& attribute) {
  const Expr* root = &attribute;
  while (IsStep(*root) && !root->constant) root = &ContainerOf(*root);
  return *root;
}

// Returns what an attribute costs besides its steps. a ? b : c has no cost of its own. has() costs
// one less than the attribute: below zero for has((a ? b : c).d), as in cel-go.
std::int64_t AttributeCost(const Expr& attribute) {
  return (IsConditional(RootOf(attribute)) ? 0 : 1) - (attribute.test_only ? 1 : 0);
}

// Returns whether an attribute begins with .x where a loop has the variable x. cel-go does not
// count the steps of such an attribute.
bool PassesLoopVariable(const Expr& attribute, const Local* locals) {
  const Expr& root = RootOf(attribute);
  if (root.kind != ExprKind::kIdent || !root.name.starts_with('.')) return false;
  const std::string_view name = std::string_view(root.name).substr(1);
  while (locals != nullptr && locals->name != name) locals = locals->outer;
  return locals != nullptr;
}

class Evaluator {
 public:
  Evaluator(const Bindings& bindings, std::uint64_t cost_max)
      : bindings_(bindings), cost_max_(cost_max) {}

  Evaluation Run(const Expr& root) {
    Value value = Eval(root, nullptr);
    if (cancelled_) value = *cancelled_;
    return {.value = std::move(value), .cost = cost_, .exceeded = cost_ > cost_max_};
  }

 private:
  // Adds to the cost. When it is too high, the evaluation ends.
  void Charge(std::uint64_t cost) {
    cost_ += cost;
    if (cost_ > cost_max_) Cancel("operation cancelled: actual cost limit exceeded");
  }
  // Ends the evaluation: from now on every value is an error, which nothing hides.
  Value Cancel(std::string message) {
    if (!cancelled_) cancelled_ = Value::Failure(std::move(message));
    return *cancelled_;
  }

  Value Eval(const Expr& expr, const Local* locals);
  // Evaluates an attribute, or any other expression, without AttributeCost.
  Value Resolve(const Expr& expr, const Local* locals);
  Value ResolveIdent(const Expr& expr, const Local* locals);
  Value ResolveStep(const Expr& expr, const Local* locals);
  Value EvalCall(const Expr& expr, const Local* locals);
  Value EvalLogic(const Expr& expr, const Local* locals, bool decisive);
  Value EvalNotStrictlyFalse(const Expr& expr, const Local* locals);
  Value EvalIn(const Expr& expr, const Local* locals);
  Value EvalFunction(const Expr& expr, const Local* locals);
  static Value Call(const Expr& expr, const std::vector<Value>& args);
  // Evaluates x.or(y) and x.orValue(y), which need y only if x has no value.
  Value EvalOr(const Expr& expr, const Local* locals);
  Value MakeList(const Expr& expr, const Local* locals);
  Value MakeMap(const Expr& expr, const Local* locals);
  Value EvalComprehension(const Expr& expr, const Local* locals);

  const Bindings& bindings_;
  std::uint64_t cost_max_;
  std::uint64_t cost_ = 0;
  std::optional<Value> cancelled_;
};

Value Evaluator::Eval(const Expr& expr, const Local* locals) {
  if (cancelled_) return *cancelled_;
  if (expr.constant) return *expr.constant;
  if (IsAttribute(expr)) {
    Value value = Resolve(expr, locals);
    Charge(static_cast<std::uint64_t>(AttributeCost(expr)));
    return value;
  }
  switch (expr.kind) {
    case ExprKind::kLiteral:
      return expr.literal;
    case ExprKind::kCall:
      return EvalCall(expr, locals);
    case ExprKind::kList: {
      Value list = MakeList(expr, locals);
      Charge(kListCost);
      return list;
    }
    case ExprKind::kMap: {
      Value map = MakeMap(expr, locals);
      Charge(kMapCost);
      return map;
    }
    case ExprKind::kComprehension:
      return EvalComprehension(expr, locals);
    default:
      return Value::Failure("unknown type: '" + expr.name + "'");
  }
}

Value Evaluator::Resolve(const Expr& expr, const Local* locals) {
  if (!IsAttribute(expr)) return Eval(expr, locals);
  if (cancelled_) return *cancelled_;
  if (expr.kind == ExprKind::kIdent) return ResolveIdent(expr, locals);
  if (IsStep(expr)) return ResolveStep(expr, locals);
  Value condition = Eval(*expr.args[0], locals);
  if (condition.IsError()) return condition;
  if (!condition.Is<bool>()) return NoSuchOverload();
  return Resolve(*expr.args[condition.IsTrue() ? 1 : 2], locals);
}

Value Evaluator::ResolveIdent(const Expr& expr, const Local* locals) {
  for (const Local* local = locals; local != nullptr; local = local->outer) {
    if (local->name != expr.name) continue;
    if (local->initial != nullptr) {
      const Expr& initial = *std::exchange(local->initial, nullptr);
      local->value = Eval(initial, local->outer);
    }
    return local->value;
  }
  std::string_view name = expr.name;
  if (name.starts_with('.')) name.remove_prefix(1);
  if (const auto found = bindings_.find(name); found != bindings_.end()) return found->second;
  if (const Type type = FindTypeName(expr.name)) return Value::OfType(type);
  return Value::Failure("no such attribute(s): " + expr.name);
}

// Evaluates a.b, has(a.b), a[b], a.?b and a[?b]. A step costs 1, but nothing behind an
// optional value that is empty, or behind .x in a loop of x.
Value Evaluator::ResolveStep(const Expr& expr, const Local* locals) {
  Value container = Resolve(ContainerOf(expr), locals);
  if (container.IsError()) return container;
  const auto* const content = container.Get<Optional>();
  if (content != nullptr && content->value == nullptr) {
    return expr.test_only ? Value::Bool(false) : container;
  }
  Value key =
      expr.kind == ExprKind::kSelect ? Value::String(expr.name) : Resolve(*expr.args[1], locals);
  const bool optional = content != nullptr || IsOptionalStep(expr);
  const std::uint64_t cost = PassesLoopVariable(expr, locals) ? 0 : 1;
  if (!optional) Charge(cost);
  if (key.IsError()) return key;
  if (!IsQualifier(key)) {
    return Value::Failure("invalid qualifier type: " + std::string(key.TypeName()));
  }
  if (!optional && !expr.test_only) return GetIndex(container, key);
  Value found = FindOptional(container, key);
  if (found.IsError()) return found;
  const bool exists = found.Get<Optional>()->value != nullptr;
  if (optional && exists) Charge(cost);
  return expr.test_only ? Value::Bool(exists) : found;
}

Value Evaluator::EvalCall(const Expr& expr, const Local* locals) {
  const std::string_view name = expr.name;
  if (name == kAndFunction) return EvalLogic(expr, locals, false);
  if (name == kOrFunction) return EvalLogic(expr, locals, true);
  if (name == kNotStrictlyFalseFunction) return EvalNotStrictlyFalse(expr, locals);
  if (expr.operand != nullptr && (name == "or" || name == "orValue")) return EvalOr(expr, locals);
  if (expr.in_constants) return EvalIn(expr, locals);
  return EvalFunction(expr, locals);
}

// && and ||: the value `decisive` of one side decides, even if the other side is an error.
Value Evaluator::EvalLogic(const Expr& expr, const Local* locals, bool decisive) {
  std::optional<Value> error;
  for (const ExprPtr& arg : expr.args) {
    Value value = Eval(*arg, locals);
    if (cancelled_) return value;
    const bool* const flag = value.Get<bool>();
    if (flag != nullptr && *flag == decisive) return value;
    if (flag != nullptr || error) continue;
    error = value.IsError() ? std::move(value) : NoSuchOverload();
  }
  return error.value_or(Value::Bool(!decisive));
}

Value Evaluator::EvalNotStrictlyFalse(const Expr& expr, const Local* locals) {
  const Value value = Eval(*expr.args[0], locals);
  Charge(1);
  return Value::Bool(!value.Is<bool>() || value.IsTrue());
}

// Looks for a value in a list of constants, for which cel-go makes a map of Go. It costs nothing.
Value Evaluator::EvalIn(const Expr& expr, const Local* locals) {
  Value value = Eval(*expr.args[0], locals);
  if (value.IsError()) return value;
  if (!IsHashable(value)) return Cancel(Unhashable(value).message());
  return expr.overloads[0]->call(std::vector<Value>{std::move(value), *expr.args[1]->constant});
}

Value Evaluator::EvalOr(const Expr& expr, const Local* locals) {
  Value optional = Eval(*expr.operand, locals);
  if (optional.IsError()) return optional;
  const auto* const content = optional.Get<Optional>();
  if (content == nullptr) return NoSuchOverload();
  if (content->value == nullptr) return Eval(*expr.args[0], locals);
  return expr.name == "or" ? optional : *content->value;
}

Value Evaluator::EvalFunction(const Expr& expr, const Local* locals) {
  std::vector<Value> args;
  args.reserve(expr.args.size() + 1);
  if (expr.operand != nullptr) args.push_back(Eval(*expr.operand, locals));
  // The argument behind an error is evaluated if there is one, unless cel-go calls the function
  // with a list of arguments.
  const std::size_t count = expr.args.size() + args.size();
  const bool listed = count > 2 || expr.constant_pattern || expr.name == "format";
  for (const ExprPtr& arg : expr.args) {
    if (listed && !args.empty() && args.back().IsError()) break;
    args.push_back(Eval(*arg, locals));
  }
  if (cancelled_) return *cancelled_;
  Value result = Call(expr, args);
  if (result.IsError() && result.message().starts_with(kPanic)) return Cancel(result.message());
  if (args.size() == count) {  // otherwise cel-go finds no cost
    Charge(CallCost(*expr.overloads[0], expr.overloads.size() == 1, args, result));
  }
  return result;
}

Value Evaluator::Call(const Expr& expr, const std::vector<Value>& args) {
  for (const Value& arg : args) {
    if (arg.IsError()) return arg;
  }
  for (const Overload* const overload : expr.overloads) {
    if (overload->Accepts(args)) return overload->call(args);
  }
  // cel-go names the types of the arguments for functions, and not for operators.
  const bool is_operator = expr.name.find('_') == 0 || expr.name.ends_with('_');
  if (is_operator || expr.name == "@in") return NoSuchOverload();
  return NoSuchOverload(expr.name, args.data(), args.data() + args.size());
}

Value Evaluator::MakeList(const Expr& expr, const Local* locals) {
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
  return NewList(std::move(elements));
}

Value Evaluator::MakeMap(const Expr& expr, const Local* locals) {
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
      if (optional->value == nullptr) {
        if (!IsHashable(key)) return Cancel(Unhashable(key).message());
        continue;
      }
      Value content = *optional->value;
      value = std::move(content);
    }
    Value error = builder.Insert(key, std::move(value));
    if (error.IsError()) return Cancel(error.message());
  }
  return builder.Finish();
}

Value Evaluator::EvalComprehension(const Expr& expr, const Local* locals) {
  const Comprehension& loop = *expr.comprehension;
  Value range = Eval(*loop.range, locals);
  if (range.IsError()) return range;
  const std::vector<Value> keys =
      range.map() == nullptr ? std::vector<Value>() : range.map()->Keys();
  if (range.map() == nullptr && range.list() == nullptr) {
    return Value::Failure("got '" + std::string(range.TypeName()) + "', expected iterable type");
  }
  const std::size_t count = range.list() == nullptr ? keys.size() : range.list()->size();
  Local accumulator{loop.accumulator, Value(), locals, loop.initial.get()};
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
    if (cancelled_) return *cancelled_;
    if (go_on.Is<bool>() && !go_on.IsTrue()) break;
    Value next = Eval(*loop.step, inner);
    if (cancelled_) return *cancelled_;
    accumulator.value = std::move(next);
    accumulator.initial = nullptr;
  }
  return Eval(*loop.result, &accumulator);
}

}  // namespace

Evaluation Evaluate(const Expr& root, const Bindings& bindings, std::uint64_t cost_max) {
  return Evaluator(bindings, cost_max).Run(root);
}

}  // namespace capstan::cel
