// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>

#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/list.h"

namespace capstan::api::rbac::v1 {

// Subject contains a reference to the object or user identities a role binding applies to.  This
// can either hold a direct API object reference, or a value for non-objects such as user and group
// names.
struct CAPSTAN_EXPORT Subject {
  // kind of object being referenced. Values defined by this API group are "User", "Group", and
  // "ServiceAccount". If the Authorizer does not recognized the kind value, the Authorizer should
  // report an error.
  std::string kind = {};
  // apiGroup holds the API group of the referenced subject. Defaults to "" for ServiceAccount
  // subjects. Defaults to "rbac.authorization.k8s.io" for User and Group subjects.
  std::string api_group = {};
  // name of the object being referenced.
  std::string name = {};
  // namespace of the referenced object.  If the object kind is non-namespace, such as "User" or
  // "Group", and this value is not empty the Authorizer should report an error.
  std::string namespace_ = {};
};
CAPSTAN_EXPORT bool operator==(const Subject& a, const Subject& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const Subject*);

}  // namespace capstan::api::rbac::v1

extern template class capstan::List<capstan::api::rbac::v1::Subject>;
