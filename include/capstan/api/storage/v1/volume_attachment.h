// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "capstan/api/core/v1/persistent_volume_spec.h"
#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/object_meta.h"
#include "capstan/time.h"

namespace capstan::api::storage::v1 {

// VolumeAttachmentSource represents a volume that should be attached. Right now only
// PersistentVolumes can be attached via external attacher, in the future we may allow also inline
// volumes in pods. Exactly one member can be set.
struct CAPSTAN_EXPORT VolumeAttachmentSource {
  // persistentVolumeName represents the name of the persistent volume to attach.
  std::optional<std::string> persistent_volume_name = {};
  // inlineVolumeSpec contains all the information necessary to attach a persistent volume defined
  // by a pod's inline VolumeSource. This field is populated only for the CSIMigration feature. It
  // contains translated fields from a pod's inline VolumeSource to a PersistentVolumeSpec. This
  // field is beta-level and is only honored by servers that enabled the CSIMigration feature.
  Boxed<core::v1::PersistentVolumeSpec> inline_volume_spec = {};
};
CAPSTAN_EXPORT bool operator==(const VolumeAttachmentSource& a, const VolumeAttachmentSource& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const VolumeAttachmentSource*);

// VolumeAttachmentSpec is the specification of a VolumeAttachment request.
struct CAPSTAN_EXPORT VolumeAttachmentSpec {
  // attacher indicates the name of the volume driver that MUST handle this request. This is the
  // name returned by GetPluginName().
  std::string attacher = {};
  // source represents the volume that should be attached.
  VolumeAttachmentSource source = {};
  // nodeName represents the node that the volume should be attached to.
  std::string node_name = {};
};
CAPSTAN_EXPORT bool operator==(const VolumeAttachmentSpec& a, const VolumeAttachmentSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const VolumeAttachmentSpec*);

// VolumeError captures an error encountered during a volume operation.
struct CAPSTAN_EXPORT VolumeError {
  // time represents the time the error was encountered.
  std::optional<Time> time = {};
  // message represents the error encountered during Attach or Detach operation. This string may be
  // logged, so it should not contain sensitive information.
  std::string message = {};
  // errorCode is a numeric gRPC code representing the error encountered during Attach or Detach
  // operations.
  // This field requires the MutableCSINodeAllocatableCount feature gate being enabled to be set.
  std::optional<std::int32_t> error_code = {};
};
CAPSTAN_EXPORT bool operator==(const VolumeError& a, const VolumeError& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const VolumeError*);

// VolumeAttachmentStatus is the status of a VolumeAttachment request.
struct CAPSTAN_EXPORT VolumeAttachmentStatus {
  // attached indicates the volume is successfully attached. This field must only be set by the
  // entity completing the attach operation, i.e. the external-attacher.
  bool attached = {};
  // attachmentMetadata is populated with any information returned by the attach operation, upon
  // successful attach, that must be passed into subsequent WaitForAttach or Mount calls. This field
  // must only be set by the entity completing the attach operation, i.e. the external-attacher.
  std::map<std::string, std::string> attachment_metadata = {};
  // attachError represents the last error encountered during attach operation, if any. This field
  // must only be set by the entity completing the attach operation, i.e. the external-attacher.
  Boxed<VolumeError> attach_error = {};
  // detachError represents the last error encountered during detach operation, if any. This field
  // must only be set by the entity completing the detach operation, i.e. the external-attacher.
  Boxed<VolumeError> detach_error = {};
};
CAPSTAN_EXPORT bool operator==(const VolumeAttachmentStatus& a, const VolumeAttachmentStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const VolumeAttachmentStatus*);

// VolumeAttachment captures the intent to attach or detach the specified volume to/from the
// specified node.
// VolumeAttachment objects are non-namespaced.
struct CAPSTAN_EXPORT VolumeAttachment {
  // metadata is the standard object metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // spec represents specification of the desired attach/detach volume behavior. Populated by the
  // Kubernetes system.
  VolumeAttachmentSpec spec = {};
  // status represents status of the VolumeAttachment request. Populated by the entity completing
  // the attach or detach operation, i.e. the external-attacher.
  VolumeAttachmentStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const VolumeAttachment& a, const VolumeAttachment& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const VolumeAttachment*);

}  // namespace capstan::api::storage::v1

extern template class capstan::Boxed<capstan::api::storage::v1::VolumeError>;

template <>
inline constexpr auto capstan::kKind<capstan::api::storage::v1::VolumeAttachment> =
    capstan::Kind("storage.k8s.io", "v1", "VolumeAttachment", "volumeattachments")
        .ClusterScoped()
        .Whole()
        .Spec()
        .Status();
