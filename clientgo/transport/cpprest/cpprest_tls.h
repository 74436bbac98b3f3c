// SPDX-License-Identifier: Apache-2.0
// CpprestTls gives the TLS sessions of cpprestsdk our trust anchors, our verification and our SNI,
// and keeps the reason of a failed handshake, which cpprestsdk does not report.
//
// cpprestsdk itself would trust the system's CAs beside a given one, accept a server by its common
// name, and send addresses as SNI. It must outlive the sessions. Everything except the constructor
// runs on the thread of cpprestsdk's pool.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "capstan/error.h"
#include "clientgo/transport/tls_material.h"

namespace capstan::transport {

class CpprestTls {
 public:
  // `name` is the server's, as in TlsMaterial::NewSession.
  CpprestTls(std::shared_ptr<const TlsMaterial> material, std::string name, bool insecure)
      : material_(std::move(material)), name_(std::move(name)), insecure_(insecure) {}
  CpprestTls(const CpprestTls&) = delete;
  CpprestTls& operator=(const CpprestTls&) = delete;

  const std::shared_ptr<const TlsMaterial>& material() const { return material_; }

  // Sets up the context of one new connection.
  void Configure(SSL_CTX* context);

  // Returns why the last handshake failed, once: kCertificate (the server's certificate is
  // refused), kTransport (an alert of the server). Returns nullopt if TLS is not the reason.
  std::optional<Error> TakeFailure() { return std::exchange(failure_, std::nullopt); }

 private:
  static int Verify(X509_STORE_CTX* chain, void* self);
  static void OnInfo(const SSL* session, int where, int value);

  const std::shared_ptr<const TlsMaterial> material_;
  const std::string name_;
  const bool insecure_;
  std::optional<Error> failure_;
};

}  // namespace capstan::transport
