// SPDX-License-Identifier: Apache-2.0
// APIServices as Targets: spec.caBundle. None may be there when kube-apiserver serves the API
// itself or is told not to verify the server's certificate, so none is written there.
// Immutable, shared by all; mirrors apiServiceTarget of cert-manager's
// pkg/controller/cainjector/injectors.go. Differs: upstream writes anyway, for ever.
#pragma once

#include "controllers/cainjector/targets/target.h"

namespace controllers::cainjector {

const Target& ApiServiceTarget();

}  // namespace controllers::cainjector
