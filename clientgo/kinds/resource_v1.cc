// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2.
#include "capstan/api/resource/v1/device_class.h"
#include "capstan/api/resource/v1/device_selector.h"
#include "capstan/api/resource/v1/device_taint.h"
#include "capstan/api/resource/v1/device_taint_rule.h"
#include "capstan/api/resource/v1/device_toleration.h"
#include "capstan/api/resource/v1/opaque_device_configuration.h"
#include "capstan/api/resource/v1/resource_claim.h"
#include "capstan/api/resource/v1/resource_claim_spec.h"
#include "capstan/api/resource/v1/resource_claim_template.h"
#include "capstan/api/resource/v1/resource_slice.h"
#include "capstan/generated.h"

// clang-format off
namespace capstan::api::resource::v1 {

CAPSTAN_LAYOUT(DeviceClassConfiguration,
    CAPSTAN_FIELD(DeviceClassConfiguration, "opaque", opaque))

CAPSTAN_LAYOUT(DeviceClassSpec,
    CAPSTAN_FIELD(DeviceClassSpec, "selectors", selectors),
    CAPSTAN_FIELD(DeviceClassSpec, "config", config),
    CAPSTAN_FIELD(DeviceClassSpec, "extendedResourceName", extended_resource_name))

CAPSTAN_LAYOUT(DeviceClass,
    CAPSTAN_PART(DeviceClass, "metadata", metadata, kMetadata),
    CAPSTAN_PART(DeviceClass, "spec", spec, kSpec))

CAPSTAN_LAYOUT(CELDeviceSelector,
    CAPSTAN_REQUIRED(CELDeviceSelector, "expression", expression))

CAPSTAN_LAYOUT(DeviceSelector,
    CAPSTAN_FIELD(DeviceSelector, "cel", cel))

CAPSTAN_LAYOUT(DeviceTaint,
    CAPSTAN_REQUIRED(DeviceTaint, "key", key),
    CAPSTAN_FIELD(DeviceTaint, "value", value),
    CAPSTAN_REQUIRED(DeviceTaint, "effect", effect),
    CAPSTAN_FIELD(DeviceTaint, "timeAdded", time_added))

CAPSTAN_LAYOUT(DeviceTaintSelector,
    CAPSTAN_FIELD(DeviceTaintSelector, "driver", driver),
    CAPSTAN_FIELD(DeviceTaintSelector, "pool", pool),
    CAPSTAN_FIELD(DeviceTaintSelector, "device", device))

CAPSTAN_LAYOUT(DeviceTaintRuleSpec,
    CAPSTAN_FIELD(DeviceTaintRuleSpec, "deviceSelector", device_selector),
    CAPSTAN_FIELD(DeviceTaintRuleSpec, "taint", taint))

CAPSTAN_LAYOUT(DeviceTaintRuleStatus,
    CAPSTAN_FIELD(DeviceTaintRuleStatus, "conditions", conditions))

CAPSTAN_LAYOUT(DeviceTaintRule,
    CAPSTAN_PART(DeviceTaintRule, "metadata", metadata, kMetadata),
    CAPSTAN_PART(DeviceTaintRule, "spec", spec, kSpec),
    CAPSTAN_PART(DeviceTaintRule, "status", status, kStatus))

CAPSTAN_LAYOUT(DeviceToleration,
    CAPSTAN_FIELD(DeviceToleration, "key", key),
    CAPSTAN_FIELD(DeviceToleration, "operator", operator_),
    CAPSTAN_FIELD(DeviceToleration, "value", value),
    CAPSTAN_FIELD(DeviceToleration, "effect", effect),
    CAPSTAN_FIELD(DeviceToleration, "tolerationSeconds", toleration_seconds))

CAPSTAN_LAYOUT(OpaqueDeviceConfiguration,
    CAPSTAN_REQUIRED(OpaqueDeviceConfiguration, "driver", driver),
    CAPSTAN_REQUIRED(OpaqueDeviceConfiguration, "parameters", parameters))

CAPSTAN_LAYOUT(DeviceRequestAllocationResult,
    CAPSTAN_REQUIRED(DeviceRequestAllocationResult, "request", request),
    CAPSTAN_REQUIRED(DeviceRequestAllocationResult, "driver", driver),
    CAPSTAN_REQUIRED(DeviceRequestAllocationResult, "pool", pool),
    CAPSTAN_REQUIRED(DeviceRequestAllocationResult, "device", device),
    CAPSTAN_FIELD(DeviceRequestAllocationResult, "adminAccess", admin_access),
    CAPSTAN_FIELD(DeviceRequestAllocationResult, "tolerations", tolerations),
    CAPSTAN_FIELD(DeviceRequestAllocationResult, "bindingConditions", binding_conditions),
    CAPSTAN_FIELD(DeviceRequestAllocationResult, "bindingFailureConditions", binding_failure_conditions),
    CAPSTAN_FIELD(DeviceRequestAllocationResult, "shareID", share_id),
    CAPSTAN_FIELD(DeviceRequestAllocationResult, "consumedCapacity", consumed_capacity),
    CAPSTAN_FIELD(DeviceRequestAllocationResult, "skipNodeOperations", skip_node_operations))

CAPSTAN_LAYOUT(DeviceAllocationConfiguration,
    CAPSTAN_REQUIRED(DeviceAllocationConfiguration, "source", source),
    CAPSTAN_FIELD(DeviceAllocationConfiguration, "requests", requests),
    CAPSTAN_FIELD(DeviceAllocationConfiguration, "opaque", opaque))

CAPSTAN_LAYOUT(DeviceAllocationResult,
    CAPSTAN_FIELD(DeviceAllocationResult, "results", results),
    CAPSTAN_FIELD(DeviceAllocationResult, "config", config))

CAPSTAN_LAYOUT(AllocationResult,
    CAPSTAN_FIELD(AllocationResult, "devices", devices),
    CAPSTAN_FIELD(AllocationResult, "nodeSelector", node_selector),
    CAPSTAN_FIELD(AllocationResult, "allocationTimestamp", allocation_timestamp))

CAPSTAN_LAYOUT(ResourceClaimConsumerReference,
    CAPSTAN_FIELD(ResourceClaimConsumerReference, "apiGroup", api_group),
    CAPSTAN_REQUIRED(ResourceClaimConsumerReference, "resource", resource),
    CAPSTAN_REQUIRED(ResourceClaimConsumerReference, "name", name),
    CAPSTAN_REQUIRED(ResourceClaimConsumerReference, "uid", uid))

CAPSTAN_LAYOUT(NetworkDeviceData,
    CAPSTAN_FIELD(NetworkDeviceData, "interfaceName", interface_name),
    CAPSTAN_FIELD(NetworkDeviceData, "ips", ips),
    CAPSTAN_FIELD(NetworkDeviceData, "hardwareAddress", hardware_address))

CAPSTAN_LAYOUT(AllocatedDeviceStatus,
    CAPSTAN_REQUIRED(AllocatedDeviceStatus, "driver", driver),
    CAPSTAN_REQUIRED(AllocatedDeviceStatus, "pool", pool),
    CAPSTAN_REQUIRED(AllocatedDeviceStatus, "device", device),
    CAPSTAN_FIELD(AllocatedDeviceStatus, "shareID", share_id),
    CAPSTAN_REQUIRED(AllocatedDeviceStatus, "conditions", conditions),
    CAPSTAN_FIELD(AllocatedDeviceStatus, "data", data),
    CAPSTAN_FIELD(AllocatedDeviceStatus, "networkData", network_data))

CAPSTAN_LAYOUT(ResourceClaimStatus,
    CAPSTAN_FIELD(ResourceClaimStatus, "allocation", allocation),
    CAPSTAN_FIELD(ResourceClaimStatus, "reservedFor", reserved_for),
    CAPSTAN_FIELD(ResourceClaimStatus, "devices", devices))

CAPSTAN_LAYOUT(ResourceClaim,
    CAPSTAN_PART(ResourceClaim, "metadata", metadata, kMetadata),
    CAPSTAN_PART(ResourceClaim, "spec", spec, kSpec),
    CAPSTAN_PART(ResourceClaim, "status", status, kStatus))

CAPSTAN_LAYOUT(CapacityRequirements,
    CAPSTAN_FIELD(CapacityRequirements, "requests", requests))

CAPSTAN_LAYOUT(DeviceDerivedAttribute,
    CAPSTAN_REQUIRED(DeviceDerivedAttribute, "name", name),
    CAPSTAN_REQUIRED(DeviceDerivedAttribute, "expression", expression))

CAPSTAN_LAYOUT(ExactDeviceRequest,
    CAPSTAN_REQUIRED(ExactDeviceRequest, "deviceClassName", device_class_name),
    CAPSTAN_FIELD(ExactDeviceRequest, "selectors", selectors),
    CAPSTAN_FIELD(ExactDeviceRequest, "allocationMode", allocation_mode),
    CAPSTAN_NUMBER(ExactDeviceRequest, "count", count),
    CAPSTAN_FIELD(ExactDeviceRequest, "adminAccess", admin_access),
    CAPSTAN_FIELD(ExactDeviceRequest, "tolerations", tolerations),
    CAPSTAN_FIELD(ExactDeviceRequest, "capacity", capacity),
    CAPSTAN_FIELD(ExactDeviceRequest, "derivedAttributes", derived_attributes))

CAPSTAN_LAYOUT(DeviceSubRequest,
    CAPSTAN_REQUIRED(DeviceSubRequest, "name", name),
    CAPSTAN_REQUIRED(DeviceSubRequest, "deviceClassName", device_class_name),
    CAPSTAN_FIELD(DeviceSubRequest, "selectors", selectors),
    CAPSTAN_FIELD(DeviceSubRequest, "allocationMode", allocation_mode),
    CAPSTAN_NUMBER(DeviceSubRequest, "count", count),
    CAPSTAN_FIELD(DeviceSubRequest, "tolerations", tolerations),
    CAPSTAN_FIELD(DeviceSubRequest, "capacity", capacity),
    CAPSTAN_FIELD(DeviceSubRequest, "derivedAttributes", derived_attributes))

CAPSTAN_LAYOUT(DeviceRequest,
    CAPSTAN_REQUIRED(DeviceRequest, "name", name),
    CAPSTAN_FIELD(DeviceRequest, "exactly", exactly),
    CAPSTAN_FIELD(DeviceRequest, "firstAvailable", first_available))

CAPSTAN_LAYOUT(DeviceConstraint,
    CAPSTAN_FIELD(DeviceConstraint, "requests", requests),
    CAPSTAN_FIELD(DeviceConstraint, "matchAttribute", match_attribute),
    CAPSTAN_FIELD(DeviceConstraint, "distinctAttribute", distinct_attribute))

CAPSTAN_LAYOUT(DeviceClaimConfiguration,
    CAPSTAN_FIELD(DeviceClaimConfiguration, "requests", requests),
    CAPSTAN_FIELD(DeviceClaimConfiguration, "opaque", opaque))

CAPSTAN_LAYOUT(DeviceClaim,
    CAPSTAN_REQUIRED(DeviceClaim, "requests", requests),
    CAPSTAN_FIELD(DeviceClaim, "constraints", constraints),
    CAPSTAN_FIELD(DeviceClaim, "config", config))

CAPSTAN_LAYOUT(ResourceClaimSpec,
    CAPSTAN_REQUIRED(ResourceClaimSpec, "devices", devices))

CAPSTAN_LAYOUT(ResourceClaimTemplateSpec,
    CAPSTAN_FIELD(ResourceClaimTemplateSpec, "metadata", metadata),
    CAPSTAN_REQUIRED(ResourceClaimTemplateSpec, "spec", spec))

CAPSTAN_LAYOUT(ResourceClaimTemplate,
    CAPSTAN_PART(ResourceClaimTemplate, "metadata", metadata, kMetadata),
    CAPSTAN_PART(ResourceClaimTemplate, "spec", spec, kSpec))

CAPSTAN_LAYOUT(ResourcePool,
    CAPSTAN_REQUIRED(ResourcePool, "name", name),
    CAPSTAN_REQUIRED(ResourcePool, "generation", generation),
    CAPSTAN_REQUIRED(ResourcePool, "resourceSliceCount", resource_slice_count))

CAPSTAN_LAYOUT(DeviceAttribute,
    CAPSTAN_FIELD(DeviceAttribute, "int", int_),
    CAPSTAN_FIELD(DeviceAttribute, "bool", bool_),
    CAPSTAN_FIELD(DeviceAttribute, "string", string),
    CAPSTAN_FIELD(DeviceAttribute, "version", version),
    CAPSTAN_FIELD(DeviceAttribute, "ints", ints),
    CAPSTAN_FIELD(DeviceAttribute, "bools", bools),
    CAPSTAN_FIELD(DeviceAttribute, "strings", strings),
    CAPSTAN_FIELD(DeviceAttribute, "versions", versions))

CAPSTAN_LAYOUT(CapacityRequestPolicyRange,
    CAPSTAN_FIELD(CapacityRequestPolicyRange, "min", min),
    CAPSTAN_FIELD(CapacityRequestPolicyRange, "max", max),
    CAPSTAN_FIELD(CapacityRequestPolicyRange, "step", step))

CAPSTAN_LAYOUT(CapacityRequestPolicy,
    CAPSTAN_REQUIRED(CapacityRequestPolicy, "default", default_),
    CAPSTAN_FIELD(CapacityRequestPolicy, "validValues", valid_values),
    CAPSTAN_FIELD(CapacityRequestPolicy, "validRange", valid_range))

CAPSTAN_LAYOUT(DeviceCapacity,
    CAPSTAN_REQUIRED(DeviceCapacity, "value", value),
    CAPSTAN_FIELD(DeviceCapacity, "requestPolicy", request_policy))

CAPSTAN_LAYOUT(Counter,
    CAPSTAN_REQUIRED(Counter, "value", value))

CAPSTAN_LAYOUT(DeviceCounterConsumption,
    CAPSTAN_REQUIRED(DeviceCounterConsumption, "counterSet", counter_set),
    CAPSTAN_FIELD(DeviceCounterConsumption, "counters", counters),
    CAPSTAN_FIELD(DeviceCounterConsumption, "compatibilityGroups", compatibility_groups))

CAPSTAN_LAYOUT(NodeAllocatableMapping,
    CAPSTAN_FIELD(NodeAllocatableMapping, "capacityKey", capacity_key),
    CAPSTAN_FIELD(NodeAllocatableMapping, "capacityMultiplier", capacity_multiplier),
    CAPSTAN_FIELD(NodeAllocatableMapping, "deviceMultiplier", device_multiplier))

CAPSTAN_LAYOUT(NodeAllocatableOverhead,
    CAPSTAN_FIELD(NodeAllocatableOverhead, "perPod", per_pod),
    CAPSTAN_FIELD(NodeAllocatableOverhead, "perContainer", per_container))

CAPSTAN_LAYOUT(NodeAllocatableResource,
    CAPSTAN_FIELD(NodeAllocatableResource, "mapping", mapping),
    CAPSTAN_FIELD(NodeAllocatableResource, "overhead", overhead))

CAPSTAN_LAYOUT(Device,
    CAPSTAN_REQUIRED(Device, "name", name),
    CAPSTAN_FIELD(Device, "attributes", attributes),
    CAPSTAN_FIELD(Device, "capacity", capacity),
    CAPSTAN_FIELD(Device, "consumesCounters", consumes_counters),
    CAPSTAN_FIELD(Device, "nodeName", node_name),
    CAPSTAN_FIELD(Device, "nodeSelector", node_selector),
    CAPSTAN_FIELD(Device, "allNodes", all_nodes),
    CAPSTAN_FIELD(Device, "taints", taints),
    CAPSTAN_FIELD(Device, "bindsToNode", binds_to_node),
    CAPSTAN_FIELD(Device, "bindingConditions", binding_conditions),
    CAPSTAN_FIELD(Device, "bindingFailureConditions", binding_failure_conditions),
    CAPSTAN_FIELD(Device, "allowMultipleAllocations", allow_multiple_allocations),
    CAPSTAN_FIELD(Device, "nodeAllocatableResources", node_allocatable_resources))

CAPSTAN_LAYOUT(CounterSet,
    CAPSTAN_REQUIRED(CounterSet, "name", name),
    CAPSTAN_FIELD(CounterSet, "counters", counters))

CAPSTAN_LAYOUT(ResourceSliceSpec,
    CAPSTAN_REQUIRED(ResourceSliceSpec, "driver", driver),
    CAPSTAN_REQUIRED(ResourceSliceSpec, "pool", pool),
    CAPSTAN_FIELD(ResourceSliceSpec, "nodeName", node_name),
    CAPSTAN_FIELD(ResourceSliceSpec, "nodeSelector", node_selector),
    CAPSTAN_FIELD(ResourceSliceSpec, "allNodes", all_nodes),
    CAPSTAN_FIELD(ResourceSliceSpec, "devices", devices),
    CAPSTAN_FIELD(ResourceSliceSpec, "perDeviceNodeSelection", per_device_node_selection),
    CAPSTAN_FIELD(ResourceSliceSpec, "sharedCounters", shared_counters),
    CAPSTAN_FIELD(ResourceSliceSpec, "partitionTypeAttribute", partition_type_attribute),
    CAPSTAN_FIELD(ResourceSliceSpec, "skipNodeOperations", skip_node_operations))

CAPSTAN_LAYOUT(ResourceSlice,
    CAPSTAN_PART(ResourceSlice, "metadata", metadata, kMetadata),
    CAPSTAN_PART(ResourceSlice, "spec", spec, kSpec))

}  // namespace capstan::api::resource::v1

