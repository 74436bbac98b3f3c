// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/api/core/v1/persistent_volume_claim_spec.h"
#include "capstan/api/core/v1/volume_health_condition.h"
#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/list.h"
#include "capstan/object_meta.h"
#include "capstan/quantity.h"
#include "capstan/time.h"

namespace capstan::api::core::v1 {

// PersistentVolumeClaimConditionType defines the condition of PV claim. Valid values are:
// - "Resizing", "FileSystemResizePending"
// The following additional values can be expected:
// - "ControllerResizeError", "NodeResizeError"
// If VolumeAttributesClass feature gate is enabled, then following additional values can be
// expected:
// - "ModifyVolumeError", "ModifyingVolume"
// PersistentVolumeClaimResizing - a user trigger resize of pvc has been started
inline constexpr std::string_view kPersistentVolumeClaimResizing = "Resizing";
// PersistentVolumeClaimFileSystemResizePending - controller resize is finished and a file system
// resize is pending on node
inline constexpr std::string_view kPersistentVolumeClaimFileSystemResizePending =
    "FileSystemResizePending";
// PersistentVolumeClaimControllerResizeError indicates an error while resizing volume for size in
// the controller
inline constexpr std::string_view kPersistentVolumeClaimControllerResizeError =
    "ControllerResizeError";
// PersistentVolumeClaimNodeResizeError indicates an error while resizing volume for size in the
// node.
inline constexpr std::string_view kPersistentVolumeClaimNodeResizeError = "NodeResizeError";
// Applying the target VolumeAttributesClass encountered an error
inline constexpr std::string_view kPersistentVolumeClaimVolumeModifyVolumeError =
    "ModifyVolumeError";
// Volume is being modified
inline constexpr std::string_view kPersistentVolumeClaimVolumeModifyingVolume = "ModifyingVolume";
// PersistentVolumeClaimUnused indicates whether the PVC is currently not in use by any Pod. When
// status is True, the PVC is not referenced by any non-terminal Pod. The lastTransitionTime
// indicates when the PVC last transitioned to being unused.
// Both in-use time and unused time duration indicated by this condition may be shorter or slightly
// longer than actual in-use time or unused time because of processing delays or when this feature
// was enabled in the cluster.
// Requires PersistentVolumeClaimUnusedSinceTime beta featuregate
inline constexpr std::string_view kPersistentVolumeClaimUnused = "Unused";

inline constexpr std::string_view kConditionTrue = "True";
inline constexpr std::string_view kConditionFalse = "False";
inline constexpr std::string_view kConditionUnknown = "Unknown";

// PersistentVolumeClaimCondition contains details about state of pvc
struct CAPSTAN_EXPORT PersistentVolumeClaimCondition {
  // Type is the type of the condition. More info:
  // https://kubernetes.io/docs/reference/kubernetes-api/config-and-storage-resources/persistent-volume-claim-v1/#:~:text=set%20to%20%27ResizeStarted%27.-,PersistentVolumeClaimCondition,-contains%20details%20about
  std::string type = {};
  // Status is the status of the condition. Can be True, False, Unknown. More info:
  // https://kubernetes.io/docs/reference/kubernetes-api/config-and-storage-resources/persistent-volume-claim-v1/#:~:text=state%20of%20pvc-,conditions.status,-(string)%2C%20required
  std::string status = {};
  // lastProbeTime is the time we probed the condition.
  std::optional<Time> last_probe_time = {};
  // lastTransitionTime is the time the condition transitioned from one status to another.
  std::optional<Time> last_transition_time = {};
  // reason is a unique, this should be a short, machine understandable string that gives the reason
  // for condition's last transition. If it reports "Resizing" that means the underlying persistent
  // volume is being resized.
  std::string reason = {};
  // message is the human-readable message indicating details about last transition.
  std::string message = {};
};
CAPSTAN_EXPORT bool operator==(const PersistentVolumeClaimCondition& a,
                               const PersistentVolumeClaimCondition& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PersistentVolumeClaimCondition*);

// New statuses can be added in the future. Consumers should check for unknown statuses and fail
// appropriately
// Pending indicates that the PersistentVolumeClaim cannot be modified due to unmet requirements,
// such as the specified VolumeAttributesClass not existing
inline constexpr std::string_view kPersistentVolumeClaimModifyVolumePending = "Pending";
// InProgress indicates that the volume is being modified
inline constexpr std::string_view kPersistentVolumeClaimModifyVolumeInProgress = "InProgress";
// Infeasible indicates that the request has been rejected as invalid by the CSI driver. To resolve
// the error, a valid VolumeAttributesClass needs to be specified
inline constexpr std::string_view kPersistentVolumeClaimModifyVolumeInfeasible = "Infeasible";

// ModifyVolumeStatus represents the status object of ControllerModifyVolume operation
struct CAPSTAN_EXPORT ModifyVolumeStatus {
  // targetVolumeAttributesClassName is the name of the VolumeAttributesClass the PVC currently
  // being reconciled
  std::string target_volume_attributes_class_name = {};
  // status is the status of the ControllerModifyVolume operation. It can be in any of following
  // states: - Pending
  // Pending indicates that the PersistentVolumeClaim cannot be modified due to unmet requirements,
  // such as
  // the specified VolumeAttributesClass not existing. - InProgress
  // InProgress indicates that the volume is being modified. - Infeasible
  // Infeasible indicates that the request has been rejected as invalid by the CSI driver. To
  // resolve the error, a valid VolumeAttributesClass needs to be specified. Note: New statuses can
  // be added in the future. Consumers should check for unknown statuses and fail appropriately.
  std::string status = {};
};
CAPSTAN_EXPORT bool operator==(const ModifyVolumeStatus& a, const ModifyVolumeStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ModifyVolumeStatus*);

// VolumeHealthStatus contains health information for a volume reported by the CSI controller
// plugin.
struct CAPSTAN_EXPORT VolumeHealthStatus {
  // conditions is the set of adverse conditions reported by the CSI controller plugin. An empty
  // list means no adverse condition. At most 16 conditions may be reported.
  List<VolumeHealthCondition> health_conditions = {};
  // lastTransitionTime is when the current set of conditions first appeared.
  std::optional<Time> last_transition_time = {};
};
CAPSTAN_EXPORT bool operator==(const VolumeHealthStatus& a, const VolumeHealthStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const VolumeHealthStatus*);

// used for PersistentVolumeClaims that are not yet bound
inline constexpr std::string_view kClaimPending = "Pending";
// used for PersistentVolumeClaims that are bound
inline constexpr std::string_view kClaimBound = "Bound";
// used for PersistentVolumeClaims that lost their underlying PersistentVolume. The claim was bound
// to a PersistentVolume and this volume does not exist any longer and all data on it was lost.
inline constexpr std::string_view kClaimLost = "Lost";

// When a controller receives persistentvolume claim update with ClaimResourceStatus for a resource
// that it does not recognizes, then it should ignore that update and let other controllers handle
// it.
// State set when resize controller starts resizing the volume in control-plane.
inline constexpr std::string_view kPersistentVolumeClaimControllerResizeInProgress =
    "ControllerResizeInProgress";
// State set when resize has failed in resize controller with a terminal unrecoverable error.
// Transient errors such as timeout should not set this status and should leave
// allocatedResourceStatus unmodified, so as resize controller can resume the volume expansion.
inline constexpr std::string_view kPersistentVolumeClaimControllerResizeInfeasible =
    "ControllerResizeInfeasible";
// State set when resize controller has finished resizing the volume but further resizing of volume
// is needed on the node.
inline constexpr std::string_view kPersistentVolumeClaimNodeResizePending = "NodeResizePending";
// State set when kubelet starts resizing the volume.
inline constexpr std::string_view kPersistentVolumeClaimNodeResizeInProgress =
    "NodeResizeInProgress";
// State set when resizing has failed in kubelet with a terminal unrecoverable error. Transient
// errors shouldn't set this status
inline constexpr std::string_view kPersistentVolumeClaimNodeResizeInfeasible =
    "NodeResizeInfeasible";

// PersistentVolumeClaimStatus is the current status of a persistent volume claim.
struct CAPSTAN_EXPORT PersistentVolumeClaimStatus {
  // phase represents the current phase of PersistentVolumeClaim.
  std::string phase = {};
  // accessModes contains the actual access modes the volume backing the PVC has. More info:
  // https://kubernetes.io/docs/concepts/storage/persistent-volumes#access-modes-1
  std::vector<std::string> access_modes = {};
  // capacity represents the actual resources of the underlying volume.
  std::map<std::string, Quantity> capacity = {};
  // conditions is the current Condition of persistent volume claim. If underlying persistent volume
  // is being resized then the Condition will be set to 'Resizing'.
  List<PersistentVolumeClaimCondition> conditions = {};
  // allocatedResources tracks the resources allocated to a PVC including its capacity. Key names
  // follow standard Kubernetes label syntax. Valid values are either:
  // * Un-prefixed keys:
  // - storage - the capacity of the volume.
  // * Custom resources must use implementation-defined prefixed names such as
  // "example.com/my-custom-resource" Apart from above values - keys that are unprefixed or have
  // kubernetes.io prefix are considered reserved and hence may not be used.
  // Capacity reported here may be larger than the actual capacity when a volume expansion operation
  // is requested. For storage quota, the larger value from allocatedResources and
  // PVC.spec.resources is used. If allocatedResources is not set, PVC.spec.resources alone is used
  // for quota calculation. If a volume expansion capacity request is lowered, allocatedResources is
  // only lowered if there are no expansion operations in progress and if the actual volume capacity
  // is equal or lower than the requested capacity.
  // A controller that receives PVC update with previously unknown resourceName should ignore the
  // update for the purpose it was designed. For example - a controller that only is responsible for
  // resizing capacity of the volume, should ignore PVC updates that change other valid resources
  // associated with PVC.
  std::map<std::string, Quantity> allocated_resources = {};
  // allocatedResourceStatuses stores status of resource being resized for the given PVC. Key names
  // follow standard Kubernetes label syntax. Valid values are either:
  // * Un-prefixed keys:
  // - storage - the capacity of the volume.
  // * Custom resources must use implementation-defined prefixed names such as
  // "example.com/my-custom-resource" Apart from above values - keys that are unprefixed or have
  // kubernetes.io prefix are considered reserved and hence may not be used.
  // ClaimResourceStatus can be in any of following states:
  // - ControllerResizeInProgress:
  // State set when resize controller starts resizing the volume in control-plane.
  // - ControllerResizeFailed:
  // State set when resize has failed in resize controller with a terminal error.
  // - NodeResizePending:
  // State set when resize controller has finished resizing the volume but further resizing of
  // volume is needed on the node.
  // - NodeResizeInProgress:
  // State set when kubelet starts resizing the volume.
  // - NodeResizeFailed:
  // State set when resizing has failed in kubelet with a terminal error. Transient errors don't set
  // NodeResizeFailed. For example: if expanding a PVC for more capacity - this field can be one of
  // the following states:
  // - pvc.status.allocatedResourceStatus['storage'] = "ControllerResizeInProgress"
  // - pvc.status.allocatedResourceStatus['storage'] = "ControllerResizeFailed"
  // - pvc.status.allocatedResourceStatus['storage'] = "NodeResizePending"
  // - pvc.status.allocatedResourceStatus['storage'] = "NodeResizeInProgress"
  // - pvc.status.allocatedResourceStatus['storage'] = "NodeResizeFailed" When this field is not
  // set, it means that no resize operation is in progress for the given PVC.
  // A controller that receives PVC update with previously unknown resourceName or
  // ClaimResourceStatus should ignore the update for the purpose it was designed. For example - a
  // controller that only is responsible for resizing capacity of the volume, should ignore PVC
  // updates that change other valid resources associated with PVC.
  std::map<std::string, std::string> allocated_resource_statuses = {};
  // currentVolumeAttributesClassName is the current name of the VolumeAttributesClass the PVC is
  // using. When unset, there is no VolumeAttributeClass applied to this PersistentVolumeClaim
  std::optional<std::string> current_volume_attributes_class_name = {};
  // ModifyVolumeStatus represents the status object of ControllerModifyVolume operation. When this
  // is unset, there is no ModifyVolume operation being attempted.
  Boxed<ModifyVolumeStatus> modify_volume_status = {};
  // healthStatus contains the latest controller-reported health information for the volume bound to
  // this claim.
  Boxed<VolumeHealthStatus> health_status = {};
};
CAPSTAN_EXPORT bool operator==(const PersistentVolumeClaimStatus& a,
                               const PersistentVolumeClaimStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PersistentVolumeClaimStatus*);

// PersistentVolumeClaim is a user's request for and claim to a persistent volume
struct CAPSTAN_EXPORT PersistentVolumeClaim {
  // Standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // spec defines the desired characteristics of a volume requested by a pod author. More info:
  // https://kubernetes.io/docs/concepts/storage/persistent-volumes#persistentvolumeclaims
  PersistentVolumeClaimSpec spec = {};
  // status represents the current information/status of a persistent volume claim. Read-only. More
  // info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#persistentvolumeclaims
  PersistentVolumeClaimStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const PersistentVolumeClaim& a, const PersistentVolumeClaim& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PersistentVolumeClaim*);

}  // namespace capstan::api::core::v1

extern template class capstan::List<capstan::api::core::v1::PersistentVolumeClaimCondition>;
extern template class capstan::Boxed<capstan::api::core::v1::ModifyVolumeStatus>;
extern template class capstan::Boxed<capstan::api::core::v1::VolumeHealthStatus>;
extern template class capstan::List<capstan::api::core::v1::PersistentVolumeClaim>;

template <>
inline constexpr auto capstan::kKind<capstan::api::core::v1::PersistentVolumeClaim> =
    capstan::Kind("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims")
        .Namespaced()
        .Whole()
        .Spec()
        .Status();
