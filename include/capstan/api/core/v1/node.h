// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/list.h"
#include "capstan/object_meta.h"
#include "capstan/quantity.h"
#include "capstan/time.h"

namespace capstan::api::core::v1 {

// The node this Taint is attached to has the "effect" on any pod that does not tolerate the Taint.
struct CAPSTAN_EXPORT Taint {
  // Required. The taint key to be applied to a node.
  std::string key = {};
  // The taint value corresponding to the taint key.
  std::string value = {};
  // Required. The effect of the taint on pods that do not tolerate the taint. Valid effects are
  // NoSchedule, PreferNoSchedule and NoExecute.
  std::string effect = {};
  // TimeAdded represents the time at which the taint was added.
  std::optional<Time> time_added = {};
};
CAPSTAN_EXPORT bool operator==(const Taint& a, const Taint& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const Taint*);

// ConfigMapNodeConfigSource contains the information to reference a ConfigMap as a config source
// for the Node. This API is deprecated since 1.22:
// https://git.k8s.io/enhancements/keps/sig-node/281-dynamic-kubelet-configuration
struct CAPSTAN_EXPORT ConfigMapNodeConfigSource {
  // Namespace is the metadata.namespace of the referenced ConfigMap. This field is required in all
  // cases.
  std::string namespace_ = {};
  // Name is the metadata.name of the referenced ConfigMap. This field is required in all cases.
  std::string name = {};
  // UID is the metadata.UID of the referenced ConfigMap. This field is forbidden in Node.Spec, and
  // required in Node.Status.
  std::string uid = {};
  // ResourceVersion is the metadata.ResourceVersion of the referenced ConfigMap. This field is
  // forbidden in Node.Spec, and required in Node.Status.
  std::string resource_version = {};
  // KubeletConfigKey declares which key of the referenced ConfigMap corresponds to the
  // KubeletConfiguration structure This field is required in all cases.
  std::string kubelet_config_key = {};
};
CAPSTAN_EXPORT bool operator==(const ConfigMapNodeConfigSource& a,
                               const ConfigMapNodeConfigSource& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ConfigMapNodeConfigSource*);

// NodeConfigSource specifies a source of node configuration. Exactly one subfield (excluding
// metadata) must be non-nil. This API is deprecated since 1.22
struct CAPSTAN_EXPORT NodeConfigSource {
  // ConfigMap is a reference to a Node's ConfigMap
  Boxed<ConfigMapNodeConfigSource> config_map = {};
};
CAPSTAN_EXPORT bool operator==(const NodeConfigSource& a, const NodeConfigSource& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const NodeConfigSource*);

// NodePodPreemptionPolicy defines the node-level policies governing preemption for pods on this
// node.
struct CAPSTAN_EXPORT NodePodPreemptionPolicy {
  // DisableResizePreemption lists the owners (e.g., autoscalers, operators, administrators) that
  // have requested to disable scheduler and Kubelet preemption for in-place pod resize on this
  // node. If this list is non-empty, resize-induced preemption is disabled on this node. This is an
  // alpha field and requires enabling the InPlacePodVerticalScalingSchedulerPreemption feature
  // gate.
  std::vector<std::string> disable_resize_preemption = {};
};
CAPSTAN_EXPORT bool operator==(const NodePodPreemptionPolicy& a, const NodePodPreemptionPolicy& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const NodePodPreemptionPolicy*);

// NodeSpec describes the attributes that a node is created with.
struct CAPSTAN_EXPORT NodeSpec {
  // PodCIDR represents the pod IP range assigned to the node.
  std::string pod_cidr = {};
  // podCIDRs represents the IP ranges assigned to the node for usage by Pods on that node. If this
  // field is specified, the 0th entry must match the podCIDR field. It may contain at most 1 value
  // for each of IPv4 and IPv6.
  std::vector<std::string> pod_cidrs = {};
  // ID of the node assigned by the cloud provider in the format:
  // <ProviderName>://<ProviderSpecificNodeID>
  std::string provider_id = {};
  // Unschedulable controls node schedulability of new pods. By default, node is schedulable. More
  // info: https://kubernetes.io/docs/concepts/nodes/node/#manual-node-administration
  bool unschedulable = {};
  // If specified, the node's taints.
  List<Taint> taints = {};
  // Deprecated: Previously used to specify the source of the node's configuration for the
  // DynamicKubeletConfig feature. This feature is removed.
  Boxed<NodeConfigSource> config_source = {};
  // Deprecated. Not all kubelets will set this field. Remove field after 1.13. see:
  // https://issues.k8s.io/61966
  std::string external_id = {};
  // PodPreemptionPolicy controls the node-level preemption behaviors for pods on this node. This is
  // an alpha field and requires enabling the InPlacePodVerticalScalingSchedulerPreemption feature
  // gate.
  Boxed<NodePodPreemptionPolicy> pod_preemption_policy = {};
};
CAPSTAN_EXPORT bool operator==(const NodeSpec& a, const NodeSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const NodeSpec*);

// NodeReady means kubelet is healthy and ready to accept pods.
inline constexpr std::string_view kNodeReady = "Ready";
// NodeMemoryPressure means the kubelet is under pressure due to insufficient available memory.
inline constexpr std::string_view kNodeMemoryPressure = "MemoryPressure";
// NodeDiskPressure means the kubelet is under pressure due to insufficient available disk.
inline constexpr std::string_view kNodeDiskPressure = "DiskPressure";
// NodePIDPressure means the kubelet is under pressure due to insufficient available PID.
inline constexpr std::string_view kNodePIDPressure = "PIDPressure";
// NodeNetworkUnavailable means that network for the node is not correctly configured.
inline constexpr std::string_view kNodeNetworkUnavailable = "NetworkUnavailable";
// NodeGracefulNodeShutdownInProgress reports whether Graceful Node Shutdown is determined to be in
// progress on this Node.
// The admin is responsible for setting and clearing this condition.
inline constexpr std::string_view kNodeGracefulNodeShutdownInProgress =
    "GracefulNodeShutdownInProgress";
// NodeDrainInProgress reports that this Node is actively being drained, according to the admin's
// definition of drain. Commonly, this involves removing some amount of Pods, volumes, and networks.
// The admin is responsible for setting and clearing this condition.
inline constexpr std::string_view kNodeDrainInProgress = "DrainInProgress";
// NodeDrained reports that this Node has reached the drain criteria selected by the admin.
// The admin is responsible for setting and clearing this condition.
inline constexpr std::string_view kNodeDrained = "Drained";
// NodeMaintenancePlanned reports that this Node is expected to undergo a change in the future. If
// this change impacts Node users, the admin should drain the Node first.
// Admins can use the Node maintenance condition for cases like hardware or software rollout,
// remediation, decommissioning, or debugging.
// The admin is responsible for setting and clearing this condition.
inline constexpr std::string_view kNodeMaintenancePlanned = "MaintenancePlanned";
// NodeMaintenanceInProgress reports that this Node is actively undergoing maintenance.
// The admin decides whether the change will impact Node users and require a Node drain. For
// example, it is recommended to drain a Node before a Kubernetes upgrade. In contrast, a kernel
// live patch may not require a Node drain, but it can still be useful to communicate that
// maintenance is in progress.
// The admin is responsible for setting and clearing this condition.
inline constexpr std::string_view kNodeMaintenanceInProgress = "MaintenanceInProgress";

// NodeCondition contains condition information for a node.
struct CAPSTAN_EXPORT NodeCondition {
  // Type of node condition.
  std::string type = {};
  // Status of the condition, one of True, False, Unknown.
  std::string status = {};
  // Last time we got an update on a given condition.
  std::optional<Time> last_heartbeat_time = {};
  // Last time the condition transit from one status to another.
  std::optional<Time> last_transition_time = {};
  // (brief) reason for the condition's last transition.
  std::string reason = {};
  // Human readable message indicating details about last transition.
  std::string message = {};
};
CAPSTAN_EXPORT bool operator==(const NodeCondition& a, const NodeCondition& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const NodeCondition*);

// NodeHostName identifies a name of the node. Although every node can be assumed to have a
// NodeAddress of this type, its exact syntax and semantics are not defined, and are not consistent
// between different clusters.
inline constexpr std::string_view kNodeHostName = "Hostname";
// NodeInternalIP identifies an IP address which is assigned to one of the node's network
// interfaces. Every node should have at least one address of this type.
// An internal IP is normally expected to be reachable from every other node, but may not be visible
// to hosts outside the cluster. By default it is assumed that kube-apiserver can reach node
// internal IPs, though it is possible to configure clusters where this is not the case.
// NodeInternalIP is the default type of node IP, and does not necessarily imply that the IP is ONLY
// reachable internally. If a node has multiple internal IPs, no specific semantics are assigned to
// the additional IPs.
inline constexpr std::string_view kNodeInternalIP = "InternalIP";
// NodeExternalIP identifies an IP address which is, in some way, intended to be more usable from
// outside the cluster then an internal IP, though no specific semantics are defined. It may be a
// globally routable IP, though it is not required to be.
// External IPs may be assigned directly to an interface on the node, like a NodeInternalIP, or
// alternatively, packets sent to the external IP may be NAT'ed to an internal node IP rather than
// being delivered directly (making the IP less efficient for node-to-node traffic than a
// NodeInternalIP).
inline constexpr std::string_view kNodeExternalIP = "ExternalIP";
// NodeInternalDNS identifies a DNS name which resolves to an IP address which has the
// characteristics of a NodeInternalIP. The IP it resolves to may or may not be a listed
// NodeInternalIP address.
inline constexpr std::string_view kNodeInternalDNS = "InternalDNS";
// NodeExternalDNS identifies a DNS name which resolves to an IP address which has the
// characteristics of a NodeExternalIP. The IP it resolves to may or may not be a listed
// NodeExternalIP address.
inline constexpr std::string_view kNodeExternalDNS = "ExternalDNS";

// NodeAddress contains information for the node's address.
struct CAPSTAN_EXPORT NodeAddress {
  // Node address type, one of Hostname, ExternalIP or InternalIP.
  std::string type = {};
  // The node address.
  std::string address = {};
};
CAPSTAN_EXPORT bool operator==(const NodeAddress& a, const NodeAddress& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const NodeAddress*);

// DaemonEndpoint contains information about a single Daemon endpoint.
struct CAPSTAN_EXPORT DaemonEndpoint {
  // Port number of the given endpoint.
  std::int32_t port = {};
};
CAPSTAN_EXPORT bool operator==(const DaemonEndpoint& a, const DaemonEndpoint& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DaemonEndpoint*);

// NodeDaemonEndpoints lists ports opened by daemons running on the Node.
struct CAPSTAN_EXPORT NodeDaemonEndpoints {
  // Endpoint on which Kubelet is listening.
  DaemonEndpoint kubelet_endpoint = {};
};
CAPSTAN_EXPORT bool operator==(const NodeDaemonEndpoints& a, const NodeDaemonEndpoints& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const NodeDaemonEndpoints*);

// NodeSwapStatus represents swap memory information.
struct CAPSTAN_EXPORT NodeSwapStatus {
  // Total amount of swap memory in bytes.
  std::optional<std::int64_t> capacity = {};
};
CAPSTAN_EXPORT bool operator==(const NodeSwapStatus& a, const NodeSwapStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const NodeSwapStatus*);

// NodeSystemInfo is a set of ids/uuids to uniquely identify the node.
struct CAPSTAN_EXPORT NodeSystemInfo {
  // MachineID reported by the node. For unique machine identification in the cluster this field is
  // preferred. Learn more from man(5) machine-id:
  // http://man7.org/linux/man-pages/man5/machine-id.5.html
  std::string machine_id = {};
  // SystemUUID reported by the node. For unique machine identification MachineID is preferred. This
  // field is specific to Red Hat hosts
  // https://access.redhat.com/documentation/en-us/red_hat_subscription_management/1/html/rhsm/uuid
  std::string system_uuid = {};
  // Boot ID reported by the node.
  std::string boot_id = {};
  // Kernel Version reported by the node from 'uname -r' (e.g. 3.16.0-0.bpo.4-amd64).
  std::string kernel_version = {};
  // OS Image reported by the node from /etc/os-release (e.g. Debian GNU/Linux 7 (wheezy)).
  std::string os_image = {};
  // ContainerRuntime Version reported by the node through runtime remote API (e.g.
  // containerd://1.4.2).
  std::string container_runtime_version = {};
  // Kubelet Version reported by the node.
  std::string kubelet_version = {};
  // Deprecated: KubeProxy Version reported by the node.
  std::string kube_proxy_version = {};
  // The Operating System reported by the node
  std::string operating_system = {};
  // The Architecture reported by the node
  std::string architecture = {};
  // Swap Info reported by the node.
  Boxed<NodeSwapStatus> swap = {};
  // Whether the node is running in a user namespace.
  std::optional<bool> running_in_user_namespace = {};
};
CAPSTAN_EXPORT bool operator==(const NodeSystemInfo& a, const NodeSystemInfo& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const NodeSystemInfo*);

// Describe a container image
struct CAPSTAN_EXPORT ContainerImage {
  // Names by which this image is known. e.g. ["kubernetes.example/hyperkube:v1.0.7",
  // "cloud-vendor.registry.example/cloud-vendor/hyperkube:v1.0.7"]
  std::vector<std::string> names = {};
  // The size of the image in bytes.
  std::int64_t size_bytes = {};
};
CAPSTAN_EXPORT bool operator==(const ContainerImage& a, const ContainerImage& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ContainerImage*);

// AttachedVolume describes a volume attached to a node
struct CAPSTAN_EXPORT AttachedVolume {
  // Name of the attached volume
  std::string name = {};
  // DevicePath represents the device path where the volume should be available
  std::string device_path = {};
};
CAPSTAN_EXPORT bool operator==(const AttachedVolume& a, const AttachedVolume& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const AttachedVolume*);

// NodeConfigStatus describes the status of the config assigned by Node.Spec.ConfigSource.
struct CAPSTAN_EXPORT NodeConfigStatus {
  // Assigned reports the checkpointed config the node will try to use. When Node.Spec.ConfigSource
  // is updated, the node checkpoints the associated config payload to local disk, along with a
  // record indicating intended config. The node refers to this record to choose its config
  // checkpoint, and reports this record in Assigned. Assigned only updates in the status after the
  // record has been checkpointed to disk. When the Kubelet is restarted, it tries to make the
  // Assigned config the Active config by loading and validating the checkpointed payload identified
  // by Assigned.
  Boxed<NodeConfigSource> assigned = {};
  // Active reports the checkpointed config the node is actively using. Active will represent either
  // the current version of the Assigned config, or the current LastKnownGood config, depending on
  // whether attempting to use the Assigned config results in an error.
  Boxed<NodeConfigSource> active = {};
  // LastKnownGood reports the checkpointed config the node will fall back to when it encounters an
  // error attempting to use the Assigned config. The Assigned config becomes the LastKnownGood
  // config when the node determines that the Assigned config is stable and correct. This is
  // currently implemented as a 10-minute soak period starting when the local record of Assigned
  // config is updated. If the Assigned config is Active at the end of this period, it becomes the
  // LastKnownGood. Note that if Spec.ConfigSource is reset to nil (use local defaults), the
  // LastKnownGood is also immediately reset to nil, because the local default config is always
  // assumed good. You should not make assumptions about the node's method of determining config
  // stability and correctness, as this may change or become configurable in the future.
  Boxed<NodeConfigSource> last_known_good = {};
  // Error describes any problems reconciling the Spec.ConfigSource to the Active config. Errors may
  // occur, for example, attempting to checkpoint Spec.ConfigSource to the local Assigned record,
  // attempting to checkpoint the payload associated with Spec.ConfigSource, attempting to load or
  // validate the Assigned config, etc. Errors may occur at different points while syncing config.
  // Earlier errors (e.g. download or checkpointing errors) will not result in a rollback to
  // LastKnownGood, and may resolve across Kubelet retries. Later errors (e.g. loading or validating
  // a checkpointed config) will result in a rollback to LastKnownGood. In the latter case, it is
  // usually possible to resolve the error by fixing the config assigned in Spec.ConfigSource. You
  // can find additional information for debugging by searching the error message in the Kubelet
  // log. Error is a human-readable description of the error state; machines can check whether or
  // not Error is empty, but should not rely on the stability of the Error text across Kubelet
  // versions.
  std::string error = {};
};
CAPSTAN_EXPORT bool operator==(const NodeConfigStatus& a, const NodeConfigStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const NodeConfigStatus*);

// NodeRuntimeHandlerFeatures is a set of features implemented by the runtime handler.
struct CAPSTAN_EXPORT NodeRuntimeHandlerFeatures {
  // RecursiveReadOnlyMounts is set to true if the runtime handler supports RecursiveReadOnlyMounts.
  std::optional<bool> recursive_read_only_mounts = {};
  // UserNamespaces is set to true if the runtime handler supports UserNamespaces, including for
  // volumes.
  std::optional<bool> user_namespaces = {};
};
CAPSTAN_EXPORT bool operator==(const NodeRuntimeHandlerFeatures& a,
                               const NodeRuntimeHandlerFeatures& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const NodeRuntimeHandlerFeatures*);

// NodeRuntimeHandler is a set of runtime handler information.
struct CAPSTAN_EXPORT NodeRuntimeHandler {
  // Runtime handler name. Empty for the default runtime handler.
  std::string name = {};
  // Supported features.
  Boxed<NodeRuntimeHandlerFeatures> features = {};
};
CAPSTAN_EXPORT bool operator==(const NodeRuntimeHandler& a, const NodeRuntimeHandler& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const NodeRuntimeHandler*);

// NodeFeatures describes the set of features implemented by the CRI implementation. The features
// contained in the NodeFeatures should depend only on the cri implementation independent of runtime
// handlers.
struct CAPSTAN_EXPORT NodeFeatures {
  // SupplementalGroupsPolicy is set to true if the runtime supports SupplementalGroupsPolicy and
  // ContainerUser.
  std::optional<bool> supplemental_groups_policy = {};
};
CAPSTAN_EXPORT bool operator==(const NodeFeatures& a, const NodeFeatures& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const NodeFeatures*);

// NodePending means the node has been created/added by the system, but not configured.
inline constexpr std::string_view kNodePending = "Pending";
// NodeRunning means the node has been configured and has Kubernetes components running.
inline constexpr std::string_view kNodeRunning = "Running";
// NodeTerminated means the node has been removed from the cluster.
inline constexpr std::string_view kNodeTerminated = "Terminated";

// NodeStatus is information about the current status of a node.
struct CAPSTAN_EXPORT NodeStatus {
  // Capacity represents the total resources of a node. More info:
  // https://kubernetes.io/docs/reference/node/node-status/#capacity
  std::map<std::string, Quantity> capacity = {};
  // Allocatable represents the resources of a node that are available for scheduling. Defaults to
  // Capacity.
  std::map<std::string, Quantity> allocatable = {};
  // NodePhase is the recently observed lifecycle phase of the node. More info:
  // https://kubernetes.io/docs/concepts/nodes/node/#phase The field is never populated, and now is
  // deprecated.
  std::string phase = {};
  // Conditions is an array of current observed node conditions. More info:
  // https://kubernetes.io/docs/reference/node/node-status/#condition
  List<NodeCondition> conditions = {};
  // List of addresses reachable to the node. Queried from cloud provider, if available. More info:
  // https://kubernetes.io/docs/reference/node/node-status/#addresses Note: This field is declared
  // as mergeable, but the merge key is not sufficiently unique, which can cause data corruption
  // when it is merged. Callers should instead use a full-replacement patch. See
  // https://pr.k8s.io/79391 for an example. Consumers should assume that addresses can change
  // during the lifetime of a Node. However, there are some exceptions where this may not be
  // possible, such as Pods that inherit a Node's address in its own status or consumers of the
  // downward API (status.hostIP).
  List<NodeAddress> addresses = {};
  // Endpoints of daemons running on the Node.
  NodeDaemonEndpoints daemon_endpoints = {};
  // Set of ids/uuids to uniquely identify the node. More info:
  // https://kubernetes.io/docs/reference/node/node-status/#info
  NodeSystemInfo node_info = {};
  // List of container images on this node
  List<ContainerImage> images = {};
  // List of attachable volumes in use (mounted) by the node.
  std::vector<std::string> volumes_in_use = {};
  // List of volumes that are attached to the node.
  List<AttachedVolume> volumes_attached = {};
  // Status of the config assigned to the node via the dynamic Kubelet config feature.
  Boxed<NodeConfigStatus> config = {};
  // The available runtime handlers.
  List<NodeRuntimeHandler> runtime_handlers = {};
  // Features describes the set of features implemented by the CRI implementation.
  Boxed<NodeFeatures> features = {};
  // DeclaredFeatures represents the features related to feature gates that are declared by the
  // node.
  std::vector<std::string> declared_features = {};
};
CAPSTAN_EXPORT bool operator==(const NodeStatus& a, const NodeStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const NodeStatus*);

// Node is a worker node in Kubernetes. Each node will have a unique identifier in the cache (i.e.
// in etcd).
struct CAPSTAN_EXPORT Node {
  // Standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // Spec defines the behavior of a node.
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  NodeSpec spec = {};
  // Most recently observed status of the node. Populated by the system. Read-only. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  NodeStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const Node& a, const Node& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const Node*);

}  // namespace capstan::api::core::v1

extern template class capstan::List<capstan::api::core::v1::Taint>;
extern template class capstan::Boxed<capstan::api::core::v1::ConfigMapNodeConfigSource>;
extern template class capstan::Boxed<capstan::api::core::v1::NodeConfigSource>;
extern template class capstan::Boxed<capstan::api::core::v1::NodePodPreemptionPolicy>;
extern template class capstan::List<capstan::api::core::v1::NodeCondition>;
extern template class capstan::List<capstan::api::core::v1::NodeAddress>;
extern template class capstan::Boxed<capstan::api::core::v1::NodeSwapStatus>;
extern template class capstan::List<capstan::api::core::v1::ContainerImage>;
extern template class capstan::List<capstan::api::core::v1::AttachedVolume>;
extern template class capstan::Boxed<capstan::api::core::v1::NodeConfigStatus>;
extern template class capstan::Boxed<capstan::api::core::v1::NodeRuntimeHandlerFeatures>;
extern template class capstan::List<capstan::api::core::v1::NodeRuntimeHandler>;
extern template class capstan::Boxed<capstan::api::core::v1::NodeFeatures>;

template <>
inline constexpr auto capstan::kKind<capstan::api::core::v1::Node> =
    capstan::Kind("", "v1", "Node", "nodes").ClusterScoped().Whole().Spec().Status();
