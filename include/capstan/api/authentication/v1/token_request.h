// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/object_meta.h"
#include "capstan/time.h"

namespace capstan::api::authentication::v1 {

// BoundObjectReference is a reference to an object that a token is bound to.
struct CAPSTAN_EXPORT BoundObjectReference {
  // kind of the referent. Valid kinds are 'Pod', 'Secret', 'Node',
  // 'ValidatingWebhookConfiguration', and 'MutatingWebhookConfiguration'.
  std::string kind = {};
  // apiVersion is API version of the referent.
  std::string api_version = {};
  // name of the referent.
  std::string name = {};
  // uid of the referent.
  std::string uid = {};
};
CAPSTAN_EXPORT bool operator==(const BoundObjectReference& a, const BoundObjectReference& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const BoundObjectReference*);

// TokenRequestSpec contains client provided parameters of a token request.
struct CAPSTAN_EXPORT TokenRequestSpec {
  // audiences are the intendend audiences of the token. A recipient of a token must identify
  // themself with an identifier in the list of audiences of the token, and otherwise should reject
  // the token. A token issued for multiple audiences may be used to authenticate against any of the
  // audiences listed but implies a high degree of trust between the target audiences.
  std::vector<std::string> audiences = {};
  // expirationSeconds is the requested duration of validity of the request. The token issuer may
  // return a token with a different validity duration so a client needs to check the 'expiration'
  // field in a response.
  std::optional<std::int64_t> expiration_seconds = {};
  // boundObjectRef is a reference to an object that the token will be bound to. The token will only
  // be valid for as long as the bound object exists. NOTE: The API server's TokenReview endpoint
  // will validate the BoundObjectRef, but other audiences may not. Keep ExpirationSeconds small if
  // you want prompt revocation.
  Boxed<BoundObjectReference> bound_object_ref = {};
  // attestations is a map of well-known keys to string-slice values. The values for each key have a
  // specific semantic meaning, which is documented on the key definition. Requesters of tokens may
  // ask the Kubernetes API Server to attest to certain claims. The API Server may perform
  // authorization checks depending on the key of this map.
  std::map<std::string, std::vector<std::string>> attestations = {};
};
CAPSTAN_EXPORT bool operator==(const TokenRequestSpec& a, const TokenRequestSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const TokenRequestSpec*);

// TokenRequestStatus is the result of a token request.
struct CAPSTAN_EXPORT TokenRequestStatus {
  // token is the opaque bearer token.
  std::string token = {};
  // expirationTimestamp is the time of expiration of the returned token.
  std::optional<Time> expiration_timestamp = {};
};
CAPSTAN_EXPORT bool operator==(const TokenRequestStatus& a, const TokenRequestStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const TokenRequestStatus*);

// TokenRequest requests a token for a given service account.
struct CAPSTAN_EXPORT TokenRequest {
  // metadata is the standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // spec holds information about the request being evaluated
  TokenRequestSpec spec = {};
  // status is filled in by the server and indicates whether the token can be authenticated.
  TokenRequestStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const TokenRequest& a, const TokenRequest& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const TokenRequest*);

}  // namespace capstan::api::authentication::v1

extern template class capstan::Boxed<capstan::api::authentication::v1::BoundObjectReference>;
