// SPDX-License-Identifier: Apache-2.0
// The variable authorizer of admission expressions, which asks the API server's authorizer what a
// user may do:
//
//   authorizer.group('').resource('pods').namespace('x').check('get').allowed()
//
// Mirrors k8s.io/apiserver/pkg/cel/library/authz.go. Differs: the selectors of a check do not
// restrict it, because no authorizer of this server reads them.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "clientgo/cel/value.h"

namespace capstan::cel {

// AccessCheck is what a user wants to do.
struct AccessCheck {
  // The ServiceAccount that wants it. An empty name means the user of the request.
  std::string service_account = {};
  std::string service_account_namespace = {};
  std::string verb = {};
  std::string path = {};  // of a non-resource request; empty: this is a resource request
  std::string group = {};
  std::string resource = {};
  std::string subresource = {};
  std::string namespace_ = {};
  std::string name = {};
};

struct AccessAnswer {
  bool allowed = false;
  std::string reason = {};
};

using AccessChecker = std::function<AccessAnswer(const AccessCheck& check)>;

inline constexpr const char* kAuthorizerType = "kubernetes.authorization.Authorizer";
inline constexpr const char* kResourceCheckType = "kubernetes.authorization.ResourceCheck";

// Returns the variable authorizer.
Value AuthorizerValue(std::shared_ptr<const AccessChecker> checker);
// Returns the variable authorizer.requestResource. `resource` is what the request is about.
Value ResourceCheckValue(std::shared_ptr<const AccessChecker> checker, AccessCheck resource);

}  // namespace capstan::cel
