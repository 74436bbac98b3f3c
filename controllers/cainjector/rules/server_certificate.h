// SPDX-License-Identifier: Apache-2.0
// Decides whether kube-apiserver trusts a server: the certificates that the server presents,
// against a CA bundle and nothing else. Pure functions, thread-safe.
//
// Mirrors the verification of Go's crypto/tls with tls.Config.RootCAs and ServerName: a certificate
// of the bundle is an anchor also when it is no root, and names are those of the subject
// alternative name only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/cainjector/rules/bundle.h"

namespace capstan::cainjector {

// EndpointOutcome is the result of one verification of a server. Users rely on the names.
enum class EndpointOutcome {
  kVerified,
  kUnknownAuthority,  // no chain from the server's certificate to the bundle
  kNameMismatch,      // the certificate is for other names
  kExpired,           // a certificate of the chain has expired, or is not valid yet
  kNoBundle,          // the target holds no CA bundle
  kRefused,           // the connection was refused or broke
  kNotTls,            // the server does not speak TLS, or refuses the handshake
  kTimeout,           // no answer in time
  kNoSuchHost,        // the host name does not resolve
  kNoEndpoints,       // the Service does not exist, or has no ready endpoint
  kUnknown,           // the Service or its endpoints cannot be read
};
std::string_view ToString(EndpointOutcome outcome);  // "Verified"
std::vector<EndpointOutcome> AllEndpointOutcomes();

struct ServerVerdict {
  EndpointOutcome outcome = EndpointOutcome::kVerified;
  // Why, for users. It may quote names of the server's certificate.
  std::string message = {};
  std::optional<CertificateTime> expires = {};  // of the server's own certificate
};

// Verifies `chain`, DER with the server's own certificate first, for `name`, a DNS name or an
// address. `bundle` is PEM.
ServerVerdict VerifyServer(const std::vector<std::string>& chain, std::string_view bundle,
                           const std::string& name, CertificateTime now);

}  // namespace capstan::cainjector
