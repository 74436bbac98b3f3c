// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/macros.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace capstan::cel {
namespace {

constexpr std::string_view kOldAccumulator = "__result__";
constexpr std::string_view kUnusedVariable = "#unused";

template <class... Exprs>
std::vector<ExprPtr> MakeList(Exprs... exprs) {
  std::vector<ExprPtr> list;
  (list.push_back(std::move(exprs)), ...);
  return list;
}

// MacroBuilder makes expressions at the place of a macro.
class MacroBuilder {
 public:
  explicit MacroBuilder(Location location) : location_(location) {}

  ExprPtr Literal(Value value) const {
    ExprPtr expr = New(ExprKind::kLiteral);
    expr->literal = std::move(value);
    return expr;
  }
  ExprPtr Ident(std::string_view name) const {
    ExprPtr expr = New(ExprKind::kIdent);
    expr->name = name;
    return expr;
  }
  ExprPtr Accumulated() const { return Ident(kAccumulator); }
  template <class... Exprs>
  ExprPtr Call(std::string_view function, Exprs... args) const {
    ExprPtr expr = New(ExprKind::kCall);
    expr->name = function;
    expr->args = MakeList(std::move(args)...);
    return expr;
  }
  ExprPtr MemberCall(std::string_view function, ExprPtr target) const {
    ExprPtr expr = Call(function);
    expr->operand = std::move(target);
    return expr;
  }
  template <class... Exprs>
  ExprPtr List(Exprs... elements) const {
    ExprPtr expr = New(ExprKind::kList);
    expr->args = MakeList(std::move(elements)...);
    expr->optional.resize(expr->args.size());
    return expr;
  }
  ExprPtr EmptyMap() const { return New(ExprKind::kMap); }
  ExprPtr Loop(Comprehension comprehension) const {
    ExprPtr expr = New(ExprKind::kComprehension);
    expr->comprehension = std::make_unique<Comprehension>(std::move(comprehension));
    return expr;
  }
  ExprPtr New(ExprKind kind) const {
    auto expr = std::make_unique<Expr>();
    expr->kind = kind;
    expr->location = location_;
    return expr;
  }

