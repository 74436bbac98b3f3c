// SPDX-License-Identifier: Apache-2.0
// The subresources ephemeralcontainers and resize of Pods: a Pod is written, and only some members
// of its spec change. Mirrors the strategies in k8s.io/kubernetes/pkg/registry/core/pod.
//
// Differs: a resize is not checked for sidecars and memory limits, and an ephemeral container only
// for its name, image and target. A changed one is rejected without Go's difference of both.
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
