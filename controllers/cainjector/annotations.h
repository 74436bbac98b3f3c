// SPDX-License-Identifier: Apache-2.0
// The names that users and other programs know: cert-manager's, so that a takeover in either
// direction needs no change to any object.
#pragma once

#include <string_view>

namespace controllers::cainjector {

// On a target: "namespace/name" of the Secret whose ca.crt is injected.
inline constexpr std::string_view kInjectCaFromSecret = "cert-manager.io/inject-ca-from-secret";
// On that Secret: its owner agrees, with exactly "true".
inline constexpr std::string_view kAllowDirectInjection = "cert-manager.io/allow-direct-injection";
// Who owns the injected fields in metadata.managedFields.
inline constexpr std::string_view kFieldManager = "cert-manager-cainjector";

}  // namespace controllers::cainjector
