// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/api/core/v1/topology_selector_term.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/list.h"
#include "capstan/object_meta.h"

namespace capstan::api::storage::v1 {

// VolumeBindingMode indicates how PersistentVolumeClaims should be bound.
// VolumeBindingImmediate indicates that PersistentVolumeClaims should be immediately provisioned
// and bound.  This is the default mode.
inline constexpr std::string_view kVolumeBindingImmediate = "Immediate";
// VolumeBindingWaitForFirstConsumer indicates that PersistentVolumeClaims should not be provisioned
// and bound until the first Pod is created that references the PeristentVolumeClaim.  The volume
// provisioning and binding will occur during Pod scheduing.
inline constexpr std::string_view kVolumeBindingWaitForFirstConsumer = "WaitForFirstConsumer";

// StorageClass describes the parameters for a class of storage for which PersistentVolumes can be
// dynamically provisioned.
// StorageClasses are non-namespaced; the name of the storage class according to etcd is in
// ObjectMeta.Name.
struct CAPSTAN_EXPORT StorageClass {
  // metadata is the standard object metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // provisioner indicates the type of the provisioner.
  std::string provisioner = {};
  // parameters holds the parameters for the provisioner that should create volumes of this storage
  // class.
  std::map<std::string, std::string> parameters = {};
  // reclaimPolicy controls the reclaimPolicy for dynamically provisioned PersistentVolumes of this
  // storage class. Defaults to Delete.
  std::optional<std::string> reclaim_policy = {};
  // mountOptions controls the mountOptions for dynamically provisioned PersistentVolumes of this
  // storage class. e.g. ["ro", "soft"]. Not validated - mount of the PVs will simply fail if one is
  // invalid.
  std::vector<std::string> mount_options = {};
  // allowVolumeExpansion shows whether the storage class allow volume expand.
  std::optional<bool> allow_volume_expansion = {};
  // volumeBindingMode indicates how PersistentVolumeClaims should be provisioned and bound.  When
  // unset, VolumeBindingImmediate is used. This field is only honored by servers that enable the
  // VolumeScheduling feature.
  std::optional<std::string> volume_binding_mode = {};
  // allowedTopologies restrict the node topologies where volumes can be dynamically provisioned.
  // Each volume plugin defines its own supported topology specifications. An empty
  // TopologySelectorTerm list means there is no topology restriction. This field is only honored by
  // servers that enable the VolumeScheduling feature.
  List<core::v1::TopologySelectorTerm> allowed_topologies = {};
};
CAPSTAN_EXPORT bool operator==(const StorageClass& a, const StorageClass& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const StorageClass*);

}  // namespace capstan::api::storage::v1

template <>
inline constexpr auto capstan::kKind<capstan::api::storage::v1::StorageClass> =
    capstan::Kind("storage.k8s.io", "v1", "StorageClass", "storageclasses").ClusterScoped().Whole();
