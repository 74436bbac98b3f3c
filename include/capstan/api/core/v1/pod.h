// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/api/core/v1/pod_spec.h"
#include "capstan/api/core/v1/resource_requirements.h"
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

// PodCondition contains details for the current condition of this pod.
struct CAPSTAN_EXPORT PodCondition {
  // Type is the type of the condition. More info:
  // https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle#pod-conditions
  std::string type = {};
  // If set, this represents the .metadata.generation that the pod condition was set based upon.
  std::int64_t observed_generation = {};
  // Status is the status of the condition. Can be True, False, Unknown. More info:
  // https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle#pod-conditions
  std::string status = {};
  // Last time we probed the condition.
  std::optional<Time> last_probe_time = {};
  // Last time the condition transitioned from one status to another.
  std::optional<Time> last_transition_time = {};
  // Unique, one-word, CamelCase reason for the condition's last transition.
  std::string reason = {};
  // Human-readable message indicating details about last transition.
  std::string message = {};
};
CAPSTAN_EXPORT bool operator==(const PodCondition& a, const PodCondition& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PodCondition*);

// HostIP represents a single IP address allocated to the host.
struct CAPSTAN_EXPORT HostIP {
  // IP is the IP address assigned to the host
  std::string ip = {};
};
CAPSTAN_EXPORT bool operator==(const HostIP& a, const HostIP& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const HostIP*);

// PodIP represents a single IP address allocated to the pod.
struct CAPSTAN_EXPORT PodIP {
  // IP is the IP address assigned to the pod
  std::string ip = {};
};
CAPSTAN_EXPORT bool operator==(const PodIP& a, const PodIP& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PodIP*);

// ContainerStateWaiting is a waiting state of a container.
struct CAPSTAN_EXPORT ContainerStateWaiting {
  // (brief) reason the container is not yet running.
  std::string reason = {};
  // Message regarding why the container is not yet running.
  std::string message = {};
};
CAPSTAN_EXPORT bool operator==(const ContainerStateWaiting& a, const ContainerStateWaiting& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ContainerStateWaiting*);

// ContainerStateRunning is a running state of a container.
struct CAPSTAN_EXPORT ContainerStateRunning {
  // Time at which the container was last (re-)started
  std::optional<Time> started_at = {};
};
CAPSTAN_EXPORT bool operator==(const ContainerStateRunning& a, const ContainerStateRunning& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ContainerStateRunning*);

// ContainerStateTerminated is a terminated state of a container.
struct CAPSTAN_EXPORT ContainerStateTerminated {
  // Exit status from the last termination of the container
  std::int32_t exit_code = {};
  // Signal from the last termination of the container
  std::int32_t signal = {};
  // (brief) reason from the last termination of the container
  std::string reason = {};
  // Message regarding the last termination of the container
  std::string message = {};
  // Time at which previous execution of the container started
  std::optional<Time> started_at = {};
  // Time at which the container last terminated
  std::optional<Time> finished_at = {};
  // Container's ID in the format '<type>://<container_id>'
  std::string container_id = {};
};
CAPSTAN_EXPORT bool operator==(const ContainerStateTerminated& a,
                               const ContainerStateTerminated& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ContainerStateTerminated*);

// ContainerState holds a possible state of container. Only one of its members may be specified. If
// none of them is specified, the default one is ContainerStateWaiting.
struct CAPSTAN_EXPORT ContainerState {
  // Details about a waiting container
  Boxed<ContainerStateWaiting> waiting = {};
  // Details about a running container
  Boxed<ContainerStateRunning> running = {};
  // Details about a terminated container
  Boxed<ContainerStateTerminated> terminated = {};
};
CAPSTAN_EXPORT bool operator==(const ContainerState& a, const ContainerState& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ContainerState*);

// ImageVolumeStatus represents the image-based volume status.
struct CAPSTAN_EXPORT ImageVolumeStatus {
  // ImageRef is the digest of the image used for this volume. It should have a value that's similar
  // to the pod's status.containerStatuses[i].imageID. The ImageRef length should not exceed 256
  // characters.
  std::string image_ref = {};
};
CAPSTAN_EXPORT bool operator==(const ImageVolumeStatus& a, const ImageVolumeStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ImageVolumeStatus*);

