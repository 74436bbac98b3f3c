// SPDX-License-Identifier: Apache-2.0
// ConfigMaps as a target: data["ca.crt"], or the key that kInjectCaKey names. Has no upstream.
//
// Only ConfigMaps with kInjectableConfigMaps are watched, and only their annotations are cached. A
// ConfigMap is read when it is reconciled. A key that another manager owns is not taken over.
#pragma once

#include "controllers/cainjector/targets/target.h"

namespace capstan::cainjector {

const Target& ConfigMapTarget();

}  // namespace capstan::cainjector
