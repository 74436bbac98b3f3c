// SPDX-License-Identifier: Apache-2.0
// Base64 as Kubernetes uses it for []byte fields: the standard alphabet with required padding. Like
// Go's base64.StdEncoding, it skips line breaks, because a kubeconfig may fold its data, and it
// ignores extra bits after the last whole byte. Everything else that is not base64 is an error. The
// result is allocated once at its final size, which leaves no copies of a secret.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "capstan/export.h"

namespace capstan {

CAPSTAN_EXPORT std::string Base64Encode(std::string_view bytes);
// Returns nullopt when `text` is not base64.
CAPSTAN_EXPORT std::optional<std::string> Base64Decode(std::string_view text);

}  // namespace capstan