// VolumeStatus represents the status of a mounted volume. At most one of its members must be
// specified.
struct CAPSTAN_EXPORT VolumeStatus {
  // image represents an OCI object (a container image or artifact) pulled and mounted on the
  // kubelet's host machine.
  Boxed<ImageVolumeStatus> image = {};
};
CAPSTAN_EXPORT bool operator==(const VolumeStatus& a, const VolumeStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const VolumeStatus*);

// VolumeMountStatus shows status of volume mounts.
struct CAPSTAN_EXPORT VolumeMountStatus {
  // Name corresponds to the name of the original VolumeMount.
  std::string name = {};
  // MountPath corresponds to the original VolumeMount.
  std::string mount_path = {};
  // ReadOnly corresponds to the original VolumeMount.
  bool read_only = {};
  // RecursiveReadOnly must be set to Disabled, Enabled, or unspecified (for non-readonly mounts).
  // An IfPossible value in the original VolumeMount must be translated to Disabled or Enabled,
  // depending on the mount result.
  std::optional<std::string> recursive_read_only = {};
  // volumeStatus represents volume-type-specific status about the mounted volume.
  Boxed<VolumeStatus> volume_status = {};
};
CAPSTAN_EXPORT bool operator==(const VolumeMountStatus& a, const VolumeMountStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const VolumeMountStatus*);

// LinuxContainerUser represents user identity information in Linux containers
struct CAPSTAN_EXPORT LinuxContainerUser {
  // UID is the primary uid initially attached to the first process in the container
  std::int64_t uid = {};
  // GID is the primary gid initially attached to the first process in the container
  std::int64_t gid = {};
  // SupplementalGroups are the supplemental groups initially attached to the first process in the
  // container
  std::vector<std::int64_t> supplemental_groups = {};
};
CAPSTAN_EXPORT bool operator==(const LinuxContainerUser& a, const LinuxContainerUser& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const LinuxContainerUser*);

// ContainerUser represents user identity information
struct CAPSTAN_EXPORT ContainerUser {
  // Linux holds user identity information initially attached to the first process of the containers
  // in Linux. Note that the actual running identity can be changed if the process has enough
  // privilege to do so.
  Boxed<LinuxContainerUser> linux = {};
};
CAPSTAN_EXPORT bool operator==(const ContainerUser& a, const ContainerUser& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ContainerUser*);

inline constexpr std::string_view kResourceHealthStatusHealthy = "Healthy";
inline constexpr std::string_view kResourceHealthStatusUnhealthy = "Unhealthy";
inline constexpr std::string_view kResourceHealthStatusUnknown = "Unknown";

// ResourceHealth represents the health of a resource. It has the latest device health information.
// This is a part of KEP https://kep.k8s.io/4680.
struct CAPSTAN_EXPORT ResourceHealth {
  // ResourceID is the unique identifier of the resource. See the ResourceID type for more
  // information.
  std::string resource_id = {};
  // Health of the resource. can be one of: - Healthy: operates as normal - Unhealthy: reported
  // unhealthy. We consider this a temporary health issue
  // since we do not have a mechanism today to distinguish
  // temporary and permanent issues. - Unknown: The status cannot be determined.
  // For example, Device Plugin got unregistered and hasn't been re-registered since.
  // In future we may want to introduce the PermanentlyUnhealthy Status.
  std::string health = {};
  // Message provides human-readable context for Health (e.g. "ECC error count exceeded threshold").
  // This field is populated by the kubelet when ResourceHealthStatusMessage is enabled if the DRA
  // plugin returns a message, and is null otherwise.
  std::optional<std::string> message = {};
};
CAPSTAN_EXPORT bool operator==(const ResourceHealth& a, const ResourceHealth& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ResourceHealth*);

// ResourceStatus represents the status of a single resource allocated to a Pod.
struct CAPSTAN_EXPORT ResourceStatus {
  // Name of the resource. Must be unique within the pod and in case of non-DRA resource, match one
  // of the resources from the pod spec. For DRA resources, the value must be
  // "claim:<claim_name>/<request>" when container.resources.claims[*].request is set or
  // "claim:<claim_name>" when container.resources.claims[*].request is empty. For DRA-backed
  // extended resources, "claim:<claim_name>/<request>" is used when the claim name and request name
  // are recorded in pod.status.extendedResourceClaimStatus. When this status is reported about a
  // container, the "claim_name" and "request" must match one of the claims of this container.
  std::string name = {};
  // List of unique resources health. Each element in the list contains an unique resource ID and
  // its health. At a minimum, for the lifetime of a Pod, resource ID must uniquely identify the
  // resource allocated to the Pod on the Node. If other Pod on the same Node reports the status
  // with the same resource ID, it must be the same resource they share. See ResourceID type
  // definition for a specific format it has in various use cases.
  List<ResourceHealth> resources = {};
};
CAPSTAN_EXPORT bool operator==(const ResourceStatus& a, const ResourceStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ResourceStatus*);

