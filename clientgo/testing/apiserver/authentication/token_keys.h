// SPDX-License-Identifier: Apache-2.0
// TokenKeys sign and verify JSON Web Tokens, in the compact form of RFC 7515: RS256 with an RSA
// key, and ES256, ES384 or ES512 with a key on the curve P-256, P-384 or P-521. The header of a
// token has the ID of its key. Mirrors k8s.io/kubernetes/pkg/serviceaccount/jwt.go and
// k8s.io/client-go/util/keyutil. Only this class sees keys; no error quotes one.
//
// Immutable, so thread-safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"
#include "clientgo/testing/apiserver/types/json.h"

namespace capstan::testing::apiserver {

class TokenKeys {
 public:
  // `signing_pem` has a private key. If it is empty, a new one is made. `verifying_pem` has more
  // keys whose tokens are accepted: public keys, private keys and certificates.
  static Expected<TokenKeys> New(std::string_view signing_pem, std::string_view verifying_pem);

  // Returns the token with these claims, which are the text of a JSON object. An error is one of
  // OpenSSL.
  Expected<std::string> Sign(std::string_view claims) const;
  // Returns the claims of a token with a valid signature, or why there are none.
  tl::expected<std::string, std::string> Verify(std::string_view token) const;
  // Returns the claims of a text in the form of a token, without a look at its signature. Returns
  // "" for other texts.
  static std::string UnverifiedClaims(std::string_view token);

 private:
  struct Key;
  using KeyPtr = std::shared_ptr<const Key>;

  std::vector<KeyPtr> keys_;  // the first one signs
};

}  // namespace capstan::testing::apiserver
