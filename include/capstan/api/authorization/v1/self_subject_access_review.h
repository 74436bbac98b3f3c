// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include "capstan/api/authorization/v1/non_resource_attributes.h"
#include "capstan/api/authorization/v1/resource_attributes.h"
#include "capstan/api/authorization/v1/subject_access_review_status.h"
#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/object_meta.h"

namespace capstan::api::authorization::v1 {

// SelfSubjectAccessReviewSpec is a description of the access request.  Exactly one of
// resourceAttributes and nonResourceAttributes must be set
struct CAPSTAN_EXPORT SelfSubjectAccessReviewSpec {
  // resourceAttributes describes information for a resource access request
  Boxed<ResourceAttributes> resource_attributes = {};
  // nonResourceAttributes describes information for a non-resource access request
  Boxed<NonResourceAttributes> non_resource_attributes = {};
};
CAPSTAN_EXPORT bool operator==(const SelfSubjectAccessReviewSpec& a,
                               const SelfSubjectAccessReviewSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const SelfSubjectAccessReviewSpec*);

// SelfSubjectAccessReview checks whether or the current user can perform an action.  Not filling in
// a spec.namespace means "in all namespaces".  Self is a special case, because users should always
// be able to check whether they can perform an action
struct CAPSTAN_EXPORT SelfSubjectAccessReview {
  // metadata is the standard list metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // spec holds information about the request being evaluated.  user and groups must be empty
  SelfSubjectAccessReviewSpec spec = {};
  // status is filled in by the server and indicates whether the request is allowed or not
  SubjectAccessReviewStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const SelfSubjectAccessReview& a, const SelfSubjectAccessReview& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const SelfSubjectAccessReview*);

}  // namespace capstan::api::authorization::v1

template <>
inline constexpr auto capstan::kKind<capstan::api::authorization::v1::SelfSubjectAccessReview> =
    capstan::Kind("authorization.k8s.io", "v1", "SelfSubjectAccessReview",
                  "selfsubjectaccessreviews")
        .ClusterScoped()
        .Whole()
        .Spec()
        .Status();
