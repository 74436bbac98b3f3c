// SPDX-License-Identifier: Apache-2.0
// NewHttp1Transport returns the HttpTransport for HTTP/1.1. It uses blocking sockets, OpenSSL and
// Boost.Beast's parser. Thread-safe.
//
// The thread that reads a response also reads the socket. There is no queue, and another thread
// only while a connection is opened ("dial"), so a reader that stalls stops the server. Finished
// unary connections are kept for the next request; each watch has its own connection. Responses may
// outlive the transport.
//
// When a server has several addresses, the transport uses the first that accepts (Dialer). It tries
// the address that worked first next time (AddressOrder).
//
// Mirrors net/http.Transport as client-go configures it for HTTP/1.1. Differs: only the responses
// that HttpRequest::compression allows are requested compressed. Only GET requests are retried.
// When the client certificate changes, watches are ended within five minutes, so that they
// reconnect with the new one.
#pragma once

#include <memory>

#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/transport/config.h"
#include "capstan/transport/http_transport.h"
#include "capstan/transport/transport_options.h"

namespace capstan::transport {

// Reads and checks certificates and keys; kInvalidArgument names the unusable file or field.
// Without config.proxy_url, the current values of HTTPS_PROXY, HTTP_PROXY and NO_PROXY apply. The
// caller sends credentials other than the client certificate as headers. config.http2 is ignored.
CAPSTAN_EXPORT Expected<std::unique_ptr<HttpTransport>> NewHttp1Transport(
    const Config& config, const TransportOptions& options = {});

}  // namespace capstan::transport
