// SPDX-License-Identifier: Apache-2.0
// HttpTransport: one HTTP exchange with one server, read by pulling. The seam between capstan and
// whatever HTTP library is underneath: nothing above it sees a type of that library.
//
// The caller's thread does the reading: a reader that stalls stops the server, and nobody else.
// RoundTrip is thread-safe; one HttpResponse belongs to one thread. Mirrors net/http's
// RoundTripper and Response.Body.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clientgo/util/error.h"

namespace clientgo::transport {

using Headers = std::vector<std::pair<std::string, std::string>>;

// The first header of that name, compared without case; empty when there is none.
std::string_view FindHeader(const Headers& headers, std::string_view name);

struct HttpRequest {
  std::string method = "GET";
  std::string target = {};  // path and query, already escaped
  Headers headers = {};
  std::string body = {};
  // Longest silence before the peer counts as lost (kUnexpectedEof). For a watch: its
  // timeoutSeconds plus a margin.
  std::chrono::milliseconds idle_timeout = std::chrono::seconds(30);
  // A watch: what may change while it runs, like the client certificate, is looked at meanwhile.
  bool long_running = false;
};

class HttpResponse {
 public:
  // Abandons what was not read; the connection is then closed, otherwise used again.
  virtual ~HttpResponse() = default;
  virtual int status() const = 0;
  virtual const Headers& headers() const = 0;
  // Blocks for the next bytes of the body; the view is valid until the next call. Empty: the body
  // ended as it should. Errors: kUnexpectedEof (truncated, reset, idle too long), kCanceled (the
  // stop token given to RoundTrip), kTransport.
  virtual util::Expected<std::string_view> Read() = 0;
};

class HttpTransport {
 public:
  virtual ~HttpTransport() = default;
  // Sends the request and blocks until the response's head is there. `stop` reaches the socket, now
  // and during every Read, in well under a second. A response of any status is not an error; errors
  // are kNoSuchHost, kConnectionRefused, kProxy, kCertificate, and those of Read.
  virtual util::Expected<std::unique_ptr<HttpResponse>> RoundTrip(std::stop_token stop,
                                                                  const HttpRequest& request) = 0;
};

}  // namespace clientgo::transport
