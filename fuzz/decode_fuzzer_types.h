// SPDX-License-Identifier: Apache-2.0
// The kinds that decode_fuzzer decodes, with all fields of an object as text.
#pragma once

#include <string>
#include <vector>

#include "capstan/runtime/object.h"
#include "capstan/runtime/resource_type.h"
#include "clientgo/runtime/json.h"

namespace fuzz {

const std::vector<const capstan::runtime::ResourceType*>& Types();

// Returns all fields of an object of `type` as text.
std::string Describe(const capstan::runtime::ResourceType& type,
                     const capstan::runtime::Object& object);

// Reports whether the object has no scalar in place of a container. The filter drops such a scalar,
// so a decoder of the filtered frame sees a missing field instead.
bool HasPlainFields(const capstan::runtime::JsonValue& object);

}  // namespace fuzz
