// SPDX-License-Identifier: Apache-2.0
// Scale is the kind of the subresource "scale", which Deployments, StatefulSets and many custom
// resources have: the number of replicas, without the rest of the object. Mirrors autoscaling/v1.
#pragma once

#include <cstdint>
#include <string>

#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/object_meta.h"

namespace capstan {

struct CAPSTAN_EXPORT Scale {
  ObjectMeta metadata = {};  // of the object that is scaled
  struct Spec {
    std::int32_t replicas = 0;  // wanted
  } spec = {};
  struct Status {
    std::int32_t replicas = 0;  // existing
    std::string selector = {};  // of the Pods, as in a query: "app=a"
  } status = {};
};

template <>
inline constexpr auto kKind<Scale> =
    Kind("autoscaling", "v1", "Scale", "scale")
        .Namespaced()
        .Whole()
        .Spec(Field("replicas", &Scale::Spec::replicas).Minimum(0))
        .Status(Field("replicas", &Scale::Status::replicas).Required(),
                Field("selector", &Scale::Status::selector));

}  // namespace capstan
