// SPDX-License-Identifier: Apache-2.0
// The HttpTransport: HTTP/1.1 on blocking sockets, OpenSSL and Boost.Beast's parser.
//
// The thread that reads a response reads the socket: no thread of its own, no queue between, so a
// reader that stalls stops the server. Finished unary connections are kept for the next request; a
// watch has one to itself. Responses may outlive the transport. Thread-safe.
//
// A server with several addresses is reached through whichever accepts first (Dialer); the one that
// worked is tried first next time (AddressOrder).
//
// Mirrors net/http.Transport as client-go sets it up. Differs: no HTTP/2, so a dead peer is found
// by TCP keepalive in about 11 s instead of a ping in 45 s; nothing is compressed; a request other
// than GET is never sent twice; when the client certificate changes, watches are broken off within
// five minutes, so that they come again with the new one.
#pragma once

#include <chrono>
#include <memory>

#include "clientgo/transport/config.h"
#include "clientgo/transport/dialer.h"
#include "clientgo/transport/http_transport.h"
#include "clientgo/util/error.h"

namespace clientgo::transport {

struct Http1Options {
  // How often a running watch looks whether its client certificate is still the current one.
  std::chrono::milliseconds certificate_check_period = std::chrono::minutes(5);
  // How long a connection without a request is kept. An API server closes it after 90 s, as does
  // client-go; a request that meets that moment is lost, so we are earlier.
  std::chrono::milliseconds idle_connection_timeout = std::chrono::seconds(60);
  DialOptions dial = {};
};

// Without config.proxy_url, HTTPS_PROXY, HTTP_PROXY and NO_PROXY decide, as they are now.
// Credentials other than the client certificate are the caller's headers. Certificates and keys are
// read and checked here; kInvalidArgument names the file or field that cannot be used.
util::Expected<std::unique_ptr<HttpTransport>> NewHttp1Transport(const Config& config,
                                                                 const Http1Options& options = {});

}  // namespace clientgo::transport
