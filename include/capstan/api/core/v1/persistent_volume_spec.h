// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/api/core/v1/aws_elastic_block_store_volume_source.h"
#include "capstan/api/core/v1/azure_disk_volume_source.h"
#include "capstan/api/core/v1/fc_volume_source.h"
#include "capstan/api/core/v1/flocker_volume_source.h"
#include "capstan/api/core/v1/gce_persistent_disk_volume_source.h"
#include "capstan/api/core/v1/host_path_volume_source.h"
#include "capstan/api/core/v1/nfs_volume_source.h"
#include "capstan/api/core/v1/node_selector.h"
#include "capstan/api/core/v1/object_reference.h"
#include "capstan/api/core/v1/photon_persistent_disk_volume_source.h"
#include "capstan/api/core/v1/portworx_volume_source.h"
#include "capstan/api/core/v1/quobyte_volume_source.h"
#include "capstan/api/core/v1/vsphere_virtual_disk_volume_source.h"
#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/quantity.h"

namespace capstan::api::core::v1 {

// Represents a Glusterfs mount that lasts the lifetime of a pod. Glusterfs volumes do not support
// ownership management or SELinux relabeling.
struct CAPSTAN_EXPORT GlusterfsPersistentVolumeSource {
  // endpoints is the endpoint name that details Glusterfs topology. More info:
  // https://examples.k8s.io/volumes/glusterfs/README.md#create-a-pod
  std::string endpoints = {};
  // path is the Glusterfs volume path. More info:
  // https://examples.k8s.io/volumes/glusterfs/README.md#create-a-pod
  std::string path = {};
  // readOnly here will force the Glusterfs volume to be mounted with read-only permissions.
  // Defaults to false. More info: https://examples.k8s.io/volumes/glusterfs/README.md#create-a-pod
  bool read_only = {};
  // endpointsNamespace is the namespace that contains Glusterfs endpoint. If this field is empty,
  // the EndpointNamespace defaults to the same namespace as the bound PVC. More info:
  // https://examples.k8s.io/volumes/glusterfs/README.md#create-a-pod
  std::optional<std::string> endpoints_namespace = {};
};
CAPSTAN_EXPORT bool operator==(const GlusterfsPersistentVolumeSource& a,
                               const GlusterfsPersistentVolumeSource& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const GlusterfsPersistentVolumeSource*);

// SecretReference represents a Secret Reference. It has enough information to retrieve secret in
// any namespace
struct CAPSTAN_EXPORT SecretReference {
  // name is unique within a namespace to reference a secret resource.
  std::string name = {};
  // namespace defines the space within which the secret name must be unique.
  std::string namespace_ = {};
};
CAPSTAN_EXPORT bool operator==(const SecretReference& a, const SecretReference& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const SecretReference*);

// Represents a Rados Block Device mount that lasts the lifetime of a pod. RBD volumes support
// ownership management and SELinux relabeling.
struct CAPSTAN_EXPORT RBDPersistentVolumeSource {
  // monitors is a collection of Ceph monitors. More info:
  // https://examples.k8s.io/volumes/rbd/README.md#how-to-use-it
  std::vector<std::string> monitors = {};
  // image is the rados image name. More info:
  // https://examples.k8s.io/volumes/rbd/README.md#how-to-use-it
  std::string image = {};
  std::string fs_type = {};
  // pool is the rados pool name. Default is rbd. More info:
  // https://examples.k8s.io/volumes/rbd/README.md#how-to-use-it
  std::string pool = {};
  // user is the rados user name. Default is admin. More info:
  // https://examples.k8s.io/volumes/rbd/README.md#how-to-use-it
  std::string user = {};
  // keyring is the path to key ring for RBDUser. Default is /etc/ceph/keyring. More info:
  // https://examples.k8s.io/volumes/rbd/README.md#how-to-use-it
  std::string keyring = {};
  // secretRef is name of the authentication secret for RBDUser. If provided overrides keyring.
  // Default is nil. More info: https://examples.k8s.io/volumes/rbd/README.md#how-to-use-it
  Boxed<SecretReference> secret_ref = {};
  // readOnly here will force the ReadOnly setting in VolumeMounts. Defaults to false. More info:
  // https://examples.k8s.io/volumes/rbd/README.md#how-to-use-it
  bool read_only = {};
};
CAPSTAN_EXPORT bool operator==(const RBDPersistentVolumeSource& a,
                               const RBDPersistentVolumeSource& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const RBDPersistentVolumeSource*);

// ISCSIPersistentVolumeSource represents an ISCSI disk. ISCSI volumes can only be mounted as
// read/write once. ISCSI volumes support ownership management and SELinux relabeling.
struct CAPSTAN_EXPORT ISCSIPersistentVolumeSource {
  // targetPortal is iSCSI Target Portal. The Portal is either an IP or ip_addr:port if the port is
  // other than default (typically TCP ports 860 and 3260).
  std::string target_portal = {};
  // iqn is Target iSCSI Qualified Name.
  std::string iqn = {};
  // lun is iSCSI Target Lun number.
  std::int32_t lun = {};
  // iscsiInterface is the interface Name that uses an iSCSI transport. Defaults to 'default' (tcp).
  std::string iscsi_interface = {};
  std::string fs_type = {};
  // readOnly here will force the ReadOnly setting in VolumeMounts. Defaults to false.
  bool read_only = {};
  // portals is the iSCSI Target Portal List. The Portal is either an IP or ip_addr:port if the port
  // is other than default (typically TCP ports 860 and 3260).
  std::vector<std::string> portals = {};
  // chapAuthDiscovery defines whether support iSCSI Discovery CHAP authentication
  bool chap_auth_discovery = {};
  // chapAuthSession defines whether support iSCSI Session CHAP authentication
  bool chap_auth_session = {};
  // secretRef is the CHAP Secret for iSCSI target and initiator authentication
  Boxed<SecretReference> secret_ref = {};
  // initiatorName is the custom iSCSI Initiator Name. If initiatorName is specified with
  // iscsiInterface simultaneously, new iSCSI interface <target portal>:<volume name> will be
  // created for the connection.
  std::optional<std::string> initiator_name = {};
};
CAPSTAN_EXPORT bool operator==(const ISCSIPersistentVolumeSource& a,
                               const ISCSIPersistentVolumeSource& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ISCSIPersistentVolumeSource*);

// Represents a cinder volume resource in Openstack. A Cinder volume must exist before mounting to a
// container. The volume must also be in the same region as the kubelet. Cinder volumes support
// ownership management and SELinux relabeling.
struct CAPSTAN_EXPORT CinderPersistentVolumeSource {
  // volumeID used to identify the volume in cinder. More info:
  // https://examples.k8s.io/mysql-cinder-pd/README.md
  std::string volume_id = {};
  // fsType Filesystem type to mount. Must be a filesystem type supported by the host operating
  // system. Examples: "ext4", "xfs", "ntfs". Implicitly inferred to be "ext4" if unspecified. More
  // info: https://examples.k8s.io/mysql-cinder-pd/README.md
  std::string fs_type = {};
  // readOnly is Optional: Defaults to false (read/write). ReadOnly here will force the ReadOnly
  // setting in VolumeMounts. More info: https://examples.k8s.io/mysql-cinder-pd/README.md
  bool read_only = {};
  // secretRef is Optional: points to a secret object containing parameters used to connect to
  // OpenStack.
  Boxed<SecretReference> secret_ref = {};
};
CAPSTAN_EXPORT bool operator==(const CinderPersistentVolumeSource& a,
                               const CinderPersistentVolumeSource& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const CinderPersistentVolumeSource*);

// Represents a Ceph Filesystem mount that lasts the lifetime of a pod Cephfs volumes do not support
// ownership management or SELinux relabeling.
struct CAPSTAN_EXPORT CephFSPersistentVolumeSource {
  // monitors is Required: Monitors is a collection of Ceph monitors More info:
  // https://examples.k8s.io/volumes/cephfs/README.md#how-to-use-it
  std::vector<std::string> monitors = {};
  // path is Optional: Used as the mounted root, rather than the full Ceph tree, default is /
  std::string path = {};
  // user is Optional: User is the rados user name, default is admin More info:
  // https://examples.k8s.io/volumes/cephfs/README.md#how-to-use-it
  std::string user = {};
  // secretFile is Optional: SecretFile is the path to key ring for User, default is
  // /etc/ceph/user.secret More info: https://examples.k8s.io/volumes/cephfs/README.md#how-to-use-it
  std::string secret_file = {};
  // secretRef is Optional: SecretRef is reference to the authentication secret for User, default is
  // empty. More info: https://examples.k8s.io/volumes/cephfs/README.md#how-to-use-it
  Boxed<SecretReference> secret_ref = {};
  // readOnly is Optional: Defaults to false (read/write). ReadOnly here will force the ReadOnly
  // setting in VolumeMounts. More info:
  // https://examples.k8s.io/volumes/cephfs/README.md#how-to-use-it
  bool read_only = {};
};
CAPSTAN_EXPORT bool operator==(const CephFSPersistentVolumeSource& a,
                               const CephFSPersistentVolumeSource& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const CephFSPersistentVolumeSource*);

// FlexPersistentVolumeSource represents a generic persistent volume resource that is
// provisioned/attached using an exec based plugin.
struct CAPSTAN_EXPORT FlexPersistentVolumeSource {
  // driver is the name of the driver to use for this volume.
  std::string driver = {};
  // fsType is the Filesystem type to mount. Must be a filesystem type supported by the host
  // operating system. Ex. "ext4", "xfs", "ntfs". The default filesystem depends on FlexVolume
  // script.
  std::string fs_type = {};
  // secretRef is Optional: SecretRef is reference to the secret object containing sensitive
  // information to pass to the plugin scripts. This may be empty if no secret object is specified.
  // If the secret object contains more than one secret, all secrets are passed to the plugin
  // scripts.
  Boxed<SecretReference> secret_ref = {};
  // readOnly is Optional: defaults to false (read/write). ReadOnly here will force the ReadOnly
  // setting in VolumeMounts.
  bool read_only = {};
  // options is Optional: this field holds extra command options if any.
  std::map<std::string, std::string> options = {};
};
CAPSTAN_EXPORT bool operator==(const FlexPersistentVolumeSource& a,
                               const FlexPersistentVolumeSource& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const FlexPersistentVolumeSource*);

// AzureFile represents an Azure File Service mount on the host and bind mount to the pod.
struct CAPSTAN_EXPORT AzureFilePersistentVolumeSource {
  // secretName is the name of secret that contains Azure Storage Account Name and Key
  std::string secret_name = {};
  // shareName is the azure Share Name
  std::string share_name = {};
  // readOnly defaults to false (read/write). ReadOnly here will force the ReadOnly setting in
  // VolumeMounts.
  bool read_only = {};
  // secretNamespace is the namespace of the secret that contains Azure Storage Account Name and Key
  // default is the same as the Pod
  std::optional<std::string> secret_namespace = {};
};
CAPSTAN_EXPORT bool operator==(const AzureFilePersistentVolumeSource& a,
                               const AzureFilePersistentVolumeSource& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const AzureFilePersistentVolumeSource*);

// ScaleIOPersistentVolumeSource represents a persistent ScaleIO volume
struct CAPSTAN_EXPORT ScaleIOPersistentVolumeSource {
  // gateway is the host address of the ScaleIO API Gateway.
  std::string gateway = {};
  // system is the name of the storage system as configured in ScaleIO.
  std::string system = {};
  // secretRef references to the secret for ScaleIO user and other sensitive information. If this is
  // not provided, Login operation will fail.
  Boxed<SecretReference> secret_ref = {};
  // sslEnabled is the flag to enable/disable SSL communication with Gateway, default false
  bool ssl_enabled = {};
  // protectionDomain is the name of the ScaleIO Protection Domain for the configured storage.
  std::string protection_domain = {};
  // storagePool is the ScaleIO Storage Pool associated with the protection domain.
  std::string storage_pool = {};
  // storageMode indicates whether the storage for a volume should be ThickProvisioned or
  // ThinProvisioned. Default is ThinProvisioned.
  std::string storage_mode = {};
  // volumeName is the name of a volume already created in the ScaleIO system that is associated
  // with this volume source.
  std::string volume_name = {};
  // fsType is the filesystem type to mount. Must be a filesystem type supported by the host
  // operating system. Ex. "ext4", "xfs", "ntfs". Default is "xfs"
  std::string fs_type = {};
  // readOnly defaults to false (read/write). ReadOnly here will force the ReadOnly setting in
  // VolumeMounts.
  bool read_only = {};
};
CAPSTAN_EXPORT bool operator==(const ScaleIOPersistentVolumeSource& a,
                               const ScaleIOPersistentVolumeSource& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ScaleIOPersistentVolumeSource*);

// Local represents directly-attached storage with node affinity
struct CAPSTAN_EXPORT LocalVolumeSource {
  // path of the full path to the volume on the node. It can be either a directory or block device
  // (disk, partition, ...).
  std::string path = {};
  // fsType is the filesystem type to mount. It applies only when the Path is a block device. Must
  // be a filesystem type supported by the host operating system. Ex. "ext4", "xfs", "ntfs". The
  // default value is to auto-select a filesystem if unspecified.
  std::optional<std::string> fs_type = {};
};
CAPSTAN_EXPORT bool operator==(const LocalVolumeSource& a, const LocalVolumeSource& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const LocalVolumeSource*);

// Represents a StorageOS persistent volume resource.
struct CAPSTAN_EXPORT StorageOSPersistentVolumeSource {
  // volumeName is the human-readable name of the StorageOS volume.  Volume names are only unique
  // within a namespace.
  std::string volume_name = {};
  // volumeNamespace specifies the scope of the volume within StorageOS.  If no namespace is
  // specified then the Pod's namespace will be used.  This allows the Kubernetes name scoping to be
  // mirrored within StorageOS for tighter integration. Set VolumeName to any name to override the
  // default behaviour. Set to "default" if you are not using namespaces within StorageOS.
  // Namespaces that do not pre-exist within StorageOS will be created.
  std::string volume_namespace = {};
  // fsType is the filesystem type to mount. Must be a filesystem type supported by the host
  // operating system. Ex. "ext4", "xfs", "ntfs". Implicitly inferred to be "ext4" if unspecified.
  std::string fs_type = {};
  // readOnly defaults to false (read/write). ReadOnly here will force the ReadOnly setting in
  // VolumeMounts.
  bool read_only = {};
  // secretRef specifies the secret to use for obtaining the StorageOS API credentials.  If not
  // specified, default values will be attempted.
  Boxed<ObjectReference> secret_ref = {};
};
CAPSTAN_EXPORT bool operator==(const StorageOSPersistentVolumeSource& a,
                               const StorageOSPersistentVolumeSource& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const StorageOSPersistentVolumeSource*);

// Represents storage that is managed by an external CSI volume driver
struct CAPSTAN_EXPORT CSIPersistentVolumeSource {
  // driver is the name of the driver to use for this volume. Required.
  std::string driver = {};
  // volumeHandle is the unique volume name returned by the CSI volume plugin’s CreateVolume to
  // refer to the volume on all subsequent calls. Required.
  std::string volume_handle = {};
  // readOnly value to pass to ControllerPublishVolumeRequest. Defaults to false (read/write).
  bool read_only = {};
  // fsType to mount. Must be a filesystem type supported by the host operating system. Ex. "ext4",
  // "xfs", "ntfs".
  std::string fs_type = {};
  // volumeAttributes of the volume to publish.
  std::map<std::string, std::string> volume_attributes = {};
  // controllerPublishSecretRef is a reference to the secret object containing sensitive information
  // to pass to the CSI driver to complete the CSI ControllerPublishVolume and
  // ControllerUnpublishVolume calls. This field is optional, and may be empty if no secret is
  // required. If the secret object contains more than one secret, all secrets are passed.
  Boxed<SecretReference> controller_publish_secret_ref = {};
  // nodeStageSecretRef is a reference to the secret object containing sensitive information to pass
  // to the CSI driver to complete the CSI NodeStageVolume and NodeStageVolume and NodeUnstageVolume
  // calls. This field is optional, and may be empty if no secret is required. If the secret object
  // contains more than one secret, all secrets are passed.
  Boxed<SecretReference> node_stage_secret_ref = {};
  // nodePublishSecretRef is a reference to the secret object containing sensitive information to
  // pass to the CSI driver to complete the CSI NodePublishVolume and NodeUnpublishVolume calls.
  // This field is optional, and may be empty if no secret is required. If the secret object
  // contains more than one secret, all secrets are passed.
  Boxed<SecretReference> node_publish_secret_ref = {};
  // controllerExpandSecretRef is a reference to the secret object containing sensitive information
  // to pass to the CSI driver to complete the CSI ControllerExpandVolume call. This field is
  // optional, and may be empty if no secret is required. If the secret object contains more than
  // one secret, all secrets are passed.
  Boxed<SecretReference> controller_expand_secret_ref = {};
  // nodeExpandSecretRef is a reference to the secret object containing sensitive information to
  // pass to the CSI driver to complete the CSI NodeExpandVolume call. This field is optional, may
  // be omitted if no secret is required. If the secret object contains more than one secret, all
  // secrets are passed.
  Boxed<SecretReference> node_expand_secret_ref = {};
};
CAPSTAN_EXPORT bool operator==(const CSIPersistentVolumeSource& a,
                               const CSIPersistentVolumeSource& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const CSIPersistentVolumeSource*);

// VolumeNodeAffinity defines constraints that limit what nodes this volume can be accessed from.
struct CAPSTAN_EXPORT VolumeNodeAffinity {
  // required specifies hard node constraints that must be met.
  Boxed<NodeSelector> required = {};
};
CAPSTAN_EXPORT bool operator==(const VolumeNodeAffinity& a, const VolumeNodeAffinity& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const VolumeNodeAffinity*);

// PersistentVolumeReclaimPolicy describes a policy for end-of-life maintenance of persistent
// volumes.
// PersistentVolumeReclaimRecycle means the volume will be recycled back into the pool of unbound
// persistent volumes on release from its claim. The volume plugin must support Recycling.
inline constexpr std::string_view kPersistentVolumeReclaimRecycle = "Recycle";
// PersistentVolumeReclaimDelete means the volume will be deleted from Kubernetes on release from
// its claim. The volume plugin must support Deletion.
inline constexpr std::string_view kPersistentVolumeReclaimDelete = "Delete";
// PersistentVolumeReclaimRetain means the volume will be left in its current phase (Released) for
// manual reclamation by the administrator. The default policy is Retain.
inline constexpr std::string_view kPersistentVolumeReclaimRetain = "Retain";

// PersistentVolumeSpec is the specification of a persistent volume.
struct CAPSTAN_EXPORT PersistentVolumeSpec {
  // capacity is the description of the persistent volume's resources and capacity. More info:
  // https://kubernetes.io/docs/concepts/storage/persistent-volumes#capacity
  std::map<std::string, Quantity> capacity = {};
  // gcePersistentDisk represents a GCE Disk resource that is attached to a kubelet's host machine
  // and then exposed to the pod. Provisioned by an admin. Deprecated: GCEPersistentDisk is
  // deprecated. All operations for the in-tree gcePersistentDisk type are redirected to the
  // pd.csi.storage.gke.io CSI driver. More info:
  // https://kubernetes.io/docs/concepts/storage/volumes#gcepersistentdisk
  Boxed<GCEPersistentDiskVolumeSource> gce_persistent_disk = {};
  // awsElasticBlockStore represents an AWS Disk resource that is attached to a kubelet's host
  // machine and then exposed to the pod. Deprecated: AWSElasticBlockStore is deprecated. All
  // operations for the in-tree awsElasticBlockStore type are redirected to the ebs.csi.aws.com CSI
  // driver. More info: https://kubernetes.io/docs/concepts/storage/volumes#awselasticblockstore
  Boxed<AWSElasticBlockStoreVolumeSource> aws_elastic_block_store = {};
  // hostPath represents a directory on the host. Provisioned by a developer or tester. This is
  // useful for single-node development and testing only! On-host storage is not supported in any
  // way and WILL NOT WORK in a multi-node cluster. More info:
  // https://kubernetes.io/docs/concepts/storage/volumes#hostpath
  Boxed<HostPathVolumeSource> host_path = {};
  // glusterfs represents a Glusterfs volume that is attached to a host and exposed to the pod.
  // Provisioned by an admin. Deprecated: Glusterfs is deprecated and the in-tree glusterfs type is
  // no longer supported. More info: https://examples.k8s.io/volumes/glusterfs/README.md
  Boxed<GlusterfsPersistentVolumeSource> glusterfs = {};
  // nfs represents an NFS mount on the host. Provisioned by an admin. More info:
  // https://kubernetes.io/docs/concepts/storage/volumes#nfs
  Boxed<NFSVolumeSource> nfs = {};
  // rbd represents a Rados Block Device mount on the host that shares a pod's lifetime. Deprecated:
  // RBD is deprecated and the in-tree rbd type is no longer supported. More info:
  // https://examples.k8s.io/volumes/rbd/README.md
  Boxed<RBDPersistentVolumeSource> rbd = {};
  // iscsi represents an ISCSI Disk resource that is attached to a kubelet's host machine and then
  // exposed to the pod. Provisioned by an admin.
  Boxed<ISCSIPersistentVolumeSource> iscsi = {};
  // cinder represents a cinder volume attached and mounted on kubelets host machine. Deprecated:
  // Cinder is deprecated. All operations for the in-tree cinder type are redirected to the
  // cinder.csi.openstack.org CSI driver. More info:
  // https://examples.k8s.io/mysql-cinder-pd/README.md
  Boxed<CinderPersistentVolumeSource> cinder = {};
  // cephFS represents a Ceph FS mount on the host that shares a pod's lifetime. Deprecated: CephFS
  // is deprecated and the in-tree cephfs type is no longer supported.
  Boxed<CephFSPersistentVolumeSource> cephfs = {};
  // fc represents a Fibre Channel resource that is attached to a kubelet's host machine and then
  // exposed to the pod.
  Boxed<FCVolumeSource> fc = {};
  // flocker represents a Flocker volume attached to a kubelet's host machine and exposed to the pod
  // for its usage. This depends on the Flocker control service being running. Deprecated: Flocker
  // is deprecated and the in-tree flocker type is no longer supported.
  Boxed<FlockerVolumeSource> flocker = {};
  // flexVolume represents a generic volume resource that is provisioned/attached using an exec
  // based plugin. Deprecated: FlexVolume is deprecated. Consider using a CSIDriver instead.
  Boxed<FlexPersistentVolumeSource> flex_volume = {};
  // azureFile represents an Azure File Service mount on the host and bind mount to the pod.
  // Deprecated: AzureFile is deprecated. All operations for the in-tree azureFile type are
  // redirected to the file.csi.azure.com CSI driver.
  Boxed<AzureFilePersistentVolumeSource> azure_file = {};
  // vsphereVolume represents a vSphere volume attached and mounted on kubelets host machine.
  // Deprecated: VsphereVolume is deprecated. All operations for the in-tree vsphereVolume type are
  // redirected to the csi.vsphere.vmware.com CSI driver.
  Boxed<VsphereVirtualDiskVolumeSource> vsphere_volume = {};
  // quobyte represents a Quobyte mount on the host that shares a pod's lifetime. Deprecated:
  // Quobyte is deprecated and the in-tree quobyte type is no longer supported.
  Boxed<QuobyteVolumeSource> quobyte = {};
  // azureDisk represents an Azure Data Disk mount on the host and bind mount to the pod.
  // Deprecated: AzureDisk is deprecated. All operations for the in-tree azureDisk type are
  // redirected to the disk.csi.azure.com CSI driver.
  Boxed<AzureDiskVolumeSource> azure_disk = {};
  // photonPersistentDisk represents a PhotonController persistent disk attached and mounted on
  // kubelets host machine. Deprecated: PhotonPersistentDisk is deprecated and the in-tree
  // photonPersistentDisk type is no longer supported.
  Boxed<PhotonPersistentDiskVolumeSource> photon_persistent_disk = {};
  // portworxVolume represents a portworx volume attached and mounted on kubelets host machine.
  // Deprecated: PortworxVolume is deprecated. All operations for the in-tree portworxVolume type
  // are redirected to the pxd.portworx.com CSI driver.
  Boxed<PortworxVolumeSource> portworx_volume = {};
  // scaleIO represents a ScaleIO persistent volume attached and mounted on Kubernetes nodes.
  // Deprecated: ScaleIO is deprecated and the in-tree scaleIO type is no longer supported.
  Boxed<ScaleIOPersistentVolumeSource> scale_io = {};
  // local represents directly-attached storage with node affinity
  Boxed<LocalVolumeSource> local = {};
  // storageOS represents a StorageOS volume that is attached to the kubelet's host machine and
  // mounted into the pod. Deprecated: StorageOS is deprecated and the in-tree storageos type is no
  // longer supported. More info: https://examples.k8s.io/volumes/storageos/README.md
  Boxed<StorageOSPersistentVolumeSource> storageos = {};
  // csi represents storage that is handled by an external CSI driver.
  Boxed<CSIPersistentVolumeSource> csi = {};
  // accessModes contains all ways the volume can be mounted. More info:
  // https://kubernetes.io/docs/concepts/storage/persistent-volumes#access-modes
  std::vector<std::string> access_modes = {};
  // claimRef is part of a bi-directional binding between PersistentVolume and
  // PersistentVolumeClaim. Expected to be non-nil when bound. claim.VolumeName is the authoritative
  // bind between PV and PVC. More info:
  // https://kubernetes.io/docs/concepts/storage/persistent-volumes#binding
  Boxed<ObjectReference> claim_ref = {};
  // persistentVolumeReclaimPolicy defines what happens to a persistent volume when released from
  // its claim. Valid options are Retain (default for manually created PersistentVolumes), Delete
  // (default for dynamically provisioned PersistentVolumes), and Recycle (deprecated). Recycle must
  // be supported by the volume plugin underlying this PersistentVolume. More info:
  // https://kubernetes.io/docs/concepts/storage/persistent-volumes#reclaiming
  std::string persistent_volume_reclaim_policy = {};
  // storageClassName is the name of StorageClass to which this persistent volume belongs. Empty
  // value means that this volume does not belong to any StorageClass.
  std::string storage_class_name = {};
  // mountOptions is the list of mount options, e.g. ["ro", "soft"]. Not validated - mount will
  // simply fail if one is invalid. More info:
  // https://kubernetes.io/docs/concepts/storage/persistent-volumes/#mount-options
  std::vector<std::string> mount_options = {};
  // volumeMode defines if a volume is intended to be used with a formatted filesystem or to remain
  // in raw block state. Value of Filesystem is implied when not included in spec.
  std::optional<std::string> volume_mode = {};
  // nodeAffinity defines constraints that limit what nodes this volume can be accessed from. This
  // field influences the scheduling of pods that use this volume. This field is mutable if
  // MutablePVNodeAffinity feature gate is enabled.
  Boxed<VolumeNodeAffinity> node_affinity = {};
  // Name of VolumeAttributesClass to which this persistent volume belongs. Empty value is not
  // allowed. When this field is not set, it indicates that this volume does not belong to any
  // VolumeAttributesClass. This field is mutable and can be changed by the CSI driver after a
  // volume has been updated successfully to a new class. For an unbound PersistentVolume, the
  // volumeAttributesClassName will be matched with unbound PersistentVolumeClaims during the
  // binding process.
  std::optional<std::string> volume_attributes_class_name = {};
};
CAPSTAN_EXPORT bool operator==(const PersistentVolumeSpec& a, const PersistentVolumeSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PersistentVolumeSpec*);

}  // namespace capstan::api::core::v1

