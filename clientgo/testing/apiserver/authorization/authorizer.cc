// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/authorization/authorizer.h"

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

}  // namespace

AccessDecision Authorizer::Authorize(const AccessAttributes& attributes) const {
  if (policy_ == nullptr) {
    return {.allowed = !attributes.user.IsAnonymous() || IsPublic(attributes.path)};
  }
  if (attributes.user.IsIn(kMastersGroup)) return {.allowed = true};
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
  if (policy_ == nullptr) {
    return {.rules = {{.verbs = {"*"}, .groups = {"*"}, .resources = {"*"}},
                      {.verbs = {"*"}, .urls = {"*"}}}};
  }
  UserRules all;
  const auto broken = policy_->Visit(user, ns, [&](const RbacPolicy::Grant& grant) {
    all.rules.push_back(grant.rule);
    return true;
  });
  if (!broken.empty()) all.error = MissingRoles(broken);
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
