// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "capstan/api/core/v1/persistent_volume_spec.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/object_meta.h"
#include "capstan/time.h"

namespace capstan::api::core::v1 {

// used for PersistentVolumes that are not available
inline constexpr std::string_view kVolumePending = "Pending";
// used for PersistentVolumes that are not yet bound Available volumes are held by the binder and
// matched to PersistentVolumeClaims
inline constexpr std::string_view kVolumeAvailable = "Available";
// used for PersistentVolumes that are bound
inline constexpr std::string_view kVolumeBound = "Bound";
// used for PersistentVolumes where the bound PersistentVolumeClaim was deleted released volumes
// must be recycled before becoming available again this phase is used by the persistent volume
// claim binder to signal to another process to reclaim the resource
inline constexpr std::string_view kVolumeReleased = "Released";
// used for PersistentVolumes that failed to be correctly recycled or deleted after being released
// from a claim
inline constexpr std::string_view kVolumeFailed = "Failed";

// PersistentVolumeStatus is the current status of a persistent volume.
struct CAPSTAN_EXPORT PersistentVolumeStatus {
  // phase indicates if a volume is available, bound to a claim, or released by a claim. More info:
  // https://kubernetes.io/docs/concepts/storage/persistent-volumes#phase
  std::string phase = {};
  // message is a human-readable message indicating details about why the volume is in this state.
  std::string message = {};
  // reason is a brief CamelCase string that describes any failure and is meant for machine parsing
  // and tidy display in the CLI.
  std::string reason = {};
  // lastPhaseTransitionTime is the time the phase transitioned from one to another and
  // automatically resets to current time everytime a volume phase transitions.
  std::optional<Time> last_phase_transition_time = {};
};
CAPSTAN_EXPORT bool operator==(const PersistentVolumeStatus& a, const PersistentVolumeStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PersistentVolumeStatus*);

// PersistentVolume (PV) is a storage resource provisioned by an administrator. It is analogous to a
// node. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes
struct CAPSTAN_EXPORT PersistentVolume {
  // Standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // spec defines a specification of a persistent volume owned by the cluster. Provisioned by an
  // administrator. More info:
  // https://kubernetes.io/docs/concepts/storage/persistent-volumes#persistent-volumes
  PersistentVolumeSpec spec = {};
  // status represents the current information/status for the persistent volume. Populated by the
  // system. Read-only. More info:
  // https://kubernetes.io/docs/concepts/storage/persistent-volumes#persistent-volumes
  PersistentVolumeStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const PersistentVolume& a, const PersistentVolume& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PersistentVolume*);

}  // namespace capstan::api::core::v1

template <>
inline constexpr auto capstan::kKind<capstan::api::core::v1::PersistentVolume> =
    capstan::Kind("", "v1", "PersistentVolume", "persistentvolumes")
        .ClusterScoped()
        .Whole()
        .Spec()
        .Status();
