// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include "capstan/api/authentication/v1/user_info.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/object_meta.h"

namespace capstan::api::authentication::v1beta1 {

// SelfSubjectReviewStatus is filled by the kube-apiserver and sent back to a user.
struct CAPSTAN_EXPORT SelfSubjectReviewStatus {
  // userInfo is a set of attributes belonging to the user making this request.
  authentication::v1::UserInfo user_info = {};
};
CAPSTAN_EXPORT bool operator==(const SelfSubjectReviewStatus& a, const SelfSubjectReviewStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const SelfSubjectReviewStatus*);

// SelfSubjectReview contains the user information that the kube-apiserver has about the user making
// this request. When using impersonation, users will receive the user info of the user being
// impersonated.  If impersonation or request header authentication is used, any extra keys will
// have their case ignored and returned as lowercase.
struct CAPSTAN_EXPORT SelfSubjectReview {
  // metadata is the standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // status is filled in by the server with the user attributes.
  SelfSubjectReviewStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const SelfSubjectReview& a, const SelfSubjectReview& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const SelfSubjectReview*);

}  // namespace capstan::api::authentication::v1beta1

template <>
inline constexpr auto capstan::kKind<capstan::api::authentication::v1beta1::SelfSubjectReview> =
    capstan::Kind("authentication.k8s.io", "v1beta1", "SelfSubjectReview", "selfsubjectreviews")
        .ClusterScoped()
        .Whole()
        .Status();
