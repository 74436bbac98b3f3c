// SPDX-License-Identifier: Apache-2.0
// TlsClient is one TLS connection to a server on loopback. It trusts every server, and returns the
// negotiated parameters.
#pragma once

#include <functional>
#include <string>

#include "clientgo/cert/openssl_ptr.h"
#include "clientgo/httpserver/testing/raw_client.h"

namespace capstan::httpserver {

class TlsClient {
 public:
  // `restrict` may narrow what the client offers.
  explicit TlsClient(std::uint16_t port, const std::function<void(SSL*)>& restrict = {})
      : socket_(port), context_(SSL_CTX_new(TLS_client_method())) {
    SSL_CTX_set_security_level(context_.get(), 0);
    ssl_.reset(SSL_new(context_.get()));
    SSL_set_min_proto_version(ssl_.get(), TLS1_VERSION);
    if (restrict) restrict(ssl_.get());
    SSL_set_fd(ssl_.get(), socket_.fd());
    connected_ = SSL_connect(ssl_.get()) == 1;
  }

  bool connected() const { return connected_; }
  std::string Version() const { return connected_ ? SSL_get_version(ssl_.get()) : "none"; }
  std::string Cipher() const { return connected_ ? SSL_get_cipher_name(ssl_.get()) : "none"; }
  // Returns the protocol that the server has selected of those in `restrict`.
  std::string Protocol() const {
    const unsigned char* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(ssl_.get(), &name, &size);
    return {reinterpret_cast<const char*>(name), size};
  }
  // Returns the common name in the server's certificate.
  std::string ServerName() const {
    if (!connected_) return "none";
    const X509* cert = SSL_get0_peer_certificate(ssl_.get());
    std::string name(64, '\0');
    const int size = X509_NAME_get_text_by_NID(X509_get_subject_name(cert), NID_commonName,
                                               name.data(), static_cast<int>(name.size()));
    name.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return name;
  }
  // Returns the whole response to a GET.
  std::string Get(const std::string& path) {
    const std::string request =
        "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    SSL_write(ssl_.get(), request.data(), static_cast<int>(request.size()));
    std::string response;
    char buffer[4096];
    int size = 0;
    while ((size = SSL_read(ssl_.get(), buffer, sizeof buffer)) > 0) {
      response.append(buffer, static_cast<std::size_t>(size));
    }
    return response;
  }

 private:
  RawClient socket_;
  cert::OpensslPtr<SSL_CTX> context_;
  cert::OpensslPtr<SSL> ssl_;
  bool connected_ = false;
};

}  // namespace capstan::httpserver
