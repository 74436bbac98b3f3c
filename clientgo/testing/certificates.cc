// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/certificates.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>

#include <utility>

#include "clientgo/cert/openssl_ptr.h"

namespace capstan::testing {
namespace {

using cert::OpensslPtr;

tl::unexpected<Error> Failed(const std::string& step) {
  std::string text = "cannot " + step;
  if (const unsigned long code = ERR_get_error(); code != 0) {
    std::string reason(256, '\0');
    ERR_error_string_n(code, reason.data(), reason.size());
    text += ": ";
    text += reason.c_str();
  }
  ERR_clear_error();
  return Err(ErrorReason::kInvalidArgument, text);
}

std::string Drain(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return size > 0 ? std::string(data, static_cast<std::size_t>(size)) : std::string();
}

OpensslPtr<X509> ParseCert(const std::string& pem) {
  const OpensslPtr<BIO> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return OpensslPtr<X509>(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
}

OpensslPtr<EVP_PKEY> ParseKey(const std::string& pem) {
  const OpensslPtr<BIO> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return OpensslPtr<EVP_PKEY>(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
}

bool AddExtension(X509* cert, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, cert, nullptr, nullptr, 0);
  const OpensslPtr<X509_EXTENSION> extension(
      X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  return extension != nullptr && X509_add_ext(cert, extension.get(), -1) == 1;
}

std::string AlternativeNames(const CertificateOptions& options) {
  std::string names;
  for (const std::string& name : options.dns_names) names += "DNS:" + name + ",";
  for (const std::string& address : options.ip_addresses) names += "IP:" + address + ",";
  if (!names.empty()) names.pop_back();
  return names;
}

bool AddExtensions(X509* cert, X509* issuer, bool is_ca, const CertificateOptions& options) {
  if (!AddExtension(cert, issuer, NID_subject_key_identifier, "hash")) return false;
  if (!AddExtension(cert, issuer, NID_authority_key_identifier, "keyid:always")) return false;
  if (is_ca) {
    return AddExtension(cert, issuer, NID_basic_constraints, "critical,CA:TRUE") &&
           AddExtension(cert, issuer, NID_key_usage, "critical,keyCertSign,cRLSign");
  }
  const std::string names = AlternativeNames(options);
  return AddExtension(cert, issuer, NID_basic_constraints, "critical,CA:FALSE") &&
         AddExtension(cert, issuer, NID_key_usage, "critical,digitalSignature") &&
         AddExtension(cert, issuer, NID_ext_key_usage,
                      options.client_auth ? "clientAuth" : "serverAuth") &&
         (names.empty() || AddExtension(cert, issuer, NID_subject_alt_name, names));
}

// RFC 5280 requires unique serial numbers per issuer. 64 random bits are unique enough for tests.
bool SetSerial(X509* cert) {
  const OpensslPtr<BIGNUM> serial(BN_new());
  return serial != nullptr && BN_rand(serial.get(), 64, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1 &&
         BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(cert)) != nullptr;
}

bool AddToSubject(X509* cert, const char* field, const std::string& text) {
  return X509_NAME_add_entry_by_txt(X509_get_subject_name(cert), field, MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(text.data()),
                                    static_cast<int>(text.size()), -1, 0) == 1;
}

bool SetSubject(X509* cert, const CertificateOptions& options) {
  for (const std::string& organization : options.organizations) {
    if (!AddToSubject(cert, "O", organization)) return false;
  }
  return AddToSubject(cert, "CN", options.common_name);
}

// `issuer` and `issuer_key` are null for a self-signed CA.
Expected<KeyPair> Make(X509* issuer, EVP_PKEY* issuer_key, const CertificateOptions& options) {
  const bool is_ca = issuer == nullptr;
  const OpensslPtr<EVP_PKEY> key(EVP_EC_gen("P-256"));
  const OpensslPtr<X509> cert(X509_new());
  if (key == nullptr || cert == nullptr) return Failed("create a key");
  X509* const signer = is_ca ? cert.get() : issuer;
  X509_set_version(cert.get(), X509_VERSION_3);
  X509_gmtime_adj(X509_getm_notBefore(cert.get()), options.not_before.count());
  X509_gmtime_adj(X509_getm_notAfter(cert.get()), options.not_after.count());
  if (!SetSerial(cert.get()) || !SetSubject(cert.get(), options) ||
      X509_set_issuer_name(cert.get(), X509_get_subject_name(signer)) != 1 ||
      X509_set_pubkey(cert.get(), key.get()) != 1 ||
      !AddExtensions(cert.get(), signer, is_ca, options)) {
    return Failed("create the certificate \"" + options.common_name + "\"");
  }
  if (X509_sign(cert.get(), is_ca ? key.get() : issuer_key, EVP_sha256()) == 0) {
    return Failed("sign the certificate \"" + options.common_name + "\"");
  }
  const OpensslPtr<BIO> cert_out(BIO_new(BIO_s_mem()));
  const OpensslPtr<BIO> key_out(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_X509(cert_out.get(), cert.get()) != 1 ||
      PEM_write_bio_PrivateKey(key_out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) !=
          1) {
    return Failed("write PEM");
  }
  return KeyPair{.cert_pem = Drain(cert_out.get()), .key_pem = Drain(key_out.get())};
}

}  // namespace

Expected<KeyPair> MakeCa(const CertificateOptions& options) {
  return Make(nullptr, nullptr, options);
}

Expected<KeyPair> MakeCertificate(const KeyPair& ca, const CertificateOptions& options) {
  const OpensslPtr<X509> issuer = ParseCert(ca.cert_pem);
  const OpensslPtr<EVP_PKEY> key = ParseKey(ca.key_pem);
  if (issuer == nullptr || key == nullptr) return Failed("read the CA's PEM");
  return Make(issuer.get(), key.get(), options);
}

Expected<KeyPair> MakeLocalhostCertificate(const KeyPair& ca) {
  return MakeCertificate(ca, {.common_name = "localhost",
                              .dns_names = {"localhost"},
                              .ip_addresses = {"127.0.0.1", "::1"}});
}

}  // namespace capstan::testing
