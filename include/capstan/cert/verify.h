// SPDX-License-Identifier: Apache-2.0
// VerifyServer decides whether a program in Go trusts a TLS server.
//
// Mirrors Certificate.Verify of crypto/x509 in Go 1.26, with the Roots, Intermediates and DNSName
// that crypto/tls sets. A certificate of the roots is trusted also when it is no root itself.
// Differs in what is reported when several things are wrong, and ignores certificate policies.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include "capstan/cert/certificate.h"
#include "capstan/export.h"

namespace capstan::cert {

// Refusal is why a server is not trusted.
enum class Refusal {
  kUnreadable,        // a certificate that Go cannot parse
  kUnknownAuthority,  // no chain to the roots
  kNotACa,          // the issuer has no basicConstraints of a CA, or a keyUsage without keyCertSign
  kPathTooLong,     // the issuer allows fewer intermediates
  kCaExpired,       // the issuer
  kCaNotYetValid,   // the issuer
  kCaExtension,     // the issuer has a critical extension that Go does not know
  kExtension,       // the same, of the server's own certificate
  kExpired,         // the server's own certificate
  kNotYetValid,     // the server's own certificate
  kNameMismatch,    // the certificate is for other names
  kUsage,           // an extendedKeyUsage without serverAuth in the chain
  kNameConstraint,  // an issuer may not issue certificates for these names
};

// Verifies the certificate `chain.front()` with the others as intermediates, for `name`, a DNS name
// or an address. Returns nullopt when it is trusted.
CAPSTAN_EXPORT std::optional<Refusal> VerifyServer(const std::vector<std::string_view>& chain,
                                                   const std::vector<std::string_view>& roots,
                                                   std::string_view name,
                                                   std::chrono::sys_seconds now);

}  // namespace capstan::cert
