// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>

#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/int_or_string.h"
#include "capstan/kind.h"
#include "capstan/object_meta.h"

namespace capstan::api::apps::v1 {

// ControllerRevision implements an immutable snapshot of state data. Clients are responsible for
// serializing and deserializing the objects that contain their internal state. Once a
// ControllerRevision has been successfully created, it can not be updated. The API Server will fail
// validation of all requests that attempt to mutate the Data field. ControllerRevisions may,
// however, be deleted. Note that, due to its use by both the DaemonSet and StatefulSet controllers
// for update and rollback, this object is beta. However, it may be subject to name and
// representation changes in future releases, and clients should not depend on its stability. It is
// primarily for internal use by controllers.
struct CAPSTAN_EXPORT ControllerRevision {
  // Standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // Data is the serialized representation of the state.
  RawJson data = {};
  // Revision indicates the revision of the state represented by Data.
  std::int64_t revision = {};
};
CAPSTAN_EXPORT bool operator==(const ControllerRevision& a, const ControllerRevision& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ControllerRevision*);

}  // namespace capstan::api::apps::v1

template <>
inline constexpr auto capstan::kKind<capstan::api::apps::v1::ControllerRevision> =
    capstan::Kind("apps", "v1", "ControllerRevision", "controllerrevisions").Namespaced().Whole();
