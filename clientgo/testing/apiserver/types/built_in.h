// SPDX-License-Identifier: Apache-2.0
// The Go types of the built-in kinds that the embedded API server serves.
#pragma once

#include <string_view>

#include "clientgo/runtime/json.h"
#include "clientgo/runtime/protobuf/api_types.h"
#include "clientgo/testing/apiserver/types/resources.h"

namespace capstan::testing::apiserver {

// Returns null for a custom resource.
const runtime::Message* FindMessage(const Resource& resource);
// Returns the message of the metadata that every object has.
const runtime::Message& ObjectMeta();

// Returns the JSON that Go's encoder writes for an empty object of this kind, without its type and
// metadata. "{}" for a custom resource.
std::string_view ZeroJson(const Resource& resource);
runtime::JsonDocument ZeroObject(const Resource& resource);

}  // namespace capstan::testing::apiserver
