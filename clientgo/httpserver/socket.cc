// SPDX-License-Identifier: Apache-2.0
#include "clientgo/httpserver/socket.h"

#include <openssl/err.h>
#include <openssl/x509_vfy.h>

#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <chrono>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/log.h"
#include "clientgo/cert/x509.h"

namespace capstan::httpserver {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;
namespace ssl = boost::asio::ssl;

// Returns all values of one field of a certificate's subject.
std::vector<std::string> SubjectFields(X509_NAME* subject, int nid) {
  std::vector<std::string> values;
  for (int at = X509_NAME_get_index_by_NID(subject, nid, -1); at >= 0;
       at = X509_NAME_get_index_by_NID(subject, nid, at)) {
    unsigned char* text = nullptr;
    const ASN1_STRING* value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at));
    const int size = ASN1_STRING_to_UTF8(&text, value);
    if (size < 0) continue;
    values.emplace_back(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
    OPENSSL_free(text);
  }
  return values;
}

bool IsValid(const X509* cert, std::time_t now) {
  return X509_cmp_time(X509_get0_notBefore(cert), &now) == -1 &&
         X509_cmp_time(X509_get0_notAfter(cert), &now) == 1;
}

// Verifies a client's certificate at `now`, as OpenSSL does in the handshake.
bool Verify(SSL* ssl, X509* cert, std::time_t now) {
  const std::unique_ptr<X509_STORE_CTX, decltype(&X509_STORE_CTX_free)> context(
      X509_STORE_CTX_new(), X509_STORE_CTX_free);
  X509_STORE* const store = SSL_CTX_get_cert_store(SSL_get_SSL_CTX(ssl));
  if (!context ||
      X509_STORE_CTX_init(context.get(), store, cert, SSL_get_peer_cert_chain(ssl)) != 1)
    return false;
  X509_STORE_CTX_set_default(context.get(), "ssl_client");
  X509_VERIFY_PARAM* const param = X509_STORE_CTX_get0_param(context.get());
  X509_VERIFY_PARAM_set_auth_level(param, SSL_get_security_level(ssl));
  X509_VERIFY_PARAM_set_time(param, now);
  const bool ok = X509_verify_cert(context.get()) == 1;
  ERR_clear_error();  // the next TLS operation of this thread would take it for its own
  return ok;
}

// Reports whether the certificate of a client is trusted now, as kube-apiserver asks at each
// request. The handshake knows only whether it was: OpenSSL asks time(), which is some milliseconds
// behind the clock. To it, a certificate that was made just now may not be valid yet.
bool IsTrusted(SSL* ssl, X509* cert) {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  bool trusted = SSL_get_verify_result(ssl) == X509_V_OK && IsValid(cert, now);
  const STACK_OF(X509)* const chain = SSL_get0_verified_chain(ssl);  // none if it is resumed
  for (int i = 0; trusted && i < sk_X509_num(chain); ++i) {
    trusted = IsValid(sk_X509_value(chain, i), now);
  }
  return trusted || Verify(ssl, cert, now);
}

class PlainSocket final : public Socket {
 public:
  PlainSocket(IoContext io, tcp::socket socket) : io_(std::move(io)), socket_(std::move(socket)) {}

  void Handshake(Done done) override {
    boost::asio::post(*io_, [done = std::move(done)] { done({}); });
  }
  void ReadSome(boost::asio::mutable_buffer buffer, Transferred done) override {
    socket_.async_read_some(buffer, std::move(done));
  }
  void WriteSome(boost::asio::const_buffer buffer, Transferred done) override {
    socket_.async_write_some(buffer, std::move(done));
  }
  void ShutdownSend(Done done) override {
    error_code ec;
    socket_.shutdown(tcp::socket::shutdown_send, ec);
    boost::asio::post(*io_, [done = std::move(done), ec] { done(ec); });
  }
  void Close() override {
    error_code ignored;
    socket_.close(ignored);
  }

 private:
  const IoContext io_;  // outlives socket_
  tcp::socket socket_;
};

class TlsSocket final : public Socket {
 public:
  TlsSocket(IoContext io, tcp::socket socket, TlsContext context)
      : io_(std::move(io)), context_(std::move(context)), stream_(std::move(socket), *context_) {}

  void Handshake(Done done) override {
    stream_.async_handshake(ssl::stream_base::server, std::move(done));
  }
  void ReadSome(boost::asio::mutable_buffer buffer, Transferred done) override {
    stream_.async_read_some(buffer, std::move(done));
  }
  void WriteSome(boost::asio::const_buffer buffer, Transferred done) override {
    stream_.async_write_some(buffer, std::move(done));
  }
  void ShutdownSend(Done done) override { stream_.async_shutdown(std::move(done)); }
  void Close() override {
    error_code ignored;
    stream_.lowest_layer().close(ignored);
  }
  bool SelectedHttp2() const override {
    const unsigned char* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(Native(), &name, &size);
    return std::string_view(reinterpret_cast<const char*>(name), size) == "h2";
  }
  std::optional<ClientIdentity> Client() const override {
    SSL* const ssl = Native();
    const cert::OpensslPtr<X509> cert(SSL_get1_peer_certificate(ssl));
    if (!cert) return std::nullopt;
    X509_NAME* subject = X509_get_subject_name(cert.get());
    ClientIdentity identity{.trusted = IsTrusted(ssl, cert.get()),
                            .organizations = SubjectFields(subject, NID_organizationName)};
    auto names = SubjectFields(subject, NID_commonName);
    if (!names.empty()) identity.common_name = std::move(names.back());
    return identity;
  }

