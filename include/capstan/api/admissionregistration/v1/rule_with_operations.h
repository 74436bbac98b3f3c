// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/list.h"

namespace capstan::api::admissionregistration::v1 {

// RuleWithOperations is a tuple of Operations and Resources. It is recommended to make sure that
// all the tuple expansions are valid.
struct CAPSTAN_EXPORT RuleWithOperations {
  // operations is the operations the admission hook cares about - CREATE, UPDATE, DELETE, CONNECT
  // or * for all of those operations and any future admission operations that are added. If '*' is
  // present, the length of the slice must be one. Required.
  std::vector<std::string> operations = {};
  // apiGroups is the API groups the resources belong to. '*' is all groups. If '*' is present, the
  // length of the slice must be one. Required.
  std::vector<std::string> api_groups = {};
  // apiVersions is the API versions the resources belong to. '*' is all versions. If '*' is
  // present, the length of the slice must be one. Required.
  std::vector<std::string> api_versions = {};
  // resources is a list of resources this rule applies to.
  // For example: 'pods' means pods. 'pods/log' means the log subresource of pods. '*' means all
  // resources, but not subresources. 'pods/*' means all subresources of pods. '*/scale' means all
  // scale subresources. '*/*' means all resources and their subresources.
  // If wildcard is present, the validation rule will ensure resources do not overlap with each
  // other.
  // Depending on the enclosing object, subresources might not be allowed. Required.
  std::vector<std::string> resources = {};
  // scope specifies the scope of this rule. Valid values are "Cluster", "Namespaced", and "*"
  // "Cluster" means that only cluster-scoped resources will match this rule. Namespace API objects
  // are cluster-scoped. "Namespaced" means that only namespaced resources will match this rule. "*"
  // means that there are no scope restrictions. Subresources match the scope of their parent
  // resource. Default is "*".
  std::optional<std::string> scope = {};
};
CAPSTAN_EXPORT bool operator==(const RuleWithOperations& a, const RuleWithOperations& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const RuleWithOperations*);

}  // namespace capstan::api::admissionregistration::v1

extern template class capstan::List<capstan::api::admissionregistration::v1::RuleWithOperations>;
