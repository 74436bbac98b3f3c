// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/api/core/v1/typed_local_object_reference.h"
#include "capstan/api/meta/v1/label_selector.h"
#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/quantity.h"

namespace capstan::api::core::v1 {

// VolumeResourceRequirements describes the storage resource requirements for a volume.
struct CAPSTAN_EXPORT VolumeResourceRequirements {
  // Limits describes the maximum amount of compute resources allowed. More info:
  // https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/
  std::map<std::string, Quantity> limits = {};
  // Requests describes the minimum amount of compute resources required. If Requests is omitted for
  // a container, it defaults to Limits if that is explicitly specified, otherwise to an
  // implementation-defined value. Requests cannot exceed Limits. More info:
  // https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/
  std::map<std::string, Quantity> requests = {};
};
CAPSTAN_EXPORT bool operator==(const VolumeResourceRequirements& a,
                               const VolumeResourceRequirements& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const VolumeResourceRequirements*);

// TypedObjectReference contains enough information to let you locate the typed referenced object
struct CAPSTAN_EXPORT TypedObjectReference {
  // APIGroup is the group for the resource being referenced. If APIGroup is not specified, the
  // specified Kind must be in the core API group. For any other third-party types, APIGroup is
  // required.
  std::optional<std::string> api_group = {};
  // Kind is the type of resource being referenced
  std::string kind = {};
  // Name is the name of resource being referenced
  std::string name = {};
  // Namespace is the namespace of resource being referenced Note that when a namespace is
  // specified, a gateway.networking.k8s.io/ReferenceGrant object is required in the referent
  // namespace to allow that namespace's owner to accept the reference. See the ReferenceGrant
  // documentation for details. (Alpha) This field requires the CrossNamespaceVolumeDataSource
  // feature gate to be enabled.
  std::optional<std::string> namespace_ = {};
};
CAPSTAN_EXPORT bool operator==(const TypedObjectReference& a, const TypedObjectReference& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const TypedObjectReference*);

// can be mounted in read/write mode to exactly 1 host
inline constexpr std::string_view kReadWriteOnce = "ReadWriteOnce";
// can be mounted in read-only mode to many hosts
inline constexpr std::string_view kReadOnlyMany = "ReadOnlyMany";
// can be mounted in read/write mode to many hosts
inline constexpr std::string_view kReadWriteMany = "ReadWriteMany";
// can be mounted in read/write mode to exactly 1 pod cannot be used in combination with other
// access modes
inline constexpr std::string_view kReadWriteOncePod = "ReadWriteOncePod";

// PersistentVolumeMode describes how a volume is intended to be consumed, either Block or
// Filesystem.
// PersistentVolumeBlock means the volume will not be formatted with a filesystem and will remain a
// raw block device.
inline constexpr std::string_view kPersistentVolumeBlock = "Block";
// PersistentVolumeFilesystem means the volume will be or is formatted with a filesystem.
inline constexpr std::string_view kPersistentVolumeFilesystem = "Filesystem";

// PersistentVolumeClaimSpec describes the common attributes of storage devices and allows a Source
// for provider-specific attributes
struct CAPSTAN_EXPORT PersistentVolumeClaimSpec {
  // accessModes contains the desired access modes the volume should have. More info:
  // https://kubernetes.io/docs/concepts/storage/persistent-volumes#access-modes-1
  std::vector<std::string> access_modes = {};
  // selector is a label query over volumes to consider for binding.
  Boxed<meta::v1::LabelSelector> selector = {};
  // resources represents the minimum resources the volume should have. Users are allowed to specify
  // resource requirements that are lower than previous value but must still be higher than capacity
  // recorded in the status field of the claim. More info:
  // https://kubernetes.io/docs/concepts/storage/persistent-volumes#resources
  VolumeResourceRequirements resources = {};
  // volumeName is the binding reference to the PersistentVolume backing this claim.
  std::string volume_name = {};
  // storageClassName is the name of the StorageClass required by the claim. More info:
  // https://kubernetes.io/docs/concepts/storage/persistent-volumes#class-1
  std::optional<std::string> storage_class_name = {};
  // volumeMode defines what type of volume is required by the claim. Value of Filesystem is implied
  // when not included in claim spec.
  std::optional<std::string> volume_mode = {};
  // dataSource field can be used to specify either:
  // * An existing VolumeSnapshot object (snapshot.storage.k8s.io/VolumeSnapshot)
  // * An existing PVC (PersistentVolumeClaim) If the provisioner or an external controller can
  // support the specified data source, it will create a new volume based on the contents of the
  // specified data source. dataSource contents will be copied to dataSourceRef, and dataSourceRef
  // contents will be copied to dataSource when dataSourceRef.namespace is not specified. If the
  // namespace is specified, then dataSourceRef will not be copied to dataSource.
  Boxed<TypedLocalObjectReference> data_source = {};
  // dataSourceRef specifies the object from which to populate the volume with data, if a non-empty
  // volume is desired. This may be any object from a non-empty API group (non core object) or a
  // PersistentVolumeClaim object. When this field is specified, volume binding will only succeed if
  // the type of the specified object matches some installed volume populator or dynamic
  // provisioner. This field will replace the functionality of the dataSource field and as such if
  // both fields are non-empty, they must have the same value. For backwards compatibility, when
  // namespace isn't specified in dataSourceRef, both fields (dataSource and dataSourceRef) will be
  // set to the same value automatically if one of them is empty and the other is non-empty. When
  // namespace is specified in dataSourceRef, dataSource isn't set to the same value and must be
  // empty. There are three important differences between dataSource and dataSourceRef:
  // * While dataSource only allows two specific types of objects, dataSourceRef
  // allows any non-core object, as well as PersistentVolumeClaim objects.
  // * While dataSource ignores disallowed values (dropping them), dataSourceRef
  // preserves all values, and generates an error if a disallowed value is
  // specified.
  // * While dataSource only allows local objects, dataSourceRef allows objects
  // in any namespaces. (Alpha) Using the namespace field of dataSourceRef requires the
  // CrossNamespaceVolumeDataSource feature gate to be enabled.
  Boxed<TypedObjectReference> data_source_ref = {};
  // volumeAttributesClassName may be used to set the VolumeAttributesClass used by this claim. If
  // specified, the CSI driver will create or update the volume with the attributes defined in the
  // corresponding VolumeAttributesClass. This has a different purpose than storageClassName, it can
  // be changed after the claim is created. An empty string or nil value indicates that no
  // VolumeAttributesClass will be applied to the claim. If the claim enters an Infeasible error
  // state, this field can be reset to its previous value (including nil) to cancel the
  // modification. If the resource referred to by volumeAttributesClass does not exist, this
  // PersistentVolumeClaim will be set to a Pending state, as reflected by the modifyVolumeStatus
  // field, until such as a resource exists. More info:
  // https://kubernetes.io/docs/concepts/storage/volume-attributes-classes/
  std::optional<std::string> volume_attributes_class_name = {};
};
CAPSTAN_EXPORT bool operator==(const PersistentVolumeClaimSpec& a,
                               const PersistentVolumeClaimSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PersistentVolumeClaimSpec*);

}  // namespace capstan::api::core::v1

extern template class capstan::Boxed<capstan::api::core::v1::TypedObjectReference>;
