// SPDX-License-Identifier: Apache-2.0
// The names that users and other programs know: cert-manager's, so that a takeover in either
// direction needs no change to any object, and our own for what cert-manager does not have.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace controllers::cainjector {

// On a target: "namespace/name" of the Secret whose ca.crt is injected.
inline constexpr std::string_view kInjectCaFromSecret = "cert-manager.io/inject-ca-from-secret";
// On that Secret: its owner agrees, with exactly "true".
inline constexpr std::string_view kAllowDirectInjection = "cert-manager.io/allow-direct-injection";
// On a target: "namespace/name" of the Certificate whose Secret's ca.crt is injected.
inline constexpr std::string_view kInjectCaFrom = "cert-manager.io/inject-ca-from";
// On that Secret, by cert-manager: the name of the Certificate that it belongs to.
inline constexpr std::string_view kCertificateName = "cert-manager.io/certificate-name";
// On a target: "namespace/name[/key]" of a ConfigMap; the key is ca.crt when it is not given.
inline constexpr std::string_view kInjectCaFromConfigMap = "capstan.dev/inject-ca-from-configmap";
// On a target: exactly "true", to inject the CA that signs the API server's own certificate.
inline constexpr std::string_view kInjectApiServerCa = "cert-manager.io/inject-apiserver-ca";
// Who owns the injected fields in metadata.managedFields.
inline constexpr std::string_view kFieldManager = "cert-manager-cainjector";

// With another value than "true", inject-apiserver-ca is as good as absent. All others ask with any
// value: one that names nothing is told of.
inline bool AsksForInjection(std::string_view annotation, std::string_view value) {
  return annotation != kInjectApiServerCa || value == "true";
}

// What has to be kept of a target's annotations.
inline std::vector<std::string> InjectAnnotations() {
  return {std::string(kInjectCaFromSecret), std::string(kInjectCaFrom),
          std::string(kInjectCaFromConfigMap), std::string(kInjectApiServerCa)};
}

}  // namespace controllers::cainjector
