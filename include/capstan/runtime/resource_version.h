// SPDX-License-Identifier: Apache-2.0
// Mirrors k8s.io/apimachinery/pkg/util/resourceversion.
#pragma once

#include <string_view>

#include "capstan/error.h"
#include "capstan/export.h"

namespace capstan::runtime {

// Returns a negative number if version `a` is older than `b`, 0 if they are equal, and a positive
// number if `a` is newer. Only versions of one resource of one API server can be compared. Fails
// with kInvalidArgument unless both are positive decimal numbers without leading zeros. They may
// have any length.
//
// Since Kubernetes 1.35 the API guarantees this order (KEP-5504). Older API servers store the
// revisions of etcd, which have the same order, but an aggregated API server of another project may
// have other versions. Pure function.
CAPSTAN_EXPORT Expected<int> CompareResourceVersion(std::string_view a, std::string_view b);

}  // namespace capstan::runtime
