// SPDX-License-Identifier: Apache-2.0
// EscalationCheck lets a user write only roles and bindings that grant what the user has already.
// The verbs "escalate" on a role and "bind" on the role of a binding lift this limit. A
// ClusterTrustBundle with a signer needs the verb "attest" on it. Mirrors
// k8s.io/kubernetes/pkg/registry/rbac: escalation_check.go and the folders policybased; and
// plugin/pkg/admission/certificates/ctbattest. Differs: this is checked before the validation.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clientgo/testing/apiserver/authorization/authorizer.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

class EscalationCheck {
 public:
  // Reports whether writes of this resource need a check.
  static bool Concerns(const Authorizer& authorizer, const Resource& resource);

  // `name` is that of the request, which has none for a create. The authorizer must outlive this
  // object and have a policy.
  EscalationCheck(const Authorizer& authorizer, UserInfo user, std::string name)
      : authorizer_(authorizer), user_(std::move(user)), name_(std::move(name)) {}

  // Returns why the user may not write `next`, or nullopt. `live` is null for a new object.
  // REQUIRES: Concerns(resource).
  std::optional<Status> Check(const Resource& resource, std::string_view ns,
                              const runtime::JsonValue* live, const runtime::JsonValue& next) const;

 private:
  std::optional<Status> CheckRole(const Resource& resource, std::string_view ns,
                                  const runtime::JsonValue* live,
                                  const runtime::JsonValue& next) const;
  std::optional<Status> CheckBinding(const Resource& resource, std::string_view ns,
                                     const runtime::JsonValue& next) const;
  std::optional<Status> CheckTrustBundle(const Resource& resource,
                                         const runtime::JsonValue& next) const;
  // `right` has no user.
  bool May(AccessAttributes right) const;
  // Returns why the user does not have these rights in the namespace; empty: the user has them.
  std::string WhyNotHeld(std::string_view ns, const std::vector<PolicyRule>& rules) const;

  const Authorizer& authorizer_;
  const UserInfo user_;
  const std::string name_;
};

}  // namespace capstan::testing::apiserver
