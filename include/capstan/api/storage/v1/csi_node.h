// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
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
#include "capstan/time.h"

namespace capstan::api::storage::v1 {

// VolumeNodeResources is a set of resource limits for scheduling of volumes.
struct CAPSTAN_EXPORT VolumeNodeResources {
  // count indicates the maximum number of unique volumes managed by the CSI driver that can be used
  // on a node. A volume that is both attached and mounted on a node is considered to be used once,
  // not twice. The same rule applies for a unique volume that is shared among multiple pods on the
  // same node. If this field is not specified, then the supported number of volumes on this node is
  // unbounded.
  std::optional<std::int32_t> count = {};
};
CAPSTAN_EXPORT bool operator==(const VolumeNodeResources& a, const VolumeNodeResources& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const VolumeNodeResources*);

// CSINodeDriver holds information about the specification of one CSI driver installed on a node
struct CAPSTAN_EXPORT CSINodeDriver {
  // name represents the name of the CSI driver that this object refers to. This MUST be the same
  // name returned by the CSI GetPluginName() call for that driver.
  std::string name = {};
  // nodeID of the node from the driver point of view. This field enables Kubernetes to communicate
  // with storage systems that do not share the same nomenclature for nodes. For example, Kubernetes
  // may refer to a given node as "node1", but the storage system may refer to the same node as
  // "nodeA". When Kubernetes issues a command to the storage system to attach a volume to a
  // specific node, it can use this field to refer to the node name using the ID that the storage
  // system will understand, e.g. "nodeA" instead of "node1". This field is required.
  std::string node_id = {};
  // topologyKeys is the list of keys supported by the driver. When a driver is initialized on a
  // cluster, it provides a set of topology keys that it understands (e.g. "company.com/zone",
  // "company.com/region"). When a driver is initialized on a node, it provides the same topology
  // keys along with values. Kubelet will expose these topology keys as labels on its own node
  // object. When Kubernetes does topology aware provisioning, it can use this list to determine
  // which labels it should retrieve from the node object and pass back to the driver. It is
  // possible for different nodes to use different topology keys. This can be empty if driver does
  // not support topology.
  std::vector<std::string> topology_keys = {};
  // allocatable represents the volume resources of a node that are available for scheduling. This
  // field is beta.
  Boxed<VolumeNodeResources> allocatable = {};
};
CAPSTAN_EXPORT bool operator==(const CSINodeDriver& a, const CSINodeDriver& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const CSINodeDriver*);

// CSINodeSpec holds information about the specification of all CSI drivers installed on a node
struct CAPSTAN_EXPORT CSINodeSpec {
  // drivers is a list of information of all CSI Drivers existing on a node. If all drivers in the
  // list are uninstalled, this can become empty.
  List<CSINodeDriver> drivers = {};
};
CAPSTAN_EXPORT bool operator==(const CSINodeSpec& a, const CSINodeSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const CSINodeSpec*);

// StorageHealthStatusType describes the health status category of a storage backend.
// StorageUnreachable indicates the storage backend is unreachable.
inline constexpr std::string_view kStorageUnreachable = "StorageUnreachable";
// StorageDegraded indicates the storage backend is functioning with reduced capability.
inline constexpr std::string_view kStorageDegraded = "StorageDegraded";

// StorageHealthCondition represents an adverse health condition reported by a CSI driver for its
// storage backend on a node.
struct CAPSTAN_EXPORT StorageHealthCondition {
  // status is the health status category. One of "StorageUnreachable", "StorageDegraded".
  std::string status = {};
  // reason is a brief CamelCase machine-parseable reason. Maximum permitted length of a reason is
  // 256 characters.
  std::string reason = {};
  // message is a human-readable description. Maximum permitted length of a message is 1024
  // characters.
  std::string message = {};
  // accessMode is the access mode affected. Nil means all access modes are affected.
  std::optional<std::string> access_mode = {};
  // volumeMode is the volume mode affected. Nil means both are affected.
  std::optional<std::string> volume_mode = {};
  // lastTransitionTime is when this condition first appeared at its current state.
  std::optional<Time> last_transition_time = {};
};
CAPSTAN_EXPORT bool operator==(const StorageHealthCondition& a, const StorageHealthCondition& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const StorageHealthCondition*);

// StorageHealth contains storage backend health reported by a CSI driver on a node.
struct CAPSTAN_EXPORT StorageHealth {
  // name is the CSI driver name, matching CSINodeDriver.name.
  std::string name = {};
  // healthConditions are the adverse storage backend conditions reported by the CSI driver. At most
  // 16 conditions may be reported.
  List<StorageHealthCondition> health_conditions = {};
};
CAPSTAN_EXPORT bool operator==(const StorageHealth& a, const StorageHealth& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const StorageHealth*);

// CSINodeStatus contains health and status information for storage on a node.
struct CAPSTAN_EXPORT CSINodeStatus {
  // storageHealth contains backend health reports for CSI drivers registered on the node.
  List<StorageHealth> storage_health = {};
};
CAPSTAN_EXPORT bool operator==(const CSINodeStatus& a, const CSINodeStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const CSINodeStatus*);

// CSINode holds information about all CSI drivers installed on a node. CSI drivers do not need to
// create the CSINode object directly. As long as they use the node-driver-registrar sidecar
// container, the kubelet will automatically populate the CSINode object for the CSI driver as part
// of kubelet plugin registration. CSINode has the same name as a node. If the object is missing, it
// means either there are no CSI Drivers available on the node, or the Kubelet version is low enough
// that it doesn't create this object. CSINode has an OwnerReference that points to the
// corresponding node object.
struct CAPSTAN_EXPORT CSINode {
  // metadata is the standard object metadata. metadata.name must be the Kubernetes node name.
  ObjectMeta metadata = {};
  // spec is the specification of CSINode
  CSINodeSpec spec = {};
  // status contains health and status information for the node's storage.
  CSINodeStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const CSINode& a, const CSINode& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const CSINode*);

}  // namespace capstan::api::storage::v1

extern template class capstan::Boxed<capstan::api::storage::v1::VolumeNodeResources>;
extern template class capstan::List<capstan::api::storage::v1::CSINodeDriver>;
extern template class capstan::List<capstan::api::storage::v1::StorageHealthCondition>;
extern template class capstan::List<capstan::api::storage::v1::StorageHealth>;

template <>
inline constexpr auto capstan::kKind<capstan::api::storage::v1::CSINode> =
    capstan::Kind("storage.k8s.io", "v1", "CSINode", "csinodes")
        .ClusterScoped()
        .Whole()
        .Spec()
        .Status();
