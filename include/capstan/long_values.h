// SPDX-License-Identifier: Apache-2.0
// WithoutLongValues shortens a message of the API server for people. The server quotes a rejected
// value before the reason, and an Event has room for 1,024 bytes. So a CA bundle in it would hide
// the reason. Pure function.
#pragma once

#include <string>
#include <string_view>

#include "capstan/export.h"

namespace capstan {

// Replaces each run of more than 256 bytes of base64 or PEM, and each list of bytes in Go's syntax,
// by its length: "(1624 bytes)". Names are shorter, so they stay.
CAPSTAN_EXPORT std::string WithoutLongValues(std::string_view message);

}  // namespace capstan
