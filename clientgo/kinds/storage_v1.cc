// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2.
#include "capstan/api/storage/v1/csi_driver.h"
#include "capstan/api/storage/v1/csi_node.h"
#include "capstan/api/storage/v1/csi_storage_capacity.h"
#include "capstan/api/storage/v1/storage_class.h"
#include "capstan/api/storage/v1/volume_attachment.h"
#include "capstan/api/storage/v1/volume_attributes_class.h"
#include "capstan/generated.h"

// clang-format off
namespace capstan::api::storage::v1 {

CAPSTAN_LAYOUT(TokenRequest,
    CAPSTAN_REQUIRED(TokenRequest, "audience", audience),
    CAPSTAN_FIELD(TokenRequest, "expirationSeconds", expiration_seconds))

CAPSTAN_LAYOUT(CSIDriverSpec,
    CAPSTAN_FIELD(CSIDriverSpec, "attachRequired", attach_required),
    CAPSTAN_FIELD(CSIDriverSpec, "podInfoOnMount", pod_info_on_mount),
    CAPSTAN_FIELD(CSIDriverSpec, "volumeLifecycleModes", volume_lifecycle_modes),
    CAPSTAN_FIELD(CSIDriverSpec, "storageCapacity", storage_capacity),
    CAPSTAN_FIELD(CSIDriverSpec, "fsGroupPolicy", fs_group_policy),
    CAPSTAN_FIELD(CSIDriverSpec, "tokenRequests", token_requests),
    CAPSTAN_FIELD(CSIDriverSpec, "requiresRepublish", requires_republish),
    CAPSTAN_FIELD(CSIDriverSpec, "seLinuxMount", se_linux_mount),
    CAPSTAN_FIELD(CSIDriverSpec, "nodeAllocatableUpdatePeriodSeconds", node_allocatable_update_period_seconds),
    CAPSTAN_FIELD(CSIDriverSpec, "serviceAccountTokenInSecrets", service_account_token_in_secrets),
    CAPSTAN_FIELD(CSIDriverSpec, "preventPodSchedulingIfMissing", prevent_pod_scheduling_if_missing))

CAPSTAN_LAYOUT(CSIDriver,
    CAPSTAN_PART(CSIDriver, "metadata", metadata, kMetadata),
    CAPSTAN_PART(CSIDriver, "spec", spec, kSpec))

CAPSTAN_LAYOUT(VolumeNodeResources,
    CAPSTAN_FIELD(VolumeNodeResources, "count", count))

CAPSTAN_LAYOUT(CSINodeDriver,
    CAPSTAN_REQUIRED(CSINodeDriver, "name", name),
    CAPSTAN_REQUIRED(CSINodeDriver, "nodeID", node_id),
    CAPSTAN_REQUIRED(CSINodeDriver, "topologyKeys", topology_keys),
    CAPSTAN_FIELD(CSINodeDriver, "allocatable", allocatable))

CAPSTAN_LAYOUT(CSINodeSpec,
    CAPSTAN_REQUIRED(CSINodeSpec, "drivers", drivers))

CAPSTAN_LAYOUT(StorageHealthCondition,
    CAPSTAN_REQUIRED(StorageHealthCondition, "status", status),
    CAPSTAN_REQUIRED(StorageHealthCondition, "reason", reason),
    CAPSTAN_FIELD(StorageHealthCondition, "message", message),
    CAPSTAN_FIELD(StorageHealthCondition, "accessMode", access_mode),
    CAPSTAN_FIELD(StorageHealthCondition, "volumeMode", volume_mode),
    CAPSTAN_FIELD(StorageHealthCondition, "lastTransitionTime", last_transition_time))

CAPSTAN_LAYOUT(StorageHealth,
    CAPSTAN_REQUIRED(StorageHealth, "name", name),
    CAPSTAN_FIELD(StorageHealth, "healthConditions", health_conditions))

CAPSTAN_LAYOUT(CSINodeStatus,
    CAPSTAN_FIELD(CSINodeStatus, "storageHealth", storage_health))

CAPSTAN_LAYOUT(CSINode,
    CAPSTAN_PART(CSINode, "metadata", metadata, kMetadata),
    CAPSTAN_PART(CSINode, "spec", spec, kSpec),
    CAPSTAN_PART(CSINode, "status", status, kStatus))

CAPSTAN_LAYOUT(CSIStorageCapacity,
    CAPSTAN_PART(CSIStorageCapacity, "metadata", metadata, kMetadata),
    CAPSTAN_FIELD(CSIStorageCapacity, "nodeTopology", node_topology),
    CAPSTAN_REQUIRED(CSIStorageCapacity, "storageClassName", storage_class_name),
    CAPSTAN_FIELD(CSIStorageCapacity, "capacity", capacity),
    CAPSTAN_FIELD(CSIStorageCapacity, "maximumVolumeSize", maximum_volume_size))

CAPSTAN_LAYOUT(StorageClass,
    CAPSTAN_PART(StorageClass, "metadata", metadata, kMetadata),
    CAPSTAN_REQUIRED(StorageClass, "provisioner", provisioner),
    CAPSTAN_FIELD(StorageClass, "parameters", parameters),
    CAPSTAN_FIELD(StorageClass, "reclaimPolicy", reclaim_policy),
    CAPSTAN_FIELD(StorageClass, "mountOptions", mount_options),
    CAPSTAN_FIELD(StorageClass, "allowVolumeExpansion", allow_volume_expansion),
    CAPSTAN_FIELD(StorageClass, "volumeBindingMode", volume_binding_mode),
    CAPSTAN_FIELD(StorageClass, "allowedTopologies", allowed_topologies))

CAPSTAN_LAYOUT(VolumeAttachmentSource,
    CAPSTAN_FIELD(VolumeAttachmentSource, "persistentVolumeName", persistent_volume_name),
    CAPSTAN_FIELD(VolumeAttachmentSource, "inlineVolumeSpec", inline_volume_spec))

CAPSTAN_LAYOUT(VolumeAttachmentSpec,
    CAPSTAN_REQUIRED(VolumeAttachmentSpec, "attacher", attacher),
    CAPSTAN_REQUIRED(VolumeAttachmentSpec, "source", source),
    CAPSTAN_REQUIRED(VolumeAttachmentSpec, "nodeName", node_name))

CAPSTAN_LAYOUT(VolumeError,
    CAPSTAN_FIELD(VolumeError, "time", time),
    CAPSTAN_FIELD(VolumeError, "message", message),
    CAPSTAN_FIELD(VolumeError, "errorCode", error_code))

CAPSTAN_LAYOUT(VolumeAttachmentStatus,
    CAPSTAN_REQUIRED(VolumeAttachmentStatus, "attached", attached),
    CAPSTAN_FIELD(VolumeAttachmentStatus, "attachmentMetadata", attachment_metadata),
    CAPSTAN_FIELD(VolumeAttachmentStatus, "attachError", attach_error),
    CAPSTAN_FIELD(VolumeAttachmentStatus, "detachError", detach_error))

CAPSTAN_LAYOUT(VolumeAttachment,
    CAPSTAN_PART(VolumeAttachment, "metadata", metadata, kMetadata),
    CAPSTAN_PART(VolumeAttachment, "spec", spec, kSpec),
    CAPSTAN_PART(VolumeAttachment, "status", status, kStatus))

CAPSTAN_LAYOUT(VolumeAttributesClass,
    CAPSTAN_PART(VolumeAttributesClass, "metadata", metadata, kMetadata),
    CAPSTAN_REQUIRED(VolumeAttributesClass, "driverName", driver_name),
    CAPSTAN_FIELD(VolumeAttributesClass, "parameters", parameters))

}  // namespace capstan::api::storage::v1

template class capstan::List<capstan::api::storage::v1::TokenRequest>;
template class capstan::Boxed<capstan::api::storage::v1::VolumeNodeResources>;
template class capstan::List<capstan::api::storage::v1::CSINodeDriver>;
template class capstan::List<capstan::api::storage::v1::StorageHealthCondition>;
template class capstan::List<capstan::api::storage::v1::StorageHealth>;
template class capstan::Boxed<capstan::api::storage::v1::VolumeError>;