extern template class capstan::Boxed<capstan::api::core::v1::GlusterfsPersistentVolumeSource>;
extern template class capstan::Boxed<capstan::api::core::v1::SecretReference>;
extern template class capstan::Boxed<capstan::api::core::v1::RBDPersistentVolumeSource>;
extern template class capstan::Boxed<capstan::api::core::v1::ISCSIPersistentVolumeSource>;
extern template class capstan::Boxed<capstan::api::core::v1::CinderPersistentVolumeSource>;
extern template class capstan::Boxed<capstan::api::core::v1::CephFSPersistentVolumeSource>;
extern template class capstan::Boxed<capstan::api::core::v1::FlexPersistentVolumeSource>;
extern template class capstan::Boxed<capstan::api::core::v1::AzureFilePersistentVolumeSource>;
extern template class capstan::Boxed<capstan::api::core::v1::ScaleIOPersistentVolumeSource>;
extern template class capstan::Boxed<capstan::api::core::v1::LocalVolumeSource>;
extern template class capstan::Boxed<capstan::api::core::v1::StorageOSPersistentVolumeSource>;
extern template class capstan::Boxed<capstan::api::core::v1::CSIPersistentVolumeSource>;
extern template class capstan::Boxed<capstan::api::core::v1::VolumeNodeAffinity>;
extern template class capstan::Boxed<capstan::api::core::v1::PersistentVolumeSpec>;
