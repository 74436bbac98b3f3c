// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include "capstan/api/resource/v1/resource_claim_spec.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/object_meta.h"

namespace capstan::api::resource::v1 {

// ResourceClaimTemplateSpec contains the metadata and fields for a ResourceClaim.
struct CAPSTAN_EXPORT ResourceClaimTemplateSpec {
  // ObjectMeta may contain labels and annotations that will be copied into the ResourceClaim when
  // creating it. No other fields are allowed and will be rejected during validation.
  ObjectMeta metadata = {};
  // Spec for the ResourceClaim. The entire content is copied unchanged into the ResourceClaim that
  // gets created from this template. The same fields as in a ResourceClaim are also valid here.
  ResourceClaimSpec spec = {};
};
CAPSTAN_EXPORT bool operator==(const ResourceClaimTemplateSpec& a,
                               const ResourceClaimTemplateSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ResourceClaimTemplateSpec*);

// ResourceClaimTemplate is used to produce ResourceClaim objects.
struct CAPSTAN_EXPORT ResourceClaimTemplate {
  // Standard object metadata
  ObjectMeta metadata = {};
  // Describes the ResourceClaim that is to be generated.
  // This field is immutable. A ResourceClaim will get created by the control plane for a Pod when
  // needed and then not get updated anymore.
  ResourceClaimTemplateSpec spec = {};
};
CAPSTAN_EXPORT bool operator==(const ResourceClaimTemplate& a, const ResourceClaimTemplate& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ResourceClaimTemplate*);

}  // namespace capstan::api::resource::v1

template <>
inline constexpr auto capstan::kKind<capstan::api::resource::v1::ResourceClaimTemplate> =
    capstan::Kind("resource.k8s.io", "v1", "ResourceClaimTemplate", "resourceclaimtemplates")
        .Namespaced()
        .Whole()
        .Spec();
