// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "capstan/api/resource/v1/device_selector.h"
#include "capstan/api/resource/v1/device_toleration.h"
#include "capstan/api/resource/v1/opaque_device_configuration.h"
#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/list.h"
#include "capstan/quantity.h"

namespace capstan::api::resource::v1 {

// CapacityRequirements defines the capacity requirements for a specific device request.
struct CAPSTAN_EXPORT CapacityRequirements {
  // Requests represent individual device resource requests for distinct resources, all of which
  // must be provided by the device.
  // This value is used as an additional filtering condition against the available capacity on the
  // device. This is semantically equivalent to a CEL selector with
  // `device.capacity[<domain>].<name>.compareTo(quantity(<request quantity>)) >= 0`. For example,
  // device.capacity['test-driver.cdi.k8s.io'].counters.compareTo(quantity('2')) >= 0.
  // When a requestPolicy is defined, the requested amount is adjusted upward to the nearest valid
  // value based on the policy. If the requested amount cannot be adjusted to a valid value—because
  // it exceeds what the requestPolicy allows— the device is considered ineligible for allocation.
  // For any capacity that is not explicitly requested:
  // - If no requestPolicy is set, the default consumed capacity is equal to the full device
  // capacity
  // (i.e., the whole device is claimed).
  // - If a requestPolicy is set, the default consumed capacity is determined according to that
  // policy.
  // If the device allows multiple allocation, the aggregated amount across all requests must not
  // exceed the capacity value. The consumed capacity, which may be adjusted based on the
  // requestPolicy if defined, is recorded in the resource claim’s
  // status.devices[*].consumedCapacity field.
  std::map<std::string, Quantity> requests = {};
};
CAPSTAN_EXPORT bool operator==(const CapacityRequirements& a, const CapacityRequirements& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const CapacityRequirements*);

// DeviceDerivedAttribute defines a derived attribute computed via CEL.
struct CAPSTAN_EXPORT DeviceDerivedAttribute {
  // Name is the identifier for this derived attribute, used in constraints.
  // It must be a DNS subdomain followed by a slash ("/") followed by a C identifier (e.g.
  // "example.com/numaNode" or "derived/numaNode").
  // If the chosen name matches an existing physical attribute from a driver, the derived
  // attribute's expression will shadow the physical attribute, and its evaluated value will be used
  // in constraints instead. When the goal is to define a derived attribute that is only used within
  // the ResourceClaim and not meant to shadow an existing attribute, use a domain prefix that no
  // DRA driver should be using (e.g. "derived/myAttribute").
  // It is not valid to define a derived attribute that isn't used in at least one constraint.
  std::string name = {};
  // Expression is a CEL expression evaluated against each candidate device. The expression must
  // evaluate to a primitive scalar (string, integer, boolean, or semver) or a list of these scalars
  // ([]string, []int64, []bool, []semver) to act as a virtual grouping key. Any other return type
  // is an error and causes CEL evaluation for the device to fail.
  // The expression's input is an object named "device", which carries the same properties as in a
  // CELDeviceSelector.
  // When pod scheduling encounters CEL runtime errors (such as looking up an attribute that isn't
  // defined) for some devices, it will abort allocation and fail scheduling for the Pod. Surfacing
  // evaluation errors immediately prevents silent topology matching failures that are extremely
  // hard to detect. A robust expression should, for example, check for the existence of attributes
  // before referencing them to avoid runtime evaluation errors.
  // The expression gets evaluated after a device has passed the other selector expressions for the
  // request in which this expression is used. This allows writing expressions that are tailored
  // towards the specific devices being requested (for example, by assuming the device is from a
  // certain vendor and skipping those checks).
  // The length of the expression must be smaller or equal to 10 Ki. The cost of evaluating it is
  // also limited based on the estimated number of logical steps; the combined cost of all derived
  // attributes in a claim is capped by a shared CEL cost budget.
  std::string expression = {};
};
CAPSTAN_EXPORT bool operator==(const DeviceDerivedAttribute& a, const DeviceDerivedAttribute& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DeviceDerivedAttribute*);

// ExactDeviceRequest is a request for one or more identical devices.
struct CAPSTAN_EXPORT ExactDeviceRequest {
  // DeviceClassName references a specific DeviceClass, which can define additional configuration
  // and selectors to be inherited by this request.
  // A DeviceClassName is required.
  // Administrators may use this to restrict which devices may get requested by only installing
  // classes with selectors for permitted devices. If users are free to request anything without
  // restrictions, then administrators can create an empty DeviceClass for users to reference.
  std::string device_class_name = {};
  // Selectors define criteria which must be satisfied by a specific device in order for that device
  // to be considered for this request. All selectors must be satisfied for a device to be
  // considered.
  List<DeviceSelector> selectors = {};
  // AllocationMode and its related fields define how devices are allocated to satisfy this request.
  // Supported values are:
  // - ExactCount: This request is for a specific number of devices.
  // This is the default. The exact number is provided in the
  // count field.
  // - All: This request is for all of the matching devices in a pool.
  // At least one device must exist on the node for the allocation to succeed.
  // Allocation will fail if some devices are already allocated,
  // unless adminAccess is requested.
  // If AllocationMode is not specified, the default mode is ExactCount. If the mode is ExactCount
  // and count is not specified, the default count is one. Any other requests must specify this
  // field.
  // More modes may get added in the future. Clients must refuse to handle requests with unknown
  // modes.
  std::string allocation_mode = {};
  // Count is used only when the count mode is "ExactCount". Must be greater than zero. If
  // AllocationMode is ExactCount and this field is not specified, the default is one.
  std::int64_t count = {};
  // AdminAccess indicates that this is a claim for administrative access to the device(s). Claims
  // with AdminAccess are expected to be used for monitoring or other management services for a
  // device.  They ignore all ordinary claims to the device with respect to access modes and any
  // resource allocations.
  // Admin access is disabled if this field is unset or set to false, otherwise it is enabled.
  std::optional<bool> admin_access = {};
  // If specified, the request's tolerations.
  // Tolerations for NoSchedule are required to allocate a device which has a taint with that
  // effect. The same applies to NoExecute.
  // In addition, should any of the allocated devices get tainted with NoExecute after allocation
  // and that effect is not tolerated, then all pods consuming the ResourceClaim get deleted to
  // evict them. The scheduler will not let new pods reserve the claim while it has these tainted
  // devices. Once all pods are evicted, the claim will get deallocated.
  // The maximum number of tolerations is 16.
  // This is a beta field and requires enabling the DRADeviceTaints feature gate.
  List<DeviceToleration> tolerations = {};
  // Capacity define resource requirements against each capacity.
  // If this field is unset and the device supports multiple allocations, the default value will be
  // applied to each capacity according to requestPolicy. For the capacity that has no
  // requestPolicy, default is the full capacity value.
  // Applies to each device allocation. If Count > 1, the request fails if there aren't enough
  // devices that meet the requirements. If AllocationMode is set to All, the request fails if there
  // are devices that otherwise match the request, and have this capacity, with a value >= the
  // requested amount, but which cannot be allocated to this request.
  Boxed<CapacityRequirements> capacity = {};
  // DerivedAttributes defines a set of virtual attributes computed via CEL expressions for each
  // candidate device. These virtual attributes can be referenced in `.devices.constraints` to align
  // and match different devices (e.g., co-allocating a GPU and a NIC on the same NUMA node) even if
  // their drivers publish different attributes. Derived attributes are not available via
  // `device.attributes` in the CEL environment when evaluating selector expressions.
  // Derived attributes allow you to extract, transform, or normalize topology information (such as
  // extracting a NUMA index from a complex topology string or renaming a vendor-specific attribute)
  // into a common virtual attribute name at scheduling time. The scheduler then evaluates these
  // virtual attributes exactly like static attributes when matching constraints.
  // Every derived attribute defined in this list must be referenced by at least one MatchAttribute
  // or DistinctAttribute constraint in the `.devices.constraints` list.
  // The maximum number of derived attributes is 32.
  // This is an alpha field and requires enabling the DRADerivedAttributes feature gate.
  List<DeviceDerivedAttribute> derived_attributes = {};
};
CAPSTAN_EXPORT bool operator==(const ExactDeviceRequest& a, const ExactDeviceRequest& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ExactDeviceRequest*);

// DeviceSubRequest describes a request for device provided in the
// claim.spec.devices.requests[].firstAvailable array. Each is typically a request for a single
// resource like a device, but can also ask for several identical devices.
// DeviceSubRequest is similar to ExactDeviceRequest, but doesn't expose the AdminAccess field as
// that one is only supported when requesting a specific device.
struct CAPSTAN_EXPORT DeviceSubRequest {
  // Name can be used to reference this subrequest in the list of constraints or the list of
  // configurations for the claim. References must use the format <main request>/<subrequest>.
  // Must be a DNS label.
  std::string name = {};
  // DeviceClassName references a specific DeviceClass, which can define additional configuration
  // and selectors to be inherited by this subrequest.
  // A class is required. Which classes are available depends on the cluster.
  // Administrators may use this to restrict which devices may get requested by only installing
  // classes with selectors for permitted devices. If users are free to request anything without
  // restrictions, then administrators can create an empty DeviceClass for users to reference.
  std::string device_class_name = {};
  // Selectors define criteria which must be satisfied by a specific device in order for that device
  // to be considered for this subrequest. All selectors must be satisfied for a device to be
  // considered.
  List<DeviceSelector> selectors = {};
  // AllocationMode and its related fields define how devices are allocated to satisfy this
  // subrequest. Supported values are:
  // - ExactCount: This request is for a specific number of devices.
  // This is the default. The exact number is provided in the
  // count field.
  // - All: This subrequest is for all of the matching devices in a pool.
  // Allocation will fail if some devices are already allocated,
  // unless adminAccess is requested.
  // If AllocationMode is not specified, the default mode is ExactCount. If the mode is ExactCount
  // and count is not specified, the default count is one. Any other subrequests must specify this
  // field.
  // More modes may get added in the future. Clients must refuse to handle requests with unknown
  // modes.
  std::string allocation_mode = {};
  // Count is used only when the count mode is "ExactCount". Must be greater than zero. If
  // AllocationMode is ExactCount and this field is not specified, the default is one.
  std::int64_t count = {};
  // If specified, the request's tolerations.
  // Tolerations for NoSchedule are required to allocate a device which has a taint with that
  // effect. The same applies to NoExecute.
  // In addition, should any of the allocated devices get tainted with NoExecute after allocation
  // and that effect is not tolerated, then all pods consuming the ResourceClaim get deleted to
  // evict them. The scheduler will not let new pods reserve the claim while it has these tainted
  // devices. Once all pods are evicted, the claim will get deallocated.
  // The maximum number of tolerations is 16.
  // This is a beta field and requires enabling the DRADeviceTaints feature gate.
  List<DeviceToleration> tolerations = {};
  // Capacity define resource requirements against each capacity.
  // If this field is unset and the device supports multiple allocations, the default value will be
  // applied to each capacity according to requestPolicy. For the capacity that has no
  // requestPolicy, default is the full capacity value.
  // Applies to each device allocation. If Count > 1, the request fails if there aren't enough
  // devices that meet the requirements. If AllocationMode is set to All, the request fails if there
  // are devices that otherwise match the request, and have this capacity, with a value >= the
  // requested amount, but which cannot be allocated to this request.
  Boxed<CapacityRequirements> capacity = {};
  // DerivedAttributes defines a set of virtual attributes computed via CEL expressions for each
  // candidate device. These virtual attributes can be referenced in `.devices.constraints` to align
  // and match different devices (e.g., co-allocating a GPU and a NIC on the same NUMA node) even if
  // their drivers publish different attributes. Derived attributes are not available via
  // `device.attributes` in the CEL environment when evaluating selector expressions.
  // Derived attributes allow you to extract, transform, or normalize topology information (such as
  // extracting a NUMA index from a complex topology string or renaming a vendor-specific attribute)
  // into a common virtual attribute name at scheduling time. The scheduler then evaluates these
  // virtual attributes exactly like static attributes when matching constraints.
  // Every derived attribute defined in this list must be referenced by at least one MatchAttribute
  // or DistinctAttribute constraint in the `.devices.constraints` list.
  // The maximum number of derived attributes is 32.
  // This is an alpha field and requires enabling the DRADerivedAttributes feature gate.
  List<DeviceDerivedAttribute> derived_attributes = {};
};
CAPSTAN_EXPORT bool operator==(const DeviceSubRequest& a, const DeviceSubRequest& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DeviceSubRequest*);

// DeviceRequest is a request for devices required for a claim. This is typically a request for a
// single resource like a device, but can also ask for several identical devices. With
// FirstAvailable it is also possible to provide a prioritized list of requests.
struct CAPSTAN_EXPORT DeviceRequest {
  // Name can be used to reference this request in a pod.spec.containers[].resources.claims entry
  // and in a constraint of the claim.
  // References using the name in the DeviceRequest will uniquely identify a request when the
  // Exactly field is set. When the FirstAvailable field is set, a reference to the name of the
  // DeviceRequest will match whatever subrequest is chosen by the scheduler.
  // Must be a DNS label.
  std::string name = {};
  // Exactly specifies the details for a single request that must be met exactly for the request to
  // be satisfied.
  // One of Exactly or FirstAvailable must be set.
  Boxed<ExactDeviceRequest> exactly = {};
  // FirstAvailable contains subrequests, of which exactly one will be selected by the scheduler. It
  // tries to satisfy them in the order in which they are listed here. So if there are two entries
  // in the list, the scheduler will only check the second one if it determines that the first one
  // can not be used.
  // DRA does not yet implement scoring, so the scheduler will select the first set of devices that
  // satisfies all the requests in the claim. And if the requirements can be satisfied on more than
  // one node, other scheduling features will determine which node is chosen. This means that the
  // set of devices allocated to a claim might not be the optimal set available to the cluster.
  // Scoring will be implemented later.
  List<DeviceSubRequest> first_available = {};
};
CAPSTAN_EXPORT bool operator==(const DeviceRequest& a, const DeviceRequest& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DeviceRequest*);

// DeviceConstraint must have exactly one field set besides Requests.
struct CAPSTAN_EXPORT DeviceConstraint {
  // Requests is a list of the one or more requests in this claim which must co-satisfy this
  // constraint. If a request is fulfilled by multiple devices, then all of the devices must satisfy
  // the constraint. If this is not specified, this constraint applies to all requests in this
  // claim.
  // References to subrequests must include the name of the main request and may include the
  // subrequest using the format <main request>[/<subrequest>]. If just the main request is given,
  // the constraint applies to all subrequests.
  std::vector<std::string> requests = {};
  // MatchAttribute requires that all devices in question have this attribute and that its type and
  // value are the same across those devices.
  // For example, if you specified "dra.example.com/numa" (a hypothetical example!), then only
  // devices in the same NUMA node will be chosen. A device which does not have that attribute will
  // not be chosen. All devices should use a value of the same type for this attribute because that
  // is part of its specification, but if one device doesn't, then it also will not be chosen.
  // When the DRAListTypeAttributes feature gate is enabled, comparison uses set semantics(i.e.,
  // element order and duplicates are ignored): list-valued attributes match when the intersection
  // across all devices is non-empty. Scalar values are treated as single-element lists for backward
  // compatibility.
  // Must include the domain qualifier.
  std::optional<std::string> match_attribute = {};
  // DistinctAttribute requires that all devices in question have this attribute and that its type
  // and value are unique across those devices.
  // When the DRAListTypeAttributes feature gate is enabled, comparison uses set semantics (i.e.,
  // element order and duplicates are ignored): list-valued attributes must be pairwise disjoint
  // across devices. Scalar values are treated as singleton sets for backward compatibility.
  // This acts as the inverse of MatchAttribute.
  // This constraint is used to avoid allocating multiple requests to the same device by ensuring
  // attribute-level differentiation.
  // This is useful for scenarios where resource requests must be fulfilled by separate physical
  // devices. For example, a container requests two network interfaces that must be allocated from
  // two different physical NICs.
  std::optional<std::string> distinct_attribute = {};
};
CAPSTAN_EXPORT bool operator==(const DeviceConstraint& a, const DeviceConstraint& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DeviceConstraint*);

// DeviceClaimConfiguration is used for configuration parameters in DeviceClaim.
struct CAPSTAN_EXPORT DeviceClaimConfiguration {
  // Requests lists the names of requests where the configuration applies. If empty, it applies to
  // all requests.
  // References to subrequests must include the name of the main request and may include the
  // subrequest using the format <main request>[/<subrequest>]. If just the main request is given,
  // the configuration applies to all subrequests.
  std::vector<std::string> requests = {};
  // Opaque provides driver-specific configuration parameters.
  Boxed<OpaqueDeviceConfiguration> opaque = {};
};
CAPSTAN_EXPORT bool operator==(const DeviceClaimConfiguration& a,
                               const DeviceClaimConfiguration& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DeviceClaimConfiguration*);

// DeviceClaim defines how to request devices with a ResourceClaim.
struct CAPSTAN_EXPORT DeviceClaim {
  // Requests represent individual requests for distinct devices which must all be satisfied. If
  // empty, nothing needs to be allocated.
  List<DeviceRequest> requests = {};
  // These constraints must be satisfied by the set of devices that get allocated for the claim.
  List<DeviceConstraint> constraints = {};
  // This field holds configuration for multiple potential drivers which could satisfy requests in
  // this claim. It is ignored while allocating the claim.
  List<DeviceClaimConfiguration> config = {};
};
CAPSTAN_EXPORT bool operator==(const DeviceClaim& a, const DeviceClaim& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DeviceClaim*);

// ResourceClaimSpec defines what is being requested in a ResourceClaim and how to configure it.
struct CAPSTAN_EXPORT ResourceClaimSpec {
  // Devices defines how to request devices.
  DeviceClaim devices = {};
};
CAPSTAN_EXPORT bool operator==(const ResourceClaimSpec& a, const ResourceClaimSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ResourceClaimSpec*);

}  // namespace capstan::api::resource::v1

extern template class capstan::Boxed<capstan::api::resource::v1::CapacityRequirements>;
extern template class capstan::List<capstan::api::resource::v1::DeviceDerivedAttribute>;
extern template class capstan::Boxed<capstan::api::resource::v1::ExactDeviceRequest>;
extern template class capstan::List<capstan::api::resource::v1::DeviceSubRequest>;
extern template class capstan::List<capstan::api::resource::v1::DeviceRequest>;
extern template class capstan::List<capstan::api::resource::v1::DeviceConstraint>;
extern template class capstan::List<capstan::api::resource::v1::DeviceClaimConfiguration>;
