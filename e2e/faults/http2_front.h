// SPDX-License-Identifier: Apache-2.0
// Http2Front speaks HTTP/2 over TLS in front of an HTTP/1.1 server on 127.0.0.1, which the embedded
// API server is. A response that breaks off resets its stream, and a server that closes without a
// response breaks the whole connection.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "capstan/testing/certificates.h"
#include "capstan/transport/http_transport.h"
#include "clientgo/transport/testing/loopback_server.h"

namespace e2e {

class Http2Front {
 public:
  explicit Http2Front(std::uint16_t server_port);

  std::uint16_t port() const { return static_cast<std::uint16_t>(front_->port()); }
  const std::string& ca_pem() const { return ca_.cert_pem; }
  int http2_connections() const { return front_->http2_connections(); }

 private:
  void Forward(capstan::transport::LoopbackConnection& connection, const std::string& text);

  const capstan::testing::KeyPair ca_;
  const std::unique_ptr<capstan::transport::HttpTransport> server_;
  std::unique_ptr<capstan::transport::LoopbackServer> front_;
};

}  // namespace e2e
