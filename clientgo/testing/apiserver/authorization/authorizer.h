// SPDX-License-Identifier: Apache-2.0
// Authorizer decides what users may do: everything, or what its chain of authorizers allows, the
// first opinion of which counts. Members of system:masters may do everything. Mirrors
// k8s.io/kubernetes/pkg/kubeapiserver/authorizer, plugin/pkg/auth/authorizer/rbac, and
// k8s.io/apiserver/pkg/authorization/union. Differs: the authorizer of nodes has no opinion, so
// that they get the rights of their user and groups.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/cel/access_check.h"
#include "clientgo/testing/apiserver/authorization/access_attributes.h"
#include "clientgo/testing/apiserver/authorization/access_review.h"
#include "clientgo/testing/apiserver/authorization/rbac_policy.h"
#include "clientgo/testing/apiserver/authorization/webhook_authorizer.h"

namespace capstan::testing::apiserver {

enum class AuthorizerType { kAlwaysAllow, kAlwaysDeny, kNode, kRbac, kWebhook };

struct ChainedAuthorizer {
  AuthorizerType type = AuthorizerType::kRbac;
  std::shared_ptr<WebhookAuthorizer> webhook = {};  // of a kWebhook
};

using AuthorizerChain = std::vector<ChainedAuthorizer>;

class Authorizer {
 public:
  // `policy` is null for a server that allows everything to everybody who is not anonymous. With a
  // policy, the chain is RBAC.
  explicit Authorizer(const RbacPolicy* policy) : policy_(policy) {}
  Authorizer(const Authorizer&) = delete;
  Authorizer& operator=(const Authorizer&) = delete;

  // Replaces the chain. REQUIRES: there is a policy, and no request is in progress.
  void SetChain(AuthorizerChain chain);
  // Returns the authorizer of one request, which keeps the answers of webhooks to its questions.
  std::shared_ptr<Authorizer> ForRequest() const;

  // Returns null if everything is allowed.
  const RbacPolicy* policy() const { return policy_; }
  // While reviews().pending(), a decision does not count.
  AccessDecision Authorize(const AccessAttributes& attributes) const;
  AccessReviews& reviews() const { return reviews_; }

  // UserRules are the rules of a user in a namespace.
  struct UserRules {
    std::vector<PolicyRule> rules = {};
    std::string error = {};
    bool incomplete = false;
  };
  // Returns the rules that RBAC grants. The error names the roles that are missing.
  UserRules RulesFor(const UserInfo& user, std::string_view ns) const;
  // Returns the rules of all authorizers in the chain.
  UserRules AllRulesFor(const UserInfo& user, std::string_view ns) const;

 private:
  AccessDecision AuthorizeWithRbac(const AccessAttributes& attributes) const;
  AccessDecision AuthorizeWith(const ChainedAuthorizer& authorizer,
                               const AccessAttributes& attributes) const;

  const RbacPolicy* const policy_;
  std::shared_ptr<const AuthorizerChain> chain_;  // null: RBAC alone
  mutable AccessReviews reviews_;
};

// Returns what the expressions of admission ask about the user of a request. The authorizer must
// outlive it.
std::shared_ptr<const cel::AccessChecker> NewAccessChecker(const Authorizer& authorizer,
                                                           UserInfo user);

}  // namespace capstan::testing::apiserver
