// SPDX-License-Identifier: Apache-2.0
// Validation of ValidatingWebhookConfigurations and MutatingWebhookConfigurations, with the error
// texts of kube-apiserver 1.34. Mirrors pkg/apis/admissionregistration/validation of Kubernetes.
// Differs: matchConditions, the segments of a service's path, and the syntax of versions are not
// checked.
#pragma once

#include "clientgo/testing/apiserver/validation/field_rules.h"

namespace capstan::testing::apiserver {

void CheckWebhooks(const Place& configuration, FieldRules& rules);

}  // namespace capstan::testing::apiserver
