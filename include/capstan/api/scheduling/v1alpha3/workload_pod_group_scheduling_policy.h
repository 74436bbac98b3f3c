// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <optional>

#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"

namespace capstan::api::scheduling::v1alpha3 {

// WorkloadPodGroupBasicSchedulingPolicy indicates standard Kubernetes scheduling behavior.
struct CAPSTAN_EXPORT WorkloadPodGroupBasicSchedulingPolicy {};
CAPSTAN_EXPORT bool operator==(const WorkloadPodGroupBasicSchedulingPolicy& a,
                               const WorkloadPodGroupBasicSchedulingPolicy& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const WorkloadPodGroupBasicSchedulingPolicy*);

// WorkloadPodGroupGangSchedulingPolicy defines the parameters for gang (all-or-nothing) scheduling.
struct CAPSTAN_EXPORT WorkloadPodGroupGangSchedulingPolicy {
  // minCount is the minimum number of pods that must be scheduled at the same time for the
  // scheduler to admit the entire group. This field is optional. If it is not specified, the
  // controller should inject a context-specific sane default (e.g., parallelism for a Job). If set,
  // it must be a positive integer.
  std::optional<std::int32_t> min_count = {};
};
CAPSTAN_EXPORT bool operator==(const WorkloadPodGroupGangSchedulingPolicy& a,
                               const WorkloadPodGroupGangSchedulingPolicy& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const WorkloadPodGroupGangSchedulingPolicy*);

// WorkloadPodGroupSchedulingPolicy defines the scheduling policy for a group of pods managed by a
// workload controller. Exactly one policy must be set.
struct CAPSTAN_EXPORT WorkloadPodGroupSchedulingPolicy {
  // basic specifies that standard, pod-by-pod Kubernetes scheduling behavior should be used.
  Boxed<WorkloadPodGroupBasicSchedulingPolicy> basic = {};
  // gang specifies all-or-nothing scheduling semantics.
  Boxed<WorkloadPodGroupGangSchedulingPolicy> gang = {};
};
CAPSTAN_EXPORT bool operator==(const WorkloadPodGroupSchedulingPolicy& a,
                               const WorkloadPodGroupSchedulingPolicy& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const WorkloadPodGroupSchedulingPolicy*);

}  // namespace capstan::api::scheduling::v1alpha3

extern template class capstan::Boxed<
    capstan::api::scheduling::v1alpha3::WorkloadPodGroupBasicSchedulingPolicy>;
extern template class capstan::Boxed<
    capstan::api::scheduling::v1alpha3::WorkloadPodGroupGangSchedulingPolicy>;
extern template class capstan::Boxed<
    capstan::api::scheduling::v1alpha3::WorkloadPodGroupSchedulingPolicy>;
