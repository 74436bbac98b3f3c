// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2.
#include "capstan/api/core/v1/aws_elastic_block_store_volume_source.h"
#include "capstan/api/core/v1/azure_disk_volume_source.h"
#include "capstan/api/core/v1/binding.h"
#include "capstan/api/core/v1/component_status.h"
#include "capstan/api/core/v1/config_map.h"
#include "capstan/api/core/v1/endpoints.h"
#include "capstan/api/core/v1/event.h"
#include "capstan/api/core/v1/event_source.h"
#include "capstan/api/core/v1/fc_volume_source.h"
#include "capstan/api/core/v1/flocker_volume_source.h"
#include "capstan/api/core/v1/gce_persistent_disk_volume_source.h"
#include "capstan/api/core/v1/host_path_volume_source.h"
#include "capstan/api/core/v1/limit_range.h"
#include "capstan/api/core/v1/local_object_reference.h"
#include "capstan/api/core/v1/namespace_.h"
#include "capstan/api/core/v1/nfs_volume_source.h"
#include "capstan/api/core/v1/node.h"
#include "capstan/api/core/v1/node_selector.h"
#include "capstan/api/core/v1/node_selector_term.h"
#include "capstan/api/core/v1/object_reference.h"
#include "capstan/api/core/v1/persistent_volume.h"
#include "capstan/api/core/v1/persistent_volume_claim.h"
#include "capstan/api/core/v1/persistent_volume_claim_spec.h"
#include "capstan/api/core/v1/persistent_volume_spec.h"
#include "capstan/api/core/v1/photon_persistent_disk_volume_source.h"
#include "capstan/api/core/v1/pod.h"
#include "capstan/api/core/v1/pod_spec.h"
#include "capstan/api/core/v1/pod_template.h"
#include "capstan/api/core/v1/pod_template_spec.h"
#include "capstan/api/core/v1/portworx_volume_source.h"
#include "capstan/api/core/v1/quobyte_volume_source.h"
#include "capstan/api/core/v1/range_allocation.h"
#include "capstan/api/core/v1/replication_controller.h"
#include "capstan/api/core/v1/resource_quota.h"
#include "capstan/api/core/v1/resource_requirements.h"
#include "capstan/api/core/v1/secret.h"
#include "capstan/api/core/v1/service.h"
#include "capstan/api/core/v1/service_account.h"
#include "capstan/api/core/v1/toleration.h"
#include "capstan/api/core/v1/topology_selector_term.h"
#include "capstan/api/core/v1/typed_local_object_reference.h"
#include "capstan/api/core/v1/volume_health_condition.h"
#include "capstan/api/core/v1/vsphere_virtual_disk_volume_source.h"
#include "capstan/generated.h"

