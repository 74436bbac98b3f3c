// SPDX-License-Identifier: Apache-2.0
// The extensions of a certificate. Mirrors processExtensions in parser.go of Go's crypto/x509.
#pragma once

#include <string_view>

#include "capstan/cert/certificate.h"
#include "clientgo/cert/der.h"

namespace capstan::cert {

struct Extension {
  std::string_view oid;
  bool critical = false;
  std::string_view value;
};

// Reads the extensions into `certificate`. Returns what is wrong, or "".
std::string_view ReadExtensions(DerReader extensions, ParsedCertificate& certificate);

}  // namespace capstan::cert
