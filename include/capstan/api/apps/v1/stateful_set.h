// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "capstan/api/core/v1/persistent_volume_claim.h"
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

// RollingUpdateStatefulSetStrategy is used to communicate parameter for
// RollingUpdateStatefulSetStrategyType.
struct CAPSTAN_EXPORT RollingUpdateStatefulSetStrategy {
  // Partition indicates the ordinal at which the StatefulSet should be partitioned for updates.
  // During a rolling update, all pods from ordinal Replicas-1 to Partition are updated. All pods
  // from ordinal Partition-1 to 0 remain untouched. This is helpful in being able to do a canary
  // based deployment. The default value is 0.
  std::optional<std::int32_t> partition = {};
  // The maximum number of pods that can be unavailable during the update. Value can be an absolute
  // number (ex: 5) or a percentage of desired pods (ex: 10%). Absolute number is calculated from
  // percentage by rounding up. This can not be 0. Defaults to 1. This field is beta-level and is
  // enabled by default. The field applies to all pods in the range 0 to Replicas-1. That means if
  // there is any unavailable pod in the range 0 to Replicas-1, it will be counted towards
  // MaxUnavailable. This setting might not be effective for the OrderedReady podManagementPolicy.
  // That policy ensures pods are created and become ready one at a time.
  std::optional<IntOrString> max_unavailable = {};
};
CAPSTAN_EXPORT bool operator==(const RollingUpdateStatefulSetStrategy& a,
                               const RollingUpdateStatefulSetStrategy& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const RollingUpdateStatefulSetStrategy*);

// StatefulSetUpdateStrategyType is a string enumeration type that enumerates all possible update
// strategies for the StatefulSet controller.
// RollingUpdateStatefulSetStrategyType indicates that update will be applied to all Pods in the
// StatefulSet with respect to the StatefulSet ordering constraints. When a scale operation is
// performed with this strategy, new Pods will be created from the specification version indicated
// by the StatefulSet's updateRevision.
inline constexpr std::string_view kRollingUpdateStatefulSetStrategyType = "RollingUpdate";
// OnDeleteStatefulSetStrategyType disables ordered rolling restarts. Version tracking is done on a
// best-effort basis - the controller will try to eventually converge StatefulSet's currentRevision
// with updateRevision. Pods are recreated from the StatefulSetSpec when they are manually deleted.
// When a scale operation is performed with this strategy, new Pods will be created from the
// specification version indicated by the StatefulSet's updateRevision.
inline constexpr std::string_view kOnDeleteStatefulSetStrategyType = "OnDelete";
// RecreateStatefulSetStrategyType indicates that all existing pods will be deleted and fully
// terminated before any new-revision pods are created. This ensures that old and new revision Pods
// never run at the same time. This is an alpha type and requires enabling
// StatefulSetRecreateStrategy feature gate. Switching to the Recreate strategy is allowed when the
// feature gate is enabled, and switching away from it to a different update strategy is also
// allowed.
inline constexpr std::string_view kRecreateStatefulSetStrategyType = "Recreate";

// StatefulSetUpdateStrategy indicates the strategy that the StatefulSet controller will use to
// perform updates. It includes any additional parameters necessary to perform the update for the
// indicated strategy.
struct CAPSTAN_EXPORT StatefulSetUpdateStrategy {
  // Type indicates the type of the StatefulSetUpdateStrategy. Default is RollingUpdate.
  std::string type = {};
  // RollingUpdate is used to communicate parameters when Type is
  // RollingUpdateStatefulSetStrategyType.
  Boxed<RollingUpdateStatefulSetStrategy> rolling_update = {};
};
CAPSTAN_EXPORT bool operator==(const StatefulSetUpdateStrategy& a,
                               const StatefulSetUpdateStrategy& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const StatefulSetUpdateStrategy*);

// PersistentVolumeClaimRetentionPolicyType is a string enumeration of the policies that will
// determine when volumes from the VolumeClaimTemplates will be deleted when the controlling
// StatefulSet is deleted or scaled down.
// RetainPersistentVolumeClaimRetentionPolicyType is the default
// PersistentVolumeClaimRetentionPolicy and specifies that PersistentVolumeClaims associated with
// StatefulSet VolumeClaimTemplates will not be deleted.
inline constexpr std::string_view kRetainPersistentVolumeClaimRetentionPolicyType = "Retain";
// DeletePersistentVolumeClaimRetentionPolicyType specifies that PersistentVolumeClaims associated
// with StatefulSet VolumeClaimTemplates will be deleted in the scenario specified in
// StatefulSetPersistentVolumeClaimRetentionPolicy.
inline constexpr std::string_view kDeletePersistentVolumeClaimRetentionPolicyType = "Delete";