// ContainerStatus contains details for the current status of this container.
struct CAPSTAN_EXPORT ContainerStatus {
  // Name is a DNS_LABEL representing the unique name of the container. Each container in a pod must
  // have a unique name across all container types. Cannot be updated.
  std::string name = {};
  // State holds details about the container's current condition.
  ContainerState state = {};
  // LastTerminationState holds the last termination state of the container to help debug container
  // crashes and restarts. This field is not populated if the container is still running and
  // RestartCount is 0.
  ContainerState last_state = {};
  // Ready specifies whether the container is currently passing its readiness check. The value will
  // change as readiness probes keep executing. If no readiness probes are specified, this field
  // defaults to true once the container is fully started (see Started field).
  // The value is typically used to determine whether a container is ready to accept traffic.
  bool ready = {};
  // RestartCount holds the number of times the container has been restarted. Kubelet makes an
  // effort to always increment the value, but there are cases when the state may be lost due to
  // node restarts and then the value may be reset to 0. The value is never negative.
  std::int32_t restart_count = {};
  // Image is the name of container image that the container is running. The container image may not
  // match the image used in the PodSpec, as it may have been resolved by the runtime. More info:
  // https://kubernetes.io/docs/concepts/containers/images.
  std::string image = {};
  // ImageID is the image ID of the container's image. The image ID may not match the image ID of
  // the image used in the PodSpec, as it may have been resolved by the runtime.
  std::string image_id = {};
  // ContainerID is the ID of the container in the format '<type>://<container_id>'. Where type is a
  // container runtime identifier, returned from Version call of CRI API (for example "containerd").
  std::string container_id = {};
  // Started indicates whether the container has finished its postStart lifecycle hook and passed
  // its startup probe. Initialized as false, becomes true after startupProbe is considered
  // successful. Resets to false when the container is restarted, or if kubelet loses state
  // temporarily. In both cases, startup probes will run again. Is always true when no startupProbe
  // is defined and container is running and has passed the postStart lifecycle hook. The null value
  // must be treated the same as false.
  std::optional<bool> started = {};
  // AllocatedResources represents the compute resources allocated for this container by the node.
  // Kubelet sets this value to Container.Resources.Requests upon successful pod admission and after
  // successfully admitting desired pod resize.
  std::map<std::string, Quantity> allocated_resources = {};
  // Resources represents the compute resource requests and limits that have been successfully
  // enacted on the running container after it has been started or has been successfully resized.
  Boxed<ResourceRequirements> resources = {};
  // Status of volume mounts.
  List<VolumeMountStatus> volume_mounts = {};
  // User represents user identity information initially attached to the first process of the
  // container
  Boxed<ContainerUser> user = {};
  // AllocatedResourcesStatus represents the status of various resources allocated for this Pod.
  List<ResourceStatus> allocated_resources_status = {};
  // StopSignal reports the effective stop signal for this container
  std::optional<std::string> stop_signal = {};
};
CAPSTAN_EXPORT bool operator==(const ContainerStatus& a, const ContainerStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ContainerStatus*);

// PodResourceClaimStatus is stored in the PodStatus for each PodResourceClaim which references a
// ResourceClaimTemplate. It stores the generated name for the corresponding ResourceClaim.
struct CAPSTAN_EXPORT PodResourceClaimStatus {
  // Name uniquely identifies this resource claim inside the pod. This must match the name of an
  // entry in pod.spec.resourceClaims, which implies that the string must be a DNS_LABEL.
  std::string name = {};
  // ResourceClaimName is the name of the ResourceClaim that was generated for the Pod in the
  // namespace of the Pod.
  // When the DRAWorkloadResourceClaims feature is enabled and the corresponding PodResourceClaim
  // matches a PodGroupResourceClaim made by the Pod's PodGroup, then this is the name of the
  // ResourceClaim generated and reserved for the PodGroup.
  // If this is unset, then generating a ResourceClaim was not necessary. The
  // pod.spec.resourceClaims entry can be ignored in this case.
  std::optional<std::string> resource_claim_name = {};
};
CAPSTAN_EXPORT bool operator==(const PodResourceClaimStatus& a, const PodResourceClaimStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PodResourceClaimStatus*);

