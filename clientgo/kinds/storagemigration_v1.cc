// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2.
#include "capstan/api/storagemigration/v1/storage_version_migration.h"
#include "capstan/generated.h"

// clang-format off
namespace capstan::api::storagemigration::v1 {

CAPSTAN_LAYOUT(StorageVersionMigrationSpec,
    CAPSTAN_REQUIRED(StorageVersionMigrationSpec, "resource", resource))

CAPSTAN_LAYOUT(StorageVersionMigrationStatus,
    CAPSTAN_FIELD(StorageVersionMigrationStatus, "conditions", conditions),
    CAPSTAN_FIELD(StorageVersionMigrationStatus, "resourceVersion", resource_version))

CAPSTAN_LAYOUT(StorageVersionMigration,
    CAPSTAN_PART(StorageVersionMigration, "metadata", metadata, kMetadata),
    CAPSTAN_PART(StorageVersionMigration, "spec", spec, kSpec),
    CAPSTAN_PART(StorageVersionMigration, "status", status, kStatus))

}  // namespace capstan::api::storagemigration::v1

