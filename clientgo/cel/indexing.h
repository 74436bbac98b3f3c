// SPDX-License-Identifier: Apache-2.0
// Access to the elements of lists and the members of maps and objects.
#pragma once

#include <optional>

#include "clientgo/cel/value.h"

namespace capstan::cel {

// Reports whether a value has one of the types that the key of a[key] may have.
bool IsQualifier(const Value& key);

// Returns container[key], or an error: "no such key: x", "index out of bounds: 5".
Value GetIndex(const Value& container, const Value& key);
// Returns the optional container[?key], or an error: the key cannot be an index of a list, or the
// member of a map cannot be read. An element of a list that cannot be read is an error in the
// optional, as in cel-go. The container may be optional. A value that has no elements has none at
// any key.
Value FindOptional(const Value& container, const Value& key);

}  // namespace capstan::cel
