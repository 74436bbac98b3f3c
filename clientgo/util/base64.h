// SPDX-License-Identifier: Apache-2.0
// Base64 as Kubernetes uses it for []byte fields: standard alphabet, padding required. Line breaks
// are skipped, since Go's decoder skips them and a kubeconfig may fold its data over lines;
// anything else that is not base64 is an error, also stray bits after the last whole byte. Pure
// functions. The result is allocated once, at its final size: no copies of a secret are left.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace clientgo::util {

std::string Base64Encode(std::string_view bytes);
// nullopt when `text` is not base64.
std::optional<std::string> Base64Decode(std::string_view text);

}  // namespace clientgo::util
