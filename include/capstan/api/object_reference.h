// SPDX-License-Identifier: Apache-2.0
// ObjectReference identifies an object. ReferenceTo (controller_util.h) returns an ObjectReference.
// A status or a spec may have one as a field. capstan.h names the type capstan::ObjectReference:
//
//   struct BackupStatus {
//     std::vector<capstan::ObjectReference> active;
//   };
//   ...
//   .Status(Field("active", &BackupStatus::active))
//
// Mirrors corev1.ObjectReference. Differs: there is no fieldPath. All fields are optional.
#pragma once

#include <string>

#include "capstan/export.h"
#include "capstan/field.h"

namespace capstan::api {

struct CAPSTAN_EXPORT ObjectReference {
  std::string api_version = {};
  std::string kind = {};
  std::string namespace_ = {};
  std::string name = {};
  std::string uid = {};
  std::string resource_version = {};
  friend bool operator==(const ObjectReference&, const ObjectReference&) = default;
};

}  // namespace capstan::api

namespace capstan {

template <>
inline constexpr auto kFields<api::ObjectReference> =
    Fields(Field("kind", &api::ObjectReference::kind),
           Field("namespace", &api::ObjectReference::namespace_),
           Field("name", &api::ObjectReference::name), Field("uid", &api::ObjectReference::uid),
           Field("apiVersion", &api::ObjectReference::api_version),
           Field("resourceVersion", &api::ObjectReference::resource_version));

}  // namespace capstan
