// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/types/validation_rules.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "capstan/text.h"
#include "clientgo/cel/object_value.h"
#include "clientgo/testing/apiserver/types/correlation.h"
#include "clientgo/testing/apiserver/types/go_text.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/rule_field_path.h"

namespace capstan::testing::apiserver {
namespace {

constexpr const char* kRulesKey = "x-kubernetes-validations";
constexpr std::size_t kMessageSizeMax = 5120;
// What all rules of an object may cost together.
constexpr std::int64_t kCostBudget = 10'000'000;

std::string Trimmed(std::string_view text) { return std::string(TrimSpace(text)); }

// Returns how errors name a rule.
std::string RuleText(const CompiledRule& rule) {
  return Trimmed(rule.message.empty() ? rule.rule : rule.message);
}

std::string DefaultMessage(const CompiledRule& rule) {
  return rule.message.empty() ? "failed rule: " + RuleText(rule) : Trimmed(rule.message);
}

}  // namespace

bool HasValidationRules(const runtime::JsonValue& schema) {
  if (!schema.IsObject()) return false;
  if (!ListAt(schema, kRulesKey).Empty()) return true;
  for (const char* const key : {"items", "additionalProperties"}) {
    const runtime::JsonValue* const inner = runtime::Find(schema, key);
    if (inner != nullptr && HasValidationRules(*inner)) return true;
  }
  const auto& properties = ObjectAt(schema, "properties");
  const auto& all_of = ListAt(schema, "allOf");
  return std::any_of(properties.MemberBegin(), properties.MemberEnd(),
                     [](const auto& property) { return HasValidationRules(property.value); }) ||
         std::any_of(all_of.Begin(), all_of.End(), HasValidationRules);
}

// Node has the rules of one part of the schema, and of the parts inside of it.
struct ValidationRules::Node {
  cel::SchemaPtr schema;
  std::vector<CompiledRule> rules;
  std::map<std::string, std::unique_ptr<const Node>, std::less<>> properties;
  std::unique_ptr<const Node> items;
  std::unique_ptr<const Node> additional;
  std::vector<std::unique_ptr<const Node>> all_of;
};

namespace {

using Node = ValidationRules::Node;
using NodePtr = std::unique_ptr<const Node>;
using SizedPtr = std::shared_ptr<const cel::SizedType>;

// Returns the rules of `json`, which is the part of `schema` or one of its allOf; null: none.
NodePtr BuildNode(const runtime::JsonValue& json, const cel::SchemaPtr& schema,
                  const SizedPtr& type, bool root) {
  if (schema == nullptr || type == nullptr || !HasValidationRules(json)) return nullptr;
  auto node = std::make_unique<Node>();
  node->schema = root || schema->embedded_resource ? cel::WithTypeAndMetadata(schema) : schema;
  for (const runtime::JsonValue& rule : ListAt(json, kRulesKey).GetArray()) {
    node->rules.push_back(CompileRule(rule, *node->schema, *type));
  }
  const auto build_inner = [](const runtime::JsonValue* inner, const cel::SchemaPtr& inner_schema) {
    if (inner == nullptr || inner_schema == nullptr || !HasValidationRules(*inner)) {
      return NodePtr();
    }
    const bool embedded = inner_schema->embedded_resource;
    return BuildNode(*inner, inner_schema, cel::TypeOfSchema(inner_schema, "selfType", embedded),
                     embedded);
  };
  node->items = build_inner(runtime::Find(json, "items"), schema->items);
  node->additional = build_inner(runtime::Find(json, "additionalProperties"), schema->additional);
  for (const auto& property : ObjectAt(json, "properties").GetObject()) {
    const std::string name(runtime::ToView(property.name));
    const auto declared = schema->properties.find(name);
    if (declared == schema->properties.end()) continue;
    if (auto inner = build_inner(&property.value, declared->second)) {
      node->properties.emplace(name, std::move(inner));
    }
  }
  for (const runtime::JsonValue& part : ListAt(json, "allOf").GetArray()) {
    if (auto inner = BuildNode(part, schema, type, root)) node->all_of.push_back(std::move(inner));
  }
  return node;
}

// RuleChecker checks the rules of one object.
class RuleChecker {
 public:
  // Checks a value. `live` is the value before the update; null: it is new, or nobody knows which
  // one it was.
  void Check(const Node& node, const runtime::JsonValue& value, const runtime::JsonValue* live,
             const std::string& path, const Correlation& correlation);
  RuleReport Take() { return std::move(report_); }

