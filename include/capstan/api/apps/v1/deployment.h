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

// Spec to control the desired behavior of rolling update.
struct CAPSTAN_EXPORT RollingUpdateDeployment {
  // The maximum number of pods that can be unavailable during the update. Value can be an absolute
  // number (ex: 5) or a percentage of desired pods (ex: 10%). Absolute number is calculated from
  // percentage by rounding down. This can not be 0 if MaxSurge is 0. Defaults to 25%. Example: when
  // this is set to 30%, the old ReplicaSet can be scaled down to 70% of desired pods immediately
  // when the rolling update starts. Once new pods are ready, old ReplicaSet can be scaled down
  // further, followed by scaling up the new ReplicaSet, ensuring that the total number of pods
  // available at all times during the update is at least 70% of desired pods.
  std::optional<IntOrString> max_unavailable = {};
  // The maximum number of pods that can be scheduled above the desired number of pods. Value can be
  // an absolute number (ex: 5) or a percentage of desired pods (ex: 10%). This can not be 0 if
  // MaxUnavailable is 0. Absolute number is calculated from percentage by rounding up. Defaults to
  // 25%. Example: when this is set to 30%, the new ReplicaSet can be scaled up immediately when the
  // rolling update starts, such that the total number of old and new pods do not exceed 130% of
  // desired pods. Once old pods have been killed, new ReplicaSet can be scaled up further, ensuring
  // that total number of pods running at any time during the update is at most 130% of desired
  // pods.
  std::optional<IntOrString> max_surge = {};
};
CAPSTAN_EXPORT bool operator==(const RollingUpdateDeployment& a, const RollingUpdateDeployment& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const RollingUpdateDeployment*);

// Kill all existing pods before creating new ones.
inline constexpr std::string_view kRecreateDeploymentStrategyType = "Recreate";
// Replace the old ReplicaSets by new one using rolling update i.e gradually scale down the old
// ReplicaSets and scale up the new one.
inline constexpr std::string_view kRollingUpdateDeploymentStrategyType = "RollingUpdate";

// DeploymentStrategy describes how to replace existing pods with new ones.
struct CAPSTAN_EXPORT DeploymentStrategy {
  // Type of deployment. Can be "Recreate" or "RollingUpdate". Default is RollingUpdate.
  std::string type = {};
  // Rolling update config params. Present only if DeploymentStrategyType = RollingUpdate.
  Boxed<RollingUpdateDeployment> rolling_update = {};
};
CAPSTAN_EXPORT bool operator==(const DeploymentStrategy& a, const DeploymentStrategy& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DeploymentStrategy*);

// DeploymentSpec is the specification of the desired behavior of the Deployment.
struct CAPSTAN_EXPORT DeploymentSpec {
  // Number of desired pods. This is a pointer to distinguish between explicit zero and not
  // specified. Defaults to 1.
  std::optional<std::int32_t> replicas = {};
  // Label selector for pods. Existing ReplicaSets whose pods are selected by this will be the ones
  // affected by this deployment. It must match the pod template's labels.
  Boxed<meta::v1::LabelSelector> selector = {};
  // Template describes the pods that will be created. The only allowed template.spec.restartPolicy
  // value is "Always".
  core::v1::PodTemplateSpec template_ = {};
  // The deployment strategy to use to replace existing pods with new ones.
  DeploymentStrategy strategy = {};
  // Minimum number of seconds for which a newly created pod should be ready without any of its
  // container crashing, for it to be considered available. Defaults to 0 (pod will be considered
  // available as soon as it is ready)
  std::int32_t min_ready_seconds = {};
  // The number of old ReplicaSets to retain to allow rollback. This is a pointer to distinguish
  // between explicit zero and not specified. Defaults to 10.
  std::optional<std::int32_t> revision_history_limit = {};
  // Indicates that the deployment is paused.
  bool paused = {};
  // The maximum time in seconds for a deployment to make progress before it is considered to be
  // failed. The deployment controller will continue to process failed deployments and a condition
  // with a ProgressDeadlineExceeded reason will be surfaced in the deployment status. Note that
  // progress will not be estimated during the time a deployment is paused. Defaults to 600s.
  std::optional<std::int32_t> progress_deadline_seconds = {};
};
CAPSTAN_EXPORT bool operator==(const DeploymentSpec& a, const DeploymentSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DeploymentSpec*);

