// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "capstan/api/core/v1/node_selector.h"
#include "capstan/api/resource/v1beta2/device_taint.h"
#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/list.h"
#include "capstan/object_meta.h"
#include "capstan/quantity.h"

namespace capstan::api::resource::v1beta2 {

// ResourcePool describes the pool that ResourceSlices belong to.
struct CAPSTAN_EXPORT ResourcePool {
  // Name is used to identify the pool. For node-local devices, this is often the node name, but
  // this is not required. A field selector can be used to list only ResourceSlice objects belonging
  // to a certain pool.
  // It must not be longer than 253 characters and must consist of one or more DNS sub-domains
  // separated by slashes. This field is immutable.
  std::string name = {};
  // Generation tracks the change in a pool over time. Whenever a driver changes something about one
  // or more of the resources in a pool, it must change the generation in all ResourceSlices which
  // are part of that pool. Consumers of ResourceSlices should only consider resources from the pool
  // with the highest generation number. The generation may be reset by drivers, which should be
  // fine for consumers, assuming that all ResourceSlices in a pool are updated to match or deleted.
  // Combined with ResourceSliceCount, this mechanism enables consumers to detect pools which are
  // comprised of multiple ResourceSlices and are in an incomplete state.
  std::int64_t generation = {};
  // ResourceSliceCount is the total number of ResourceSlices in the pool at this generation number.
  // Must be greater than zero.
  // Consumers can use this to check whether they have seen all ResourceSlices belonging to the same
  // pool.
  std::int64_t resource_slice_count = {};
};
CAPSTAN_EXPORT bool operator==(const ResourcePool& a, const ResourcePool& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ResourcePool*);

// DeviceAttribute must have exactly one field set.
struct CAPSTAN_EXPORT DeviceAttribute {
  // IntValue is a number.
  std::optional<std::int64_t> int_ = {};
  // BoolValue is a true/false value.
  std::optional<bool> bool_ = {};
  // StringValue is a string. Must not be longer than 64 characters.
  std::optional<std::string> string = {};
  // VersionValue is a semantic version according to semver.org spec 2.0.0. Must not be longer than
  // 64 characters.
  std::optional<std::string> version = {};
  // IntValues is a non-empty list of numbers.
  // This is an alpha field and requires enabling the DRAListTypeAttributes feature gate.
  std::vector<std::int64_t> ints = {};
  // BoolValues is a non-empty list of true/false values.
  std::vector<bool> bools = {};
  // StringValues is a non-empty list of strings. Each string must not be longer than 64 characters.
  // This is an alpha field and requires enabling the DRAListTypeAttributes feature gate.
  std::vector<std::string> strings = {};
  // VersionValues is a non-empty list of semantic versions according to semver.org spec 2.0.0. Each
  // version string must not be longer than 64 characters.
  // This is an alpha field and requires enabling the DRAListTypeAttributes feature gate.
  std::vector<std::string> versions = {};
};
CAPSTAN_EXPORT bool operator==(const DeviceAttribute& a, const DeviceAttribute& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DeviceAttribute*);

// CapacityRequestPolicyRange defines a valid range for consumable capacity values.
// If the DRAFractionalCapacityRange feature gate is enabled and at least one of Min, Max, or Step
// is a fractional quantity (i.e. its value is not an integer), milli-unit arithmetic is used
// instead, supporting values with up to 3 decimal places (e.g. 100m = 0.1). The largest supported
// value then is 1000 times smaller compared to using 64-bit integers. Otherwise, all comparisons
// use 64-bit integer arithmetic via resource.Quantity.Value().
// - If the requested amount is less than Min, it is rounded up to the Min value.
// - If Step is set and the requested amount is between Min and Max but not aligned with Step,
// it will be rounded up to the next value equal to Min + (n * Step).
// - If Step is not set, the requested amount is used as-is if it falls within the range Min to Max
// (if set).
// - If the requested or rounded amount exceeds Max (if set), the request does not satisfy the
// policy,
// and the device cannot be allocated.
struct CAPSTAN_EXPORT CapacityRequestPolicyRange {
  // Min specifies the minimum capacity allowed for a consumption request.
  // Min must be greater than or equal to zero, and less than or equal to the capacity value.
  // requestPolicy.default must be more than or equal to the minimum.
  std::optional<Quantity> min = {};
  // Max defines the upper limit for capacity that can be requested.
  // Max must be less than or equal to the capacity value. Min and requestPolicy.default must be
  // less than or equal to the maximum.
  std::optional<Quantity> max = {};
  // Step defines the step size between valid capacity amounts within the range.
  // Max (if set) and requestPolicy.default must be a multiple of Step. Min + Step must be less than
  // or equal to the capacity value.
  std::optional<Quantity> step = {};
};
CAPSTAN_EXPORT bool operator==(const CapacityRequestPolicyRange& a,
                               const CapacityRequestPolicyRange& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const CapacityRequestPolicyRange*);

// CapacityRequestPolicy defines how requests consume device capacity.
// Must not set more than one ValidRequestValues.
struct CAPSTAN_EXPORT CapacityRequestPolicy {
  // Default specifies how much of this capacity is consumed by a request that does not contain an
  // entry for it in DeviceRequest's Capacity.
  std::optional<Quantity> default_ = {};
  // ValidValues defines a set of acceptable quantity values in consuming requests.
  // Must not contain more than 10 entries. Must be sorted in ascending order.
  // If this field is set, Default must be defined and it must be included in ValidValues list.
  // If the requested amount does not match any valid value but smaller than some valid values, the
  // scheduler calculates the smallest valid value that is greater than or equal to the request.
  // That is: min(ceil(requestedValue) ∈ validValues), where requestedValue ≤ max(validValues).
  // If the requested amount exceeds all valid values, the request violates the policy, and this
  // device cannot be allocated.
  std::vector<Quantity> valid_values = {};
  // ValidRange defines an acceptable quantity value range in consuming requests.
  // If this field is set, Default must be defined and it must fall within the defined ValidRange.
  // If the requested amount does not fall within the defined range, the request violates the
  // policy, and this device cannot be allocated.
  // If the request doesn't contain this capacity entry, Default value is used.
  Boxed<CapacityRequestPolicyRange> valid_range = {};
};
CAPSTAN_EXPORT bool operator==(const CapacityRequestPolicy& a, const CapacityRequestPolicy& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const CapacityRequestPolicy*);

// DeviceCapacity describes a quantity associated with a device.
struct CAPSTAN_EXPORT DeviceCapacity {
  // Value defines how much of a certain capacity that device has.
  // This field reflects the fixed total capacity and does not change. The consumed amount is
  // tracked separately by scheduler and does not affect this value.
  Quantity value = {};
  // RequestPolicy defines how this DeviceCapacity must be consumed when the device is allowed to be
  // shared by multiple allocations.
  // The Device must have allowMultipleAllocations set to true in order to set a requestPolicy.
  // If unset, capacity requests are unconstrained: requests can consume any amount of capacity, as
  // long as the total consumed across all allocations does not exceed the device's defined
  // capacity. If request is also unset, default is the full capacity value.
  Boxed<CapacityRequestPolicy> request_policy = {};
};
CAPSTAN_EXPORT bool operator==(const DeviceCapacity& a, const DeviceCapacity& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DeviceCapacity*);

// Counter describes a quantity associated with a device.
struct CAPSTAN_EXPORT Counter {
  // Value defines how much of a certain device counter is available.
  Quantity value = {};
};
CAPSTAN_EXPORT bool operator==(const Counter& a, const Counter& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const Counter*);

// DeviceCounterConsumption defines a set of counters that a device will consume from a CounterSet.
struct CAPSTAN_EXPORT DeviceCounterConsumption {
  // CounterSet is the name of the set from which the counters defined will be consumed.
  std::string counter_set = {};
  // Counters defines the counters that will be consumed by the device.
  // The maximum number of counters is 32.
  std::map<std::string, Counter> counters = {};
  // CompatibilityGroups is a list of opaque group names for this counter set consumption.
  // Devices that consume counters from the same counter set may only be allocated at the same time
  // ("co-allocated") if they all share at least one common group: the intersection of the
  // CompatibilityGroups of all co-allocated devices on that counter set must be non-empty. Devices
  // that consume from different counter sets are never compared via this field.
  // An unset field, an explicit nil, and an empty list are equivalent and mean "no groups": such a
  // device is only co-allocatable with sibling devices on the same counter set that also have no
  // groups, and is never co-allocatable with a device that declares one or more groups.
  // Group names are opaque and meaningful only within the publishing driver's pool.
  // The maximum number of groups is 2, and the names must be unique.
  std::vector<std::string> compatibility_groups = {};
};
CAPSTAN_EXPORT bool operator==(const DeviceCounterConsumption& a,
                               const DeviceCounterConsumption& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DeviceCounterConsumption*);

// NodeAllocatableMapping defines how a DRA allocation directly translates into a node allocatable
// resource quantity. The mapping can be derived from either the count of allocated devices (via
// deviceMultiplier) or the specific capacity consumed (via capacityKey and capacityMultiplier).
// These options are mutually exclusive. Kubelet adds this mapped resource quantity from claim to
// both requests and limits at the pod-level cgroup, and to limits at the container-level cgroup for
// each container referencing the claim.
struct CAPSTAN_EXPORT NodeAllocatableMapping {
  // CapacityKey references a capacity name defined as a key in the `spec.devices[*].capacity` map.
  // When this field is set, the value associated with this key in the
  // `status.allocation.devices.results[*].consumedCapacity` map (for a specific claim allocation)
  // determines the base quantity for the node allocatable resource. `capacityMultiplier` must also
  // be set and is multiplied with the base quantity. For example, if `spec.devices[*].capacity` has
  // an entry "dra.example.com/memory": "128Gi", and this field is set to "dra.example.com/memory",
  // then for a claim allocation that consumes { "dra.example.com/memory": "4Gi" } the base quantity
  // for the node allocatable resource mapping will be "4Gi". The final node allocatable resource
  // amount is `consumedCapacity[capacityKey]` * `capacityMultiplier`.
  std::optional<std::string> capacity_key = {};
  // CapacityMultiplier is used as a multiplier for the allocated capacity consumed. It is only
  // valid if `capacityKey` is set. The final node allocatable resource amount is
  // `consumedCapacity[capacityKey]` * `capacityMultiplier`. For example, if a Device's capacity
  // "dra.example.com/cores" is consumed, and each "core" provides 2 "cpu"s, the mapping would be:
  // {ResourceName: "cpu", capacityKey: "dra.example.com/cores", capacityMultiplier: "2"}. If a
  // claim consumes 8 "dra.example.com/cores", the CPU footprint is 8 * 2 = 16.
  std::optional<Quantity> capacity_multiplier = {};
  // DeviceMultiplier is used as a multiplier for the allocated device count in the claim. The final
  // node allocatable resource amount is `deviceCount` * `deviceMultiplier`. For example, a DRA
  // driver representing each cache complex (CCX) as a device would have {ResourceName: "cpu",
  // deviceMultiplier: "8"} in its `nodeAllocatableResources`. If 2 devices (CCX) are allocated to
  // the claim, 2 * 8 = 16 CPUs would be considered as allocated. It is only valid when
  // `capacityKey` and `capacityMultiplier` are not set.
  std::optional<Quantity> device_multiplier = {};
};
CAPSTAN_EXPORT bool operator==(const NodeAllocatableMapping& a, const NodeAllocatableMapping& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const NodeAllocatableMapping*);

// NodeAllocatableOverhead defines auxiliary resource overheads incurred when allocating a device.
// Overheads can be specified as a fixed cost per pod referencing the claim, a variable cost per
// container reference, or both. Kubelet accounts for this overhead by adding it to both the
// pod-level and container-level cgroups of referencing containers.
struct CAPSTAN_EXPORT NodeAllocatableOverhead {
  // PerPod is overhead applied once per pod referencing the claim on this node. This is a flat
  // overhead incurred for every pod referencing the claim.
  std::optional<Quantity> per_pod = {};
  // PerContainer is applied per container reference to the claim. This models overhead scaling
  // linearly with the number of containers actively using the device. When both PerPod and
  // PerContainer are specified, the total overhead allocated for each pod referencing the claim is
  // computed as: Quantity = PerPod + (PerContainer * NumReferences) Kubelet accounts for this
  // overhead in cgroups:
  // - Pod-level cgroup (requests and limits): Kubelet adds PerPod + (PerContainer * NumReferences).
  // - Container-level cgroup (limits only): Kubelet adds PerPod + PerContainer for each referencing
  // container. This allows any single container to access the pod-level overhead, while the parent
  // cgroup caps the total usage to account for PerPod exactly once.
  std::optional<Quantity> per_container = {};
};
CAPSTAN_EXPORT bool operator==(const NodeAllocatableOverhead& a, const NodeAllocatableOverhead& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const NodeAllocatableOverhead*);

// NodeAllocatableResource defines the translation between the DRA device/capacity units requested
// to the corresponding quantity of the node allocatable resource. At least one of Mapping or
// Overhead must be specified. Not specifying either is an invalid configuration.
struct CAPSTAN_EXPORT NodeAllocatableResource {
  // Mapping is used when the device directly models a node allocatable resource like standard CPU
  // or memory (e.g., with a CPU DRA driver). The calculated quantity is accounted for exactly once
  // per claim instance on the node. To prevent node cgroup isolation friction, the scheduler
  // explicitly blocks sharing mapped device claims across multiple pods.
  Boxed<NodeAllocatableMapping> mapping = {};
  // Overhead contains fields for modeling auxiliary overhead incurred on node allocatable resources
  // when allocating devices that are not themselves modeling a node allocatable resource (e.g.,
  // host memory overhead for GPUs). Sharing overhead-mapped claims across multiple pods is allowed.
  // The node allocatable overhead is accounted for individually for each pod referencing the claim.
  // Overhead is always subtracted from the node's allocatable capacity for the resource, even when
  // mapping is specified for the same resource. Eg: If a device models memory capacity per socket
  // as a consumable capacity pool via Mapping (with CapacityKey), any overhead specified for the
  // same resource will be subtracted from the node's general allocatable capacity and not from the
  // per-socket capacity pool in Mapping.
  Boxed<NodeAllocatableOverhead> overhead = {};
};
CAPSTAN_EXPORT bool operator==(const NodeAllocatableResource& a, const NodeAllocatableResource& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const NodeAllocatableResource*);

// Device represents one individual hardware instance that can be selected based on its attributes.
// Besides the name, exactly one field must be set.
struct CAPSTAN_EXPORT Device {
  // Name is unique identifier among all devices managed by the driver in the pool. It must be a DNS
  // label.
  std::string name = {};
  // Attributes defines the set of attributes for this device. The name of each attribute must be
  // unique in that set.
  // The maximum number of attributes and capacities combined is 32.
  std::map<std::string, DeviceAttribute> attributes = {};
  // Capacity defines the set of capacities for this device. The name of each capacity must be
  // unique in that set.
  // The maximum number of attributes and capacities combined is 32.
  std::map<std::string, DeviceCapacity> capacity = {};
  // ConsumesCounters defines a list of references to sharedCounters and the set of counters that
  // the device will consume from those counter sets.
  // There can only be a single entry per counterSet.
  // The maximum number of device counter consumptions per device is 2.
  List<DeviceCounterConsumption> consumes_counters = {};
  // NodeName identifies the node where the device is available.
  // Must only be set if Spec.PerDeviceNodeSelection is set to true. At most one of NodeName,
  // NodeSelector and AllNodes can be set.
  std::optional<std::string> node_name = {};
  // NodeSelector defines the nodes where the device is available.
  // Must use exactly one term.
  // Must only be set if Spec.PerDeviceNodeSelection is set to true. At most one of NodeName,
  // NodeSelector and AllNodes can be set.
  Boxed<core::v1::NodeSelector> node_selector = {};
  // AllNodes indicates that all nodes have access to the device.
  // Must only be set if Spec.PerDeviceNodeSelection is set to true. At most one of NodeName,
  // NodeSelector and AllNodes can be set.
  std::optional<bool> all_nodes = {};
  // If specified, these are the driver-defined taints.
  // The maximum number of taints is 16. If taints are set for any device in a ResourceSlice, then
  // the maximum number of allowed devices per ResourceSlice is 64 instead of 128.
  // This is a beta field and requires enabling the DRADeviceTaints feature gate.
  List<DeviceTaint> taints = {};
  // BindsToNode indicates if the usage of an allocation involving this device has to be limited to
  // exactly the node that was chosen when allocating the claim. If set to true, the scheduler will
  // set the ResourceClaim.Status.Allocation.NodeSelector to match the node where the allocation was
  // made.
  // This is a beta field and requires enabling the DRADeviceBindingConditions and
  // DRAResourceClaimDeviceStatus feature gates.
  std::optional<bool> binds_to_node = {};
  // BindingConditions defines the conditions for proceeding with binding. All of these conditions
  // must be set in the per-device status conditions with a value of True to proceed with binding
  // the pod to the node while scheduling the pod.
  // The maximum number of binding conditions is 4.
  // The conditions must be a valid condition type string.
  // This is a beta field and requires enabling the DRADeviceBindingConditions and
  // DRAResourceClaimDeviceStatus feature gates.
  std::vector<std::string> binding_conditions = {};
  // BindingFailureConditions defines the conditions for binding failure. They may be set in the
  // per-device status conditions. If any is set to "True", a binding failure occurred.
  // The maximum number of binding failure conditions is 4.
  // The conditions must be a valid condition type string.
  // This is a beta field and requires enabling the DRADeviceBindingConditions and
  // DRAResourceClaimDeviceStatus feature gates.
  std::vector<std::string> binding_failure_conditions = {};
  // AllowMultipleAllocations marks whether the device is allowed to be allocated to multiple
  // DeviceRequests.
  // If AllowMultipleAllocations is set to true, the device can be allocated more than once, and all
  // of its capacity is consumable, regardless of whether the requestPolicy is defined or not.
  std::optional<bool> allow_multiple_allocations = {};
  // NodeAllocatableResources defines the mapping of node resources that are managed by the DRA
  // driver exposing this device. This includes resources currently reported in v1.Node
  // `status.allocatable` that are not extended resources (see
  // https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#extended-resources).
  // Examples include "cpu", "memory", "ephemeral-storage", and hugepages. In addition to standard
  // requests made through the Pod `spec`, these resources can also be requested through claims and
  // allocated by the DRA driver. For example, a CPU DRA driver might allocate exclusive CPUs or
  // auxiliary node memory dependencies of an accelerator device. The keys of this map are the
  // node-allocatable resource names (e.g., "cpu", "memory"). Extended resource names are not
  // permitted as keys.
  std::map<std::string, NodeAllocatableResource> node_allocatable_resources = {};
};
CAPSTAN_EXPORT bool operator==(const Device& a, const Device& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const Device*);

// CounterSet defines a named set of counters that are available to be used by devices defined in
// the ResourcePool.
// The counters are not allocatable by themselves, but can be referenced by devices. When a device
// is allocated, the portion of counters it uses will no longer be available for use by other
// devices.
struct CAPSTAN_EXPORT CounterSet {
  // Name defines the name of the counter set. It must be a DNS label.
  std::string name = {};
  // Counters defines the set of counters for this CounterSet The name of each counter must be
  // unique in that set and must be a DNS label.
  // The maximum number of counters is 32.
  std::map<std::string, Counter> counters = {};
};
CAPSTAN_EXPORT bool operator==(const CounterSet& a, const CounterSet& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const CounterSet*);

// ResourceSliceSpec contains the information published by the driver in one ResourceSlice.
struct CAPSTAN_EXPORT ResourceSliceSpec {
  // Driver identifies the DRA driver providing the capacity information. A field selector can be
  // used to list only ResourceSlice objects with a certain driver name.
  // Must be a DNS subdomain and should end with a DNS domain owned by the vendor of the driver. It
  // should use only lower case characters. This field is immutable.
  std::string driver = {};
  // Pool describes the pool that this ResourceSlice belongs to.
  ResourcePool pool = {};
  // NodeName identifies the node which provides the resources in this pool. A field selector can be
  // used to list only ResourceSlice objects belonging to a certain node.
  // This field can be used to limit access from nodes to ResourceSlices with the same node name. It
  // also indicates to autoscalers that adding new nodes of the same type as some old node might
  // also make new resources available.
  // Exactly one of NodeName, NodeSelector, AllNodes, and PerDeviceNodeSelection must be set. This
  // field is immutable.
  std::optional<std::string> node_name = {};
  // NodeSelector defines which nodes have access to the resources in the pool, when that pool is
  // not limited to a single node.
  // Must use exactly one term.
  // Exactly one of NodeName, NodeSelector, AllNodes, and PerDeviceNodeSelection must be set.
  Boxed<core::v1::NodeSelector> node_selector = {};
  // AllNodes indicates that all nodes have access to the resources in the pool.
  // Exactly one of NodeName, NodeSelector, AllNodes, and PerDeviceNodeSelection must be set.
  std::optional<bool> all_nodes = {};
  // Devices lists some or all of the devices in this pool.
  // Must not have more than 128 entries. If any device uses taints or consumes counters the limit
  // is 64.
  // Only one of Devices and SharedCounters can be set in a ResourceSlice.
  List<Device> devices = {};
  // PerDeviceNodeSelection defines whether the access from nodes to resources in the pool is set on
  // the ResourceSlice level or on each device. If it is set to true, every device defined the
  // ResourceSlice must specify this individually.
  // Exactly one of NodeName, NodeSelector, AllNodes, and PerDeviceNodeSelection must be set.
  std::optional<bool> per_device_node_selection = {};
  // SharedCounters defines a list of counter sets, each of which has a name and a list of counters
  // available.
  // The names of the counter sets must be unique in the ResourcePool.
  // Only one of Devices and SharedCounters can be set in a ResourceSlice.
  // The maximum number of counter sets is 8.
  List<CounterSet> shared_counters = {};
  // PartitionTypeAttribute names a string device attribute (by fully qualified name, e.g.
  // "gpu.example.com/profile") whose value labels each device with its partition type, such as
  // "Full" or "Half" for a MIG-style GPU.
  // When set, every partitionable device in the slice must carry the attribute and devices sharing
  // a value must share the same ConsumesCounters cost.
  std::optional<std::string> partition_type_attribute = {};
  // SkipNodeOperations lists node-local resource operations (gRPC calls) that will be skipped for
  // the devices in this slice when determining whether operations are necessary on the node. If all
  // allocated devices for a driver in a claim skip an operation, that gRPC call will be skipped.
  // Valid values are:
  // - "NodePrepareResources": NodePrepareResources gRPC calls are skipped. This
  // value cannot be specified unless "NodeUnprepareResources" is also listed
  // (or "*" is specified).
  // - "NodeUnprepareResources": NodeUnprepareResources gRPC calls are skipped.
  // - "*": All node-local resource operations are skipped.
  // Other values may be added in the future. The kubelet must ignore unknown values.
  std::vector<std::string> skip_node_operations = {};
};
CAPSTAN_EXPORT bool operator==(const ResourceSliceSpec& a, const ResourceSliceSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ResourceSliceSpec*);

// ResourceSlice represents one or more resources in a pool of similar resources, managed by a
// common driver. A pool may span more than one ResourceSlice, and exactly how many ResourceSlices
// comprise a pool is determined by the driver.
// At the moment, the only supported resources are devices with attributes and capacities. Each
// device in a given pool, regardless of how many ResourceSlices, must have a unique name. The
// ResourceSlice in which a device gets published may change over time. The unique identifier for a
// device is the tuple <driver name>, <pool name>, <device name>.
// Whenever a driver needs to update a pool, it increments the pool.Spec.Pool.Generation number and
// updates all ResourceSlices with that new number and new resource definitions. A consumer must
// only use ResourceSlices with the highest generation number and ignore all others.
// When allocating all resources in a pool matching certain criteria or when looking for the best
// solution among several different alternatives, a consumer should check the number of
// ResourceSlices in a pool (included in each ResourceSlice) to determine whether its view of a pool
// is complete and if not, should wait until the driver has completed updating the pool.
// For resources that are not local to a node, the node name is not set. Instead, the driver may use
// a node selector to specify where the devices are available.
// This is an alpha type and requires enabling the DynamicResourceAllocation feature gate.
struct CAPSTAN_EXPORT ResourceSlice {
  // Standard object metadata
  ObjectMeta metadata = {};
  // Contains the information published by the driver.
  // Changing the spec automatically increments the metadata.generation number.
  ResourceSliceSpec spec = {};
};
CAPSTAN_EXPORT bool operator==(const ResourceSlice& a, const ResourceSlice& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ResourceSlice*);

}  // namespace capstan::api::resource::v1beta2

extern template class capstan::Boxed<capstan::api::resource::v1beta2::CapacityRequestPolicyRange>;
extern template class capstan::Boxed<capstan::api::resource::v1beta2::CapacityRequestPolicy>;
extern template class capstan::List<capstan::api::resource::v1beta2::DeviceCounterConsumption>;
extern template class capstan::Boxed<capstan::api::resource::v1beta2::NodeAllocatableMapping>;
extern template class capstan::Boxed<capstan::api::resource::v1beta2::NodeAllocatableOverhead>;
extern template class capstan::List<capstan::api::resource::v1beta2::Device>;
extern template class capstan::List<capstan::api::resource::v1beta2::CounterSet>;

template <>
inline constexpr auto capstan::kKind<capstan::api::resource::v1beta2::ResourceSlice> =
    capstan::Kind("resource.k8s.io", "v1beta2", "ResourceSlice", "resourceslices")
        .ClusterScoped()
        .Whole()
        .Spec();
