// SPDX-License-Identifier: Apache-2.0
// ResourceQuotas: what the objects of a namespace use, and the admission plugin that rejects what
// would use more. As in a cluster, only what the status of a quota has is limited, and the quota
// controller sets that (registry/quota_controller.h). Unlike there, the usage is that of the stored
// objects, and never behind. Mirrors k8s.io/apiserver/pkg/admission/plugin/resourcequota and
// k8s.io/kubernetes/pkg/quota/v1/evaluator.
#pragma once

#include <optional>

#include "clientgo/testing/apiserver/admission/plugins.h"
#include "clientgo/testing/apiserver/types/amounts.h"

namespace capstan::testing::apiserver {

// Returns what the objects of a namespace that are in the scopes of a quota use of the resources in
// `hard`.
Amounts UsageOf(const Storage& storage, std::string_view ns, const runtime::JsonValue& quota,
                const Amounts& hard);

// Returns why the object would exceed a quota; nullopt: it would not.
std::optional<Status> CheckQuotas(const PluginRequest& request, const runtime::JsonDocument& next);

}  // namespace capstan::testing::apiserver
