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

// LocalSubjectAccessReview checks whether or not a user or group can perform an action in a given
// namespace. Having a namespace scoped resource makes it much easier to grant namespace scoped
// policy that includes permissions checking.
struct CAPSTAN_EXPORT LocalSubjectAccessReview {
  // metadata is the standard list metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // spec holds information about the request being evaluated.  spec.namespace must be equal to the
  // namespace you made the request against.  If empty, it is defaulted.
  SubjectAccessReviewSpec spec = {};
  // status is filled in by the server and indicates whether the request is allowed or not
  SubjectAccessReviewStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const LocalSubjectAccessReview& a,
                               const LocalSubjectAccessReview& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const LocalSubjectAccessReview*);

}  // namespace capstan::api::authorization::v1

template <>
inline constexpr auto capstan::kKind<capstan::api::authorization::v1::LocalSubjectAccessReview> =
    capstan::Kind("authorization.k8s.io", "v1", "LocalSubjectAccessReview",
                  "localsubjectaccessreviews")
        .Namespaced()
        .Whole()
        .Spec()
        .Status();
