// SPDX-License-Identifier: Apache-2.0
// TlsMaterial is the parsed trust anchors and client certificate of a Config.
//
// CAs in the Config replace the system's. Host names are checked by SAN alone, as in Go. Immutable.
// Keys are never logged. Mirrors client-go's transport.TLSConfigFor.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "capstan/error.h"
#include "clientgo/cert/openssl_ptr.h"

namespace capstan::transport {

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
  cert::OpensslPtr<SSL> NewSession(const std::string& name, std::string* verification) const;

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

  cert::OpensslPtr<SSL_CTX> context_;  // shared by all connections, which saves 40 KiB for each
};

}  // namespace capstan::transport
