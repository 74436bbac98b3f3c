// SPDX-License-Identifier: Apache-2.0
// Authenticator finds the user of a request by client certificate, bearer token or password.
// Mirrors k8s.io/kubernetes/pkg/kubeapiserver/authenticator. Differs: kube-apiserver has no
// passwords since 1.19, but proxies in front of it have.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/httpserver/server.h"
#include "clientgo/testing/apiserver/authentication/service_account_tokens.h"
#include "clientgo/testing/apiserver/authentication/user_info.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

class Authenticator {
 public:
  using Secrets = std::map<std::string, std::string>;
  struct Parts {
    Secrets tokens = {};                                          // token to user name
    Secrets passwords = {};                                       // user name to password
    std::map<std::string, std::vector<std::string>> groups = {};  // of these users
    Secrets uids = {};                                            // of these users
    bool anonymous = true;  // otherwise a request without credentials is an error
    // Without tokens and passwords, a client is system:admin unless it proves to be somebody else.
    bool trusts_everybody = false;
    const ServiceAccountTokens& service_accounts;
  };
  explicit Authenticator(Parts parts) : parts_(std::move(parts)) {}

  void SetTokens(Secrets tokens) { parts_.tokens = std::move(tokens); }
  // Returns the user that makes the request, with the group of authenticated users. One without
  // credentials may be anonymous. The error is 401.
  Result<UserInfo> Authenticate(const httpserver::Request& request) const;
  // Returns the user of a bearer token for these audiences, or why there is none.
  tl::expected<AuthenticatedToken, std::string> AuthenticateToken(
      std::string_view token, const std::vector<std::string>& audiences) const;
  const std::vector<std::string>& api_audiences() const {
    return parts_.service_accounts.api_audiences();
  }

 private:
  // Returns an empty name for unknown credentials.
  UserInfo ByHeader(std::string_view authorization) const;
  UserInfo ByPassword(std::string_view credentials) const;
  UserInfo Listed(const std::string& name) const;

  Parts parts_;
};

}  // namespace capstan::testing::apiserver
