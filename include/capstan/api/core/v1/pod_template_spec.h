// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include "capstan/api/core/v1/pod_spec.h"
#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/object_meta.h"

namespace capstan::api::core::v1 {

// PodTemplateSpec describes the data a pod should have when created from a template
struct CAPSTAN_EXPORT PodTemplateSpec {
  // Standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // Specification of the desired behavior of the pod. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  PodSpec spec = {};
};
CAPSTAN_EXPORT bool operator==(const PodTemplateSpec& a, const PodTemplateSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PodTemplateSpec*);

}  // namespace capstan::api::core::v1

extern template class capstan::Boxed<capstan::api::core::v1::PodTemplateSpec>;
