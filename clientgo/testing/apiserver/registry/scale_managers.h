// SPDX-License-Identifier: Apache-2.0
// The managers of the replicas, as metadata.managedFields of an object and of its Scale have them.
// Mirrors ScaleHandler of k8s.io/apimachinery/pkg/util/managedfields.
#pragma once

#include <vector>

#include "clientgo/testing/apiserver/patch/managed_fields.h"
#include "clientgo/testing/apiserver/types/resources.h"

namespace capstan::testing::apiserver {

// Returns the managers that an object's Scale has: those who manage the object's replicas.
std::vector<ManagedFieldsEntry> ManagersOfScale(const Resource& resource,
                                                const runtime::JsonValue& object);

// Returns the managers of an object whose Scale has these managers now. The managers of the
// replicas that the Scale no longer has lose them. New ones have no time.
std::vector<ManagedFieldsEntry> ManagersAfterScale(const Resource& resource,
                                                   const runtime::JsonValue& object,
                                                   const runtime::JsonValue& scale);

}  // namespace capstan::testing::apiserver
