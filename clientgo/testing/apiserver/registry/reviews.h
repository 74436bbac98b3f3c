// SPDX-License-Identifier: Apache-2.0
// Reviews are questions to the API server that have the form of objects. They are created and never
// stored: who has a token (TokenReview), who am I (SelfSubjectReview), what may somebody or I do
// (SubjectAccessReview, LocalSubjectAccessReview, SelfSubjectAccessReview, SelfSubjectRulesReview).
// Mirrors k8s.io/kubernetes/pkg/registry/{authentication,authorization}. Differs: no admission
// webhook is called for them, and field and label selectors in attributes are not checked.
#pragma once

#include <string_view>

#include "clientgo/testing/apiserver/authentication/authenticator.h"
#include "clientgo/testing/apiserver/authorization/authorizer.h"
#include "clientgo/testing/apiserver/registry/registry.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

struct Reviewer {
  const Authenticator& authenticator;
  const Authorizer& authorizer;
  const UserInfo& user;  // who asks
};

// Returns the review in `body` with its answer. REQUIRES: request.resource->review.
Result<Written> Review(const Reviewer& reviewer, const WriteRequest& request,
                       std::string_view body);

}  // namespace capstan::testing::apiserver
