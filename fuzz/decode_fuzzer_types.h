// SPDX-License-Identifier: Apache-2.0
// The kinds of clientgo/api as decode_fuzzer sees them: all that their objects say, as a text.
#pragma once

#include <string>
#include <vector>

#include "clientgo/runtime/json.h"
#include "clientgo/runtime/object.h"
#include "clientgo/runtime/resource_type.h"

namespace fuzz {

const std::vector<const clientgo::runtime::ResourceType*>& Types();

// `object` is one of `type`.
std::string Describe(const clientgo::runtime::ResourceType& type,
                     const clientgo::runtime::Object& object);

// No container lies where the kinds have a scalar, and the other way round: the filter drops a
// scalar where only a container could hold a kept path, so a decoder may see that as missing.
bool HasPlainFields(const clientgo::runtime::JsonValue& object);

}  // namespace fuzz
