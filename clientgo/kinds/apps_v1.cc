// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2.
#include "capstan/api/apps/v1/controller_revision.h"
#include "capstan/api/apps/v1/daemon_set.h"
#include "capstan/api/apps/v1/deployment.h"
#include "capstan/api/apps/v1/replica_set.h"
#include "capstan/api/apps/v1/stateful_set.h"
#include "capstan/generated.h"

// clang-format off
namespace capstan::api::apps::v1 {

CAPSTAN_LAYOUT(ControllerRevision,
    CAPSTAN_PART(ControllerRevision, "metadata", metadata, kMetadata),
    CAPSTAN_REQUIRED(ControllerRevision, "data", data),
    CAPSTAN_REQUIRED(ControllerRevision, "revision", revision))

CAPSTAN_LAYOUT(RollingUpdateDaemonSet,
    CAPSTAN_FIELD(RollingUpdateDaemonSet, "maxUnavailable", max_unavailable),
    CAPSTAN_FIELD(RollingUpdateDaemonSet, "maxSurge", max_surge))

CAPSTAN_LAYOUT(DaemonSetUpdateStrategy,
    CAPSTAN_FIELD(DaemonSetUpdateStrategy, "type", type),
    CAPSTAN_FIELD(DaemonSetUpdateStrategy, "rollingUpdate", rolling_update))

CAPSTAN_LAYOUT(DaemonSetSpec,
    CAPSTAN_REQUIRED(DaemonSetSpec, "selector", selector),
    CAPSTAN_REQUIRED(DaemonSetSpec, "template", template_),
    CAPSTAN_FIELD(DaemonSetSpec, "updateStrategy", update_strategy),
    CAPSTAN_NUMBER(DaemonSetSpec, "minReadySeconds", min_ready_seconds),
    CAPSTAN_FIELD(DaemonSetSpec, "revisionHistoryLimit", revision_history_limit))

CAPSTAN_LAYOUT(DaemonSetCondition,
    CAPSTAN_REQUIRED(DaemonSetCondition, "type", type),
    CAPSTAN_REQUIRED(DaemonSetCondition, "status", status),
    CAPSTAN_FIELD(DaemonSetCondition, "lastTransitionTime", last_transition_time),
    CAPSTAN_FIELD(DaemonSetCondition, "reason", reason),
    CAPSTAN_FIELD(DaemonSetCondition, "message", message))

CAPSTAN_LAYOUT(DaemonSetStatus,
    CAPSTAN_REQUIRED(DaemonSetStatus, "currentNumberScheduled", current_number_scheduled),
    CAPSTAN_REQUIRED(DaemonSetStatus, "numberMisscheduled", number_misscheduled),
    CAPSTAN_REQUIRED(DaemonSetStatus, "desiredNumberScheduled", desired_number_scheduled),
    CAPSTAN_REQUIRED(DaemonSetStatus, "numberReady", number_ready),
    CAPSTAN_NUMBER(DaemonSetStatus, "observedGeneration", observed_generation),
    CAPSTAN_NUMBER(DaemonSetStatus, "updatedNumberScheduled", updated_number_scheduled),
    CAPSTAN_NUMBER(DaemonSetStatus, "numberAvailable", number_available),
    CAPSTAN_NUMBER(DaemonSetStatus, "numberUnavailable", number_unavailable),
    CAPSTAN_FIELD(DaemonSetStatus, "collisionCount", collision_count),
    CAPSTAN_FIELD(DaemonSetStatus, "conditions", conditions))

CAPSTAN_LAYOUT(DaemonSet,
    CAPSTAN_PART(DaemonSet, "metadata", metadata, kMetadata),
    CAPSTAN_PART(DaemonSet, "spec", spec, kSpec),
    CAPSTAN_PART(DaemonSet, "status", status, kStatus))

CAPSTAN_LAYOUT(RollingUpdateDeployment,
    CAPSTAN_FIELD(RollingUpdateDeployment, "maxUnavailable", max_unavailable),
    CAPSTAN_FIELD(RollingUpdateDeployment, "maxSurge", max_surge))

CAPSTAN_LAYOUT(DeploymentStrategy,
    CAPSTAN_FIELD(DeploymentStrategy, "type", type),
    CAPSTAN_FIELD(DeploymentStrategy, "rollingUpdate", rolling_update))

CAPSTAN_LAYOUT(DeploymentSpec,
    CAPSTAN_FIELD(DeploymentSpec, "replicas", replicas),
    CAPSTAN_REQUIRED(DeploymentSpec, "selector", selector),
    CAPSTAN_REQUIRED(DeploymentSpec, "template", template_),
    CAPSTAN_FIELD(DeploymentSpec, "strategy", strategy),
    CAPSTAN_NUMBER(DeploymentSpec, "minReadySeconds", min_ready_seconds),
    CAPSTAN_FIELD(DeploymentSpec, "revisionHistoryLimit", revision_history_limit),
    CAPSTAN_NUMBER(DeploymentSpec, "paused", paused),
    CAPSTAN_FIELD(DeploymentSpec, "progressDeadlineSeconds", progress_deadline_seconds))

CAPSTAN_LAYOUT(DeploymentCondition,
    CAPSTAN_REQUIRED(DeploymentCondition, "type", type),
    CAPSTAN_REQUIRED(DeploymentCondition, "status", status),
    CAPSTAN_FIELD(DeploymentCondition, "lastUpdateTime", last_update_time),
    CAPSTAN_FIELD(DeploymentCondition, "lastTransitionTime", last_transition_time),
    CAPSTAN_FIELD(DeploymentCondition, "reason", reason),
    CAPSTAN_FIELD(DeploymentCondition, "message", message))

CAPSTAN_LAYOUT(DeploymentStatus,
    CAPSTAN_NUMBER(DeploymentStatus, "observedGeneration", observed_generation),
    CAPSTAN_NUMBER(DeploymentStatus, "replicas", replicas),
    CAPSTAN_NUMBER(DeploymentStatus, "updatedReplicas", updated_replicas),
    CAPSTAN_NUMBER(DeploymentStatus, "readyReplicas", ready_replicas),
    CAPSTAN_NUMBER(DeploymentStatus, "availableReplicas", available_replicas),
    CAPSTAN_NUMBER(DeploymentStatus, "unavailableReplicas", unavailable_replicas),
    CAPSTAN_FIELD(DeploymentStatus, "terminatingReplicas", terminating_replicas),
    CAPSTAN_FIELD(DeploymentStatus, "conditions", conditions),
    CAPSTAN_FIELD(DeploymentStatus, "collisionCount", collision_count))

CAPSTAN_LAYOUT(Deployment,
    CAPSTAN_PART(Deployment, "metadata", metadata, kMetadata),
    CAPSTAN_PART(Deployment, "spec", spec, kSpec),
    CAPSTAN_PART(Deployment, "status", status, kStatus))

CAPSTAN_LAYOUT(ReplicaSetSpec,
    CAPSTAN_FIELD(ReplicaSetSpec, "replicas", replicas),
    CAPSTAN_NUMBER(ReplicaSetSpec, "minReadySeconds", min_ready_seconds),
    CAPSTAN_REQUIRED(ReplicaSetSpec, "selector", selector),
    CAPSTAN_FIELD(ReplicaSetSpec, "template", template_))

CAPSTAN_LAYOUT(ReplicaSetCondition,
    CAPSTAN_REQUIRED(ReplicaSetCondition, "type", type),
    CAPSTAN_REQUIRED(ReplicaSetCondition, "status", status),
    CAPSTAN_FIELD(ReplicaSetCondition, "lastTransitionTime", last_transition_time),
    CAPSTAN_FIELD(ReplicaSetCondition, "reason", reason),
    CAPSTAN_FIELD(ReplicaSetCondition, "message", message))

CAPSTAN_LAYOUT(ReplicaSetStatus,
    CAPSTAN_REQUIRED(ReplicaSetStatus, "replicas", replicas),
    CAPSTAN_NUMBER(ReplicaSetStatus, "fullyLabeledReplicas", fully_labeled_replicas),
    CAPSTAN_NUMBER(ReplicaSetStatus, "readyReplicas", ready_replicas),
    CAPSTAN_NUMBER(ReplicaSetStatus, "availableReplicas", available_replicas),
    CAPSTAN_FIELD(ReplicaSetStatus, "terminatingReplicas", terminating_replicas),
    CAPSTAN_NUMBER(ReplicaSetStatus, "observedGeneration", observed_generation),
    CAPSTAN_FIELD(ReplicaSetStatus, "conditions", conditions))

CAPSTAN_LAYOUT(ReplicaSet,
    CAPSTAN_PART(ReplicaSet, "metadata", metadata, kMetadata),
    CAPSTAN_PART(ReplicaSet, "spec", spec, kSpec),
    CAPSTAN_PART(ReplicaSet, "status", status, kStatus))

CAPSTAN_LAYOUT(RollingUpdateStatefulSetStrategy,
    CAPSTAN_FIELD(RollingUpdateStatefulSetStrategy, "partition", partition),
    CAPSTAN_FIELD(RollingUpdateStatefulSetStrategy, "maxUnavailable", max_unavailable))

CAPSTAN_LAYOUT(StatefulSetUpdateStrategy,
    CAPSTAN_FIELD(StatefulSetUpdateStrategy, "type", type),
    CAPSTAN_FIELD(StatefulSetUpdateStrategy, "rollingUpdate", rolling_update))

CAPSTAN_LAYOUT(StatefulSetPersistentVolumeClaimRetentionPolicy,
    CAPSTAN_FIELD(StatefulSetPersistentVolumeClaimRetentionPolicy, "whenDeleted", when_deleted),
    CAPSTAN_FIELD(StatefulSetPersistentVolumeClaimRetentionPolicy, "whenScaled", when_scaled))

CAPSTAN_LAYOUT(StatefulSetOrdinals,
    CAPSTAN_REQUIRED(StatefulSetOrdinals, "start", start))

CAPSTAN_LAYOUT(StatefulSetSpec,
    CAPSTAN_FIELD(StatefulSetSpec, "replicas", replicas),
    CAPSTAN_REQUIRED(StatefulSetSpec, "selector", selector),
    CAPSTAN_REQUIRED(StatefulSetSpec, "template", template_),
    CAPSTAN_FIELD(StatefulSetSpec, "volumeClaimTemplates", volume_claim_templates),
    CAPSTAN_REQUIRED(StatefulSetSpec, "serviceName", service_name),
    CAPSTAN_FIELD(StatefulSetSpec, "podManagementPolicy", pod_management_policy),
    CAPSTAN_FIELD(StatefulSetSpec, "updateStrategy", update_strategy),
    CAPSTAN_FIELD(StatefulSetSpec, "revisionHistoryLimit", revision_history_limit),
    CAPSTAN_NUMBER(StatefulSetSpec, "minReadySeconds", min_ready_seconds),
    CAPSTAN_FIELD(StatefulSetSpec, "persistentVolumeClaimRetentionPolicy", persistent_volume_claim_retention_policy),
    CAPSTAN_FIELD(StatefulSetSpec, "ordinals", ordinals))

CAPSTAN_LAYOUT(StatefulSetCondition,
    CAPSTAN_REQUIRED(StatefulSetCondition, "type", type),
    CAPSTAN_REQUIRED(StatefulSetCondition, "status", status),
    CAPSTAN_FIELD(StatefulSetCondition, "lastTransitionTime", last_transition_time),
    CAPSTAN_FIELD(StatefulSetCondition, "reason", reason),
    CAPSTAN_FIELD(StatefulSetCondition, "message", message))

CAPSTAN_LAYOUT(StatefulSetStatus,
    CAPSTAN_NUMBER(StatefulSetStatus, "observedGeneration", observed_generation),
    CAPSTAN_REQUIRED(StatefulSetStatus, "replicas", replicas),
    CAPSTAN_NUMBER(StatefulSetStatus, "readyReplicas", ready_replicas),
    CAPSTAN_NUMBER(StatefulSetStatus, "currentReplicas", current_replicas),
    CAPSTAN_NUMBER(StatefulSetStatus, "updatedReplicas", updated_replicas),
    CAPSTAN_FIELD(StatefulSetStatus, "currentRevision", current_revision),
    CAPSTAN_FIELD(StatefulSetStatus, "updateRevision", update_revision),
    CAPSTAN_FIELD(StatefulSetStatus, "collisionCount", collision_count),
    CAPSTAN_FIELD(StatefulSetStatus, "conditions", conditions),
    CAPSTAN_REQUIRED(StatefulSetStatus, "availableReplicas", available_replicas))

CAPSTAN_LAYOUT(StatefulSet,
    CAPSTAN_PART(StatefulSet, "metadata", metadata, kMetadata),
    CAPSTAN_PART(StatefulSet, "spec", spec, kSpec),
    CAPSTAN_PART(StatefulSet, "status", status, kStatus))

}  // namespace capstan::api::apps::v1

template class capstan::Boxed<capstan::api::apps::v1::RollingUpdateDaemonSet>;
template class capstan::List<capstan::api::apps::v1::DaemonSetCondition>;
template class capstan::Boxed<capstan::api::apps::v1::RollingUpdateDeployment>;
template class capstan::List<capstan::api::apps::v1::DeploymentCondition>;
template class capstan::List<capstan::api::apps::v1::ReplicaSetCondition>;
template class capstan::Boxed<capstan::api::apps::v1::RollingUpdateStatefulSetStrategy>;
template class capstan::Boxed<capstan::api::apps::v1::StatefulSetPersistentVolumeClaimRetentionPolicy>;
template class capstan::Boxed<capstan::api::apps::v1::StatefulSetOrdinals>;
template class capstan::List<capstan::api::apps::v1::StatefulSetCondition>;
