// SPDX-License-Identifier: Apache-2.0
// The defaults of the kinds of apps, batch and RBAC. Pod templates get none, as Pods do not.
// Mirrors the defaulting functions of k8s.io/kubernetes/pkg/apis/{apps,batch,rbac}/v1.
#pragma once

#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/resources.h"

namespace capstan::testing::apiserver {

// Does nothing for other kinds.
void DefaultWorkload(const Resource& resource, runtime::JsonValue& object,
                     JsonAllocator& allocator);

}  // namespace capstan::testing::apiserver
