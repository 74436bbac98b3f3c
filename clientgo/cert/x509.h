// SPDX-License-Identifier: Apache-2.0
// Reads PEM certificates and keys into OpenSSL's types. It accepts the texts that Go accepts. No
// error quotes a text.
#pragma once

#include <string_view>
#include <vector>

#include "capstan/error.h"
#include "capstan/export.h"
#include "clientgo/cert/openssl_ptr.h"

namespace capstan::cert {

// Returns nullptr when OpenSSL cannot read the certificate.
CAPSTAN_EXPORT OpensslPtr<X509> ReadX509(std::string_view der);

// Returns the CA certificates of `pem`, at least one. Mirrors CertPool.AppendCertsFromPEM of Go's
// crypto/x509: everything that cannot be read is skipped.
CAPSTAN_EXPORT Expected<std::vector<OpensslPtr<X509>>> ReadAnchors(std::string_view pem);

// Returns the certificates of `pem`, the own one first. Mirrors the certificates of X509KeyPair in
// Go's crypto/tls.
CAPSTAN_EXPORT Expected<std::vector<OpensslPtr<X509>>> ReadChain(std::string_view pem);
// Returns the first private key of `pem`. Mirrors the key of X509KeyPair.
CAPSTAN_EXPORT Expected<OpensslPtr<EVP_PKEY>> ReadPrivateKey(std::string_view pem);

}  // namespace capstan::cert
