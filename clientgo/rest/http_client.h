// SPDX-License-Identifier: Apache-2.0
// HttpClient sends the HTTP requests of a Client. It adds credentials and headers, limits the rate,
// retries, reports metrics, and turns a response without a 2xx status into an error. Thread-safe.
// Mirrors the request loop of client-go's rest.Request and its retry policy.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "capstan/auth/credentials.h"
#include "capstan/error.h"
#include "capstan/mutex.h"
#include "capstan/rest/client.h"
#include "capstan/token_bucket.h"
#include "capstan/transport/http_transport.h"

namespace capstan::rest {

class HttpClient {
 public:
  HttpClient(const Config& config, std::unique_ptr<transport::HttpTransport> transport,
             ClientOptions options);

  // Connects to the server of `config`. Returns an error if every request would fail.
  static Expected<std::unique_ptr<HttpClient>> New(const Config& config, ClientOptions options);

  using Result = Expected<std::unique_ptr<transport::HttpResponse>>;
  // Sends `request`, with client-go's retries, until the deadline. Adds the headers that every
  // request has.
  Result Send(CallOptions call, transport::HttpRequest request);
  // Sends `request` once. The callers that open a watch have their own retry policy.
  Result SendOnce(const CallOptions& call, transport::HttpRequest request);

  void ObserveDuration(std::string_view method, Clock::TimePoint start) const;
  Clock& clock() const { return options_.clock; }
  ServerAvailability& availability() { return *availability_; }

 private:
  struct Attempt;
  // Waits until the client-side rate limit allows a request. Returns false after a stop, or if the
  // wait would last beyond the deadline.
  bool AwaitThrottle(const CallOptions& call);
  Attempt Try(const std::stop_token& stop, const transport::HttpRequest& request,
              const auth::CredentialPtr& credential);
  // Adds the common headers and the rest of the call's time to `request`. Returns the credential
  // that it uses.
  Expected<auth::CredentialPtr> Prepare(const CallOptions& call, transport::HttpRequest& request);
  // Returns the start of the message for a failed attempt: the method and URL.
  std::string Describe(const transport::HttpRequest& request) const;
  // Sends GET /readyz and returns the HTTP status.
  Expected<int> Probe(const std::stop_token& stop, Clock::TimePoint deadline);
  Error ReadError(transport::HttpResponse& response, const auth::CredentialPtr& credential);
  // Passes the warnings of a response to the handler.
  void HandleWarnings(const transport::Headers& headers);

  const ClientOptions options_;
  WarningLogger warning_logger_;  // used if the options have no handler
  const std::string host_;        // "10.0.0.1:6443", for metrics
  const std::string url_prefix_;  // "https://10.0.0.1:6443", for messages
  const std::string user_agent_;
  const std::chrono::milliseconds timeout_;
  const std::unique_ptr<transport::HttpTransport> transport_;
  const std::shared_ptr<auth::Credentials> credentials_;
  const Expected<transport::Headers> impersonation_;
  Mutex throttle_mu_;
  // Empty: there is no rate limit.
  std::optional<TokenBucket> throttle_ CAPSTAN_GUARDED_BY(throttle_mu_);
  std::unique_ptr<ServerAvailability> own_availability_;  // null if that of another client is used
  ServerAvailability* const availability_;
};

}  // namespace capstan::rest
