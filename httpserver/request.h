// SPDX-License-Identifier: Apache-2.0
// What of a request is text and no protocol: the target, split and decoded. Internal to httpserver.
// Pure functions. Mirrors the part of Go's net/url that a server needs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "httpserver/server.h"

namespace httpserver {

// Undoes %XX, and '+' when asked; nullopt for a '%' that no two hexadecimal digits follow.
std::optional<std::string> PercentDecode(std::string_view text, bool plus_is_space);

// Fills target, path and query; false when `target` is not an absolute path, or badly encoded.
bool ParseTarget(std::string_view target, Request& request);

}  // namespace httpserver
