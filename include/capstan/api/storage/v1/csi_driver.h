// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/list.h"
#include "capstan/object_meta.h"

namespace capstan::api::storage::v1 {

// TokenRequest contains parameters of a service account token.
struct CAPSTAN_EXPORT TokenRequest {
  // audience is the intended audience of the token in "TokenRequestSpec". It will default to the
  // audiences of kube apiserver.
  std::string audience = {};
  // expirationSeconds is the duration of validity of the token in "TokenRequestSpec". It has the
  // same default value of "ExpirationSeconds" in "TokenRequestSpec".
  std::optional<std::int64_t> expiration_seconds = {};
};
CAPSTAN_EXPORT bool operator==(const TokenRequest& a, const TokenRequest& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const TokenRequest*);

// VolumeLifecycleMode is an enumeration of possible usage modes for a volume provided by a CSI
// driver. More modes may be added in the future.
// VolumeLifecyclePersistent explicitly confirms that the driver implements the full CSI spec. It is
// the default when CSIDriverSpec.VolumeLifecycleModes is not set. Such volumes are managed in
// Kubernetes via the persistent volume claim mechanism and have a lifecycle that is independent of
// the pods which use them.
inline constexpr std::string_view kVolumeLifecyclePersistent = "Persistent";
// VolumeLifecycleEphemeral indicates that the driver can be used for ephemeral inline volumes. Such
// volumes are specified inside the pod spec with a CSIVolumeSource and, as far as Kubernetes is
// concerned, have a lifecycle that is tied to the lifecycle of the pod. For example, such a volume
// might contain data that gets created specifically for that pod, like secrets. But how the volume
// actually gets created and managed is entirely up to the driver. It might also use reference
// counting to share the same volume instance among different pods if the CSIVolumeSource of those
// pods is identical.
inline constexpr std::string_view kVolumeLifecycleEphemeral = "Ephemeral";

// FSGroupPolicy specifies if a CSI Driver supports modifying volume ownership and permissions of
// the volume to be mounted. More modes may be added in the future.
// ReadWriteOnceWithFSTypeFSGroupPolicy indicates that each volume will be examined to determine if
// the volume ownership and permissions should be modified. If a fstype is defined and the volume's
// access mode contains ReadWriteOnce or ReadWriteOncePod, then the defined fsGroup will be applied.
// This mode should be defined if it's expected that the fsGroup may need to be modified depending
// on the pod's SecurityPolicy. This is the default behavior if no other FSGroupPolicy is defined.
inline constexpr std::string_view kReadWriteOnceWithFSTypeFSGroupPolicy = "ReadWriteOnceWithFSType";
// FileFSGroupPolicy indicates that CSI driver supports volume ownership and permission change via
// fsGroup, and Kubernetes will change the permissions and ownership of every file in the volume to
// match the user requested fsGroup in the pod's SecurityPolicy regardless of fstype or access mode.
// Use this mode if Kubernetes should modify the permissions and ownership of the volume.
inline constexpr std::string_view kFileFSGroupPolicy = "File";
// NoneFSGroupPolicy indicates that volumes will be mounted without performing any ownership or
// permission modifications, as the CSIDriver does not support these operations. This mode should be
// selected if the CSIDriver does not support fsGroup modifications, for example when Kubernetes
// cannot change ownership and permissions on a volume due to root-squash settings on a NFS volume.
inline constexpr std::string_view kNoneFSGroupPolicy = "None";

// CSIDriverSpec is the specification of a CSIDriver.
struct CAPSTAN_EXPORT CSIDriverSpec {
  // attachRequired indicates this CSI volume driver requires an attach operation (because it
  // implements the CSI ControllerPublishVolume() method), and that the Kubernetes attach detach
  // controller should call the attach volume interface which checks the volumeattachment status and
  // waits until the volume is attached before proceeding to mounting. The CSI external-attacher
  // coordinates with CSI volume driver and updates the volumeattachment status when the attach
  // operation is complete. If the value is specified to false, the attach operation will be
  // skipped. Otherwise the attach operation will be called.
  // This field is immutable.
  std::optional<bool> attach_required = {};
  // podInfoOnMount indicates this CSI volume driver requires additional pod information (like
  // podName, podUID, etc.) during mount operations, if set to true. If set to false, pod
  // information will not be passed on mount. Default is false.
  // The CSI driver specifies podInfoOnMount as part of driver deployment. If true, Kubelet will
  // pass pod information as VolumeContext in the CSI NodePublishVolume() calls. The CSI driver is
  // responsible for parsing and validating the information passed in as VolumeContext.
  // The following VolumeContext will be passed if podInfoOnMount is set to true. This list might
  // grow, but the prefix will be used. "csi.storage.k8s.io/pod.name": pod.Name
  // "csi.storage.k8s.io/pod.namespace": pod.Namespace "csi.storage.k8s.io/pod.uid": string(pod.UID)
  // "csi.storage.k8s.io/ephemeral": "true" if the volume is an ephemeral inline volume
  // defined by a CSIVolumeSource, otherwise "false"
  // "csi.storage.k8s.io/ephemeral" is a new feature in Kubernetes 1.16. It is only required for
  // drivers which support both the "Persistent" and "Ephemeral" VolumeLifecycleMode. Other drivers
  // can leave pod info disabled and/or ignore this field. As Kubernetes 1.15 doesn't support this
  // field, drivers can only support one mode when deployed on such a cluster and the deployment
  // determines which mode that is, for example via a command line parameter of the driver.
  // This field was immutable in Kubernetes < 1.29 and now is mutable.
  std::optional<bool> pod_info_on_mount = {};
  // volumeLifecycleModes defines what kind of volumes this CSI volume driver supports. The default
  // if the list is empty is "Persistent", which is the usage defined by the CSI specification and
  // implemented in Kubernetes via the usual PV/PVC mechanism.
  // The other mode is "Ephemeral". In this mode, volumes are defined inline inside the pod spec
  // with CSIVolumeSource and their lifecycle is tied to the lifecycle of that pod. A driver has to
  // be aware of this because it is only going to get a NodePublishVolume call for such a volume.
  // For more information about implementing this mode, see
  // https://kubernetes-csi.github.io/docs/ephemeral-local-volumes.html A driver can support one or
  // more of these modes and more modes may be added in the future.
  // This field is beta. This field is immutable.
  std::vector<std::string> volume_lifecycle_modes = {};
  // storageCapacity indicates that the CSI volume driver wants pod scheduling to consider the
  // storage capacity that the driver deployment will report by creating CSIStorageCapacity objects
  // with capacity information, if set to true.
  // The check can be enabled immediately when deploying a driver. In that case, provisioning new
  // volumes with late binding will pause until the driver deployment has published some suitable
  // CSIStorageCapacity object.
  // Alternatively, the driver can be deployed with the field unset or false and it can be flipped
  // later when storage capacity information has been published.
  // This field was immutable in Kubernetes <= 1.22 and now is mutable.
  std::optional<bool> storage_capacity = {};
  // fsGroupPolicy defines if the underlying volume supports changing ownership and permission of
  // the volume before being mounted. Refer to the specific FSGroupPolicy values for additional
  // details.
  // This field was immutable in Kubernetes < 1.29 and now is mutable.
  // Defaults to ReadWriteOnceWithFSType, which will examine each volume to determine if Kubernetes
  // should modify ownership and permissions of the volume. With the default policy the defined
  // fsGroup will only be applied if a fstype is defined and the volume's access mode contains
  // ReadWriteOnce.
  std::optional<std::string> fs_group_policy = {};
  // tokenRequests indicates the CSI driver needs pods' service account tokens it is mounting volume
  // for to do necessary authentication. Kubelet will pass the tokens in VolumeContext in the CSI
  // NodePublishVolume calls. The CSI driver should parse and validate the following VolumeContext:
  // "csi.storage.k8s.io/serviceAccount.tokens": {
  // "<audience>": {
  // "token": <token>,
  // "expirationTimestamp": <expiration timestamp in RFC3339>,
  // },
  // ... }
  // Note: Audience in each TokenRequest should be different and at most one token is empty string.
  // To receive a new token after expiry, RequiresRepublish can be used to trigger NodePublishVolume
  // periodically.
  List<TokenRequest> token_requests = {};
  // requiresRepublish indicates the CSI driver wants `NodePublishVolume` being periodically called
  // to reflect any possible change in the mounted volume. This field defaults to false.
  // Note: After a successful initial NodePublishVolume call, subsequent calls to NodePublishVolume
  // should only update the contents of the volume. New mount points will not be seen by a running
  // container.
  std::optional<bool> requires_republish = {};
  // seLinuxMount specifies if the CSI driver supports "-o context" mount option.
  // When "true", the CSI driver must ensure that all volumes provided by this CSI driver can be
  // mounted separately with different `-o context` options. This is typical for storage backends
  // that provide volumes as filesystems on block devices or as independent shared volumes.
  // Kubernetes will call NodeStage / NodePublish with "-o context=xyz" mount option when mounting a
  // ReadWriteOncePod volume used in Pod that has explicitly set SELinux context. In the future, it
  // may be expanded to other volume AccessModes. In any case, Kubernetes will ensure that the
  // volume is mounted only with a single SELinux context.
  // When "false", Kubernetes won't pass any special SELinux mount options to the driver. This is
  // typical for volumes that represent subdirectories of a bigger shared filesystem.
  // Default is "false".
  std::optional<bool> se_linux_mount = {};
  // nodeAllocatableUpdatePeriodSeconds specifies the interval between periodic updates of the
  // CSINode allocatable capacity for this driver. When set, both periodic updates and updates
  // triggered by capacity-related failures are enabled. If not set, no updates occur (neither
  // periodic nor upon detecting capacity-related failures), and the allocatable.count remains
  // static. The minimum allowed value for this field is 10 seconds.
  // This feature requires the MutableCSINodeAllocatableCount feature gate to be enabled.
  // This field is mutable.
  std::optional<std::int64_t> node_allocatable_update_period_seconds = {};
  // serviceAccountTokenInSecrets is an opt-in for CSI drivers to indicate that service account
  // tokens should be passed via the Secrets field in NodePublishVolumeRequest instead of the
  // VolumeContext field. The CSI specification provides a dedicated Secrets field for sensitive
  // information like tokens, which is the appropriate mechanism for handling credentials. This
  // addresses security concerns where sensitive tokens were being logged as part of volume context.
  // When "true", kubelet will pass the tokens only in the Secrets field with the key
  // "csi.storage.k8s.io/serviceAccount.tokens". The CSI driver must be updated to read tokens from
  // the Secrets field instead of VolumeContext.
  // When "false" or not set, kubelet will pass the tokens in VolumeContext with the key
  // "csi.storage.k8s.io/serviceAccount.tokens" (existing behavior). This maintains backward
  // compatibility with existing CSI drivers.
  // This field can only be set when TokenRequests is configured. The API server will reject
  // CSIDriver specs that set this field without TokenRequests.
  // Default behavior if unset is to pass tokens in the VolumeContext field.
  std::optional<bool> service_account_token_in_secrets = {};
  // preventPodSchedulingIfMissing indicates that the CSI driver wants to prevent pod scheduling if
  // the CSI driver on the node is missing.
  // Enabling this option will prevent the scheduler (or any other component which embeds default
  // scheduler such as cluster-autoscaler) from scheduling pods to nodes where CSI driver is not
  // installed.
  // For components(such as cluster-autoscaler) that embed the scheduler and run pod placement
  // simulations using scheduler plugins, they MUST be aware of CSI driver registration information
  // via CSINode object. They must create simulated CSINode objects in addition to Node objects
  // during scheduling simulation, otherwise if PreventPodSchedulingIfMissing is enabled globally
  // for CSIDriver object, any newly created node may be rejected by the scheduler because of
  // missing CSI driver information from the node.
  // This is a beta feature and requires the VolumeLimitScaling feature gate to be enabled. Default
  // is "false".
  std::optional<bool> prevent_pod_scheduling_if_missing = {};
};
CAPSTAN_EXPORT bool operator==(const CSIDriverSpec& a, const CSIDriverSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const CSIDriverSpec*);

// CSIDriver captures information about a Container Storage Interface (CSI) volume driver deployed
// on the cluster. Kubernetes attach detach controller uses this object to determine whether attach
// is required. Kubelet uses this object to determine whether pod information needs to be passed on
// mount. CSIDriver objects are non-namespaced.
struct CAPSTAN_EXPORT CSIDriver {
  // metadata is the standard object metadata. metadata.Name indicates the name of the CSI driver
  // that this object refers to; it MUST be the same name returned by the CSI GetPluginName() call
  // for that driver. The driver name must be 63 characters or less, beginning and ending with an
  // alphanumeric character ([a-z0-9A-Z]) with dashes (-), dots (.), and alphanumerics between. More
  // info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // spec represents the specification of the CSI Driver.
  CSIDriverSpec spec = {};
};
CAPSTAN_EXPORT bool operator==(const CSIDriver& a, const CSIDriver& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const CSIDriver*);

}  // namespace capstan::api::storage::v1

extern template class capstan::List<capstan::api::storage::v1::TokenRequest>;

template <>
inline constexpr auto capstan::kKind<capstan::api::storage::v1::CSIDriver> =
    capstan::Kind("storage.k8s.io", "v1", "CSIDriver", "csidrivers").ClusterScoped().Whole().Spec();
