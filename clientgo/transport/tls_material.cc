// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/tls_material.h"

#include <glog/logging.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <ctime>
#include <optional>
#include <utility>
#include <vector>

#include "clientgo/transport/tls_verify.h"
#include "clientgo/util/logging.h"
#include "clientgo/util/read_file.h"

namespace clientgo::transport {
namespace {

using util::Err;
using util::ErrorReason;
using Pem = TlsMaterial::Pem;

constexpr std::size_t kReadAheadBytes = std::size_t{32} * 1024;

tl::unexpected<util::Error> Invalid(const Pem& pem, std::string_view why) {
  ERR_clear_error();
  return Err(ErrorReason::kInvalidArgument, pem.origin + ": " + std::string(why));
}

OpensslPtr<BIO> Open(const Pem& pem) {
  return OpensslPtr<BIO>(BIO_new_mem_buf(pem.text.data(), static_cast<int>(pem.text.size())));
}

// Without this OpenSSL would ask for the passphrase on the terminal.
int NoPassphrase(char*, int, int, void*) { return -1; }

// All certificates in the text; what is not a certificate is skipped.
util::Expected<std::vector<OpensslPtr<X509>>> ReadCertificates(const Pem& pem) {
  std::vector<OpensslPtr<X509>> certs;
  const OpensslPtr<BIO> bio = Open(pem);
  while (X509* cert = PEM_read_bio_X509(bio.get(), nullptr, NoPassphrase, nullptr)) {
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

void Trust(SSL_CTX* context, X509_STORE* store) {
  // An intermediate in the CA file is an anchor by itself, as in Go.
  X509_VERIFY_PARAM* param = SSL_CTX_get0_param(context);
  X509_VERIFY_PARAM_set_flags(param, X509_V_FLAG_PARTIAL_CHAIN);
  X509_VERIFY_PARAM_set_hostflags(
      param, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  SSL_CTX_set1_cert_store(context, store);
}

}  // namespace

util::Expected<std::shared_ptr<const TlsMaterial>> TlsMaterial::Parse(const Pem& ca,
                                                                      const Pem& cert,
                                                                      const Pem& key) {
  auto material = std::make_shared<TlsMaterial>();
  material->context_.reset(SSL_CTX_new(TLS_client_method()));
  SSL_CTX* const context = material->context_.get();
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  // A watch is idle most of its life: without this each holds 34 KiB of buffers then.
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  // A server flushes each event as a record of its own; one system call fetches many of them.
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_default_read_buffer_len(context, kReadAheadBytes);

  const OpensslPtr<X509_STORE> store(X509_STORE_new());
  if (ca.text.empty()) {
    X509_STORE_set_default_paths(store.get());  // the system's CAs
    ERR_clear_error();
  } else {
    auto anchors = ReadCertificates(ca);
    if (!anchors) return Err(std::move(anchors.error()));
    for (const auto& anchor : *anchors) {
      // OpenSSL otherwise parses the extensions when a thread first verifies with them.
      X509_check_purpose(anchor.get(), -1, 0);
      X509_STORE_add_cert(store.get(), anchor.get());
    }
  }
  Trust(context, store.get());
  if (auto used = material->UseClientCertificate(cert, key); !used) {
    return Err(std::move(used.error()));
  }
  return material;
}

util::Expected<void> TlsMaterial::UseClientCertificate(const Pem& cert, const Pem& key) {
  if (cert.text.empty() != key.text.empty()) {
    return Invalid(cert.text.empty() ? key : cert,
                   "a client certificate needs both a certificate and a key; one is missing");
  }
  if (cert.text.empty()) return {};
  auto certs = ReadCertificates(cert);
  if (!certs) return Err(std::move(certs.error()));
  auto private_key = ReadKey(key);
  if (!private_key) return Err(std::move(private_key.error()));
  if (X509_check_private_key(certs->front().get(), private_key->get()) != 1) {
    return Invalid(key, "the private key does not belong to the client certificate");
  }
  bool ok = SSL_CTX_use_certificate(context_.get(), certs->front().get()) == 1;
  for (std::size_t i = 1; i < certs->size(); ++i) {
    ok = ok && SSL_CTX_add1_chain_cert(context_.get(), (*certs)[i].get()) == 1;
  }
  ok = ok && SSL_CTX_use_PrivateKey(context_.get(), private_key->get()) == 1;
  if (!ok) return Invalid(cert, "the client certificate cannot be used, its key may be too weak");
  return {};
}

OpensslPtr<SSL> TlsMaterial::NewSession(const std::string& name, std::string* verification) const {
  OpensslPtr<SSL> ssl(SSL_new(context_.get()));
  if (!ssl) return ssl;
  const bool is_address = IsIpAddress(name);
  if (!is_address) SSL_set_tlsext_host_name(ssl.get(), name.c_str());  // of an address: not valid
  if (verification == nullptr) return ssl;
  SSL_set_verify(ssl.get(), SSL_VERIFY_PEER, ExplainRefusal);
  SSL_set_app_data(ssl.get(), verification);
  const int set = is_address
                      ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl.get()), name.c_str())
                      : SSL_set1_host(ssl.get(), name.c_str());
  if (set != 1) return nullptr;  // rather no session than one that checks no name
  return ssl;
}

std::optional<TlsMaterial::Validity> TlsMaterial::ClientValidity() const {
  const X509* const cert = SSL_CTX_get0_certificate(context_.get());
  if (cert == nullptr) return std::nullopt;
  std::tm begin{};
  std::tm end{};
  if (ASN1_TIME_to_tm(X509_get0_notBefore(cert), &begin) != 1 ||
      ASN1_TIME_to_tm(X509_get0_notAfter(cert), &end) != 1) {
    return std::nullopt;
  }
  return Validity{.not_before = std::chrono::sys_seconds(std::chrono::seconds(timegm(&begin))),
                  .not_after = std::chrono::sys_seconds(std::chrono::seconds(timegm(&end)))};
}

bool TlsMaterial::SameClient(const TlsMaterial& other) const {
  const X509* const mine = SSL_CTX_get0_certificate(context_.get());
  const X509* const theirs = SSL_CTX_get0_certificate(other.context_.get());
  if (mine == nullptr || theirs == nullptr) return mine == theirs;
  return X509_cmp(mine, theirs) == 0;
}

TlsSource::TlsSource(const Config& config)
    : config_(config.tls),
      get_client_certificate_(config.get_client_certificate),
      origin_(config.source) {}

TlsSource::Version TlsSource::Look() const {
  const auto stamp = [](const std::string& data, const std::string& path) {
    return data.empty() ? util::StampOf(path) : util::FileStamp();
  };
  Version version{.files = {stamp(config_.ca_data, config_.ca_file),
                            stamp(config_.cert_data, config_.cert_file),
                            stamp(config_.key_data, config_.key_file)}};
  if (get_client_certificate_) version.plugin = get_client_certificate_();
  return version;
}

util::Expected<std::shared_ptr<const TlsMaterial>> TlsSource::Load(const Version& version) const {
  const auto read = [this](const std::string& data, const std::string& path,
                           std::string_view field) -> util::Expected<Pem> {
    const std::string prefix = origin_.empty() ? "" : origin_ + ": ";
    if (!data.empty()) return Pem{data, prefix + std::string(field) + "-data"};
    if (path.empty()) return Pem{"", prefix + std::string(field)};
    auto text = util::ReadFile(path);
    if (!text) return Err(text.error().Wrap(prefix + std::string(field)));
    if (text->empty()) {
      return Err(ErrorReason::kInvalidArgument,
                 prefix + std::string(field) + ": " + path + " is empty");
    }
    return Pem{std::move(*text), prefix + std::string(field) + " " + path};
  };
  auto ca = read(config_.ca_data, config_.ca_file, "certificate-authority");
  if (!ca) return Err(std::move(ca.error()));
  if (const auto& plugin = version.plugin) {
    return TlsMaterial::Parse(*ca, Pem{plugin->cert_pem, plugin->origin + ": the certificate"},
                              Pem{plugin->key_pem, plugin->origin + ": the key"});
  }
  auto cert = read(config_.cert_data, config_.cert_file, "client-certificate");
  if (!cert) return Err(std::move(cert.error()));
  auto key = read(config_.key_data, config_.key_file, "client-key");
  if (!key) return Err(std::move(key.error()));
  return TlsMaterial::Parse(*ca, *cert, *key);
}

util::Expected<std::shared_ptr<const TlsMaterial>> TlsSource::Current() {
  std::optional<util::Error> unusable;
  auto current = LookAndLoad(unusable);
  if (unusable) {
    LOG(WARNING) << util::Kv("Changed TLS files cannot be used, keeping the old ones", "err",
                             *unusable);
  }
  return current;
}

util::Expected<std::shared_ptr<const TlsMaterial>> TlsSource::LookAndLoad(
    std::optional<util::Error>& unusable) {
  util::MutexLock lock(mu_);
  // Before the files are read: a change in between is then seen by the next call.
  Version version = Look();
  if (material_ && version == version_) return material_;
  auto loaded = Load(version);
  version_ = std::move(version);
  if (loaded) {
    material_ = std::move(*loaded);
  } else if (!material_) {
    return loaded;
  } else {
    unusable = std::move(loaded.error());
  }
  return material_;
}

}  // namespace clientgo::transport
