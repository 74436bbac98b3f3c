// SPDX-License-Identifier: Apache-2.0
// NewHttpTransport returns the HttpTransport for a server, with HTTP/2 where the server offers it.
//
// The server chooses during the TLS handshake (ALPN). With HTTP/2 all requests and watches share
// one connection, read by one thread (Http2Connection). Another connection is opened only when the
// server allows no more streams on the first, ends it (GOAWAY), or does not answer a PING on it,
// and when the client certificate changes. A request that waits for a quarter of its time limit
// while the connection is silent causes such a PING, so that one slow answer is no reason for
// another connection. A request that the server has refused unprocessed is sent again, five times
// at most and with a delay. Connections are opened by threads ("dial"), so the deadline of a
// request does not end them (Channels). A server that does not choose HTTP/2 gets HTTP/1.1 as
// http1_transport.h describes it, and so does every server with http:// or Http2::kOff.
// Thread-safe. Responses may outlive the transport.
//
// A proxy with CONNECT passes TLS through, so HTTP/2 works behind it. Mirrors net/http.Transport
// with golang.org/x/net/http2 as client-go configures them. Differs: a PING is sent after 15 s
// without a byte and must be answered within 15 s, so a hung server is noticed in 30 s instead of
// 45 s. Only GET requests are retried on a broken connection.
#pragma once

#include <memory>

#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/transport/config.h"
#include "capstan/transport/http_transport.h"
#include "capstan/transport/transport_options.h"

namespace capstan::transport {

// Errors and the proxy are NewHttp1Transport's. kInvalidArgument: this build does not have
// config.implementation.
CAPSTAN_EXPORT Expected<std::unique_ptr<HttpTransport>> NewHttpTransport(
    const Config& config, const TransportOptions& options = {});

// Reports whether this build has the implementation.
CAPSTAN_EXPORT bool Has(Implementation implementation);

}  // namespace capstan::transport
