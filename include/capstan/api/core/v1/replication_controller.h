// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "capstan/api/core/v1/pod_template_spec.h"
#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/list.h"
#include "capstan/object_meta.h"
#include "capstan/time.h"

namespace capstan::api::core::v1 {

// ReplicationControllerSpec is the specification of a replication controller.
struct CAPSTAN_EXPORT ReplicationControllerSpec {
  // Replicas is the number of desired replicas. This is a pointer to distinguish between explicit
  // zero and unspecified. Defaults to 1. More info:
  // https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller#what-is-a-replicationcontroller
  std::optional<std::int32_t> replicas = {};
  // Minimum number of seconds for which a newly created pod should be ready without any of its
  // container crashing, for it to be considered available. Defaults to 0 (pod will be considered
  // available as soon as it is ready)
  std::int32_t min_ready_seconds = {};
  // Selector is a label query over pods that should match the Replicas count. If Selector is empty,
  // it is defaulted to the labels present on the Pod template. Label keys and values that must
  // match in order to be controlled by this replication controller, if empty defaulted to labels on
  // Pod template. More info:
  // https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
  std::map<std::string, std::string> selector = {};
  // Template is the object that describes the pod that will be created if insufficient replicas are
  // detected. This takes precedence over a TemplateRef. The only allowed
  // template.spec.restartPolicy value is "Always". More info:
  // https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller#pod-template
  Boxed<PodTemplateSpec> template_ = {};
};
CAPSTAN_EXPORT bool operator==(const ReplicationControllerSpec& a,
                               const ReplicationControllerSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ReplicationControllerSpec*);

// ReplicationControllerReplicaFailure is added in a replication controller when one of its pods
// fails to be created due to insufficient quota, limit ranges, pod security policy, node selectors,
// etc. or deleted due to kubelet being down or finalizers are failing.
inline constexpr std::string_view kReplicationControllerReplicaFailure = "ReplicaFailure";

// ReplicationControllerCondition describes the state of a replication controller at a certain
// point.
struct CAPSTAN_EXPORT ReplicationControllerCondition {
  // Type of replication controller condition.
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
CAPSTAN_EXPORT bool operator==(const ReplicationControllerCondition& a,
                               const ReplicationControllerCondition& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ReplicationControllerCondition*);

// ReplicationControllerStatus represents the current status of a replication controller.
struct CAPSTAN_EXPORT ReplicationControllerStatus {
  // Replicas is the most recently observed number of replicas. More info:
  // https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller#what-is-a-replicationcontroller
  std::int32_t replicas = {};
  // The number of pods that have labels matching the labels of the pod template of the replication
  // controller.
  std::int32_t fully_labeled_replicas = {};
  // The number of ready replicas for this replication controller.
  std::int32_t ready_replicas = {};
  // The number of available replicas (ready for at least minReadySeconds) for this replication
  // controller.
  std::int32_t available_replicas = {};
  // ObservedGeneration reflects the generation of the most recently observed replication
  // controller.
  std::int64_t observed_generation = {};
  // Represents the latest available observations of a replication controller's current state.
  List<ReplicationControllerCondition> conditions = {};
};
CAPSTAN_EXPORT bool operator==(const ReplicationControllerStatus& a,
                               const ReplicationControllerStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ReplicationControllerStatus*);

// ReplicationController represents the configuration of a replication controller.
struct CAPSTAN_EXPORT ReplicationController {
  // If the Labels of a ReplicationController are empty, they are defaulted to be the same as the
  // Pod(s) that the replication controller manages. Standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // Spec defines the specification of the desired behavior of the replication controller. More
  // info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  ReplicationControllerSpec spec = {};
  // Status is the most recently observed status of the replication controller. This data may be out
  // of date by some window of time. Populated by the system. Read-only. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  ReplicationControllerStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const ReplicationController& a, const ReplicationController& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ReplicationController*);

}  // namespace capstan::api::core::v1

extern template class capstan::List<capstan::api::core::v1::ReplicationControllerCondition>;

template <>
inline constexpr auto capstan::kKind<capstan::api::core::v1::ReplicationController> =
    capstan::Kind("", "v1", "ReplicationController", "replicationcontrollers")
        .Namespaced()
        .Whole()
        .Spec()
        .Status();
