// SPDX-License-Identifier: Apache-2.0
// The warnings about valid objects of built-in kinds: what is deprecated, ignored, or will be
// rejected by a later version. The table of kinds refers to them. Mirrors WarningsOnCreate and
// WarningsOnUpdate of the strategies in k8s.io/kubernetes/pkg/registry.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/validation/field_rules.h"

namespace capstan::testing::apiserver {

using Warnings = std::vector<std::string>;

// Returns what a label of Nodes should be replaced by; empty: it is not deprecated.
std::string_view DeprecatedNodeLabel(std::string_view key);

// `live` is not given for a create.
Warnings ClaimWarnings(const Place& live, const Place& next);
Warnings EndpointsWarnings(const Place& live, const Place& next);
Warnings EndpointSliceWarnings(const Place& live, const Place& next);
Warnings IngressWarnings(const Place& live, const Place& next);
Warnings NetworkPolicyWarnings(const Place& live, const Place& next);
Warnings NodeWarnings(const Place& live, const Place& next);
Warnings PersistentVolumeWarnings(const Place& live, const Place& next);
Warnings RuntimeClassWarnings(const Place& live, const Place& next);
Warnings SecretWarnings(const Place& live, const Place& next);
Warnings ServiceWarnings(const Place& live, const Place& next);
Warnings ServiceAccountWarnings(const Place& live, const Place& next);
Warnings StorageCapacityWarnings(const Place& live, const Place& next);
Warnings StorageClassWarnings(const Place& live, const Place& next);

}  // namespace capstan::testing::apiserver