 private:
  Location location_;
};

ExprPtr CloneExpr(const ExprPtr& expr);

std::vector<ExprPtr> CloneAll(const std::vector<ExprPtr>& all) {
  std::vector<ExprPtr> clones;
  clones.reserve(all.size());
  for (const ExprPtr& each : all) clones.push_back(CloneExpr(each));
  return clones;
}

// Copies an expression that is not checked yet.
ExprPtr CloneExpr(const ExprPtr& expr) {
  if (expr == nullptr) return nullptr;
  auto clone = std::make_unique<Expr>();
  clone->kind = expr->kind;
  clone->location = expr->location;
  clone->literal = expr->literal;
  clone->name = expr->name;
  clone->operand = CloneExpr(expr->operand);
  clone->test_only = expr->test_only;
  clone->args = CloneAll(expr->args);
  clone->optional = expr->optional;
  if (const auto& loop = expr->comprehension) {
    clone->comprehension =
        std::make_unique<Comprehension>(Comprehension{.range = CloneExpr(loop->range),
                                                      .variable = loop->variable,
                                                      .second = loop->second,
                                                      .accumulator = loop->accumulator,
                                                      .initial = CloneExpr(loop->initial),
                                                      .condition = CloneExpr(loop->condition),
                                                      .step = CloneExpr(loop->step),
                                                      .result = CloneExpr(loop->result)});
  }
  return clone;
}

// How a loop begins, goes on and ends.
struct LoopParts {
  ExprPtr initial;
  ExprPtr condition;
  ExprPtr step;
  ExprPtr result;
};

using MakeParts = LoopParts (*)(const MacroBuilder& make, std::string_view variable,
                                std::vector<ExprPtr> rest);

LoopParts AllParts(const MacroBuilder& make, std::string_view /*variable*/,
                   std::vector<ExprPtr> rest) {
  return {.initial = make.Literal(Value::Bool(true)),
          .condition = make.Call(kNotStrictlyFalseFunction, make.Accumulated()),
          .step = make.Call(kAndFunction, make.Accumulated(), std::move(rest[0])),
          .result = make.Accumulated()};
}

LoopParts ExistsParts(const MacroBuilder& make, std::string_view /*variable*/,
                      std::vector<ExprPtr> rest) {
  return {.initial = make.Literal(Value::Bool(false)),
          .condition =
              make.Call(kNotStrictlyFalseFunction, make.Call(kNotFunction, make.Accumulated())),
          .step = make.Call(kOrFunction, make.Accumulated(), std::move(rest[0])),
          .result = make.Accumulated()};
}

LoopParts ExistsOneParts(const MacroBuilder& make, std::string_view /*variable*/,
                         std::vector<ExprPtr> rest) {
  return {
      .initial = make.Literal(Value::Int(0)),
      .condition = make.Literal(Value::Bool(true)),
      .step = make.Call(kConditionalFunction, std::move(rest[0]),
                        make.Call(kAddFunction, make.Accumulated(), make.Literal(Value::Int(1))),
                        make.Accumulated()),
      .result = make.Call(kEqualFunction, make.Accumulated(), make.Literal(Value::Int(1)))};
}

// Returns the parts of a loop that builds `initial`. With two expressions in `rest`, the first one
// decides whether the step is made.
LoopParts BuildParts(const MacroBuilder& make, ExprPtr initial, ExprPtr step,
                     std::vector<ExprPtr> rest) {
  if (rest.size() == 2) {
    step = make.Call(kConditionalFunction, std::move(rest[0]), std::move(step), make.Accumulated());
  }
  return {.initial = std::move(initial),
          .condition = make.Literal(Value::Bool(true)),
          .step = std::move(step),
          .result = make.Accumulated()};
}

LoopParts MapParts(const MacroBuilder& make, std::string_view /*variable*/,
                   std::vector<ExprPtr> rest) {
  ExprPtr step = make.Call(kAddFunction, make.Accumulated(), make.List(std::move(rest.back())));
  return BuildParts(make, make.List(), std::move(step), std::move(rest));
}

LoopParts FilterParts(const MacroBuilder& make, std::string_view variable,
                      std::vector<ExprPtr> rest) {
  rest.push_back(make.Ident(variable));
  return MapParts(make, variable, std::move(rest));
}

LoopParts TransformMapParts(const MacroBuilder& make, std::string_view variable,
                            std::vector<ExprPtr> rest) {
  ExprPtr step = make.Call(kMapInsertFunction, make.Accumulated(), make.Ident(variable),
                           std::move(rest.back()));
  return BuildParts(make, make.EmptyMap(), std::move(step), std::move(rest));
}

LoopParts TransformEntryParts(const MacroBuilder& make, std::string_view /*variable*/,
                              std::vector<ExprPtr> rest) {
  ExprPtr step = make.Call(kMapInsertFunction, make.Accumulated(), std::move(rest.back()));
  return BuildParts(make, make.EmptyMap(), std::move(step), std::move(rest));
}

struct LoopMacro {
  std::string_view function;
  std::size_t arg_count;
  std::size_t variable_count;
  MakeParts parts;
};
constexpr std::array kLoopMacros = std::to_array<LoopMacro>({
    {"all", 2, 1, AllParts},
    {"exists", 2, 1, ExistsParts},
    {"exists_one", 2, 1, ExistsOneParts},
    {"map", 2, 1, MapParts},
    {"map", 3, 1, MapParts},
    {"filter", 2, 1, FilterParts},
    {"all", 3, 2, AllParts},
    {"exists", 3, 2, ExistsParts},
    {"exists_one", 3, 2, ExistsOneParts},
    {"existsOne", 3, 2, ExistsOneParts},
    {"transformList", 3, 2, MapParts},
    {"transformList", 4, 2, MapParts},
    {"transformMap", 3, 2, TransformMapParts},
    {"transformMap", 4, 2, TransformMapParts},
    {"transformMapEntry", 3, 2, TransformEntryParts},
    {"transformMapEntry", 4, 2, TransformEntryParts},
});

// Returns why the names of the variables are wrong.
std::optional<Issue> CheckVariables(const MacroCall& call, const LoopMacro& macro) {
  const bool builds_list = macro.parts == MapParts || macro.parts == FilterParts;
  const bool short_text = macro.variable_count == 1 && builds_list;
  for (std::size_t i = 0; i < macro.variable_count; ++i) {
    if (call.args[i]->kind == ExprKind::kIdent) continue;
    return Issue{call.args[i]->location,
                 short_text ? "argument is not an identifier" : "argument must be a simple name"};
  }
  if (macro.variable_count == 2 && call.args[0]->name == call.args[1]->name) {
    return Issue{call.args[1]->location, "duplicate variable name: " + call.args[0]->name};
  }
  for (std::size_t i = 0; i < macro.variable_count; ++i) {
    const std::string& name = call.args[i]->name;
    if (name != kAccumulator && name != kOldAccumulator) continue;
    return Issue{call.args[i]->location, "iteration variable overwrites accumulator variable"};
  }
  return std::nullopt;
}

ExprPtr ExpandLoop(MacroCall call, const LoopMacro& macro, const MacroBuilder& make) {
  std::string first = call.args[0]->name;
  std::string second = macro.variable_count == 2 ? call.args[1]->name : "";
  std::vector<ExprPtr> rest;
  for (std::size_t i = macro.variable_count; i < call.args.size(); ++i) {
    rest.push_back(std::move(call.args[i]));
  }
  LoopParts parts = macro.parts(make, first, std::move(rest));
  return make.Loop({.range = std::move(call.target),
                    .variable = std::move(first),
                    .second = std::move(second),
                    .accumulator = std::string(kAccumulator),
                    .initial = std::move(parts.initial),
                    .condition = std::move(parts.condition),
                    .step = std::move(parts.step),
                    .result = std::move(parts.result)});
}

// target.optMap(x, e) is e for the value of the optional target, and none without a value.
ExprPtr ExpandOptionalMap(MacroCall call, const MacroBuilder& make) {
  ExprPtr copy = CloneExpr(call.target);
  ExprPtr mapped = make.Loop({.range = make.List(),
                              .variable = std::string(kUnusedVariable),
                              .second = {},
                              .accumulator = call.args[0]->name,
                              .initial = make.MemberCall("value", std::move(copy)),
                              .condition = make.Literal(Value::Bool(false)),
                              .step = make.Ident(call.args[0]->name),
                              .result = std::move(call.args[1])});
  if (call.function == "optMap") mapped = make.Call("optional.of", std::move(mapped));
  return make.Call(kConditionalFunction, make.MemberCall("hasValue", std::move(call.target)),
                   std::move(mapped), make.Call("optional.none"));
}

ExprPtr ExpandHas(MacroCall& call, const MacroBuilder& make, std::vector<Issue>& issues) {
  Expr& arg = *call.args[0];
  if (arg.kind != ExprKind::kSelect) {
    issues.push_back({arg.location, "invalid argument to has() macro"});
    return nullptr;
  }
  ExprPtr test = make.New(ExprKind::kSelect);
  test->name = arg.name;
  test->operand = std::move(arg.operand);
  test->test_only = true;
  return test;
}

ExprPtr ExpandMember(MacroCall& call, const MacroBuilder& make, std::vector<Issue>& issues) {
  for (const LoopMacro& macro : kLoopMacros) {
    if (macro.function != call.function || macro.arg_count != call.args.size()) continue;
    if (auto issue = CheckVariables(call, macro)) {
      issues.push_back(*std::move(issue));
      return nullptr;
    }
    return ExpandLoop(std::move(call), macro, make);
  }
  if ((call.function == "optMap" || call.function == "optFlatMap") && call.args.size() == 2) {
    if (call.args[0]->kind == ExprKind::kIdent) return ExpandOptionalMap(std::move(call), make);
    issues.push_back(
        {call.args[0]->location, call.function + "() variable name must be a simple identifier"});
  }
  return nullptr;
}

}  // namespace

ExprPtr ExpandCall(MacroCall call, std::vector<Issue>& issues) {
  const MacroBuilder make(call.location);
  const std::size_t before = issues.size();
  ExprPtr expanded;
  if (call.target != nullptr) {
    expanded = ExpandMember(call, make, issues);
  } else if (call.function == "has" && call.args.size() == 1) {
    expanded = ExpandHas(call, make, issues);
  }
  if (expanded != nullptr) return expanded;
  if (issues.size() > before) return make.Literal(Value());
  ExprPtr expr = make.New(ExprKind::kCall);
  expr->name = std::move(call.function);
  expr->operand = std::move(call.target);
  expr->args = std::move(call.args);
  return expr;
}

}  // namespace capstan::cel
