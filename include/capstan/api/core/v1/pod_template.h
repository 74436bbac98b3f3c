// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include "capstan/api/core/v1/pod_template_spec.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/object_meta.h"

namespace capstan::api::core::v1 {

// PodTemplate describes a template for creating copies of a predefined pod.
struct CAPSTAN_EXPORT PodTemplate {
  // Standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // Template defines the pods that will be created from this pod template.
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  PodTemplateSpec template_ = {};
};
CAPSTAN_EXPORT bool operator==(const PodTemplate& a, const PodTemplate& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PodTemplate*);

}  // namespace capstan::api::core::v1

template <>
inline constexpr auto capstan::kKind<capstan::api::core::v1::PodTemplate> =
    capstan::Kind("", "v1", "PodTemplate", "podtemplates").Namespaced().Whole();
