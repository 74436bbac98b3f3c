// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/cost_estimate.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clientgo/cel/call_estimate.h"
#include "clientgo/cel/functions.h"

namespace capstan::cel {
namespace {

constexpr std::uint64_t kNewListCost = 10;
constexpr std::uint64_t kNewMapCost = 30;

// SizePath is the way from a variable to a value: names of fields, @items, @values and @keys.
// Empty: not known. A copy has the steps of the original. cel-go appends to slices of Go, so two
// paths that continue a third one may have the same place for their last step: it is that of the
// later one. The cost of `l.all(x, x.a.all(y, x.b))` depends on it.
class SizePath {
 public:
  SizePath() = default;
  explicit SizePath(std::string step) { *this = Then(std::move(step)); }

  std::size_t size() const { return size_; }
  const std::string& operator[](std::size_t i) const { return (*steps_)[i]; }

  SizePath Then(std::string step) const {
    SizePath longer = *this;
    if (steps_ == nullptr || size_ == steps_->size()) {
      longer.steps_ = std::make_shared<std::vector<std::string>>();
      if (steps_ != nullptr) *longer.steps_ = *steps_;
      longer.steps_->resize(std::max<std::size_t>(1, 2 * size_));
    }
    (*longer.steps_)[longer.size_++] = std::move(step);
    return longer;
  }

 private:
  std::shared_ptr<std::vector<std::string>> steps_;  // as many as there is place for
  std::size_t size_ = 0;
};

// The sizes of the keys and the values of a list or a map.
struct EntrySizes {
  bool list = false;
  CostRange key;
  CostRange value;
};

struct CostVariable {
  std::string name;
  SizePath path;
  std::optional<CostRange> size;
  std::optional<EntrySizes> entries;
};

bool IsScalarType(const Type& type) {
  switch (type->kind) {
    case TypeKind::kBool:
    case TypeKind::kDouble:
    case TypeKind::kDuration:
    case TypeKind::kInt:
    case TypeKind::kTimestamp:
    case TypeKind::kUint:
      return true;
    default:
      return IsOptional(type) && IsScalarType(type->params[0]);
  }
}

// ArgumentNode is an argument of a call with what was known when its cost had been estimated.
struct ArgumentNode {
  const Expr* expr;
  SizePath path;
  std::optional<CostRange> size;
};

class CostEstimator {
 public:
  explicit CostEstimator(const SizedType& self) : self_(self) {}

  CostRange Cost(const Expr& expr);

 private:
  CostRange CostOfIdent(const Expr& expr);
  CostRange CostOfSelect(const Expr& expr);
  CostRange CostOfCall(const Expr& expr);
  CostRange CostOfOverload(const Expr& expr, const Overload& overload,
                           const std::vector<ArgumentNode>& args,
                           const std::vector<CostRange>& arg_costs,
                           std::optional<CostRange>& result_size);
  CostRange CostOfList(const Expr& expr);
  CostRange CostOfMap(const Expr& expr);
  CostRange CostOfLoop(const Expr& expr);
  CostRange CostOfBinding(const Expr& expr);

  const CostVariable* FindVariable(const std::string& name) const;
  SizePath PathOf(const Expr& expr) const;
  std::optional<CostRange> SizeOf(const Expr& expr);
  CostRange SizeOrUnknown(const Expr& expr) { return SizeOf(expr).value_or(CostRange::Unknown()); }
  std::optional<EntrySizes> EntriesOf(const Expr& expr) const;
  // Returns the size that the schema allows at a path.
  std::optional<CostRange> SizeAt(const SizePath& path) const;
  ArgumentNode ToNode(const Expr& expr);
  SizedArgument ToArgument(const ArgumentNode& node) const;
  // Adds a variable of a loop over the range: its keys or its values.
  void PushLoopVariable(const std::string& name, const Expr& range, bool key);

