// SPDX-License-Identifier: Apache-2.0
// Validation of ValidatingWebhookConfigurations and MutatingWebhookConfigurations, with the error
// texts of kube-apiserver 1.34. Mirrors pkg/apis/admissionregistration/validation of Kubernetes.
// Differs: matchConditions, the segments of a service's path, and the syntax of versions are not
// checked.
#pragma once

#include <vector>

#include "clientgo/testing/apiserver/json_edit.h"
#include "clientgo/testing/apiserver/status.h"

namespace capstan::testing::apiserver {

// Returns why the webhooks of the configuration are invalid; empty: they are valid.
std::vector<Cause> ValidateWebhooks(const runtime::JsonValue& configuration);

}  // namespace capstan::testing::apiserver
