// SPDX-License-Identifier: Apache-2.0
#include "clientgo/rest/http_client.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "capstan/log.h"
#include "capstan/rest/config.h"
#include "capstan/runtime/decoder.h"
#include "capstan/text.h"
#include "capstan/time.h"
#include "capstan/transport/http2_transport.h"
#include "clientgo/rest/warning_header.h"
#include "clientgo/runtime/protobuf/protobuf_filter.h"
#include "clientgo/transport/compression.h"
#include "clientgo/transport/server_address.h"

namespace capstan::rest {
namespace {

constexpr int kRetriesMax = 10;
constexpr int kSwitchingProtocols = 101;
constexpr auto kBrokenConnectionDelay = std::chrono::seconds(1);
// The longest Retry-After that is used. It is far above what API servers send.
constexpr auto kRetryAfterMax = std::chrono::seconds(600);
// The time limit of a probe. A slower server counts as unreachable.
constexpr auto kProbeTimeout = std::chrono::seconds(5);
constexpr std::size_t kErrorBodyBytesMax = std::size_t{64} * 1024;

// Only integer seconds, as in client-go: an HTTP date is not a reason to retry.
std::optional<std::chrono::seconds> RetryAfter(const transport::Headers& headers) {
  const std::string_view text = transport::FindHeader(headers, "Retry-After");
  int seconds = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (ec != std::errc() || end != text.data() + text.size() || seconds < 0) return std::nullopt;
  return std::min(std::chrono::seconds(seconds), kRetryAfterMax);
}

// Returns the body as far as it is received, at most kErrorBodyBytesMax bytes.
std::string ReadBody(transport::HttpResponse& response) {
  std::string body;
  while (body.size() < kErrorBodyBytesMax) {
    const auto bytes = response.Read();
    if (!bytes || bytes->empty()) break;
    body.append(bytes->substr(0, kErrorBodyBytesMax - body.size()));
  }
  return body;
}

std::string HostOf(const Config& config) {
  const auto address = transport::ParseServerAddress(config.host);
  return address ? address->HostPort() : config.host;
}

}  // namespace

// Attempt is the result of one attempt and the delay before the next one, if there should be one.
struct HttpClient::Attempt {
  Result result;
  std::string code;  // "200", or "<error>"
  std::optional<Clock::Duration> retry_in = {};
};

HttpClient::HttpClient(const Config& config, std::unique_ptr<transport::HttpTransport> transport,
                       ClientOptions options)
    : options_(options),
      host_(HostOf(config)),
      url_prefix_(Trim(config.host, "/")),
      user_agent_(config.user_agent),
      timeout_(config.timeout),
      transport_(std::move(transport)),
      credentials_(options.credentials ? options.credentials
                                       : NewCredentials(config, options.clock, options.metrics)),
      impersonation_(ImpersonationHeaders(config.impersonate)),
      throttle_(config.qps <= 0
                    ? std::nullopt
                    : std::optional<TokenBucket>(std::in_place, TokenBucket::Interval(config.qps),
                                                 config.burst, options.clock.Now())),
      own_availability_(options.availability != nullptr
                            ? nullptr
                            : std::make_unique<ServerAvailability>(
                                  [this](const std::stop_token& stop, Clock::TimePoint deadline) {
                                    return Probe(stop, deadline);
                                  },
                                  AvailabilityOptions{.clock = options.clock,
                                                      .spread = options.recovery_spread,
                                                      .metrics = options.metrics})),
      availability_(options.availability != nullptr ? options.availability
                                                    : own_availability_.get()) {}

Expected<std::unique_ptr<HttpClient>> HttpClient::New(const Config& config, ClientOptions options) {
  const auto headers = ImpersonationHeaders(config.impersonate);
  if (!headers) return Err(headers.error());
  if (!options.credentials) {
    options.credentials = NewCredentials(config, options.clock, options.metrics);
  }
  if (auto checked = options.credentials->Check(); !checked) {
    return Err(std::move(checked.error()));
  }
  transport::Config server{.host = config.host,
                           .proxy_url = config.proxy_url,
                           .tls = config.tls,
                           .implementation = config.http_transport,
                           .http2 = config.http2,
                           .source = config.source};
  if (UsesExecPlugin(config)) {
    server.get_client_certificate = [credentials = options.credentials] {
      return credentials->Certificate();
    };
  }
  auto transport = transport::NewHttpTransport(server);
  if (!transport) return Err(std::move(transport.error()));
  return std::make_unique<HttpClient>(config, std::move(*transport), std::move(options));
}

Expected<auth::CredentialPtr> HttpClient::Prepare(const CallOptions& call,
                                                  transport::HttpRequest& request) {
  if (!impersonation_) return Err(impersonation_.error());
  auto credential = credentials_->Current(call.stop, call.deadline);
  if (!credential) return credential;
  if (const std::string& authorization = (*credential)->authorization; !authorization.empty()) {
    request.headers.emplace_back("Authorization", authorization);
  }
  request.headers.insert(request.headers.end(), impersonation_->begin(), impersonation_->end());
  if (!user_agent_.empty() && transport::FindHeader(request.headers, "User-Agent").empty()) {
    request.headers.emplace_back("User-Agent", user_agent_);
  }
  if (call.deadline == Clock::TimePoint::max()) return credential;
  request.timeout = call.deadline - options_.clock.Now();
  if (request.timeout > Clock::Duration::zero()) return credential;
  return Err(ErrorReason::kDeadlineExceeded, Describe(request) + ": the deadline has passed");
}

Error HttpClient::ReadError(transport::HttpResponse& response,
                            const auth::CredentialPtr& credential) {
  std::string body = ReadBody(response);
  if (body.starts_with(runtime::kProtobufPrefix)) body = runtime::JsonOf(body).value_or("");
  Error error = runtime::DecodeStatus(response.status(), body);
  if (const auto retry_after = RetryAfter(response.headers())) error.retry_after = retry_after;
  if (response.status() == 401) {
    credentials_->OnUnauthorized(credential);
    error.message += ": the server does not accept " + credentials_->Describe();
  }
  return error;
}

void HttpClient::HandleWarnings(const transport::Headers& headers) {
  WarningHandler& handler =
      options_.warning_handler != nullptr ? *options_.warning_handler : warning_logger_;
  for (const auto& [name, value] : headers) {
    if (!EqualIgnoringCase(name, "Warning")) continue;
    for (const Warning& warning : ParseWarningHeader(value)) {
      handler.HandleWarning(warning.code, warning.agent, warning.text);
    }
  }
}

std::string HttpClient::Describe(const transport::HttpRequest& request) const {
  // The query is left out. It is rarely useful and may contain a long continue token.
  const std::string path = request.target.substr(0, request.target.find('?'));
  return request.method + " \"" + url_prefix_ + path + "\"";
}

HttpClient::Attempt HttpClient::Try(const std::stop_token& stop,
                                    const transport::HttpRequest& request,
                                    const auth::CredentialPtr& credential) {
  const Clock::TimePoint start = options_.clock.Now();
  Attempt attempt{.result = transport_->RoundTrip(stop, request), .code = "<error>"};
  if (!attempt.result) {
    Error& error = attempt.result.error();
    availability_->OnFailure(error);
    // Requests to a server that was silent for the whole timeout are not retried, because ten
    // attempts would take five minutes.
    const bool silent = options_.clock.Now() - start >= request.idle_timeout;
    if (error.reason == ErrorReason::kUnexpectedEof && request.method == "GET" && !silent) {
      attempt.retry_in = kBrokenConnectionDelay;
    }
    if (!IsCanceled(error)) error = error.Wrap(Describe(request));
  } else {
    attempt.result = transport::DecodeBody(*std::move(attempt.result), host_);
    transport::HttpResponse& response = **attempt.result;
    const int status = response.status();
    attempt.code = std::to_string(status);
    availability_->OnAnswer(status);
    HandleWarnings(response.headers());
    const bool upgraded = status == kSwitchingProtocols && !request.upgrade.empty();
    if (!upgraded && (status < 200 || status > 299)) {
      Error error = ReadError(response, credential);
      const bool overloaded = status == 429 || status >= 500;
      // Ten retries for a resourceVersion would take 40 s. A request without one succeeds at once.
      if (overloaded && !error.resource_version_too_large) {
        attempt.retry_in = RetryAfter(response.headers());
      }
      attempt.result = Err(std::move(error));
    }
  }
  // Headers contain credentials and bodies may contain Secrets, so neither is ever logged.
  V(6).InfoS(
      "Response", "verb", request.method, "url", url_prefix_ + request.target, "status",
      attempt.code, "milliseconds",
      std::chrono::duration_cast<std::chrono::milliseconds>(options_.clock.Now() - start).count());
  if (options_.metrics != nullptr) {
    options_.metrics->OnRequest(attempt.code, request.method, host_);
  }
  return attempt;
}

HttpClient::Result HttpClient::SendOnce(const CallOptions& call, transport::HttpRequest request) {
  if (call.answer_timeout.count() > 0) request.answer_timeout = call.answer_timeout;
  if (timeout_.count() > 0) {
    request.answer_timeout = std::min<Clock::Duration>(request.answer_timeout, timeout_);
  }
  const auto credential = Prepare(call, request);
  if (!credential) return Err(credential.error());
  return Try(call.stop, request, *credential).result;
}

Expected<int> HttpClient::Probe(const std::stop_token& stop, Clock::TimePoint deadline) {
  transport::HttpRequest request{.target = "/readyz"};
  const auto credential =
      Prepare(CallOptions(stop, std::min(deadline, options_.clock.After(kProbeTimeout))), request);
  if (!credential) return Err(credential.error());
  auto response = transport_->RoundTrip(stop, request);
  if (options_.metrics != nullptr) {
    options_.metrics->OnRequest(response ? std::to_string((*response)->status()) : "<error>",
                                request.method, host_);
  }
  if (!response) return Err(std::move(response.error()));
  ReadBody(**response);  // so that the connection can be used again
  return (*response)->status();
}

bool HttpClient::AwaitThrottle(const CallOptions& call) {
  Clock::Duration wait = Clock::Duration::zero();
  {
    MutexLock lock(throttle_mu_);
    if (!throttle_) return true;
    const Clock::TimePoint now = options_.clock.Now();
    const auto reserved = throttle_->Reserve(now, call.deadline - now);
    if (!reserved) return false;
    wait = *reserved;
  }
  if (wait == Clock::Duration::zero()) return true;
  if (wait > std::chrono::seconds(1)) {
    InfoS("Waiting due to client-side throttling, not priority and fairness", "delay",
          FormatDuration(wait));
  }
  return options_.clock.SleepFor(call.stop, wait);
}

HttpClient::Result HttpClient::Send(CallOptions call, transport::HttpRequest request) {
  if (timeout_.count() > 0) {
    call.deadline = std::min(call.deadline, options_.clock.After(timeout_));
  }
  if (call.answer_timeout.count() > 0) request.answer_timeout = call.answer_timeout;
  const auto canceled = [] { return Err(ErrorReason::kCanceled, "the request was canceled"); };
  const transport::Headers own_headers = request.headers;
  for (int retries = 0;; ++retries) {
    if (!AwaitThrottle(call)) {
      if (call.stop.stop_requested()) return canceled();
      return Err(ErrorReason::kDeadlineExceeded,
                 Describe(request) + ": client-side throttling would exceed the deadline");
    }
    request.headers = own_headers;
    const auto credential = Prepare(call, request);  // each time, because a token may be rotated
    if (!credential) return Err(credential.error());
    Attempt attempt = Try(call.stop, request, *credential);
    if (attempt.result || !attempt.retry_in || retries == kRetriesMax) {
      return std::move(attempt.result);
    }
    // The response is more useful than a wait that ends without one.
    if (*attempt.retry_in >= call.deadline - options_.clock.Now()) {
      return std::move(attempt.result);
    }
    V(1).InfoS("Retrying a request", "method", request.method, "code", attempt.code, "retries",
               retries + 1, "err", attempt.result.error());
    if (!options_.clock.SleepFor(call.stop, *attempt.retry_in)) return canceled();
    if (options_.metrics != nullptr) {
      options_.metrics->OnRetry(attempt.code, request.method, host_);
    }
  }
}

void HttpClient::ObserveDuration(std::string_view method, Clock::TimePoint start) const {
  if (options_.metrics == nullptr) return;
  options_.metrics->OnDuration(method, host_, options_.clock.Now() - start);
}

}  // namespace capstan::rest
