// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2.
#include "capstan/api/authentication/v1/self_subject_review.h"
#include "capstan/api/authentication/v1/token_request.h"
#include "capstan/api/authentication/v1/token_review.h"
#include "capstan/api/authentication/v1/user_info.h"
#include "capstan/generated.h"

// clang-format off
namespace capstan::api::authentication::v1 {

CAPSTAN_LAYOUT(SelfSubjectReviewStatus,
    CAPSTAN_FIELD(SelfSubjectReviewStatus, "userInfo", user_info))

CAPSTAN_LAYOUT(SelfSubjectReview,
    CAPSTAN_PART(SelfSubjectReview, "metadata", metadata, kMetadata),
    CAPSTAN_PART(SelfSubjectReview, "status", status, kStatus))

CAPSTAN_LAYOUT(BoundObjectReference,
    CAPSTAN_FIELD(BoundObjectReference, "kind", kind),
    CAPSTAN_FIELD(BoundObjectReference, "apiVersion", api_version),
    CAPSTAN_FIELD(BoundObjectReference, "name", name),
    CAPSTAN_FIELD(BoundObjectReference, "uid", uid))

CAPSTAN_LAYOUT(TokenRequestSpec,
    CAPSTAN_REQUIRED(TokenRequestSpec, "audiences", audiences),
    CAPSTAN_REQUIRED(TokenRequestSpec, "expirationSeconds", expiration_seconds),
    CAPSTAN_REQUIRED(TokenRequestSpec, "boundObjectRef", bound_object_ref),
    CAPSTAN_FIELD(TokenRequestSpec, "attestations", attestations))

CAPSTAN_LAYOUT(TokenRequestStatus,
    CAPSTAN_REQUIRED(TokenRequestStatus, "token", token),
    CAPSTAN_REQUIRED(TokenRequestStatus, "expirationTimestamp", expiration_timestamp))

CAPSTAN_LAYOUT(TokenRequest,
    CAPSTAN_PART(TokenRequest, "metadata", metadata, kMetadata),
    CAPSTAN_PART(TokenRequest, "spec", spec, kSpec),
    CAPSTAN_PART(TokenRequest, "status", status, kStatus))

CAPSTAN_LAYOUT(TokenReviewSpec,
    CAPSTAN_FIELD(TokenReviewSpec, "token", token),
    CAPSTAN_FIELD(TokenReviewSpec, "audiences", audiences))

CAPSTAN_LAYOUT(TokenReviewStatus,
    CAPSTAN_NUMBER(TokenReviewStatus, "authenticated", authenticated),
    CAPSTAN_FIELD(TokenReviewStatus, "user", user),
    CAPSTAN_FIELD(TokenReviewStatus, "audiences", audiences),
    CAPSTAN_FIELD(TokenReviewStatus, "error", error))

CAPSTAN_LAYOUT(TokenReview,
    CAPSTAN_PART(TokenReview, "metadata", metadata, kMetadata),
    CAPSTAN_PART(TokenReview, "spec", spec, kSpec),
    CAPSTAN_PART(TokenReview, "status", status, kStatus))

CAPSTAN_LAYOUT(UserInfo,
    CAPSTAN_FIELD(UserInfo, "username", username),
    CAPSTAN_FIELD(UserInfo, "uid", uid),
    CAPSTAN_FIELD(UserInfo, "groups", groups),
    CAPSTAN_FIELD(UserInfo, "extra", extra))

}  // namespace capstan::api::authentication::v1

template class capstan::Boxed<capstan::api::authentication::v1::BoundObjectReference>;
