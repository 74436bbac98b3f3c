// SPDX-License-Identifier: Apache-2.0
// The cells of `kubectl get` that show more than one field, by the names that column_text.h uses.
// Mirrors the functions in k8s.io/kubernetes/pkg/printers/internalversion/printers.go.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {

// Returns the function that makes the JSON of a cell; an empty one if there is none of this name.
std::function<std::string(const runtime::JsonValue& object)> FindCell(std::string_view name);

}  // namespace capstan::testing::apiserver
