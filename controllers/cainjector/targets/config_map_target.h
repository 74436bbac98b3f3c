// SPDX-License-Identifier: Apache-2.0
// ConfigMaps as a target: data["ca.crt"], or the key that kInjectCaKey names. Has no upstream.
//
// Only ConfigMaps with kInjectableConfigMaps are watched. The whole data is received, but only that
// key is cached, and shares its bundle with the other targets that hold it. So a rotation needs no
// GET, and the other keys need no memory. A key that another manager owns is not taken over.
#pragma once

#include "controllers/cainjector/targets/target.h"

namespace capstan::controllers::cainjector {

const Target& ConfigMapTarget();

}  // namespace capstan::controllers::cainjector
