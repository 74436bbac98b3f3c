// SPDX-License-Identifier: Apache-2.0
// The fields of feature gates that are off by default. A kube-apiserver knows them, so they are no
// unknown fields, and drops them without a warning. Mirrors the functions dropDisabledFields of
// k8s.io/kubernetes 1.34.
#pragma once

#include "clientgo/runtime/protobuf/api_types.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {

// Removes these fields from an object of this type. `message` may be null: nothing is removed.
void DropDisabledFields(const runtime::Message* message, runtime::JsonValue& object);

}  // namespace capstan::testing::apiserver