 private:
  void CheckRules(const Node& node, const runtime::JsonValue& value, const runtime::JsonValue* live,
                  const std::string& path, bool unchanged);
  void CheckInner(const Node& node, const runtime::JsonValue& value, const runtime::JsonValue* live,
                  const std::string& path, const Correlation& correlation);
  // Takes a cost from the budget. Returns whether there was enough of it.
  bool Spend(std::uint64_t cost) {
    if (static_cast<std::int64_t>(cost) > budget_) return false;
    budget_ -= static_cast<std::int64_t>(cost);
    return true;
  }
  void AddError(const Node& node, const std::string& path, const std::string& detail) {
    report_.causes.push_back(
        InvalidValue(path.empty() ? "<nil>" : path, node.schema->type, detail));
  }
  void AddError(const CompiledRule& rule, const std::string& error, const Node& node,
                const std::string& path);
  void AddBroken(const CompiledRule& rule, const Node& node, const std::string& path,
                 const cel::Bindings& bindings, bool unchanged);
  // Returns the message of a broken rule; nullopt: the budget is used up, and `error` says so.
  std::optional<std::string> MessageOf(const CompiledRule& rule, const cel::Bindings& bindings,
                                       std::string& error);

  RuleReport report_;
  std::int64_t budget_ = kCostBudget;
  bool stopped_ = false;
};

constexpr const char* kNoBudget =
    "validation failed due to running out of cost budget, no further validation rules will be run";

void RuleChecker::AddError(const CompiledRule& rule, const std::string& error, const Node& node,
                           const std::string& path) {
  if (error.starts_with("no such overload")) {
    AddError(node, path,
             "'" + error +
                 "': call arguments did not match a supported operator, function or "
                 "macro signature for rule: " +
                 RuleText(rule));
  } else {
    AddError(node, path, error + " evaluating rule: " + RuleText(rule));
  }
}

std::optional<std::string> RuleChecker::MessageOf(const CompiledRule& rule,
                                                  const cel::Bindings& bindings,
                                                  std::string& error) {
  if (!rule.message_program) return DefaultMessage(rule);
  const cel::Evaluation evaluation = rule.message_program->Evaluate(bindings);
  if (!Spend(evaluation.cost)) {
    error =
        "messageExpression evaluation failed due to running out of cost budget, no further "
        "validation rules will be run";
    return std::nullopt;
  }
  const auto* const text = evaluation.value.Get<std::string>();
  const std::string message = text == nullptr ? "" : Trimmed(*text);
  const bool usable = !message.empty() && message.size() <= kMessageSizeMax &&
                      message.find('\n') == std::string::npos;
  return usable ? message : DefaultMessage(rule);
}

void RuleChecker::AddBroken(const CompiledRule& rule, const Node& node, const std::string& path,
                            const cel::Bindings& bindings, bool unchanged) {
  std::string field = path;
  if (!rule.field_path.empty()) field += (path.empty() ? "" : ".") + rule.field_path;
  if (field.empty()) field = "<nil>";
  std::string error;
  const auto message = MessageOf(rule, bindings, error);
  stopped_ = !message.has_value();
  Cause cause = InvalidValue(field, node.schema->type, message.value_or(error));
  if (message && rule.reason == "FieldValueForbidden") cause = ForbiddenField(field, *message);
  if (message && rule.reason == "FieldValueRequired") cause = Required(field, *message);
  if (message && rule.reason == "FieldValueDuplicate") {
    cause = {.reason = rule.reason,
             .message = "Duplicate value: " + Quote(node.schema->type),
             .field = field};
  }
  if (unchanged && !rule.uses_old_self) {
    report_.warnings.push_back(cause.field + ": " + cause.message);
  } else {
    report_.causes.push_back(std::move(cause));
  }
}

void RuleChecker::CheckRules(const Node& node, const runtime::JsonValue& value,
                             const runtime::JsonValue* live, const std::string& path,
                             bool unchanged) {
  const cel::Value self = cel::ValueOf(value, *node.schema);
  cel::Bindings bindings = {{"self", self}};
  cel::Bindings optional_bindings = {{"self", self}, {"oldSelf", cel::Value::None()}};
  if (live != nullptr) {
    const cel::Value old = cel::ValueOf(*live, *node.schema);
    bindings.emplace("oldSelf", old);
    optional_bindings["oldSelf"] = cel::Value::Some(old);
  }
  for (const CompiledRule& rule : node.rules) {
    if (!rule.error.empty()) AddError(node, path, "rule compile error: " + rule.error);
    if (!rule.program || (rule.uses_old_self && live == nullptr && !rule.optional_old_self)) {
      continue;
    }
    const cel::Evaluation evaluation =
        rule.program->Evaluate(rule.optional_old_self ? optional_bindings : bindings);
    if (evaluation.exceeded) {
      AddError(node, path,
               "'" + evaluation.value.message() +
                   "': no further validation rules will "
                   "be run due to call cost exceeds limit for rule: " +
                   RuleText(rule));
      stopped_ = true;
    } else if (!Spend(evaluation.cost)) {
      AddError(node, path, kNoBudget);
      stopped_ = true;
    } else if (evaluation.value.IsError()) {
      AddError(rule, evaluation.value.message(), node, path);
    } else if (!evaluation.value.IsTrue()) {
      AddBroken(rule, node, path, bindings, unchanged);
    }
    if (stopped_) return;
  }
}

void RuleChecker::Check(const Node& node, const runtime::JsonValue& value,
                        const runtime::JsonValue* live, const std::string& path,
                        const Correlation& correlation) {
  if (stopped_ || value.IsNull()) return;
  if (live != nullptr && live->IsNull()) live = nullptr;
  if (!node.rules.empty()) CheckRules(node, value, live, path, correlation.IsUnchanged());
  for (const NodePtr& part : node.all_of) Check(*part, value, live, path, correlation.OfAllOf());
  if (!stopped_) CheckInner(node, value, live, path, correlation);
}

void RuleChecker::CheckInner(const Node& node, const runtime::JsonValue& value,
                             const runtime::JsonValue* live, const std::string& path,
                             const Correlation& correlation) {
  if (value.IsArray() && node.items != nullptr) {
    for (rapidjson::SizeType i = 0; i < value.Size() && !stopped_; ++i) {
      const runtime::JsonValue* const old = FindCorrelated(*node.schema, live, value[i]);
      Check(*node.items, value[i], old, path + "[" + std::to_string(i) + "]", correlation.Item(i));
    }
  }
  if (!value.IsObject()) return;
  for (const auto& member : value.GetObject()) {
    const std::string name(runtime::ToView(member.name));
    const runtime::JsonValue* const old = live == nullptr ? nullptr : runtime::Find(*live, name);
    const Correlation inner = correlation.Member(name);
    if (const auto found = node.properties.find(name); found != node.properties.end()) {
      Check(*found->second, member.value, old, MemberPath(path, name), inner);
    } else if (node.additional != nullptr && node.schema->properties.empty()) {
      Check(*node.additional, member.value, old,
            std::string(path).append("[").append(name).append("]"), inner);
    }
    if (stopped_) return;
  }
}

}  // namespace

CompiledRule CompileRule(const runtime::JsonValue& rule, const cel::Schema& schema,
                         const cel::SizedType& type) {
  CompiledRule compiled{.rule = std::string(runtime::GetString(rule, "rule")),
                        .message = std::string(runtime::GetString(rule, "message")),
                        .reason = std::string(runtime::GetString(rule, "reason")),
                        .field_path = {},
                        .optional_old_self = runtime::GetBool(rule, "optionalOldSelf")};
  if (Trimmed(compiled.rule).empty()) return compiled;
  const cel::Type old = compiled.optional_old_self ? cel::OptionalType(type.type) : type.type;
  const cel::Variables variables = {{"self", type.type}, {"oldSelf", old}};
  auto program = cel::Program::Compile(compiled.rule, variables);
  if (!program) {
    compiled.error = program.error();
    return compiled;
  }
  if (program->type()->kind != cel::TypeKind::kBool) {
    compiled.error = "cel expression must evaluate to a bool";
    return compiled;
  }
  compiled.uses_old_self = program->Uses("oldSelf");
  compiled.program = *std::move(program);
  const std::string message(runtime::GetString(rule, "messageExpression"));
  if (!message.empty()) {
    auto message_program = cel::Program::Compile(message, variables);
    if (!message_program) {
      compiled.message_error = "messageExpression " + message_program.error();
    } else if (message_program->type()->kind != cel::TypeKind::kString) {
      compiled.message_error = "messageExpression must evaluate to a string";
    } else {
      compiled.message_program = *std::move(message_program);
    }
  }
  const std::string_view path = runtime::GetString(rule, "fieldPath");
  compiled.field_path = NormalizeFieldPath(path, schema).value_or("");
  return compiled;
}

ValidationRules::ValidationRules(const runtime::JsonValue& json, bool root) {
  if (!HasValidationRules(json)) return;
  const cel::SchemaPtr schema = cel::ReadSchema(json);
  root_ = BuildNode(json, schema, cel::TypeOfSchema(schema, "selfType", root), root);
}

ValidationRules::~ValidationRules() = default;

RuleReport ValidationRules::Validate(const runtime::JsonValue& object,
                                     const runtime::JsonValue* live,
                                     const std::string& path) const {
  if (root_ == nullptr) return {};
  RuleChecker checker;
  checker.Check(*root_, object, live, path, Correlation(object, live, *root_->schema));
  return checker.Take();
}

std::optional<Cause> FindBlockingCause(const std::vector<Cause>& causes) {
  const bool blocking = std::any_of(causes.begin(), causes.end(), [](const Cause& cause) {
    return cause.reason == "FieldValueNotSupported" || cause.reason == "FieldValueRequired" ||
           cause.reason == "FieldValueTooLong" || cause.reason == "FieldValueTooMany" ||
           cause.reason == "FieldValueTypeInvalid";
  });
  if (!blocking) return std::nullopt;
  return Cause{.reason = "FieldValueInvalid",
               .message =
                   "Invalid value: null: some validation rules were not checked because the "
                   "object was invalid; correct the existing errors to complete validation",
               .field = "<nil>"};
}

}  // namespace capstan::testing::apiserver
