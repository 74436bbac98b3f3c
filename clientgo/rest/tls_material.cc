// SPDX-License-Identifier: Apache-2.0
#include "clientgo/rest/tls_material.h"

#include <glog/logging.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <utility>

#include "clientgo/rest/read_file.h"
#include "clientgo/rest/tls_verify.h"
#include "clientgo/util/logging.h"

// The library calls this for every new connection: 140 certificates read and parsed, half a
// megabyte, for a store that Apply then replaces. The program's definition goes before OpenSSL's.
// NOLINTNEXTLINE(readability-identifier-naming): OpenSSL's name
extern "C" int SSL_CTX_set_default_verify_paths(SSL_CTX* /*context*/) { return 1; }

namespace clientgo::rest {
namespace {

using util::Err;
using util::ErrorReason;
using Pem = TlsMaterial::Pem;

tl::unexpected<util::Error> Invalid(const Pem& pem, std::string_view why) {
  ERR_clear_error();
  return Err(ErrorReason::kInvalidArgument, pem.origin + ": " + std::string(why));
}

OpensslPtr<BIO> Open(const Pem& pem) {
  return OpensslPtr<BIO>(BIO_new_mem_buf(pem.text.data(), static_cast<int>(pem.text.size())));
}

// All certificates in the text; what is not a certificate is skipped.
util::Expected<std::vector<OpensslPtr<X509>>> ReadCertificates(const Pem& pem) {
  std::vector<OpensslPtr<X509>> certs;
  const OpensslPtr<BIO> bio = Open(pem);
  while (X509* cert = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) {
    certs.emplace_back(cert);
  }
  // The end of the text is "no start line"; anything else is a damaged block.
  const unsigned long error = ERR_peek_last_error();
  const bool at_end =
      ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
  if (!at_end) return Invalid(pem, "a certificate in it is damaged");
  ERR_clear_error();
  if (certs.empty()) return Invalid(pem, "no PEM-encoded certificate in it");
  return certs;
}

// Without this OpenSSL would ask for the passphrase on the terminal.
int NoPassphrase(char*, int, int, void*) { return -1; }

util::Expected<OpensslPtr<EVP_PKEY>> ReadKey(const Pem& pem) {
  const OpensslPtr<BIO> bio = Open(pem);
  OpensslPtr<EVP_PKEY> key(PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassphrase, nullptr));
  if (!key) return Invalid(pem, "no usable PEM-encoded private key in it (encrypted keys are not)");
  return key;
}

bool IsIpAddress(const std::string& name) {
  ASN1_OCTET_STRING* address = a2i_IPADDRESS(name.c_str());
  ERR_clear_error();
  ASN1_OCTET_STRING_free(address);
  return address != nullptr;
}

}  // namespace

void SetUpOpenssl() { OPENSSL_init_ssl(0, nullptr); }

util::Expected<std::shared_ptr<const TlsMaterial>> TlsMaterial::Parse(const Pem& ca,
                                                                      const Pem& cert,
                                                                      const Pem& key) {
  auto material = std::make_shared<TlsMaterial>();
  material->store_.reset(X509_STORE_new());
  if (ca.text.empty()) {
    X509_STORE_set_default_paths(material->store_.get());  // the system's CAs
    ERR_clear_error();
  } else {
    auto anchors = ReadCertificates(ca);
    if (!anchors) return Err(std::move(anchors.error()));
    for (const auto& anchor : *anchors) X509_STORE_add_cert(material->store_.get(), anchor.get());
  }
  if (cert.text.empty() != key.text.empty()) {
    return Invalid(cert.text.empty() ? key : cert,
                   "a client certificate needs both a certificate and a key; one is missing");
  }
  if (cert.text.empty()) return material;
  auto certs = ReadCertificates(cert);
  if (!certs) return Err(std::move(certs.error()));
  auto private_key = ReadKey(key);
  if (!private_key) return Err(std::move(private_key.error()));
  material->cert_ = std::move(certs->front());
  certs->erase(certs->begin());
  material->chain_ = std::move(*certs);
  material->key_ = std::move(*private_key);
  if (X509_check_private_key(material->cert_.get(), material->key_.get()) != 1) {
    return Invalid(key, "the private key does not belong to the client certificate");
  }
  return material;
}

