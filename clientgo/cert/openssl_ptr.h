// SPDX-License-Identifier: Apache-2.0
// OpensslPtr owns an object of OpenSSL.
#pragma once

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <memory>

namespace capstan::cert {

struct OpensslFree {
  void operator()(ASN1_OCTET_STRING* x) const { ASN1_OCTET_STRING_free(x); }
  void operator()(BIGNUM* x) const { BN_free(x); }
  void operator()(BIO* x) const { BIO_free(x); }
  void operator()(BIO_METHOD* x) const { BIO_meth_free(x); }
  void operator()(EC_GROUP* x) const { EC_GROUP_free(x); }
  void operator()(EC_POINT* x) const { EC_POINT_free(x); }
  void operator()(ECDSA_SIG* x) const { ECDSA_SIG_free(x); }
  void operator()(EVP_MD_CTX* x) const { EVP_MD_CTX_free(x); }
  void operator()(EVP_PKEY* x) const { EVP_PKEY_free(x); }
  void operator()(GENERAL_NAMES* x) const { GENERAL_NAMES_free(x); }
  void operator()(SSL* x) const { SSL_free(x); }
  void operator()(SSL_CTX* x) const { SSL_CTX_free(x); }
  void operator()(X509* x) const { X509_free(x); }
  void operator()(X509_EXTENSION* x) const { X509_EXTENSION_free(x); }
  void operator()(X509_STORE* x) const { X509_STORE_free(x); }
};
template <class T>
using OpensslPtr = std::unique_ptr<T, OpensslFree>;

}  // namespace capstan::cert
