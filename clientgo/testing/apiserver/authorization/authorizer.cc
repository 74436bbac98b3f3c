// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/authorization/authorizer.h"

#include <algorithm>
#include <utility>

#include "capstan/logging.h"
#include "capstan/text.h"

namespace capstan::testing::apiserver {
namespace {

// Returns the errors about bindings to roles that do not exist, as the cache of roles reports them.
std::string MissingRoles(const std::vector<const RoleBinding*>& broken) {
  std::vector<std::string> errors;
  errors.reserve(broken.size());
  for (const RoleBinding* const binding : broken) {
    errors.push_back(LowerAscii(binding->role.kind) + ".rbac.authorization.k8s.io " +
                     Quoted(binding->role.name) + " not found");
  }
  return Aggregate(errors);
}

// Reports whether everybody may read a path. Upstream the role system:public-info-viewer says so.
bool IsPublic(std::string_view path) {
  return path == "/version" || path == "/healthz" || path == "/livez" || path == "/readyz";
}

std::vector<PolicyRule> EveryRule() {
  return {{.verbs = {"*"}, .groups = {"*"}, .resources = {"*"}}, {.verbs = {"*"}, .urls = {"*"}}};
}

}  // namespace

void Authorizer::SetChain(AuthorizerChain chain) {
  chain_ = std::make_shared<const AuthorizerChain>(std::move(chain));
}

std::shared_ptr<Authorizer> Authorizer::ForRequest() const {
  auto authorizer = std::make_shared<Authorizer>(policy_);
  authorizer->chain_ = chain_;
  return authorizer;
}

AccessDecision Authorizer::Authorize(const AccessAttributes& attributes) const {
  if (policy_ == nullptr) {
    return {.allowed = !attributes.user.IsAnonymous() || IsPublic(attributes.path)};
  }
  if (attributes.user.IsIn(kMastersGroup)) return {.allowed = true};
  if (chain_ == nullptr) return AuthorizeWithRbac(attributes);
  std::vector<std::string> reasons;
  std::vector<std::string> errors;
  for (const ChainedAuthorizer& authorizer : *chain_) {
    AccessDecision decision = AuthorizeWith(authorizer, attributes);
    if (decision.allowed || decision.denied || reviews_.pending()) return decision;
    if (!decision.reason.empty()) reasons.push_back(std::move(decision.reason));
    if (!decision.evaluation.empty()) errors.push_back(std::move(decision.evaluation));
  }
  return {.reason = Join(reasons, "\n"), .evaluation = Aggregate(errors)};
}

AccessDecision Authorizer::AuthorizeWith(const ChainedAuthorizer& authorizer,
                                         const AccessAttributes& attributes) const {
  switch (authorizer.type) {
    case AuthorizerType::kAlwaysAllow:
      return {.allowed = true};
    case AuthorizerType::kAlwaysDeny:
      return {.reason = "Everything is forbidden."};
    case AuthorizerType::kNode:
      return {};
    case AuthorizerType::kRbac:
      return AuthorizeWithRbac(attributes);
    case AuthorizerType::kWebhook:
      break;
  }
  return authorizer.webhook->Authorize(attributes, reviews_);
}

AccessDecision Authorizer::AuthorizeWithRbac(const AccessAttributes& attributes) const {
  AccessDecision decision;
  const auto broken =
      policy_->Visit(attributes.user, attributes.namespace_, [&](const RbacPolicy::Grant& grant) {
        decision.allowed = grant.rule.Allows(attributes);
        if (decision.allowed) {
          decision.reason = "RBAC: allowed by " + grant.binding.Text(grant.subject);
        }
        return !decision.allowed;
      });
  if (!decision.allowed && !broken.empty()) decision.reason = "RBAC: " + MissingRoles(broken);
  return decision;
}

Authorizer::UserRules Authorizer::RulesFor(const UserInfo& user, std::string_view ns) const {
  if (policy_ == nullptr) return {.rules = EveryRule()};
  UserRules all;
  const auto broken = policy_->Visit(user, ns, [&](const RbacPolicy::Grant& grant) {
    all.rules.push_back(grant.rule);
    return true;
  });
  if (!broken.empty()) all.error = MissingRoles(broken);
  return all;
}

namespace {

bool IsNode(const UserInfo& user) {
  return user.name.starts_with("system:node:") &&
         std::find(user.groups.begin(), user.groups.end(), "system:nodes") != user.groups.end();
}

}  // namespace

Authorizer::UserRules Authorizer::AllRulesFor(const UserInfo& user, std::string_view ns) const {
  if (chain_ == nullptr) return RulesFor(user, ns);
  UserRules all;
  std::vector<std::string> errors;
  for (const ChainedAuthorizer& authorizer : *chain_) {
    UserRules some;
    if (authorizer.type == AuthorizerType::kAlwaysAllow) some.rules = EveryRule();
    if (authorizer.type == AuthorizerType::kRbac) some = RulesFor(user, ns);
    if (authorizer.type == AuthorizerType::kNode && IsNode(user)) {
      some = {.error = "node authorizer does not support user rule resolution", .incomplete = true};
    }
    if (authorizer.type == AuthorizerType::kWebhook) {
      some = {.error = "webhook authorizer does not support user rule resolution",
              .incomplete = true};
    }
    all.rules.insert(all.rules.end(), some.rules.begin(), some.rules.end());
    all.incomplete = all.incomplete || some.incomplete;
    if (!some.error.empty()) errors.push_back(some.error);
  }
  all.error = Aggregate(errors);
  return all;
}

std::shared_ptr<const cel::AccessChecker> NewAccessChecker(const Authorizer& authorizer,
                                                           UserInfo user) {
  return std::make_shared<const cel::AccessChecker>(
      [&authorizer, user = std::move(user)](const cel::AccessCheck& check) -> cel::AccessAnswer {
        AccessAttributes attributes{.user = user,
                                    .verb = check.verb,
                                    .path = check.path,
                                    .group = check.group,
                                    .version = "*",
                                    .resource = check.resource,
                                    .subresource = check.subresource,
                                    .namespace_ = check.namespace_,
                                    .name = check.name};
        if (!check.service_account.empty()) {
          const ServiceAccountName account{.namespace_ = check.service_account_namespace,
                                           .name = check.service_account};
          attributes.user = {.name = account.User(), .groups = account.Groups()};
        }
        AccessDecision decision = authorizer.Authorize(attributes);
        return {.allowed = decision.allowed, .reason = std::move(decision.reason)};
      });
}

}  // namespace capstan::testing::apiserver
