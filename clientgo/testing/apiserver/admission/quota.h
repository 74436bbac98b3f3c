// SPDX-License-Identifier: Apache-2.0
// ResourceQuotas: what the objects of a namespace use, and the admission plugin that rejects what
// would use more. As in a cluster, only what the status of a quota has is limited, and the plugin
// adds to its `used` what is created. A controller sets both, and subtracts what is deleted
// (registry/quota_status.h). Mirrors k8s.io/apiserver/pkg/admission/plugin/resourcequota and
// k8s.io/kubernetes/pkg/quota/v1/evaluator.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/admission/plugins.h"
#include "clientgo/testing/apiserver/types/amounts.h"

namespace capstan::testing::apiserver {

// Returns what the objects of a namespace that are in the scopes of a quota use of the resources in
// `hard`.
Amounts UsageOf(const Storage& storage, std::string_view ns, const runtime::JsonValue& quota,
                const Amounts& hard);

// QuotaCharge is the new status.used of a quota that counts one more object.
struct QuotaCharge {
  std::string quota;  // its name
  Amounts used;
};

// Returns what the object changes in the quotas of its namespace, or why it would exceed one.
Result<std::vector<QuotaCharge>> ChargesOf(const PluginRequest& request,
                                           const runtime::JsonDocument& next);

}  // namespace capstan::testing::apiserver