bool TlsMaterial::Apply(SSL_CTX* context, const std::string& server_name,
                        std::string* verification) const {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  // A watch is idle most of its life: without this each holds 34 KiB of buffers then.
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set1_cert_store(context, store_.get());
  X509_VERIFY_PARAM* param = SSL_CTX_get0_param(context);
  // An intermediate in the CA file is an anchor by itself, as in Go.
  X509_VERIFY_PARAM_set_flags(param, X509_V_FLAG_PARTIAL_CHAIN);
  X509_VERIFY_PARAM_set_hostflags(
      param, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  if (IsIpAddress(server_name)) {
    X509_VERIFY_PARAM_set1_ip_asc(param, server_name.c_str());
  } else {
    X509_VERIFY_PARAM_set1_host(param, server_name.data(), server_name.size());
  }
  SSL_CTX_set_cert_verify_callback(context, VerifyAndExplain, verification);
  if (!cert_) return true;
  bool ok = SSL_CTX_use_certificate(context, cert_.get()) == 1;
  for (const auto& link : chain_) ok = ok && SSL_CTX_add1_chain_cert(context, link.get()) == 1;
  return ok && SSL_CTX_use_PrivateKey(context, key_.get()) == 1;
}

TlsSource::TlsSource(TlsConfig config, std::string origin)
    : config_(std::move(config)), origin_(std::move(origin)) {}

std::array<TlsSource::Stamp, 3> TlsSource::Stamps() const {
  const auto stamp = [](const std::string& data, const std::string& path) -> Stamp {
    struct stat info {};
    if (!data.empty() || path.empty() || stat(path.c_str(), &info) != 0) return {};
    return {static_cast<std::int64_t>(info.st_ino), info.st_size, info.st_mtim.tv_sec,
            info.st_mtim.tv_nsec};
  };
  return {stamp(config_.ca_data, config_.ca_file), stamp(config_.cert_data, config_.cert_file),
          stamp(config_.key_data, config_.key_file)};
}

util::Expected<std::shared_ptr<const TlsMaterial>> TlsSource::Load() const {
  const auto read = [this](const std::string& data, const std::string& path,
                           std::string_view field) -> util::Expected<Pem> {
    const std::string prefix = origin_.empty() ? "" : origin_ + ": ";
    if (!data.empty()) return Pem{data, prefix + std::string(field) + "-data"};
    if (path.empty()) return Pem{"", prefix + std::string(field)};
    auto text = ReadFile(path);
    if (!text) return Err(text.error().Wrap(prefix + std::string(field)));
    if (text->empty()) {
      return Err(ErrorReason::kInvalidArgument,
                 prefix + std::string(field) + ": " + path + " is empty");
    }
    return Pem{std::move(*text), prefix + std::string(field) + " " + path};
  };
  auto ca = read(config_.ca_data, config_.ca_file, "certificate-authority");
  if (!ca) return Err(std::move(ca.error()));
  auto cert = read(config_.cert_data, config_.cert_file, "client-certificate");
  if (!cert) return Err(std::move(cert.error()));
  auto key = read(config_.key_data, config_.key_file, "client-key");
  if (!key) return Err(std::move(key.error()));
  return TlsMaterial::Parse(*ca, *cert, *key);
}

util::Expected<std::shared_ptr<const TlsMaterial>> TlsSource::Current() {
  util::MutexLock lock(mu_);
  // Before the files are read: a change in between is then seen by the next call.
  const auto stamps = Stamps();
  if (material_ && stamps == stamps_) return material_;
  auto loaded = Load();
  stamps_ = stamps;
  if (loaded) {
    material_ = std::move(*loaded);
  } else if (!material_) {
    return loaded;
  } else {
    LOG(WARNING) << util::Kv("Changed TLS files cannot be used, keeping the old ones", "err",
                             loaded.error());
  }
  return material_;
}

}  // namespace clientgo::rest
