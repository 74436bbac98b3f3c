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

#include "clientgo/util/clock.h"
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
  // Longest silence while the request is sent, and once the response has begun, before the peer
  // counts as lost (kUnexpectedEof). For a watch: its timeoutSeconds plus a margin.
  std::chrono::milliseconds idle_timeout = std::chrono::seconds(30);
  // How long the response's head may take, from the start of RoundTrip (kDeadlineExceeded). max():
  // no limit of time. A peer that is dead is found without one, by TCP.
  util::Clock::Duration answer_timeout = util::Clock::Duration::max();
  // The same for the whole exchange, from the name's resolution to the end of the body.
  util::Clock::Duration timeout = util::Clock::Duration::max();
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
  // ended as it should. `max_silence`: how long to wait for them. Errors: kUnexpectedEof
  // (truncated, reset, idle too long), kDeadlineExceeded (max_silence, or the request's timeout),
  // kCanceled (the stop token given to RoundTrip), kTransport. After an error nothing more can be
  // read.
  virtual util::Expected<std::string_view> Read(util::Clock::Duration max_silence) = 0;
  util::Expected<std::string_view> Read() { return Read(util::Clock::Duration::max()); }
};

class HttpTransport {
 public:
  virtual ~HttpTransport() = default;
  // Sends the request and blocks until the response's head is there. `stop` reaches the socket, now
  // and during every Read, in well under a second. A response of any status is not an error; errors
  // are kNoSuchHost, kConnectionRefused, kProxy, kCertificate, and those of Read. The message of a
  // kDeadlineExceeded names the server and what was waited for.
  virtual util::Expected<std::unique_ptr<HttpResponse>> RoundTrip(std::stop_token stop,
                                                                  const HttpRequest& request) = 0;
};

}  // namespace clientgo::transport