// ContainerExtendedResourceRequest has the mapping of container name, extended resource name to the
// device request name.
struct CAPSTAN_EXPORT ContainerExtendedResourceRequest {
  // The name of the container requesting resources.
  std::string container_name = {};
  // The name of the extended resource in that container which gets backed by DRA.
  std::string resource_name = {};
  // The name of the request in the special ResourceClaim which corresponds to the extended
  // resource.
  std::string request_name = {};
};
CAPSTAN_EXPORT bool operator==(const ContainerExtendedResourceRequest& a,
                               const ContainerExtendedResourceRequest& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ContainerExtendedResourceRequest*);

// PodExtendedResourceClaimStatus is stored in the PodStatus for the extended resource requests
// backed by DRA. It stores the generated name for the corresponding special ResourceClaim created
// by the scheduler.
struct CAPSTAN_EXPORT PodExtendedResourceClaimStatus {
  // RequestMappings identifies the mapping of <container, extended resource backed by DRA> to
  // device request in the generated ResourceClaim.
  List<ContainerExtendedResourceRequest> request_mappings = {};
  // ResourceClaimName is the name of the ResourceClaim that was generated for the Pod in the
  // namespace of the Pod.
  std::string resource_claim_name = {};
};
CAPSTAN_EXPORT bool operator==(const PodExtendedResourceClaimStatus& a,
                               const PodExtendedResourceClaimStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PodExtendedResourceClaimStatus*);

// NodeAllocatableMappedResources describes mapped node allocatable resource allocations.
struct CAPSTAN_EXPORT NodeAllocatableMappedResources {
  // Name is the name of the resource (e.g., cpu, memory).
  std::string name = {};
  // Quantity is the total node allocatable resource capacity allocated for the claim. This claim's
  // allocated devices is shared by all the containers referencing the claim. Kubelet adds this
  // value to both requests and limits at the pod-level cgroup, and to limits at the container-level
  // cgroup for each container referencing the claim.
  std::optional<Quantity> quantity = {};
};
CAPSTAN_EXPORT bool operator==(const NodeAllocatableMappedResources& a,
                               const NodeAllocatableMappedResources& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const NodeAllocatableMappedResources*);

// NodeAllocatableOverheadResources describes auxiliary overhead resource allocations.
struct CAPSTAN_EXPORT NodeAllocatableOverheadResources {
  // Name is the name of the resource (e.g., cpu, memory).
  std::string name = {};
  // PerPod is the flat overhead quantity allocated per pod. Adding to each container limit allows
  // individual containers to utilize the overhead, while the parent pod-level cgroup limit caps the
  // total usage at the pod boundary where the overhead is accounted for exactly once. At least one
  // of PerPod or PerContainer must be specified. Specifying neither is an invalid configuration.
  std::optional<Quantity> per_pod = {};
  // PerContainer is the variable overhead quantity applied for each container referencing the
  // claim. The container references are recorded in
  // `nodeAllocatableResourceClaimStatuses.containers`. The total overhead quantity allocated for
  // the claim is computed as: Quantity = PerPod + (PerContainer * NumReferences) Kubelet accounts
  // for this overhead in cgroups:
  // - Pod-level cgroup (requests and limits): Kubelet adds PerPod + (PerContainer * NumReferences).
  // - Container-level cgroup (limits only): Kubelet adds PerPod + PerContainer for each referencing
  // container. This allows any single container to access the pod-level overhead, while the parent
  // cgroup caps the total usage to account for PerPod exactly once. At least one of PerPod or
  // PerContainer must be specified. Specifying neither is an invalid configuration.
  std::optional<Quantity> per_container = {};
};
CAPSTAN_EXPORT bool operator==(const NodeAllocatableOverheadResources& a,
                               const NodeAllocatableOverheadResources& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const NodeAllocatableOverheadResources*);

