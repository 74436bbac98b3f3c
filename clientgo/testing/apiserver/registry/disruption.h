// SPDX-License-Identifier: Apache-2.0
// What PodDisruptionBudgets say about an eviction. Nothing here computes their status, so an
// eviction of a selected Pod is refused until a client has set it, as by a kube-apiserver without a
// kube-controller-manager. Mirrors k8s.io/kubernetes/pkg/registry/core/pod/storage/eviction.go.
#pragma once

#include "clientgo/testing/apiserver/registry/registry.h"
#include "clientgo/testing/apiserver/storage/storage.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

// Returns an error if a budget does not allow the eviction of the Pod. Otherwise counts the
// eviction in the status of its budget, except in a dry run.
Result<void> CheckDisruptionBudget(const Storage& storage, Registry& registry,
                                   const runtime::JsonValue& pod, bool dry_run);

}  // namespace capstan::testing::apiserver
