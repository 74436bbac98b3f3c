// SPDX-License-Identifier: Apache-2.0
// Compressed bodies, above HttpTransport: a transport requests gzip when a request allows it, and
// returns the body as it was sent. DecodeBody then decodes it while it is read.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "capstan/error.h"
#include "capstan/transport/http_transport.h"
#include "clientgo/transport/resolver.h"

namespace capstan::transport {

// Returns the value of Accept-Encoding for a request: "gzip" or "identity". `peer` is the other end
// of the connection, a proxy if `proxied`. A server behind a proxy is not on this host.
std::string_view AcceptEncoding(Compression allowed, const std::optional<Endpoint>& peer,
                                bool proxied);

// Returns an error if the response has a Content-Encoding that the request does not allow.
Expected<void> CheckEncoding(const Headers& headers, Compression allowed,
                             const std::string& server);

// Returns a response whose Read decodes the body of `response`, or `response` if its body is not
// compressed. `server` is for messages: "10.0.0.1:6443".
//
// Beside the bytes of one Read of `response`, it holds 56 KiB at most: zlib's window of 32 KiB, its
// state and an output buffer of 16 KiB. It holds nothing between two gzip members, which is where a
// watch waits. Read returns what one Read of `response` decodes to, up to 16 KiB, and does not wait
// for more. Its errors are those of `response`, kUnexpectedEof if the body ends within a member,
// and kDecode if it is corrupt.
std::unique_ptr<HttpResponse> DecodeBody(std::unique_ptr<HttpResponse> response,
                                         const std::string& server);

}  // namespace capstan::transport
