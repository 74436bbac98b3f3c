// SPDX-License-Identifier: Apache-2.0
// Requester: one HTTP request on behalf of a Client: credentials, throttle, metrics, retries, and
// what a bad answer means. What comes back is a response with a 2xx status, or an error.
// Thread-safe. Mirrors the request loop of client-go's rest.Request and its retry policy.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "clientgo/rest/client.h"
#include "clientgo/rest/request_throttle.h"
#include "clientgo/rest/token_source.h"
#include "clientgo/rest/transport.h"
#include "clientgo/util/error.h"

namespace clientgo::rest {

class Requester {
 public:
  Requester(const Config& config, std::unique_ptr<HttpTransport> transport, ClientOptions options);

  using Result = util::Expected<std::unique_ptr<HttpResponse>>;
  // With client-go's retries. `request` gets the headers that every request has.
  Result Do(const std::stop_token& stop, HttpRequest request);
  // One attempt: whoever opens a watch has a retry policy of its own.
  Result DoOnce(const std::stop_token& stop, HttpRequest request);

  void ObserveDuration(std::string_view method, util::Clock::TimePoint start) const;
  util::Clock& clock() const { return options_.clock; }

 private:
  struct Attempt;
  Attempt Try(const std::stop_token& stop, const HttpRequest& request);
  util::Expected<void> AddHeaders(HttpRequest& request);
  util::Error ReadError(HttpResponse& response);

  const ClientOptions options_;
  const std::string host_;        // "10.0.0.1:6443": in metrics
  const std::string url_prefix_;  // "https://10.0.0.1:6443": in messages
  const std::string user_agent_;
  const std::string basic_;  // the Authorization header of username and password
  const std::chrono::milliseconds timeout_;
  const std::unique_ptr<HttpTransport> transport_;
  TokenSource tokens_;
  RequestThrottle throttle_;
};

}  // namespace clientgo::rest
