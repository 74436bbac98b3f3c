// SPDX-License-Identifier: Apache-2.0
// What an error may show of an object. kube-apiserver repeats whole Secrets in the errors of JSON
// patches and merge patches. This server shows no data of a Secret.
#pragma once

#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/resources.h"

namespace capstan::testing::apiserver {

// Returns a copy of an object, or of a patch of one. Of a Secret it has the keys of the data, and
// neither the values nor the annotation in which kubectl repeats them.
runtime::JsonDocument WithoutSecretData(const Resource& resource, const runtime::JsonValue& object);

}  // namespace capstan::testing::apiserver
