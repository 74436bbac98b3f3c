// SPDX-License-Identifier: Apache-2.0
#include "apiserver/ca_bundle.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <memory>

namespace apiserver {
namespace {

struct BioDeleter {
  void operator()(BIO* bio) const { BIO_free(bio); }
};

bool IsCertificate(const unsigned char* der, long size) {
  X509* const x509 = d2i_X509(nullptr, &der, size);
  X509_free(x509);
  return x509 != nullptr;
}

}  // namespace

std::optional<std::string> WhyNoRootCertificates(std::string_view pem) {
  if (pem.empty()) return std::nullopt;
  const std::unique_ptr<BIO, BioDeleter> bio(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  std::string why;  // of the first block that is wrong
  bool found = false;
  char* label = nullptr;
  char* header = nullptr;
  unsigned char* der = nullptr;
  long size = 0;  // NOLINT(google-runtime-int): OpenSSL's type
  bool blocks = false;
  while (!found && PEM_read_bio(bio.get(), &label, &header, &der, &size) == 1) {
    blocks = true;
    if (std::string_view(label) == "CERTIFICATE" && *header == '\0') {
      found = IsCertificate(der, size);
      if (!found && why.empty()) why = "failed to parse certificate: x509: malformed certificate";
    }
    OPENSSL_free(label);
    OPENSSL_free(header);
    OPENSSL_free(der);
  }
  ERR_clear_error();
  if (found) return std::nullopt;
  if (!blocks) why = "unable to parse bytes as PEM block";
  if (why.empty()) why = "no valid certificate authority data seen";
  return "unable to load root certificates: " + why;
}

}  // namespace apiserver
