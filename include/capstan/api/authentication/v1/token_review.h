// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>
#include <vector>

#include "capstan/api/authentication/v1/user_info.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/object_meta.h"

namespace capstan::api::authentication::v1 {

// TokenReviewSpec is a description of the token authentication request.
struct CAPSTAN_EXPORT TokenReviewSpec {
  // token is the opaque bearer token.
  std::string token = {};
  // audiences is a list of the identifiers that the resource server presented with the token
  // identifies as. Audience-aware token authenticators will verify that the token was intended for
  // at least one of the audiences in this list. If no audiences are provided, the audience will
  // default to the audience of the Kubernetes apiserver.
  std::vector<std::string> audiences = {};
};
CAPSTAN_EXPORT bool operator==(const TokenReviewSpec& a, const TokenReviewSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const TokenReviewSpec*);

// TokenReviewStatus is the result of the token authentication request.
struct CAPSTAN_EXPORT TokenReviewStatus {
  // authenticated indicates that the token was associated with a known user.
  bool authenticated = {};
  // user is the UserInfo associated with the provided token.
  UserInfo user = {};
  // audiences are audience identifiers chosen by the authenticator that are compatible with both
  // the TokenReview and token. An identifier is any identifier in the intersection of the
  // TokenReviewSpec audiences and the token's audiences. A client of the TokenReview API that sets
  // the spec.audiences field should validate that a compatible audience identifier is returned in
  // the status.audiences field to ensure that the TokenReview server is audience aware. If a
  // TokenReview returns an empty status.audience field where status.authenticated is "true", the
  // token is valid against the audience of the Kubernetes API server.
  std::vector<std::string> audiences = {};
  // error indicates that the token couldn't be checked
  std::string error = {};
};
CAPSTAN_EXPORT bool operator==(const TokenReviewStatus& a, const TokenReviewStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const TokenReviewStatus*);

// TokenReview attempts to authenticate a token to a known user. Note: TokenReview requests may be
// cached by the webhook token authenticator plugin in the kube-apiserver.
struct CAPSTAN_EXPORT TokenReview {
  // metadata is the standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // spec holds information about the request being evaluated
  TokenReviewSpec spec = {};
  // status is filled in by the server and indicates whether the request can be authenticated.
  TokenReviewStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const TokenReview& a, const TokenReview& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const TokenReview*);

}  // namespace capstan::api::authentication::v1

template <>
inline constexpr auto capstan::kKind<capstan::api::authentication::v1::TokenReview> =
    capstan::Kind("authentication.k8s.io", "v1", "TokenReview", "tokenreviews")
        .ClusterScoped()
        .Whole()
        .Spec()
        .Status();
