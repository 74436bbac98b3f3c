// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/admission/policies.h"

#include <algorithm>
#include <utility>

namespace capstan::testing::apiserver {
namespace {

PolicyValidation ParseValidation(const runtime::JsonValue& json, const ExpressionScope& scope,
                                 const ExpressionScope& message_scope) {
  PolicyValidation validation{
      .expression = CompileExpression(StringAt(json, "expression"), ExpressionType::kBool, scope),
      .message = StringAt(json, "message"),
      .reason = StringAt(json, "reason")};
  if (const std::string text = StringAt(json, "messageExpression"); !text.empty()) {
    validation.message_expression = CompileExpression(text, ExpressionType::kText, message_scope);
  }
  return validation;
}

}  // namespace

AdmissionPolicy ParseAdmissionPolicy(const runtime::JsonValue& object) {
  const runtime::JsonValue& spec = ObjectAt(object, "spec");
  const runtime::JsonValue& param_kind = ObjectAt(spec, "paramKind");
  AdmissionPolicy policy{
      .name = std::string(Metadata(object, "name")),
      .constraints = ParseMatchResources(ObjectAt(spec, "matchConstraints"), "resourceRules"),
      .param_version = StringAt(param_kind, "apiVersion"),
      .param_kind = StringAt(param_kind, "kind"),
      .ignore_failure = runtime::GetString(spec, "failurePolicy") == "Ignore"};
  ExpressionScope scope{.params = !policy.param_kind.empty(), .composed = cel::ObjectFields()};
  for (const runtime::JsonValue& variable : ListAt(spec, "variables").GetArray()) {
    const std::string name = StringAt(variable, "name");
    policy.variables.push_back({.name = name,
                                .expression = CompileExpression(StringAt(variable, "expression"),
                                                                ExpressionType::kAny, scope)});
    (*scope.composed)[name] = ComposedType(policy.variables.back().expression);
  }
  ExpressionScope message_scope = scope;
  message_scope.authorizer = false;
  policy.conditions = MatchConditions(ListAt(spec, "matchConditions"), scope);
  for (const runtime::JsonValue& validation : ListAt(spec, "validations").GetArray()) {
    policy.validations.push_back(ParseValidation(validation, scope, message_scope));
  }
  for (const runtime::JsonValue& annotation : ListAt(spec, "auditAnnotations").GetArray()) {
    policy.audit_annotations.push_back(
        {.name = StringAt(annotation, "key"),
         .expression = CompileExpression(StringAt(annotation, "valueExpression"),
                                         ExpressionType::kTextOrNull, scope)});
  }
  return policy;
}

PolicyBinding ParsePolicyBinding(const runtime::JsonValue& object) {
  const runtime::JsonValue& spec = ObjectAt(object, "spec");
  const auto actions = TextsAt(spec, "validationActions");
  PolicyBinding binding{.name = std::string(Metadata(object, "name")),
                        .policy = StringAt(spec, "policyName"),
                        .deny = HasText(actions, "Deny"),
                        .warn = HasText(actions, "Warn")};
  if (const auto* const params = runtime::FindNonNull(spec, "paramRef")) {
    binding.params = {.name = StringAt(*params, "name"),
                      .namespace_ = StringAt(*params, "namespace"),
                      .selector = ParseLabelSelector(ObjectAt(*params, "selector")),
                      .deny_if_missing = StringAt(*params, "parameterNotFoundAction") == "Deny"};
  }
  if (const auto* const resources = runtime::FindNonNull(spec, "matchResources")) {
    binding.resources = ParseMatchResources(*resources, "resourceRules");
  }
  return binding;
}

void AdmissionPolicies::Update(const Resource& resource, const Event& event) {
  const bool deleted = event.type == EventType::kDeleted;
  if (resource.plural == "validatingadmissionpolicies") {
    policies_.erase(event.key);
    if (!deleted) {
      policies_[event.key] = std::make_shared<const AdmissionPolicy>(
          ParseAdmissionPolicy(*ParseObject(*event.object)));
    }
  } else if (resource.plural == "validatingadmissionpolicybindings") {
    bindings_.erase(event.key);
    if (!deleted) {
      bindings_[event.key] =
          std::make_shared<const PolicyBinding>(ParsePolicyBinding(*ParseObject(*event.object)));
    }
  } else {
    return;
  }
  bound_.clear();
  for (const auto& [name, policy] : policies_) {
    Bound bound{.policy = policy};
    for (const auto& [key, binding] : bindings_) {
      if (binding->policy == name) bound.bindings.push_back(binding);
    }
    if (!bound.bindings.empty()) bound_.push_back(std::move(bound));
  }
}

bool AdmissionPolicies::MayMatch(const Resource& resource) const {
  if (bound_.empty() || IsAdmissionConfiguration(resource)) return false;
  return std::any_of(bound_.begin(), bound_.end(), [&](const Bound& bound) {
    return bound.policy->constraints.MayMatch(resource);
  });
}

}  // namespace capstan::testing::apiserver
