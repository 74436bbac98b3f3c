// SPDX-License-Identifier: Apache-2.0
// These functions create CAs and signed certificates in memory, for tests and demos that need TLS
// peers, expired bundles and rotated CAs. The keys are EC P-256, the signatures SHA-256.
//
// Thread-safe. Not for production, because the keys are in plain strings.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "capstan/error.h"
#include "capstan/export.h"

namespace capstan::testing {

struct CAPSTAN_EXPORT KeyPair {
  std::string cert_pem;
  std::string key_pem;
};

struct CAPSTAN_EXPORT CertificateOptions {
  std::string common_name;
  // The validity relative to now. An expired certificate has a negative `not_after`.
  std::chrono::seconds not_before = std::chrono::minutes(-5);
  std::chrono::seconds not_after = std::chrono::hours(24);
  // Subject alternative names of a leaf.
  std::vector<std::string> dns_names = {};
  std::vector<std::string> ip_addresses = {};
  bool client_auth = false;                     // a client's certificate, not a server's
  std::vector<std::string> organizations = {};  // a client's groups
};

// Creates a self-signed CA certificate.
CAPSTAN_EXPORT Expected<KeyPair> MakeCa(const CertificateOptions& options);
// Creates a certificate signed by `ca`.
CAPSTAN_EXPORT Expected<KeyPair> MakeCertificate(const KeyPair& ca,
                                                 const CertificateOptions& options);
// Creates a server certificate for localhost, 127.0.0.1 and ::1.
CAPSTAN_EXPORT Expected<KeyPair> MakeLocalhostCertificate(const KeyPair& ca);

}  // namespace capstan::testing
