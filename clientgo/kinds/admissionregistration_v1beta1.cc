// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2.
#include "capstan/api/admissionregistration/v1beta1/match_condition.h"
#include "capstan/api/admissionregistration/v1beta1/match_resources.h"
#include "capstan/api/admissionregistration/v1beta1/mutating_admission_policy.h"
#include "capstan/api/admissionregistration/v1beta1/mutating_admission_policy_binding.h"
#include "capstan/api/admissionregistration/v1beta1/param_kind.h"
#include "capstan/api/admissionregistration/v1beta1/param_ref.h"
#include "capstan/api/admissionregistration/v1beta1/validating_admission_policy.h"
#include "capstan/api/admissionregistration/v1beta1/validating_admission_policy_binding.h"
#include "capstan/api/admissionregistration/v1beta1/variable.h"
#include "capstan/generated.h"

// clang-format off
namespace capstan::api::admissionregistration::v1beta1 {

CAPSTAN_LAYOUT(MatchCondition,
    CAPSTAN_REQUIRED(MatchCondition, "name", name),
    CAPSTAN_REQUIRED(MatchCondition, "expression", expression))

CAPSTAN_LAYOUT(NamedRuleWithOperations,
    CAPSTAN_FIELD(NamedRuleWithOperations, "resourceNames", resource_names),
    CAPSTAN_FIELD(NamedRuleWithOperations, "operations", operations),
    CAPSTAN_FIELD(NamedRuleWithOperations, "apiGroups", api_groups),
    CAPSTAN_FIELD(NamedRuleWithOperations, "apiVersions", api_versions),
    CAPSTAN_FIELD(NamedRuleWithOperations, "resources", resources),
    CAPSTAN_FIELD(NamedRuleWithOperations, "scope", scope))

CAPSTAN_LAYOUT(MatchResources,
    CAPSTAN_FIELD(MatchResources, "namespaceSelector", namespace_selector),
    CAPSTAN_FIELD(MatchResources, "objectSelector", object_selector),
    CAPSTAN_FIELD(MatchResources, "resourceRules", resource_rules),
    CAPSTAN_FIELD(MatchResources, "excludeResourceRules", exclude_resource_rules),
    CAPSTAN_FIELD(MatchResources, "matchPolicy", match_policy))

CAPSTAN_LAYOUT(ApplyConfiguration,
    CAPSTAN_FIELD(ApplyConfiguration, "expression", expression))

CAPSTAN_LAYOUT(JSONPatch,
    CAPSTAN_FIELD(JSONPatch, "expression", expression))

CAPSTAN_LAYOUT(Mutation,
    CAPSTAN_REQUIRED(Mutation, "patchType", patch_type),
    CAPSTAN_FIELD(Mutation, "applyConfiguration", apply_configuration),
    CAPSTAN_FIELD(Mutation, "jsonPatch", json_patch))

CAPSTAN_LAYOUT(MutatingAdmissionPolicySpec,
    CAPSTAN_FIELD(MutatingAdmissionPolicySpec, "paramKind", param_kind),
    CAPSTAN_FIELD(MutatingAdmissionPolicySpec, "matchConstraints", match_constraints),
    CAPSTAN_FIELD(MutatingAdmissionPolicySpec, "variables", variables),
    CAPSTAN_FIELD(MutatingAdmissionPolicySpec, "mutations", mutations),
    CAPSTAN_FIELD(MutatingAdmissionPolicySpec, "failurePolicy", failure_policy),
    CAPSTAN_FIELD(MutatingAdmissionPolicySpec, "matchConditions", match_conditions),
    CAPSTAN_FIELD(MutatingAdmissionPolicySpec, "reinvocationPolicy", reinvocation_policy))

CAPSTAN_LAYOUT(MutatingAdmissionPolicy,
    CAPSTAN_PART(MutatingAdmissionPolicy, "metadata", metadata, kMetadata),
    CAPSTAN_PART(MutatingAdmissionPolicy, "spec", spec, kSpec))

CAPSTAN_LAYOUT(MutatingAdmissionPolicyBindingSpec,
    CAPSTAN_FIELD(MutatingAdmissionPolicyBindingSpec, "policyName", policy_name),
    CAPSTAN_FIELD(MutatingAdmissionPolicyBindingSpec, "paramRef", param_ref),
    CAPSTAN_FIELD(MutatingAdmissionPolicyBindingSpec, "matchResources", match_resources))

CAPSTAN_LAYOUT(MutatingAdmissionPolicyBinding,
    CAPSTAN_PART(MutatingAdmissionPolicyBinding, "metadata", metadata, kMetadata),
    CAPSTAN_PART(MutatingAdmissionPolicyBinding, "spec", spec, kSpec))

CAPSTAN_LAYOUT(ParamKind,
    CAPSTAN_FIELD(ParamKind, "apiVersion", api_version),
    CAPSTAN_FIELD(ParamKind, "kind", kind))

CAPSTAN_LAYOUT(ParamRef,
    CAPSTAN_FIELD(ParamRef, "name", name),
    CAPSTAN_FIELD(ParamRef, "namespace", namespace_),
    CAPSTAN_FIELD(ParamRef, "selector", selector),
    CAPSTAN_FIELD(ParamRef, "parameterNotFoundAction", parameter_not_found_action))

CAPSTAN_LAYOUT(Validation,
    CAPSTAN_REQUIRED(Validation, "expression", expression),
    CAPSTAN_FIELD(Validation, "message", message),
    CAPSTAN_FIELD(Validation, "reason", reason),
    CAPSTAN_FIELD(Validation, "messageExpression", message_expression))

CAPSTAN_LAYOUT(AuditAnnotation,
    CAPSTAN_REQUIRED(AuditAnnotation, "key", key),
    CAPSTAN_REQUIRED(AuditAnnotation, "valueExpression", value_expression))

CAPSTAN_LAYOUT(ValidatingAdmissionPolicySpec,
    CAPSTAN_FIELD(ValidatingAdmissionPolicySpec, "paramKind", param_kind),
    CAPSTAN_FIELD(ValidatingAdmissionPolicySpec, "matchConstraints", match_constraints),
    CAPSTAN_FIELD(ValidatingAdmissionPolicySpec, "validations", validations),
    CAPSTAN_FIELD(ValidatingAdmissionPolicySpec, "failurePolicy", failure_policy),
    CAPSTAN_FIELD(ValidatingAdmissionPolicySpec, "auditAnnotations", audit_annotations),
    CAPSTAN_FIELD(ValidatingAdmissionPolicySpec, "matchConditions", match_conditions),
    CAPSTAN_FIELD(ValidatingAdmissionPolicySpec, "variables", variables))

CAPSTAN_LAYOUT(ExpressionWarning,
    CAPSTAN_REQUIRED(ExpressionWarning, "fieldRef", field_ref),
    CAPSTAN_REQUIRED(ExpressionWarning, "warning", warning))

CAPSTAN_LAYOUT(TypeChecking,
    CAPSTAN_FIELD(TypeChecking, "expressionWarnings", expression_warnings))

CAPSTAN_LAYOUT(ValidatingAdmissionPolicyStatus,
    CAPSTAN_NUMBER(ValidatingAdmissionPolicyStatus, "observedGeneration", observed_generation),
    CAPSTAN_FIELD(ValidatingAdmissionPolicyStatus, "typeChecking", type_checking),
    CAPSTAN_FIELD(ValidatingAdmissionPolicyStatus, "conditions", conditions))

CAPSTAN_LAYOUT(ValidatingAdmissionPolicy,
    CAPSTAN_PART(ValidatingAdmissionPolicy, "metadata", metadata, kMetadata),
    CAPSTAN_PART(ValidatingAdmissionPolicy, "spec", spec, kSpec),
    CAPSTAN_PART(ValidatingAdmissionPolicy, "status", status, kStatus))

CAPSTAN_LAYOUT(ValidatingAdmissionPolicyBindingSpec,
    CAPSTAN_FIELD(ValidatingAdmissionPolicyBindingSpec, "policyName", policy_name),
    CAPSTAN_FIELD(ValidatingAdmissionPolicyBindingSpec, "paramRef", param_ref),
    CAPSTAN_FIELD(ValidatingAdmissionPolicyBindingSpec, "matchResources", match_resources),
    CAPSTAN_FIELD(ValidatingAdmissionPolicyBindingSpec, "validationActions", validation_actions))

CAPSTAN_LAYOUT(ValidatingAdmissionPolicyBinding,
    CAPSTAN_PART(ValidatingAdmissionPolicyBinding, "metadata", metadata, kMetadata),
    CAPSTAN_PART(ValidatingAdmissionPolicyBinding, "spec", spec, kSpec))

CAPSTAN_LAYOUT(Variable,
    CAPSTAN_REQUIRED(Variable, "name", name),
    CAPSTAN_REQUIRED(Variable, "expression", expression))

}  // namespace capstan::api::admissionregistration::v1beta1

template class capstan::List<capstan::api::admissionregistration::v1beta1::MatchCondition>;
template class capstan::List<capstan::api::admissionregistration::v1beta1::NamedRuleWithOperations>;
template class capstan::Boxed<capstan::api::admissionregistration::v1beta1::MatchResources>;
template class capstan::Boxed<capstan::api::admissionregistration::v1beta1::ApplyConfiguration>;
template class capstan::Boxed<capstan::api::admissionregistration::v1beta1::JSONPatch>;
template class capstan::List<capstan::api::admissionregistration::v1beta1::Mutation>;
template class capstan::Boxed<capstan::api::admissionregistration::v1beta1::ParamKind>;
template class capstan::Boxed<capstan::api::admissionregistration::v1beta1::ParamRef>;
template class capstan::List<capstan::api::admissionregistration::v1beta1::Validation>;
template class capstan::List<capstan::api::admissionregistration::v1beta1::AuditAnnotation>;
template class capstan::List<capstan::api::admissionregistration::v1beta1::ExpressionWarning>;
template class capstan::Boxed<capstan::api::admissionregistration::v1beta1::TypeChecking>;
template class capstan::List<capstan::api::admissionregistration::v1beta1::Variable>;
