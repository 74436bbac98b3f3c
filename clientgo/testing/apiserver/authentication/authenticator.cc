// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/authentication/authenticator.h"

#include <chrono>
#include <cstddef>

#include "capstan/base64.h"
#include "capstan/text.h"

namespace capstan::testing::apiserver {
namespace {

// Adds the group of authenticated users.
UserInfo Authenticated(UserInfo user) {
  if (!user.IsIn(kAuthenticatedGroup)) user.groups.emplace_back(kAuthenticatedGroup);
  return user;
}

// Returns the credentials of an Authorization header with this scheme, which is in lower case.
// Returns "" for another scheme.
std::string_view CredentialsOf(std::string_view authorization, std::string_view scheme) {
  authorization = Trim(authorization, " ");
  const std::size_t space = authorization.find(' ');
  if (space == std::string_view::npos) return {};
  if (LowerAscii(authorization.substr(0, space)) != scheme) return {};
  const std::string_view credentials = authorization.substr(space + 1);
  return credentials.substr(0, credentials.find(' '));
}

}  // namespace

UserInfo Authenticator::Listed(const std::string& name) const {
  const auto groups = parts_.groups.find(name);
  const auto uid = parts_.uids.find(name);
  return Authenticated(
      {.name = name,
       .uid = uid == parts_.uids.end() ? std::string() : uid->second,
       .groups = groups == parts_.groups.end() ? std::vector<std::string>() : groups->second});
}

UserInfo Authenticator::ByPassword(std::string_view credentials) const {
  const auto both = Base64Decode(credentials);
  const std::size_t colon = both ? both->find(':') : std::string::npos;
  if (colon == std::string::npos) return {};
  const auto at = parts_.passwords.find(both->substr(0, colon));
  if (at == parts_.passwords.end() || at->second != both->substr(colon + 1)) return {};
  return Listed(at->first);
}

tl::expected<AuthenticatedToken, std::string> Authenticator::AuthenticateToken(
    std::string_view token, const std::vector<std::string>& audiences) const {
  auto issued =
      parts_.service_accounts.Authenticate(token, audiences, std::chrono::system_clock::now());
  if (issued && *issued) {
    (*issued)->user = Authenticated(std::move((*issued)->user));
    return **std::move(issued);
  }
  const auto listed = parts_.tokens.find(std::string(token));
  auto matching = Intersect(api_audiences(), audiences);
  if (listed != parts_.tokens.end() && !matching.empty()) {
    return AuthenticatedToken{.user = Listed(listed->second), .audiences = std::move(matching)};
  }
  constexpr char kInvalid[] = "invalid bearer token";
  if (issued) return tl::unexpected(std::string(kInvalid));
  return tl::unexpected("[" + std::string(kInvalid) + ", " + issued.error() + "]");
}

UserInfo Authenticator::ByHeader(std::string_view authorization) const {
  if (const auto token = CredentialsOf(authorization, "bearer"); !token.empty()) {
    auto found = AuthenticateToken(token, api_audiences());
    return found ? std::move(found->user) : UserInfo();
  }
  return ByPassword(CredentialsOf(authorization, "basic"));
}

Result<UserInfo> Authenticator::Authenticate(const httpserver::Request& request) const {
  const std::string_view authorization = request.Header("Authorization");
  if (request.client && request.client->trusted && !request.client->common_name.empty()) {
    return Authenticated(
        {.name = request.client->common_name, .groups = request.client->organizations});
  }
  UserInfo user = authorization.empty() ? UserInfo() : ByHeader(authorization);
  if (!user.name.empty()) return user;
  if (parts_.trusts_everybody && parts_.tokens.empty() && parts_.passwords.empty()) {
    return Authenticated({.name = "system:admin", .groups = {std::string(kMastersGroup)}});
  }
  const bool bad_certificate = request.client && !request.client->trusted;
  if (!authorization.empty() || bad_certificate || !parts_.anonymous)
    return tl::unexpected(Unauthorized());
  return UserInfo{.name = std::string(kAnonymousUser),
                  .groups = {std::string(kUnauthenticatedGroup)}};
}

}  // namespace capstan::testing::apiserver
