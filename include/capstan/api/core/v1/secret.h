// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "capstan/bytes.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/object_meta.h"

namespace capstan::api::core::v1 {

// SecretTypeOpaque is the default. Arbitrary user-defined data
inline constexpr std::string_view kSecretTypeOpaque = "Opaque";
// SecretTypeServiceAccountToken contains a token that identifies a service account to the API
// Required fields:
// - Secret.Annotations["kubernetes.io/service-account.name"] - the name of the ServiceAccount the
// token identifies
// - Secret.Annotations["kubernetes.io/service-account.uid"] - the UID of the ServiceAccount the
// token identifies
// - Secret.Data["token"] - a token that identifies the service account to the API
inline constexpr std::string_view kSecretTypeServiceAccountToken =
    "kubernetes.io/service-account-token";
// SecretTypeDockercfg contains a dockercfg file that follows the same format rules as ~/.dockercfg
// Required fields:
// - Secret.Data[".dockercfg"] - a serialized ~/.dockercfg file
inline constexpr std::string_view kSecretTypeDockercfg = "kubernetes.io/dockercfg";
// SecretTypeDockerConfigJson contains a dockercfg file that follows the same format rules as
// ~/.docker/config.json
// Required fields:
// - Secret.Data[".dockerconfigjson"] - a serialized ~/.docker/config.json file
inline constexpr std::string_view kSecretTypeDockerConfigJson = "kubernetes.io/dockerconfigjson";
// SecretTypeBasicAuth contains data needed for basic authentication.
// Required at least one of fields:
// - Secret.Data["username"] - username used for authentication
// - Secret.Data["password"] - password or token needed for authentication
inline constexpr std::string_view kSecretTypeBasicAuth = "kubernetes.io/basic-auth";
// SecretTypeSSHAuth contains data needed for SSH authetication.
// Required field:
// - Secret.Data["ssh-privatekey"] - private SSH key needed for authentication
inline constexpr std::string_view kSecretTypeSSHAuth = "kubernetes.io/ssh-auth";
// SecretTypeTLS contains information about a TLS client or server secret. It is primarily used with
// TLS termination of the Ingress resource, but may be used in other types.
// Required fields:
// - Secret.Data["tls.key"] - TLS private key.
inline constexpr std::string_view kSecretTypeTLS = "kubernetes.io/tls";
// SecretTypeBootstrapToken is used during the automated bootstrap process (first implemented by
// kubeadm). It stores tokens that are used to sign well known ConfigMaps. They are used for authn.
inline constexpr std::string_view kSecretTypeBootstrapToken = "bootstrap.kubernetes.io/token";

// Secret holds secret data of a certain type. The total bytes of the values in the Data field must
// be less than MaxSecretSize bytes.
struct CAPSTAN_EXPORT Secret {
  // Standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // Immutable, if set to true, ensures that data stored in the Secret cannot be updated (only
  // object metadata can be modified). If not set to true, the field can be modified at any time.
  // Defaulted to nil.
  std::optional<bool> immutable = {};
  // Data contains the secret data. Each key must consist of alphanumeric characters, '-', '_' or
  // '.'. The serialized form of the secret data is a base64 encoded string, representing the
  // arbitrary (possibly non-string) data value here. Described in
  // https://tools.ietf.org/html/rfc4648#section-4
  std::map<std::string, Bytes> data = {};
  // stringData allows specifying non-binary secret data in string form. It is provided as a
  // write-only input field for convenience. All keys and values are merged into the data field on
  // write, overwriting any existing values. The stringData field is never output when reading from
  // the API.
  std::map<std::string, std::string> string_data = {};
  // Used to facilitate programmatic handling of secret data. More info:
  // https://kubernetes.io/docs/concepts/configuration/secret/#secret-types
  std::string type = {};
};
CAPSTAN_EXPORT bool operator==(const Secret& a, const Secret& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const Secret*);

}  // namespace capstan::api::core::v1

template <>
inline constexpr auto capstan::kKind<capstan::api::core::v1::Secret> =
    capstan::Kind("", "v1", "Secret", "secrets").Namespaced().Whole();
