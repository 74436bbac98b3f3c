// SPDX-License-Identifier: Apache-2.0
// Access finds out who makes a request, and whether they may make it. The order is that of
// kube-apiserver: authentication (401), impersonation (403 for the user who impersonates), and
// authorization (403 for the user that the request acts as). Mirrors the filters of
// k8s.io/apiserver/pkg/endpoints/filters.
#pragma once

#include <optional>

#include "capstan/httpserver/server.h"
#include "clientgo/testing/apiserver/authentication/authenticator.h"
#include "clientgo/testing/apiserver/authorization/access_attributes.h"
#include "clientgo/testing/apiserver/authorization/authorizer.h"

namespace capstan::testing::apiserver {

class Access {
 public:
  // Both must outlive this object.
  Access(const Authenticator& authenticator, const Authorizer& authorizer)
      : authenticator_(authenticator), authorizer_(authorizer) {}

  // Returns the user that the request acts as.
  Result<UserInfo> Identify(const httpserver::Request& request) const;
  // Returns why the user may not do what is wanted; nullopt: the user may.
  std::optional<Status> FindDenial(const AccessAttributes& wanted,
                                   const httpserver::Request& request) const;

 private:
  const Authenticator& authenticator_;
  const Authorizer& authorizer_;
};

// Returns the user that the request impersonates, or `user` if it impersonates nobody. `user` needs
// the right to impersonate that user, and each group, uid and extra value. Mirrors impersonation.go
// in k8s.io/apiserver/pkg/endpoints/filters.
Result<UserInfo> Impersonate(const Authorizer& authorizer, UserInfo user,
                             const httpserver::Request& request);

}  // namespace capstan::testing::apiserver
