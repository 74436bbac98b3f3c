// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "capstan/api/core/v1/pod_template_spec.h"
#include "capstan/api/meta/v1/label_selector.h"
#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/list.h"
#include "capstan/object_meta.h"
#include "capstan/time.h"

namespace capstan::api::apps::v1 {

// ReplicaSetSpec is the specification of a ReplicaSet.
struct CAPSTAN_EXPORT ReplicaSetSpec {
  // Replicas is the number of desired pods. This is a pointer to distinguish between explicit zero
  // and unspecified. Defaults to 1. More info:
  // https://kubernetes.io/docs/concepts/workloads/controllers/replicaset
  std::optional<std::int32_t> replicas = {};
  // Minimum number of seconds for which a newly created pod should be ready without any of its
  // container crashing, for it to be considered available. Defaults to 0 (pod will be considered
  // available as soon as it is ready)
  std::int32_t min_ready_seconds = {};
  // Selector is a label query over pods that should match the replica count. Label keys and values
  // that must match in order to be controlled by this replica set. It must match the pod template's
  // labels. More info:
  // https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
  Boxed<meta::v1::LabelSelector> selector = {};
  // Template is the object that describes the pod that will be created if insufficient replicas are
  // detected. More info:
  // https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/#pod-template
  core::v1::PodTemplateSpec template_ = {};
};
CAPSTAN_EXPORT bool operator==(const ReplicaSetSpec& a, const ReplicaSetSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ReplicaSetSpec*);

// ReplicaSetReplicaFailure is added in a replica set when one of its pods fails to be created due
// to insufficient quota, limit ranges, pod security policy, node selectors, etc. or deleted due to
// kubelet being down or finalizers are failing.
inline constexpr std::string_view kReplicaSetReplicaFailure = "ReplicaFailure";

// ReplicaSetCondition describes the state of a replica set at a certain point.
struct CAPSTAN_EXPORT ReplicaSetCondition {
  // Type of replica set condition.
  std::string type = {};
  // Status of the condition, one of True, False, Unknown.
  std::string status = {};
  // The last time the condition transitioned from one status to another.
  std::optional<Time> last_transition_time = {};
  // The reason for the condition's last transition.
  std::string reason = {};
  // A human readable message indicating details about the transition.
  std::string message = {};
};
CAPSTAN_EXPORT bool operator==(const ReplicaSetCondition& a, const ReplicaSetCondition& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ReplicaSetCondition*);

// ReplicaSetStatus represents the current status of a ReplicaSet.
struct CAPSTAN_EXPORT ReplicaSetStatus {
  // Replicas is the most recently observed number of non-terminating pods. More info:
  // https://kubernetes.io/docs/concepts/workloads/controllers/replicaset
  std::int32_t replicas = {};
  // The number of non-terminating pods that have labels matching the labels of the pod template of
  // the replicaset.
  std::int32_t fully_labeled_replicas = {};
  // The number of non-terminating pods targeted by this ReplicaSet with a Ready Condition.
  std::int32_t ready_replicas = {};
  // The number of available non-terminating pods (ready for at least minReadySeconds) for this
  // replica set.
  std::int32_t available_replicas = {};
  // The number of terminating pods for this replica set. Terminating pods have a non-null
  // .metadata.deletionTimestamp and have not yet reached the Failed or Succeeded .status.phase.
  // This is a beta field and requires enabling DeploymentReplicaSetTerminatingReplicas feature
  // (enabled by default).
  std::optional<std::int32_t> terminating_replicas = {};
  // ObservedGeneration reflects the generation of the most recently observed ReplicaSet.
  std::int64_t observed_generation = {};
  // Represents the latest available observations of a replica set's current state.
  List<ReplicaSetCondition> conditions = {};
};
CAPSTAN_EXPORT bool operator==(const ReplicaSetStatus& a, const ReplicaSetStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ReplicaSetStatus*);

// ReplicaSet ensures that a specified number of pod replicas are running at any given time.
struct CAPSTAN_EXPORT ReplicaSet {
  // If the Labels of a ReplicaSet are empty, they are defaulted to be the same as the Pod(s) that
  // the ReplicaSet manages. Standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // Spec defines the specification of the desired behavior of the ReplicaSet. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  ReplicaSetSpec spec = {};
  // Status is the most recently observed status of the ReplicaSet. This data may be out of date by
  // some window of time. Populated by the system. Read-only. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  ReplicaSetStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const ReplicaSet& a, const ReplicaSet& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ReplicaSet*);

}  // namespace capstan::api::apps::v1

extern template class capstan::List<capstan::api::apps::v1::ReplicaSetCondition>;

template <>
inline constexpr auto capstan::kKind<capstan::api::apps::v1::ReplicaSet> =
    capstan::Kind("apps", "v1", "ReplicaSet", "replicasets").Namespaced().Whole().Spec().Status();
