// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/object_meta.h"

namespace capstan::api::scheduling::v1 {

// PriorityClass defines mapping from a priority class name to the priority integer value. The value
// can be any valid integer.
struct CAPSTAN_EXPORT PriorityClass {
  // metadata is the standard object metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // value represents the integer value of this priority class. This is the actual priority that
  // pods receive when they have the name of this class in their pod spec.
  std::int32_t value = {};
  // globalDefault specifies whether this PriorityClass should be considered as the default priority
  // for pods that do not have any priority class. Only one PriorityClass can be marked as
  // `globalDefault`. However, if more than one PriorityClasses exists with their `globalDefault`
  // field set to true, the smallest value of such global default PriorityClasses will be used as
  // the default priority.
  bool global_default = {};
  // description is an arbitrary string that usually provides guidelines on when this priority class
  // should be used.
  std::string description = {};
  // preemptionPolicy is the Policy for preempting pods with lower priority. One of Never,
  // PreemptLowerPriority. Defaults to PreemptLowerPriority if unset.
  std::optional<std::string> preemption_policy = {};
};
CAPSTAN_EXPORT bool operator==(const PriorityClass& a, const PriorityClass& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PriorityClass*);

}  // namespace capstan::api::scheduling::v1

template <>
inline constexpr auto capstan::kKind<capstan::api::scheduling::v1::PriorityClass> =
    capstan::Kind("scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses")
        .ClusterScoped()
        .Whole();
