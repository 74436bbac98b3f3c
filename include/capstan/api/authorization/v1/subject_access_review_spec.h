// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "capstan/api/authorization/v1/non_resource_attributes.h"
#include "capstan/api/authorization/v1/resource_attributes.h"
#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"

namespace capstan::api::authorization::v1 {

// SubjectAccessReviewSpec is a description of the access request.  Exactly one of
// resourceAttributes and nonResourceAttributes must be set
struct CAPSTAN_EXPORT SubjectAccessReviewSpec {
  // resourceAttributes describes information for a resource access request
  Boxed<ResourceAttributes> resource_attributes = {};
  // nonResourceAttributes describes information for a non-resource access request
  Boxed<NonResourceAttributes> non_resource_attributes = {};
  // user is the user you're testing for. If you specify "User" but not "Groups", then is it
  // interpreted as "What if User were not a member of any groups
  std::string user = {};
  // groups is the groups you're testing for.
  std::vector<std::string> groups = {};
  // extra corresponds to the user.Info.GetExtra() method from the authenticator.  Since that is
  // input to the authorizer it needs a reflection here.
  std::map<std::string, std::vector<std::string>> extra = {};
  // uid information about the requesting user.
  std::string uid = {};
};
CAPSTAN_EXPORT bool operator==(const SubjectAccessReviewSpec& a, const SubjectAccessReviewSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const SubjectAccessReviewSpec*);

}  // namespace capstan::api::authorization::v1
