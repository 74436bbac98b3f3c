// SPDX-License-Identifier: Apache-2.0
// What the kinds decide about a write beside its validation. Mirrors the strategies of
// k8s.io/kubernetes/pkg/registry and of k8s.io/apiextensions-apiserver/pkg/registry.
#pragma once

#include <string_view>

#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/resources.h"

namespace capstan::testing::apiserver {

// Removes the fields that a write of this subresource does not change from an applied
// configuration, so that its manager does not own them.
void DropResetFields(const Resource& resource, std::string_view subresource,
                     runtime::JsonDocument& configuration);

// Reports whether a deletion without a propagationPolicy orphans the dependents of this object.
bool OrphansByDefault(const Resource& resource, const runtime::JsonValue& object);
// The warning about such a deletion.
inline constexpr std::string_view kOrphansWarning =
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background "
    "to remove them or set propagationPolicy=Orphan to suppress this warning";

}  // namespace capstan::testing::apiserver
