// SPDX-License-Identifier: Apache-2.0
// AdmissionPolicies are the stored ValidatingAdmissionPolicies with their bindings. Each version of
// an object is compiled once, when it is stored. Mirrors
// k8s.io/apiserver/pkg/admission/plugin/policy/{generic/policy_source.go,validating/plugin.go}.
// Differs: a policy takes effect at once.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/admission/match_conditions.h"
#include "clientgo/testing/apiserver/admission/matching.h"
#include "clientgo/testing/apiserver/storage/storage.h"

namespace capstan::testing::apiserver {

struct PolicyValidation {
  CompiledExpression expression = {};
  std::optional<CompiledExpression> message_expression = {};
  std::string message = {};
  std::string reason = {};  // empty: Invalid
};

struct AdmissionPolicy {
  std::string name = {};
  MatchResources constraints = {};
  std::string param_version = {};  // of paramKind
  std::string param_kind = {};     // empty: the policy has no parameters
  bool ignore_failure = false;
  NamedExpressions variables = {};
  MatchConditions conditions = {};
  std::vector<PolicyValidation> validations = {};
  NamedExpressions audit_annotations = {};  // by key
};

struct ParamRef {
  std::string name = {};  // empty: the selector counts
  std::string namespace_ = {};
  std::vector<LabelRequirement> selector = {};
  bool deny_if_missing = false;  // parameterNotFoundAction Deny
};

struct PolicyBinding {
  std::string name = {};
  std::string policy = {};
  std::optional<ParamRef> params = {};
  std::optional<MatchResources> resources = {};
  bool deny = false;  // validationActions
  bool warn = false;
};

AdmissionPolicy ParseAdmissionPolicy(const runtime::JsonValue& policy);
PolicyBinding ParsePolicyBinding(const runtime::JsonValue& binding);

class AdmissionPolicies {
 public:
  // A policy with its bindings, in the order of their names.
  struct Bound {
    std::shared_ptr<const AdmissionPolicy> policy = {};
    std::vector<std::shared_ptr<const PolicyBinding>> bindings = {};
  };

  // Follows a change of an object of group admissionregistration.k8s.io.
  void Update(const Resource& resource, const Event& event);
  // Reports whether a policy with a binding may match a write of this resource.
  bool MayMatch(const Resource& resource) const;
  // Returns the policies that have bindings, in the order of their names.
  const std::vector<Bound>& bound() const { return bound_; }

 private:
  std::map<std::string, std::shared_ptr<const AdmissionPolicy>, std::less<>> policies_;
  std::map<std::string, std::shared_ptr<const PolicyBinding>, std::less<>> bindings_;
  std::vector<Bound> bound_;
};

}  // namespace capstan::testing::apiserver