// clang-format off
namespace capstan::api::core::v1 {

CAPSTAN_LAYOUT(AWSElasticBlockStoreVolumeSource,
    CAPSTAN_REQUIRED(AWSElasticBlockStoreVolumeSource, "volumeID", volume_id),
    CAPSTAN_FIELD(AWSElasticBlockStoreVolumeSource, "fsType", fs_type),
    CAPSTAN_NUMBER(AWSElasticBlockStoreVolumeSource, "partition", partition),
    CAPSTAN_NUMBER(AWSElasticBlockStoreVolumeSource, "readOnly", read_only))

CAPSTAN_LAYOUT(AzureDiskVolumeSource,
    CAPSTAN_REQUIRED(AzureDiskVolumeSource, "diskName", disk_name),
    CAPSTAN_REQUIRED(AzureDiskVolumeSource, "diskURI", disk_uri),
    CAPSTAN_FIELD(AzureDiskVolumeSource, "cachingMode", caching_mode),
    CAPSTAN_FIELD(AzureDiskVolumeSource, "fsType", fs_type),
    CAPSTAN_FIELD(AzureDiskVolumeSource, "readOnly", read_only),
    CAPSTAN_FIELD(AzureDiskVolumeSource, "kind", kind))

CAPSTAN_LAYOUT(Binding,
    CAPSTAN_PART(Binding, "metadata", metadata, kMetadata),
    CAPSTAN_REQUIRED(Binding, "target", target))

CAPSTAN_LAYOUT(ComponentCondition,
    CAPSTAN_REQUIRED(ComponentCondition, "type", type),
    CAPSTAN_REQUIRED(ComponentCondition, "status", status),
    CAPSTAN_FIELD(ComponentCondition, "message", message),
    CAPSTAN_FIELD(ComponentCondition, "error", error))

CAPSTAN_LAYOUT(ComponentStatus,
    CAPSTAN_PART(ComponentStatus, "metadata", metadata, kMetadata),
    CAPSTAN_FIELD(ComponentStatus, "conditions", conditions))

CAPSTAN_LAYOUT(ConfigMap,
    CAPSTAN_PART(ConfigMap, "metadata", metadata, kMetadata),
    CAPSTAN_FIELD(ConfigMap, "immutable", immutable),
    CAPSTAN_FIELD(ConfigMap, "data", data),
    CAPSTAN_FIELD(ConfigMap, "binaryData", binary_data))

CAPSTAN_LAYOUT(EndpointAddress,
    CAPSTAN_REQUIRED(EndpointAddress, "ip", ip),
    CAPSTAN_FIELD(EndpointAddress, "hostname", hostname),
    CAPSTAN_FIELD(EndpointAddress, "nodeName", node_name),
    CAPSTAN_FIELD(EndpointAddress, "targetRef", target_ref))

CAPSTAN_LAYOUT(EndpointPort,
    CAPSTAN_FIELD(EndpointPort, "name", name),
    CAPSTAN_REQUIRED(EndpointPort, "port", port),
    CAPSTAN_FIELD(EndpointPort, "protocol", protocol),
    CAPSTAN_FIELD(EndpointPort, "appProtocol", app_protocol))

CAPSTAN_LAYOUT(EndpointSubset,
    CAPSTAN_FIELD(EndpointSubset, "addresses", addresses),
    CAPSTAN_FIELD(EndpointSubset, "notReadyAddresses", not_ready_addresses),
    CAPSTAN_FIELD(EndpointSubset, "ports", ports))

CAPSTAN_LAYOUT(Endpoints,
    CAPSTAN_PART(Endpoints, "metadata", metadata, kMetadata),
    CAPSTAN_FIELD(Endpoints, "subsets", subsets))

CAPSTAN_LAYOUT(EventSeries,
    CAPSTAN_NUMBER(EventSeries, "count", count),
    CAPSTAN_FIELD(EventSeries, "lastObservedTime", last_observed_time))

CAPSTAN_LAYOUT(Event,
    CAPSTAN_PART(Event, "metadata", metadata, kMetadata),
    CAPSTAN_REQUIRED(Event, "involvedObject", involved_object),
    CAPSTAN_FIELD(Event, "reason", reason),
    CAPSTAN_FIELD(Event, "message", message),
    CAPSTAN_FIELD(Event, "source", source),
    CAPSTAN_FIELD(Event, "firstTimestamp", first_timestamp),
    CAPSTAN_FIELD(Event, "lastTimestamp", last_timestamp),
    CAPSTAN_NUMBER(Event, "count", count),
    CAPSTAN_FIELD(Event, "type", type),
    CAPSTAN_FIELD(Event, "eventTime", event_time),
    CAPSTAN_FIELD(Event, "series", series),
    CAPSTAN_FIELD(Event, "action", action),
    CAPSTAN_FIELD(Event, "related", related),
    CAPSTAN_REQUIRED(Event, "reportingComponent", reporting_component),
    CAPSTAN_REQUIRED(Event, "reportingInstance", reporting_instance))

CAPSTAN_LAYOUT(EventSource,
    CAPSTAN_FIELD(EventSource, "component", component),
    CAPSTAN_FIELD(EventSource, "host", host))

CAPSTAN_LAYOUT(FCVolumeSource,
    CAPSTAN_FIELD(FCVolumeSource, "targetWWNs", target_wwns),
    CAPSTAN_FIELD(FCVolumeSource, "lun", lun),
    CAPSTAN_FIELD(FCVolumeSource, "fsType", fs_type),
    CAPSTAN_NUMBER(FCVolumeSource, "readOnly", read_only),
    CAPSTAN_FIELD(FCVolumeSource, "wwids", wwids))

CAPSTAN_LAYOUT(FlockerVolumeSource,
    CAPSTAN_FIELD(FlockerVolumeSource, "datasetName", dataset_name),
    CAPSTAN_FIELD(FlockerVolumeSource, "datasetUUID", dataset_uuid))

CAPSTAN_LAYOUT(GCEPersistentDiskVolumeSource,
    CAPSTAN_REQUIRED(GCEPersistentDiskVolumeSource, "pdName", pd_name),
    CAPSTAN_FIELD(GCEPersistentDiskVolumeSource, "fsType", fs_type),
    CAPSTAN_NUMBER(GCEPersistentDiskVolumeSource, "partition", partition),
    CAPSTAN_NUMBER(GCEPersistentDiskVolumeSource, "readOnly", read_only))

CAPSTAN_LAYOUT(HostPathVolumeSource,
    CAPSTAN_REQUIRED(HostPathVolumeSource, "path", path),
    CAPSTAN_FIELD(HostPathVolumeSource, "type", type))

CAPSTAN_LAYOUT(LimitRangeItem,
    CAPSTAN_REQUIRED(LimitRangeItem, "type", type),
    CAPSTAN_FIELD(LimitRangeItem, "max", max),
    CAPSTAN_FIELD(LimitRangeItem, "min", min),
    CAPSTAN_FIELD(LimitRangeItem, "default", default_),
    CAPSTAN_FIELD(LimitRangeItem, "defaultRequest", default_request),
    CAPSTAN_FIELD(LimitRangeItem, "maxLimitRequestRatio", max_limit_request_ratio))

CAPSTAN_LAYOUT(LimitRangeSpec,
    CAPSTAN_REQUIRED(LimitRangeSpec, "limits", limits))

CAPSTAN_LAYOUT(LimitRange,
    CAPSTAN_PART(LimitRange, "metadata", metadata, kMetadata),
    CAPSTAN_PART(LimitRange, "spec", spec, kSpec))

CAPSTAN_LAYOUT(LocalObjectReference,
    CAPSTAN_FIELD(LocalObjectReference, "name", name))

CAPSTAN_LAYOUT(NamespaceSpec,
    CAPSTAN_FIELD(NamespaceSpec, "finalizers", finalizers))

CAPSTAN_LAYOUT(NamespaceCondition,
    CAPSTAN_REQUIRED(NamespaceCondition, "type", type),
    CAPSTAN_REQUIRED(NamespaceCondition, "status", status),
    CAPSTAN_FIELD(NamespaceCondition, "lastTransitionTime", last_transition_time),
    CAPSTAN_FIELD(NamespaceCondition, "reason", reason),
    CAPSTAN_FIELD(NamespaceCondition, "message", message))

CAPSTAN_LAYOUT(NamespaceStatus,
    CAPSTAN_FIELD(NamespaceStatus, "phase", phase),
    CAPSTAN_FIELD(NamespaceStatus, "conditions", conditions))

CAPSTAN_LAYOUT(Namespace,
    CAPSTAN_PART(Namespace, "metadata", metadata, kMetadata),
    CAPSTAN_PART(Namespace, "spec", spec, kSpec),
    CAPSTAN_PART(Namespace, "status", status, kStatus))

CAPSTAN_LAYOUT(NFSVolumeSource,
    CAPSTAN_REQUIRED(NFSVolumeSource, "server", server),
    CAPSTAN_REQUIRED(NFSVolumeSource, "path", path),
    CAPSTAN_NUMBER(NFSVolumeSource, "readOnly", read_only))

CAPSTAN_LAYOUT(Taint,
    CAPSTAN_REQUIRED(Taint, "key", key),
    CAPSTAN_FIELD(Taint, "value", value),
    CAPSTAN_REQUIRED(Taint, "effect", effect),
    CAPSTAN_FIELD(Taint, "timeAdded", time_added))

CAPSTAN_LAYOUT(ConfigMapNodeConfigSource,
    CAPSTAN_REQUIRED(ConfigMapNodeConfigSource, "namespace", namespace_),
    CAPSTAN_REQUIRED(ConfigMapNodeConfigSource, "name", name),
    CAPSTAN_FIELD(ConfigMapNodeConfigSource, "uid", uid),
    CAPSTAN_FIELD(ConfigMapNodeConfigSource, "resourceVersion", resource_version),
    CAPSTAN_REQUIRED(ConfigMapNodeConfigSource, "kubeletConfigKey", kubelet_config_key))

CAPSTAN_LAYOUT(NodeConfigSource,
    CAPSTAN_FIELD(NodeConfigSource, "configMap", config_map))

CAPSTAN_LAYOUT(NodePodPreemptionPolicy,
    CAPSTAN_FIELD(NodePodPreemptionPolicy, "disableResizePreemption", disable_resize_preemption))

CAPSTAN_LAYOUT(NodeSpec,
    CAPSTAN_FIELD(NodeSpec, "podCIDR", pod_cidr),
    CAPSTAN_FIELD(NodeSpec, "podCIDRs", pod_cidrs),
    CAPSTAN_FIELD(NodeSpec, "providerID", provider_id),
    CAPSTAN_NUMBER(NodeSpec, "unschedulable", unschedulable),
    CAPSTAN_FIELD(NodeSpec, "taints", taints),
    CAPSTAN_FIELD(NodeSpec, "configSource", config_source),
    CAPSTAN_FIELD(NodeSpec, "externalID", external_id),
    CAPSTAN_FIELD(NodeSpec, "podPreemptionPolicy", pod_preemption_policy))

CAPSTAN_LAYOUT(NodeCondition,
    CAPSTAN_REQUIRED(NodeCondition, "type", type),
    CAPSTAN_REQUIRED(NodeCondition, "status", status),
    CAPSTAN_FIELD(NodeCondition, "lastHeartbeatTime", last_heartbeat_time),
    CAPSTAN_FIELD(NodeCondition, "lastTransitionTime", last_transition_time),
    CAPSTAN_FIELD(NodeCondition, "reason", reason),
    CAPSTAN_FIELD(NodeCondition, "message", message))

CAPSTAN_LAYOUT(NodeAddress,
    CAPSTAN_REQUIRED(NodeAddress, "type", type),
    CAPSTAN_REQUIRED(NodeAddress, "address", address))

CAPSTAN_LAYOUT(DaemonEndpoint,
    CAPSTAN_REQUIRED(DaemonEndpoint, "Port", port))

CAPSTAN_LAYOUT(NodeDaemonEndpoints,
    CAPSTAN_FIELD(NodeDaemonEndpoints, "kubeletEndpoint", kubelet_endpoint))

CAPSTAN_LAYOUT(NodeSwapStatus,
    CAPSTAN_FIELD(NodeSwapStatus, "capacity", capacity))

CAPSTAN_LAYOUT(NodeSystemInfo,
    CAPSTAN_REQUIRED(NodeSystemInfo, "machineID", machine_id),
    CAPSTAN_REQUIRED(NodeSystemInfo, "systemUUID", system_uuid),
    CAPSTAN_REQUIRED(NodeSystemInfo, "bootID", boot_id),
    CAPSTAN_REQUIRED(NodeSystemInfo, "kernelVersion", kernel_version),
    CAPSTAN_REQUIRED(NodeSystemInfo, "osImage", os_image),
    CAPSTAN_REQUIRED(NodeSystemInfo, "containerRuntimeVersion", container_runtime_version),
    CAPSTAN_REQUIRED(NodeSystemInfo, "kubeletVersion", kubelet_version),
    CAPSTAN_REQUIRED(NodeSystemInfo, "kubeProxyVersion", kube_proxy_version),
    CAPSTAN_REQUIRED(NodeSystemInfo, "operatingSystem", operating_system),
    CAPSTAN_REQUIRED(NodeSystemInfo, "architecture", architecture),
    CAPSTAN_FIELD(NodeSystemInfo, "swap", swap),
    CAPSTAN_FIELD(NodeSystemInfo, "runningInUserNamespace", running_in_user_namespace))

CAPSTAN_LAYOUT(ContainerImage,
    CAPSTAN_REQUIRED(ContainerImage, "names", names),
    CAPSTAN_NUMBER(ContainerImage, "sizeBytes", size_bytes))

CAPSTAN_LAYOUT(AttachedVolume,
    CAPSTAN_REQUIRED(AttachedVolume, "name", name),
    CAPSTAN_REQUIRED(AttachedVolume, "devicePath", device_path))

CAPSTAN_LAYOUT(NodeConfigStatus,
    CAPSTAN_FIELD(NodeConfigStatus, "assigned", assigned),
    CAPSTAN_FIELD(NodeConfigStatus, "active", active),
    CAPSTAN_FIELD(NodeConfigStatus, "lastKnownGood", last_known_good),
    CAPSTAN_FIELD(NodeConfigStatus, "error", error))

CAPSTAN_LAYOUT(NodeRuntimeHandlerFeatures,
    CAPSTAN_FIELD(NodeRuntimeHandlerFeatures, "recursiveReadOnlyMounts", recursive_read_only_mounts),
    CAPSTAN_FIELD(NodeRuntimeHandlerFeatures, "userNamespaces", user_namespaces))

CAPSTAN_LAYOUT(NodeRuntimeHandler,
    CAPSTAN_REQUIRED(NodeRuntimeHandler, "name", name),
    CAPSTAN_FIELD(NodeRuntimeHandler, "features", features))

CAPSTAN_LAYOUT(NodeFeatures,
    CAPSTAN_FIELD(NodeFeatures, "supplementalGroupsPolicy", supplemental_groups_policy))

CAPSTAN_LAYOUT(NodeStatus,
    CAPSTAN_FIELD(NodeStatus, "capacity", capacity),
    CAPSTAN_FIELD(NodeStatus, "allocatable", allocatable),
    CAPSTAN_FIELD(NodeStatus, "phase", phase),
    CAPSTAN_FIELD(NodeStatus, "conditions", conditions),
    CAPSTAN_FIELD(NodeStatus, "addresses", addresses),
    CAPSTAN_FIELD(NodeStatus, "daemonEndpoints", daemon_endpoints),
    CAPSTAN_FIELD(NodeStatus, "nodeInfo", node_info),
    CAPSTAN_FIELD(NodeStatus, "images", images),
    CAPSTAN_FIELD(NodeStatus, "volumesInUse", volumes_in_use),
    CAPSTAN_FIELD(NodeStatus, "volumesAttached", volumes_attached),
    CAPSTAN_FIELD(NodeStatus, "config", config),
    CAPSTAN_FIELD(NodeStatus, "runtimeHandlers", runtime_handlers),
    CAPSTAN_FIELD(NodeStatus, "features", features),
    CAPSTAN_FIELD(NodeStatus, "declaredFeatures", declared_features))

CAPSTAN_LAYOUT(Node,
    CAPSTAN_PART(Node, "metadata", metadata, kMetadata),
    CAPSTAN_PART(Node, "spec", spec, kSpec),
    CAPSTAN_PART(Node, "status", status, kStatus))

CAPSTAN_LAYOUT(NodeSelector,
    CAPSTAN_REQUIRED(NodeSelector, "nodeSelectorTerms", node_selector_terms))

CAPSTAN_LAYOUT(NodeSelectorRequirement,
    CAPSTAN_REQUIRED(NodeSelectorRequirement, "key", key),
    CAPSTAN_REQUIRED(NodeSelectorRequirement, "operator", operator_),
    CAPSTAN_FIELD(NodeSelectorRequirement, "values", values))

CAPSTAN_LAYOUT(NodeSelectorTerm,
    CAPSTAN_FIELD(NodeSelectorTerm, "matchExpressions", match_expressions),
    CAPSTAN_FIELD(NodeSelectorTerm, "matchFields", match_fields))

CAPSTAN_LAYOUT(ObjectReference,
    CAPSTAN_FIELD(ObjectReference, "kind", kind),
    CAPSTAN_FIELD(ObjectReference, "namespace", namespace_),
    CAPSTAN_FIELD(ObjectReference, "name", name),
    CAPSTAN_FIELD(ObjectReference, "uid", uid),
    CAPSTAN_FIELD(ObjectReference, "apiVersion", api_version),
    CAPSTAN_FIELD(ObjectReference, "resourceVersion", resource_version),
    CAPSTAN_FIELD(ObjectReference, "fieldPath", field_path))

CAPSTAN_LAYOUT(PersistentVolumeStatus,
    CAPSTAN_FIELD(PersistentVolumeStatus, "phase", phase),
    CAPSTAN_FIELD(PersistentVolumeStatus, "message", message),
    CAPSTAN_FIELD(PersistentVolumeStatus, "reason", reason),
    CAPSTAN_FIELD(PersistentVolumeStatus, "lastPhaseTransitionTime", last_phase_transition_time))

CAPSTAN_LAYOUT(PersistentVolume,
    CAPSTAN_PART(PersistentVolume, "metadata", metadata, kMetadata),
    CAPSTAN_PART(PersistentVolume, "spec", spec, kSpec),
    CAPSTAN_PART(PersistentVolume, "status", status, kStatus))

CAPSTAN_LAYOUT(PersistentVolumeClaimCondition,
    CAPSTAN_REQUIRED(PersistentVolumeClaimCondition, "type", type),
    CAPSTAN_REQUIRED(PersistentVolumeClaimCondition, "status", status),
    CAPSTAN_FIELD(PersistentVolumeClaimCondition, "lastProbeTime", last_probe_time),
    CAPSTAN_FIELD(PersistentVolumeClaimCondition, "lastTransitionTime", last_transition_time),
    CAPSTAN_FIELD(PersistentVolumeClaimCondition, "reason", reason),
    CAPSTAN_FIELD(PersistentVolumeClaimCondition, "message", message))

CAPSTAN_LAYOUT(ModifyVolumeStatus,
    CAPSTAN_FIELD(ModifyVolumeStatus, "targetVolumeAttributesClassName", target_volume_attributes_class_name),
    CAPSTAN_REQUIRED(ModifyVolumeStatus, "status", status))

CAPSTAN_LAYOUT(VolumeHealthStatus,
    CAPSTAN_FIELD(VolumeHealthStatus, "healthConditions", health_conditions),
    CAPSTAN_FIELD(VolumeHealthStatus, "lastTransitionTime", last_transition_time))

CAPSTAN_LAYOUT(PersistentVolumeClaimStatus,
    CAPSTAN_FIELD(PersistentVolumeClaimStatus, "phase", phase),
    CAPSTAN_FIELD(PersistentVolumeClaimStatus, "accessModes", access_modes),
    CAPSTAN_FIELD(PersistentVolumeClaimStatus, "capacity", capacity),
    CAPSTAN_FIELD(PersistentVolumeClaimStatus, "conditions", conditions),
    CAPSTAN_FIELD(PersistentVolumeClaimStatus, "allocatedResources", allocated_resources),
    CAPSTAN_FIELD(PersistentVolumeClaimStatus, "allocatedResourceStatuses", allocated_resource_statuses),
    CAPSTAN_FIELD(PersistentVolumeClaimStatus, "currentVolumeAttributesClassName", current_volume_attributes_class_name),
    CAPSTAN_FIELD(PersistentVolumeClaimStatus, "modifyVolumeStatus", modify_volume_status),
    CAPSTAN_FIELD(PersistentVolumeClaimStatus, "healthStatus", health_status))

CAPSTAN_LAYOUT(PersistentVolumeClaim,
    CAPSTAN_PART(PersistentVolumeClaim, "metadata", metadata, kMetadata),
    CAPSTAN_PART(PersistentVolumeClaim, "spec", spec, kSpec),
    CAPSTAN_PART(PersistentVolumeClaim, "status", status, kStatus))

CAPSTAN_LAYOUT(VolumeResourceRequirements,
    CAPSTAN_FIELD(VolumeResourceRequirements, "limits", limits),
    CAPSTAN_FIELD(VolumeResourceRequirements, "requests", requests))

CAPSTAN_LAYOUT(TypedObjectReference,
    CAPSTAN_REQUIRED(TypedObjectReference, "apiGroup", api_group),
    CAPSTAN_REQUIRED(TypedObjectReference, "kind", kind),
    CAPSTAN_REQUIRED(TypedObjectReference, "name", name),
    CAPSTAN_FIELD(TypedObjectReference, "namespace", namespace_))

CAPSTAN_LAYOUT(PersistentVolumeClaimSpec,
    CAPSTAN_FIELD(PersistentVolumeClaimSpec, "accessModes", access_modes),
    CAPSTAN_FIELD(PersistentVolumeClaimSpec, "selector", selector),
    CAPSTAN_FIELD(PersistentVolumeClaimSpec, "resources", resources),
    CAPSTAN_FIELD(PersistentVolumeClaimSpec, "volumeName", volume_name),
    CAPSTAN_FIELD(PersistentVolumeClaimSpec, "storageClassName", storage_class_name),
    CAPSTAN_FIELD(PersistentVolumeClaimSpec, "volumeMode", volume_mode),
    CAPSTAN_FIELD(PersistentVolumeClaimSpec, "dataSource", data_source),
    CAPSTAN_FIELD(PersistentVolumeClaimSpec, "dataSourceRef", data_source_ref),
    CAPSTAN_FIELD(PersistentVolumeClaimSpec, "volumeAttributesClassName", volume_attributes_class_name))

CAPSTAN_LAYOUT(GlusterfsPersistentVolumeSource,
    CAPSTAN_REQUIRED(GlusterfsPersistentVolumeSource, "endpoints", endpoints),
    CAPSTAN_REQUIRED(GlusterfsPersistentVolumeSource, "path", path),
    CAPSTAN_NUMBER(GlusterfsPersistentVolumeSource, "readOnly", read_only),
    CAPSTAN_FIELD(GlusterfsPersistentVolumeSource, "endpointsNamespace", endpoints_namespace))

CAPSTAN_LAYOUT(SecretReference,
    CAPSTAN_FIELD(SecretReference, "name", name),
    CAPSTAN_FIELD(SecretReference, "namespace", namespace_))

CAPSTAN_LAYOUT(RBDPersistentVolumeSource,
    CAPSTAN_REQUIRED(RBDPersistentVolumeSource, "monitors", monitors),
    CAPSTAN_REQUIRED(RBDPersistentVolumeSource, "image", image),
    CAPSTAN_FIELD(RBDPersistentVolumeSource, "fsType", fs_type),
    CAPSTAN_FIELD(RBDPersistentVolumeSource, "pool", pool),
    CAPSTAN_FIELD(RBDPersistentVolumeSource, "user", user),
    CAPSTAN_FIELD(RBDPersistentVolumeSource, "keyring", keyring),
    CAPSTAN_FIELD(RBDPersistentVolumeSource, "secretRef", secret_ref),
    CAPSTAN_NUMBER(RBDPersistentVolumeSource, "readOnly", read_only))

CAPSTAN_LAYOUT(ISCSIPersistentVolumeSource,
    CAPSTAN_REQUIRED(ISCSIPersistentVolumeSource, "targetPortal", target_portal),
    CAPSTAN_REQUIRED(ISCSIPersistentVolumeSource, "iqn", iqn),
    CAPSTAN_REQUIRED(ISCSIPersistentVolumeSource, "lun", lun),
    CAPSTAN_FIELD(ISCSIPersistentVolumeSource, "iscsiInterface", iscsi_interface),
    CAPSTAN_FIELD(ISCSIPersistentVolumeSource, "fsType", fs_type),
    CAPSTAN_NUMBER(ISCSIPersistentVolumeSource, "readOnly", read_only),
    CAPSTAN_FIELD(ISCSIPersistentVolumeSource, "portals", portals),
    CAPSTAN_NUMBER(ISCSIPersistentVolumeSource, "chapAuthDiscovery", chap_auth_discovery),
    CAPSTAN_NUMBER(ISCSIPersistentVolumeSource, "chapAuthSession", chap_auth_session),
    CAPSTAN_FIELD(ISCSIPersistentVolumeSource, "secretRef", secret_ref),
    CAPSTAN_FIELD(ISCSIPersistentVolumeSource, "initiatorName", initiator_name))

CAPSTAN_LAYOUT(CinderPersistentVolumeSource,
    CAPSTAN_REQUIRED(CinderPersistentVolumeSource, "volumeID", volume_id),
    CAPSTAN_FIELD(CinderPersistentVolumeSource, "fsType", fs_type),
    CAPSTAN_NUMBER(CinderPersistentVolumeSource, "readOnly", read_only),
    CAPSTAN_FIELD(CinderPersistentVolumeSource, "secretRef", secret_ref))

CAPSTAN_LAYOUT(CephFSPersistentVolumeSource,
    CAPSTAN_REQUIRED(CephFSPersistentVolumeSource, "monitors", monitors),
    CAPSTAN_FIELD(CephFSPersistentVolumeSource, "path", path),
    CAPSTAN_FIELD(CephFSPersistentVolumeSource, "user", user),
    CAPSTAN_FIELD(CephFSPersistentVolumeSource, "secretFile", secret_file),
    CAPSTAN_FIELD(CephFSPersistentVolumeSource, "secretRef", secret_ref),
    CAPSTAN_NUMBER(CephFSPersistentVolumeSource, "readOnly", read_only))

CAPSTAN_LAYOUT(FlexPersistentVolumeSource,
    CAPSTAN_REQUIRED(FlexPersistentVolumeSource, "driver", driver),
    CAPSTAN_FIELD(FlexPersistentVolumeSource, "fsType", fs_type),
    CAPSTAN_FIELD(FlexPersistentVolumeSource, "secretRef", secret_ref),
    CAPSTAN_NUMBER(FlexPersistentVolumeSource, "readOnly", read_only),
    CAPSTAN_FIELD(FlexPersistentVolumeSource, "options", options))

CAPSTAN_LAYOUT(AzureFilePersistentVolumeSource,
    CAPSTAN_REQUIRED(AzureFilePersistentVolumeSource, "secretName", secret_name),
    CAPSTAN_REQUIRED(AzureFilePersistentVolumeSource, "shareName", share_name),
    CAPSTAN_NUMBER(AzureFilePersistentVolumeSource, "readOnly", read_only),
    CAPSTAN_REQUIRED(AzureFilePersistentVolumeSource, "secretNamespace", secret_namespace))

CAPSTAN_LAYOUT(ScaleIOPersistentVolumeSource,
    CAPSTAN_REQUIRED(ScaleIOPersistentVolumeSource, "gateway", gateway),
    CAPSTAN_REQUIRED(ScaleIOPersistentVolumeSource, "system", system),
    CAPSTAN_REQUIRED(ScaleIOPersistentVolumeSource, "secretRef", secret_ref),
    CAPSTAN_NUMBER(ScaleIOPersistentVolumeSource, "sslEnabled", ssl_enabled),
    CAPSTAN_FIELD(ScaleIOPersistentVolumeSource, "protectionDomain", protection_domain),
    CAPSTAN_FIELD(ScaleIOPersistentVolumeSource, "storagePool", storage_pool),
    CAPSTAN_FIELD(ScaleIOPersistentVolumeSource, "storageMode", storage_mode),
    CAPSTAN_FIELD(ScaleIOPersistentVolumeSource, "volumeName", volume_name),
    CAPSTAN_FIELD(ScaleIOPersistentVolumeSource, "fsType", fs_type),
    CAPSTAN_NUMBER(ScaleIOPersistentVolumeSource, "readOnly", read_only))

CAPSTAN_LAYOUT(LocalVolumeSource,
    CAPSTAN_REQUIRED(LocalVolumeSource, "path", path),
    CAPSTAN_FIELD(LocalVolumeSource, "fsType", fs_type))

CAPSTAN_LAYOUT(StorageOSPersistentVolumeSource,
    CAPSTAN_FIELD(StorageOSPersistentVolumeSource, "volumeName", volume_name),
    CAPSTAN_FIELD(StorageOSPersistentVolumeSource, "volumeNamespace", volume_namespace),
    CAPSTAN_FIELD(StorageOSPersistentVolumeSource, "fsType", fs_type),
    CAPSTAN_NUMBER(StorageOSPersistentVolumeSource, "readOnly", read_only),
    CAPSTAN_FIELD(StorageOSPersistentVolumeSource, "secretRef", secret_ref))

CAPSTAN_LAYOUT(CSIPersistentVolumeSource,
    CAPSTAN_REQUIRED(CSIPersistentVolumeSource, "driver", driver),
    CAPSTAN_REQUIRED(CSIPersistentVolumeSource, "volumeHandle", volume_handle),
    CAPSTAN_NUMBER(CSIPersistentVolumeSource, "readOnly", read_only),
    CAPSTAN_FIELD(CSIPersistentVolumeSource, "fsType", fs_type),
    CAPSTAN_FIELD(CSIPersistentVolumeSource, "volumeAttributes", volume_attributes),
    CAPSTAN_FIELD(CSIPersistentVolumeSource, "controllerPublishSecretRef", controller_publish_secret_ref),
    CAPSTAN_FIELD(CSIPersistentVolumeSource, "nodeStageSecretRef", node_stage_secret_ref),
    CAPSTAN_FIELD(CSIPersistentVolumeSource, "nodePublishSecretRef", node_publish_secret_ref),
    CAPSTAN_FIELD(CSIPersistentVolumeSource, "controllerExpandSecretRef", controller_expand_secret_ref),
    CAPSTAN_FIELD(CSIPersistentVolumeSource, "nodeExpandSecretRef", node_expand_secret_ref))

CAPSTAN_LAYOUT(VolumeNodeAffinity,
    CAPSTAN_FIELD(VolumeNodeAffinity, "required", required))

CAPSTAN_LAYOUT(PersistentVolumeSpec,
    CAPSTAN_FIELD(PersistentVolumeSpec, "capacity", capacity),
    CAPSTAN_FIELD(PersistentVolumeSpec, "gcePersistentDisk", gce_persistent_disk),
    CAPSTAN_FIELD(PersistentVolumeSpec, "awsElasticBlockStore", aws_elastic_block_store),
    CAPSTAN_FIELD(PersistentVolumeSpec, "hostPath", host_path),
    CAPSTAN_FIELD(PersistentVolumeSpec, "glusterfs", glusterfs),
    CAPSTAN_FIELD(PersistentVolumeSpec, "nfs", nfs),
    CAPSTAN_FIELD(PersistentVolumeSpec, "rbd", rbd),
    CAPSTAN_FIELD(PersistentVolumeSpec, "iscsi", iscsi),
    CAPSTAN_FIELD(PersistentVolumeSpec, "cinder", cinder),
    CAPSTAN_FIELD(PersistentVolumeSpec, "cephfs", cephfs),
    CAPSTAN_FIELD(PersistentVolumeSpec, "fc", fc),
    CAPSTAN_FIELD(PersistentVolumeSpec, "flocker", flocker),
    CAPSTAN_FIELD(PersistentVolumeSpec, "flexVolume", flex_volume),
    CAPSTAN_FIELD(PersistentVolumeSpec, "azureFile", azure_file),
    CAPSTAN_FIELD(PersistentVolumeSpec, "vsphereVolume", vsphere_volume),
    CAPSTAN_FIELD(PersistentVolumeSpec, "quobyte", quobyte),
    CAPSTAN_FIELD(PersistentVolumeSpec, "azureDisk", azure_disk),
    CAPSTAN_FIELD(PersistentVolumeSpec, "photonPersistentDisk", photon_persistent_disk),
    CAPSTAN_FIELD(PersistentVolumeSpec, "portworxVolume", portworx_volume),
    CAPSTAN_FIELD(PersistentVolumeSpec, "scaleIO", scale_io),
    CAPSTAN_FIELD(PersistentVolumeSpec, "local", local),
    CAPSTAN_FIELD(PersistentVolumeSpec, "storageos", storageos),
    CAPSTAN_FIELD(PersistentVolumeSpec, "csi", csi),
    CAPSTAN_FIELD(PersistentVolumeSpec, "accessModes", access_modes),
    CAPSTAN_FIELD(PersistentVolumeSpec, "claimRef", claim_ref),
    CAPSTAN_FIELD(PersistentVolumeSpec, "persistentVolumeReclaimPolicy", persistent_volume_reclaim_policy),
    CAPSTAN_FIELD(PersistentVolumeSpec, "storageClassName", storage_class_name),
    CAPSTAN_FIELD(PersistentVolumeSpec, "mountOptions", mount_options),
    CAPSTAN_FIELD(PersistentVolumeSpec, "volumeMode", volume_mode),
    CAPSTAN_FIELD(PersistentVolumeSpec, "nodeAffinity", node_affinity),
    CAPSTAN_FIELD(PersistentVolumeSpec, "volumeAttributesClassName", volume_attributes_class_name))

CAPSTAN_LAYOUT(PhotonPersistentDiskVolumeSource,
    CAPSTAN_REQUIRED(PhotonPersistentDiskVolumeSource, "pdID", pd_id),
    CAPSTAN_FIELD(PhotonPersistentDiskVolumeSource, "fsType", fs_type))

CAPSTAN_LAYOUT(PodCondition,
    CAPSTAN_REQUIRED(PodCondition, "type", type),
    CAPSTAN_NUMBER(PodCondition, "observedGeneration", observed_generation),
    CAPSTAN_REQUIRED(PodCondition, "status", status),
    CAPSTAN_FIELD(PodCondition, "lastProbeTime", last_probe_time),
    CAPSTAN_FIELD(PodCondition, "lastTransitionTime", last_transition_time),
    CAPSTAN_FIELD(PodCondition, "reason", reason),
    CAPSTAN_FIELD(PodCondition, "message", message))

CAPSTAN_LAYOUT(HostIP,
    CAPSTAN_REQUIRED(HostIP, "ip", ip))

CAPSTAN_LAYOUT(PodIP,
    CAPSTAN_REQUIRED(PodIP, "ip", ip))

CAPSTAN_LAYOUT(ContainerStateWaiting,
    CAPSTAN_FIELD(ContainerStateWaiting, "reason", reason),
    CAPSTAN_FIELD(ContainerStateWaiting, "message", message))

CAPSTAN_LAYOUT(ContainerStateRunning,
    CAPSTAN_FIELD(ContainerStateRunning, "startedAt", started_at))

CAPSTAN_LAYOUT(ContainerStateTerminated,
    CAPSTAN_REQUIRED(ContainerStateTerminated, "exitCode", exit_code),
    CAPSTAN_NUMBER(ContainerStateTerminated, "signal", signal),
    CAPSTAN_FIELD(ContainerStateTerminated, "reason", reason),
    CAPSTAN_FIELD(ContainerStateTerminated, "message", message),
    CAPSTAN_FIELD(ContainerStateTerminated, "startedAt", started_at),
    CAPSTAN_FIELD(ContainerStateTerminated, "finishedAt", finished_at),
    CAPSTAN_FIELD(ContainerStateTerminated, "containerID", container_id))

CAPSTAN_LAYOUT(ContainerState,
    CAPSTAN_FIELD(ContainerState, "waiting", waiting),
    CAPSTAN_FIELD(ContainerState, "running", running),
    CAPSTAN_FIELD(ContainerState, "terminated", terminated))

CAPSTAN_LAYOUT(ImageVolumeStatus,
    CAPSTAN_FIELD(ImageVolumeStatus, "imageRef", image_ref))

CAPSTAN_LAYOUT(VolumeStatus,
    CAPSTAN_FIELD(VolumeStatus, "image", image))

CAPSTAN_LAYOUT(VolumeMountStatus,
    CAPSTAN_REQUIRED(VolumeMountStatus, "name", name),
    CAPSTAN_REQUIRED(VolumeMountStatus, "mountPath", mount_path),
    CAPSTAN_NUMBER(VolumeMountStatus, "readOnly", read_only),
    CAPSTAN_FIELD(VolumeMountStatus, "recursiveReadOnly", recursive_read_only),
    CAPSTAN_FIELD(VolumeMountStatus, "volumeStatus", volume_status))

CAPSTAN_LAYOUT(LinuxContainerUser,
    CAPSTAN_REQUIRED(LinuxContainerUser, "uid", uid),
    CAPSTAN_REQUIRED(LinuxContainerUser, "gid", gid),
    CAPSTAN_FIELD(LinuxContainerUser, "supplementalGroups", supplemental_groups))

CAPSTAN_LAYOUT(ContainerUser,
    CAPSTAN_FIELD(ContainerUser, "linux", linux))

CAPSTAN_LAYOUT(ResourceHealth,
    CAPSTAN_REQUIRED(ResourceHealth, "resourceID", resource_id),
    CAPSTAN_FIELD(ResourceHealth, "health", health),
    CAPSTAN_FIELD(ResourceHealth, "message", message))

CAPSTAN_LAYOUT(ResourceStatus,
    CAPSTAN_REQUIRED(ResourceStatus, "name", name),
    CAPSTAN_FIELD(ResourceStatus, "resources", resources))

CAPSTAN_LAYOUT(ContainerStatus,
    CAPSTAN_REQUIRED(ContainerStatus, "name", name),
    CAPSTAN_FIELD(ContainerStatus, "state", state),
    CAPSTAN_FIELD(ContainerStatus, "lastState", last_state),
    CAPSTAN_REQUIRED(ContainerStatus, "ready", ready),
    CAPSTAN_REQUIRED(ContainerStatus, "restartCount", restart_count),
    CAPSTAN_REQUIRED(ContainerStatus, "image", image),
    CAPSTAN_REQUIRED(ContainerStatus, "imageID", image_id),
    CAPSTAN_FIELD(ContainerStatus, "containerID", container_id),
    CAPSTAN_FIELD(ContainerStatus, "started", started),
    CAPSTAN_FIELD(ContainerStatus, "allocatedResources", allocated_resources),
    CAPSTAN_FIELD(ContainerStatus, "resources", resources),
    CAPSTAN_FIELD(ContainerStatus, "volumeMounts", volume_mounts),
    CAPSTAN_FIELD(ContainerStatus, "user", user),
    CAPSTAN_FIELD(ContainerStatus, "allocatedResourcesStatus", allocated_resources_status),
    CAPSTAN_FIELD(ContainerStatus, "stopSignal", stop_signal))

CAPSTAN_LAYOUT(PodResourceClaimStatus,
    CAPSTAN_REQUIRED(PodResourceClaimStatus, "name", name),
    CAPSTAN_FIELD(PodResourceClaimStatus, "resourceClaimName", resource_claim_name))

CAPSTAN_LAYOUT(ContainerExtendedResourceRequest,
    CAPSTAN_REQUIRED(ContainerExtendedResourceRequest, "containerName", container_name),
    CAPSTAN_REQUIRED(ContainerExtendedResourceRequest, "resourceName", resource_name),
    CAPSTAN_REQUIRED(ContainerExtendedResourceRequest, "requestName", request_name))

CAPSTAN_LAYOUT(PodExtendedResourceClaimStatus,
    CAPSTAN_REQUIRED(PodExtendedResourceClaimStatus, "requestMappings", request_mappings),
    CAPSTAN_REQUIRED(PodExtendedResourceClaimStatus, "resourceClaimName", resource_claim_name))

CAPSTAN_LAYOUT(NodeAllocatableMappedResources,
    CAPSTAN_REQUIRED(NodeAllocatableMappedResources, "name", name),
    CAPSTAN_REQUIRED(NodeAllocatableMappedResources, "quantity", quantity))

CAPSTAN_LAYOUT(NodeAllocatableOverheadResources,
    CAPSTAN_REQUIRED(NodeAllocatableOverheadResources, "name", name),
    CAPSTAN_FIELD(NodeAllocatableOverheadResources, "perPod", per_pod),
    CAPSTAN_FIELD(NodeAllocatableOverheadResources, "perContainer", per_container))

CAPSTAN_LAYOUT(NodeAllocatableResourceClaimStatus,
    CAPSTAN_REQUIRED(NodeAllocatableResourceClaimStatus, "resourceClaimName", resource_claim_name),
    CAPSTAN_FIELD(NodeAllocatableResourceClaimStatus, "containers", containers),
    CAPSTAN_FIELD(NodeAllocatableResourceClaimStatus, "mapping", mapping),
    CAPSTAN_FIELD(NodeAllocatableResourceClaimStatus, "overhead", overhead))

CAPSTAN_LAYOUT(PodVolumeHealth,
    CAPSTAN_REQUIRED(PodVolumeHealth, "name", name),
    CAPSTAN_FIELD(PodVolumeHealth, "healthConditions", health_conditions),
    CAPSTAN_FIELD(PodVolumeHealth, "lastTransitionTime", last_transition_time))

CAPSTAN_LAYOUT(PodStatus,
    CAPSTAN_NUMBER(PodStatus, "observedGeneration", observed_generation),
    CAPSTAN_FIELD(PodStatus, "phase", phase),
    CAPSTAN_FIELD(PodStatus, "conditions", conditions),
    CAPSTAN_FIELD(PodStatus, "message", message),
    CAPSTAN_FIELD(PodStatus, "reason", reason),
    CAPSTAN_FIELD(PodStatus, "nominatedNodeName", nominated_node_name),
    CAPSTAN_FIELD(PodStatus, "hostIP", host_ip),
    CAPSTAN_FIELD(PodStatus, "hostIPs", host_ips),
    CAPSTAN_FIELD(PodStatus, "podIP", pod_ip),
    CAPSTAN_FIELD(PodStatus, "podIPs", pod_ips),
    CAPSTAN_FIELD(PodStatus, "startTime", start_time),
    CAPSTAN_FIELD(PodStatus, "initContainerStatuses", init_container_statuses),
    CAPSTAN_FIELD(PodStatus, "containerStatuses", container_statuses),
    CAPSTAN_FIELD(PodStatus, "qosClass", qos_class),
    CAPSTAN_FIELD(PodStatus, "ephemeralContainerStatuses", ephemeral_container_statuses),
    CAPSTAN_FIELD(PodStatus, "resize", resize),
    CAPSTAN_FIELD(PodStatus, "resourceClaimStatuses", resource_claim_statuses),
    CAPSTAN_FIELD(PodStatus, "extendedResourceClaimStatus", extended_resource_claim_status),
    CAPSTAN_FIELD(PodStatus, "allocatedResources", allocated_resources),
    CAPSTAN_FIELD(PodStatus, "resources", resources),
    CAPSTAN_FIELD(PodStatus, "nodeAllocatableResourceClaimStatuses", node_allocatable_resource_claim_statuses),
    CAPSTAN_FIELD(PodStatus, "volumeHealth", volume_health))

CAPSTAN_LAYOUT(Pod,
    CAPSTAN_PART(Pod, "metadata", metadata, kMetadata),
    CAPSTAN_PART(Pod, "spec", spec, kSpec),
    CAPSTAN_PART(Pod, "status", status, kStatus))

CAPSTAN_LAYOUT(EmptyDirVolumeSource,
    CAPSTAN_FIELD(EmptyDirVolumeSource, "medium", medium),
    CAPSTAN_FIELD(EmptyDirVolumeSource, "sizeLimit", size_limit),
    CAPSTAN_FIELD(EmptyDirVolumeSource, "mode", mode))

CAPSTAN_LAYOUT(GitRepoVolumeSource,
    CAPSTAN_REQUIRED(GitRepoVolumeSource, "repository", repository),
    CAPSTAN_FIELD(GitRepoVolumeSource, "revision", revision),
    CAPSTAN_FIELD(GitRepoVolumeSource, "directory", directory))

CAPSTAN_LAYOUT(KeyToPath,
    CAPSTAN_REQUIRED(KeyToPath, "key", key),
    CAPSTAN_REQUIRED(KeyToPath, "path", path),
    CAPSTAN_FIELD(KeyToPath, "mode", mode),
    CAPSTAN_FIELD(KeyToPath, "user", user))

CAPSTAN_LAYOUT(SecretVolumeSource,
    CAPSTAN_FIELD(SecretVolumeSource, "secretName", secret_name),
    CAPSTAN_FIELD(SecretVolumeSource, "items", items),
    CAPSTAN_FIELD(SecretVolumeSource, "defaultMode", default_mode),
    CAPSTAN_FIELD(SecretVolumeSource, "optional", optional),
    CAPSTAN_FIELD(SecretVolumeSource, "defaultUser", default_user))

CAPSTAN_LAYOUT(ISCSIVolumeSource,
    CAPSTAN_REQUIRED(ISCSIVolumeSource, "targetPortal", target_portal),
    CAPSTAN_REQUIRED(ISCSIVolumeSource, "iqn", iqn),
    CAPSTAN_REQUIRED(ISCSIVolumeSource, "lun", lun),
    CAPSTAN_FIELD(ISCSIVolumeSource, "iscsiInterface", iscsi_interface),
    CAPSTAN_FIELD(ISCSIVolumeSource, "fsType", fs_type),
    CAPSTAN_NUMBER(ISCSIVolumeSource, "readOnly", read_only),
    CAPSTAN_FIELD(ISCSIVolumeSource, "portals", portals),
    CAPSTAN_NUMBER(ISCSIVolumeSource, "chapAuthDiscovery", chap_auth_discovery),
    CAPSTAN_NUMBER(ISCSIVolumeSource, "chapAuthSession", chap_auth_session),
    CAPSTAN_FIELD(ISCSIVolumeSource, "secretRef", secret_ref),
    CAPSTAN_FIELD(ISCSIVolumeSource, "initiatorName", initiator_name))

CAPSTAN_LAYOUT(GlusterfsVolumeSource,
    CAPSTAN_REQUIRED(GlusterfsVolumeSource, "endpoints", endpoints),
    CAPSTAN_REQUIRED(GlusterfsVolumeSource, "path", path),
    CAPSTAN_NUMBER(GlusterfsVolumeSource, "readOnly", read_only))

CAPSTAN_LAYOUT(PersistentVolumeClaimVolumeSource,
    CAPSTAN_REQUIRED(PersistentVolumeClaimVolumeSource, "claimName", claim_name),
    CAPSTAN_NUMBER(PersistentVolumeClaimVolumeSource, "readOnly", read_only))

CAPSTAN_LAYOUT(RBDVolumeSource,
    CAPSTAN_REQUIRED(RBDVolumeSource, "monitors", monitors),
    CAPSTAN_REQUIRED(RBDVolumeSource, "image", image),
    CAPSTAN_FIELD(RBDVolumeSource, "fsType", fs_type),
    CAPSTAN_FIELD(RBDVolumeSource, "pool", pool),
    CAPSTAN_FIELD(RBDVolumeSource, "user", user),
    CAPSTAN_FIELD(RBDVolumeSource, "keyring", keyring),
    CAPSTAN_FIELD(RBDVolumeSource, "secretRef", secret_ref),
    CAPSTAN_NUMBER(RBDVolumeSource, "readOnly", read_only))

CAPSTAN_LAYOUT(FlexVolumeSource,
    CAPSTAN_REQUIRED(FlexVolumeSource, "driver", driver),
    CAPSTAN_FIELD(FlexVolumeSource, "fsType", fs_type),
    CAPSTAN_FIELD(FlexVolumeSource, "secretRef", secret_ref),
    CAPSTAN_NUMBER(FlexVolumeSource, "readOnly", read_only),
    CAPSTAN_FIELD(FlexVolumeSource, "options", options))

CAPSTAN_LAYOUT(CinderVolumeSource,
    CAPSTAN_REQUIRED(CinderVolumeSource, "volumeID", volume_id),
    CAPSTAN_FIELD(CinderVolumeSource, "fsType", fs_type),
    CAPSTAN_NUMBER(CinderVolumeSource, "readOnly", read_only),
    CAPSTAN_FIELD(CinderVolumeSource, "secretRef", secret_ref))

CAPSTAN_LAYOUT(CephFSVolumeSource,
    CAPSTAN_REQUIRED(CephFSVolumeSource, "monitors", monitors),
    CAPSTAN_FIELD(CephFSVolumeSource, "path", path),
    CAPSTAN_FIELD(CephFSVolumeSource, "user", user),
    CAPSTAN_FIELD(CephFSVolumeSource, "secretFile", secret_file),
    CAPSTAN_FIELD(CephFSVolumeSource, "secretRef", secret_ref),
    CAPSTAN_NUMBER(CephFSVolumeSource, "readOnly", read_only))

CAPSTAN_LAYOUT(ObjectFieldSelector,
    CAPSTAN_FIELD(ObjectFieldSelector, "apiVersion", api_version),
    CAPSTAN_REQUIRED(ObjectFieldSelector, "fieldPath", field_path))

CAPSTAN_LAYOUT(ResourceFieldSelector,
    CAPSTAN_FIELD(ResourceFieldSelector, "containerName", container_name),
    CAPSTAN_REQUIRED(ResourceFieldSelector, "resource", resource),
    CAPSTAN_FIELD(ResourceFieldSelector, "divisor", divisor))

CAPSTAN_LAYOUT(DownwardAPIVolumeFile,
    CAPSTAN_REQUIRED(DownwardAPIVolumeFile, "path", path),
    CAPSTAN_FIELD(DownwardAPIVolumeFile, "fieldRef", field_ref),
    CAPSTAN_FIELD(DownwardAPIVolumeFile, "resourceFieldRef", resource_field_ref),
    CAPSTAN_FIELD(DownwardAPIVolumeFile, "mode", mode),
    CAPSTAN_FIELD(DownwardAPIVolumeFile, "user", user))

CAPSTAN_LAYOUT(DownwardAPIVolumeSource,
    CAPSTAN_FIELD(DownwardAPIVolumeSource, "items", items),
    CAPSTAN_FIELD(DownwardAPIVolumeSource, "defaultMode", default_mode),
    CAPSTAN_FIELD(DownwardAPIVolumeSource, "defaultUser", default_user))

CAPSTAN_LAYOUT(AzureFileVolumeSource,
    CAPSTAN_REQUIRED(AzureFileVolumeSource, "secretName", secret_name),
    CAPSTAN_REQUIRED(AzureFileVolumeSource, "shareName", share_name),
    CAPSTAN_NUMBER(AzureFileVolumeSource, "readOnly", read_only))

CAPSTAN_LAYOUT(ConfigMapVolumeSource,
    CAPSTAN_FIELD(ConfigMapVolumeSource, "name", name),
    CAPSTAN_FIELD(ConfigMapVolumeSource, "items", items),
    CAPSTAN_FIELD(ConfigMapVolumeSource, "defaultMode", default_mode),
    CAPSTAN_FIELD(ConfigMapVolumeSource, "optional", optional),
    CAPSTAN_FIELD(ConfigMapVolumeSource, "defaultUser", default_user))

CAPSTAN_LAYOUT(SecretProjection,
    CAPSTAN_FIELD(SecretProjection, "name", name),
    CAPSTAN_FIELD(SecretProjection, "items", items),
    CAPSTAN_FIELD(SecretProjection, "optional", optional))

CAPSTAN_LAYOUT(DownwardAPIProjection,
    CAPSTAN_FIELD(DownwardAPIProjection, "items", items))

CAPSTAN_LAYOUT(ConfigMapProjection,
    CAPSTAN_FIELD(ConfigMapProjection, "name", name),
    CAPSTAN_FIELD(ConfigMapProjection, "items", items),
    CAPSTAN_FIELD(ConfigMapProjection, "optional", optional))

CAPSTAN_LAYOUT(ServiceAccountTokenProjection,
    CAPSTAN_FIELD(ServiceAccountTokenProjection, "audience", audience),
    CAPSTAN_FIELD(ServiceAccountTokenProjection, "expirationSeconds", expiration_seconds),
    CAPSTAN_REQUIRED(ServiceAccountTokenProjection, "path", path),
    CAPSTAN_FIELD(ServiceAccountTokenProjection, "user", user))

CAPSTAN_LAYOUT(ClusterTrustBundleProjection,
    CAPSTAN_FIELD(ClusterTrustBundleProjection, "name", name),
    CAPSTAN_FIELD(ClusterTrustBundleProjection, "signerName", signer_name),
    CAPSTAN_FIELD(ClusterTrustBundleProjection, "labelSelector", label_selector),
    CAPSTAN_FIELD(ClusterTrustBundleProjection, "optional", optional),
    CAPSTAN_REQUIRED(ClusterTrustBundleProjection, "path", path),
    CAPSTAN_FIELD(ClusterTrustBundleProjection, "user", user))

CAPSTAN_LAYOUT(PodCertificateProjection,
    CAPSTAN_FIELD(PodCertificateProjection, "signerName", signer_name),
    CAPSTAN_FIELD(PodCertificateProjection, "keyType", key_type),
    CAPSTAN_FIELD(PodCertificateProjection, "maxExpirationSeconds", max_expiration_seconds),
    CAPSTAN_FIELD(PodCertificateProjection, "credentialBundlePath", credential_bundle_path),
    CAPSTAN_FIELD(PodCertificateProjection, "keyPath", key_path),
    CAPSTAN_FIELD(PodCertificateProjection, "certificateChainPath", certificate_chain_path),
    CAPSTAN_FIELD(PodCertificateProjection, "userAnnotations", user_annotations),
    CAPSTAN_FIELD(PodCertificateProjection, "user", user))

CAPSTAN_LAYOUT(VolumeProjection,
    CAPSTAN_FIELD(VolumeProjection, "secret", secret),
    CAPSTAN_FIELD(VolumeProjection, "downwardAPI", downward_api),
    CAPSTAN_FIELD(VolumeProjection, "configMap", config_map),
    CAPSTAN_FIELD(VolumeProjection, "serviceAccountToken", service_account_token),
    CAPSTAN_FIELD(VolumeProjection, "clusterTrustBundle", cluster_trust_bundle),
    CAPSTAN_FIELD(VolumeProjection, "podCertificate", pod_certificate))

CAPSTAN_LAYOUT(ProjectedVolumeSource,
    CAPSTAN_REQUIRED(ProjectedVolumeSource, "sources", sources),
    CAPSTAN_FIELD(ProjectedVolumeSource, "defaultMode", default_mode),
    CAPSTAN_FIELD(ProjectedVolumeSource, "defaultUser", default_user))

CAPSTAN_LAYOUT(ScaleIOVolumeSource,
    CAPSTAN_REQUIRED(ScaleIOVolumeSource, "gateway", gateway),
    CAPSTAN_REQUIRED(ScaleIOVolumeSource, "system", system),
    CAPSTAN_REQUIRED(ScaleIOVolumeSource, "secretRef", secret_ref),
    CAPSTAN_NUMBER(ScaleIOVolumeSource, "sslEnabled", ssl_enabled),
    CAPSTAN_FIELD(ScaleIOVolumeSource, "protectionDomain", protection_domain),
    CAPSTAN_FIELD(ScaleIOVolumeSource, "storagePool", storage_pool),
    CAPSTAN_FIELD(ScaleIOVolumeSource, "storageMode", storage_mode),
    CAPSTAN_FIELD(ScaleIOVolumeSource, "volumeName", volume_name),
    CAPSTAN_FIELD(ScaleIOVolumeSource, "fsType", fs_type),
    CAPSTAN_NUMBER(ScaleIOVolumeSource, "readOnly", read_only))

CAPSTAN_LAYOUT(StorageOSVolumeSource,
    CAPSTAN_FIELD(StorageOSVolumeSource, "volumeName", volume_name),
    CAPSTAN_FIELD(StorageOSVolumeSource, "volumeNamespace", volume_namespace),
    CAPSTAN_FIELD(StorageOSVolumeSource, "fsType", fs_type),
    CAPSTAN_NUMBER(StorageOSVolumeSource, "readOnly", read_only),
    CAPSTAN_FIELD(StorageOSVolumeSource, "secretRef", secret_ref))

CAPSTAN_LAYOUT(CSIVolumeSource,
    CAPSTAN_REQUIRED(CSIVolumeSource, "driver", driver),
    CAPSTAN_FIELD(CSIVolumeSource, "readOnly", read_only),
    CAPSTAN_FIELD(CSIVolumeSource, "fsType", fs_type),
    CAPSTAN_FIELD(CSIVolumeSource, "volumeAttributes", volume_attributes),
    CAPSTAN_FIELD(CSIVolumeSource, "nodePublishSecretRef", node_publish_secret_ref))

CAPSTAN_LAYOUT(PersistentVolumeClaimTemplate,
    CAPSTAN_FIELD(PersistentVolumeClaimTemplate, "metadata", metadata),
    CAPSTAN_REQUIRED(PersistentVolumeClaimTemplate, "spec", spec))

CAPSTAN_LAYOUT(EphemeralVolumeSource,
    CAPSTAN_FIELD(EphemeralVolumeSource, "volumeClaimTemplate", volume_claim_template))

CAPSTAN_LAYOUT(ImageVolumeSource,
    CAPSTAN_FIELD(ImageVolumeSource, "reference", reference),
    CAPSTAN_FIELD(ImageVolumeSource, "pullPolicy", pull_policy))

CAPSTAN_LAYOUT(Volume,
    CAPSTAN_REQUIRED(Volume, "name", name),
    CAPSTAN_FIELD(Volume, "hostPath", host_path),
    CAPSTAN_FIELD(Volume, "emptyDir", empty_dir),
    CAPSTAN_FIELD(Volume, "gcePersistentDisk", gce_persistent_disk),
    CAPSTAN_FIELD(Volume, "awsElasticBlockStore", aws_elastic_block_store),
    CAPSTAN_FIELD(Volume, "gitRepo", git_repo),
    CAPSTAN_FIELD(Volume, "secret", secret),
    CAPSTAN_FIELD(Volume, "nfs", nfs),
    CAPSTAN_FIELD(Volume, "iscsi", iscsi),
    CAPSTAN_FIELD(Volume, "glusterfs", glusterfs),
    CAPSTAN_FIELD(Volume, "persistentVolumeClaim", persistent_volume_claim),
    CAPSTAN_FIELD(Volume, "rbd", rbd),
    CAPSTAN_FIELD(Volume, "flexVolume", flex_volume),
    CAPSTAN_FIELD(Volume, "cinder", cinder),
    CAPSTAN_FIELD(Volume, "cephfs", cephfs),
    CAPSTAN_FIELD(Volume, "flocker", flocker),
    CAPSTAN_FIELD(Volume, "downwardAPI", downward_api),
    CAPSTAN_FIELD(Volume, "fc", fc),
    CAPSTAN_FIELD(Volume, "azureFile", azure_file),
    CAPSTAN_FIELD(Volume, "configMap", config_map),
    CAPSTAN_FIELD(Volume, "vsphereVolume", vsphere_volume),
    CAPSTAN_FIELD(Volume, "quobyte", quobyte),
    CAPSTAN_FIELD(Volume, "azureDisk", azure_disk),
    CAPSTAN_FIELD(Volume, "photonPersistentDisk", photon_persistent_disk),
    CAPSTAN_FIELD(Volume, "projected", projected),
    CAPSTAN_FIELD(Volume, "portworxVolume", portworx_volume),
    CAPSTAN_FIELD(Volume, "scaleIO", scale_io),
    CAPSTAN_FIELD(Volume, "storageos", storageos),
    CAPSTAN_FIELD(Volume, "csi", csi),
    CAPSTAN_FIELD(Volume, "ephemeral", ephemeral),
    CAPSTAN_FIELD(Volume, "image", image))

CAPSTAN_LAYOUT(ContainerPort,
    CAPSTAN_FIELD(ContainerPort, "name", name),
    CAPSTAN_NUMBER(ContainerPort, "hostPort", host_port),
    CAPSTAN_REQUIRED(ContainerPort, "containerPort", container_port),
    CAPSTAN_FIELD(ContainerPort, "protocol", protocol),
    CAPSTAN_FIELD(ContainerPort, "hostIP", host_ip))

CAPSTAN_LAYOUT(ConfigMapEnvSource,
    CAPSTAN_FIELD(ConfigMapEnvSource, "name", name),
    CAPSTAN_FIELD(ConfigMapEnvSource, "optional", optional))

CAPSTAN_LAYOUT(SecretEnvSource,
    CAPSTAN_FIELD(SecretEnvSource, "name", name),
    CAPSTAN_FIELD(SecretEnvSource, "optional", optional))

CAPSTAN_LAYOUT(EnvFromSource,
    CAPSTAN_FIELD(EnvFromSource, "prefix", prefix),
    CAPSTAN_FIELD(EnvFromSource, "configMapRef", config_map_ref),
    CAPSTAN_FIELD(EnvFromSource, "secretRef", secret_ref))

CAPSTAN_LAYOUT(ConfigMapKeySelector,
    CAPSTAN_FIELD(ConfigMapKeySelector, "name", name),
    CAPSTAN_REQUIRED(ConfigMapKeySelector, "key", key),
    CAPSTAN_FIELD(ConfigMapKeySelector, "optional", optional))

CAPSTAN_LAYOUT(SecretKeySelector,
    CAPSTAN_FIELD(SecretKeySelector, "name", name),
    CAPSTAN_REQUIRED(SecretKeySelector, "key", key),
    CAPSTAN_FIELD(SecretKeySelector, "optional", optional))

CAPSTAN_LAYOUT(FileKeySelector,
    CAPSTAN_REQUIRED(FileKeySelector, "volumeName", volume_name),
    CAPSTAN_REQUIRED(FileKeySelector, "path", path),
    CAPSTAN_REQUIRED(FileKeySelector, "key", key),
    CAPSTAN_FIELD(FileKeySelector, "optional", optional))

CAPSTAN_LAYOUT(EnvVarSource,
    CAPSTAN_FIELD(EnvVarSource, "fieldRef", field_ref),
    CAPSTAN_FIELD(EnvVarSource, "resourceFieldRef", resource_field_ref),
    CAPSTAN_FIELD(EnvVarSource, "configMapKeyRef", config_map_key_ref),
    CAPSTAN_FIELD(EnvVarSource, "secretKeyRef", secret_key_ref),
    CAPSTAN_FIELD(EnvVarSource, "fileKeyRef", file_key_ref))

CAPSTAN_LAYOUT(EnvVar,
    CAPSTAN_REQUIRED(EnvVar, "name", name),
    CAPSTAN_FIELD(EnvVar, "value", value),
    CAPSTAN_FIELD(EnvVar, "valueFrom", value_from))

CAPSTAN_LAYOUT(ContainerResizePolicy,
    CAPSTAN_REQUIRED(ContainerResizePolicy, "resourceName", resource_name),
    CAPSTAN_REQUIRED(ContainerResizePolicy, "restartPolicy", restart_policy))

CAPSTAN_LAYOUT(ContainerRestartRuleOnExitCodes,
    CAPSTAN_FIELD(ContainerRestartRuleOnExitCodes, "operator", operator_),
    CAPSTAN_FIELD(ContainerRestartRuleOnExitCodes, "values", values))

CAPSTAN_LAYOUT(ContainerRestartRule,
    CAPSTAN_FIELD(ContainerRestartRule, "action", action),
    CAPSTAN_FIELD(ContainerRestartRule, "exitCodes", exit_codes))

CAPSTAN_LAYOUT(VolumeMount,
    CAPSTAN_REQUIRED(VolumeMount, "name", name),
    CAPSTAN_NUMBER(VolumeMount, "readOnly", read_only),
    CAPSTAN_FIELD(VolumeMount, "recursiveReadOnly", recursive_read_only),
    CAPSTAN_REQUIRED(VolumeMount, "mountPath", mount_path),
    CAPSTAN_FIELD(VolumeMount, "subPath", sub_path),
    CAPSTAN_FIELD(VolumeMount, "mountPropagation", mount_propagation),
    CAPSTAN_FIELD(VolumeMount, "subPathExpr", sub_path_expr),
    CAPSTAN_FIELD(VolumeMount, "bindMountOptions", bind_mount_options))

CAPSTAN_LAYOUT(VolumeDevice,
    CAPSTAN_REQUIRED(VolumeDevice, "name", name),
    CAPSTAN_REQUIRED(VolumeDevice, "devicePath", device_path))

CAPSTAN_LAYOUT(ExecAction,
    CAPSTAN_FIELD(ExecAction, "command", command))

CAPSTAN_LAYOUT(HTTPHeader,
    CAPSTAN_REQUIRED(HTTPHeader, "name", name),
    CAPSTAN_REQUIRED(HTTPHeader, "value", value))

CAPSTAN_LAYOUT(HTTPGetAction,
    CAPSTAN_FIELD(HTTPGetAction, "path", path),
    CAPSTAN_REQUIRED(HTTPGetAction, "port", port),
    CAPSTAN_FIELD(HTTPGetAction, "host", host),
    CAPSTAN_FIELD(HTTPGetAction, "scheme", scheme),
    CAPSTAN_FIELD(HTTPGetAction, "httpHeaders", http_headers),
    CAPSTAN_FIELD(HTTPGetAction, "protocol", protocol))

CAPSTAN_LAYOUT(TCPSocketAction,
    CAPSTAN_REQUIRED(TCPSocketAction, "port", port),
    CAPSTAN_FIELD(TCPSocketAction, "host", host))

CAPSTAN_LAYOUT(GRPCAction,
    CAPSTAN_REQUIRED(GRPCAction, "port", port),
    CAPSTAN_REQUIRED(GRPCAction, "service", service),
    CAPSTAN_FIELD(GRPCAction, "mode", mode))

CAPSTAN_LAYOUT(Probe,
    CAPSTAN_FIELD(Probe, "exec", exec),
    CAPSTAN_FIELD(Probe, "httpGet", http_get),
    CAPSTAN_FIELD(Probe, "tcpSocket", tcp_socket),
    CAPSTAN_FIELD(Probe, "grpc", grpc),
    CAPSTAN_NUMBER(Probe, "initialDelaySeconds", initial_delay_seconds),
    CAPSTAN_NUMBER(Probe, "timeoutSeconds", timeout_seconds),
    CAPSTAN_NUMBER(Probe, "periodSeconds", period_seconds),
    CAPSTAN_NUMBER(Probe, "successThreshold", success_threshold),
    CAPSTAN_NUMBER(Probe, "failureThreshold", failure_threshold),
    CAPSTAN_FIELD(Probe, "terminationGracePeriodSeconds", termination_grace_period_seconds))

CAPSTAN_LAYOUT(SleepAction,
    CAPSTAN_REQUIRED(SleepAction, "seconds", seconds))

CAPSTAN_LAYOUT(LifecycleHandler,
    CAPSTAN_FIELD(LifecycleHandler, "exec", exec),
    CAPSTAN_FIELD(LifecycleHandler, "httpGet", http_get),
    CAPSTAN_FIELD(LifecycleHandler, "tcpSocket", tcp_socket),
    CAPSTAN_FIELD(LifecycleHandler, "sleep", sleep))

CAPSTAN_LAYOUT(Lifecycle,
    CAPSTAN_FIELD(Lifecycle, "postStart", post_start),
    CAPSTAN_FIELD(Lifecycle, "preStop", pre_stop),
    CAPSTAN_FIELD(Lifecycle, "stopSignal", stop_signal))

CAPSTAN_LAYOUT(Capabilities,
    CAPSTAN_FIELD(Capabilities, "add", add),
    CAPSTAN_FIELD(Capabilities, "drop", drop))

CAPSTAN_LAYOUT(SELinuxOptions,
    CAPSTAN_FIELD(SELinuxOptions, "user", user),
    CAPSTAN_FIELD(SELinuxOptions, "role", role),
    CAPSTAN_FIELD(SELinuxOptions, "type", type),
    CAPSTAN_FIELD(SELinuxOptions, "level", level))

CAPSTAN_LAYOUT(WindowsSecurityContextOptions,
    CAPSTAN_FIELD(WindowsSecurityContextOptions, "gmsaCredentialSpecName", gmsa_credential_spec_name),
    CAPSTAN_FIELD(WindowsSecurityContextOptions, "gmsaCredentialSpec", gmsa_credential_spec),
    CAPSTAN_FIELD(WindowsSecurityContextOptions, "runAsUserName", run_as_user_name),
    CAPSTAN_FIELD(WindowsSecurityContextOptions, "hostProcess", host_process))

CAPSTAN_LAYOUT(SeccompProfile,
    CAPSTAN_REQUIRED(SeccompProfile, "type", type),
    CAPSTAN_FIELD(SeccompProfile, "localhostProfile", localhost_profile))

CAPSTAN_LAYOUT(AppArmorProfile,
    CAPSTAN_REQUIRED(AppArmorProfile, "type", type),
    CAPSTAN_FIELD(AppArmorProfile, "localhostProfile", localhost_profile))

CAPSTAN_LAYOUT(SecurityContext,
    CAPSTAN_FIELD(SecurityContext, "capabilities", capabilities),
    CAPSTAN_FIELD(SecurityContext, "privileged", privileged),
    CAPSTAN_FIELD(SecurityContext, "seLinuxOptions", se_linux_options),
    CAPSTAN_FIELD(SecurityContext, "windowsOptions", windows_options),
    CAPSTAN_FIELD(SecurityContext, "runAsUser", run_as_user),
    CAPSTAN_FIELD(SecurityContext, "runAsGroup", run_as_group),
    CAPSTAN_FIELD(SecurityContext, "runAsNonRoot", run_as_non_root),
    CAPSTAN_FIELD(SecurityContext, "readOnlyRootFilesystem", read_only_root_filesystem),
    CAPSTAN_FIELD(SecurityContext, "allowPrivilegeEscalation", allow_privilege_escalation),
    CAPSTAN_FIELD(SecurityContext, "procMount", proc_mount),
    CAPSTAN_FIELD(SecurityContext, "seccompProfile", seccomp_profile),
    CAPSTAN_FIELD(SecurityContext, "appArmorProfile", app_armor_profile))

CAPSTAN_LAYOUT(Container,
    CAPSTAN_REQUIRED(Container, "name", name),
    CAPSTAN_FIELD(Container, "image", image),
    CAPSTAN_FIELD(Container, "command", command),
    CAPSTAN_FIELD(Container, "args", args),
    CAPSTAN_FIELD(Container, "workingDir", working_dir),
    CAPSTAN_FIELD(Container, "ports", ports),
    CAPSTAN_FIELD(Container, "envFrom", env_from),
    CAPSTAN_FIELD(Container, "env", env),
    CAPSTAN_FIELD(Container, "resources", resources),
    CAPSTAN_FIELD(Container, "resizePolicy", resize_policy),
    CAPSTAN_FIELD(Container, "restartPolicy", restart_policy),
    CAPSTAN_FIELD(Container, "restartPolicyRules", restart_policy_rules),
    CAPSTAN_FIELD(Container, "volumeMounts", volume_mounts),
    CAPSTAN_FIELD(Container, "volumeDevices", volume_devices),
    CAPSTAN_FIELD(Container, "livenessProbe", liveness_probe),
    CAPSTAN_FIELD(Container, "readinessProbe", readiness_probe),
    CAPSTAN_FIELD(Container, "startupProbe", startup_probe),
    CAPSTAN_FIELD(Container, "lifecycle", lifecycle),
    CAPSTAN_FIELD(Container, "terminationMessagePath", termination_message_path),
    CAPSTAN_FIELD(Container, "terminationMessagePolicy", termination_message_policy),
    CAPSTAN_FIELD(Container, "imagePullPolicy", image_pull_policy),
    CAPSTAN_FIELD(Container, "securityContext", security_context),
    CAPSTAN_NUMBER(Container, "stdin", stdin),
    CAPSTAN_NUMBER(Container, "stdinOnce", stdin_once),
    CAPSTAN_NUMBER(Container, "tty", tty))

CAPSTAN_LAYOUT(EphemeralContainer,
    CAPSTAN_REQUIRED(EphemeralContainer, "name", name),
    CAPSTAN_FIELD(EphemeralContainer, "image", image),
    CAPSTAN_FIELD(EphemeralContainer, "command", command),
    CAPSTAN_FIELD(EphemeralContainer, "args", args),
    CAPSTAN_FIELD(EphemeralContainer, "workingDir", working_dir),
    CAPSTAN_FIELD(EphemeralContainer, "ports", ports),
    CAPSTAN_FIELD(EphemeralContainer, "envFrom", env_from),
    CAPSTAN_FIELD(EphemeralContainer, "env", env),
    CAPSTAN_FIELD(EphemeralContainer, "resources", resources),
    CAPSTAN_FIELD(EphemeralContainer, "resizePolicy", resize_policy),
    CAPSTAN_FIELD(EphemeralContainer, "restartPolicy", restart_policy),
    CAPSTAN_FIELD(EphemeralContainer, "restartPolicyRules", restart_policy_rules),
    CAPSTAN_FIELD(EphemeralContainer, "volumeMounts", volume_mounts),
    CAPSTAN_FIELD(EphemeralContainer, "volumeDevices", volume_devices),
    CAPSTAN_FIELD(EphemeralContainer, "livenessProbe", liveness_probe),
    CAPSTAN_FIELD(EphemeralContainer, "readinessProbe", readiness_probe),
    CAPSTAN_FIELD(EphemeralContainer, "startupProbe", startup_probe),
    CAPSTAN_FIELD(EphemeralContainer, "lifecycle", lifecycle),
    CAPSTAN_FIELD(EphemeralContainer, "terminationMessagePath", termination_message_path),
    CAPSTAN_FIELD(EphemeralContainer, "terminationMessagePolicy", termination_message_policy),
    CAPSTAN_FIELD(EphemeralContainer, "imagePullPolicy", image_pull_policy),
    CAPSTAN_FIELD(EphemeralContainer, "securityContext", security_context),
    CAPSTAN_NUMBER(EphemeralContainer, "stdin", stdin),
    CAPSTAN_NUMBER(EphemeralContainer, "stdinOnce", stdin_once),
    CAPSTAN_NUMBER(EphemeralContainer, "tty", tty),
    CAPSTAN_FIELD(EphemeralContainer, "targetContainerName", target_container_name))

CAPSTAN_LAYOUT(Sysctl,
    CAPSTAN_REQUIRED(Sysctl, "name", name),
    CAPSTAN_REQUIRED(Sysctl, "value", value))

CAPSTAN_LAYOUT(PodSecurityContext,
    CAPSTAN_FIELD(PodSecurityContext, "seLinuxOptions", se_linux_options),
    CAPSTAN_FIELD(PodSecurityContext, "windowsOptions", windows_options),
    CAPSTAN_FIELD(PodSecurityContext, "runAsUser", run_as_user),
    CAPSTAN_FIELD(PodSecurityContext, "runAsGroup", run_as_group),
    CAPSTAN_FIELD(PodSecurityContext, "runAsNonRoot", run_as_non_root),
    CAPSTAN_FIELD(PodSecurityContext, "supplementalGroups", supplemental_groups),
    CAPSTAN_FIELD(PodSecurityContext, "supplementalGroupsPolicy", supplemental_groups_policy),
    CAPSTAN_FIELD(PodSecurityContext, "fsGroup", fs_group),
    CAPSTAN_FIELD(PodSecurityContext, "sysctls", sysctls),
    CAPSTAN_FIELD(PodSecurityContext, "fsGroupChangePolicy", fs_group_change_policy),
    CAPSTAN_FIELD(PodSecurityContext, "seccompProfile", seccomp_profile),
    CAPSTAN_FIELD(PodSecurityContext, "appArmorProfile", app_armor_profile),
    CAPSTAN_FIELD(PodSecurityContext, "seLinuxChangePolicy", se_linux_change_policy))

CAPSTAN_LAYOUT(PreferredSchedulingTerm,
    CAPSTAN_REQUIRED(PreferredSchedulingTerm, "weight", weight),
    CAPSTAN_REQUIRED(PreferredSchedulingTerm, "preference", preference))

CAPSTAN_LAYOUT(NodeAffinity,
    CAPSTAN_FIELD(NodeAffinity, "requiredDuringSchedulingIgnoredDuringExecution", required_during_scheduling_ignored_during_execution),
    CAPSTAN_FIELD(NodeAffinity, "preferredDuringSchedulingIgnoredDuringExecution", preferred_during_scheduling_ignored_during_execution))

CAPSTAN_LAYOUT(PodAffinityTerm,
    CAPSTAN_FIELD(PodAffinityTerm, "labelSelector", label_selector),
    CAPSTAN_FIELD(PodAffinityTerm, "namespaces", namespaces),
    CAPSTAN_REQUIRED(PodAffinityTerm, "topologyKey", topology_key),
    CAPSTAN_FIELD(PodAffinityTerm, "namespaceSelector", namespace_selector),
    CAPSTAN_FIELD(PodAffinityTerm, "matchLabelKeys", match_label_keys),
    CAPSTAN_FIELD(PodAffinityTerm, "mismatchLabelKeys", mismatch_label_keys))

CAPSTAN_LAYOUT(WeightedPodAffinityTerm,
    CAPSTAN_REQUIRED(WeightedPodAffinityTerm, "weight", weight),
    CAPSTAN_REQUIRED(WeightedPodAffinityTerm, "podAffinityTerm", pod_affinity_term))

CAPSTAN_LAYOUT(PodAffinity,
    CAPSTAN_FIELD(PodAffinity, "requiredDuringSchedulingIgnoredDuringExecution", required_during_scheduling_ignored_during_execution),
    CAPSTAN_FIELD(PodAffinity, "preferredDuringSchedulingIgnoredDuringExecution", preferred_during_scheduling_ignored_during_execution))

CAPSTAN_LAYOUT(PodAntiAffinity,
    CAPSTAN_FIELD(PodAntiAffinity, "requiredDuringSchedulingIgnoredDuringExecution", required_during_scheduling_ignored_during_execution),
    CAPSTAN_FIELD(PodAntiAffinity, "preferredDuringSchedulingIgnoredDuringExecution", preferred_during_scheduling_ignored_during_execution))

CAPSTAN_LAYOUT(Affinity,
    CAPSTAN_FIELD(Affinity, "nodeAffinity", node_affinity),
    CAPSTAN_FIELD(Affinity, "podAffinity", pod_affinity),
    CAPSTAN_FIELD(Affinity, "podAntiAffinity", pod_anti_affinity))

CAPSTAN_LAYOUT(HostAlias,
    CAPSTAN_REQUIRED(HostAlias, "ip", ip),
    CAPSTAN_FIELD(HostAlias, "hostnames", hostnames))

CAPSTAN_LAYOUT(PodDNSConfigOption,
    CAPSTAN_FIELD(PodDNSConfigOption, "name", name),
    CAPSTAN_FIELD(PodDNSConfigOption, "value", value))

CAPSTAN_LAYOUT(PodDNSConfig,
    CAPSTAN_FIELD(PodDNSConfig, "nameservers", nameservers),
    CAPSTAN_FIELD(PodDNSConfig, "searches", searches),
    CAPSTAN_FIELD(PodDNSConfig, "options", options))

CAPSTAN_LAYOUT(PodReadinessGate,
    CAPSTAN_REQUIRED(PodReadinessGate, "conditionType", condition_type))

CAPSTAN_LAYOUT(TopologySpreadConstraint,
    CAPSTAN_REQUIRED(TopologySpreadConstraint, "maxSkew", max_skew),
    CAPSTAN_REQUIRED(TopologySpreadConstraint, "topologyKey", topology_key),
    CAPSTAN_REQUIRED(TopologySpreadConstraint, "whenUnsatisfiable", when_unsatisfiable),
    CAPSTAN_FIELD(TopologySpreadConstraint, "labelSelector", label_selector),
    CAPSTAN_FIELD(TopologySpreadConstraint, "minDomains", min_domains),
    CAPSTAN_FIELD(TopologySpreadConstraint, "nodeAffinityPolicy", node_affinity_policy),
    CAPSTAN_FIELD(TopologySpreadConstraint, "nodeTaintsPolicy", node_taints_policy),
    CAPSTAN_FIELD(TopologySpreadConstraint, "matchLabelKeys", match_label_keys))

CAPSTAN_LAYOUT(PodOS,
    CAPSTAN_REQUIRED(PodOS, "name", name))

CAPSTAN_LAYOUT(PodSchedulingGate,
    CAPSTAN_REQUIRED(PodSchedulingGate, "name", name))

CAPSTAN_LAYOUT(PodResourceClaim,
    CAPSTAN_REQUIRED(PodResourceClaim, "name", name),
    CAPSTAN_FIELD(PodResourceClaim, "resourceClaimName", resource_claim_name),
    CAPSTAN_FIELD(PodResourceClaim, "resourceClaimTemplateName", resource_claim_template_name))

CAPSTAN_LAYOUT(PodSchedulingGroup,
    CAPSTAN_FIELD(PodSchedulingGroup, "podGroupName", pod_group_name))

CAPSTAN_LAYOUT(EvictionResponder,
    CAPSTAN_REQUIRED(EvictionResponder, "name", name),
    CAPSTAN_REQUIRED(EvictionResponder, "priority", priority))

CAPSTAN_LAYOUT(PodSpec,
    CAPSTAN_FIELD(PodSpec, "volumes", volumes),
    CAPSTAN_FIELD(PodSpec, "initContainers", init_containers),
    CAPSTAN_REQUIRED(PodSpec, "containers", containers),
    CAPSTAN_FIELD(PodSpec, "ephemeralContainers", ephemeral_containers),
    CAPSTAN_FIELD(PodSpec, "restartPolicy", restart_policy),
    CAPSTAN_FIELD(PodSpec, "terminationGracePeriodSeconds", termination_grace_period_seconds),
    CAPSTAN_FIELD(PodSpec, "activeDeadlineSeconds", active_deadline_seconds),
    CAPSTAN_FIELD(PodSpec, "dnsPolicy", dns_policy),
    CAPSTAN_FIELD(PodSpec, "nodeSelector", node_selector),
    CAPSTAN_FIELD(PodSpec, "serviceAccountName", service_account_name),
    CAPSTAN_FIELD(PodSpec, "serviceAccount", service_account),
    CAPSTAN_FIELD(PodSpec, "automountServiceAccountToken", automount_service_account_token),
    CAPSTAN_FIELD(PodSpec, "nodeName", node_name),
    CAPSTAN_NUMBER(PodSpec, "hostNetwork", host_network),
    CAPSTAN_NUMBER(PodSpec, "hostPID", host_pid),
    CAPSTAN_NUMBER(PodSpec, "hostIPC", host_ipc),
    CAPSTAN_FIELD(PodSpec, "shareProcessNamespace", share_process_namespace),
    CAPSTAN_FIELD(PodSpec, "securityContext", security_context),
    CAPSTAN_FIELD(PodSpec, "imagePullSecrets", image_pull_secrets),
    CAPSTAN_FIELD(PodSpec, "hostname", hostname),
    CAPSTAN_FIELD(PodSpec, "subdomain", subdomain),
    CAPSTAN_FIELD(PodSpec, "affinity", affinity),
    CAPSTAN_FIELD(PodSpec, "schedulerName", scheduler_name),
    CAPSTAN_FIELD(PodSpec, "tolerations", tolerations),
    CAPSTAN_FIELD(PodSpec, "hostAliases", host_aliases),
    CAPSTAN_FIELD(PodSpec, "priorityClassName", priority_class_name),
    CAPSTAN_FIELD(PodSpec, "priority", priority),
    CAPSTAN_FIELD(PodSpec, "dnsConfig", dns_config),
    CAPSTAN_FIELD(PodSpec, "readinessGates", readiness_gates),
    CAPSTAN_FIELD(PodSpec, "runtimeClassName", runtime_class_name),
    CAPSTAN_FIELD(PodSpec, "enableServiceLinks", enable_service_links),
    CAPSTAN_FIELD(PodSpec, "preemptionPolicy", preemption_policy),
    CAPSTAN_FIELD(PodSpec, "overhead", overhead),
    CAPSTAN_FIELD(PodSpec, "topologySpreadConstraints", topology_spread_constraints),
    CAPSTAN_FIELD(PodSpec, "setHostnameAsFQDN", set_hostname_as_fqdn),
    CAPSTAN_FIELD(PodSpec, "os", os),
    CAPSTAN_FIELD(PodSpec, "hostUsers", host_users),
    CAPSTAN_FIELD(PodSpec, "schedulingGates", scheduling_gates),
    CAPSTAN_FIELD(PodSpec, "resourceClaims", resource_claims),
    CAPSTAN_FIELD(PodSpec, "resources", resources),
    CAPSTAN_FIELD(PodSpec, "hostnameOverride", hostname_override),
    CAPSTAN_FIELD(PodSpec, "schedulingGroup", scheduling_group),
    CAPSTAN_FIELD(PodSpec, "evictionResponders", eviction_responders))

CAPSTAN_LAYOUT(PodTemplate,
    CAPSTAN_PART(PodTemplate, "metadata", metadata, kMetadata),
    CAPSTAN_FIELD(PodTemplate, "template", template_))

CAPSTAN_LAYOUT(PodTemplateSpec,
    CAPSTAN_FIELD(PodTemplateSpec, "metadata", metadata),
    CAPSTAN_FIELD(PodTemplateSpec, "spec", spec))

CAPSTAN_LAYOUT(PortworxVolumeSource,
    CAPSTAN_REQUIRED(PortworxVolumeSource, "volumeID", volume_id),
    CAPSTAN_FIELD(PortworxVolumeSource, "fsType", fs_type),
    CAPSTAN_NUMBER(PortworxVolumeSource, "readOnly", read_only))

CAPSTAN_LAYOUT(QuobyteVolumeSource,
    CAPSTAN_REQUIRED(QuobyteVolumeSource, "registry", registry),
    CAPSTAN_REQUIRED(QuobyteVolumeSource, "volume", volume),
    CAPSTAN_NUMBER(QuobyteVolumeSource, "readOnly", read_only),
    CAPSTAN_FIELD(QuobyteVolumeSource, "user", user),
    CAPSTAN_FIELD(QuobyteVolumeSource, "group", group),
    CAPSTAN_FIELD(QuobyteVolumeSource, "tenant", tenant))

CAPSTAN_LAYOUT(RangeAllocation,
    CAPSTAN_PART(RangeAllocation, "metadata", metadata, kMetadata),
    CAPSTAN_REQUIRED(RangeAllocation, "range", range),
    CAPSTAN_REQUIRED(RangeAllocation, "data", data))

CAPSTAN_LAYOUT(ReplicationControllerSpec,
    CAPSTAN_FIELD(ReplicationControllerSpec, "replicas", replicas),
    CAPSTAN_NUMBER(ReplicationControllerSpec, "minReadySeconds", min_ready_seconds),
    CAPSTAN_FIELD(ReplicationControllerSpec, "selector", selector),
    CAPSTAN_FIELD(ReplicationControllerSpec, "template", template_))

CAPSTAN_LAYOUT(ReplicationControllerCondition,
    CAPSTAN_REQUIRED(ReplicationControllerCondition, "type", type),
    CAPSTAN_REQUIRED(ReplicationControllerCondition, "status", status),
    CAPSTAN_FIELD(ReplicationControllerCondition, "lastTransitionTime", last_transition_time),
    CAPSTAN_FIELD(ReplicationControllerCondition, "reason", reason),
    CAPSTAN_FIELD(ReplicationControllerCondition, "message", message))

CAPSTAN_LAYOUT(ReplicationControllerStatus,
    CAPSTAN_REQUIRED(ReplicationControllerStatus, "replicas", replicas),
    CAPSTAN_NUMBER(ReplicationControllerStatus, "fullyLabeledReplicas", fully_labeled_replicas),
    CAPSTAN_NUMBER(ReplicationControllerStatus, "readyReplicas", ready_replicas),
    CAPSTAN_NUMBER(ReplicationControllerStatus, "availableReplicas", available_replicas),
    CAPSTAN_NUMBER(ReplicationControllerStatus, "observedGeneration", observed_generation),
    CAPSTAN_FIELD(ReplicationControllerStatus, "conditions", conditions))

CAPSTAN_LAYOUT(ReplicationController,
    CAPSTAN_PART(ReplicationController, "metadata", metadata, kMetadata),
    CAPSTAN_PART(ReplicationController, "spec", spec, kSpec),
    CAPSTAN_PART(ReplicationController, "status", status, kStatus))

CAPSTAN_LAYOUT(ScopedResourceSelectorRequirement,
    CAPSTAN_REQUIRED(ScopedResourceSelectorRequirement, "scopeName", scope_name),
    CAPSTAN_REQUIRED(ScopedResourceSelectorRequirement, "operator", operator_),
    CAPSTAN_FIELD(ScopedResourceSelectorRequirement, "values", values))

CAPSTAN_LAYOUT(ScopeSelector,
    CAPSTAN_FIELD(ScopeSelector, "matchExpressions", match_expressions))

CAPSTAN_LAYOUT(ResourceQuotaSpec,
    CAPSTAN_FIELD(ResourceQuotaSpec, "hard", hard),
    CAPSTAN_FIELD(ResourceQuotaSpec, "scopes", scopes),
    CAPSTAN_FIELD(ResourceQuotaSpec, "scopeSelector", scope_selector))

CAPSTAN_LAYOUT(ResourceQuotaStatus,
    CAPSTAN_FIELD(ResourceQuotaStatus, "hard", hard),
    CAPSTAN_FIELD(ResourceQuotaStatus, "used", used))

CAPSTAN_LAYOUT(ResourceQuota,
    CAPSTAN_PART(ResourceQuota, "metadata", metadata, kMetadata),
    CAPSTAN_PART(ResourceQuota, "spec", spec, kSpec),
    CAPSTAN_PART(ResourceQuota, "status", status, kStatus))

CAPSTAN_LAYOUT(ResourceClaim,
    CAPSTAN_REQUIRED(ResourceClaim, "name", name),
    CAPSTAN_FIELD(ResourceClaim, "request", request))

CAPSTAN_LAYOUT(ResourceRequirements,
    CAPSTAN_FIELD(ResourceRequirements, "limits", limits),
    CAPSTAN_FIELD(ResourceRequirements, "requests", requests),
    CAPSTAN_FIELD(ResourceRequirements, "claims", claims))

CAPSTAN_LAYOUT(Secret,
    CAPSTAN_PART(Secret, "metadata", metadata, kMetadata),
    CAPSTAN_FIELD(Secret, "immutable", immutable),
    CAPSTAN_FIELD(Secret, "data", data),
    CAPSTAN_FIELD(Secret, "stringData", string_data),
    CAPSTAN_FIELD(Secret, "type", type))

CAPSTAN_LAYOUT(ServicePort,
    CAPSTAN_FIELD(ServicePort, "name", name),
    CAPSTAN_FIELD(ServicePort, "protocol", protocol),
    CAPSTAN_FIELD(ServicePort, "appProtocol", app_protocol),
    CAPSTAN_REQUIRED(ServicePort, "port", port),
    CAPSTAN_FIELD(ServicePort, "targetPort", target_port),
    CAPSTAN_NUMBER(ServicePort, "nodePort", node_port))

CAPSTAN_LAYOUT(ClientIPConfig,
    CAPSTAN_FIELD(ClientIPConfig, "timeoutSeconds", timeout_seconds))

CAPSTAN_LAYOUT(SessionAffinityConfig,
    CAPSTAN_FIELD(SessionAffinityConfig, "clientIP", client_ip))

CAPSTAN_LAYOUT(ServiceSpec,
    CAPSTAN_FIELD(ServiceSpec, "ports", ports),
    CAPSTAN_FIELD(ServiceSpec, "selector", selector),
    CAPSTAN_FIELD(ServiceSpec, "clusterIP", cluster_ip),
    CAPSTAN_FIELD(ServiceSpec, "clusterIPs", cluster_ips),
    CAPSTAN_FIELD(ServiceSpec, "type", type),
    CAPSTAN_FIELD(ServiceSpec, "externalIPs", external_ips),
    CAPSTAN_FIELD(ServiceSpec, "sessionAffinity", session_affinity),
    CAPSTAN_FIELD(ServiceSpec, "loadBalancerIP", load_balancer_ip),
    CAPSTAN_FIELD(ServiceSpec, "loadBalancerSourceRanges", load_balancer_source_ranges),
    CAPSTAN_FIELD(ServiceSpec, "externalName", external_name),
    CAPSTAN_FIELD(ServiceSpec, "externalTrafficPolicy", external_traffic_policy),
    CAPSTAN_NUMBER(ServiceSpec, "healthCheckNodePort", health_check_node_port),
    CAPSTAN_NUMBER(ServiceSpec, "publishNotReadyAddresses", publish_not_ready_addresses),
    CAPSTAN_FIELD(ServiceSpec, "sessionAffinityConfig", session_affinity_config),
    CAPSTAN_FIELD(ServiceSpec, "ipFamilies", ip_families),
    CAPSTAN_FIELD(ServiceSpec, "ipFamilyPolicy", ip_family_policy),
    CAPSTAN_FIELD(ServiceSpec, "allocateLoadBalancerNodePorts", allocate_load_balancer_node_ports),
    CAPSTAN_FIELD(ServiceSpec, "loadBalancerClass", load_balancer_class),
    CAPSTAN_FIELD(ServiceSpec, "internalTrafficPolicy", internal_traffic_policy),
    CAPSTAN_FIELD(ServiceSpec, "trafficDistribution", traffic_distribution))

CAPSTAN_LAYOUT(PortStatus,
    CAPSTAN_REQUIRED(PortStatus, "port", port),
    CAPSTAN_REQUIRED(PortStatus, "protocol", protocol),
    CAPSTAN_FIELD(PortStatus, "error", error))

CAPSTAN_LAYOUT(LoadBalancerIngress,
    CAPSTAN_FIELD(LoadBalancerIngress, "ip", ip),
    CAPSTAN_FIELD(LoadBalancerIngress, "hostname", hostname),
    CAPSTAN_FIELD(LoadBalancerIngress, "ipMode", ip_mode),
    CAPSTAN_FIELD(LoadBalancerIngress, "ports", ports))

CAPSTAN_LAYOUT(LoadBalancerStatus,
    CAPSTAN_FIELD(LoadBalancerStatus, "ingress", ingress))

CAPSTAN_LAYOUT(ServiceStatus,
    CAPSTAN_FIELD(ServiceStatus, "loadBalancer", load_balancer),
    CAPSTAN_FIELD(ServiceStatus, "conditions", conditions))

CAPSTAN_LAYOUT(Service,
    CAPSTAN_PART(Service, "metadata", metadata, kMetadata),
    CAPSTAN_PART(Service, "spec", spec, kSpec),
    CAPSTAN_PART(Service, "status", status, kStatus))

CAPSTAN_LAYOUT(ServiceAccount,
    CAPSTAN_PART(ServiceAccount, "metadata", metadata, kMetadata),
    CAPSTAN_FIELD(ServiceAccount, "secrets", secrets),
    CAPSTAN_FIELD(ServiceAccount, "imagePullSecrets", image_pull_secrets),
    CAPSTAN_FIELD(ServiceAccount, "automountServiceAccountToken", automount_service_account_token))

CAPSTAN_LAYOUT(Toleration,
    CAPSTAN_FIELD(Toleration, "key", key),
    CAPSTAN_FIELD(Toleration, "operator", operator_),
    CAPSTAN_FIELD(Toleration, "value", value),
    CAPSTAN_FIELD(Toleration, "effect", effect),
    CAPSTAN_FIELD(Toleration, "tolerationSeconds", toleration_seconds))

CAPSTAN_LAYOUT(TopologySelectorLabelRequirement,
    CAPSTAN_REQUIRED(TopologySelectorLabelRequirement, "key", key),
    CAPSTAN_REQUIRED(TopologySelectorLabelRequirement, "values", values))

CAPSTAN_LAYOUT(TopologySelectorTerm,
    CAPSTAN_FIELD(TopologySelectorTerm, "matchLabelExpressions", match_label_expressions))

CAPSTAN_LAYOUT(TypedLocalObjectReference,
    CAPSTAN_REQUIRED(TypedLocalObjectReference, "apiGroup", api_group),
    CAPSTAN_REQUIRED(TypedLocalObjectReference, "kind", kind),
    CAPSTAN_REQUIRED(TypedLocalObjectReference, "name", name))

CAPSTAN_LAYOUT(VolumeHealthCondition,
    CAPSTAN_REQUIRED(VolumeHealthCondition, "status", status),
    CAPSTAN_REQUIRED(VolumeHealthCondition, "reason", reason),
    CAPSTAN_FIELD(VolumeHealthCondition, "message", message))

CAPSTAN_LAYOUT(VsphereVirtualDiskVolumeSource,
    CAPSTAN_REQUIRED(VsphereVirtualDiskVolumeSource, "volumePath", volume_path),
    CAPSTAN_FIELD(VsphereVirtualDiskVolumeSource, "fsType", fs_type),
    CAPSTAN_FIELD(VsphereVirtualDiskVolumeSource, "storagePolicyName", storage_policy_name),
    CAPSTAN_FIELD(VsphereVirtualDiskVolumeSource, "storagePolicyID", storage_policy_id))

}  // namespace capstan::api::core::v1

