// SPDX-License-Identifier: Apache-2.0
#include "clientgo/rest/requester.h"

#include <glog/logging.h>

#include <charconv>
#include <optional>
#include <utility>

#include "clientgo/rest/server_address.h"
#include "clientgo/runtime/watch_event.h"
#include "clientgo/util/base64.h"
#include "clientgo/util/logging.h"

namespace clientgo::rest {
namespace {

using util::Err;
using util::Error;
using util::ErrorReason;

constexpr int kRetriesMax = 10;
constexpr auto kBrokenConnectionDelay = std::chrono::seconds(1);
constexpr std::size_t kErrorBodyBytesMax = std::size_t{64} * 1024;

// Only whole seconds, as client-go: an HTTP date is not a reason to retry.
std::optional<std::chrono::seconds> RetryAfter(const Headers& headers) {
  const std::string_view text = FindHeader(headers, "Retry-After");
  int seconds = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (ec != std::errc() || end != text.data() + text.size() || seconds < 0) return std::nullopt;
  return std::chrono::seconds(seconds);
}

std::string HostOf(const Config& config) {
  const auto address = ParseServerAddress(config.host);
  return address ? address->HostPort() : config.host;
}

std::string UrlPrefixOf(const Config& config) {
  std::string url = config.host;
  while (!url.empty() && url.back() == '/') url.pop_back();
  return url;
}

std::string BasicCredentials(const Config& config) {
  if (config.username.empty() && config.password.empty()) return {};
  return "Basic " + util::Base64Encode(config.username + ":" + config.password);
}

}  // namespace

// What one attempt gave, and whether and when to make another.
struct Requester::Attempt {
  Result result;
  std::string code;  // "200", or "<error>"
  std::optional<util::Clock::Duration> retry_in = {};
};

Requester::Requester(const Config& config, std::unique_ptr<HttpTransport> transport,
                     ClientOptions options)
    : options_(options),
      host_(HostOf(config)),
      url_prefix_(UrlPrefixOf(config)),
      user_agent_(config.user_agent),
      basic_(BasicCredentials(config)),
      timeout_(config.timeout),
      transport_(std::move(transport)),
      tokens_(config.bearer_token, config.bearer_token_file, options.clock),
      throttle_(config.qps, config.burst, options.clock) {}

util::Expected<void> Requester::AddHeaders(HttpRequest& request) {
  auto token = tokens_.Token();
  if (!token) return Err(std::move(token.error()));
  std::string authorization = token->empty() ? basic_ : "Bearer " + *token;
  Headers headers;
  for (auto& header : request.headers) {
    if (header.first != "Authorization") headers.push_back(std::move(header));
  }
  if (!authorization.empty()) headers.emplace_back("Authorization", std::move(authorization));
  if (!user_agent_.empty() && FindHeader(headers, "User-Agent").empty()) {
    headers.emplace_back("User-Agent", user_agent_);
  }
  request.headers = std::move(headers);
  return {};
}

Error Requester::ReadError(HttpResponse& response) {
  std::string body;
  while (body.size() < kErrorBodyBytesMax) {
    auto bytes = response.Read();
    if (!bytes || bytes->empty()) break;  // the code alone says enough
    body.append(bytes->substr(0, kErrorBodyBytesMax - body.size()));
  }
  Error error = runtime::DecodeStatus(response.status(), body);
  if (const auto retry_after = RetryAfter(response.headers())) error.retry_after = retry_after;
  if (response.status() == 401) tokens_.OnUnauthorized();
  return error;
}

Requester::Attempt Requester::Try(const std::stop_token& stop, const HttpRequest& request) {
  Attempt attempt{.result = transport_->RoundTrip(stop, request), .code = "<error>"};
  if (!attempt.result) {
    Error& error = attempt.result.error();
    if (error.reason == ErrorReason::kUnexpectedEof && request.method == "GET") {
      attempt.retry_in = kBrokenConnectionDelay;
    }
    if (!util::IsCanceled(error)) {
      // Without the query: it says little, and a continue token is long.
      const std::string path = request.target.substr(0, request.target.find('?'));
      error = error.Wrap(request.method + " \"" + url_prefix_ + path + "\"");
    }
  } else {
    HttpResponse& response = **attempt.result;
    const int status = response.status();
    attempt.code = std::to_string(status);
    if (status < 200 || status > 299) {
      Error error = ReadError(response);
      const bool overloaded = status == 429 || status >= 500;
      // Waiting for a resourceVersion ten times takes 40 s; asking without one takes none.
      if (overloaded && !error.resource_version_too_large) {
        attempt.retry_in = RetryAfter(response.headers());
      }
      attempt.result = Err(std::move(error));
    }
  }
  if (options_.metrics != nullptr) {
    options_.metrics->OnRequest(attempt.code, request.method, host_);
  }
  return attempt;
}

Requester::Result Requester::DoOnce(const std::stop_token& stop, HttpRequest request) {
  auto headers = AddHeaders(request);
  if (!headers) return Err(std::move(headers.error()));
  return Try(stop, request).result;
}

Requester::Result Requester::Do(const std::stop_token& stop, HttpRequest request) {
  if (timeout_.count() > 0) request.idle_timeout = timeout_;
  const auto canceled = [] { return Err(ErrorReason::kCanceled, "the request was canceled"); };
  for (int retries = 0;; ++retries) {
    if (!throttle_.Wait(stop)) return canceled();
    auto headers = AddHeaders(request);  // each time: the token may have been rotated
    if (!headers) return Err(std::move(headers.error()));
    Attempt attempt = Try(stop, request);
    if (attempt.result || !attempt.retry_in || retries == kRetriesMax) {
      return std::move(attempt.result);
    }
    VLOG(1) << util::Kv("Retrying a request", "method", request.method, "code", attempt.code,
                        "retries", retries + 1, "err", attempt.result.error());
    if (!options_.clock.SleepFor(stop, *attempt.retry_in)) return canceled();
    if (options_.metrics != nullptr) {
      options_.metrics->OnRetry(attempt.code, request.method, host_);
    }
  }
}

void Requester::ObserveDuration(std::string_view method, util::Clock::TimePoint start) const {
  if (options_.metrics == nullptr) return;
  options_.metrics->OnDuration(method, host_, options_.clock.Now() - start);
}

}  // namespace clientgo::rest
