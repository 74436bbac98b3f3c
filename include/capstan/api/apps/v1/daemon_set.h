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
#include "capstan/int_or_string.h"
#include "capstan/kind.h"
#include "capstan/list.h"
#include "capstan/object_meta.h"
#include "capstan/time.h"

namespace capstan::api::apps::v1 {

// Spec to control the desired behavior of daemon set rolling update.
struct CAPSTAN_EXPORT RollingUpdateDaemonSet {
  // The maximum number of DaemonSet pods that can be unavailable during the update. Value can be an
  // absolute number (ex: 5) or a percentage of total number of DaemonSet pods at the start of the
  // update (ex: 10%). Absolute number is calculated from percentage by rounding up. This cannot be
  // 0 if MaxSurge is 0 Default value is 1. Example: when this is set to 30%, at most 30% of the
  // total number of nodes that should be running the daemon pod (i.e.
  // status.desiredNumberScheduled) can have their pods stopped for an update at any given time. The
  // update starts by stopping at most 30% of those DaemonSet pods and then brings up new DaemonSet
  // pods in their place. Once the new pods are available, it then proceeds onto other DaemonSet
  // pods, thus ensuring that at least 70% of original number of DaemonSet pods are available at all
  // times during the update.
  std::optional<IntOrString> max_unavailable = {};
  // The maximum number of nodes with an existing available DaemonSet pod that can have an updated
  // DaemonSet pod during during an update. Value can be an absolute number (ex: 5) or a percentage
  // of desired pods (ex: 10%). This can not be 0 if MaxUnavailable is 0. Absolute number is
  // calculated from percentage by rounding up to a minimum of 1. Default value is 0. Example: when
  // this is set to 30%, at most 30% of the total number of nodes that should be running the daemon
  // pod (i.e. status.desiredNumberScheduled) can have their a new pod created before the old pod is
  // marked as deleted. The update starts by launching new pods on 30% of nodes. Once an updated pod
  // is available (Ready for at least minReadySeconds) the old DaemonSet pod on that node is marked
  // deleted. If the old pod becomes unavailable for any reason (Ready transitions to false, is
  // evicted, or is drained) an updated pod is immediately created on that node without considering
  // surge limits. Allowing surge implies the possibility that the resources consumed by the
  // daemonset on any given node can double if the readiness check fails, and so resource intensive
  // daemonsets should take into account that they may cause evictions during disruption.
  std::optional<IntOrString> max_surge = {};
};
CAPSTAN_EXPORT bool operator==(const RollingUpdateDaemonSet& a, const RollingUpdateDaemonSet& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const RollingUpdateDaemonSet*);

// Replace the old daemons by new ones using rolling update i.e replace them on each node one after
// the other.
inline constexpr std::string_view kRollingUpdateDaemonSetStrategyType = "RollingUpdate";
// Replace the old daemons only when it's killed
inline constexpr std::string_view kOnDeleteDaemonSetStrategyType = "OnDelete";

// DaemonSetUpdateStrategy is a struct used to control the update strategy for a DaemonSet.
struct CAPSTAN_EXPORT DaemonSetUpdateStrategy {
  // Type of daemon set update. Can be "RollingUpdate" or "OnDelete". Default is RollingUpdate.
  std::string type = {};
  // Rolling update config params. Present only if type = "RollingUpdate".
  Boxed<RollingUpdateDaemonSet> rolling_update = {};
};
CAPSTAN_EXPORT bool operator==(const DaemonSetUpdateStrategy& a, const DaemonSetUpdateStrategy& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DaemonSetUpdateStrategy*);

// DaemonSetSpec is the specification of a daemon set.
struct CAPSTAN_EXPORT DaemonSetSpec {
  // A label query over pods that are managed by the daemon set. Must match in order to be
  // controlled. It must match the pod template's labels. More info:
  // https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
  Boxed<meta::v1::LabelSelector> selector = {};
  // An object that describes the pod that will be created. The DaemonSet will create exactly one
  // copy of this pod on every node that matches the template's node selector (or on every node if
  // no node selector is specified). The only allowed template.spec.restartPolicy value is "Always".
  // More info:
  // https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller#pod-template
  core::v1::PodTemplateSpec template_ = {};
  // An update strategy to replace existing DaemonSet pods with new pods.
  DaemonSetUpdateStrategy update_strategy = {};
  // The minimum number of seconds for which a newly created DaemonSet pod should be ready without
  // any of its container crashing, for it to be considered available. Defaults to 0 (pod will be
  // considered available as soon as it is ready).
  std::int32_t min_ready_seconds = {};
  // The number of old history to retain to allow rollback. This is a pointer to distinguish between
  // explicit zero and not specified. Defaults to 10.
  std::optional<std::int32_t> revision_history_limit = {};
};
CAPSTAN_EXPORT bool operator==(const DaemonSetSpec& a, const DaemonSetSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DaemonSetSpec*);

// DefaultDeploymentUniqueLabelKey is the default key of the selector that is added to existing
// ReplicaSets (and label key that is added to its pods) to prevent the existing ReplicaSets to
// select new pods (and old pods being select by new ReplicaSet).
inline constexpr std::string_view kDefaultDeploymentUniqueLabelKey = "pod-template-hash";

// DaemonSetCondition describes the state of a DaemonSet at a certain point.
struct CAPSTAN_EXPORT DaemonSetCondition {
  // Type of DaemonSet condition.
  std::string type = {};
  // Status of the condition, one of True, False, Unknown.
  std::string status = {};
  // Last time the condition transitioned from one status to another.
  std::optional<Time> last_transition_time = {};
  // The reason for the condition's last transition.
  std::string reason = {};
  // A human readable message indicating details about the transition.
  std::string message = {};
};
CAPSTAN_EXPORT bool operator==(const DaemonSetCondition& a, const DaemonSetCondition& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DaemonSetCondition*);

// DaemonSetStatus represents the current status of a daemon set.
struct CAPSTAN_EXPORT DaemonSetStatus {
  // The number of nodes that are running at least 1 daemon pod and are supposed to run the daemon
  // pod. More info: https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/
  std::int32_t current_number_scheduled = {};
  // The number of nodes that are running the daemon pod, but are not supposed to run the daemon
  // pod. More info: https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/
  std::int32_t number_misscheduled = {};
  // The total number of nodes that should be running the daemon pod (including nodes correctly
  // running the daemon pod). More info:
  // https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/
  std::int32_t desired_number_scheduled = {};
  // numberReady is the number of nodes that should be running the daemon pod and have one or more
  // of the daemon pod running with a Ready Condition.
  std::int32_t number_ready = {};
  // The most recent generation observed by the daemon set controller.
  std::int64_t observed_generation = {};
  // The total number of nodes that are running updated daemon pod
  std::int32_t updated_number_scheduled = {};
  // The number of nodes that should be running the daemon pod and have one or more of the daemon
  // pod running and available (ready for at least spec.minReadySeconds)
  std::int32_t number_available = {};
  // The number of nodes that should be running the daemon pod and have none of the daemon pod
  // running and available (ready for at least spec.minReadySeconds)
  std::int32_t number_unavailable = {};
  // Count of hash collisions for the DaemonSet. The DaemonSet controller uses this field as a
  // collision avoidance mechanism when it needs to create the name for the newest
  // ControllerRevision.
  std::optional<std::int32_t> collision_count = {};
  // Represents the latest available observations of a DaemonSet's current state.
  List<DaemonSetCondition> conditions = {};
};
CAPSTAN_EXPORT bool operator==(const DaemonSetStatus& a, const DaemonSetStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DaemonSetStatus*);

// DaemonSet represents the configuration of a daemon set.
struct CAPSTAN_EXPORT DaemonSet {
  // Standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // The desired behavior of this daemon set. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  DaemonSetSpec spec = {};
  // The current status of this daemon set. This data may be out of date by some window of time.
  // Populated by the system. Read-only. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  DaemonSetStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const DaemonSet& a, const DaemonSet& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DaemonSet*);

}  // namespace capstan::api::apps::v1

extern template class capstan::Boxed<capstan::api::apps::v1::RollingUpdateDaemonSet>;
extern template class capstan::List<capstan::api::apps::v1::DaemonSetCondition>;

template <>
inline constexpr auto capstan::kKind<capstan::api::apps::v1::DaemonSet> =
    capstan::Kind("apps", "v1", "DaemonSet", "daemonsets").Namespaced().Whole().Spec().Status();
