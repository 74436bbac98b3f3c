// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <map>
#include <string>

#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/list.h"
#include "capstan/quantity.h"

namespace capstan::api::core::v1 {

// ResourceClaim references one entry in PodSpec.ResourceClaims.
struct CAPSTAN_EXPORT ResourceClaim {
  // Name must match the name of one entry in pod.spec.resourceClaims of the Pod where this field is
  // used. It makes that resource available inside a container.
  std::string name = {};
  // Request is the name chosen for a request in the referenced claim. If empty, everything from the
  // claim is made available, otherwise only the result of this request.
  std::string request = {};
};
CAPSTAN_EXPORT bool operator==(const ResourceClaim& a, const ResourceClaim& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ResourceClaim*);

// ResourceRequirements describes the compute resource requirements.
struct CAPSTAN_EXPORT ResourceRequirements {
  // Limits describes the maximum amount of compute resources allowed. More info:
  // https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/
  std::map<std::string, Quantity> limits = {};
  // Requests describes the minimum amount of compute resources required. If Requests is omitted for
  // a container, it defaults to Limits if that is explicitly specified, otherwise to an
  // implementation-defined value. Requests cannot exceed Limits. More info:
  // https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/
  std::map<std::string, Quantity> requests = {};
  // Claims lists the names of resources, defined in spec.resourceClaims, that are used by this
  // container.
  // This field depends on the DynamicResourceAllocation feature gate.
  // This field is immutable. It can only be set for containers.
  List<ResourceClaim> claims = {};
};
CAPSTAN_EXPORT bool operator==(const ResourceRequirements& a, const ResourceRequirements& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ResourceRequirements*);

}  // namespace capstan::api::core::v1

extern template class capstan::List<capstan::api::core::v1::ResourceClaim>;
extern template class capstan::Boxed<capstan::api::core::v1::ResourceRequirements>;
