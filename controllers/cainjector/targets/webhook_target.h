// SPDX-License-Identifier: Apache-2.0
// The two webhook configuration kinds as Targets: every webhooks[i].clientConfig.caBundle, whether
// the webhook is reached by a url or through a service. The apply configuration lists all webhooks,
// also those that are right already: what it left out, it would give up, and lose.
// Immutable, shared by all; mirrors mutatingWebhookTarget and validatingWebhookTarget of
// cert-manager's pkg/controller/cainjector/injectors.go.
#pragma once

#include "controllers/cainjector/targets/target.h"

namespace controllers::cainjector {

const Target& ValidatingWebhookTarget();
const Target& MutatingWebhookTarget();

}  // namespace controllers::cainjector
