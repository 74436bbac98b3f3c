// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "capstan/api/admissionregistration/v1/match_resources.h"
#include "capstan/api/admissionregistration/v1/param_ref.h"
#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/object_meta.h"

namespace capstan::api::admissionregistration::v1 {

// ValidationAction specifies a policy enforcement action.
// Deny specifies that a validation failure results in a denied request.
inline constexpr std::string_view kDeny = "Deny";
// Warn specifies that a validation failure is reported to the request client in HTTP Warning
// headers, with a warning code of 299. Warnings can be sent both for allowed or denied admission
// responses.
inline constexpr std::string_view kWarn = "Warn";
// Audit specifies that a validation failure is included in the published audit event for the
// request. The audit event will contain a `validation.policy.admission.k8s.io/validation_failure`
// audit annotation with a value containing the details of the validation failure.
inline constexpr std::string_view kAudit = "Audit";

// ValidatingAdmissionPolicyBindingSpec is the specification of the
// ValidatingAdmissionPolicyBinding.
struct CAPSTAN_EXPORT ValidatingAdmissionPolicyBindingSpec {
  // policyName references a ValidatingAdmissionPolicy name which the
  // ValidatingAdmissionPolicyBinding binds to. If the referenced resource does not exist, this
  // binding is considered invalid and will be ignored Required.
  std::string policy_name = {};
  // paramRef specifies the parameter resource used to configure the admission control policy. It
  // should point to a resource of the type specified in ParamKind of the bound
  // ValidatingAdmissionPolicy. If the policy specifies a ParamKind and the resource referred to by
  // ParamRef does not exist, this binding is considered mis-configured and the FailurePolicy of the
  // ValidatingAdmissionPolicy applied. If the policy does not specify a ParamKind then this field
  // is ignored, and the rules are evaluated without a param.
  Boxed<ParamRef> param_ref = {};
  // matchResources declares what resources match this binding and will be validated by it. Note
  // that this is intersected with the policy's matchConstraints, so only requests that are matched
  // by the policy can be selected by this. If this is unset, all resources matched by the policy
  // are validated by this binding When resourceRules is unset, it does not constrain resource
  // matching. If a resource is matched by the other fields of this object, it will be validated.
  // Note that this is differs from ValidatingAdmissionPolicy matchConstraints, where resourceRules
  // are required.
  Boxed<MatchResources> match_resources = {};
  // validationActions declares how Validations of the referenced ValidatingAdmissionPolicy are
  // enforced. If a validation evaluates to false it is always enforced according to these actions.
  // Failures defined by the ValidatingAdmissionPolicy's FailurePolicy are enforced according to
  // these actions only if the FailurePolicy is set to Fail, otherwise the failures are ignored.
  // This includes compilation errors, runtime errors and misconfigurations of the policy.
  // validationActions is declared as a set of action values. Order does not matter.
  // validationActions may not contain duplicates of the same action.
  // The supported actions values are:
  // "Deny" specifies that a validation failure results in a denied request.
  // "Warn" specifies that a validation failure is reported to the request client in HTTP Warning
  // headers, with a warning code of 299. Warnings can be sent both for allowed or denied admission
  // responses.
  // "Audit" specifies that a validation failure is included in the published audit event for the
  // request. The audit event will contain a `validation.policy.admission.k8s.io/validation_failure`
  // audit annotation with a value containing the details of the validation failures, formatted as a
  // JSON list of objects, each with the following fields:
  // - message: The validation failure message string
  // - policy: The resource name of the ValidatingAdmissionPolicy
  // - binding: The resource name of the ValidatingAdmissionPolicyBinding
  // - expressionIndex: The index of the failed validations in the ValidatingAdmissionPolicy
  // - validationActions: The enforcement actions enacted for the validation failure Example audit
  // annotation: `"validation.policy.admission.k8s.io/validation_failure": "[{\"message\": \"Invalid
  // value\", {\"policy\": \"policy.example.com\", {\"binding\": \"policybinding.example.com\",
  // {\"expressionIndex\": \"1\", {\"validationActions\": [\"Audit\"]}]"`
  // Clients should expect to handle additional values by ignoring any values not recognized.
  // "Deny" and "Warn" may not be used together since this combination needlessly duplicates the
  // validation failure both in the API response body and the HTTP warning headers.
  // Required.
  std::vector<std::string> validation_actions = {};
};
CAPSTAN_EXPORT bool operator==(const ValidatingAdmissionPolicyBindingSpec& a,
                               const ValidatingAdmissionPolicyBindingSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ValidatingAdmissionPolicyBindingSpec*);

// ValidatingAdmissionPolicyBinding binds the ValidatingAdmissionPolicy with paramerized resources.
// ValidatingAdmissionPolicyBinding and parameter CRDs together define how cluster administrators
// configure policies for clusters.
// For a given admission request, each binding will cause its policy to be evaluated N times, where
// N is 1 for policies/bindings that don't use params, otherwise N is the number of parameters
// selected by the binding.
// The CEL expressions of a policy must have a computed CEL cost below the maximum CEL budget. Each
// evaluation of the policy is given an independent CEL cost budget. Adding/removing policies,
// bindings, or params can not affect whether a given (policy, binding, param) combination is within
// its own CEL budget.
struct CAPSTAN_EXPORT ValidatingAdmissionPolicyBinding {
  // metadata is the standard object metadata; More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata.
  ObjectMeta metadata = {};
  // spec defines the desired behavior of the ValidatingAdmissionPolicyBinding.
  ValidatingAdmissionPolicyBindingSpec spec = {};
};
CAPSTAN_EXPORT bool operator==(const ValidatingAdmissionPolicyBinding& a,
                               const ValidatingAdmissionPolicyBinding& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ValidatingAdmissionPolicyBinding*);

}  // namespace capstan::api::admissionregistration::v1

template <>
inline constexpr auto
    capstan::kKind<capstan::api::admissionregistration::v1::ValidatingAdmissionPolicyBinding> =
        capstan::Kind("admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicyBinding",
                      "validatingadmissionpolicybindings")
            .ClusterScoped()
            .Whole()
            .Spec();
