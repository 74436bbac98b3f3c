// SPDX-License-Identifier: Apache-2.0
// NewCpprestTransport returns the HttpTransport of the archived library cpprestsdk.
//
// It keeps HttpTransport's contract, with the limits in
// docs/decisions/0023-cpprestsdk-as-an-option.md, which names a test for each. In short: HTTP/1.1
// only, a whole chunk of a response is held in memory, and the library gets no security fixes. The
// first call in a process logs a warning with the limits.
//
// All transports of a process share one thread ("cpprest"), which does the I/O of all requests. A
// calling thread waits for it. What it has received for a response is handed to the reader in
// place, and nothing more is read from that connection until the next Read. Thread-safe. Responses
// may outlive the transport.
#pragma once

#include <memory>

#include "capstan/error.h"
#include "capstan/transport/config.h"
#include "capstan/transport/http_transport.h"
#include "capstan/transport/transport_options.h"

namespace capstan::transport {

// Errors and the proxy are NewHttp1Transport's. Also kInvalidArgument for an IPv6 address as the
// server or the proxy, and kTransport if the process already uses cpprestsdk in another way.
// config.http2 is ignored. Of `options` the address delay, the idle connection timeout and the
// pings are not used.
Expected<std::unique_ptr<HttpTransport>> NewCpprestTransport(const Config& config,
                                                             const TransportOptions& options);

}  // namespace capstan::transport
