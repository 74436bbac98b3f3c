// SPDX-License-Identifier: Apache-2.0
// The JSON of values that are not messages with declared fields: numbers, texts, base64, times,
// quantities, raw JSON. Mirrors the MarshalJSON methods of Kubernetes' Go types.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "clientgo/runtime/protobuf/api_types.h"
#include "clientgo/runtime/protobuf/wire.h"

namespace capstan::runtime {

// Reports whether a field of this type is written with `type`. A packed list of numbers is kBytes.
bool FitsWireType(const Field& field, WireType type);

// Reports whether Go's encoder omits this value of a field that is no pointer.
bool IsZeroLeaf(const Field& field, const WireValue& value);

// Appends the JSON of `value` to `out`. Returns what is wrong with it; empty: nothing. `out` may
// have a part of the value then. Raw JSON has `depth_max` levels at most. REQUIRES: field.type is
// not kMessage.
std::string AppendLeaf(const Field& field, const WireValue& value, std::size_t depth_max,
                       std::vector<char>& out);

}  // namespace capstan::runtime
