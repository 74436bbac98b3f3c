// SPDX-License-Identifier: Apache-2.0
// ParsedCertificate is an X.509 certificate as programs in Go see it, such as kube-apiserver.
//
// Mirrors ParseCertificate of crypto/x509 in Go 1.26, what it accepts and what it refuses. OpenSSL
// accepts more, for example elliptic curves such as brainpool and negative serial numbers. A CA
// that only OpenSSL accepts is of no use in a caBundle.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"
#include "capstan/export.h"

namespace capstan::cert {

// The bits of ParsedCertificate::key_usage.
inline constexpr unsigned kKeyUsageCertSign = 1U << 5U;

// PublicKeyKind is the algorithm of a key. A certificate with a key of another algorithm can be
// read, but it cannot have signed anything.
enum class PublicKeyKind { kUnknown, kRsa, kDsa, kEcdsa, kEd25519 };

// NameConstraints is the permitted or the excluded names of what a CA issues.
struct CAPSTAN_EXPORT NameConstraints {
  bool empty() const {
    return dns_names.empty() && emails.empty() && ip_ranges.empty() && uris.empty();
  }
  std::vector<std::string_view> dns_names = {};
  std::vector<std::string_view> emails = {};
  std::vector<std::string_view> ip_ranges = {};  // the address, then the mask
  std::vector<std::string_view> uris = {};
};

// The views are into the DER that was parsed.
struct CAPSTAN_EXPORT ParsedCertificate {
  int version = 1;
  std::string_view tbs = {};                  // the part that is signed
  std::string_view signature_algorithm = {};  // the content of its AlgorithmIdentifier
  std::string_view signature = {};            // empty if it is not a number of bytes
  std::string_view issuer = {};               // DER
  std::string_view subject = {};              // DER
  std::chrono::sys_seconds not_before = {};
  std::chrono::sys_seconds not_after = {};  // the last second of its validity
  std::string_view public_key_info = {};    // DER
  PublicKeyKind public_key_kind = PublicKeyKind::kUnknown;

  bool has_basic_constraints = false;
  bool is_ca = false;
  std::int64_t path_length_max = -1;  // -1: any
  unsigned key_usage = 0;
  bool has_extended_key_usage = false;
  bool for_servers = false;  // by its extended key usage
  bool has_subject_names = false;
  std::string_view subject_names = {};  // the value of the extension
  std::vector<std::string_view> dns_names = {};
  std::vector<std::string_view> emails = {};
  std::vector<std::string_view> ip_addresses = {};  // 4 or 16 bytes each
  std::vector<std::string_view> uris = {};
  bool has_name_constraints = false;
  NameConstraints permitted = {};
  NameConstraints excluded = {};
  std::string_view critical_extension = {};  // the OID of a critical one that Go does not know
};

// Parses the certificate in `der`. The error, kInvalidArgument, is what Go reports, such as
// "negative serial number". It quotes nothing of the certificate.
CAPSTAN_EXPORT Expected<ParsedCertificate> ParseCertificate(std::string_view der);

// Returns the subject of the certificate in `der` as RFC 2253 writes it, such as
// "CN=root,O=Example", at most 256 bytes; "?" if it is empty. Returns nullopt if OpenSSL cannot
// read the certificate.
CAPSTAN_EXPORT std::optional<std::string> SubjectText(std::string_view der);

// Returns the SHA-256 of `bytes` as 64 hexadecimal digits in lower case.
CAPSTAN_EXPORT std::string Sha256(std::string_view bytes);

}  // namespace capstan::cert