template class capstan::List<capstan::api::resource::v1::DeviceClassConfiguration>;
template class capstan::Boxed<capstan::api::resource::v1::CELDeviceSelector>;
template class capstan::List<capstan::api::resource::v1::DeviceSelector>;
template class capstan::List<capstan::api::resource::v1::DeviceTaint>;
template class capstan::Boxed<capstan::api::resource::v1::DeviceTaintSelector>;
template class capstan::List<capstan::api::resource::v1::DeviceToleration>;
template class capstan::Boxed<capstan::api::resource::v1::OpaqueDeviceConfiguration>;
template class capstan::List<capstan::api::resource::v1::DeviceRequestAllocationResult>;
template class capstan::List<capstan::api::resource::v1::DeviceAllocationConfiguration>;
template class capstan::Boxed<capstan::api::resource::v1::AllocationResult>;
template class capstan::List<capstan::api::resource::v1::ResourceClaimConsumerReference>;
template class capstan::Boxed<capstan::api::resource::v1::NetworkDeviceData>;
template class capstan::List<capstan::api::resource::v1::AllocatedDeviceStatus>;
template class capstan::Boxed<capstan::api::resource::v1::CapacityRequirements>;
template class capstan::List<capstan::api::resource::v1::DeviceDerivedAttribute>;
template class capstan::Boxed<capstan::api::resource::v1::ExactDeviceRequest>;
template class capstan::List<capstan::api::resource::v1::DeviceSubRequest>;
template class capstan::List<capstan::api::resource::v1::DeviceRequest>;
template class capstan::List<capstan::api::resource::v1::DeviceConstraint>;
template class capstan::List<capstan::api::resource::v1::DeviceClaimConfiguration>;
template class capstan::Boxed<capstan::api::resource::v1::CapacityRequestPolicyRange>;
template class capstan::Boxed<capstan::api::resource::v1::CapacityRequestPolicy>;
template class capstan::List<capstan::api::resource::v1::DeviceCounterConsumption>;
template class capstan::Boxed<capstan::api::resource::v1::NodeAllocatableMapping>;
template class capstan::Boxed<capstan::api::resource::v1::NodeAllocatableOverhead>;
template class capstan::List<capstan::api::resource::v1::Device>;
template class capstan::List<capstan::api::resource::v1::CounterSet>;