// Available means the deployment is available, ie. at least the minimum available replicas required
// are up and running for at least minReadySeconds.
inline constexpr std::string_view kDeploymentAvailable = "Available";
// Progressing means the deployment is progressing. Progress for a deployment is considered when a
// new replica set is created or adopted, and when new pods scale up or old pods scale down.
// Progress is not estimated for paused deployments or when progressDeadlineSeconds is not
// specified.
inline constexpr std::string_view kDeploymentProgressing = "Progressing";
// ReplicaFailure is added in a deployment when one of its pods fails to be created or deleted.
inline constexpr std::string_view kDeploymentReplicaFailure = "ReplicaFailure";

// DeploymentCondition describes the state of a deployment at a certain point.
struct CAPSTAN_EXPORT DeploymentCondition {
  // Type of deployment condition.
  std::string type = {};
  // Status of the condition, one of True, False, Unknown.
  std::string status = {};
  // The last time this condition was updated.
  std::optional<Time> last_update_time = {};
  // Last time the condition transitioned from one status to another.
  std::optional<Time> last_transition_time = {};
  // The reason for the condition's last transition.
  std::string reason = {};
  // A human readable message indicating details about the transition.
  std::string message = {};
};
CAPSTAN_EXPORT bool operator==(const DeploymentCondition& a, const DeploymentCondition& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DeploymentCondition*);

// DeploymentStatus is the most recently observed status of the Deployment.
struct CAPSTAN_EXPORT DeploymentStatus {
  // The generation observed by the deployment controller.
  std::int64_t observed_generation = {};
  // Total number of non-terminating pods targeted by this deployment (their labels match the
  // selector).
  std::int32_t replicas = {};
  // Total number of non-terminating pods targeted by this deployment that have the desired template
  // spec.
  std::int32_t updated_replicas = {};
  // Total number of non-terminating pods targeted by this Deployment with a Ready Condition.
  std::int32_t ready_replicas = {};
  // Total number of available non-terminating pods (ready for at least minReadySeconds) targeted by
  // this deployment.
  std::int32_t available_replicas = {};
  // Total number of unavailable pods targeted by this deployment. This is the total number of pods
  // that are still required for the deployment to have 100% available capacity. They may either be
  // pods that are running but not yet available or pods that still have not been created.
  std::int32_t unavailable_replicas = {};
  // Total number of terminating pods targeted by this deployment. Terminating pods have a non-null
  // .metadata.deletionTimestamp and have not yet reached the Failed or Succeeded .status.phase.
  // This is a beta field and requires enabling DeploymentReplicaSetTerminatingReplicas feature
  // (enabled by default).
  std::optional<std::int32_t> terminating_replicas = {};
  // Represents the latest available observations of a deployment's current state.
  List<DeploymentCondition> conditions = {};
  // Count of hash collisions for the Deployment. The Deployment controller uses this field as a
  // collision avoidance mechanism when it needs to create the name for the newest ReplicaSet.
  std::optional<std::int32_t> collision_count = {};
};
CAPSTAN_EXPORT bool operator==(const DeploymentStatus& a, const DeploymentStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DeploymentStatus*);

// Deployment enables declarative updates for Pods and ReplicaSets.
struct CAPSTAN_EXPORT Deployment {
  // Standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // Specification of the desired behavior of the Deployment.
  DeploymentSpec spec = {};
  // Most recently observed status of the Deployment.
  DeploymentStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const Deployment& a, const Deployment& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const Deployment*);

}  // namespace capstan::api::apps::v1

extern template class capstan::Boxed<capstan::api::apps::v1::RollingUpdateDeployment>;
extern template class capstan::List<capstan::api::apps::v1::DeploymentCondition>;

template <>
inline constexpr auto capstan::kKind<capstan::api::apps::v1::Deployment> =
    capstan::Kind("apps", "v1", "Deployment", "deployments").Namespaced().Whole().Spec().Status();
