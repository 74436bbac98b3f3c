// SPDX-License-Identifier: Apache-2.0
// The subresource token of service accounts: a TokenRequest is created and never stored. Mirrors
// k8s.io/kubernetes/pkg/registry/core/serviceaccount/storage/token.go. Differs: no webhook is
// called for it.
#pragma once

#include <string_view>

#include "clientgo/testing/apiserver/authentication/service_account_tokens.h"
#include "clientgo/testing/apiserver/registry/registry.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

// TokenIssuer is what a new token needs.
struct TokenIssuer {
  const Storage& storage;
  const ServiceAccountTokens& tokens;
  std::string id;  // of the token: a new UUID
};

// Returns the TokenRequest in `body` with a token for the service account request.name.
Result<Written> RequestToken(const TokenIssuer& issuer, const WriteRequest& request,
                             std::string_view body);

}  // namespace capstan::testing::apiserver
