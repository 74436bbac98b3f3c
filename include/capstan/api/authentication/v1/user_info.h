// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "capstan/detail/layout.h"
#include "capstan/export.h"

namespace capstan::api::authentication::v1 {

// UserInfo holds the information about the user needed to implement the user.Info interface.
struct CAPSTAN_EXPORT UserInfo {
  // username is the name that uniquely identifies this user among all active users.
  std::string username = {};
  // uid is a unique value that identifies this user across time. If this user is deleted and
  // another user by the same name is added, they will have different UIDs.
  std::string uid = {};
  // groups is the names of groups this user is a part of.
  std::vector<std::string> groups = {};
  // extra is any additional information provided by the authenticator.
  std::map<std::string, std::vector<std::string>> extra = {};
};
CAPSTAN_EXPORT bool operator==(const UserInfo& a, const UserInfo& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const UserInfo*);

}  // namespace capstan::api::authentication::v1
