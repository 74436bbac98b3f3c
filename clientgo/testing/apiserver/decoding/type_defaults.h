// SPDX-License-Identifier: Apache-2.0
// The defaults of the Go types of which built-in kinds are made, such as Container and Probe,
// wherever they are in an object. The defaults of whole kinds are in defaults.h. Mirrors
// SetDefaults_* and zz_generated.defaults.go of k8s.io/kubernetes/pkg/apis.
#pragma once

#include "clientgo/runtime/protobuf/api_types.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {

// Sets the defaults of the types inside an object of this type. Also adds the empty structs that
// Go's encoder writes in them, such as a container's resources, and writes quantities and
// times in their canonical form.
void SetTypeDefaults(const runtime::Message& message, runtime::JsonDocument& object);

}  // namespace capstan::testing::apiserver
