// SPDX-License-Identifier: Apache-2.0
// Authenticator: who sends a request, by client certificate, bearer token or password, and whom it
// acts as. Everybody who is somebody may act as anybody. Lives on the server's thread.
// Mirrors k8s.io/apiserver's authentication and impersonation filters. Differs: kube-apiserver has
// had no passwords since 1.19; proxies in front of it have.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/status.h"
#include "httpserver/server.h"

namespace apiserver {

struct UserInfo {
  std::string name = {};
  std::string uid = {};
  std::vector<std::string> groups = {};
  std::map<std::string, std::vector<std::string>> extra = {};

  bool IsAnonymous() const { return name == "system:anonymous"; }
};

class Authenticator {
 public:
  using Secrets = std::map<std::string, std::string>;
  // Token to user name, user name to password. Both empty: whoever comes is an administrator.
  Authenticator(Secrets tokens, Secrets passwords)
      : tokens_(std::move(tokens)), passwords_(std::move(passwords)) {}

  void SetTokens(Secrets tokens) { tokens_ = std::move(tokens); }
  // The user that the request acts as. Errors: 401; 500 for impersonation that makes no sense.
  Result<UserInfo> Authenticate(const httpserver::Request& request) const;

 private:
  // An empty name: not known.
  UserInfo ByHeader(std::string_view authorization) const;

  Secrets tokens_;
  Secrets passwords_;
};

// A POST to selfsubjectreviews: "who am I?"
bool IsSelfSubjectReview(const httpserver::Request& request);
std::string SelfSubjectReviewJson(const UserInfo& user);

}  // namespace apiserver
