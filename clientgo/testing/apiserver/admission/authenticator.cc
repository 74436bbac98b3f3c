// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/admission/authenticator.h"

#include <optional>

#include "capstan/base64.h"
#include "capstan/text.h"

namespace capstan::testing::apiserver {
namespace {

constexpr char kAuthenticated[] = "system:authenticated";

UserInfo Named(std::string name, std::vector<std::string> groups = {}) {
  groups.emplace_back(kAuthenticated);
  return {.name = std::move(name), .groups = std::move(groups)};
}

// Returns nullopt for a request without impersonation.
std::optional<UserInfo> Impersonated(const httpserver::Request& request) {
  constexpr std::string_view kPrefix = "impersonate-";
  constexpr std::string_view kExtra = "extra-";
  std::optional<UserInfo> user;
  for (const auto& [header, value] : request.headers) {
    const std::string name = LowerAscii(header);
    if (!name.starts_with(kPrefix)) continue;
    if (!user) user.emplace();
    const std::string_view field = std::string_view(name).substr(kPrefix.size());
    if (field == "user") user->name = value;
    if (field == "uid") user->uid = value;
    if (field == "group") user->groups.push_back(value);
    if (field.starts_with(kExtra)) {
      user->extra[PercentDecode(field.substr(kExtra.size()))].push_back(value);
    }
  }
  if (user && !user->name.empty()) user->groups.emplace_back(kAuthenticated);
  return user;
}

}  // namespace

UserInfo Authenticator::ByHeader(std::string_view authorization) const {
  constexpr std::string_view kBearer = "Bearer ";
  constexpr std::string_view kBasic = "Basic ";
  if (authorization.starts_with(kBearer)) {
    const auto at = tokens_.find(std::string(authorization.substr(kBearer.size())));
    if (at != tokens_.end()) return Named(at->second);
  }
  if (authorization.starts_with(kBasic)) {
    const auto both = Base64Decode(authorization.substr(kBasic.size()));
    const std::size_t colon = both ? both->find(':') : std::string::npos;
    if (colon == std::string::npos) return {};
    const auto at = passwords_.find(both->substr(0, colon));
    if (at != passwords_.end() && at->second == both->substr(colon + 1)) return Named(at->first);
  }
  return {};
}

Result<UserInfo> Authenticator::Authenticate(const httpserver::Request& request) const {
  const std::string_view authorization = request.Header("Authorization");
  UserInfo user;
  if (request.client && request.client->trusted) {
    user = Named(request.client->common_name, request.client->organizations);
  } else if (tokens_.empty() && passwords_.empty()) {
    user = Named("system:admin", {"system:masters"});
  } else if (!authorization.empty()) {
    user = ByHeader(authorization);
  } else if (!request.client) {
    user = {.name = "system:anonymous", .groups = {"system:unauthenticated"}};
  }
  if (user.name.empty()) return tl::unexpected(Unauthorized());
  auto impersonated = Impersonated(request);
  if (!impersonated) return user;
  if (!impersonated->name.empty()) return *std::move(impersonated);
  return tl::unexpected(InternalError("Internal error occurred: impersonation without a user"));
}

Json UserInfo::ToJson() const {
  Json more;
  for (const auto& [key, values] : extra) more.Add(key, OmitEmptyList(values));
  return {{"username", OmitEmpty(name)},
          {"uid", OmitEmpty(uid)},
          {"groups", OmitEmptyList(groups)},
          {"extra", more}};
}

}  // namespace capstan::testing::apiserver
