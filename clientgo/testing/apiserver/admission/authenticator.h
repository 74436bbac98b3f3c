// SPDX-License-Identifier: Apache-2.0
// Authenticator finds the user of a request by client certificate, bearer token or password, and
// the user that it impersonates. Every authenticated user may impersonate any other.
// Mirrors k8s.io/apiserver's authentication and impersonation filters. Differs: kube-apiserver has
// no passwords since 1.19, but proxies in front of it have.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/httpserver/server.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

struct UserInfo {
  std::string name = {};
  std::string uid = {};
  std::vector<std::string> groups = {};
  std::map<std::string, std::vector<std::string>> extra = {};

  bool IsAnonymous() const { return name == "system:anonymous"; }
  Json ToJson() const;
};

class Authenticator {
 public:
  using Secrets = std::map<std::string, std::string>;
  // Token to user name, user name to password. If both are empty, every client is system:admin.
  Authenticator(Secrets tokens, Secrets passwords)
      : tokens_(std::move(tokens)), passwords_(std::move(passwords)) {}

  void SetTokens(Secrets tokens) { tokens_ = std::move(tokens); }
  // Returns the user that the request acts as. Errors: 401; 500 for impersonation without a user.
  Result<UserInfo> Authenticate(const httpserver::Request& request) const;

 private:
  // Returns an empty name for unknown credentials.
  UserInfo ByHeader(std::string_view authorization) const;

  Secrets tokens_;
  Secrets passwords_;
};

}  // namespace capstan::testing::apiserver
