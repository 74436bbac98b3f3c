// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>

#include "capstan/detail/layout.h"
#include "capstan/export.h"

namespace capstan::api::authorization::v1 {

// SubjectAccessReviewStatus
struct CAPSTAN_EXPORT SubjectAccessReviewStatus {
  // allowed is required. True if the action would be allowed, false otherwise.
  bool allowed = {};
  // denied is optional. True if the action would be denied, otherwise false. If both allowed is
  // false and denied is false, then the authorizer has no opinion on whether to authorize the
  // action. Denied may not be true if Allowed is true.
  bool denied = {};
  // reason is optional.  It indicates why a request was allowed or denied.
  std::string reason = {};
  // evaluationError is an indication that some error occurred during the authorization check. It is
  // entirely possible to get an error and be able to continue determine authorization status in
  // spite of it. For instance, RBAC can be missing a role, but enough roles are still present and
  // bound to reason about the request.
  std::string evaluation_error = {};
};
CAPSTAN_EXPORT bool operator==(const SubjectAccessReviewStatus& a,
                               const SubjectAccessReviewStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const SubjectAccessReviewStatus*);

}  // namespace capstan::api::authorization::v1