template class capstan::Boxed<capstan::api::core::v1::AWSElasticBlockStoreVolumeSource>;
template class capstan::Boxed<capstan::api::core::v1::AzureDiskVolumeSource>;
template class capstan::List<capstan::api::core::v1::ComponentCondition>;
template class capstan::List<capstan::api::core::v1::EndpointAddress>;
template class capstan::List<capstan::api::core::v1::EndpointPort>;
template class capstan::List<capstan::api::core::v1::EndpointSubset>;
template class capstan::Boxed<capstan::api::core::v1::EventSeries>;
template class capstan::Boxed<capstan::api::core::v1::FCVolumeSource>;
template class capstan::Boxed<capstan::api::core::v1::FlockerVolumeSource>;
template class capstan::Boxed<capstan::api::core::v1::GCEPersistentDiskVolumeSource>;
template class capstan::Boxed<capstan::api::core::v1::HostPathVolumeSource>;
template class capstan::List<capstan::api::core::v1::LimitRangeItem>;
template class capstan::Boxed<capstan::api::core::v1::LocalObjectReference>;
template class capstan::List<capstan::api::core::v1::LocalObjectReference>;
template class capstan::List<capstan::api::core::v1::NamespaceCondition>;
template class capstan::Boxed<capstan::api::core::v1::NFSVolumeSource>;
template class capstan::List<capstan::api::core::v1::Taint>;
template class capstan::Boxed<capstan::api::core::v1::ConfigMapNodeConfigSource>;
template class capstan::Boxed<capstan::api::core::v1::NodeConfigSource>;
template class capstan::Boxed<capstan::api::core::v1::NodePodPreemptionPolicy>;
template class capstan::List<capstan::api::core::v1::NodeCondition>;
template class capstan::List<capstan::api::core::v1::NodeAddress>;
template class capstan::Boxed<capstan::api::core::v1::NodeSwapStatus>;
template class capstan::List<capstan::api::core::v1::ContainerImage>;
template class capstan::List<capstan::api::core::v1::AttachedVolume>;
template class capstan::Boxed<capstan::api::core::v1::NodeConfigStatus>;
template class capstan::Boxed<capstan::api::core::v1::NodeRuntimeHandlerFeatures>;
template class capstan::List<capstan::api::core::v1::NodeRuntimeHandler>;
template class capstan::Boxed<capstan::api::core::v1::NodeFeatures>;
template class capstan::Boxed<capstan::api::core::v1::NodeSelector>;
template class capstan::List<capstan::api::core::v1::NodeSelectorRequirement>;
template class capstan::List<capstan::api::core::v1::NodeSelectorTerm>;
template class capstan::Boxed<capstan::api::core::v1::ObjectReference>;
template class capstan::List<capstan::api::core::v1::ObjectReference>;
template class capstan::List<capstan::api::core::v1::PersistentVolumeClaimCondition>;
template class capstan::Boxed<capstan::api::core::v1::ModifyVolumeStatus>;
template class capstan::Boxed<capstan::api::core::v1::VolumeHealthStatus>;
template class capstan::List<capstan::api::core::v1::PersistentVolumeClaim>;
template class capstan::Boxed<capstan::api::core::v1::TypedObjectReference>;
template class capstan::Boxed<capstan::api::core::v1::GlusterfsPersistentVolumeSource>;
template class capstan::Boxed<capstan::api::core::v1::SecretReference>;
template class capstan::Boxed<capstan::api::core::v1::RBDPersistentVolumeSource>;
template class capstan::Boxed<capstan::api::core::v1::ISCSIPersistentVolumeSource>;
template class capstan::Boxed<capstan::api::core::v1::CinderPersistentVolumeSource>;
template class capstan::Boxed<capstan::api::core::v1::CephFSPersistentVolumeSource>;
template class capstan::Boxed<capstan::api::core::v1::FlexPersistentVolumeSource>;
template class capstan::Boxed<capstan::api::core::v1::AzureFilePersistentVolumeSource>;
template class capstan::Boxed<capstan::api::core::v1::ScaleIOPersistentVolumeSource>;
template class capstan::Boxed<capstan::api::core::v1::LocalVolumeSource>;
template class capstan::Boxed<capstan::api::core::v1::StorageOSPersistentVolumeSource>;
template class capstan::Boxed<capstan::api::core::v1::CSIPersistentVolumeSource>;
template class capstan::Boxed<capstan::api::core::v1::VolumeNodeAffinity>;
template class capstan::Boxed<capstan::api::core::v1::PersistentVolumeSpec>;
template class capstan::Boxed<capstan::api::core::v1::PhotonPersistentDiskVolumeSource>;
template class capstan::List<capstan::api::core::v1::PodCondition>;
template class capstan::List<capstan::api::core::v1::HostIP>;
template class capstan::List<capstan::api::core::v1::PodIP>;
template class capstan::Boxed<capstan::api::core::v1::ContainerStateWaiting>;
template class capstan::Boxed<capstan::api::core::v1::ContainerStateRunning>;
template class capstan::Boxed<capstan::api::core::v1::ContainerStateTerminated>;
template class capstan::Boxed<capstan::api::core::v1::ImageVolumeStatus>;
template class capstan::Boxed<capstan::api::core::v1::VolumeStatus>;
template class capstan::List<capstan::api::core::v1::VolumeMountStatus>;
template class capstan::Boxed<capstan::api::core::v1::LinuxContainerUser>;
template class capstan::Boxed<capstan::api::core::v1::ContainerUser>;
template class capstan::List<capstan::api::core::v1::ResourceHealth>;
template class capstan::List<capstan::api::core::v1::ResourceStatus>;
template class capstan::List<capstan::api::core::v1::ContainerStatus>;
template class capstan::List<capstan::api::core::v1::PodResourceClaimStatus>;
template class capstan::List<capstan::api::core::v1::ContainerExtendedResourceRequest>;
template class capstan::Boxed<capstan::api::core::v1::PodExtendedResourceClaimStatus>;
template class capstan::List<capstan::api::core::v1::NodeAllocatableMappedResources>;
template class capstan::List<capstan::api::core::v1::NodeAllocatableOverheadResources>;
template class capstan::List<capstan::api::core::v1::NodeAllocatableResourceClaimStatus>;
template class capstan::List<capstan::api::core::v1::PodVolumeHealth>;
template class capstan::Boxed<capstan::api::core::v1::EmptyDirVolumeSource>;
template class capstan::Boxed<capstan::api::core::v1::GitRepoVolumeSource>;
template class capstan::List<capstan::api::core::v1::KeyToPath>;
template class capstan::Boxed<capstan::api::core::v1::SecretVolumeSource>;
template class capstan::Boxed<capstan::api::core::v1::ISCSIVolumeSource>;
template class capstan::Boxed<capstan::api::core::v1::GlusterfsVolumeSource>;
template class capstan::Boxed<capstan::api::core::v1::PersistentVolumeClaimVolumeSource>;
template class capstan::Boxed<capstan::api::core::v1::RBDVolumeSource>;
template class capstan::Boxed<capstan::api::core::v1::FlexVolumeSource>;
template class capstan::Boxed<capstan::api::core::v1::CinderVolumeSource>;
template class capstan::Boxed<capstan::api::core::v1::CephFSVolumeSource>;
template class capstan::Boxed<capstan::api::core::v1::ObjectFieldSelector>;
template class capstan::Boxed<capstan::api::core::v1::ResourceFieldSelector>;
template class capstan::List<capstan::api::core::v1::DownwardAPIVolumeFile>;
template class capstan::Boxed<capstan::api::core::v1::DownwardAPIVolumeSource>;
template class capstan::Boxed<capstan::api::core::v1::AzureFileVolumeSource>;
template class capstan::Boxed<capstan::api::core::v1::ConfigMapVolumeSource>;
template class capstan::Boxed<capstan::api::core::v1::SecretProjection>;
template class capstan::Boxed<capstan::api::core::v1::DownwardAPIProjection>;
template class capstan::Boxed<capstan::api::core::v1::ConfigMapProjection>;
template class capstan::Boxed<capstan::api::core::v1::ServiceAccountTokenProjection>;
template class capstan::Boxed<capstan::api::core::v1::ClusterTrustBundleProjection>;
template class capstan::Boxed<capstan::api::core::v1::PodCertificateProjection>;
template class capstan::List<capstan::api::core::v1::VolumeProjection>;
template class capstan::Boxed<capstan::api::core::v1::ProjectedVolumeSource>;
template class capstan::Boxed<capstan::api::core::v1::ScaleIOVolumeSource>;
template class capstan::Boxed<capstan::api::core::v1::StorageOSVolumeSource>;
template class capstan::Boxed<capstan::api::core::v1::CSIVolumeSource>;
template class capstan::Boxed<capstan::api::core::v1::PersistentVolumeClaimTemplate>;
template class capstan::Boxed<capstan::api::core::v1::EphemeralVolumeSource>;
template class capstan::Boxed<capstan::api::core::v1::ImageVolumeSource>;
template class capstan::List<capstan::api::core::v1::Volume>;
template class capstan::List<capstan::api::core::v1::ContainerPort>;
template class capstan::Boxed<capstan::api::core::v1::ConfigMapEnvSource>;
template class capstan::Boxed<capstan::api::core::v1::SecretEnvSource>;
template class capstan::List<capstan::api::core::v1::EnvFromSource>;
template class capstan::Boxed<capstan::api::core::v1::ConfigMapKeySelector>;
template class capstan::Boxed<capstan::api::core::v1::SecretKeySelector>;
template class capstan::Boxed<capstan::api::core::v1::FileKeySelector>;
template class capstan::Boxed<capstan::api::core::v1::EnvVarSource>;
template class capstan::List<capstan::api::core::v1::EnvVar>;
template class capstan::List<capstan::api::core::v1::ContainerResizePolicy>;
template class capstan::Boxed<capstan::api::core::v1::ContainerRestartRuleOnExitCodes>;
template class capstan::List<capstan::api::core::v1::ContainerRestartRule>;
template class capstan::List<capstan::api::core::v1::VolumeMount>;
template class capstan::List<capstan::api::core::v1::VolumeDevice>;
template class capstan::Boxed<capstan::api::core::v1::ExecAction>;
template class capstan::List<capstan::api::core::v1::HTTPHeader>;
template class capstan::Boxed<capstan::api::core::v1::HTTPGetAction>;
template class capstan::Boxed<capstan::api::core::v1::TCPSocketAction>;
template class capstan::Boxed<capstan::api::core::v1::GRPCAction>;
template class capstan::Boxed<capstan::api::core::v1::Probe>;
template class capstan::Boxed<capstan::api::core::v1::SleepAction>;
template class capstan::Boxed<capstan::api::core::v1::LifecycleHandler>;
template class capstan::Boxed<capstan::api::core::v1::Lifecycle>;
template class capstan::Boxed<capstan::api::core::v1::Capabilities>;
template class capstan::Boxed<capstan::api::core::v1::SELinuxOptions>;
template class capstan::Boxed<capstan::api::core::v1::WindowsSecurityContextOptions>;
template class capstan::Boxed<capstan::api::core::v1::SeccompProfile>;
template class capstan::Boxed<capstan::api::core::v1::AppArmorProfile>;
template class capstan::Boxed<capstan::api::core::v1::SecurityContext>;
template class capstan::List<capstan::api::core::v1::Container>;
template class capstan::List<capstan::api::core::v1::EphemeralContainer>;
template class capstan::List<capstan::api::core::v1::Sysctl>;
template class capstan::Boxed<capstan::api::core::v1::PodSecurityContext>;
template class capstan::List<capstan::api::core::v1::PreferredSchedulingTerm>;
template class capstan::Boxed<capstan::api::core::v1::NodeAffinity>;
template class capstan::List<capstan::api::core::v1::PodAffinityTerm>;
template class capstan::List<capstan::api::core::v1::WeightedPodAffinityTerm>;
template class capstan::Boxed<capstan::api::core::v1::PodAffinity>;
template class capstan::Boxed<capstan::api::core::v1::PodAntiAffinity>;
template class capstan::Boxed<capstan::api::core::v1::Affinity>;
template class capstan::List<capstan::api::core::v1::HostAlias>;
template class capstan::List<capstan::api::core::v1::PodDNSConfigOption>;
template class capstan::Boxed<capstan::api::core::v1::PodDNSConfig>;
template class capstan::List<capstan::api::core::v1::PodReadinessGate>;
template class capstan::List<capstan::api::core::v1::TopologySpreadConstraint>;
template class capstan::Boxed<capstan::api::core::v1::PodOS>;
template class capstan::List<capstan::api::core::v1::PodSchedulingGate>;
template class capstan::List<capstan::api::core::v1::PodResourceClaim>;
template class capstan::Boxed<capstan::api::core::v1::PodSchedulingGroup>;
template class capstan::List<capstan::api::core::v1::EvictionResponder>;
template class capstan::Boxed<capstan::api::core::v1::PodTemplateSpec>;
template class capstan::Boxed<capstan::api::core::v1::PortworxVolumeSource>;
template class capstan::Boxed<capstan::api::core::v1::QuobyteVolumeSource>;
template class capstan::List<capstan::api::core::v1::ReplicationControllerCondition>;
template class capstan::List<capstan::api::core::v1::ScopedResourceSelectorRequirement>;
template class capstan::Boxed<capstan::api::core::v1::ScopeSelector>;
template class capstan::List<capstan::api::core::v1::ResourceClaim>;
template class capstan::Boxed<capstan::api::core::v1::ResourceRequirements>;
template class capstan::List<capstan::api::core::v1::ServicePort>;
template class capstan::Boxed<capstan::api::core::v1::ClientIPConfig>;
template class capstan::Boxed<capstan::api::core::v1::SessionAffinityConfig>;
template class capstan::List<capstan::api::core::v1::PortStatus>;
template class capstan::List<capstan::api::core::v1::LoadBalancerIngress>;
template class capstan::List<capstan::api::core::v1::Toleration>;
template class capstan::List<capstan::api::core::v1::TopologySelectorLabelRequirement>;
template class capstan::List<capstan::api::core::v1::TopologySelectorTerm>;
template class capstan::Boxed<capstan::api::core::v1::TypedLocalObjectReference>;
template class capstan::List<capstan::api::core::v1::VolumeHealthCondition>;
template class capstan::Boxed<capstan::api::core::v1::VsphereVirtualDiskVolumeSource>;
