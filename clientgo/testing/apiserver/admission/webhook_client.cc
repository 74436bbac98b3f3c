// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/admission/webhook_client.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <utility>

#include "capstan/clock.h"
#include "capstan/logging.h"
#include "capstan/text.h"
#include "capstan/thread.h"
#include "capstan/transport/http1_transport.h"
#include "clientgo/testing/apiserver/types/client_errors.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::size_t kTransportsMax = 64;
constexpr std::size_t kAnswerBytesMax = 8U << 20U;
// The retries of a request in client-go.
constexpr int kRetriesMax = 10;

// WebhookAnswer is a whole response of a webhook.
struct WebhookAnswer {
  int code = 0;
  std::string location = {};
  std::string content_type = {};
  std::string body = {};
  std::optional<std::chrono::seconds> retry_after = {};
};

// Returns the Retry-After of a response that client-go sends its request again for.
std::optional<std::chrono::seconds> RetryAfter(const transport::HttpResponse& response) {
  if (response.status() != 429 && response.status() < 500) return std::nullopt;
  const std::string_view text = transport::FindHeader(response.headers(), "Retry-After");
  int seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return std::chrono::seconds(std::max(seconds, 0));
}

Expected<std::string> ReadBody(transport::HttpResponse& response) {
  std::string body;
  while (true) {
    const auto data = response.Read();
    if (!data) return Err(data.error());
    if (data->empty()) return body;
    body += *data;
    if (body.size() > kAnswerBytesMax) {
      return Err(ErrorReason::kTransport,
                 "the response is longer than " + std::to_string(kAnswerBytesMax) + " bytes");
    }
  }
}

Expected<WebhookAnswer> SendOnce(const std::stop_token& stop, transport::HttpTransport& transport,
                                 const transport::HttpRequest& request) {
  auto response = transport.RoundTrip(stop, request);
  if (!response) return Err(std::move(response.error()));
  WebhookAnswer answer{
      .code = (*response)->status(),
      .location = std::string(transport::FindHeader((*response)->headers(), "Location")),
      .content_type = std::string(transport::FindHeader((*response)->headers(), "Content-Type")),
      .retry_after = RetryAfter(**response)};
  auto body = ReadBody(**response);
  if (!body) return Err(std::move(body.error()));
  answer.body = *std::move(body);
  return answer;
}

// Sends the request, and again after each Retry-After, as client-go does.
Expected<WebhookAnswer> SendWithRetries(const std::stop_token& stop,
                                        transport::HttpTransport& transport,
                                        transport::HttpRequest request) {
  Clock& clock = Clock::Real();
  const Clock::TimePoint deadline = clock.After(request.timeout);
  for (int retries = 0;; ++retries) {
    auto answer = SendOnce(stop, transport, request);
    if (!answer || !answer->retry_after || retries == kRetriesMax) return answer;
    const Clock::Duration left = deadline - clock.Now();
    clock.SleepFor(stop, std::min<Clock::Duration>(left, *answer->retry_after));
    request.timeout = deadline - clock.Now();
    if (stop.stop_requested() || request.timeout <= Clock::Duration::zero()) {
      return Err(ErrorReason::kDeadlineExceeded, "the time of the webhook is over");
    }
  }
}

// Returns the path without empty segments, "." and "..", and without a slash at its end, as
// client-go cleans the paths of webhooks.
std::string CleanPath(std::string_view path) {
  std::vector<std::string_view> segments;
  for (const std::string_view segment : Split(path, '/')) {
    if (segment.empty() || segment == ".") continue;
    if (segment != "..") {
      segments.push_back(segment);
    } else if (!segments.empty()) {
      segments.pop_back();
    }
  }
  return "/" + Join(segments, "/");
}

struct WebhookUrl {
  std::string host;
  std::string target;  // the path and the query

  std::string Text() const { return std::string(kScheme) + host + target; }
  // `text` begins with kScheme.
  static WebhookUrl Parse(std::string_view text) {
    text.remove_prefix(std::min(text.size(), kScheme.size()));
    const std::size_t slash = std::min(text.find('/'), text.size());
    return {.host = std::string(text.substr(0, slash)), .target = std::string(text.substr(slash))};
  }
  // Returns where a redirect leads.
  WebhookUrl Resolve(std::string_view location) const {
    if (location.starts_with(kScheme)) return Parse(location);
    if (location.starts_with('/')) return {.host = host, .target = std::string(location)};
    const std::string_view path = std::string_view(target).substr(0, target.find('?'));
    return {.host = host,
            .target = std::string(path.substr(0, path.rfind('/') + 1)) + std::string(location)};
  }

  static constexpr std::string_view kScheme = "https://";
};

bool IsRedirect(int code) {
  return code == 301 || code == 302 || code == 303 || code == 307 || code == 308;
}

}  // namespace