// NodeAllocatableResourceClaimStatus describes the status of node allocatable resources allocated
// via DRA.
struct CAPSTAN_EXPORT NodeAllocatableResourceClaimStatus {
  // ResourceClaimName is the resource claim referenced by the pod that resulted in this node
  // allocatable resource allocation.
  std::string resource_claim_name = {};
  // Containers lists the names of all containers in this pod that reference the claim.
  std::vector<std::string> containers = {};
  // Mapping contains allocations through devices mapped in the device spec's
  // `nodeAllocatableResources[...].mapping` field. This is used by kubelet for pod level and
  // container-level cgroup enforcement.
  List<NodeAllocatableMappedResources> mapping = {};
  // Overhead contains allocations through devices mapped in the device spec's
  // `nodeAllocatableResources[...].overhead` field. This is used by kubelet for pod level and
  // container-level cgroup enforcement.
  List<NodeAllocatableOverheadResources> overhead = {};
};
CAPSTAN_EXPORT bool operator==(const NodeAllocatableResourceClaimStatus& a,
                               const NodeAllocatableResourceClaimStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const NodeAllocatableResourceClaimStatus*);

// PodVolumeHealth contains health information for a volume used by a pod, reported by the CSI node
// plugin via the kubelet.
struct CAPSTAN_EXPORT PodVolumeHealth {
  // name matches an entry in pod.spec.volumes.
  std::string name = {};
  // conditions is the set of adverse conditions reported by the CSI node plugin for this volume on
  // this node. At most 16 conditions may be reported.
  List<VolumeHealthCondition> health_conditions = {};
  // lastTransitionTime is when the current set of conditions first appeared.
  std::optional<Time> last_transition_time = {};
};
CAPSTAN_EXPORT bool operator==(const PodVolumeHealth& a, const PodVolumeHealth& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PodVolumeHealth*);

// PodPhase is a label for the condition of a pod at the current time.
// PodPending means the pod has been accepted by the system, but one or more of the containers has
// not been started. This includes time before being bound to a node, as well as time spent pulling
// images onto the host.
inline constexpr std::string_view kPodPending = "Pending";
// PodRunning means the pod has been bound to a node and all of the containers have been started. At
// least one container is still running or is in the process of being restarted.
inline constexpr std::string_view kPodRunning = "Running";
// PodSucceeded means that all containers in the pod have voluntarily terminated with a container
// exit code of 0, and the system is not going to restart any of these containers.
inline constexpr std::string_view kPodSucceeded = "Succeeded";
// PodFailed means that all containers in the pod have terminated, and at least one container has
// terminated in a failure (exited with a non-zero exit code or was stopped by the system).
inline constexpr std::string_view kPodFailed = "Failed";
// PodUnknown means that for some reason the state of the pod could not be obtained, typically due
// to an error in communicating with the host of the pod. Deprecated: It isn't being set since 2015
// (74da3b14b0c0f658b3bb8d2def5094686d0e9095)
inline constexpr std::string_view kPodUnknown = "Unknown";

// PodQOSClass defines the supported qos classes of Pods.
// PodQOSGuaranteed is the Guaranteed qos class.
inline constexpr std::string_view kPodQOSGuaranteed = "Guaranteed";
// PodQOSBurstable is the Burstable qos class.
inline constexpr std::string_view kPodQOSBurstable = "Burstable";
// PodQOSBestEffort is the BestEffort qos class.
inline constexpr std::string_view kPodQOSBestEffort = "BestEffort";

// Deprecated: PodResizeStatus shows status of desired resize of a pod's containers.
// Pod resources resize has been accepted by node and is being actuated.
inline constexpr std::string_view kPodResizeStatusInProgress = "InProgress";
// Node cannot resize the pod at this time and will keep retrying.
inline constexpr std::string_view kPodResizeStatusDeferred = "Deferred";
// Requested pod resize is not feasible and will not be re-evaluated.
inline constexpr std::string_view kPodResizeStatusInfeasible = "Infeasible";

