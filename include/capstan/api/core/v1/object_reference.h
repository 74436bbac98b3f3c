// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>

#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/list.h"

namespace capstan::api::core::v1 {

// ObjectReference contains enough information to let you inspect or modify the referred object.
struct CAPSTAN_EXPORT ObjectReference {
  // Kind of the referent. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds
  std::string kind = {};
  // Namespace of the referent. More info:
  // https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/
  std::string namespace_ = {};
  // Name of the referent. More info:
  // https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#names
  std::string name = {};
  // UID of the referent. More info:
  // https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#uids
  std::string uid = {};
  // API version of the referent.
  std::string api_version = {};
  // Specific resourceVersion to which this reference is made, if any. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#concurrency-control-and-consistency
  std::string resource_version = {};
  std::string field_path = {};
};
CAPSTAN_EXPORT bool operator==(const ObjectReference& a, const ObjectReference& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ObjectReference*);

}  // namespace capstan::api::core::v1

extern template class capstan::Boxed<capstan::api::core::v1::ObjectReference>;
extern template class capstan::List<capstan::api::core::v1::ObjectReference>;
