// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"

namespace capstan::api::core::v1 {

// ImagePolicyFailedOpenKey is added to pods created by failing open when the image policy webhook
// backend fails.
inline constexpr std::string_view kImagePolicyFailedOpenKey =
    "alpha.image-policy.k8s.io/failed-open";
// MirrorPodAnnotationKey represents the annotation key set by kubelets when creating mirror pods
inline constexpr std::string_view kMirrorPodAnnotationKey = "kubernetes.io/config.mirror";
// TolerationsAnnotationKey represents the key of tolerations data (json serialized) in the
// Annotations of a Pod.
inline constexpr std::string_view kTolerationsAnnotationKey =
    "scheduler.alpha.kubernetes.io/tolerations";
// TaintsAnnotationKey represents the key of taints data (json serialized) in the Annotations of a
// Node.
inline constexpr std::string_view kTaintsAnnotationKey = "scheduler.alpha.kubernetes.io/taints";
// SeccompPodAnnotationKey represents the key of a seccomp profile applied to all containers of a
// pod. Deprecated: set a pod security context `seccompProfile` field.
inline constexpr std::string_view kSeccompPodAnnotationKey =
    "seccomp.security.alpha.kubernetes.io/pod";
// SeccompContainerAnnotationKeyPrefix represents the key of a seccomp profile applied to one
// container of a pod. Deprecated: set a container security context `seccompProfile` field.
inline constexpr std::string_view kSeccompContainerAnnotationKeyPrefix =
    "container.seccomp.security.alpha.kubernetes.io/";
// SeccompProfileRuntimeDefault represents the default seccomp profile used by container runtime.
// Deprecated: set a pod or container security context `seccompProfile` of type "RuntimeDefault"
// instead.
inline constexpr std::string_view kSeccompProfileRuntimeDefault = "runtime/default";
// SeccompProfileNameUnconfined is the unconfined seccomp profile.
inline constexpr std::string_view kSeccompProfileNameUnconfined = "unconfined";
// DeprecatedSeccompProfileDockerDefault represents the default seccomp profile used by docker.
// Deprecated: set a pod or container security context `seccompProfile` of type "RuntimeDefault"
// instead.
inline constexpr std::string_view kDeprecatedSeccompProfileDockerDefault = "docker/default";
// PreferAvoidPodsAnnotationKey represents the key of preferAvoidPods data (json serialized) in the
// Annotations of a Node.
inline constexpr std::string_view kPreferAvoidPodsAnnotationKey =
    "scheduler.alpha.kubernetes.io/preferAvoidPods";
// ObjectTTLAnnotationKey represents a suggestion for kubelet for how long it can cache an object
// (e.g. secret, config map) before fetching it again from apiserver. This annotation can be
// attached to node.
inline constexpr std::string_view kObjectTTLAnnotationKey = "node.alpha.kubernetes.io/ttl";
// NamespaceDefault means the object is in the default namespace which is applied when not specified
// by clients
inline constexpr std::string_view kNamespaceDefault = "default";
// NamespaceAll is the default argument to specify on a context when you want to list or filter
// resources across all namespaces
inline constexpr std::string_view kNamespaceAll = "";
// NamespaceNodeLease is the namespace where we place node lease objects (used for node heartbeats)
inline constexpr std::string_view kNamespaceNodeLease = "kube-node-lease";
// TerminationMessagePathDefault means the default path to capture the application termination
// message running in a container
inline constexpr std::string_view kTerminationMessagePathDefault = "/dev/termination-log";
// Information only and will not cause any problems
inline constexpr std::string_view kEventTypeNormal = "Normal";
// These events are to warn that something might go wrong
inline constexpr std::string_view kEventTypeWarning = "Warning";
// resource.k8s.io devices requested with a certain DeviceClass, number
inline constexpr std::string_view kResourceClaimsPerClass = ".deviceclass.resource.k8s.io/devices";
// resource.k8s.io devices requested with a certain DeviceClass by implicit extended resource name,
// number
inline constexpr std::string_view kResourceImplicitExtendedClaimsPerClass =
    "requests.deviceclass.resource.kubernetes.io/";

// For backwards compatible, leave it empty if unset
inline constexpr std::string_view kHostPathUnset = "";
// If nothing exists at the given path, an empty directory will be created there as needed with file
// mode 0755, having the same group and ownership with Kubelet.
inline constexpr std::string_view kHostPathDirectoryOrCreate = "DirectoryOrCreate";
// A directory must exist at the given path
inline constexpr std::string_view kHostPathDirectory = "Directory";
// If nothing exists at the given path, an empty file will be created there as needed with file mode
// 0644, having the same group and ownership with Kubelet.
inline constexpr std::string_view kHostPathFileOrCreate = "FileOrCreate";
// A file must exist at the given path
inline constexpr std::string_view kHostPathFile = "File";
// A UNIX socket must exist at the given path
inline constexpr std::string_view kHostPathSocket = "Socket";
// A character device must exist at the given path
inline constexpr std::string_view kHostPathCharDev = "CharDevice";
// A block device must exist at the given path
inline constexpr std::string_view kHostPathBlockDev = "BlockDevice";

// Represents a host path mapped into a pod. Host path volumes do not support ownership management
// or SELinux relabeling.
struct CAPSTAN_EXPORT HostPathVolumeSource {
  // path of the directory on the host. If the path is a symlink, it will follow the link to the
  // real path. More info: https://kubernetes.io/docs/concepts/storage/volumes#hostpath
  std::string path = {};
  // type for HostPath Volume Defaults to "" More info:
  // https://kubernetes.io/docs/concepts/storage/volumes#hostpath
  std::optional<std::string> type = {};
};
CAPSTAN_EXPORT bool operator==(const HostPathVolumeSource& a, const HostPathVolumeSource& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const HostPathVolumeSource*);

}  // namespace capstan::api::core::v1

extern template class capstan::Boxed<capstan::api::core::v1::HostPathVolumeSource>;