WebhookClient::~WebhookClient() {
  std::vector<std::jthread> threads;
  {
    const MutexLock lock(mu_);
    threads.swap(threads_);
  }
  for (std::jthread& thread : threads) thread.request_stop();
}

void WebhookClient::Send(HookCall call, std::string uid, std::function<void(HookReply)> done) {
  const MutexLock lock(mu_);
  jobs_.push_back({.call = std::move(call), .uid = std::move(uid), .done = std::move(done)});
  if (idle_ < jobs_.size() && threads_.size() < kThreadsMax) {
    threads_.push_back(StartThread("webhooks", [this](const std::stop_token& stop) { Run(stop); }));
  }
  changed_.NotifyOne();
}

void WebhookClient::Run(const std::stop_token& stop) {
  while (true) {
    Job job;
    {
      const MutexLock lock(mu_);
      ++idle_;
      changed_.Wait(mu_, stop, [&]() CAPSTAN_REQUIRES(mu_) { return !jobs_.empty(); });
      --idle_;
      if (stop.stop_requested()) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    HookReply reply = job.call.send ? job.call.send(stop) : Execute(stop, job);
    if (stop.stop_requested()) return;
    job.done(std::move(reply));
  }
}

HookReply WebhookClient::Execute(const std::stop_token& stop, const Job& job) {
  const Webhook& webhook = *job.call.webhook;
  const Webhook::Service& service = webhook.service;
  WebhookUrl url = WebhookUrl::Parse(webhook.url);
  if (webhook.url.empty()) {
    url = {.host = service.name + "." + service.namespace_ + ".svc:" + std::to_string(service.port),
           .target = service.path};
  }
  // kube-apiserver tells the webhook its time, in whole seconds.
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(job.call.timeout);
  url.target = CleanPath(url.target) + "?timeout=" + std::to_string(seconds.count()) + "s";
  const auto failed = [&](std::string_view method, const std::string& why) {
    return tl::unexpected("failed to call webhook: " + std::string(method) + " " +
                          Quoted(url.Text()) + ": " + why);
  };
  std::string host = url.host;
  if (webhook.url.empty()) {
    const std::string key =
        service.namespace_ + "/" + service.name + ":" + std::to_string(service.port);
    const auto address = services_.find(key);
    if (address == services_.end()) {
      return failed("Post", "service " + Quoted(service.name) +
                                " not found; Options::webhook_services has no address for " +
                                Quoted(key));
    }
    host = address->second;
  }
  transport::HttpRequest request{.method = "POST",
                                 .headers = {{"Content-Type", "application/json"},
                                             {"Accept", "application/json, */*"},
                                             {"User-Agent", "kube-apiserver-admission"}},
                                 .body = job.call.body(job.uid),
                                 .timeout = job.call.timeout};
  constexpr int kRedirectsMax = 10;
  for (int redirects = 0;; ++redirects) {
    const auto transport = TransportTo(std::string(WebhookUrl::kScheme) + host, webhook.ca_pem);
    if (!transport) {
      return tl::unexpected("could not get REST client: " + transport.error().message);
    }
    request.target = url.target;
    const std::string_view verb = request.method == "POST" ? "Post" : "Get";
    const auto answer = SendWithRetries(stop, **transport, request);
    if (!answer) return failed(verb, GoErrorText(answer.error(), host));
    if (IsRedirect(answer->code) && !answer->location.empty()) {
      if (redirects == kRedirectsMax) return failed(verb, "stopped after 10 redirects");
      const std::string before = url.host;
      url = url.Resolve(answer->location);
      if (url.host != before) host = url.host;
      if (answer->code < 307) {  // Go repeats only these with the method and the body
        request.method = "GET";
        request.body.clear();
      }
      continue;
    }
    if (answer->code < 200 || answer->code > 206) {
      return tl::unexpected("failed to call webhook: " +
                            ServerErrorText(answer->code, answer->content_type, answer->body));
    }
    return answer->body;
  }
}

Expected<WebhookClient::Transport> WebhookClient::TransportTo(const std::string& host,
                                                              const std::string& ca_pem) {
  const std::string key = host + "\n" + ca_pem;
  {
    const MutexLock lock(mu_);
    const auto known = transports_.find(key);
    if (known != transports_.end()) return known->second;
  }
  if (const auto why = WhyNoRootCertificates(ca_pem)) {
    return Err(ErrorReason::kInvalidArgument, *why);
  }
  auto made =
      transport::NewHttp1Transport({.host = host, .tls = {.ca_data = ca_pem}, .source = "webhook"});
  if (!made) return Err(std::move(made.error()));
  Transport transport = std::move(*made);
  const MutexLock lock(mu_);
  if (transports_.size() >= kTransportsMax) transports_.clear();
  transports_[key] = transport;
  return transport;
}

}  // namespace capstan::testing::apiserver
