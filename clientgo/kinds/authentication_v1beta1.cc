// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2.
#include "capstan/api/authentication/v1beta1/self_subject_review.h"
#include "capstan/generated.h"

// clang-format off
namespace capstan::api::authentication::v1beta1 {

CAPSTAN_LAYOUT(SelfSubjectReviewStatus,
    CAPSTAN_FIELD(SelfSubjectReviewStatus, "userInfo", user_info))

CAPSTAN_LAYOUT(SelfSubjectReview,
    CAPSTAN_PART(SelfSubjectReview, "metadata", metadata, kMetadata),
    CAPSTAN_PART(SelfSubjectReview, "status", status, kStatus))

}  // namespace capstan::api::authentication::v1beta1

