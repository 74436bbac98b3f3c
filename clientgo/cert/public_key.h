// SPDX-License-Identifier: Apache-2.0
// Public keys and algorithms in certificates. Mirrors parsePublicKey and parseAI in parser.go of
// Go's crypto/x509.
#pragma once

#include <optional>
#include <string_view>

#include "capstan/cert/certificate.h"

namespace capstan::cert {

struct Algorithm {
  std::string_view oid;
  std::string_view parameters;  // DER; empty without parameters
};
// Parses the content of an AlgorithmIdentifier.
std::optional<Algorithm> ParseAlgorithm(std::string_view content);

// Checks the content of a SubjectPublicKeyInfo. Returns what is wrong, or "".
std::string_view ReadPublicKey(std::string_view info, PublicKeyKind& kind);

}  // namespace capstan::cert