 private:
  // Asio's method is not const, but changes nothing.
  SSL* Native() const { return const_cast<ssl::stream<tcp::socket>&>(stream_).native_handle(); }

  const IoContext io_;  // outlives stream_
  const TlsContext context_;
  ssl::stream<tcp::socket> stream_;
};

// Like kube-apiserver, accepts clients with a bad certificate or none, because they may have a
// token.
int AcceptAnyCertificate(int /*ok*/, X509_STORE_CTX* /*context*/) { return 1; }

// The file has the certificates from which Go's X509KeyPair reads a pair.
Expected<void> UseCertificate(SSL_CTX* context, const TlsFiles& files) {
  const auto chain = cert::ReadChain(files.cert_pem);
  if (!chain) return Err(chain.error().Wrap("cannot use the TLS certificate"));
  const auto key = cert::ReadPrivateKey(files.key_pem);
  if (!key) return Err(key.error().Wrap("cannot use the TLS key"));
  bool ok = SSL_CTX_use_certificate(context, chain->front().get()) == 1;
  for (std::size_t i = 1; i < chain->size(); ++i) {
    ok = ok && SSL_CTX_add1_chain_cert(context, (*chain)[i].get()) == 1;
  }
  ok = ok && SSL_CTX_use_PrivateKey(context, key->get()) == 1;
  ERR_clear_error();  // the next TLS operation of this thread would take it for its own
  if (ok) return {};
  return Err(ErrorReason::kInvalidArgument,
             "cannot use the TLS certificate: it is too weak, or the key is that of another one");
}

bool RequestClientCertificates(SSL_CTX* context, const std::string& ca_pem) {
  const auto anchors = cert::ReadAnchors(ca_pem);
  if (!anchors) return false;
  X509_STORE* const store = SSL_CTX_get_cert_store(context);
  for (const auto& anchor : *anchors) X509_STORE_add_cert(store, anchor.get());
  // As in Go, an intermediate CA in the file needs no root beside it.
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
  constexpr unsigned char kSessions[] = "httpserver";
  SSL_CTX_set_session_id_context(context, kSessions, sizeof(kSessions) - 1);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, AcceptAnyCertificate);
  return true;
}

// Selects HTTP/2 or HTTP/1.1. A client that offers neither gets HTTP/1.1.
int SelectProtocol(SSL* /*ssl*/, const unsigned char** out, unsigned char* out_size,
                   const unsigned char* offered, unsigned offered_size, void* /*unused*/) {
  constexpr std::string_view kProtocols = "\x02h2\x08http/1.1";
  unsigned char* selected = nullptr;
  const int result = SSL_select_next_proto(
      &selected, out_size, reinterpret_cast<const unsigned char*>(kProtocols.data()),
      static_cast<unsigned>(kProtocols.size()), offered, offered_size);
  *out = selected;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
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
  // Older versions sign with SHA-1, which OpenSSL's higher security levels reject.
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

// Creates the SSL_CTX for all connections of a server, which saves buffers for idle ones.
Expected<TlsContext> NewTlsContext(const TlsFiles& files, bool http2) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  SSL_CTX* const native = context->native_handle();
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION);
  if (http2) SSL_CTX_set_alpn_select_cb(native, SelectProtocol, nullptr);
  if (!Apply(files.options, native)) {
    return Err(ErrorReason::kInvalidArgument,
               "this build of OpenSSL has none of the requested cipher suites");
  }
  if (auto used = UseCertificate(native, files); !used) return Err(std::move(used.error()));
  if (!files.client_ca_pem.empty() && !RequestClientCertificates(native, files.client_ca_pem)) {
    return Err(ErrorReason::kInvalidArgument, "cannot use the CA for client certificates");
  }
  return context;
}

}  // namespace

std::unique_ptr<Socket> NewSocket(IoContext io, tcp::socket socket, TlsContext context) {
  if (!context) return std::make_unique<PlainSocket>(std::move(io), std::move(socket));
  return std::make_unique<TlsSocket>(std::move(io), std::move(socket), std::move(context));
}

Expected<void> TlsContexts::Load() {
  if (options_.tls_source) {
    auto files = options_.tls_source();
    if (!files) return Err(std::move(files.error()));
    files_ = *std::move(files);
  }
  const TlsFiles* files = options_.tls_source ? files_.get() : options_.tls.get();
  if (files == nullptr) return {};
  auto context = NewTlsContext(*files, options_.http2 != nullptr);
  if (!context) return Err(std::move(context.error()));
  context_ = *std::move(context);
  if (options_.on_tls_changed) options_.on_tls_changed(true);
  return {};
}

TlsContext TlsContexts::Current() {
  if (!options_.tls_source) return context_;
  const auto files = options_.tls_source();
  if (files && *files == files_) return context_;
  if (files) files_ = *files;
  auto context = files.and_then(
      [&](const auto& read) { return NewTlsContext(*read, options_.http2 != nullptr); });
  if (options_.on_tls_changed) options_.on_tls_changed(context.has_value());
  if (context) {
    context_ = *std::move(context);
    InfoS("Serving a changed certificate", "server", options_.name);
  } else {
    WarningS("Failed to load a changed certificate, keeping the old one", "server", options_.name,
             "err", context.error());
  }
  return context_;
}

}  // namespace capstan::httpserver
