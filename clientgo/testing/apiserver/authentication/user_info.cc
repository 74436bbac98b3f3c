// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/authentication/user_info.h"

#include <algorithm>
#include <cstddef>

#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kUserPrefix = "system:serviceaccount:";

}  // namespace

bool UserInfo::IsIn(std::string_view group) const {
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

Json UserInfo::ToJson() const {
  Json more;
  for (const auto& [key, values] : extra) more.Add(key, OmitEmptyList(values));
  return {{"username", OmitEmpty(name)},
          {"uid", OmitEmpty(uid)},
          {"groups", OmitEmptyList(groups)},
          {"extra", more}};
}

std::optional<ServiceAccountName> ServiceAccountName::FromUser(std::string_view user) {
  if (!user.starts_with(kUserPrefix)) return std::nullopt;
  user.remove_prefix(kUserPrefix.size());
  const std::size_t colon = user.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  ServiceAccountName account{.namespace_ = std::string(user.substr(0, colon)),
                             .name = std::string(user.substr(colon + 1))};
  const bool valid =
      DnsLabelErrors(account.namespace_).empty() && SubdomainErrors(account.name).empty();
  return valid ? std::optional(std::move(account)) : std::nullopt;
}

std::string ServiceAccountName::User() const {
  return std::string(kUserPrefix) + namespace_ + ":" + name;
}

std::vector<std::string> ServiceAccountName::Groups() const {
  return {"system:serviceaccounts", "system:serviceaccounts:" + namespace_};
}

}  // namespace capstan::testing::apiserver
