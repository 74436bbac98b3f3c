// SPDX-License-Identifier: Apache-2.0
// The subresources ephemeralcontainers and resize of Pods: a Pod is written, and only some members
// of its spec change. Mirrors the strategies in k8s.io/kubernetes/pkg/registry/core/pod.
//
// Differs from upstream: sidecars and memory limits are not checked in a resize. Only the name, the
// image and the target of an ephemeral container are checked. The error for a changed one does not
// show what changed.
#pragma once

#include <string_view>

#include "clientgo/testing/apiserver/registry/write_path.h"

namespace capstan::testing::apiserver {

// Reports whether this is one of the two subresources.
bool IsPodSubresource(const Resource& resource, std::string_view subresource);
// Returns `live` with those members of `next` that a write of the subresource may change, or why
// it is rejected.
Result<Document> TakeFromPod(const runtime::JsonDocument& live, const runtime::JsonDocument& next,
                             std::string_view subresource);

}  // namespace capstan::testing::apiserver
