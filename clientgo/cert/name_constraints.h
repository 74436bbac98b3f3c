// SPDX-License-Identifier: Apache-2.0
// Name constraints of CAs, and the names that a certificate is for. Mirrors constraints.go and
// VerifyHostname of Go's crypto/x509. Pure functions.
#pragma once

#include <string_view>

#include "capstan/cert/certificate.h"

namespace capstan::cert {

// Returns whether the constraints of `issuer` allow each name of `certificate`. The constraints are
// those of a CA anywhere above it.
bool AllowsNames(const ParsedCertificate& issuer, const ParsedCertificate& certificate);

// Returns whether the certificate is for `name`, a DNS name or an address.
bool IsFor(const ParsedCertificate& certificate, std::string_view name);

}  // namespace capstan::cert
