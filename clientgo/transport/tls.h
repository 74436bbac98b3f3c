// SPDX-License-Identifier: Apache-2.0
// TLS of the transport: the certificates of a Config (TlsMaterial), their rotation (TlsSource), and
// encrypted connections (TlsStream).
#pragma once

#include <openssl/ssl.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"
#include "capstan/file.h"
#include "capstan/mutex.h"
#include "capstan/transport/config.h"
#include "clientgo/transport/socket.h"

namespace capstan::transport {

struct OpensslFree {
  void operator()(X509* x) const { X509_free(x); }
  void operator()(X509_STORE* x) const { X509_STORE_free(x); }
  void operator()(EVP_PKEY* x) const { EVP_PKEY_free(x); }
  void operator()(BIO* x) const { BIO_free(x); }
  void operator()(BIO_METHOD* x) const { BIO_meth_free(x); }
  void operator()(SSL* x) const { SSL_free(x); }
  void operator()(SSL_CTX* x) const { SSL_CTX_free(x); }
};
template <class T>
using OpensslPtr = std::unique_ptr<T, OpensslFree>;

// TlsMaterial is the parsed trust anchors and client certificate of a Config.
//
// CAs in the Config replace the system's. Host names are checked by SAN alone, as in Go. Immutable.
// Keys are never logged. Mirrors client-go's transport.TLSConfigFor.
class TlsMaterial {
 public:
  // PEM text and, for messages, its origin.
  struct Pem {
    std::string text;
    std::string origin;
  };
  // Empty texts mean the system's CAs and no client certificate.
  static Expected<std::shared_ptr<const TlsMaterial>> Parse(const Pem& ca, const Pem& cert,
                                                            const Pem& key);

  // Returns material that trusts no CA. For connections that accept every server.
  static std::shared_ptr<const TlsMaterial> WithoutAnchors();

  // Returns a session for a new connection: TLS >= 1.2, with SNI and verification of `name` (a DNS
  // name or an address). `*verification` receives the reason when the server's certificate is
  // refused; it must outlive the result. With a null `verification` every server is trusted.
  OpensslPtr<SSL> NewSession(const std::string& name, std::string* verification) const;

  // Configure, SendServerName and Verify are for a library with its own contexts and sessions.
  // Configure gives `context` the settings, trust anchors and client certificate of our own
  // sessions.
  void Configure(SSL_CTX* context) const;
  // SendServerName sends the server's name, as SNI, in the handshake of `session`. An address is
  // not sent.
  static void SendServerName(SSL* session, const std::string& server);
  // Verify checks a server's certificate and `name` as our own sessions do. It returns the reason
  // if the server is refused.
  static std::optional<std::string> Verify(X509_STORE_CTX* chain, const std::string& name);

  struct Validity {
    std::chrono::sys_seconds not_before = {};
    std::chrono::sys_seconds not_after = {};
  };
  // Returns the validity of the client certificate, if there is one.
  std::optional<Validity> ClientValidity() const;

  // Reports whether both have the same client certificate.
  bool SameClient(const TlsMaterial& other) const;

 private:
  static std::shared_ptr<TlsMaterial> New();
  Expected<void> UseClientCertificate(const Pem& cert, const Pem& key);

  OpensslPtr<SSL_CTX> context_;  // shared by all connections, which saves 40 KiB for each
};

// TlsSource holds the current TlsMaterial and reads it again when a file changes. A rotated CA or
// client certificate needs no restart. Thread-safe. Mirrors client-go's cert rotation.
class TlsSource {
 public:
  // Uses config.tls and config.get_client_certificate. Messages start with config.source.
  explicit TlsSource(const Config& config);

  // The first call reads and parses everything; its error names the file or field. Later calls
  // return the same object until a file or the plugin's certificate changes. A change that cannot
  // be used (half written, removed) is logged once, and the last good material stays.
  Expected<std::shared_ptr<const TlsMaterial>> Current();

 private:
  struct Version {
    std::array<FileStamp, 3> files = {};
    std::shared_ptr<const ClientCertificate> plugin = {};
    bool operator==(const Version&) const = default;
  };
  // `unusable` is set when the change cannot be used.
  Expected<std::shared_ptr<const TlsMaterial>> LoadIfChanged(std::optional<Error>& unusable);
  Expected<std::shared_ptr<const TlsMaterial>> Load(const Version& version) const;
  Version CurrentVersion() const;

  const TlsConfig config_;
  const std::function<std::shared_ptr<const ClientCertificate>()> get_client_certificate_;
  const std::string origin_;
  Mutex mu_;
  Version version_ CAPSTAN_GUARDED_BY(mu_) = {};
  std::shared_ptr<const TlsMaterial> material_ CAPSTAN_GUARDED_BY(mu_);
};

// TlsStream is TLS over a Socket. OpenSSL reads and writes through the socket's blocking calls, so
// the socket's idle timeout and Cancel apply to the handshake and to every call here. The calls
// with Try wait for nothing. One thread uses it. Mirrors Go's crypto/tls.Conn.
class TlsStream {
 public:
  // Both arguments must outlive the stream.
  TlsStream(Socket& socket, const TlsMaterial& material);

  // `name` is the server's, as in TlsMaterial::NewSession. Errors: the socket's; kCertificate (the
  // server's certificate is refused); kTransport (the server refuses). With `offer_http2` the
  // server may choose HTTP/2 (ALPN).
  Expected<void> Handshake(const std::string& name, bool insecure_skip_verify,
                           bool offer_http2 = false);
  // Reports whether the server has chosen HTTP/2.
  bool http2() const;
  // Waits for the first bytes and returns all that have arrived, up to `size`. 0: the end.
  Expected<std::size_t> Read(char* out, std::size_t size);
  Expected<void> Write(std::string_view bytes);
  // Reads without waiting. A negative result means that nothing has arrived; 0: the end.
  Expected<std::ptrdiff_t> TryRead(char* out, std::size_t size);
  // Encrypts all of `bytes`. What the socket does not take at once is kept for Flush, so call it
  // only while nothing is unsent.
  Expected<void> TryWrite(std::string_view bytes);
  // Sends what TryWrite has kept, without waiting.
  Expected<void> Flush();
  bool has_unsent() const { return !unsent_.empty(); }
  // Reports whether everything that has arrived was read.
  bool IsQuiet() const;
  // Returns whether a handshake that failed lacked only the server's last answer. A server with TLS
  // 1.2 refuses to send it to a client without the certificate that it requires.
  bool ClientPartDone() const;
  // Returns the certificates of the server as DER, its own first, after the handshake or when
  // ClientPartDone.
  std::vector<std::string> PeerCertificates() const;

 private:
  friend struct SocketBio;  // OpenSSL's view of the socket
  Error TakeError(int result);
  Expected<void> WriteAll(std::string_view bytes);

  Socket& socket_;
  const TlsMaterial& material_;
  std::string verification_;
  OpensslPtr<SSL> ssl_;
  // What the current call may wait for. Read, Write and the calls with Try set both.
  bool may_wait_ = true;  // for bytes to read
  bool writes_may_wait_ = true;
  std::string unsent_;          // encrypted
  std::optional<Error> error_;  // the socket's error during a call of OpenSSL
};

}  // namespace capstan::transport
