// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include "capstan/api/authorization/v1/subject_access_review_spec.h"
#include "capstan/api/authorization/v1/subject_access_review_status.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/object_meta.h"

namespace capstan::api::authorization::v1 {

// SubjectAccessReview checks whether or not a user or group can perform an action.
struct CAPSTAN_EXPORT SubjectAccessReview {
  // metadata is the standard list metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // spec holds information about the request being evaluated
  SubjectAccessReviewSpec spec = {};
  // status is filled in by the server and indicates whether the request is allowed or not
  SubjectAccessReviewStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const SubjectAccessReview& a, const SubjectAccessReview& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const SubjectAccessReview*);

}  // namespace capstan::api::authorization::v1

template <>
inline constexpr auto capstan::kKind<capstan::api::authorization::v1::SubjectAccessReview> =
    capstan::Kind("authorization.k8s.io", "v1", "SubjectAccessReview", "subjectaccessreviews")
        .ClusterScoped()
        .Whole()
        .Spec()
        .Status();
