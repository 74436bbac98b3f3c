// SPDX-License-Identifier: Apache-2.0
// NewHttp1Transport returns the HttpTransport for HTTP/1.1. It uses blocking sockets, OpenSSL and
// Boost.Beast's parser. Thread-safe.
//
// The thread that reads a response also reads the socket. There is no other thread and no queue, so
// a reader that stalls stops the server. Finished unary connections are kept for the next request;
// each watch has its own connection. Responses may outlive the transport.
//
// When a server has several addresses, the transport uses the first that accepts (Dialer). It tries
// the address that worked first next time (AddressOrder).
//
// Mirrors net/http.Transport as client-go configures it. Differs: there is no HTTP/2, so TCP
// keepalive detects a dead peer in about 11 s instead of a ping in 45 s. Only the responses that
// HttpRequest::compression allows are requested compressed. Only GET requests are retried. When the
// client certificate changes, watches are ended within five minutes, so that they reconnect with
// the new one.
#pragma once

#include <chrono>
#include <memory>

#include "clientgo/transport/config.h"
#include "clientgo/transport/http_transport.h"
#include "clientgo/transport/socket.h"
#include "clientgo/util/error.h"

namespace clientgo::transport {

struct Http1Options {
  // How often a running watch checks whether its client certificate is still the current one.
  std::chrono::milliseconds certificate_check_period = std::chrono::minutes(5);
  // How long a connection is kept without a request. API servers and client-go close it after
  // 90 s. A request at that moment would be lost, so this is shorter.
  std::chrono::milliseconds idle_connection_timeout = std::chrono::seconds(60);
  DialOptions dial = {};
};

// Reads and checks certificates and keys; kInvalidArgument names the unusable file or field.
// Without config.proxy_url, the current values of HTTPS_PROXY, HTTP_PROXY and NO_PROXY apply. The
// caller sends credentials other than the client certificate as headers.
util::Expected<std::unique_ptr<HttpTransport>> NewHttp1Transport(const Config& config,
                                                                 const Http1Options& options = {});

}  // namespace clientgo::transport
