// SPDX-License-Identifier: Apache-2.0
// Reads certificates and keys for OpenSSL, from the texts from which Go reads them. The errors do
// not quote the texts.
#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string_view>
#include <vector>

#include "capstan/error.h"
#include "capstan/export.h"

namespace capstan::cert {

struct FreeX509 {
  void operator()(X509* x) const { X509_free(x); }
  void operator()(EVP_PKEY* x) const { EVP_PKEY_free(x); }
};
using X509Ptr = std::unique_ptr<X509, FreeX509>;
using KeyPtr = std::unique_ptr<EVP_PKEY, FreeX509>;

// Returns nullptr when OpenSSL cannot read the certificate.
CAPSTAN_EXPORT X509Ptr ReadX509(std::string_view der);

// Returns the CA certificates of `pem`, at least one. Mirrors CertPool.AppendCertsFromPEM of Go's
// crypto/x509: everything that cannot be read is skipped.
CAPSTAN_EXPORT Expected<std::vector<X509Ptr>> ReadAnchors(std::string_view pem);

// Returns the certificates of `pem`, the own one first. Mirrors the certificates of X509KeyPair in
// Go's crypto/tls.
CAPSTAN_EXPORT Expected<std::vector<X509Ptr>> ReadChain(std::string_view pem);
// Returns the first private key of `pem`. Mirrors the key of X509KeyPair.
CAPSTAN_EXPORT Expected<KeyPtr> ReadPrivateKey(std::string_view pem);

}  // namespace capstan::cert
