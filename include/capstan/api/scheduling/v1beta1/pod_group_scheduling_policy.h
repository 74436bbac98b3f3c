// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>

#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"

namespace capstan::api::scheduling::v1beta1 {

// BasicSchedulingPolicy indicates that standard Kubernetes scheduling behavior should be used.
struct CAPSTAN_EXPORT BasicSchedulingPolicy {};
CAPSTAN_EXPORT bool operator==(const BasicSchedulingPolicy& a, const BasicSchedulingPolicy& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const BasicSchedulingPolicy*);

// GangSchedulingPolicy defines the parameters for gang scheduling.
struct CAPSTAN_EXPORT GangSchedulingPolicy {
  // minCount is the minimum number of pods that must be schedulable or scheduled at the same time
  // for the scheduler to admit the entire group. It must be a positive integer. This field is
  // mutable to support workload scaling.
  // Note that the scheduler operates on an eventually consistent model. Updates to minCount may not
  // be immediately reflected in scheduling decisions due to propagation delays. If minCount is
  // updated while a scheduling cycle is in progress for that group, the new value may not take
  // effect until the next cycle. Moreover, minCount is only enforced during scheduling, meaning
  // that modifications to this field do not affect already-scheduled pods, applying only to those
  // evaluated in future cycles.
  std::int32_t min_count = {};
};
CAPSTAN_EXPORT bool operator==(const GangSchedulingPolicy& a, const GangSchedulingPolicy& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const GangSchedulingPolicy*);

// PodGroupSchedulingPolicy defines the scheduling configuration for a PodGroup. Exactly one policy
// must be set. The policy is chosen at creation time by setting either the Basic or Gang field. The
// PodGroup may not change policy after creation. Fields within chosen policy may be updated after
// creation when their individual fields allow it.
struct CAPSTAN_EXPORT PodGroupSchedulingPolicy {
  // basic specifies that the pods in this group should be scheduled using standard Kubernetes
  // scheduling behavior. Setting this field at group creation time opts this group to basic
  // scheduling; this field cannot be changed afterward.
  Boxed<BasicSchedulingPolicy> basic = {};
  // gang specifies that the pods in this group should be scheduled using all-or-nothing semantics.
  // Setting this field at group creation time opts this group to gang scheduling; this field cannot
  // be set or unset afterward. The minCount field within Gang scheduling policy remains mutable
  // after group creation.
  Boxed<GangSchedulingPolicy> gang = {};
};
CAPSTAN_EXPORT bool operator==(const PodGroupSchedulingPolicy& a,
                               const PodGroupSchedulingPolicy& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PodGroupSchedulingPolicy*);

}  // namespace capstan::api::scheduling::v1beta1

extern template class capstan::Boxed<capstan::api::scheduling::v1beta1::BasicSchedulingPolicy>;
extern template class capstan::Boxed<capstan::api::scheduling::v1beta1::GangSchedulingPolicy>;
