// SPDX-License-Identifier: Apache-2.0
// The names that users and other programs know. They are cert-manager's, so that a migration in
// either direction changes no object. Names that cert-manager does not have are ours.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/text.h"

namespace capstan::cainjector {

// On a target: "namespace/name" of the Secret whose ca.crt is injected.
inline constexpr std::string_view kInjectCaFromSecret = "cert-manager.io/inject-ca-from-secret";
// On that Secret: exactly "true" when its owner allows the injection.
inline constexpr std::string_view kAllowDirectInjection = "cert-manager.io/allow-direct-injection";
// On a target: "namespace/name" of the Certificate whose Secret's ca.crt is injected.
inline constexpr std::string_view kInjectCaFrom = "cert-manager.io/inject-ca-from";
// On that Secret, set by cert-manager: the name of the Certificate that it belongs to.
inline constexpr std::string_view kCertificateName = "cert-manager.io/certificate-name";
// On a Secret or a ConfigMap: the namespaces whose targets may use it, too, with commas between
// them, or "*" for all (sources/consent.h).
inline constexpr std::string_view kAllowInjectionInto = "capstan.dev/allow-injection-into";
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

// The bytes of these annotations that are read of one target, or of one source. A user of a
// namespace can fill annotations with 256 KiB. A longer value is cut so that it is invalid
// (api::PackedStringMap).
inline constexpr std::size_t kTargetAnnotationBytesMax = 4096;
inline constexpr std::size_t kSourceAnnotationBytesMax = 1024;

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

// Returns true when this value of kAllowInjectionInto has the namespace `name`.
inline bool AllowsNamespace(std::string_view value, std::string_view name) {
  for (std::size_t at = 0; at <= value.size();) {
    const std::size_t end = std::min(value.find(',', at), value.size());
    const std::string_view item = Trim(value.substr(at, end - at), " \t\n");
    if (item == "*" || item == name) return true;
    at = end + 1;
  }
  return false;
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
  return Trim(value.substr(0, value.find(';')), " \t\n");
}

// The longest name of a Secret, a Certificate or a ConfigMap, and of a key of their data.
inline constexpr std::size_t kNameBytesMax = 253;

// Returns true for a name that a Secret, a Certificate or a ConfigMap can have.
inline bool IsObjectName(std::string_view name) {
  return name.size() <= kNameBytesMax && IsDnsSubdomain(name);
}

// Returns true for "namespace/name" of possible names. The names are used in paths and selectors,
// which ".." or a comma would change.
inline bool IsObjectReference(std::string_view value) {
  const std::size_t slash = value.find('/');
  return slash != std::string_view::npos &&
         value.substr(0, slash).find('.') == std::string_view::npos &&
         IsObjectName(value.substr(0, slash)) && IsObjectName(value.substr(slash + 1));
}

// Returns true for a key that the data of a Secret or a ConfigMap can have, as the API server does.
inline bool IsDataKey(std::string_view key) {
  return !key.empty() && key.size() <= kNameBytesMax && key != "." && !key.starts_with("..") &&
         std::all_of(key.begin(), key.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
         });
}

// Returns true for "namespace/name" or "namespace/name/key".
inline bool IsKeyReference(std::string_view value) {
  const KeyReference reference = SplitKeyReference(value);
  return IsObjectReference(reference.object) && IsDataKey(reference.data_key);
}

// Returns the source object that an annotation with this value refers to, even if no such object
// can exist. Not for a list of sources (ReferencedObjects). nullopt: the annotation requests no
// injection, or the value is too long for any object.
inline std::optional<std::string> ReferencedObject(std::string_view annotation,
                                                   std::string_view value) {
  // The name of a ClusterTrustBundle, which has a signer name of at most 571 bytes.
  constexpr std::size_t kLongest = 571 + 1 + kNameBytesMax;
  if (!RequestsInjection(annotation, value)) return std::nullopt;
  std::string_view object = value;
  if (annotation == kInjectCaFromConfigMap) object = SplitKeyReference(value).object;
  if (annotation == kInjectCaFromTrustBundle) object = TrustBundleObject(value);
  if (object.size() > kLongest) return std::nullopt;
  return std::string(object);
}

}  // namespace capstan::cainjector