  const SizedType& self_;
  std::map<const Expr*, SizePath> paths_;
  std::map<const Expr*, CostRange> sizes_;
  std::map<const Expr*, EntrySizes> entries_;
  std::vector<CostVariable> variables_;  // of comprehensions; the innermost is last
};

CostRange CostEstimator::Cost(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kLiteral:
    case ExprKind::kMessage:
      return {};
    case ExprKind::kIdent:
      return CostOfIdent(expr);
    case ExprKind::kSelect:
      return CostOfSelect(expr);
    case ExprKind::kCall:
      return CostOfCall(expr);
    case ExprKind::kList:
      return CostOfList(expr);
    case ExprKind::kMap:
      return CostOfMap(expr);
    case ExprKind::kComprehension:
      break;
  }
  const Comprehension& loop = *expr.comprehension;
  const bool binding = loop.range->kind == ExprKind::kList && loop.range->args.empty() &&
                       loop.condition->kind == ExprKind::kLiteral &&
                       !loop.condition->literal.IsTrue();
  return binding ? CostOfBinding(expr) : CostOfLoop(expr);
}

const CostVariable* CostEstimator::FindVariable(const std::string& name) const {
  const auto found = std::find_if(variables_.rbegin(), variables_.rend(),
                                  [&](const CostVariable& each) { return each.name == name; });
  return found == variables_.rend() ? nullptr : &*found;
}

CostRange CostEstimator::CostOfIdent(const Expr& expr) {
  const CostVariable* const variable = FindVariable(expr.name);
  paths_[&expr] = variable == nullptr ? SizePath(expr.name) : variable->path;
  return CostRange::Fixed(1);
}

CostRange CostEstimator::CostOfSelect(const Expr& expr) {
  const CostRange cost = Cost(*expr.operand);
  if (expr.test_only) return cost;
  paths_[&expr] = PathOf(*expr.operand).Then(expr.name);
  const TypeKind kind = expr.operand->type->kind;
  const bool charged =
      kind == TypeKind::kMap || kind == TypeKind::kObject || kind == TypeKind::kParam;
  return charged ? cost + CostRange::Fixed(1) : cost;
}

ArgumentNode CostEstimator::ToNode(const Expr& expr) {
  SizePath path = PathOf(expr);
  if (path.size() != 0 && path[0] == kAccumulator) path = SizePath();
  return {.expr = &expr, .path = std::move(path), .size = SizeOf(expr)};
}

SizedArgument CostEstimator::ToArgument(const ArgumentNode& node) const {
  const Expr& expr = *node.expr;
  SizedArgument argument{.computed_size = node.size, .type = expr.type};
  const auto size = node.size ? node.size : SizeAt(node.path);
  argument.size = size.value_or(CostRange::Unknown());
  if (const auto* const number = expr.literal.Get<std::int64_t>();
      number != nullptr && expr.kind == ExprKind::kLiteral) {
    argument.literal = *number;
  }
  if (!argument.IsList() || node.path.size() == 0) return argument;
  SizePath element;  // whose last step nothing else replaces
  for (std::size_t i = 0; i < node.path.size(); ++i) element = element.Then(node.path[i]);
  argument.element_size = SizeAt(element.Then("@items")).value_or(CostRange::Unknown());
  return argument;
}

CostRange CostEstimator::CostOfOverload(const Expr& expr, const Overload& overload,
                                        const std::vector<ArgumentNode>& args,
                                        const std::vector<CostRange>& arg_costs,
                                        std::optional<CostRange>& result_size) {
  CostRange all;
  for (const CostRange& each : arg_costs) all = all + each;
  if (overload.function == kAndFunction || overload.function == kOrFunction) {
    return {.min = arg_costs[0].min, .max = all.max};
  }
  if (overload.function == kConditionalFunction) {
    result_size = args[1]
                      .size.value_or(CostRange::Unknown())
                      .Union(args[2].size.value_or(CostRange::Unknown()));
    const auto yes = EntriesOf(*args[1].expr);
    const auto no = EntriesOf(*args[2].expr);
    if (yes && no) {
      entries_[&expr] = {yes->list, yes->key.Union(no->key), yes->value.Union(no->value)};
    }
    return arg_costs[0] + arg_costs[1].Union(arg_costs[2]);
  }
  std::vector<SizedArgument> sized;
  sized.reserve(args.size());
  for (const ArgumentNode& arg : args) sized.push_back(ToArgument(arg));
  if (overload.function == kAddFunction) {
    const auto left = EntriesOf(*args[0].expr);
    const auto right = EntriesOf(*args[1].expr);
    if (left && right) {
      entries_[&expr] = {left->list, left->key.Union(right->key), left->value.Union(right->value)};
    }
  }
  CallEstimate estimate = EstimateCall(overload, sized);
  if (estimate.result_size) {
    result_size = result_size ? result_size->Union(*estimate.result_size) : *estimate.result_size;
  }
  if (overload.function == kIndexFunction && !IsOptional(overload.args[0])) {
    const auto entries = EntriesOf(*args[0].expr);
    result_size = entries ? std::optional(entries->value) : std::nullopt;
    const bool list = overload.args[0]->kind == TypeKind::kList;
    paths_[&expr] = PathOf(*args[0].expr).Then(list ? "@items" : "@values");
  }
  return estimate.cost + all;
}

CostRange CostEstimator::CostOfCall(const Expr& expr) {
  if (expr.name == "dyn") {
    const Expr& arg = *expr.args[0];
    const CostRange cost = CostRange::Fixed(1) + Cost(arg);
    if (const auto size = SizeOf(arg)) sizes_[&expr] = *size;
    if (const auto entries = EntriesOf(arg)) entries_[&expr] = *entries;
    return cost;
  }
  std::vector<ArgumentNode> args;
  std::vector<CostRange> arg_costs;
  for (const ExprPtr& arg : expr.args) {
    arg_costs.push_back(Cost(*arg));
    args.push_back(ToNode(*arg));
  }
  if (expr.operand != nullptr) {  // which is last because paths are shared
    arg_costs.insert(arg_costs.begin(), Cost(*expr.operand));
    args.insert(args.begin(), ToNode(*expr.operand));
  }
  // The checker resolves these without overloads.
  static const Overload and_or{.function = kAndFunction};
  std::vector<const Overload*> overloads = expr.overloads;
  if (expr.name == kAndFunction || expr.name == kOrFunction) overloads = {&and_or};
  if (expr.name == kOptionalSelectFunction) return CostRange::Fixed(1) + arg_costs[0];
  if (overloads.empty()) return {};
  CostRange cost = {.min = kCostUnbounded, .max = 0};
  std::optional<CostRange> result_size;
  for (const Overload* const overload : overloads) {
    cost = cost.Union(CostOfOverload(expr, *overload, args, arg_costs, result_size));
    if (!result_size) result_size = SizeOf(expr);
  }
  if (result_size) sizes_[&expr] = *result_size;
  return cost;
}

CostRange CostEstimator::CostOfList(const Expr& expr) {
  CostRange cost = CostRange::Fixed(kNewListCost);
  CostRange element = {.min = expr.args.empty() ? 0 : kCostUnbounded, .max = 0};
  for (const ExprPtr& arg : expr.args) {
    cost = cost + Cost(*arg);
    element = element.Union(SizeOrUnknown(*arg));
  }
  entries_[&expr] = {.list = true, .key = CostRange::Fixed(1), .value = element};
  return cost;
}

CostRange CostEstimator::CostOfMap(const Expr& expr) {
  CostRange cost = CostRange::Fixed(kNewMapCost);
  const CostRange none = {.min = expr.args.empty() ? 0 : kCostUnbounded, .max = 0};
  EntrySizes entries{.list = false, .key = none, .value = none};
  for (std::size_t i = 0; i < expr.args.size(); ++i) {
    cost = cost + Cost(*expr.args[i]);
    CostRange& size = i % 2 == 0 ? entries.key : entries.value;
    size = size.Union(SizeOrUnknown(*expr.args[i]));
  }
  entries_[&expr] = entries;
  return cost;
}

void CostEstimator::PushLoopVariable(const std::string& name, const Expr& range, bool key) {
  const auto entries = EntriesOf(range);
  const bool list = entries ? entries->list : range.type->kind == TypeKind::kList;
  std::optional<CostRange> size;
  if (entries) size = key ? entries->key : entries->value;
  const char* const step = key ? (list ? "@indices" : "@keys") : (list ? "@items" : "@values");
  variables_.push_back({name, PathOf(range).Then(step), size, std::nullopt});
}

CostRange CostEstimator::CostOfLoop(const Expr& expr) {
  const Comprehension& loop = *expr.comprehension;
  CostRange cost = Cost(*loop.range) + Cost(*loop.initial);
  const std::size_t outside = variables_.size();
  variables_.push_back(
      {loop.accumulator, PathOf(*loop.initial), SizeOf(*loop.initial), EntriesOf(*loop.initial)});
  const auto entries = EntriesOf(*loop.range);
  const bool list = entries ? entries->list : loop.range->type->kind == TypeKind::kList;
  PushLoopVariable(loop.variable, *loop.range, !loop.second.empty() || !list);
  if (!loop.second.empty()) PushLoopVariable(loop.second, *loop.range, false);
  const CostRange condition = Cost(*loop.condition);
  const CostRange step = Cost(*loop.step);
  const auto step_entries = EntriesOf(*loop.step);
  variables_.resize(outside + 1);
  cost = cost + Cost(*loop.result);
  variables_.resize(outside);
  const CostRange count = SizeOrUnknown(*loop.range);
  cost = cost + count * (step + condition);
  if (loop.initial->kind == ExprKind::kLiteral) {
    if (const auto size = SizeOf(*loop.initial)) sizes_[&expr] = *size;
  } else if (loop.initial->kind == ExprKind::kList || loop.initial->kind == ExprKind::kMap) {
    sizes_[&expr] = count;
    if (step_entries) entries_[&expr] = *step_entries;
  }
  return cost;
}

CostRange CostEstimator::CostOfBinding(const Expr& expr) {
  const Comprehension& loop = *expr.comprehension;
  const CostRange cost = Cost(*loop.range) + Cost(*loop.initial);
  variables_.push_back(
      {loop.accumulator, PathOf(*loop.initial), SizeOf(*loop.initial), EntriesOf(*loop.initial)});
  const CostRange result = Cost(*loop.result);
  if (const auto size = SizeOf(*loop.result)) sizes_[&expr] = *size;
  if (const auto entries = EntriesOf(*loop.result)) entries_[&expr] = *entries;
  variables_.pop_back();
  return cost + result;
}

SizePath CostEstimator::PathOf(const Expr& expr) const {
  if (expr.kind == ExprKind::kIdent) {
    if (const CostVariable* const variable = FindVariable(expr.name)) return variable->path;
  }
  const auto found = paths_.find(&expr);
  return found == paths_.end() ? SizePath() : found->second;
}

std::optional<CostRange> CostEstimator::SizeAt(const SizePath& path) const {
  if (path.size() == 0) return std::nullopt;
  const SizedType* at = &self_;
  for (std::size_t i = 1; i < path.size() && at != nullptr; ++i) {
    if (path[i] == "@items" || path[i] == "@values") {
      at = at->element.get();
    } else if (path[i] == "@keys") {
      at = at->key.get();
    } else {
      const auto field = at->fields.find(path[i]);
      at = field == at->fields.end() ? nullptr : field->second.get();
    }
  }
  if (at == nullptr) return std::nullopt;
  return CostRange{.min = 0, .max = static_cast<std::uint64_t>(at->count_max.value_or(0))};
}

std::optional<CostRange> CostEstimator::SizeOf(const Expr& expr) {
  if (const auto found = sizes_.find(&expr); found != sizes_.end()) return found->second;
  if (expr.kind == ExprKind::kLiteral) return CostRange::Fixed(expr.literal.CostSize());
  if (expr.kind == ExprKind::kList) return CostRange::Fixed(expr.args.size());
  if (expr.kind == ExprKind::kMap) return CostRange::Fixed(expr.args.size() / 2);
  if (const auto size = SizeAt(PathOf(expr))) {
    sizes_[&expr] = *size;
    return size;
  }
  if (IsScalarType(expr.type)) return CostRange::Fixed(1);
  if (expr.kind == ExprKind::kIdent) {
    if (const CostVariable* const variable = FindVariable(expr.name)) return variable->size;
  }
  return std::nullopt;
}

std::optional<EntrySizes> CostEstimator::EntriesOf(const Expr& expr) const {
  if (const auto found = entries_.find(&expr); found != entries_.end()) return found->second;
  const CostVariable* const variable =
      expr.kind == ExprKind::kIdent ? FindVariable(expr.name) : nullptr;
  return variable == nullptr ? std::nullopt : variable->entries;
}

}  // namespace

std::uint64_t EstimateCost(const Expr& root, const SizedType& self) {
  return CostEstimator(self).Cost(root).max;
}

}  // namespace capstan::cel