// StatefulSetPersistentVolumeClaimRetentionPolicy describes the policy used for PVCs created from
// the StatefulSet VolumeClaimTemplates.
struct CAPSTAN_EXPORT StatefulSetPersistentVolumeClaimRetentionPolicy {
  // WhenDeleted specifies what happens to PVCs created from StatefulSet VolumeClaimTemplates when
  // the StatefulSet is deleted. The default policy of `Retain` causes PVCs to not be affected by
  // StatefulSet deletion. The `Delete` policy causes those PVCs to be deleted.
  std::string when_deleted = {};
  // WhenScaled specifies what happens to PVCs created from StatefulSet VolumeClaimTemplates when
  // the StatefulSet is scaled down. The default policy of `Retain` causes PVCs to not be affected
  // by a scaledown. The `Delete` policy causes the associated PVCs for any excess pods above the
  // replica count to be deleted.
  std::string when_scaled = {};
};
CAPSTAN_EXPORT bool operator==(const StatefulSetPersistentVolumeClaimRetentionPolicy& a,
                               const StatefulSetPersistentVolumeClaimRetentionPolicy& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(
    const StatefulSetPersistentVolumeClaimRetentionPolicy*);

// StatefulSetOrdinals describes the policy used for replica ordinal assignment in this StatefulSet.
struct CAPSTAN_EXPORT StatefulSetOrdinals {
  // start is the number representing the first replica's index. It may be used to number replicas
  // from an alternate index (eg: 1-indexed) over the default 0-indexed names, or to orchestrate
  // progressive movement of replicas from one StatefulSet to another. If set, replica indices will
  // be in the range:
  // [.spec.ordinals.start, .spec.ordinals.start + .spec.replicas). If unset, defaults to 0. Replica
  // indices will be in the range:
  // [0, .spec.replicas).
  std::int32_t start = {};
};
CAPSTAN_EXPORT bool operator==(const StatefulSetOrdinals& a, const StatefulSetOrdinals& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const StatefulSetOrdinals*);

// PodManagementPolicyType defines the policy for creating pods under a stateful set.
// OrderedReadyPodManagement will create pods in strictly increasing order on scale up and strictly
// decreasing order on scale down, progressing only when the previous pod is ready or terminated. At
// most one pod will be changed at any time.
inline constexpr std::string_view kOrderedReadyPodManagement = "OrderedReady";
// ParallelPodManagement will create and delete pods as soon as the stateful set replica count is
// changed, and will not wait for pods to be ready or complete termination.
inline constexpr std::string_view kParallelPodManagement = "Parallel";

// A StatefulSetSpec is the specification of a StatefulSet.
struct CAPSTAN_EXPORT StatefulSetSpec {
  std::optional<std::int32_t> replicas = {};
  // selector is a label query over pods that should match the replica count. It must match the pod
  // template's labels. More info:
  // https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
  Boxed<meta::v1::LabelSelector> selector = {};
  // template is the object that describes the pod that will be created if insufficient replicas are
  // detected. Each pod stamped out by the StatefulSet will fulfill this Template, but have a unique
  // identity from the rest of the StatefulSet. Each pod will be named with the format
  // <statefulsetname>-<podindex>. For example, a pod in a StatefulSet named "web" with index number
  // "3" would be named "web-3". The only allowed template.spec.restartPolicy value is "Always".
  core::v1::PodTemplateSpec template_ = {};
  List<core::v1::PersistentVolumeClaim> volume_claim_templates = {};
  // serviceName is the name of the service that governs this StatefulSet. This service must exist
  // before the StatefulSet, and is responsible for the network identity of the set. Pods get
  // DNS/hostnames that follow the pattern:
  // pod-specific-string.serviceName.default.svc.cluster.local where "pod-specific-string" is
  // managed by the StatefulSet controller.
  std::string service_name = {};
  // podManagementPolicy controls how pods are created during initial scale up, when replacing pods
  // on nodes, or when scaling down. The default policy is `OrderedReady`, where pods are created in
  // increasing order (pod-0, then pod-1, etc) and the controller will wait until each pod is ready
  // before continuing. When scaling down, the pods are removed in the opposite order. The
  // alternative policy is `Parallel` which will create pods in parallel to match the desired scale
  // without waiting, and on scale down will delete all pods at once.
  std::string pod_management_policy = {};
  // updateStrategy indicates the StatefulSetUpdateStrategy that will be employed to update Pods in
  // the StatefulSet when a revision is made to Template.
  StatefulSetUpdateStrategy update_strategy = {};
  // revisionHistoryLimit is the maximum number of revisions that will be maintained in the
  // StatefulSet's revision history. The revision history consists of all revisions not represented
  // by a currently applied StatefulSetSpec version. The default value is 10.
  std::optional<std::int32_t> revision_history_limit = {};
  // Minimum number of seconds for which a newly created pod should be ready without any of its
  // container crashing for it to be considered available. Defaults to 0 (pod will be considered
  // available as soon as it is ready)
  std::int32_t min_ready_seconds = {};
  // persistentVolumeClaimRetentionPolicy describes the lifecycle of persistent volume claims
  // created from volumeClaimTemplates. By default, all persistent volume claims are created as
  // needed and retained until manually deleted. This policy allows the lifecycle to be altered, for
  // example by deleting persistent volume claims when their stateful set is deleted, or when their
  // pod is scaled down.
  Boxed<StatefulSetPersistentVolumeClaimRetentionPolicy> persistent_volume_claim_retention_policy =
      {};
  // ordinals controls the numbering of replica indices in a StatefulSet. The default ordinals
  // behavior assigns a "0" index to the first replica and increments the index by one for each
  // additional replica requested.
  Boxed<StatefulSetOrdinals> ordinals = {};
};
CAPSTAN_EXPORT bool operator==(const StatefulSetSpec& a, const StatefulSetSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const StatefulSetSpec*);

// StatefulSetProgressing means the StatefulSet is progressing through an update. This condition is
// an alpha type and requires enabling StatefulSetRecreateStrategy feature gate.
inline constexpr std::string_view kStatefulSetProgressing = "Progressing";

// StatefulSetCondition describes the state of a statefulset at a certain point.
struct CAPSTAN_EXPORT StatefulSetCondition {
  // Type of statefulset condition.
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
CAPSTAN_EXPORT bool operator==(const StatefulSetCondition& a, const StatefulSetCondition& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const StatefulSetCondition*);

// StatefulSetStatus represents the current state of a StatefulSet.
struct CAPSTAN_EXPORT StatefulSetStatus {
  // observedGeneration is the most recent generation observed for this StatefulSet. It corresponds
  // to the StatefulSet's generation, which is updated on mutation by the API Server.
  std::int64_t observed_generation = {};
  // replicas is the number of Pods created by the StatefulSet controller.
  std::int32_t replicas = {};
  // readyReplicas is the number of pods created for this StatefulSet with a Ready Condition.
  std::int32_t ready_replicas = {};
  // currentReplicas is the number of Pods created by the StatefulSet controller from the
  // StatefulSet version indicated by currentRevision.
  std::int32_t current_replicas = {};
  // updatedReplicas is the number of Pods created by the StatefulSet controller from the
  // StatefulSet version indicated by updateRevision.
  std::int32_t updated_replicas = {};
  // currentRevision, if not empty, indicates the version of the StatefulSet used to generate Pods
  // in the sequence [0,currentReplicas).
  std::string current_revision = {};
  // updateRevision, if not empty, indicates the version of the StatefulSet used to generate Pods in
  // the sequence [replicas-updatedReplicas,replicas)
  std::string update_revision = {};
  // collisionCount is the count of hash collisions for the StatefulSet. The StatefulSet controller
  // uses this field as a collision avoidance mechanism when it needs to create the name for the
  // newest ControllerRevision.
  std::optional<std::int32_t> collision_count = {};
  // Represents the latest available observations of a statefulset's current state.
  List<StatefulSetCondition> conditions = {};
  // Total number of available pods (ready for at least minReadySeconds) targeted by this
  // statefulset.
  std::int32_t available_replicas = {};
};
CAPSTAN_EXPORT bool operator==(const StatefulSetStatus& a, const StatefulSetStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const StatefulSetStatus*);

// StatefulSet represents a set of pods with consistent identities. Identities are defined as:
// - Network: A single stable DNS and hostname.
// - Storage: As many VolumeClaims as requested.
// The StatefulSet guarantees that a given network identity will always map to the same storage
// identity.
struct CAPSTAN_EXPORT StatefulSet {
  // Standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // Spec defines the desired identities of pods in this set.
  StatefulSetSpec spec = {};
  // Status is the current status of Pods in this StatefulSet. This data may be out of date by some
  // window of time.
  StatefulSetStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const StatefulSet& a, const StatefulSet& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const StatefulSet*);

}  // namespace capstan::api::apps::v1

extern template class capstan::Boxed<capstan::api::apps::v1::RollingUpdateStatefulSetStrategy>;
extern template class capstan::Boxed<
    capstan::api::apps::v1::StatefulSetPersistentVolumeClaimRetentionPolicy>;
extern template class capstan::Boxed<capstan::api::apps::v1::StatefulSetOrdinals>;
extern template class capstan::List<capstan::api::apps::v1::StatefulSetCondition>;

template <>
inline constexpr auto capstan::kKind<capstan::api::apps::v1::StatefulSet> =
    capstan::Kind("apps", "v1", "StatefulSet", "statefulsets").Namespaced().Whole().Spec().Status();
