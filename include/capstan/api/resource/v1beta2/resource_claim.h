// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/api/core/v1/node_selector.h"
#include "capstan/api/resource/v1beta2/device_toleration.h"
#include "capstan/api/resource/v1beta2/opaque_device_configuration.h"
#include "capstan/api/resource/v1beta2/resource_claim_spec.h"
#include "capstan/boxed.h"
#include "capstan/conditions.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/int_or_string.h"
#include "capstan/kind.h"
#include "capstan/list.h"
#include "capstan/object_meta.h"
#include "capstan/quantity.h"
#include "capstan/time.h"

namespace capstan::api::resource::v1beta2 {

// SkipNodeOperationNodePrepareResources indicates that NodePrepareResources gRPC calls are skipped.
inline constexpr std::string_view kSkipNodeOperationNodePrepareResources = "NodePrepareResources";
// SkipNodeOperationNodeUnprepareResources indicates that NodeUnprepareResources gRPC calls are
// skipped.
inline constexpr std::string_view kSkipNodeOperationNodeUnprepareResources =
    "NodeUnprepareResources";
// SkipNodeOperationAll indicates that all node-local resource operations are skipped.
inline constexpr std::string_view kSkipNodeOperationAll = "*";

// DeviceRequestAllocationResult contains the allocation result for one request.
struct CAPSTAN_EXPORT DeviceRequestAllocationResult {
  // Request is the name of the request in the claim which caused this device to be allocated. If it
  // references a subrequest in the firstAvailable list on a DeviceRequest, this field must include
  // both the name of the main request and the subrequest using the format <main
  // request>/<subrequest>.
  // Multiple devices may have been allocated per request.
  std::string request = {};
  // Driver specifies the name of the DRA driver whose kubelet plugin should be invoked to process
  // the allocation once the claim is needed on a node.
  // Must be a DNS subdomain and should end with a DNS domain owned by the vendor of the driver. It
  // should use only lower case characters.
  std::string driver = {};
  // This name together with the driver name and the device name field identify which device was
  // allocated (`<driver name>/<pool name>/<device name>`).
  // Must not be longer than 253 characters and may contain one or more DNS sub-domains separated by
  // slashes.
  std::string pool = {};
  // Device references one device instance via its name in the driver's resource pool. It must be a
  // DNS label.
  std::string device = {};
  // AdminAccess indicates that this device was allocated for administrative access. See the
  // corresponding request field for a definition of mode.
  // This is an alpha field and requires enabling the DRAAdminAccess feature gate. Admin access is
  // disabled if this field is unset or set to false, otherwise it is enabled.
  std::optional<bool> admin_access = {};
  // A copy of all tolerations specified in the request at the time when the device got allocated.
  // The maximum number of tolerations is 16.
  // This is a beta field and requires enabling the DRADeviceTaints feature gate.
  List<DeviceToleration> tolerations = {};
  // BindingConditions contains a copy of the BindingConditions from the corresponding ResourceSlice
  // at the time of allocation.
  // This is a beta field and requires enabling the DRADeviceBindingConditions and
  // DRAResourceClaimDeviceStatus feature gates.
  std::vector<std::string> binding_conditions = {};
  // BindingFailureConditions contains a copy of the BindingFailureConditions from the corresponding
  // ResourceSlice at the time of allocation.
  // This is a beta field and requires enabling the DRADeviceBindingConditions and
  // DRAResourceClaimDeviceStatus feature gates.
  std::vector<std::string> binding_failure_conditions = {};
  // ShareID uniquely identifies an individual allocation share of the device, used when the device
  // supports multiple simultaneous allocations. It serves as an additional map key to differentiate
  // concurrent shares of the same device.
  std::optional<std::string> share_id = {};
  // ConsumedCapacity tracks the amount of capacity consumed per device as part of the claim
  // request. The consumed amount may differ from the requested amount: it is rounded up to the
  // nearest valid value based on the device’s requestPolicy if applicable (i.e., may not be less
  // than the requested amount).
  // The total consumed capacity for each device must not exceed the DeviceCapacity's Value.
  // This field is populated only for devices that allow multiple allocations. All capacity entries
  // are included, even if the consumed amount is zero.
  std::map<std::string, Quantity> consumed_capacity = {};
  // SkipNodeOperations lists node-local resource operations (gRPC calls) that will be skipped for
  // this allocated device when determining whether operations are necessary on the node. If all
  // allocated devices for a driver in a claim skip an operation, that gRPC call will be skipped. It
  // is a copy of the ResourceSlice.spec.skipNodeOperations value at the time when the device was
  // allocated.
  std::vector<std::string> skip_node_operations = {};
};
CAPSTAN_EXPORT bool operator==(const DeviceRequestAllocationResult& a,
                               const DeviceRequestAllocationResult& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DeviceRequestAllocationResult*);

inline constexpr std::string_view kAllocationConfigSourceClass = "FromClass";
inline constexpr std::string_view kAllocationConfigSourceClaim = "FromClaim";

// DeviceAllocationConfiguration gets embedded in an AllocationResult.
struct CAPSTAN_EXPORT DeviceAllocationConfiguration {
  // Source records whether the configuration comes from a class and thus is not something that a
  // normal user would have been able to set or from a claim.
  std::string source = {};
  // Requests lists the names of requests where the configuration applies. If empty, its applies to
  // all requests.
  // References to subrequests must include the name of the main request and may include the
  // subrequest using the format <main request>[/<subrequest>]. If just the main request is given,
  // the configuration applies to all subrequests.
  std::vector<std::string> requests = {};
  // Opaque provides driver-specific configuration parameters.
  Boxed<OpaqueDeviceConfiguration> opaque = {};
};
CAPSTAN_EXPORT bool operator==(const DeviceAllocationConfiguration& a,
                               const DeviceAllocationConfiguration& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DeviceAllocationConfiguration*);

// DeviceAllocationResult is the result of allocating devices.
struct CAPSTAN_EXPORT DeviceAllocationResult {
  // Results lists all allocated devices.
  List<DeviceRequestAllocationResult> results = {};
  // This field is a combination of all the claim and class configuration parameters. Drivers can
  // distinguish between those based on a flag.
  // This includes configuration parameters for drivers which have no allocated devices in the
  // result because it is up to the drivers which configuration parameters they support. They can
  // silently ignore unknown configuration parameters.
  List<DeviceAllocationConfiguration> config = {};
};
CAPSTAN_EXPORT bool operator==(const DeviceAllocationResult& a, const DeviceAllocationResult& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DeviceAllocationResult*);

// AllocationResult contains attributes of an allocated resource.
struct CAPSTAN_EXPORT AllocationResult {
  // Devices is the result of allocating devices.
  DeviceAllocationResult devices = {};
  // NodeSelector defines where the allocated resources are available. If unset, they are available
  // everywhere.
  Boxed<core::v1::NodeSelector> node_selector = {};
  // AllocationTimestamp stores the time when the resources were allocated. This field is not
  // guaranteed to be set, in which case that time is unknown.
  // This is a beta field and requires enabling the DRADeviceBindingConditions and
  // DRAResourceClaimDeviceStatus feature gate.
  std::optional<Time> allocation_timestamp = {};
};
CAPSTAN_EXPORT bool operator==(const AllocationResult& a, const AllocationResult& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const AllocationResult*);

// ResourceClaimConsumerReference contains enough information to let you locate the consumer of a
// ResourceClaim. The user must be a resource in the same namespace as the ResourceClaim.
struct CAPSTAN_EXPORT ResourceClaimConsumerReference {
  // APIGroup is the group for the resource being referenced. It is empty for the core API. This
  // matches the group in the APIVersion that is used when creating the resources.
  std::string api_group = {};
  // Resource is the type of resource being referenced, for example "pods".
  std::string resource = {};
  // Name is the name of resource being referenced.
  std::string name = {};
  // UID identifies exactly one incarnation of the resource.
  std::string uid = {};
};
CAPSTAN_EXPORT bool operator==(const ResourceClaimConsumerReference& a,
                               const ResourceClaimConsumerReference& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ResourceClaimConsumerReference*);

// NetworkDeviceData provides network-related details for the allocated device. This information may
// be filled by drivers or other components to configure or identify the device within a network
// context.
struct CAPSTAN_EXPORT NetworkDeviceData {
  // InterfaceName specifies the name of the network interface associated with the allocated device.
  // This might be the name of a physical or virtual network interface being configured in the pod.
  // Must not be longer than 256 bytes.
  std::string interface_name = {};
  // IPs lists the network addresses assigned to the device's network interface. This can include
  // both IPv4 and IPv6 addresses. The IPs are in the CIDR notation, which includes both the address
  // and the associated subnet mask. e.g.: "192.0.2.5/24" for IPv4 and "2001:db8::5/64" for IPv6.
  std::vector<std::string> ips = {};
  // HardwareAddress represents the hardware address (e.g. MAC Address) of the device's network
  // interface.
  // Must not be longer than 128 bytes.
  std::string hardware_address = {};
};
CAPSTAN_EXPORT bool operator==(const NetworkDeviceData& a, const NetworkDeviceData& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const NetworkDeviceData*);

// AllocatedDeviceStatus contains the status of an allocated device, if the driver chooses to report
// it. This may include driver-specific information.
// The combination of Driver, Pool, Device, and ShareID must match the corresponding key in
// Status.Allocation.Devices.
struct CAPSTAN_EXPORT AllocatedDeviceStatus {
  // Driver specifies the name of the DRA driver whose kubelet plugin should be invoked to process
  // the allocation once the claim is needed on a node.
  // Must be a DNS subdomain and should end with a DNS domain owned by the vendor of the driver. It
  // should use only lower case characters.
  std::string driver = {};
  // This name together with the driver name and the device name field identify which device was
  // allocated (`<driver name>/<pool name>/<device name>`).
  // Must not be longer than 253 characters and may contain one or more DNS sub-domains separated by
  // slashes.
  std::string pool = {};
  // Device references one device instance via its name in the driver's resource pool. It must be a
  // DNS label.
  std::string device = {};
  // ShareID uniquely identifies an individual allocation share of the device.
  std::optional<std::string> share_id = {};
  // Conditions contains the latest observation of the device's state. If the device has been
  // configured according to the class and claim config references, the `Ready` condition should be
  // True.
  // Must not contain more than 8 entries.
  std::vector<Condition> conditions = {};
  // Data contains arbitrary driver-specific data.
  // The length of the raw data must be smaller or equal to 10 Ki.
  std::optional<RawJson> data = {};
  // NetworkData contains network-related information specific to the device.
  Boxed<NetworkDeviceData> network_data = {};
};
CAPSTAN_EXPORT bool operator==(const AllocatedDeviceStatus& a, const AllocatedDeviceStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const AllocatedDeviceStatus*);

// ResourceClaimStatus tracks whether the resource has been allocated and what the result of that
// was.
struct CAPSTAN_EXPORT ResourceClaimStatus {
  // Allocation is set once the claim has been allocated successfully.
  Boxed<AllocationResult> allocation = {};
  // ReservedFor indicates which entities are currently allowed to use the claim. A Pod which
  // references a ResourceClaim which is not reserved for that Pod will not be started. A claim that
  // is in use or might be in use because it has been reserved must not get deallocated.
  // In a cluster with multiple scheduler instances, two pods might get scheduled concurrently by
  // different schedulers. When they reference the same ResourceClaim which already has reached its
  // maximum number of consumers, only one pod can be scheduled.
  // Both schedulers try to add their pod to the claim.status.reservedFor field, but only the update
  // that reaches the API server first gets stored. The other one fails with an error and the
  // scheduler which issued it knows that it must put the pod back into the queue, waiting for the
  // ResourceClaim to become usable again.
  // There can be at most 256 such reservations. This may get increased in the future, but not
  // reduced.
  List<ResourceClaimConsumerReference> reserved_for = {};
  // Devices contains the status of each device allocated for this claim, as reported by the driver.
  // This can include driver-specific information. Entries are owned by their respective drivers.
  List<AllocatedDeviceStatus> devices = {};
};
CAPSTAN_EXPORT bool operator==(const ResourceClaimStatus& a, const ResourceClaimStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ResourceClaimStatus*);

// ResourceClaim describes a request for access to resources in the cluster, for use by workloads.
// For example, if a workload needs an accelerator device with specific properties, this is how that
// request is expressed. The status stanza tracks whether this claim has been satisfied and what
// specific resources have been allocated.
// This is an alpha type and requires enabling the DynamicResourceAllocation feature gate.
struct CAPSTAN_EXPORT ResourceClaim {
  // Standard object metadata
  ObjectMeta metadata = {};
  // Spec describes what is being requested and how to configure it. The spec is immutable.
  ResourceClaimSpec spec = {};
  // Status describes whether the claim is ready to use and what has been allocated.
  ResourceClaimStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const ResourceClaim& a, const ResourceClaim& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ResourceClaim*);

}  // namespace capstan::api::resource::v1beta2

extern template class capstan::List<capstan::api::resource::v1beta2::DeviceRequestAllocationResult>;
extern template class capstan::List<capstan::api::resource::v1beta2::DeviceAllocationConfiguration>;
extern template class capstan::Boxed<capstan::api::resource::v1beta2::AllocationResult>;
extern template class capstan::List<
    capstan::api::resource::v1beta2::ResourceClaimConsumerReference>;
extern template class capstan::Boxed<capstan::api::resource::v1beta2::NetworkDeviceData>;
extern template class capstan::List<capstan::api::resource::v1beta2::AllocatedDeviceStatus>;

template <>
inline constexpr auto capstan::kKind<capstan::api::resource::v1beta2::ResourceClaim> =
    capstan::Kind("resource.k8s.io", "v1beta2", "ResourceClaim", "resourceclaims")
        .Namespaced()
        .Whole()
        .Spec()
        .Status();
