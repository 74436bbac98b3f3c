// SPDX-License-Identifier: Apache-2.0
// The fields of an ObjectReference, so that a status or a spec can have references. A reference is
// made with ReferenceTo (controller_util.h).
//
//   struct BackupStatus {
//     std::vector<capstan::ObjectReference> active;
//   };
//   ...
//   .Status(Field("active", &BackupStatus::active))
//
// Mirrors corev1.ObjectReference. Differs: there is no fieldPath. All fields are optional.
#pragma once

#include "capstan/api/event.h"
#include "capstan/field.h"

namespace capstan {

template <>
inline constexpr auto kFields<api::ObjectReference> =
    Fields(Field("kind", &api::ObjectReference::kind),
           Field("namespace", &api::ObjectReference::namespace_),
           Field("name", &api::ObjectReference::name), Field("uid", &api::ObjectReference::uid),
           Field("apiVersion", &api::ObjectReference::api_version),
           Field("resourceVersion", &api::ObjectReference::resource_version));

}  // namespace capstan
