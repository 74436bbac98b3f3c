// SPDX-License-Identifier: Apache-2.0
// The names of fields as identifiers of CEL: "a-b" is a__dash__b, "namespace" is __namespace__.
// Mirrors k8s.io/apiserver/pkg/cel/escaping.go.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace capstan::cel {

// Return nullopt if there is no such identifier or name.
std::optional<std::string> Escape(std::string_view name);
std::optional<std::string> Unescape(std::string_view identifier);

bool IsKeyword(std::string_view name);

}  // namespace capstan::cel
