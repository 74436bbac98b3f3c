// SPDX-License-Identifier: Apache-2.0
// UserInfo is the user of a request, and ServiceAccountName is the name of a service account as a
// user. Mirrors k8s.io/apiserver/pkg/authentication/{user,serviceaccount}.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/types/json.h"

namespace capstan::testing::apiserver {

inline constexpr std::string_view kAnonymousUser = "system:anonymous";
inline constexpr std::string_view kAuthenticatedGroup = "system:authenticated";
inline constexpr std::string_view kUnauthenticatedGroup = "system:unauthenticated";
inline constexpr std::string_view kMastersGroup = "system:masters";  // may do everything

struct UserInfo {
  std::string name = {};
  std::string uid = {};
  std::vector<std::string> groups = {};
  std::map<std::string, std::vector<std::string>> extra = {};

  bool IsAnonymous() const { return name == kAnonymousUser; }
  bool IsIn(std::string_view group) const;
  Json ToJson() const;
};

struct ServiceAccountName {
  std::string namespace_ = {};
  std::string name = {};

  // Returns nullopt for a user that is no service account.
  static std::optional<ServiceAccountName> FromUser(std::string_view user);
  // Returns "system:serviceaccount:<namespace>:<name>".
  std::string User() const;
  // Returns the groups of all service accounts, and of those in the namespace.
  std::vector<std::string> Groups() const;
};

}  // namespace capstan::testing::apiserver
