// SPDX-License-Identifier: Apache-2.0
#include "httpserver/tls_context.h"

#include <boost/asio/ssl/context.hpp>
#include <string>
#include <utility>

#include "clientgo/util/logging.h"

namespace httpserver {
namespace {

using boost::system::error_code;
using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;
using clientgo::util::Kv;
namespace ssl = boost::asio::ssl;

struct Free {
  void operator()(X509* cert) const { X509_free(cert); }
  void operator()(BIO* bio) const { BIO_free(bio); }
};

// As kube-apiserver: whoever shows a bad certificate, or none, may still have a token.
int AcceptAnyCertificate(int /*ok*/, X509_STORE_CTX* /*context*/) { return 1; }

bool AskForClientCertificates(SSL_CTX* context, const std::string& ca_pem) {
  const std::unique_ptr<BIO, Free> bio(
      BIO_new_mem_buf(ca_pem.data(), static_cast<int>(ca_pem.size())));
  const std::unique_ptr<X509, Free> ca(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  if (!ca || X509_STORE_add_cert(SSL_CTX_get_cert_store(context), ca.get()) != 1) return false;
  constexpr unsigned char kSessions[] = "httpserver";
  SSL_CTX_set_session_id_context(context, kSessions, sizeof(kSessions) - 1);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, AcceptAnyCertificate);
  return true;
}

int ProtocolVersion(TlsVersion version) {
  switch (version) {
    case TlsVersion::k10:
      return TLS1_VERSION;
    case TlsVersion::k11:
      return TLS1_1_VERSION;
    case TlsVersion::k12:
      return TLS1_2_VERSION;
    case TlsVersion::k13:
      break;
  }
  return TLS1_3_VERSION;
}

bool Apply(const TlsOptions& options, SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, ProtocolVersion(options.min_version));
  // Signatures of older versions are SHA-1, which OpenSSL's higher levels refuse.
  if (options.min_version < TlsVersion::k12) SSL_CTX_set_security_level(context, 0);
  if (options.cipher_suites.empty()) return true;
  const OpensslCiphers ciphers = ToOpenssl(options.cipher_suites);
  bool ok = true;
  if (!ciphers.tls13.empty()) ok = SSL_CTX_set_ciphersuites(context, ciphers.tls13.c_str()) == 1;
  if (!ciphers.tls12.empty()) {
    ok = ok && SSL_CTX_set_cipher_list(context, ciphers.tls12.c_str()) == 1;
  } else {
    SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
  }
  return ok;
}

}  // namespace

Expected<TlsContext> NewTlsContext(const TlsFiles& files) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  SSL_CTX* const native = context->native_handle();
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION);
  if (!Apply(files.options, native)) {
    return Err(ErrorReason::kInvalidArgument,
               "this build of OpenSSL has none of the cipher suites that are asked for");
  }
  error_code ec;
  context->use_certificate_chain(boost::asio::buffer(files.cert_pem), ec);
  if (ec) {
    return Err(ErrorReason::kInvalidArgument, "cannot use the TLS certificate: " + ec.message());
  }
  context->use_private_key(boost::asio::buffer(files.key_pem), ssl::context::pem, ec);
  if (ec) return Err(ErrorReason::kInvalidArgument, "cannot use the TLS key: " + ec.message());
  if (!files.client_ca_pem.empty() && !AskForClientCertificates(native, files.client_ca_pem)) {
    return Err(ErrorReason::kInvalidArgument, "cannot use the CA of clients");
  }
  return context;
}

Expected<void> TlsContexts::Load() {
  if (options_.tls_source) {
    auto files = options_.tls_source();
    if (!files) return Err(std::move(files.error()));
    files_ = *std::move(files);
  }
  const TlsFiles* files = options_.tls_source ? files_.get() : options_.tls.get();
  if (files == nullptr) return {};
  auto context = NewTlsContext(*files);
  if (!context) return Err(std::move(context.error()));
  context_ = *std::move(context);
  if (options_.on_tls_changed) options_.on_tls_changed(true);
  return {};
}

TlsContext TlsContexts::Current() {
  if (!options_.tls_source) return context_;
  auto files = options_.tls_source();
  if (files && *files == files_) return context_;
  Expected<TlsContext> context;
  if (files) {
    files_ = *std::move(files);
    context = NewTlsContext(*files_);
  } else {
    context = Err(std::move(files.error()));
  }
  if (options_.on_tls_changed) options_.on_tls_changed(context.has_value());
  if (context) {
    context_ = *std::move(context);
    LOG(INFO) << Kv("Serving a changed certificate", "server", options_.name);
  } else {
    LOG(WARNING) << Kv("A changed certificate cannot be served, keeping the old one", "server",
                       options_.name, "err", context.error());
  }
  return context_;
}

}  // namespace httpserver
