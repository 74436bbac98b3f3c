// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>
#include <vector>

#include "capstan/api/meta/v1/group_resource.h"
#include "capstan/conditions.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/object_meta.h"

namespace capstan::api::storagemigration::v1beta1 {

// Spec of the storage version migration.
struct CAPSTAN_EXPORT StorageVersionMigrationSpec {
  // The resource that is being migrated. The migrator sends requests to the endpoint serving the
  // resource. Immutable.
  meta::v1::GroupResource resource = {};
};
CAPSTAN_EXPORT bool operator==(const StorageVersionMigrationSpec& a,
                               const StorageVersionMigrationSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const StorageVersionMigrationSpec*);

// Status of the storage version migration.
struct CAPSTAN_EXPORT StorageVersionMigrationStatus {
  // The latest available observations of the migration's current state.
  std::vector<Condition> conditions = {};
  // ResourceVersion to compare with the GC cache for performing the migration. This is the current
  // resource version of given group, version and resource when kube-controller-manager first
  // observes this StorageVersionMigration resource.
  std::string resource_version = {};
};
CAPSTAN_EXPORT bool operator==(const StorageVersionMigrationStatus& a,
                               const StorageVersionMigrationStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const StorageVersionMigrationStatus*);

// StorageVersionMigration represents a migration of stored data to the latest storage version.
struct CAPSTAN_EXPORT StorageVersionMigration {
  // Standard object metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // Specification of the migration.
  StorageVersionMigrationSpec spec = {};
  // Status of the migration.
  StorageVersionMigrationStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const StorageVersionMigration& a, const StorageVersionMigration& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const StorageVersionMigration*);

}  // namespace capstan::api::storagemigration::v1beta1

template <>
inline constexpr auto
    capstan::kKind<capstan::api::storagemigration::v1beta1::StorageVersionMigration> =
        capstan::Kind("storagemigration.k8s.io", "v1beta1", "StorageVersionMigration",
                      "storageversionmigrations")
            .ClusterScoped()
            .Whole()
            .Spec()
            .Status();
