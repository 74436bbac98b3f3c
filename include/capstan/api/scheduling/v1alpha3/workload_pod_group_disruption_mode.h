// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"

namespace capstan::api::scheduling::v1alpha3 {

// WorkloadPodGroupSingleDisruptionMode indicates that individual pods can be disrupted
// independently.
struct CAPSTAN_EXPORT WorkloadPodGroupSingleDisruptionMode {};
CAPSTAN_EXPORT bool operator==(const WorkloadPodGroupSingleDisruptionMode& a,
                               const WorkloadPodGroupSingleDisruptionMode& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const WorkloadPodGroupSingleDisruptionMode*);

// WorkloadPodGroupAllDisruptionMode indicates that all pods in the group must be disrupted
// together.
struct CAPSTAN_EXPORT WorkloadPodGroupAllDisruptionMode {};
CAPSTAN_EXPORT bool operator==(const WorkloadPodGroupAllDisruptionMode& a,
                               const WorkloadPodGroupAllDisruptionMode& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const WorkloadPodGroupAllDisruptionMode*);

// WorkloadPodGroupDisruptionMode defines how individual pods within a group can be disrupted.
// Exactly one mode must be set.
struct CAPSTAN_EXPORT WorkloadPodGroupDisruptionMode {
  // single specifies that pods can be disrupted independently from each other.
  Boxed<WorkloadPodGroupSingleDisruptionMode> single = {};
  // all specifies that all pods in the group must be disrupted together.
  Boxed<WorkloadPodGroupAllDisruptionMode> all = {};
};
CAPSTAN_EXPORT bool operator==(const WorkloadPodGroupDisruptionMode& a,
                               const WorkloadPodGroupDisruptionMode& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const WorkloadPodGroupDisruptionMode*);

}  // namespace capstan::api::scheduling::v1alpha3

extern template class capstan::Boxed<
    capstan::api::scheduling::v1alpha3::WorkloadPodGroupSingleDisruptionMode>;
extern template class capstan::Boxed<
    capstan::api::scheduling::v1alpha3::WorkloadPodGroupAllDisruptionMode>;
extern template class capstan::Boxed<
    capstan::api::scheduling::v1alpha3::WorkloadPodGroupDisruptionMode>;
