// SPDX-License-Identifier: Apache-2.0
// CreateJsonPatch makes the patch of an admission response: the difference of two JSON objects as
// RFC 6902 operations. ApplyTypedChange makes the changed object from a change of a C++ struct.
// The functions are pure and thread-safe.
//
// An element of a list is recognized if it is equal, or by its name, key, type or uid. So an
// insertion into a list or a removal from one does not change the elements behind it. If the list
// keeps its length, an element is also recognized by its position, unless its name, key, type or
// uid has another value. If the length changes, a changed element without them is a new one.
// Mirrors gomodules.xyz/jsonpatch, which controller-runtime uses.
#pragma once

#include <string>
#include <string_view>

#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/runtime/json_value.h"

namespace capstan::webhook {

// Returns the JSON patch that changes `original` into `modified`: "[]" for no difference, else
// [{"op":"replace","path":"/spec/replicas","value":3}]. Fails with kDecode if one of the texts is
// not a JSON object.
CAPSTAN_EXPORT Expected<std::string> CreateJsonPatch(std::string_view original,
                                                     std::string_view modified);

namespace detail {

// Returns `original` with the change from `before` to `after`, which have only some of its fields.
// The others stay, also in the elements of lists that are recognized, and in an object that
// `before` has and `after` does not: a struct whose fields are all empty looks like that.
CAPSTAN_EXPORT std::string ApplyTypedChange(const runtime::JsonValue& original,
                                            const runtime::JsonValue& before,
                                            const runtime::JsonValue& after);

}  // namespace detail
}  // namespace capstan::webhook
