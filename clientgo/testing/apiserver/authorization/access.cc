// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/authorization/access.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/logging.h"
#include "capstan/text.h"

namespace capstan::testing::apiserver {
namespace {

// Impersonation is the user that the headers of a request name, and the rights that this needs.
struct Impersonation {
  UserInfo user = {};
  std::vector<AccessAttributes> rights = {};  // the user first
};

AccessAttributes ToImpersonate(std::string_view resource, std::string_view name) {
  return {.verb = "impersonate", .resource = std::string(resource), .name = std::string(name)};
}

AccessAttributes ToImpersonateUser(const std::string& user) {
  const auto account = ServiceAccountName::FromUser(user);
  if (!account) return ToImpersonate("users", user);
  AccessAttributes right = ToImpersonate("serviceaccounts", account->name);
  right.namespace_ = account->namespace_;
  return right;
}

void AddExtra(const std::string& key, const std::string& value, Impersonation& impersonation) {
  impersonation.user.extra[key].push_back(value);
  AccessAttributes right = ToImpersonate("userextras", value);
  right.group = kAuthenticationGroup;
  right.version = "v1";
  right.subresource = key;
  impersonation.rights.push_back(std::move(right));
}

void AddHeader(std::string_view field, const std::string& value, Impersonation& impersonation) {
  constexpr std::string_view kExtra = "extra-";
  UserInfo& user = impersonation.user;
  if (field == "user" && user.name.empty()) {
    user.name = value;
  } else if (field == "group") {
    user.groups.push_back(value);
    impersonation.rights.push_back(ToImpersonate("groups", value));
  } else if (field == "uid" && user.uid.empty()) {
    user.uid = value;
  } else if (field.starts_with(kExtra)) {
    AddExtra(PercentDecode(field.substr(kExtra.size())), value, impersonation);
  }
}

Impersonation ReadHeaders(const httpserver::Request& request) {
  constexpr std::string_view kPrefix = "impersonate-";
  Impersonation impersonation;
  for (const auto& [header, value] : request.headers) {
    const std::string name = LowerAscii(header);
    if (!name.starts_with(kPrefix)) continue;
    AddHeader(std::string_view(name).substr(kPrefix.size()), value, impersonation);
  }
  const UserInfo& user = impersonation.user;
  auto& rights = impersonation.rights;
  if (!user.name.empty()) rights.insert(rights.begin(), ToImpersonateUser(user.name));
  if (!user.uid.empty()) {
    rights.push_back(ToImpersonate("uids", user.uid));
    rights.back().group = kAuthenticationGroup;
    rights.back().version = "v1";
  }
  return impersonation;
}

// Adds the groups that every user has, unless the request names them.
void CompleteGroups(UserInfo& user) {
  if (const auto account = ServiceAccountName::FromUser(user.name);
      account && user.groups.empty()) {
    user.groups = account->Groups();
  }
  const bool anonymous = user.IsAnonymous();
  const bool complete =
      user.IsIn(kUnauthenticatedGroup) || (!anonymous && user.IsIn(kAuthenticatedGroup));
  if (complete) return;
  user.groups.emplace_back(anonymous ? kUnauthenticatedGroup : kAuthenticatedGroup);
}

// kube-apiserver answers so in plain text.
Status InternalErrorOf(const httpserver::Request& request, std::string_view why) {
  return InternalError(
      WithoutMarkup("Internal Server Error: " + Quoted(request.target) + ": " + std::string(why)));
}

}  // namespace

Result<UserInfo> Impersonate(const Authorizer& authorizer, UserInfo user,
                             const httpserver::Request& request) {
  Impersonation impersonation = ReadHeaders(request);
  if (impersonation.rights.empty()) return user;
  if (impersonation.user.name.empty()) {
    return tl::unexpected(
        InternalErrorOf(request, "requested impersonation without impersonating a user"));
  }
  for (AccessAttributes& right : impersonation.rights) {
    right.user = user;
    const AccessDecision decision = authorizer.Authorize(right);
    if (!decision.allowed) return tl::unexpected(Forbidden(right, decision.reason));
  }
  CompleteGroups(impersonation.user);
  return std::move(impersonation.user);
}

Result<UserInfo> Access::Identify(const httpserver::Request& request) const {
  auto user = authenticator_.Authenticate(request);
  if (!user) return user;
  return Impersonate(authorizer_, *std::move(user), request);
}

std::optional<Status> Access::FindDenial(const AccessAttributes& wanted,
                                         const httpserver::Request& request) const {
  const AccessDecision decision = authorizer_.Authorize(wanted);
  if (decision.allowed) return std::nullopt;
  if (!decision.evaluation.empty()) return InternalErrorOf(request, decision.evaluation);
  return Forbidden(wanted, decision.reason);
}

}  // namespace capstan::testing::apiserver