// PodStatus represents information about the status of a pod. Status may trail the actual state of
// a system, especially if the node that hosts the pod cannot contact the control plane.
struct CAPSTAN_EXPORT PodStatus {
  // If set, this represents the .metadata.generation that the pod status was set based upon. The
  // PodObservedGenerationTracking feature gate must be enabled to use this field.
  std::int64_t observed_generation = {};
  // The phase of a Pod is a simple, high-level summary of where the Pod is in its lifecycle. The
  // conditions array, the reason and message fields, and the individual container status arrays
  // contain more detail about the pod's status. There are five possible phase values:
  // Pending: The pod has been accepted by the Kubernetes system, but one or more of the container
  // images has not been created. This includes time before being scheduled as well as time spent
  // downloading images over the network, which could take a while. Running: The pod has been bound
  // to a node, and all of the containers have been created. At least one container is still
  // running, or is in the process of starting or restarting. Succeeded: All containers in the pod
  // have terminated in success, and will not be restarted. Failed: All containers in the pod have
  // terminated, and at least one container has terminated in failure. The container either exited
  // with non-zero status or was terminated by the system. Unknown: For some reason the state of the
  // pod could not be obtained, typically due to an error in communicating with the host of the pod.
  // More info: https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle#pod-phase
  std::string phase = {};
  // Current service state of pod. More info:
  // https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle#pod-conditions
  List<PodCondition> conditions = {};
  // A human readable message indicating details about why the pod is in this condition.
  std::string message = {};
  // A brief CamelCase message indicating details about why the pod is in this state. e.g. 'Evicted'
  std::string reason = {};
  // nominatedNodeName is set only when this pod preempts other pods on the node, but it cannot be
  // scheduled right away as preemption victims receive their graceful termination periods. This
  // field does not guarantee that the pod will be scheduled on this node. Scheduler may decide to
  // place the pod elsewhere if other nodes become available sooner. Scheduler may also decide to
  // give the resources on this node to a higher priority pod that is created after preemption. As a
  // result, this field may be different than PodSpec.nodeName when the pod is scheduled.
  std::string nominated_node_name = {};
  // hostIP holds the IP address of the host to which the pod is assigned. Empty if the pod has not
  // started yet. A pod can be assigned to a node that has a problem in kubelet which in turns mean
  // that HostIP will not be updated even if there is a node is assigned to pod
  std::string host_ip = {};
  // hostIPs holds the IP addresses allocated to the host. If this field is specified, the first
  // entry must match the hostIP field. This list is empty if the pod has not started yet. A pod can
  // be assigned to a node that has a problem in kubelet which in turns means that HostIPs will not
  // be updated even if there is a node is assigned to this pod.
  List<HostIP> host_ips = {};
  // podIP address allocated to the pod. Routable at least within the cluster. Empty if not yet
  // allocated.
  std::string pod_ip = {};
  // podIPs holds the IP addresses allocated to the pod. If this field is specified, the 0th entry
  // must match the podIP field. Pods may be allocated at most 1 value for each of IPv4 and IPv6.
  // This list is empty if no IPs have been allocated yet.
  List<PodIP> pod_ips = {};
  // RFC 3339 date and time at which the object was acknowledged by the Kubelet. This is before the
  // Kubelet pulled the container image(s) for the pod.
  std::optional<Time> start_time = {};
  // Statuses of init containers in this pod. The most recent successful non-restartable init
  // container will have ready = true, the most recently started container will have startTime set.
  // Each init container in the pod should have at most one status in this list, and all statuses
  // should be for containers in the pod. However this is not enforced. If a status for a
  // non-existent container is present in the list, or the list has duplicate names, the behavior of
  // various Kubernetes components is not defined and those statuses might be ignored. More info:
  // https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-and-container-status
  List<ContainerStatus> init_container_statuses = {};
  // Statuses of containers in this pod. Each container in the pod should have at most one status in
  // this list, and all statuses should be for containers in the pod. However this is not enforced.
  // If a status for a non-existent container is present in the list, or the list has duplicate
  // names, the behavior of various Kubernetes components is not defined and those statuses might be
  // ignored. More info:
  // https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle#pod-and-container-status
  List<ContainerStatus> container_statuses = {};
  // The Quality of Service (QOS) classification assigned to the pod based on resource requirements
  // See PodQOSClass type for available QOS classes More info:
  // https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/#quality-of-service-classes
  std::string qos_class = {};
  // Statuses for any ephemeral containers that have run in this pod. Each ephemeral container in
  // the pod should have at most one status in this list, and all statuses should be for containers
  // in the pod. However this is not enforced. If a status for a non-existent container is present
  // in the list, or the list has duplicate names, the behavior of various Kubernetes components is
  // not defined and those statuses might be ignored. More info:
  // https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle#pod-and-container-status
  List<ContainerStatus> ephemeral_container_statuses = {};
  // Status of resources resize desired for pod's containers. It is empty if no resources resize is
  // pending. Any changes to container resources will automatically set this to "Proposed"
  // Deprecated: Resize status is moved to two pod conditions PodResizePending and
  // PodResizeInProgress. PodResizePending will track states where the spec has been resized, but
  // the Kubelet has not yet allocated the resources. PodResizeInProgress will track in-progress
  // resizes, and should be present whenever allocated resources != acknowledged resources.
  std::string resize = {};
  // Status of resource claims.
  List<PodResourceClaimStatus> resource_claim_statuses = {};
  // Status of extended resource claim backed by DRA.
  Boxed<PodExtendedResourceClaimStatus> extended_resource_claim_status = {};
  // AllocatedResources is the total requests allocated for this pod by the node. If pod-level
  // requests are not set, this will be the total requests aggregated across containers in the pod.
  std::map<std::string, Quantity> allocated_resources = {};
  // Resources represents the compute resource requests and limits that have been applied at the pod
  // level if pod-level requests or limits are set in PodSpec.Resources
  Boxed<ResourceRequirements> resources = {};
  // NodeAllocatableResourceClaimStatuses contains the status of node-allocatable resources that
  // were allocated for this pod through DRA claims. This includes resources currently reported in
  // v1.Node `status.allocatable` that are not extended resources (see
  // https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#extended-resources).
  // Examples include "cpu", "memory", "ephemeral-storage", and hugepages.
  List<NodeAllocatableResourceClaimStatus> node_allocatable_resource_claim_statuses = {};
  // volumeHealth contains node-reported health for each volume the pod is using. Populated by the
  // kubelet on the pod's node.
  List<PodVolumeHealth> volume_health = {};
};
CAPSTAN_EXPORT bool operator==(const PodStatus& a, const PodStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PodStatus*);

