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

namespace capstan::api::meta::v1 {

// Preconditions must be fulfilled before an operation (update, delete, etc.) is carried out.
struct CAPSTAN_EXPORT Preconditions {
  // Specifies the target UID.
  std::optional<std::string> uid = {};
  // Specifies the target ResourceVersion
  std::optional<std::string> resource_version = {};
};
CAPSTAN_EXPORT bool operator==(const Preconditions& a, const Preconditions& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const Preconditions*);

// DeletionPropagation decides if a deletion will propagate to the dependents of the object, and how
// the garbage collector will handle the propagation.
// Orphans the dependents.
inline constexpr std::string_view kDeletePropagationOrphan = "Orphan";
// Deletes the object from the key-value store, the garbage collector will delete the dependents in
// the background.
inline constexpr std::string_view kDeletePropagationBackground = "Background";
// The object exists in the key-value store until the garbage collector deletes all the dependents
// whose ownerReference.blockOwnerDeletion=true from the key-value store.  API sever will put the
// "foregroundDeletion" finalizer on the object, and sets its deletionTimestamp.  This policy is
// cascading, i.e., the dependents will be deleted with Foreground.
inline constexpr std::string_view kDeletePropagationForeground = "Foreground";

// DeleteOptions may be provided when deleting an API object.
struct CAPSTAN_EXPORT DeleteOptions {
  // The duration in seconds before the object should be deleted. Value must be non-negative
  // integer. The value zero indicates delete immediately. If this value is nil, the default grace
  // period for the specified type will be used. Defaults to a per object value if not specified.
  // zero means delete immediately.
  std::optional<std::int64_t> grace_period_seconds = {};
  // Must be fulfilled before a deletion is carried out. If not possible, a 409 Conflict status will
  // be returned.
  Boxed<Preconditions> preconditions = {};
  // Deprecated: please use the PropagationPolicy, this field will be deprecated in 1.7. Should the
  // dependent objects be orphaned. If true/false, the "orphan" finalizer will be added to/removed
  // from the object's finalizers list. Either this field or PropagationPolicy may be set, but not
  // both.
  std::optional<bool> orphan_dependents = {};
  // Whether and how garbage collection will be performed. Either this field or OrphanDependents may
  // be set, but not both. The default policy is decided by the existing finalizer set in the
  // metadata.finalizers and the resource-specific default policy. Acceptable values are: 'Orphan' -
  // orphan the dependents; 'Background' - allow the garbage collector to delete the dependents in
  // the background; 'Foreground' - a cascading policy that deletes all dependents in the
  // foreground.
  std::optional<std::string> propagation_policy = {};
  // When present, indicates that modifications should not be persisted. An invalid or unrecognized
  // dryRun directive will result in an error response and no further processing of the request.
  // Valid values are:
  // - All: all dry run stages will be processed
  std::vector<std::string> dry_run = {};
  // if set to true, it will trigger an unsafe deletion of the resource in case the normal deletion
  // flow fails with a corrupt object error. A resource is considered corrupt if it can not be
  // retrieved from the underlying storage successfully because of a) its data can not be
  // transformed e.g. decryption failure, or b) it fails to decode into an object. NOTE: unsafe
  // deletion ignores finalizer constraints, skips precondition checks, and removes the object from
  // the storage. WARNING: This may potentially break the cluster if the workload associated with
  // the resource being unsafe-deleted relies on normal deletion flow. Use only if you REALLY know
  // what you are doing. The default value is false, and the user must opt in to enable it
  std::optional<bool> ignore_store_read_error_with_cluster_breaking_potential = {};
};
CAPSTAN_EXPORT bool operator==(const DeleteOptions& a, const DeleteOptions& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DeleteOptions*);

}  // namespace capstan::api::meta::v1

extern template class capstan::Boxed<capstan::api::meta::v1::Preconditions>;
extern template class capstan::Boxed<capstan::api::meta::v1::DeleteOptions>;
