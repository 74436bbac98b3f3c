// SPDX-License-Identifier: Apache-2.0
// ServiceAccountTokens issue and check the bound tokens of service accounts. A token is valid until
// it expires, or until its service account or the object that it is bound to is gone. Mirrors
// k8s.io/kubernetes/pkg/serviceaccount/claims.go and the authenticator of jwt.go.
//
// Differs: tokens in Secrets are not accepted, and there is no document for OpenID Connect.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"
#include "clientgo/testing/apiserver/authentication/token_keys.h"
#include "clientgo/testing/apiserver/authentication/user_info.h"
#include "clientgo/testing/apiserver/storage/storage.h"

namespace capstan::testing::apiserver {

// ObjectIdentity is an object in the claims of a token. An empty name means that there is none.
struct ObjectIdentity {
  std::string name = {};
  std::string uid = {};
};

// TokenClaims is what a token says.
struct TokenClaims {
  ServiceAccountName account = {};
  std::string account_uid = {};
  std::vector<std::string> audiences = {};
  std::string id = {};
  ObjectIdentity pod = {};
  ObjectIdentity secret = {};
  ObjectIdentity node = {};  // beside a pod: that of the pod
  std::int64_t issued = 0;   // in seconds since 1970
  std::int64_t expires = 0;
  std::int64_t warn_after = 0;  // 0: never

  std::string ToJson(std::string_view issuer) const;
  static TokenClaims Parse(const runtime::JsonValue& claims);
};

// AuthenticatedToken is the user of a token, and which of the requested audiences it is for.
struct AuthenticatedToken {
  UserInfo user = {};
  std::vector<std::string> audiences = {};
};
// TokenResult is the result for a token: a user, the reason why a known kind of token is not valid,
// or nullopt for a token of another kind.
using TokenResult = tl::expected<std::optional<AuthenticatedToken>, std::string>;

class ServiceAccountTokens {
 public:
  struct Config {
    std::vector<std::string> issuers = {};  // the first one issues; the others are accepted, too
    std::vector<std::string> api_audiences = {};  // of this API server; empty: the issuers
    std::string signing_key_pem = {};
    std::string key_pem = {};
  };
  ServiceAccountTokens(const Storage& storage, Config config);

  // Reads the keys. Before that, no token is issued or accepted. The error says which key is bad.
  Expected<void> LoadKeys();

  Expected<std::string> Issue(const TokenClaims& claims) const;
  TokenResult Authenticate(std::string_view token, const std::vector<std::string>& audiences,
                           std::chrono::system_clock::time_point now) const;
  const std::vector<std::string>& api_audiences() const { return config_.api_audiences; }

 private:
  // Returns why the objects of the claims make the token invalid; empty: they do not.
  std::string FindGone(const TokenClaims& claims) const;
  std::string FindGone(std::string_view plural, std::string_view ns, const ObjectIdentity& object,
                       std::string_view what) const;

  const Storage& storage_;
  const Config config_;
  std::optional<TokenKeys> keys_;
};

// Returns the texts that are in both lists, in the order of the first.
std::vector<std::string> Intersect(const std::vector<std::string>& a,
                                   const std::vector<std::string>& b);

}  // namespace capstan::testing::apiserver
