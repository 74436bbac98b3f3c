// SPDX-License-Identifier: Apache-2.0
// The names that users and other programs know. They are cert-manager's, so that a migration in
// either direction changes no object. Names that cert-manager does not have are ours.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/clientgo/util/text.h"

namespace capstan::controllers::cainjector {

// On a target: "namespace/name" of the Secret whose ca.crt is injected.
inline constexpr std::string_view kInjectCaFromSecret = "cert-manager.io/inject-ca-from-secret";
// On that Secret: exactly "true" when its owner allows the injection.
inline constexpr std::string_view kAllowDirectInjection = "cert-manager.io/allow-direct-injection";
// On a target: "namespace/name" of the Certificate whose Secret's ca.crt is injected.
inline constexpr std::string_view kInjectCaFrom = "cert-manager.io/inject-ca-from";
// On that Secret, set by cert-manager: the name of the Certificate that it belongs to.
inline constexpr std::string_view kCertificateName = "cert-manager.io/certificate-name";
// On a target: "namespace/name[/key]" of a ConfigMap. The key is ca.crt by default.
inline constexpr std::string_view kInjectCaFromConfigMap = "capstan.dev/inject-ca-from-configmap";
// On a target: exactly "true" to inject the CA that signs the API server's certificate.
inline constexpr std::string_view kInjectApiServerCa = "cert-manager.io/inject-apiserver-ca";
// On a ConfigMap that is a target: the key for the bundle. It is ca.crt by default.
inline constexpr std::string_view kInjectCaKey = "capstan.dev/inject-ca-key";
// The label of ConfigMaps that may be targets. Others are not watched.
inline constexpr std::string_view kInjectableConfigMaps = "inject.capstan.dev/enabled=true";
// On a target: the name of a ClusterTrustBundle, or a signer name and a label selector
// (rules/trust_bundle_reference.h).
inline constexpr std::string_view kInjectCaFromTrustBundle =
    "capstan.dev/inject-ca-from-clustertrustbundle";
// On a target: a list of sources, whose bundles are united (rules/source_list.h).
inline constexpr std::string_view kInjectCaFromSources = "capstan.dev/inject-ca-from";
// Not an annotation: the item of such a list for the public CAs of a file (SystemSource).
inline constexpr std::string_view kSystemItem = "system";
// The owner of the injected fields in metadata.managedFields.
inline constexpr std::string_view kFieldManager = "cert-manager-cainjector";

// The annotations of targets, in order of precedence.
inline std::vector<std::string> InjectAnnotations() {
  return {std::string(kInjectCaFromSecret),      std::string(kInjectCaFrom),
          std::string(kInjectCaFromConfigMap),   std::string(kInjectApiServerCa),
          std::string(kInjectCaFromTrustBundle), std::string(kInjectCaFromSources)};
}

// Returns true when an annotation with this value requests an injection. inject-apiserver-ca does
// so only with "true", all others with any value, so that a bad value is reported.
inline bool RequestsInjection(std::string_view annotation, std::string_view value) {
  return annotation != kInjectApiServerCa || value == "true";
}

// Reference is what the annotation of a target refers to: "namespace/name" of a source object.
struct Reference {
  std::string_view annotation;
  std::string object;
};

// KeyReference is the value "namespace/name" or "namespace/name/key" of inject-ca-from-configmap.
// The parts are not validated.
struct KeyReference {
  std::string_view object;  // "namespace/name"
  std::string_view data_key = "ca.crt";
};

inline KeyReference SplitKeyReference(std::string_view value) {
  const std::size_t slash = value.find('/');
  const std::size_t second = slash == std::string_view::npos ? slash : value.find('/', slash + 1);
  if (second == std::string_view::npos) return {.object = value};
  return {.object = value.substr(0, second), .data_key = value.substr(second + 1)};
}

// Returns the name or the signer name in a value of inject-ca-from-clustertrustbundle, not
// validated.
inline std::string_view TrustBundleObject(std::string_view value) {
  return clientgo::util::Trim(value.substr(0, value.find(';')), " \t\n");
}

// Returns true for a name that a Secret, a Certificate or a ConfigMap can have.
inline bool IsObjectName(std::string_view name) {
  constexpr std::size_t kLongest = 253;
  return name.size() <= kLongest && clientgo::util::IsDnsSubdomain(name);
}

// Returns true for "namespace/name" of possible names. The names are used in paths and selectors,
// which ".." or a comma would change.
inline bool IsObjectReference(std::string_view value) {
  const std::size_t slash = value.find('/');
  return slash != std::string_view::npos &&
         value.substr(0, slash).find('.') == std::string_view::npos &&
         IsObjectName(value.substr(0, slash)) && IsObjectName(value.substr(slash + 1));
}

// Returns true for "namespace/name" or "namespace/name/key".
inline bool IsKeyReference(std::string_view value) {
  const KeyReference reference = SplitKeyReference(value);
  return IsObjectReference(reference.object) && !reference.data_key.empty() &&
         reference.data_key.find('/') == std::string_view::npos;
}

// Returns the source object that an annotation with this value refers to, even if no such object
// can exist. Not for a list of sources (ReferencedObjects). nullopt: the annotation requests no
// injection.
inline std::optional<std::string> ReferencedObject(std::string_view annotation,
                                                   std::string_view value) {
  if (!RequestsInjection(annotation, value)) return std::nullopt;
  if (annotation == kInjectCaFromConfigMap) return std::string(SplitKeyReference(value).object);
  if (annotation == kInjectCaFromTrustBundle) return std::string(TrustBundleObject(value));
  return std::string(value);
}

}  // namespace capstan::controllers::cainjector