// Pod is a collection of containers that can run on a host. This resource is created by clients and
// scheduled onto hosts.
struct CAPSTAN_EXPORT Pod {
  // Standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // Specification of the desired behavior of the pod. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  PodSpec spec = {};
  // Most recently observed status of the pod. This data may not be up to date. Populated by the
  // system. Read-only. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  PodStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const Pod& a, const Pod& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const Pod*);

}  // namespace capstan::api::core::v1

extern template class capstan::List<capstan::api::core::v1::PodCondition>;
extern template class capstan::List<capstan::api::core::v1::HostIP>;
extern template class capstan::List<capstan::api::core::v1::PodIP>;
extern template class capstan::Boxed<capstan::api::core::v1::ContainerStateWaiting>;
extern template class capstan::Boxed<capstan::api::core::v1::ContainerStateRunning>;
extern template class capstan::Boxed<capstan::api::core::v1::ContainerStateTerminated>;
extern template class capstan::Boxed<capstan::api::core::v1::ImageVolumeStatus>;
extern template class capstan::Boxed<capstan::api::core::v1::VolumeStatus>;
extern template class capstan::List<capstan::api::core::v1::VolumeMountStatus>;
extern template class capstan::Boxed<capstan::api::core::v1::LinuxContainerUser>;
extern template class capstan::Boxed<capstan::api::core::v1::ContainerUser>;
extern template class capstan::List<capstan::api::core::v1::ResourceHealth>;
extern template class capstan::List<capstan::api::core::v1::ResourceStatus>;
extern template class capstan::List<capstan::api::core::v1::ContainerStatus>;
extern template class capstan::List<capstan::api::core::v1::PodResourceClaimStatus>;
extern template class capstan::List<capstan::api::core::v1::ContainerExtendedResourceRequest>;
extern template class capstan::Boxed<capstan::api::core::v1::PodExtendedResourceClaimStatus>;
extern template class capstan::List<capstan::api::core::v1::NodeAllocatableMappedResources>;
extern template class capstan::List<capstan::api::core::v1::NodeAllocatableOverheadResources>;
extern template class capstan::List<capstan::api::core::v1::NodeAllocatableResourceClaimStatus>;
extern template class capstan::List<capstan::api::core::v1::PodVolumeHealth>;

template <>
inline constexpr auto capstan::kKind<capstan::api::core::v1::Pod> =
    capstan::Kind("", "v1", "Pod", "pods").Namespaced().Whole().Spec().Status();
