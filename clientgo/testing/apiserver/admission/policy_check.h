// SPDX-License-Identifier: Apache-2.0
// CheckPolicies decides whether the stored ValidatingAdmissionPolicies allow a request. Mirrors
// k8s.io/apiserver/pkg/admission/plugin/policy/validating/{dispatcher,validator}.go and
// CollectParams of plugin/policy/generic. Differs: the action Audit and the values of
// auditAnnotations have no effect, because this server has no audit log.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "clientgo/testing/apiserver/admission/policies.h"
#include "clientgo/testing/apiserver/decoding/custom_resources.h"
#include "clientgo/testing/apiserver/storage/storage.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

// PolicyContext is what policies read beside the request.
struct PolicyContext {
  const Storage& storage;
  const CustomResources& resources;
  MatchResources::NamespaceLabels namespace_labels;
  // Returns the namespace of the request; null if there is none.
  std::function<const runtime::JsonValue*()> namespace_object;
  // Returns the request with its objects in a version.
  std::function<Result<const AdmissionInput*>(const Resource& version)> input;
};

// Returns the first denial. Adds a warning for each validation that fails with the action Warn.
Result<void> CheckPolicies(const AdmissionPolicies& policies, const AdmissionAttributes& attributes,
                           const PolicyContext& context, std::vector<std::string>& warnings);

// Returns the name of the object of a request in an error: that of the object, or "Unknown".
std::string NameInErrors(const AdmissionAttributes& attributes);

}  // namespace capstan::testing::apiserver
