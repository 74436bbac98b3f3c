// SPDX-License-Identifier: Apache-2.0
// Rules of the names of resources ("cpu", "example.com/gpu") and of their amounts. Mirrors a part
// of k8s.io/kubernetes/pkg/apis/core/{helper,validation}.
#pragma once

#include <string_view>

#include "clientgo/testing/apiserver/validation/field_rules.h"

namespace capstan::testing::apiserver {

bool IsQuotaResource(std::string_view name);
// Reports whether the limit of a resource may differ from its request.
bool IsOvercommitAllowed(std::string_view name);
// Check a name, which the error shows at the path of `field`. The first one reports whether it is
// valid.
bool CheckResourceName(const Place& field, std::string_view name, FieldRules& rules);
void CheckContainerResourceName(const Place& field, std::string_view name, FieldRules& rules);
void CheckQuotaResourceName(const Place& field, std::string_view name, FieldRules& rules);
// The amount is not negative, and that of things is a whole number.
void CheckResourceAmount(const Place& amount, std::string_view name, FieldRules& rules);

}  // namespace capstan::testing::apiserver
